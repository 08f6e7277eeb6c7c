#include "search/calculon.h"

#include "calculon/estimate.h"
#include "calculon/plan.h"

#include <string.h>

/* What a category of the Calculon model is of the memory of a stage. */
static const enum rk_holding holding_of[RK_CATEGORIES] = {
    [RK_WEIGHTS] = RK_HOLD_weights,         [RK_ACTIVATIONS] = RK_HOLD_activations,
    [RK_CHECKPOINTS] = RK_HOLD_checkpoints, [RK_ACTIVATION_GRADS] = RK_HOLD_activation_gradients,
    [RK_WEIGHT_GRADS] = RK_HOLD_gradients,  [RK_OPTIMIZER] = RK_HOLD_optimizer,
};

static double tier_holds(const struct rk_outcome *outcome, const struct rk_strategy *s, int tier,
                         double holds[RK_HOLDING_COUNT])
{
    double sum = 0;
    memset(holds, 0, RK_HOLDING_COUNT * sizeof *holds);
    for (int i = 0; i < RK_CATEGORIES; i++) {
        holds[holding_of[i]] = rk_tier_bytes(outcome, s, tier, (enum rk_category)i);
        sum += holds[holding_of[i]];
    }
    return sum;
}

double published_tier(const struct rk_prediction *prediction, const struct rk_plan *plan, int tier,
                      double holds[RK_HOLDING_COUNT])
{
    const struct rk_system none = {.networks = 0};
    struct rk_strategy strategy;
    struct rk_reason reason;
    memset(holds, 0, RK_HOLDING_COUNT * sizeof *holds);
    if (!strategy_of_plan(plan, &none, &strategy, &reason)) return 0;
    return tier_holds(&prediction->outcome, &strategy, tier, holds);
}

int published_operations(const struct rk_model *model, const struct rk_system *system,
                         const struct rk_plan *plan, struct rk_operation *operations, int most)
{
    struct rk_operation all[RK_MAX_OPERATIONS];
    struct rk_model asked = *model;
    struct rk_strategy strategy;
    struct rk_reason reason;
    if (!strategy_of_plan(plan, system, &strategy, &reason)) return 0;
    if (plan->sequence) asked.sequence = plan->sequence;
    const int count = rk_block_operations(&asked, system, &strategy, all);
    for (int i = 0; i < count && i < most; i++) {
        operations[i] = all[i];
        operations[i].layer = "block";
        operations[i].layers = (double)model->layers;
    }
    return count;
}

/* All lower tiers together. */
static void fill_lower(struct rk_prediction *p, const struct rk_system *system,
                       const struct rk_strategy *s)
{
    double holds[RK_HOLDING_COUNT];
    for (int tier = 1; tier < system->memories; tier++) {
        tier_holds(&p->outcome, s, tier, holds);
        for (int i = 0; i < RK_HOLDING_COUNT; i++)
            p->lower[i] += holds[i];
    }
}

/* All stages are alike in the Calculon model: one stands for them. */
static void fill_stage(struct rk_prediction *p, const struct rk_model *model,
                       const struct rk_strategy *s)
{
    struct rk_stage *stage = &p->stage[0];
    const double microbatches = (double)(s->batch / s->data / s->microbatch);
    memset(stage, 0, sizeof *stage);
    p->stages = 1;
    stage->blocks = (model->layers + s->pipeline - 1) / s->pipeline;
    stage->forward_s = p->forward_s / microbatches;
    stage->backward_s = (p->backward_s + p->recompute_s) / microbatches;
    tier_holds(&p->outcome, s, 0, stage->holds);
    stage->static_bytes = stage->holds[RK_HOLD_weights] + stage->holds[RK_HOLD_gradients] +
                          stage->holds[RK_HOLD_optimizer];
    stage->total_bytes = stage->allocated_bytes = p->hbm_bytes;
    stage->offloaded_bytes = p->offload_bytes;
    memcpy(p->holds, stage->holds, sizeof p->holds);
}

enum rk_verdict predict_published(const struct rk_model *model, const struct rk_system *system,
                                  const struct rk_plan *plan, struct rk_prediction *p)
{
    struct rk_strategy strategy;
    struct rk_model asked = *model;
    memset(p, 0, offsetof(struct rk_prediction, stage));
    if (!strategy_of_plan(plan, system, &strategy, &p->reason[0])) {
        p->reasons = 1;
        return p->verdict = p->reason[0].verdict;
    }
    if (plan->sequence) asked.sequence = plan->sequence;
    rk_estimate(&asked, system, &strategy, &p->outcome);
    if (!p->timed) return p->verdict;
    fill_stage(p, model, &strategy);
    fill_lower(p, system, &strategy);
    return p->verdict;
}
