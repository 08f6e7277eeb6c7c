#include "workload/layers.h"
#include "workload/layers_build.h"

#include <assert.h>
#include <math.h>

/* ---- kinds ---- */

enum mixer mixer_of_kind(enum layer_kind kind)
{
    return (enum mixer)((kind - LAYER_BLOCKS) % MIXERS);
}

enum mlp_kind mlp_of_kind(enum layer_kind kind)
{
    return (enum mlp_kind)((kind - LAYER_BLOCKS) / MIXERS);
}

enum layer_kind layer_kind_of(const struct rk_model *model, uint64_t i)
{
    return (enum layer_kind)(LAYER_BLOCKS + mlp_of(model, i) * MIXERS + mixer_of(model, i));
}

static bool takes_turns(const struct rk_model *model)
{
    return *model->mixers || *model->mlps || model->window ||
           (model->experts && model->expert_every > 1);
}

uint64_t layer_run(const struct rk_model *model, uint64_t i)
{
    const enum layer_kind kind = layer_kind_of(model, i);
    uint64_t count = 1;
    if (!takes_turns(model))
        return model->experts && i < model->dense_layers && model->dense_layers < model->layers
                   ? model->dense_layers - i
                   : model->layers - i;
    while (i + count < model->layers && layer_kind_of(model, i + count) == kind)
        count++;
    return count;
}

/* Dense layers first, then mixtures, unless they take turns. */
void layer_count(const struct rk_model *model, uint64_t first, uint64_t count,
                 double counts[LAYER_KINDS])
{
    if (count == 0) return;
    const uint64_t dense = model->experts ? model->dense_layers : model->layers;
    const uint64_t end = first + count, turn = first > dense ? first : end < dense ? end : dense;
    if (takes_turns(model)) {
        for (uint64_t i = first; i < end; i++)
            counts[layer_kind_of(model, i)]++;
        return;
    }
    counts[LAYER_DENSE] += (double)(turn - first);
    counts[LAYER_EXPERTS] += (double)(end - turn);
}

double padded_vocabulary(const struct rk_model *model, const struct rk_plan *plan)
{
    const double multiple = (double)plan->vocabulary_multiple * (double)plan->tensor;
    const double vocabulary = (double)model->vocabulary;
    if (multiple > 0) return ceil(vocabulary / multiple) * multiple;
    return ceil(vocabulary / (double)plan->tensor) * (double)plan->tensor;
}

/* ---- blocks ---- */

static const struct place_in norm_place = {RK_HOLD_norms, RK_PART_NORM};

static const struct mlp dense_mlp = {
    .in = {RK_HOLD_mlp, RK_PART_MLP},
    .gather = OP_MLP_GATHER,
    .in_id = OP_MLP_IN,
    .activation = OP_ACTIVATION,
    .out_id = OP_MLP_OUT,
    .reduce = OP_MLP_REDUCE,
    .gathers = true,
    .reduces = true,
};

/* The norm's output is gathered whole, or (latent attention) goes down to latent vectors first;
 * queries that are not compressed need it whole. */
static void gather_attention(struct build *build)
{
    const struct rk_model *model = build->model;
    if (!model->kv_rank || !model->q_rank)
        add_gather(build, OP_ATTENTION_GATHER, (struct place_in){RK_HOLD_attention, NOT_A_PART},
                   build->hidden, build->gathered);
}

static void add_block_norm(struct build *build, enum op id, bool for_experts)
{
    const bool attends = id == OP_ATTENTION_NORM || id == OP_RECURRENCE_NORM || id == OP_CROSS_NORM;
    const double kept = for_experts ? build->element : build->kept;
    const bool both = build->model->parallel_block && build->model->block_norms == 1;
    const unsigned read = both ? TARGETS_QKV | TARGETS_IN : attends ? TARGETS_QKV : TARGETS_IN;
    add_norm(build, id, norm_place, build->shard, build->hidden,
             keeps_input(build, read) ? kept : 0);
}

/* After a half, too, in models with four norms a block (Gemma 2). */
static void add_post_norm(struct build *build, enum op id)
{
    if (build->model->block_norms != 4) return;
    struct operation *op = add_norm(build, id, norm_place, build->shard, build->hidden, 0);
    op->saved_recomputed_bytes = op->saved_bytes;
}

static void mixer_half(struct build *build, enum mixer mixer)
{
    const bool attends = mixer_attends(mixer), recurs = mixer_recurs(mixer);
    if (!attends && !recurs) return;
    build->graph = attends ? RK_GRAPH_ATTENTION : RK_GRAPH_RECURRENCE;
    add_block_norm(build, attends ? OP_ATTENTION_NORM : OP_RECURRENCE_NORM, false);
    if (attends) gather_attention(build);
    if (recurs) build_recurrence(build, attends);
    if (attends) build_attention(build, mixer == MIXER_LOCAL, true);
    add_post_norm(build, attends ? OP_ATTENTION_POST_NORM : OP_RECURRENCE_POST_NORM);
    add_residual(build, attends ? OP_ATTENTION_RESIDUAL : OP_RECURRENCE_RESIDUAL, 1);
    if (mixer != MIXER_CROSS) return;
    add_block_norm(build, OP_CROSS_NORM, false);
    build_cross_attention(build);
    add_post_norm(build, OP_CROSS_POST_NORM);
    add_residual(build, OP_CROSS_RESIDUAL, 1);
}

