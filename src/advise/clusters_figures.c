#include "advise/clusters_figures.h"

#include "base/memory.h"
#include "estimate/fold.h"
#include "machine/kernels.h"

#include <math.h>
#include <stdlib.h>

struct rk_plan clusters_part_plan(const struct clusters_question *question,
                                  const struct given_plan *given, const struct given_part *part)
{
    struct rk_plan plan = part->plan;
    plan.pipeline = (uint64_t)given->stages;
    plan.chunks = (uint64_t)given->chunks;
    plan.ranks = plan.tensor * plan.context * part->data * plan.pipeline;
    plan.batch = question->words.batch;
    plan.microbatch = part->most;
    return plan;
}

enum rk_status clusters_needed_flop(const struct clusters_question *question, double *flop,
                                    struct rk_error *error)
{
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    struct rk_plan plan = rk_plan_default();
    if (!prediction) return no_memory(error);
    plan.precision = question->words.precision;
    plan.sequence = question->words.sequence;
    plan.ranks = plan.batch = plan.microbatch = 1;
    rk_predict(question->model, &question->machine->cluster[0].system, &plan, prediction);
    *flop = prediction->model_flop * (double)question->words.batch;
    free(prediction);
    return RK_OK;
}

/* What all GPUs in use could do in a second. */
static double peak_flop_per_s(const struct clusters_question *question,
                              const struct given_plan *given)
{
    const enum operand operand = operand_of(question->words.precision, true);
    double peak = 0;
    for (int i = 0; i < given->stages; i++)
        for (int k = 0; k < given->stage[i].parts; k++) {
            const struct given_part *part = &given->stage[i].part[k];
            const double gpus = (double)(part->plan.tensor * part->plan.context * part->data);
            peak += gpus * operand_peak(&question->machine->cluster[part->cluster].system, operand);
        }
    return peak;
}

const char *const clusters_figures[] = {"step_s",     "samples_per_s", "tokens_per_s",
                                        "mfu",        "hbm_bytes",     "offload_bytes",
                                        "model_flop", "parameters",    NULL};

void clusters_outcome(const struct clusters_question *question, const struct given_plan *given,
                      const struct clusters_plan *plan, double needed_flop,
                      struct rk_outcome *outcome)
{
    const struct rk_plan *words = &question->words;
    const uint64_t tokens = words->sequence ? words->sequence : question->model->sequence;
    *outcome = (struct rk_outcome){.step_s = plan->simulated_s,
                                   .parameters = (double)rk_model_parameters(question->model),
                                   .model_flop = needed_flop};
    outcome->samples_per_s = (double)words->batch / outcome->step_s;
    outcome->tokens_per_s = outcome->samples_per_s * (double)tokens;
    outcome->mfu = needed_flop / (peak_flop_per_s(question, given) * outcome->step_s);
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        double away = 0;
        for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
            away += s->memory.away_bytes[tier];
        outcome->hbm_bytes = fmax(outcome->hbm_bytes, s->bytes);
        outcome->offload_bytes = fmax(outcome->offload_bytes, away);
    }
}
