#include "estimate/stages.h"
#include "base/extremes.h"
#include "estimate/experts.h"
#include "plan/habits.h"
#include "workload/layers_build.h"

#include <stddef.h>
#include <string.h>

double microbatches_of(const struct rk_plan *plan)
{
    return (double)(plan->batch / (rk_plan_data(plan) * plan->microbatch));
}

double put_off_of(const struct rk_plan *plan, double microbatches)
{
    const double most = (double)plan->deferred_wgrad;
    return most < microbatches ? most : microbatches;
}

/* ---- sums of layers ---- */

/* What recomputation changes of memory. */
static void add_holds(struct stage_sum *sum, const struct layer_fold *layer, double count)
{
    sum->saved_total_bytes += count * layer->saved_total_bytes;
    if (layer->working_bytes > sum->working_bytes) sum->working_bytes = layer->working_bytes;
}

/* What recomputation changes of the outline. */
static void add_again(struct stage_sum *sum, const struct layer_fold *layer, double count)
{
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        sum->pass_s[pass] += count * layer->pass_s[pass];
    sum->for_experts_s += count * layer->for_experts_s;
    sum->beside_experts_s += count * layer->beside_experts_s;
    add_holds(sum, layer, count);
}

/* What time and memory depend on. */
static void add_outline(struct stage_sum *sum, const struct layer_fold *layer, double count)
{
    add_again(sum, layer, count);
    sum->parameters += count * layer->parameters;
    sum->expert_parameters += count * layer->expert_parameters;
    sum->narrow_parameters += count * layer->narrow_parameters;
    for (int i = 0; i < 2; i++) {
        sum->adapter_parameters[i] += count * layer->adapter_parameters[i];
        sum->whole_parameters[i] += count * layer->whole_parameters[i];
    }
    sum->long_sides += count * layer->long_sides;
    sum->short_sides += count * layer->short_sides;
    for (int i = 0; i < 2; i++) {
        sum->step[i].work_s += count * layer->step[i].work_s;
        sum->step[i].starts += count * layer->step[i].starts;
    }
    add_copies(sum->copied, layer->copied, count);
    if (layer->buffer_bytes > sum->buffer_bytes) sum->buffer_bytes = layer->buffer_bytes;
}

static void add_details(struct stage_sum *sum, const struct layer_fold *layer, double count)
{
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        for (int i = 0; i < SPENDINGS; i++)
            sum->spent_s[pass][i] += count * layer->spent_s[pass][i];
    for (int i = 0; i < LINKS; i++)
        sum->link_s[i] += count * layer->link_s[i];
    for (int i = 0; i < LINKS; i++)
        sum->link_bytes[i] += count * layer->link_bytes[i];
    for (int i = 0; i < RK_HOLDING_COUNT; i++)
        sum->saved_bytes[i] += count * layer->saved_bytes[i];
    sum->useful_flop += count * layer->useful_flop;
    sum->masked_flop += count * layer->masked_flop;
    sum->megatron_flop += count * layer->megatron_flop;
    sum->again_masked_flop += count * layer->again_masked_flop;
    sum->kernel_flop += count * layer->kernel_flop;
    sum->again_flop += count * layer->again_flop;
}

static void add_swap(struct swap_fold *sum, const struct swap_fold *layer, double count)
{
    sum->forward_s += count * layer->forward_s;
    sum->backward_s += count * layer->backward_s;
    sum->always_bytes += count * layer->always_bytes;
    sum->again_s += count * layer->again_s;
    sum->again_flop += count * layer->again_flop;
    sum->again_kernel_flop += count * layer->again_kernel_flop;
    for (int i = 0; i < LINKS; i++) {
        sum->link_s[i] += count * layer->link_s[i];
        sum->link_bytes[i] += count * layer->link_bytes[i];
    }
}

static void add_swaps(struct stage_sum *sum, const struct layer_fold *layer, double count)
{
    add_swap(&sum->swap, &layer->swap, count);
}

