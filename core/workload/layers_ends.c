/* layers_ends.c - layers before the first block and after the last one: tables of tokens and
 * positions, final norm, logits, loss; multi-token prediction [deepseek2024v3].
 */
#include "plan/habits.h"
#include "workload/layers.h"
#include "workload/layers_build.h"

#include <math.h>

static const struct place_in end = {RK_HOLD_embedding, NOT_A_PART};

enum { TOKEN_BYTES = 8, FLOAT_BYTES = 4 };

/* ---- embedding ---- */

/* torch's gradient of a table is as large as the table: zeros, to which rows are added
 * (embedding_dense_backward). No product adds it to the main gradients: Megatron-LM reads it, and
 * reads and writes those, for each microbatch (backward hook of distributed_data_parallel.py);
 * where all gradients are added like that, `added` of element_bytes has it. */
static double table_gradient_bytes(const struct build *build, double parameters)
{
    const struct rk_plan *plan = build->plan;
    const double e = build->element;
    const double main = plan->gradient_element_bytes > 0 ? plan->gradient_element_bytes : 4;
    const bool hooked = habits_of(plan)->hooks_tables && plan->fused;
    return rk_plan_freezes(plan) || build->served ? 0
                                                  : parameters * (e + (hooked ? e + 2 * main : 0));
}

/* Rows of the table are read and written; backward adds gradients to rows of an fp32 table. */
static void add_lookup(struct build *build, double parameters)
{
    const double e = build->element;
    struct operation *op =
        add_memory(build, OP_EMBEDDING, end, build->tokens * build->hidden,
                   (struct traffic){2 * e, e + 2 * FLOAT_BYTES, build->tensor > 1 ? 3 : 1, 1});
    op->parameters = parameters;
    op->table_bytes = table_gradient_bytes(build, parameters);
    op->saved_bytes = op->saved_recomputed_bytes = build->tokens * TOKEN_BYTES;
    add_reduce(build, OP_EMBEDDING_REDUCE, end, build->hidden);
    op = &build->layer->operation[build->layer->operations - 1];
    op->beside_matrix = false; /* of a lookup, not of a product */
}

void build_embedding(struct build *build)
{
    const struct rk_model *model = build->model;
    build->tokens += encoder_tokens(build);
    build->shard += encoder_shard(build);
    const double h = build->hidden, e = build->element, x = build->shard * h;
    const double columns = padded_vocabulary(model, build->plan) / build->tensor;
    add_lookup(build, columns * h);
    add_whole_end(build, end, RK_END_EMBEDDING, build->tokens, columns);
    if (model->position == RK_POSITION_LEARNED) {
        struct operation *op =
            add_memory(build, OP_POSITIONS, end, x, (struct traffic){3 * e, e, 1, 1});
        op->parameters = (double)rk_model_positions(model, build->plan->sequence) * h;
    }
    if (model->embedding_norm) {
        struct operation *op = add_norm(build, OP_EMBEDDING_NORM, end, build->shard, h, 0);
        op->saved_recomputed_bytes = op->saved_bytes;
    }
    if (model->no_dropout) return;
    struct operation *op = add_memory(build, OP_EMBEDDING_DROPOUT, end, x,
                                      (struct traffic){2 * e + 1, 2 * e + 1, 1, 1});
    op->saved_bytes = op->saved_recomputed_bytes = x;
}

/* ---- head ---- */

/* Bytes for each logit. Whole on each rank, torch has them in 16 bits, in fp32, their log-softmax,
 * and a gradient of either. Megatron-LM: an fp32 copy, in which maximum, difference, exponential
 * and quotient are computed in place, is kept for backward with the 16-bit logits or their gradient
 * [narayanan2021]; fused, fewer kernels touch it. torch: compiled, the 16-bit logits are kept and
 * turn into their gradient; else fp32 logits, their log-softmax, and a gradient of each.
 * Megatron-LM's compiled loss (fused_cross_entropy.py) hands fp32 logits from one compiled function
 * to the next, which writes exponentials of its own: nothing is in place as in eager mode.
 * Transformer Engine's (triton/cross_entropy.py, also used by Megatron-LM) reads the 16-bit logits
 * for maximum and sum, then turns them into their gradients; backward scales these.
 */
