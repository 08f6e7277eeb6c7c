#include "cli/mfu_causal.h"
#include "workload/layers.h"

#include <math.h>

/* Of one layer forward, on one rank: what model FLOP count beyond the pairs that attention meets.
 */
static double hidden_flop(enum layer_kind kind, const struct rk_model *model,
                          const struct rk_plan *plan)
{
    struct layer layer;
    double hidden = 0;
    layer_build(&layer, kind, model, plan);
    for (int i = 0; i < layer.operations; i++) {
        const struct operation *op = &layer.operation[i];
        if (op->kind == OPERATION_ATTENTION) hidden += op->useful_flop - op->flop[RK_FORWARD];
    }
    return hidden;
}

double mfu_causal(const struct rk_model *model, const struct rk_plan *plan,
                  const struct rk_outcome *outcome)
{
    double counts[LAYER_KINDS] = {0}, hidden = 0;
    struct rk_plan fused = *plan;
    fused.attention = RK_FLASH;
    fused.full_attention = fused.context_contiguous = false;
    layer_count(model, 0, model->layers, counts);
    counts[LAYER_PREDICT] = (double)model->predict_layers;
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (counts[kind] > 0)
            hidden += counts[kind] * hidden_flop((enum layer_kind)kind, model, &fused);
    const double ranks = (double)(plan->tensor * plan->context);
    const double passes = plan->frozen ? 2 : 3; /* of a forward's FLOP */
    const double all = passes * hidden * ranks * (double)plan->batch / (double)plan->microbatch;
    return outcome->model_flop > 0 ? outcome->mfu * (1 - all / outcome->model_flop) : 0;
}
