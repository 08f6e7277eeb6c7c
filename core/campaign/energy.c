#include "campaign/facts.h"

#include <math.h>

double rk_campaign_power(const struct rk_campaign_facts *facts, const struct rk_system *system,
                         const struct rk_prediction *prediction)
{
    const struct energy_facts *share = &facts->energy;
    const struct rk_outcome *o = &prediction->outcome;
    const double limit_W = board_power_W(facts, system);
    if (!(o->step_s > 0) || !(limit_W > 0)) return 0;
    /* The Calculon model does not divide its passes. Recomputation counts like other work. */
    const double first = o->matrix_s + o->forward_s + o->backward_s + o->attention_s + o->memory_s;
    const double again = first > 0 ? 1 + o->recompute_s / first : 1;
    const double matrix = again * (o->matrix_s + o->forward_s + o->backward_s);
    const double attention = again * o->attention_s;
    const double memory = again * o->memory_s + o->optimizer_s;
    const double waiting = fmax(0, o->step_s - matrix - attention - memory);
    return limit_W *
           (share->matrix * matrix + (share->matrix + share->memory) / 2 * attention +
            share->memory * memory + share->waiting * waiting) /
           (matrix + attention + memory + waiting);
}

void rk_compute_optimal(enum rk_scaling_law law, double flop, double *parameters, double *tokens)
{
    if (law == RK_LLAMA_3) {
        *tokens = 0.299 * pow(flop, 0.537);
        *parameters = flop / 6 / *tokens;
        return;
    }
    *parameters = sqrt(flop / 6 / 20);
    *tokens = 20 * *parameters;
}

/* FLOP is 6 times parameters times tokens. */
double rk_optimal_tokens(enum rk_scaling_law law, double parameters)
{
    if (law == RK_LLAMA_3) return 0.299 * pow(6 * 0.299 * parameters, 0.537 / (1 - 0.537));
    return 20 * parameters;
}