typedef void adder(struct stage_sum *sum, const struct layer_fold *layer, double count);

static inline void add_blocks(struct stage_sum *sum, adder *add, const struct layer_fold *layer,
                              double count)
{
    if (count <= 0) return;
    const double size = layer->parameters + layer->expert_parameters;
    add(sum, layer, count);
    if (add == add_again || add == add_holds || add == add_swaps) return;
    if (size > sum->largest_parameters) sum->largest_parameters = size;
    if (layer->weight_shapes > sum->block_shapes) sum->block_shapes = layer->weight_shapes;
}

static inline void note_end(struct stage_sum *sum, adder *add, const struct layer_fold *layer,
                            double count, int end)
{
    if (add != add_details)
        sum->ends_total_bytes[end] += count * layer->saved_total_bytes;
    else
        for (int i = 0; i < RK_HOLDING_COUNT; i++)
            sum->ends_saved_bytes[end][i] += count * layer->saved_bytes[i];
}

static inline void add_end(struct stage_sum *sum, adder *add, const struct layer_fold *layer,
                           int end)
{
    if (add == add_swaps) return;              /* the ends stay */
    if (end == LAST_END && add != add_details) /* the loss's is gone when blocks run backward */
        sum->working_bytes = larger(0, sum->working_bytes - layer->loss_bytes);
    if (end == LAST_END && add == add_outline) sum->loss_bytes = layer->loss_bytes;
    const double blocks = sum->working_bytes;
    add(sum, layer, 1);
    if (end == LAST_END && add != add_details) sum->loss_beside_bytes = sum->working_bytes - blocks;
    note_end(sum, add, layer, 1, end);
    if (add != add_outline) return;
    sum->ends_parameters += layer->parameters;
    if (end == FIRST_END) sum->embedding_parameters += layer->parameters;
    if (layer->parameters > sum->largest_end) sum->largest_end = layer->parameters;
    sum->copied_parameters += layer->copied_parameters;
    sum->end_shapes += layer->weight_shapes;
    sum->end_groups += layer->weight_groups;
    if (end == FIRST_END) return;
    sum->put_off_s = layer->pass_s[FOLD_WGRAD];
    sum->put_off_bytes = layer->put_off_bytes;
}

/* Frozen units of torch's first FSDP on two ranks and more: the inputs of all units stay until
 * backward ends, since hooks on them reshard the units (_register_post_backward_reshard_only_hook
 * of torch/distributed/fsdp/_runtime_utils.py), and another tensor of each one's size. So
 * checkpoints are there twice while the last block runs backward, not while the loss does
 * (docs/memory.md). */
static inline void add_inputs(struct stage_sum *sum, adder *add, const struct layer_folds *fold,
                              const struct rk_plan *plan, const struct stage_blocks *blocks)
{
    const bool hooked = plan->flat_units && plan->ranks > 1 && rk_plan_freezes(plan);
    if (!hooked || plan->recompute != RK_WHOLE || add == add_details || add == add_swaps) return;
    for (int k = 0; k < fold->blocks; k++)
        sum->working_bytes += blocks->counts[RECOMPUTED][fold->block[k]] *
                              fold->layer[fold->block[k]][RECOMPUTED].saved_total_bytes;
}