struct loss_bytes {
    double kept, beside;
    struct traffic traffic;
};

/* What a Triton kernel reads and writes of logits takes on a B200 where others reach 0.67 of the
 * memory's rate [simumax2026, ce_fusion]. */
#define SLOWER_LOSS (0.67 / 0.28)

/* Trainers that get logits from the model. transformers, modeling_llama.py: to 4.44 the model
 * returned fp32 logits, which the trainer held with its outputs, and shifted them into a copy; from
 * 4.45 it kept them in 16 bits, cast and shifted; loss_utils.py shifts labels instead.
 * Megatron-DeepSpeed has Megatron-LM's kernels, over fp32 logits that it clones first (2021) or
 * takes the maximum off in a copy (since 2023; tensor_parallel/cross_entropy.py). prime-rl's policy
 * loss (trainer/models/layers/lm_head.py, _ChunkedLogProbEntropyFn) is one kernel of torch after
 * another over fp32 chunks: cast, temperature, maximum, difference, exponential, two sums and a
 * product in forward; cast, temperature, difference, exponential, gradient, temperature and two
 * casts in backward. */
/* clang-format off */
static const struct loss_bytes of_trainers[RK_LOSSES] = {
    /*                    kept, others, traffic */
    [RK_LOSS_HELD]    = { 4,   14,     {26, 26, 5, 4} },
    [RK_LOSS_SHIFTED] = { 4,   10,     {26, 26, 5, 4} },
    [RK_LOSS_PADDED]  = { 4,   6,      {18, 18, 4, 3} },
    [RK_LOSS_COPIED]  = { 2,   6,      {16, 8,  4, 2} },
    [RK_LOSS_NARROW]  = { 4,   2,      {10, 8,  2, 2} },
    [RK_LOSS_WIDE]    = { 8,   12,     {20, 24, 4, 4} },
    [RK_LOSS_CLONED]  = { 4,   6,      {42, 18, 9, 4} },
    [RK_LOSS_POLICY]  = { 2,   6,      {54, 58, 14, 18} }, /* with the starts of products */
};
/* clang-format on */

/* Of preferences the loss is that of two answers. */
static bool is_policy(const struct build *build)
{
    const struct rk_plan *plan = build->plan;
    return plan->loss == RK_LOSS_POLICY && rk_plan_answers(plan) <= 1 && plan->objective != RK_KTO;
}

/* A chunk's logits are a product of their own in TF32, half as fast as 16 bits, made again for
 * backward; each is kept for no longer than its kernels run. */
#define POLICY_COLUMNS 2048
#define POLICY_AGAIN   (1 + 2)

static void make_in_columns(const struct build *build, struct operation *logits,
                            struct operation *loss, double columns)
{
    const double all = build->plan->whole_logits ? columns * build->tensor : columns;
    const double chunks = ceil(all / POLICY_COLUMNS);
    logits->again = build->element < FLOAT_BYTES ? POLICY_AGAIN : 1;
    for (int pass = 0; pass < RK_PASSES; pass++)
        loss->kernels[pass] *= chunks;
}

/* The log-softmax of each row of 16-bit logits is kept in addition to them; of fp32 logits
 * (accelerate's convert_outputs_to_fp32, with each of its trainers) only the logits. Backward has a
 * gradient and the shift's copy of it (trl 0.19, dpo_trainer.py, selective_log_softmax of
 * trainer/utils.py). The reference's results exist while the policy's graph does. */
