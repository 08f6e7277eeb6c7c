#include "published/predict.h"

#include "published/plan.h"
#include <reckon/estimate.h>

#include <string.h>

/* What a category is called among the holdings. */
static const enum rk_holding holding_of[RK_CATEGORIES] = {
    [RK_WEIGHTS] = RK_HOLD_weights,         [RK_ACTIVATIONS] = RK_HOLD_activations,
    [RK_CHECKPOINTS] = RK_HOLD_checkpoints, [RK_ACTIVATION_GRADS] = RK_HOLD_activation_gradients,
    [RK_WEIGHT_GRADS] = RK_HOLD_gradients,  [RK_OPTIMIZER] = RK_HOLD_optimizer,
};

static void fill_lower(struct rk_prediction *p, const struct rk_strategy *s)
{
    const int tiers[] = {s->weight_offload, s->activation_offload, s->optimizer_offload};
    for (int c = 0; c < RK_CATEGORIES; c++)
        for (int i = 0; i < 3; i++) {
            const bool seen = (i > 0 && tiers[i] == tiers[0]) || (i > 1 && tiers[i] == tiers[1]);
            if (tiers[i] == 0 || seen) continue;
            p->lower[holding_of[c]] += rk_tier_bytes(&p->outcome, s, tiers[i], (enum rk_category)c);
        }
}

/* All stages are alike in the published model: one stands for them. */
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
    for (int c = 0; c < RK_CATEGORIES; c++)
        stage->holds[holding_of[c]] = rk_tier_bytes(&p->outcome, s, 0, (enum rk_category)c);
    stage->static_bytes = stage->holds[RK_HOLD_weights] + stage->holds[RK_HOLD_gradients] +
                          stage->holds[RK_HOLD_optimizer];
    stage->total_bytes = stage->allocated_bytes = p->hbm_bytes;
    stage->offloaded_bytes = p->offload_bytes;
    memcpy(p->holds, stage->holds, sizeof p->holds);
    fill_lower(p, s);
}

/* FLOP of a step from the useful share of its time: the model's own definition of MFU. */
static void fill_work(struct rk_prediction *p, const struct rk_model *model,
                      const struct rk_system *system, const struct rk_strategy *s)
{
    const double peak = system->matrix[s->datatype].peak_flops;
    const double again = p->block_recompute_flop / p->useful_flop;
    p->parameters = (double)rk_model_parameters(model);
    p->model_flop = p->mfu * peak * (double)s->ranks * p->step_s;
    p->executed_flop = p->model_flop * (1 + again);
    p->hfu = p->mfu * (1 + again);
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
    fill_work(p, &asked, system, &strategy);
    return p->verdict;
}
