#include "workload/layers.h"
#include "workload/layers_build.h"

#include <math.h>

/* ---- kinds ---- */

static bool is_mixture(const struct rk_model *model, uint64_t i)
{
    const uint64_t every = model->expert_every ? model->expert_every : 1;
    return model->experts && i >= model->dense_layers && (i - model->dense_layers + 1) % every == 0;
}

static bool is_local(const struct rk_model *model, uint64_t i)
{
    return model->window && !(model->window_every && (i + 1) % model->window_every == 0);
}

enum layer_kind layer_kind_of(const struct rk_model *model, uint64_t i)
{
    const bool local = is_local(model, i);
    if (is_mixture(model, i)) return local ? LAYER_EXPERTS_LOCAL : LAYER_EXPERTS;
    return local ? LAYER_DENSE_LOCAL : LAYER_DENSE;
}

void layer_count(const struct rk_model *model, uint64_t first, uint64_t count,
                 double counts[LAYER_KINDS])
{
    for (uint64_t i = first; i < first + count; i++)
        counts[layer_kind_of(model, i)]++;
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
    .gather = "mlp gather",
    .in_name = "mlp in",
    .activation = "activation",
    .out_name = "mlp out",
    .reduce = "mlp reduce",
    .gathers = true,
    .reduces = true,
};

/* The norm's output is gathered whole, or (latent attention) goes down to latent vectors first;
 * queries that are not compressed need it whole. */
static void gather_attention(struct build *build)
{
    const struct rk_model *model = build->model;
    if (!model->kv_rank || !model->q_rank)
        add_gather(build, "attention gather", (struct place_in){RK_HOLD_attention, NOT_A_PART},
                   build->hidden, build->gathered);
}

static void add_block_norm(struct build *build, const char *name, bool for_experts)
{
    const double kept = for_experts ? build->element : build->kept;
    add_norm(build, name, norm_place, build->shard, build->hidden, kept);
}

static void serial_block(struct build *build, bool local, bool mixture)
{
    add_block_norm(build, "attention norm", false);
    gather_attention(build);
    build_attention(build, local, true);
    add_residual(build, "attention residual", 1);
    add_block_norm(build, "mlp norm", mixture);
    struct mlp mlp = dense_mlp;
    mlp.width = (double)build->model->feedforward;
    if (mixture)
        build_experts(build);
    else
        build_mlp(build, &mlp);
    add_residual(build, "mlp residual", 1);
}

/* Attention and MLP read the same input, and their sum is reduced once [chowdhery2022]; with a norm
 * each there are two inputs to gather (Falcon, GPT-NeoX) and still one sum. */
static void parallel_block(struct build *build, bool local, bool mixture)
{
    const bool shared = build->model->block_norms == 1;
    struct mlp mlp = dense_mlp;
    add_block_norm(build, "attention norm", mixture && shared);
    gather_attention(build);
    build_attention(build, local, mixture);
    if (!shared) add_block_norm(build, "mlp norm", mixture);
    mlp.width = (double)build->model->feedforward;
    mlp.gathers = !shared;
    if (mixture)
        build_experts(build);
    else
        build_mlp(build, &mlp);
    add_residual(build, "residual", 2);
}

void build_block(struct build *build, enum layer_kind kind)
{
    const bool local = kind == LAYER_DENSE_LOCAL || kind == LAYER_EXPERTS_LOCAL;
    const bool mixture = kind == LAYER_EXPERTS || kind == LAYER_EXPERTS_LOCAL;
    if (build->model->parallel_block)
        parallel_block(build, local, mixture);
    else
        serial_block(build, local, mixture);
}

void layer_build(struct layer *layer, enum layer_kind kind, const struct rk_model *model,
                 const struct rk_plan *plan)
{
    struct build build = build_begin(layer, model, plan);
    const double stream = build.tokens * build.hidden * build.element;
    const bool sharded = plan->sequence_parallel || plan->checkpoint_sharded;
    layer->kind = kind;
    layer->operations = 0;
    layer->input_bytes = sharded ? stream / build.tensor : stream;
    const bool shares = plan->sequence_parallel || plan->messages_sharded;
    layer->message_bytes = shares ? stream / build.tensor : stream;
    switch (kind) {
    case LAYER_EMBEDDING:
        build_embedding(&build);
        break;
    case LAYER_HEAD:
        build_head(&build);
        break;
    case LAYER_PREDICT:
        build_predict(&build);
        break;
    default:
        build_block(&build, kind);
    }
}