static struct loss_bytes preference_bytes(const struct build *build)
{
    const double e = build->plan->loss == RK_LOSS_USUAL ? build->element : 4;
    const double kept = e < 4 ? 2 * e : e;
    const double beside = build->plan->reference ? fmax(2 * e, build->element + e) : 2 * e;
    return (struct loss_bytes){kept, beside, {e + 3 * e, 4 * e, 4, 4}};
}

static struct loss_bytes loss_bytes_of(const struct build *build)
{
    const double e = build->element;
    const bool torch = habits_of(build->plan)->joins_logits;
    if (rk_plan_answers(build->plan) > 1 || build->plan->objective == RK_KTO)
        return preference_bytes(build);
    if (build->plan->loss != RK_LOSS_USUAL) return of_trainers[build->plan->loss];
    if (build->plan->whole_logits) {
        const double gathered =
            build->tensor > 1 ? 2 * e : 0; /* the parts, and the gathered whole */
        return (struct loss_bytes){gathered + e + 8, 8 + e, {e + 16, e + 24, 4, 4}};
    }
    if (build->plan->fused && torch) return (struct loss_bytes){e, e, {2 * e, 2 * e, 2, 2}};
    if (torch) return (struct loss_bytes){4, 8 + (e < 4 ? e : 0), {e + 16, e + 24, 4, 4}};
    if (build->plan->loss_in_place)
        return (struct loss_bytes){e, 0, {2 * e * SLOWER_LOSS, 2 * e * SLOWER_LOSS, 2, 1}};
    if (build->plan->loss_compiled)
        return (struct loss_bytes){4, e + FLOAT_BYTES, {e + 24, e + 12, 4, 2}};
    if (build->plan->fused) return (struct loss_bytes){4, e, {e + 24, e + 12, 4, 2}};
    return (struct loss_bytes){4, e, {e + 40, e + 16, 9, 4}};
}

/* Maximum, sum, and the label's logit of each token go over the shards of the vocabulary. */
static struct operation *add_loss(struct build *build, double logits)
{
    const struct loss_bytes bytes = loss_bytes_of(build);
    const bool whole = build->plan->whole_logits;
    if (whole) logits *= build->tensor;
    if (build->tensor > 1 && whole)
        add_comm(build, OP_LOGITS_ALL_GATHER, end, OVER_TENSOR, COMM_ALL_GATHER,
                 COMM_REDUCE_SCATTER, logits * build->element)
            ->comm_bytes[RK_AGRAD] = 0; /* each keeps its share of the gradient */
    if (build->tensor > 1 && !whole) {
        struct operation *comm = add_comm(build, OP_LOSS_REDUCE, end, OVER_TENSOR, COMM_ALL_REDUCE,
                                          COMM_ALL_REDUCE, build->tokens * FLOAT_BYTES);
        comm->comm_element[RK_FORWARD] = FLOAT_BYTES;
        comm->comm_times[RK_FORWARD] = comm->kernels[RK_FORWARD] = 3;
        comm->comm_bytes[RK_AGRAD] = comm->kernels[RK_AGRAD] = 0;
    }
    struct operation *op = add_memory(build, OP_CROSS_ENTROPY, end, logits, bytes.traffic);
    op->memory = MEMORY_LOSS;
    op->saved_bytes = op->saved_recomputed_bytes = logits * bytes.kept;
    op->working_bytes = logits * bytes.beside;
    if (build->plan->logits_linger) op->working_bytes += logits * build->element;
    return op;
}

/* cap * tanh(logits / cap) [gemma2024two]: three kernels, of which backward needs the middle one's
 * output. */
static void add_cap(struct build *build, double logits)
{
    const double e = build->element;
    if (!build->model->logit_cap) return;
    struct operation *op = add_memory(build, OP_LOGIT_CAP, end, logits,
                                      build->plan->fused ? (struct traffic){2 * e, 3 * e, 1, 1}
                                                         : (struct traffic){6 * e, 7 * e, 3, 3});
    op->saved_bytes = op->saved_recomputed_bytes = logits * e;
}

