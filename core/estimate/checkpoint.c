#include "estimate/checkpoint.h"

#include "estimate/stages.h"
#include "workload/layers.h"

/* Of the whole model: a layer of each kind on one rank that splits nothing. */
static double adapter_parameters(const struct rk_model *model, const struct rk_plan *plan)
{
    double sum = 0, counts[LAYER_KINDS] = {[LAYER_EMBEDDING] = 1, [LAYER_HEAD] = 1};
    struct rk_plan whole = *plan;
    whole.ranks = whole.tensor = whole.pipeline = whole.context = 1;
    whole.expert = whole.expert_tensor = whole.chunks = 1;
    whole.batch = whole.microbatch;
    whole.zero = 0;
    layer_count(model, 0, model->layers, counts);
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        struct layer layer;
        if (!(counts[kind] > 0)) continue;
        layer_build(&layer, (enum layer_kind)kind, model, &whole);
        for (int i = 0; i < layer.operations; i++)
            if (layer.operation[i].adapter) sum += counts[kind] * layer.operation[i].parameters;
    }
    return sum;
}

double checkpoint_bytes_of(const struct rk_model *model, const struct rk_plan *plan)
{
    if (!rk_answerer(plan->framework)->layers)
        return 14 * /* 16-bit weights, fp32 master copy and moments */
               (double)rk_model_parameters(model);
    const struct element_bytes e = element_bytes_of(plan);
    if (plan->lora)
        return adapter_parameters(model, plan) * (e.adapter_weight + e.adapter_optimizer);
    return (double)rk_model_parameters(model) * (e.weight + e.optimizer);
}