static inline __attribute__((always_inline)) void add_stage(struct stage_sum *sum, adder *add,
                                                            const struct layer_folds *fold,
                                                            const struct rk_model *model,
                                                            const struct rk_plan *plan,
                                                            const struct stage_blocks *blocks)
{
    const enum treatment treatment = plan->recompute == RK_KEEP ? AS_IT_IS : RECOMPUTED;
    for (int k = 0; k < fold->blocks; k++)
        for (int i = 0; i < TREATMENTS; i++)
            add_blocks(sum, add, &fold->layer[fold->block[k]][i],
                       blocks->counts[i][fold->block[k]]);
    add_inputs(sum, add, fold, plan, blocks);
    if (blocks->first) add_end(sum, add, &fold->layer[LAYER_EMBEDDING][AS_IT_IS], FIRST_END);
    if (!blocks->last) return;
    add_end(sum, add, &fold->layer[LAYER_HEAD][AS_IT_IS], LAST_END);
    if (!model->predict_layers) return;
    const struct layer_fold *predict = &fold->layer[LAYER_PREDICT][treatment];
    const double layers = (double)model->predict_layers;
    add_blocks(sum, add, predict, layers);
    if (add == add_swaps)
        add_swap(&sum->swap, &predict->swap, -layers); /* it stays */
    else
        note_end(sum, add, predict, layers, LAST_END);
}

/* Always filled in; and where the details begin, with what fills in swap between them. */
enum {
    OUTLINE_BYTES = offsetof(struct stage_sum, swap),
    DETAILS_AT = offsetof(struct stage_sum, spent_s)
};

static void sum_swaps(struct stage_sum *sum, const struct layer_folds *fold,
                      const struct rk_model *model, const struct rk_plan *plan,
                      const struct stage_blocks *blocks)
{
    sum->swap = (struct swap_fold){.forward_s = 0};
    add_stage(sum, add_swaps, fold, model, plan, blocks);
}

void stage_outline(struct stage_sum *sum, const struct layer_folds *fold,
                   const struct rk_model *model, const struct rk_plan *plan,
                   const struct stage_blocks *blocks)
{
    memset(sum, 0, OUTLINE_BYTES);
    sum->blocks = blocks->all;
    sum->last = blocks->last;
    add_stage(sum, add_outline, fold, model, plan, blocks);
    if (plan->recompute_rest) sum_swaps(sum, fold, model, plan, blocks);
}

void stage_again(struct stage_sum *sum, const struct layer_folds *fold,
                 const struct rk_model *model, const struct rk_plan *plan,
                 const struct stage_blocks *blocks)
{
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        sum->pass_s[pass] = sum->data_s[pass] = 0;
    sum->for_experts_s = sum->beside_experts_s = 0;
    sum->data_link_s = sum->saved_total_bytes = sum->working_bytes = 0;
    for (int end = 0; end < ENDS; end++)
        sum->ends_total_bytes[end] = 0;
    add_stage(sum, add_again, fold, model, plan, blocks);
}

void stage_holds_again(struct stage_sum *sum, const struct layer_folds *fold,
                       const struct rk_model *model, const struct rk_plan *plan,
                       const struct stage_blocks *blocks)
{
    sum->saved_total_bytes = sum->working_bytes = 0;
    for (int end = 0; end < ENDS; end++)
        sum->ends_total_bytes[end] = 0;
    add_stage(sum, add_holds, fold, model, plan, blocks);
}

void stage_copy_outline(struct stage_sum *to, const struct stage_sum *sum)
{
    memcpy(to, sum, OUTLINE_BYTES);
}

void stage_bare_outline(struct stage_sum *bare, const struct stage_sum *sum)
{
    memcpy(bare, sum, OUTLINE_BYTES);
    bare->saved_total_bytes = bare->working_bytes = bare->loss_beside_bytes = 0;
    for (int end = 0; end < ENDS; end++)
        bare->ends_total_bytes[end] = 0;
}

void stage_details(struct stage_sum *sum, const struct layer_folds *fold,
                   const struct rk_model *model, const struct rk_plan *plan,
                   const struct stage_blocks *blocks)
{
    memset((char *)sum + DETAILS_AT, 0, sizeof *sum - DETAILS_AT);
    add_stage(sum, add_details, fold, model, plan, blocks);
}

void stage_sum(struct stage_sum *sum, const struct layer_folds *fold, const struct rk_model *model,
               const struct rk_plan *plan, const struct stage_blocks *blocks)
{
    stage_outline(sum, fold, model, plan, blocks);
    if (!plan->recompute_rest) sum_swaps(sum, fold, model, plan, blocks);
    stage_details(sum, fold, model, plan, blocks);
}