/* Liger's: so many chunks that the logits of one are about as large as the layer's input, in a
 * power of two of tokens; the gradients of input and weights, computed in forward, wait for
 * backward [hsu2024liger, 3.2]. Its products are as many FLOP as whole ones. */
static void put_in_chunks(struct build *build, struct operation *logits, struct operation *loss,
                          double rows, double columns)
{
    const double wanted = ceil(rows / ceil(columns / build->hidden));
    const double chunk = fmin(rows, exp2(ceil(log2(wanted)))), share = chunk / rows;
    logits->working_bytes = chunk * columns * build->element;
    logits->saved_bytes = logits->saved_recomputed_bytes =
        (rows + (rk_plan_freezes(build->plan) ? 0 : columns)) * build->hidden * build->element;
    if (!keeps_input(build, TARGETS_HEAD)) /* what the norm brought, while gradients are made */
        logits->working_bytes += rows * build->hidden * build->element;
    loss->working_bytes = share * (loss->working_bytes + loss->saved_bytes);
    loss->saved_bytes = loss->saved_recomputed_bytes = 0;
}

/* A square matrix, whole on each tensor rank: BERT's transform in front of the logits, and the
 * pooler, which reads one token of a sample and is counted like it [devlin2019]. */
static void add_head_matrix(struct build *build)
{
    const double h = build->hidden;
    struct operation *op =
        add_linear(build, OP_HEAD_MATRIX, end, &(struct product){1, build->shard, h, h});
    op->parameters = h * h + (build->model->biases ? h : 0);
    op->saved_bytes = op->saved_recomputed_bytes = build->shard * h * build->element;
}

/* Final norm, logits in 16 bits over shards of the padded vocabulary, loss. `parameters`: of the
 * table; `biases`: of the head. */
static struct operation *add_head(struct build *build, double parameters, double biases)
{
    const double h = build->hidden, rows = build->tokens;
    const double columns = padded_vocabulary(build->model, build->plan) / build->tensor;
    struct operation *op = add_norm(build, OP_FINAL_NORM, end, build->shard, h,
                                    keeps_input(build, TARGETS_HEAD) ? build->element : 0);
    op->saved_recomputed_bytes = op->saved_bytes;
    if (build->model->encoder_sequence) {
        op = add_norm(build, OP_ENCODER_FINAL_NORM, end, encoder_shard(build), h, build->element);
        op->saved_recomputed_bytes = op->saved_bytes;
    }
    for (uint64_t i = 0; i < build->model->head_matrices; i++)
        add_head_matrix(build);
    add_gather(build, OP_LOGITS_GATHER, end, h, build->element);
    if (plan_has_engine(build->plan)) gather_into_buffer(build);
    const struct product product = {1, rows, columns, h};
    op = (build->plan->base_head ? add_base_linear : add_linear)(build, OP_LOGITS, end, &product);
    const int at = build->layer->operations - 1;
    const double dequantized = op->working_bytes - rows * (columns + h) * build->element;
    op->parameters = parameters + biases;
    op->useful_flop = 2 * rows * (double)build->model->vocabulary / build->tensor * h;
    op->megatron_flop = op->flop[RK_FORWARD] - op->useful_flop;
    /* the gradients of logits and input; the logits' own are the loss's */
    const bool in_place = loss_bytes_of(build).beside == 0;
    op->working_bytes = rows * ((in_place ? 0 : columns) + h) * build->element + dequantized;
    op->put_off_bytes = (rows * columns + build->shard * h) * build->element;
    add_adapter(build, end, &(struct adapted){RK_TARGET_HEAD, 1, rows, h, columns, false});
    add_whole_end(build, end, RK_END_HEAD, rows, columns);
    op = &build->layer->operation[at];
    add_cap(build, rows * columns);
    struct operation *loss = add_loss(build, rows * columns);
    const bool policy = is_policy(build);
    if (build->plan->loss_in_chunks || policy) put_in_chunks(build, op, loss, rows, columns);
    if (policy) make_in_columns(build, op, loss, columns);
    return op;
}

