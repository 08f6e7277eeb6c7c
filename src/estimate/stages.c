#include "estimate/stages.h"

#include <string.h>

double microbatches_of(const struct rk_plan *plan)
{
    return (double)(plan->batch / (rk_plan_data(plan) * plan->microbatch));
}

/* ---- sums of layers ---- */

static void add_layers(struct stage_sum *sum, const struct layer_fold *layer, double count)
{
    for (int pass = 0; pass < FOLD_PASSES; pass++) {
        for (int i = 0; i < SPENDINGS; i++)
            sum->spent_s[pass][i] += count * layer->spent_s[pass][i];
        sum->pass_s[pass] += count * layer->pass_s[pass];
    }
    for (int i = 0; i < LINKS; i++)
        sum->link_s[i] += count * layer->link_s[i];
    for (int i = 0; i < RK_HOLDING_COUNT; i++)
        sum->saved_bytes[i] += count * layer->saved_bytes[i];
    sum->saved_total_bytes += count * layer->saved_total_bytes;
    sum->useful_flop += count * layer->useful_flop;
    sum->executed_flop += count * layer->executed_flop;
    sum->parameters += count * layer->parameters;
    sum->expert_parameters += count * layer->expert_parameters;
    sum->narrow_parameters += count * layer->narrow_parameters;
    if (layer->working_bytes > sum->working_bytes) sum->working_bytes = layer->working_bytes;
}

static void add_blocks(struct stage_sum *sum, const struct layer_fold *layer, double count)
{
    const double size = layer->parameters + layer->expert_parameters;
    if (count <= 0) return;
    add_layers(sum, layer, count);
    if (size > sum->largest_parameters) sum->largest_parameters = size;
}

static void add_end(struct stage_sum *sum, const struct layer_fold *layer)
{
    add_layers(sum, layer, 1);
    sum->ends_parameters += layer->parameters;
}

/* Blocks `first` ... of one virtual stage; the first recompute_layers of them are computed again.
 */
static void add_chunk(struct stage_sum *sum, const struct layer_folds *fold,
                      const struct rk_model *model, const struct rk_plan *plan, uint64_t first,
                      uint64_t count)
{
    const bool all = !plan->recompute_layers || plan->recompute_layers > count;
    const uint64_t redone = plan->recompute == RK_KEEP ? 0 : all ? count : plan->recompute_layers;
    double counts[TREATMENTS][LAYER_KINDS] = {{0}};
    layer_count(model, first, redone, counts[RECOMPUTED]);
    layer_count(model, first + redone, count - redone, counts[AS_IT_IS]);
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        for (int treatment = 0; treatment < TREATMENTS; treatment++)
            add_blocks(sum, &fold->layer[kind][treatment], counts[treatment][kind]);
    sum->blocks += (double)count;
}

void stage_sum(struct stage_sum *sum, const struct layer_folds *fold, const struct rk_model *model,
               const struct rk_plan *plan, uint64_t index)
{
    const uint64_t all = plan->pipeline * plan->chunks;
    uint64_t first = 0;
    memset(sum, 0, sizeof *sum);
    for (uint64_t i = 0; i < all; i++) {
        const uint64_t count = rk_plan_split(plan, model, i);
        if (i % plan->pipeline == index) add_chunk(sum, fold, model, plan, first, count);
        first += count;
    }
    if (index == 0) add_end(sum, &fold->layer[LAYER_EMBEDDING][AS_IT_IS]);
    if (index != plan->pipeline - 1) return;
    add_end(sum, &fold->layer[LAYER_HEAD][AS_IT_IS]);
    const enum treatment treatment = plan->recompute == RK_KEEP ? AS_IT_IS : RECOMPUTED;
    if (model->predict_layers)
        add_blocks(sum, &fold->layer[LAYER_PREDICT][treatment], (double)model->predict_layers);
}

/* ---- bytes of one parameter ---- */

/* [rajbhandari2020], [narayanan2021] and the frameworks' documentation. Narrow precisions keep what
 * bf16 keeps. FSDP keeps fp32 and casts while gathering. */
/* clang-format off */
static const struct element_bytes kept[RK_FRAMEWORKS][3] = {
    /*                weight gradient optimizer gathered sent_weight sent_gradient */
    [RK_MEGATRON]  = {{ 4,     4,       8,        4,       4,          4 },   /* fp32 */
                      { 2,     2,       16,       2,       2,          2 },   /* fp16 */
                      { 2,     4,       12,       2,       2,          4 }},  /* bf16 */
    [RK_FSDP]      = {{ 4,     4,       8,        4,       4,          4 },
                      { 4,     4,       8,        2,       2,          2 },
                      { 4,     4,       8,        2,       2,          4 }},
    [RK_DEEPSPEED] = {{ 4,     4,       8,        4,       4,          4 },
                      { 2,     2,       12,       2,       2,          2 },
                      { 2,     2,       12,       2,       2,          2 }},
};
/* clang-format on */

static int width_of(enum rk_precision precision)
{
    if (precision == RK_FP32 || precision == RK_TF32) return 0;
    return precision == RK_FP16 ? 1 : 2;
}

/* Master copy and moments, each of them as the plan says or as usual. */
static double optimizer_bytes(const struct rk_plan *plan, double usual, double weight)
{
    const double master = plan->master_element_bytes, first = plan->moment1_element_bytes;
    const double second = plan->moment2_element_bytes;
    const double usual_master = weight < 4 ? 4 : 0;
    if (!(master > 0 || first > 0 || second > 0)) return usual;
    return usual + (master > 0 ? master - usual_master : 0) + (first > 0 ? first - 4 : 0) +
           (second > 0 ? second - 4 : 0);
}

struct element_bytes element_bytes_of(const struct rk_plan *plan)
{
    struct element_bytes e = kept[plan->framework][width_of(plan->precision)];
    const bool narrow = plan->precision >= RK_FP8_DELAYED;
    if (plan->weight_element_bytes > 0) e.weight = plan->weight_element_bytes;
    if (plan->gradient_element_bytes > 0) {
        e.optimizer += plan->gradient_element_bytes >= 4 && plan->precision == RK_FP16 &&
                               plan->framework == RK_MEGATRON
                           ? -4 /* no fp32 copy of the gradients beside them */
                           : 0;
        e.gradient = e.sent_gradient = plan->gradient_element_bytes;
    }
    e.optimizer = optimizer_bytes(plan, e.optimizer, e.weight);
    if (narrow) e.narrow_copies = plan->weights_fp8 ? 0 : 2; /* itself and transposed */
    if (plan->weights_fp8) {
        e.sent_weight = e.gathered = 1;
        if (plan->framework == RK_MEGATRON) e.weight = 2; /* both orientations */
    }
    return e;
}