/* ---- two stages on one rank ---- */

static double mean_of(double own, double other, double share)
{
    return own * share + other * (1 - share);
}

/* The tensors of blocks as a mean, and those of the ends, which are counted apart, whole. */
static double pair_saved(double own, double other, const double ends[ENDS],
                         const double other_ends[ENDS], double share)
{
    double saved = mean_of(own, other, share);
    for (int end = 0; end < ENDS; end++)
        saved += ends[end] + other_ends[end] - mean_of(ends[end], other_ends[end], share);
    return saved;
}

static double share_of_pair(const struct rk_plan *plan, uint64_t index)
{
    const double p = (double)plan->pipeline;
    return (p - (double)index) / (p + 1);
}

/* The rank of both ends has each table once [deepseek2024v3, section 3.2.1]. */
static void share_tables(struct stage_sum *pair, double copied)
{
    pair->parameters -= copied;
    pair->ends_parameters -= copied;
    pair->copied_parameters = 0;
}

void stage_pair_outline(struct stage_sum *pair, const struct stage_sum *own,
                        const struct stage_sum *other, const struct rk_plan *plan, uint64_t index)
{
    memcpy(pair, own, plan->recompute_rest ? DETAILS_AT : OUTLINE_BYTES);
    pair->blocks += other->blocks;
    pair->last |= other->last;
    if (plan->recompute_rest) add_swap(&pair->swap, &other->swap, 1);
    pair->parameters += other->parameters;
    pair->expert_parameters += other->expert_parameters;
    pair->narrow_parameters += other->narrow_parameters;
    for (int i = 0; i < 2; i++) {
        pair->adapter_parameters[i] += other->adapter_parameters[i];
        pair->whole_parameters[i] += other->whole_parameters[i];
    }
    pair->loss_bytes = larger(own->loss_bytes, other->loss_bytes);
    pair->long_sides += other->long_sides;
    pair->short_sides += other->short_sides;
    pair->ends_parameters += other->ends_parameters;
    pair->embedding_parameters += other->embedding_parameters;
    share_tables(pair, own->copied_parameters + other->copied_parameters);
    if (other->largest_parameters > own->largest_parameters)
        pair->largest_parameters = other->largest_parameters;
    if (other->largest_end > own->largest_end) pair->largest_end = other->largest_end;
    if (other->working_bytes > own->working_bytes) pair->working_bytes = other->working_bytes;
    if (other->buffer_bytes > own->buffer_bytes) pair->buffer_bytes = other->buffer_bytes;
    if (other->block_shapes > own->block_shapes) pair->block_shapes = other->block_shapes;
    pair->end_shapes += other->end_shapes;
    pair->end_groups += other->end_groups;
    for (int i = 0; i < 2; i++) {
        pair->step[i].work_s += other->step[i].work_s;
        pair->step[i].starts += other->step[i].starts;
    }
    pair->saved_total_bytes =
        pair_saved(own->saved_total_bytes, other->saved_total_bytes, own->ends_total_bytes,
                   other->ends_total_bytes, share_of_pair(plan, index));
    for (int end = 0; end < ENDS; end++)
        pair->ends_total_bytes[end] += other->ends_total_bytes[end];
}

void stage_pair(struct stage_sum *pair, const struct stage_sum *own, const struct stage_sum *other,
                const struct rk_plan *plan, uint64_t index)
{
    *pair = *own;
    stage_pair_outline(pair, own, other, plan, index);
    if (!plan->recompute_rest) add_swap(&pair->swap, &other->swap, 1);
    for (int i = 0; i < RK_HOLDING_COUNT; i++) {
        const double ends[ENDS] = {own->ends_saved_bytes[FIRST_END][i],
                                   own->ends_saved_bytes[LAST_END][i]};
        const double others[ENDS] = {other->ends_saved_bytes[FIRST_END][i],
                                     other->ends_saved_bytes[LAST_END][i]};
        pair->saved_bytes[i] = pair_saved(own->saved_bytes[i], other->saved_bytes[i], ends, others,
                                          share_of_pair(plan, index));
        for (int end = 0; end < ENDS; end++)
            pair->ends_saved_bytes[end][i] += others[end];
    }
}

