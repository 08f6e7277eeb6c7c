#include "published/predict.h"

#include "published/plan.h"
#include <reckon/estimate.h>

#include <string.h>

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
    stage->holds[RK_HOLD_weights] = rk_tier_bytes(&p->outcome, s, 0, RK_WEIGHTS);
    stage->holds[RK_HOLD_gradients] = rk_tier_bytes(&p->outcome, s, 0, RK_WEIGHT_GRADS);
    stage->holds[RK_HOLD_optimizer] = rk_tier_bytes(&p->outcome, s, 0, RK_OPTIMIZER);
    stage->holds[RK_HOLD_activations] = rk_tier_bytes(&p->outcome, s, 0, RK_ACTIVATIONS);
    stage->holds[RK_HOLD_checkpoints] = rk_tier_bytes(&p->outcome, s, 0, RK_CHECKPOINTS);
    stage->holds[RK_HOLD_activation_gradients] = rk_tier_bytes(&p->outcome, s, 0, RK_ACTIVATION_GRADS);
    stage->static_bytes = stage->holds[RK_HOLD_weights] + stage->holds[RK_HOLD_gradients] +
                          stage->holds[RK_HOLD_optimizer];
    stage->total_bytes = stage->allocated_bytes = p->hbm_bytes;
    stage->offloaded_bytes = p->offload_bytes;
    memcpy(p->holds, stage->holds, sizeof p->holds);
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