/* Experts and a dense MLP in parallel to them (Arctic) have a norm each. */
static void mlp_half(struct build *build, enum mlp_kind kind)
{
    const bool mixture = kind == MLP_EXPERTS;
    if (kind == MLP_NONE) return;
    build->graph = mixture ? RK_GRAPH_ROUTER : RK_GRAPH_MLP;
    add_block_norm(build, OP_MLP_NORM, mixture);
    if (mixture && build->model->block_norms == 3) add_block_norm(build, OP_SHARED_NORM, true);
    struct mlp mlp = dense_mlp;
    mlp.width = (double)build->model->feedforward;
    if (mixture)
        build_experts(build);
    else
        build_mlp(build, &mlp);
    add_post_norm(build, OP_MLP_POST_NORM);
    add_residual(build, OP_MLP_RESIDUAL, 1);
}

static void serial_block(struct build *build, enum mixer mixer, enum mlp_kind mlp)
{
    mixer_half(build, mixer);
    mlp_half(build, mlp);
}

/* Attention and MLP read the same input, and their sum is reduced once [chowdhery2022]; with a norm
 * each there are two inputs to gather (Falcon, GPT-NeoX) and still one sum. */
static void parallel_block(struct build *build, bool local, bool mixture)
{
    const bool shared = build->model->block_norms == 1;
    struct mlp mlp = dense_mlp;
    build->graph = RK_GRAPH_ATTENTION;
    add_block_norm(build, OP_ATTENTION_NORM, mixture && shared);
    gather_attention(build);
    build_attention(build, local, mixture);
    build->graph = mixture ? RK_GRAPH_ROUTER : RK_GRAPH_MLP;
    if (!shared) add_block_norm(build, OP_MLP_NORM, mixture);
    mlp.width = (double)build->model->feedforward;
    mlp.gathers = !shared;
    if (mixture)
        build_experts(build);
    else
        build_mlp(build, &mlp);
    add_residual(build, OP_RESIDUAL, 2);
}

void build_block(struct build *build, enum layer_kind kind)
{
    const enum mixer mixer = mixer_of_kind(kind);
    const enum mlp_kind mlp = mlp_of_kind(kind);
    if (build->model->parallel_block)
        parallel_block(build, mixer == MIXER_LOCAL, mlp == MLP_EXPERTS);
    else
        serial_block(build, mixer, mlp);
    if (build->plan->sequence_chunks > 1) take_in_chunks(build);
}

static void build_layer(struct build *build, enum layer_kind kind)
{
    struct layer *layer = build->layer;
    const struct rk_plan *plan = build->plan;
    const bool block = kind >= LAYER_BLOCKS && kind < LAYER_PREDICT;
    if (block && mixer_of_kind(kind) == MIXER_ENCODER) in_encoder(build);
    const double width = plan->residual_fp32 ? 4 : build->element;
    const double stream = build->tokens * build->hidden * width;
    const bool sharded = plan->sequence_parallel || plan->checkpoint_sharded;
    layer->kind = kind;
    layer->operations = 0;
    layer->input_bytes = sharded ? stream / build->tensor : stream;
    const bool shares = plan->sequence_parallel || plan->messages_sharded;
    layer->message_bytes = shares ? stream / build->tensor : stream;
    switch (kind) {
    case LAYER_EMBEDDING:
        build_embedding(build);
        break;
    case LAYER_HEAD:
        build_head(build);
        break;
    case LAYER_PREDICT:
        build_predict(build);
        break;
    default:
        build_block(build, kind);
    }
}

static void mark_end(struct layer *layer)
{
    for (int i = layer->operations; i-- > 0 && !(layer->operation[i].saved_bytes > 0);)
        layer->operation[i].ends = true;
}

static void lay(struct layer *layer, enum layer_kind kind, const struct rk_model *model,
                const struct rk_plan *plan)
{
    struct build build = build_begin(layer, model, plan);
    build_layer(&build, kind);
    mark_end(layer);
}

/* Samples of several lengths: operations as long as they are in the mean, tensors of the longest,
 * which a run meets sooner or later. */
static void hold_longest(struct layer *layer, const struct layer *longest)
{
    assert(layer->operations == longest->operations);
    layer->input_bytes = longest->input_bytes;
    for (int i = 0; i < layer->operations; i++) {
        struct operation *op = &layer->operation[i];
        const struct operation *most = &longest->operation[i];
        op->parameters = most->parameters;
#define HOLD(name) op->name = most->name;
        OPERATION_HOLDS(HOLD)
#undef HOLD
    }
}

static void lay_padded(struct layer *layer, enum layer_kind kind, const struct rk_model *model,
                       const struct rk_plan *plan)
{
    struct rk_plan mean = *plan;
    struct layer longest;
    mean.sequence = plan->padded;
    lay(&longest, kind, model, plan);
    lay(layer, kind, model, &mean);
    hold_longest(layer, &longest);
}

void layer_build(struct layer *layer, enum layer_kind kind, const struct rk_model *model,
                 const struct rk_plan *plan)
{
    if (plan->padded)
        lay_padded(layer, kind, model, plan);
    else
        lay(layer, kind, model, plan);
}

void layer_build_served(struct layer *layer, enum layer_kind kind, const struct rk_model *model,
                        const struct rk_plan *plan, const struct served *served)
{
    struct rk_model dry = *model;
    struct rk_plan forward = *plan;
    dry.no_dropout = true;
    forward.sequence_parallel = false;
    struct build build = build_begin(layer, &dry, &forward);
    build.served = served;
    build_layer(&build, kind);
}