/* ---- bytes of one parameter ---- */

/* [rajbhandari2020], [narayanan2021] and the frameworks' documentation. Narrow precisions keep what
 * bf16 keeps. FSDP keeps fp32 and casts while gathering. */
/* clang-format off */
static const struct element_bytes kept[RK_FRAMEWORKS][3] = {
    /*                weight gradient optimizer step_gradient gathered sent_weight sent_gradient */
    [RK_MEGATRON]  = {{ 4,     4,       8,        0,            4,       4,          4 },   /* fp32 */
                      { 2,     2,       16,       4,            2,       2,          2 },   /* fp16 */
                      { 2,     4,       12,       0,            2,       2,          4 }},  /* bf16 */
    [RK_FSDP]      = {{ 4,     4,       8,        0,            4,       4,          4 },
                      { 4,     4,       8,        0,            2,       2,          2 },
                      { 4,     4,       8,        0,            2,       2,          4 }},
    [RK_DEEPSPEED] = {{ 4,     4,       8,        0,            4,       4,          4 },
                      { 2,     2,       12,       0,            2,       2,          2 },
                      { 2,     2,       12,       0,            2,       2,          2 }},
};
/* clang-format on */

static int width_of(enum rk_precision precision)
{
    if (precision == RK_FP32 || precision == RK_TF32) return 0;
    return precision == RK_FP16 ? 1 : 2;
}

bool sums_in_fp32(const struct rk_plan *plan)
{
    return habits_of(plan)->flat_steps && width_of(plan->precision) == 2 && plan->zero < 2 &&
           plan->gradient_element_bytes >= 4;
}

/* torch's gradients and moments are of their parameter's type (torch/optim/adamw.py: zeros_like),
 * and so are optax's: weights of 16 bits have them in 16 bits. 0: as usual. */
static double like_weights(const struct rk_plan *plan)
{
    const bool torchs =
        plan->framework == RK_FSDP && !plan->autocast && !(plan->master_element_bytes > 0);
    return torchs && plan->weight_element_bytes >= 2 ? plan->weight_element_bytes : 0;
}

double moment_bytes(const struct rk_plan *plan, double said)
{
    const double like = like_weights(plan);
    if (said > 0) return said;
    return like > 0 ? like : 4;
}

/* Master copy and moments, each of them as the plan says or as usual. */
static double optimizer_bytes(const struct rk_plan *plan, double usual, double usual_master)
{
    const double master = plan->master_element_bytes;
    return usual + (master >= 0 ? master - usual_master : 0) +
           moment_bytes(plan, plan->moment1_element_bytes) +
           moment_bytes(plan, plan->moment2_element_bytes) - 8;
}

/* Megatron-LM's fused kernels add within the product of the weight gradient [korthikanti2022]. FSDP
 * casts each gradient to what it reduces in, DeepSpeed and unfused Megatron-LM read it and read and
 * write the sum, as wide as it is sent, which the first microbatch does without. */
static double added_bytes(const struct rk_plan *plan, const struct element_bytes *e)
{
    const double m = microbatches_of(plan), fresh = e->gathered;
    if (plan->framework == RK_FSDP) return fresh + e->sent_gradient;
    if (plan->framework == RK_MEGATRON && plan->fused) return 0;
    return (fresh + 2 * e->sent_gradient) * (m > 1 ? (m - 1) / m : 0);
}

