#include "campaign/facts.h"

#include <math.h>

double rk_campaign_power(const struct rk_campaign_facts *facts, const struct rk_system *system,
                         const struct rk_prediction *prediction)
{
    const struct energy_facts *share = &facts->energy;
    const struct rk_outcome *o = &prediction->outcome;
    const double limit_W = board_power_W(facts, system);
    if (!(o->step_s > 0) || !(limit_W > 0)) return 0;
    const double redone = o->recompute_s;
    /* The passes of the published model, which does not divide them; 0 of the other one. */
    const double passes = o->forward_s + o->backward_s;
    const double matrix = o->matrix_s + passes + 0.7 * redone, attention = o->attention_s;
    const double memory = o->memory_s + 0.3 * redone + o->optimizer_s;
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