/* Inference: of the last token of each sample, whose logits come together, and the next token is
 * chosen. */
static void build_served_head(struct build *build)
{
    const struct rk_model *model = build->model;
    const double h = build->hidden, e = build->element, rows = build->batch;
    const double columns = padded_vocabulary(model, build->plan) / build->tensor;
    const bool copy = model->tied_embeddings && rk_plan_joins_ends(build->plan);
    add_norm(build, OP_FINAL_NORM, end, rows, h, e);
    struct operation *op =
        add_linear(build, OP_LOGITS, end, &(struct product){1, rows, columns, h});
    op->parameters = (copy ? 0 : columns * h) + (model->head_biases ? columns : 0);
    if (build->tensor > 1)
        add_comm(build, OP_LOGITS_ALL_GATHER, end, OVER_TENSOR, COMM_ALL_GATHER, COMM_ALL_GATHER,
                 rows * columns * build->tensor * e);
    add_memory(build, OP_CHOICE, end, rows * columns * build->tensor, (struct traffic){e, 0, 1, 0});
}

/* The last stage needs a table of its own for the head. A rank of its own has a copy, too, of the
 * first stage's table where the head shares it, or multi-token prediction looks tokens up. */
void build_head(struct build *build)
{
    if (build->served) {
        build_served_head(build);
        return;
    }
    const struct rk_model *model = build->model;
    const double columns = padded_vocabulary(model, build->plan) / build->tensor;
    const double table = columns * build->hidden;
    const bool shares = model->tied_embeddings || model->predict_layers;
    const double own = model->tied_embeddings ? 0 : table;
    const double copied = shares && !rk_plan_joins_ends(build->plan) ? table : 0;
    add_head(build, own + copied, model->head_biases ? columns : 0)->copied_parameters = copied;
}

/* ---- multi-token prediction ---- */

/* A block like the last one; after layers of one half it has both, attention and the last one's MLP
 * (mtp_hybrid_override_pattern "*E" of Nemotron 3). */
static enum layer_kind predict_block(const struct rk_model *model)
{
    const enum layer_kind last = layer_kind_of(model, model->layers - 1);
    if (mixer_of_kind(last) != MIXER_NONE) return last;
    return (enum layer_kind)(LAYER_BLOCKS + mlp_of_kind(last) * MIXERS + MIXER_ATTENTION);
}

/* Norms of the stream and of the next token's embedding, both through one projection, a block, and
 * the shared head over its output [deepseek2024v3]. */
void build_predict(struct build *build)
{
    static const struct place_in place = {RK_HOLD_norms, NOT_A_PART};
    const double h = build->hidden;
    add_lookup(build, 0);
    for (int i = 0; i < 2; i++) {
        struct operation *op =
            add_norm(build, i ? OP_STREAM_NORM : OP_NEXT_NORM, place, build->shard, h, build->kept);
        op->saved_recomputed_bytes = op->saved_bytes;
    }
    add_gather(build, OP_PREDICTION_GATHER, place, 2 * h, build->gathered);
    add_narrow_linear(build, OP_PREDICTION_IN, place,
                      &(struct product){1, build->tokens, h / build->tensor, 2 * h}, build->shard);
    /* the shards of its columns come together */
    if (build->tensor > 1)
        add_comm(build, OP_PREDICTION_ALL_GATHER, place, OVER_TENSOR, COMM_ALL_GATHER,
                 COMM_REDUCE_SCATTER, build->tokens * h * build->element);
    build_block(build, predict_block(build->model));
    build->graph = RK_GRAPH_PARTS; /* no graph of a layer has the head */
    add_head(build, 0, 0);
}