/* What optimizers keep of a parameter in place of Adam's two moments: docs/memory.md has the
 * sources. `rank`: of both sides of a matrix, times optimizer-rank. */
/* clang-format off */
static const struct kept_state {
    double moments;                 /* as wide as the first moment */
    double bytes, sides;            /* of a parameter; of an element of each side */
    double long_ranks, short_ranks; /* likewise, as wide as a moment, times the rank */
} kept_states[RK_OPTIMIZERS] = {
    /*                moments bytes            sides long short */
    [RK_ADAM]      = { 2,     0,               0,    0,   0 },
    [RK_MUON]      = { 1,     0,               0,    0,   0 },
    [RK_ADAM_8BIT] = { 0,     2 + 2 * 4.0/256, 0,    0,   0 },
    [RK_ADAM_4BIT] = { 0,     1 + 2 * 4.0/128, 0,    0,   0 },
    [RK_ADAFACTOR] = { 0,     0,               4,    0,   0 },
    [RK_LION]      = { 1,     0,               0,    0,   0 },
    [RK_SGD]       = { 0,     0,               0,    0,   0 },
    [RK_MOMENTUM]  = { 1,     0,               0,    0,   0 },
    [RK_GALORE]    = { 0,     0,               0,    2,   1 },
    [RK_APOLLO]    = { 0,     0,               0,    2,   0 },
};
/* clang-format on */

/* Projected optimizers, and Muon, leave tables to Adam. */
static bool adam_has_tables(enum rk_optimizer optimizer)
{
    return optimizer == RK_GALORE || optimizer == RK_APOLLO;
}

static void keep_state(struct element_bytes *e, const struct rk_plan *plan)
{
    const struct kept_state *kept_state = &kept_states[plan->optimizer];
    const double first = moment_bytes(plan, plan->moment1_element_bytes);
    const double second = moment_bytes(plan, plan->moment2_element_bytes);
    const double rank = (double)plan->optimizer_rank;
    if (plan->optimizer == RK_ADAM) return;
    e->optimizer += kept_state->moments * first + kept_state->bytes - first - second;
    e->of_long_sides = kept_state->sides + kept_state->long_ranks * rank * first;
    e->of_short_sides = kept_state->sides + kept_state->short_ranks * rank * first;
    if (plan->optimizer == RK_MUON)
        e->of_tables = second; /* the second moment is of tables alone */
    if (adam_has_tables(plan->optimizer)) e->of_tables = first + second;
    if (plan->embedding_fp32) e->of_embedding = 8 - kept_state->bytes;
}

/* Of adapters: the framework's trained weights, or all in one width, without a master copy. */
static void keep_adapters(struct element_bytes *e, const struct rk_plan *plan)
{
    const struct element_bytes *usual = &kept[plan->framework][width_of(plan->precision)];
    const struct kept_state *kept_state = &kept_states[plan->optimizer];
    const double width = plan->lora_element_bytes, moment = width > 0 ? width : 4;
    const double whole = plan->lora_whole_bytes;
    const double state = kept_state->moments * moment + kept_state->bytes;
    e->adapter_weight = width > 0 ? width : usual->weight;
    e->adapter_gradient = width > 0 ? width : usual->gradient;
    e->adapter_optimizer = state + (width > 0 ? 0 : larger(0, usual->optimizer - 8));
    e->whole_weight = whole > 0 ? whole : e->adapter_weight;
    e->whole_gradient = whole > 0 ? whole : e->adapter_gradient;
    for (int i = 0; i < RK_ENDS; i++)
        e->whole_optimizer[i] =
            whole > 0 ? kept_state->moments * whole + kept_state->bytes : e->adapter_optimizer;
    if (plan->embedding_fp32) e->whole_optimizer[RK_END_EMBEDDING] = 8;
}

/* Frozen weights are kept as they are multiplied, of 8 bits in one orientation: 65.0 GiB of Llama 2
 * 70B, as MLPerf's v5.0 LoRA logs have it; or as the plan says; and nothing else of them. */
static void freeze(struct element_bytes *e, const struct rk_plan *plan)
{
    const double base = base_element_bytes(plan);
    if (!(plan->weight_element_bytes > 0)) e->weight = e->gathered;
    e->base = base > 0 ? base : e->weight;
    e->of_tables = e->of_embedding = 0;
    e->gradient = e->optimizer = e->step_gradient = e->sent_gradient = e->added = 0;
    e->of_long_sides = e->of_short_sides = e->master = 0;
    if (plan->zero < 3) e->sent_weight = 0;
    if (plan->lora) keep_adapters(e, plan);
}

struct element_bytes element_bytes_of(const struct rk_plan *plan)
{
    struct element_bytes e = kept[plan->framework][width_of(plan->precision)];
    const double usual_master =
        e.weight < 4 ? 4 : 0; /* where weights are narrow unless it is said */
    const bool narrow = plan->precision >= RK_FP8_DELAYED;
    if (plan->weight_element_bytes > 0) e.weight = plan->weight_element_bytes;
    if (like_weights(plan) > 0) e.gradient = e.weight; /* which fp32 may be reduced to */
    if (plan->gradient_element_bytes > 0) {
        if (plan->gradient_element_bytes >= 4) { /* no separate fp32 copy of the gradients */
            e.optimizer -= e.step_gradient;
            e.step_gradient = 0;
        }
        e.gradient = e.sent_gradient = plan->gradient_element_bytes;
    }
    if (sums_in_fp32(plan)) e.gradient += e.gathered;
    e.optimizer = optimizer_bytes(plan, e.optimizer, usual_master);
    e.master = plan->master_element_bytes >= 0 ? plan->master_element_bytes : usual_master;
    keep_state(&e, plan);
    if (narrow) e.narrow_copies = plan->weights_fp8 ? 0 : 2; /* itself and transposed */
    if (plan->weights_fp8) {
        e.sent_weight = e.gathered = 1;
        if (plan->framework == RK_MEGATRON) e.weight = 2; /* both orientations */
    }
    e.added = added_bytes(plan, &e);
    e.reference = plan->reference == RK_REFERENCE_COPY ? e.gathered : 0;
    e.base = e.gathered;
    e.autocast = plan->autocast && plan->recompute != RK_WHOLE ? e.gathered : 0;
    if (rk_plan_freezes(plan)) freeze(&e, plan);
    return e;
}

/* ---- ranks that share the state ---- */

/* torch's gradients are freed between steps and made one by one: of the only microbatch of a step
 * none is there when backward begins. FSDP reduces them to shards; the buckets of DDP are there
 * from the first step on (gradient_as_bucket_view of its Reducer,
 * torch/nn/parallel/distributed.py). */
static bool gradients_come_late(const struct rk_plan *plan, const struct sharing *sharing)
{
    const bool alone = plan->zero >= 2 || sharing->copies[false].ranks <= 1;
    return habits_of(plan)->frees_gradients && plan->pipeline == 1 && sharing->microbatches <= 1 &&
           alone && !plan->step_in_backward && !plan->mixed_units && !plan->recompute_rest &&
           !rk_plan_freezes(plan);
}

struct sharing sharing_of(const struct rk_plan *plan)
{
    const struct rank_map map = rank_map_of(plan);
    struct sharing sharing = {
        .bytes = element_bytes_of(plan),
        .shards = {group_of(&map, RANKS_OF_SHARDS), group_of(&map, RANKS_OF_EXPERT_SHARDS)},
        .copies = {group_of(&map, RANKS_OF_COPIES), group_of(&map, RANKS_OF_EXPERT_COPIES)},
        .microbatches = microbatches_of(plan),
    };
    sharing.alone = experts_share((double)plan->pipeline, sharing.microbatches);
    sharing.gradients_late = gradients_come_late(plan, &sharing);
    return sharing;
}
