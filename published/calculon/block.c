#include "calculon/block.h"

#include <assert.h>
#include <math.h>

unsigned conditions_of(enum rk_recompute recompute, bool redo_all_gather)
{
    const bool full = recompute == RK_RECOMPUTE_FULL;
    const bool attention = full || recompute == RK_RECOMPUTE_ATTENTION;
    const bool gathered_attention = attention || redo_all_gather;
    const bool gathered_mlp = full || redo_all_gather;
    return 1u << WHEN_ALWAYS | (unsigned)full << WHEN_FULL | (unsigned)attention << WHEN_ATTENTION |
           (unsigned)!attention << WHEN_NOT_ATTENTION |
           (unsigned)gathered_attention << WHEN_GATHERED_ATTENTION |
           (unsigned)!gathered_attention << WHEN_NOT_GATHERED_ATTENTION |
           (unsigned)gathered_mlp << WHEN_GATHERED_MLP |
           (unsigned)!gathered_mlp << WHEN_NOT_GATHERED_MLP;
}

/* ---- kinds of operations ---- */

/* Everything about an operation follows from these element counts, unless a kind says otherwise:
 * forward touches inputs, outputs and weights; each gradient touches weights, stored activations
 * and activation gradients. */
struct shape {
    double flop[RK_PASSES];
    double inputs, outputs, activations, activation_grads, weights;
};

static struct op *append(struct block *block, const struct block_split *split, const char *name,
                         enum engine engine, const struct shape *shape)
{
    assert(block->ops < RK_MAX_OPERATIONS);
    const double bytes = split->element_bytes;
    const double gradient_access = shape->weights + shape->activations + shape->activation_grads;
    struct op *op = &block->op[block->ops++];
    *op = (struct op){
        .name = name,
        .engine = engine,
        .flop = {shape->flop[0], shape->flop[1], shape->flop[2]},
        .access_bytes = {(shape->inputs + shape->outputs + shape->weights) * bytes,
                         gradient_access * bytes, shape->weights > 0 ? gradient_access * bytes : 0},
        .inputs = shape->inputs,
        .outputs = shape->outputs,
        .weights = shape->weights,
        .weight_bytes = shape->weights * bytes,
        .activation_bytes = shape->activations * bytes,
        .activation_grad_bytes = shape->activation_grads * bytes,
        .output_bytes = shape->outputs * bytes,
        .keeps_input = WHEN_ALWAYS,
        .keeps_output = WHEN_ALWAYS,
        .tiles = 1,
    };
    return op;
}

/* (m, n) times (n, k) */
static struct op *linear(struct block *block, const struct block_split *split, const char *name,
                         double m, double n, double k)
{
    const double flop = 2 * m * n * k;
    return append(block, split, name, ENGINE_MATRIX,
                  &(struct shape){.flop = {flop, flop, flop},
                                  .inputs = m * n,
                                  .outputs = m * k,
                                  .activations = m * n,
                                  .activation_grads = m * k,
                                  .weights = n * k});
}

/* `count` products of (m, n) and (n, k), both of them activations */
static struct op *batch_matmul(struct block *block, const struct block_split *split,
                               const char *name, double count, double m, double n, double k)
{
    const double flop = 2 * count * m * n * k;
    const double inputs = count * (m * n + n * k);
    return append(block, split, name, ENGINE_MATRIX,
                  &(struct shape){.flop = {flop, 2 * flop, 0},
                                  .inputs = inputs,
                                  .outputs = count * m * k,
                                  .activations = inputs,
                                  .activation_grads = count * m * k});
}

/* FLOP per element forward, activation gradient, weight gradient: [isaev2023]'s layer table. */
static struct op *elementwise(struct block *block, const struct block_split *split,
                              const char *name, double x, double forward, double agrad,
                              double wgrad, double weights)
{
    return append(block, split, name, ENGINE_VECTOR,
                  &(struct shape){.flop = {forward * x, agrad * x, wgrad * x},
                                  .inputs = x,
                                  .outputs = x,
                                  .activations = x,
                                  .activation_grads = x,
                                  .weights = weights});
}

/* FLOP per element forward, activation gradient, weight gradient, and weights per channel.
 * LayerNorm as [isaev2023] counts it; RMSNorm from its definition [zhang2019]: square and add,
 * scale, weigh; backward, weigh, a dot product (2), combine (3), and the weight's product and sum.
 */
static const struct {
    double forward, agrad, wgrad, weights;
} norms[] = {
    [RK_LAYER_NORM] = {9, 14, 7, 2},
    [RK_RMS_NORM] = {4, 6, 2, 1},
};

static struct op *norm(struct block *block, const struct rk_model *model,
                       const struct block_split *split, const char *name, double x)
{
    return elementwise(block, split, name, x, norms[model->norm].forward, norms[model->norm].agrad,
                       norms[model->norm].wgrad,
                       norms[model->norm].weights * (double)model->hidden);
}

/* Holds and touches a mask of one byte an element. */
static struct op *dropout(struct block *block, const struct block_split *split, const char *name,
                          double x)
{
    struct op *op = elementwise(block, split, name, x, 1, 1, 0, 0);
    op->access_bytes[RK_FORWARD] = op->access_bytes[RK_AGRAD] = 2 * x * split->element_bytes + x;
    op->activation_bytes = op->activation_grad_bytes = x;
    return op;
}

/* Fused into the matrix before it, it holds nothing. */
static struct op *gelu(struct block *block, const struct block_split *split, const char *name,
                       double x)
{
    struct op *op = elementwise(block, split, name, x, 8, 13, 0, 0);
    op->access_bytes[RK_AGRAD] = op->access_bytes[RK_FORWARD];
    if (split->fused_activation) op->activation_bytes = op->activation_grad_bytes = 0;
    return op;
}

/* silu(gate) * up: both are held, unless the kernel is fused and works them out again. */
static struct op *gated(struct block *block, const struct block_split *split, const char *name,
                        double x)
{
    struct op *op = append(block, split, name, ENGINE_VECTOR,
                           &(struct shape){.flop = {9 * x, 15 * x, 0},
                                           .inputs = 2 * x,
                                           .outputs = x,
                                           .activations = 2 * x,
                                           .activation_grads = 2 * x});
    op->access_bytes[RK_AGRAD] = 5 * x * split->element_bytes; /* both inputs, three gradients */
    if (split->fused_activation) op->activation_grad_bytes = 0;
    return op;
}

static struct op *softmax(struct block *block, const struct block_split *split, const char *name,
                          double x)
{
    struct op *op = elementwise(block, split, name, x, 5, 8, 0, 0);
    op->access_bytes[RK_AGRAD] = op->access_bytes[RK_FORWARD];
    return op;
}

static struct op *residual(struct block *block, const struct block_split *split, const char *name,
                           double x)
{
    return append(block, split, name, ENGINE_VECTOR,
                  &(struct shape){.flop = {x, 2 * x, 0},
                                  .inputs = 2 * x,
                                  .outputs = x,
                                  .activations = 2 * x,
                                  .activation_grads = x});
}

/* One tensor read by `users` operations; backward sums their gradients. */
static struct op *fork_to(struct block *block, const struct block_split *split, const char *name,
                          double x, double users)
{
    struct op *op =
        append(block, split, name, ENGINE_VECTOR,
               &(struct shape){.flop = {0, users * x, 0}, .inputs = x, .activations = x});
    op->access_bytes[RK_FORWARD] = 0;
    op->access_bytes[RK_AGRAD] = x * (users + 1) * split->element_bytes;
    return op;
}

/* Communication that computing waits for. Only the side that reduces computes and touches bytes,
 * unless sequence parallelism moves shards both ways. */
static struct op *tensor_comm(struct block *block, const struct block_split *split,
                              const char *name, enum comm_side side, double x)
{
    const double t = split->tensor;
    const double sent = t > 1 ? x : 0;
    const double reduced = sent * (t - 1) / t;
    const bool reduces_forward = side == COMM_REDUCE;
    struct op *op = append(
        block, split, name, ENGINE_VECTOR,
        &(struct shape){.flop = {reduces_forward ? reduced : 0, reduces_forward ? 0 : reduced, 0},
                        .inputs = sent,
                        .outputs = sent,
                        .activations = sent,
                        .activation_grads = sent});
    op->comm = side;
    op->comm_elements = sent;
    if (split->sequence_parallel) {
        op->activation_bytes = op->activation_grad_bytes = sent * split->element_bytes / t;
    } else if (reduces_forward) {
        op->activation_grad_bytes = 0;
        op->access_bytes[RK_AGRAD] = 0;
    } else {
        op->activation_bytes = 0;
        op->access_bytes[RK_FORWARD] = 0;
    }
    return op;
}

/* A linear layer of full size (m, n) x (n, k) that overlaps with its communication in t tiles:
 * column-parallel after a gather, row-parallel before a reduction. */
static struct op *linear_overlapped(struct block *block, const struct block_split *split,
                                    const char *name, enum comm_side side, double m, double n,
                                    double k)
{
    const double t = split->tensor, bytes = split->element_bytes;
    if (side == COMM_GATHER) k = floor(k / t);
    if (side == COMM_REDUCE) n = floor(n / t);
    double activations, activation_grads;
    if (side == COMM_GATHER) {
        activations = split->sequence_parallel ? floor(m * n / t) : m * n;
        activation_grads = split->sequence_parallel ? m * k : 0;
    } else {
        activations = split->sequence_parallel ? m * n : 0;
        activation_grads = split->sequence_parallel ? 2 * floor(m * k / t) : 2 * m * k;
    }
    struct op *op = linear(block, split, name, m, n, k);
    const double gradient_access = op->weights + activations + activation_grads;
    op->access_bytes[RK_AGRAD] = op->access_bytes[RK_WGRAD] = gradient_access * bytes;
    op->activation_bytes = activations * bytes;
    op->activation_grad_bytes = activation_grads * bytes;
    op->comm = side;
    op->comm_elements = side == COMM_GATHER ? m * n : m * k;
    op->overlapped = true;
    op->tiles = t;
    return op;
}

/* ---- the block ---- */

/* How recomputation treats an operation; see the header. */
static void treat(struct op *op, enum when recomputed, enum when keeps_input)
{
    op->recomputed = recomputed;
    op->keeps_input = keeps_input;
}

static void reuse(struct op *op, enum when keeps_input)
{
    treat(op, WHEN_FULL, keeps_input);
    op->reuses_buffer = true;
}

static double kv_heads(const struct rk_model *model)
{
    if (model->attention == RK_ATTENTION_MULTIQUERY) return 1;
    return (double)(model->kv_heads ? model->kv_heads : model->heads);
}

/* Width of the keys, and of the values, of one rank: a head that several ranks need is on each. */
static double kv_width(const struct rk_model *model, double tensor)
{
    const double d = (double)model->head_dim, shard = floor(kv_heads(model) * d / tensor);
    return shard > d ? shard : d;
}

/* Do the keys and values of all ranks split as the queries do? */
static bool kv_splits(const struct rk_model *model, double tensor)
{
    return fmod(kv_heads(model), tensor) == 0;
}

/* Names of the operations follow [isaev2023]'s tool, whose users compare them. The last argument is
 * the width of other readers of the gathered input: the MLP of a parallel block. */
static void projections(struct block *block, const struct rk_model *model,
                        const struct block_split *split, double tokens, double beside)
{
    const double h = (double)model->hidden, a = (double)model->heads, d = (double)model->head_dim;
    const double shard = floor(a * d / split->tensor), kv = kv_width(model, split->tensor);
    struct op *op = tensor_comm(block, split, "AttnBlock_F", COMM_GATHER, block->activation);
    op->recommunicated = WHEN_GATHERED_ATTENTION;
    treat(fork_to(block, split, "AttnBlock_Multihead_Fork", block->activation, beside > 0 ? 4 : 3),
          WHEN_GATHERED_ATTENTION, WHEN_NOT_GATHERED_ATTENTION);
    reuse(linear(block, split, "AttnBlock_Query", tokens, h, shard), WHEN_NEVER);
    reuse(linear(block, split, "AttnBlock_Key", tokens, h, kv), WHEN_NEVER);
    reuse(linear(block, split, "AttnBlock_Value", tokens, h, kv), WHEN_NEVER);
    if (beside > 0)
        reuse(linear(block, split, "MlpBlock_Mlp1", tokens, h, floor(beside / split->tensor)),
              WHEN_NEVER);
}

static void projections_overlapped(struct block *block, const struct rk_model *model,
                                   const struct block_split *split, double tokens, double beside)
{
    const double h = (double)model->hidden, a = (double)model->heads, d = (double)model->head_dim;
    const bool merged = kv_splits(model, split->tensor);
    const double width = merged ? (a + 2 * kv_heads(model)) * d : a * d;
    struct op *op =
        linear_overlapped(block, split, merged ? "AttnBlock_QKV_AG" : "AttnBlock_Query_AG",
                          COMM_GATHER, tokens, h, width + beside);
    treat(op, WHEN_FULL, WHEN_ALWAYS);
    op->recommunicated = WHEN_GATHERED_ATTENTION;
    if (merged) return;
    const double kv = kv_width(model, split->tensor);
    treat(fork_to(block, split, "AttnBlock_KV_Fork", block->activation, 2), WHEN_GATHERED_ATTENTION,
          WHEN_NOT_GATHERED_ATTENTION);
    reuse(linear(block, split, "AttnBlock_Key", tokens, h, kv), WHEN_NEVER);
    reuse(linear(block, split, "AttnBlock_Value", tokens, h, kv), WHEN_NEVER);
}

/* A row-parallel linear layer and the reduction after it. */
static void reduced_linear(struct block *block, const struct block_split *split,
                           const char *const names[3], double tokens, double inner, double h)
{
    if (split->overlapped) {
        struct op *op = linear_overlapped(block, split, names[2], COMM_REDUCE, tokens, inner, h);
        treat(op, WHEN_FULL, WHEN_ALWAYS);
        op->recommunicated = WHEN_FULL;
        return;
    }
    treat(linear(block, split, names[0], tokens, floor(inner / split->tensor), h), WHEN_FULL,
          WHEN_ALWAYS);
    struct op *op = tensor_comm(block, split, names[1], COMM_REDUCE, block->activation);
    op->recommunicated = WHEN_FULL;
    op->keeps_input = WHEN_NEVER;
}

/* Scores are written to memory, as are their softmax and dropout. */
static void attention_unfused(struct block *block, const struct rk_model *model,
                              const struct block_split *split, double count, double scores)
{
    const double s = (double)model->sequence, d = (double)model->head_dim;
    struct op *op = batch_matmul(block, split, "AttnBlock_Multihead_Key_Query", count, s, d, s);
    treat(op, WHEN_ATTENTION, WHEN_ALWAYS);
    op->keeps_output = WHEN_NOT_ATTENTION;
    op = softmax(block, split, "AttnBlock_Multihead_SoftMax", scores);
    treat(op, WHEN_ATTENTION, WHEN_ALWAYS);
    op->keeps_output = WHEN_NOT_ATTENTION;
    if (!model->no_dropout)
        treat(dropout(block, split, "AttnBlock_Multihead_DropOut", scores), WHEN_ATTENTION,
              WHEN_NOT_ATTENTION);
    treat(batch_matmul(block, split, "AttnBlock_Multihead_Attn", count, s, s, d), WHEN_FULL,
          WHEN_ALWAYS);
}

enum { LOG_SUM_BYTES = 4 }; /* one float a row of scores */

/* [dao2023]: two products forward, five backward (it works the scores out again); only queries,
 * keys, values, outputs and the rows' log-sums touch memory. Nothing is left for attention-only
 * recompute to save. */
static void attention_flash(struct block *block, const struct rk_model *model,
                            const struct block_split *split, double count)
{
    const double s = (double)model->sequence, d = (double)model->head_dim;
    const double bytes = split->element_bytes, rows = count * s;
    const double queries = rows * d;
    const double keys = split->microbatch * s * kv_width(model, split->tensor);
    const double product = 2 * count * s * s * d * (model->causal_skip ? 0.5 : 1);
    struct op *op = append(block, split, "AttnBlock_Flash", ENGINE_MATRIX,
                           &(struct shape){.flop = {2 * product, 5 * product, 0},
                                           .inputs = queries + 2 * keys,
                                           .outputs = queries,
                                           .activations = queries + 2 * keys,
                                           .activation_grads = queries});
    op->activation_bytes += LOG_SUM_BYTES * rows;
    op->access_bytes[RK_FORWARD] += LOG_SUM_BYTES * rows;
    /* reads queries, keys, values, outputs and their gradients; writes three gradients */
    op->access_bytes[RK_AGRAD] =
        (2 * (queries + 2 * keys) + 2 * queries) * bytes + LOG_SUM_BYTES * rows;
    treat(op, WHEN_FULL, WHEN_ALWAYS);
}

static void attention_core(struct block *block, const struct rk_model *model,
                           const struct block_split *split)
{
    const double s = (double)model->sequence, a = (double)model->heads, b = split->microbatch;
    const double count = floor(b * a / split->tensor);
    if (model->flash_attention)
        attention_flash(block, model, split, count);
    else
        attention_unfused(block, model, split, count, floor(a / split->tensor) * s * s * b);
}

/* What ends a half: dropout, and the sum with the residual stream. */
static void rejoin(struct block *block, const struct rk_model *model,
                   const struct block_split *split, const char *const names[2], double x)
{
    if (!model->no_dropout) treat(dropout(block, split, names[0], x), WHEN_FULL, WHEN_ALWAYS);
    reuse(residual(block, split, names[1], x), WHEN_NEVER);
}

static const char *const attention_out[] = {"AttnBlock_MLP", "AttnBlock_G", "AttnBlock_MLP_RS"};
static const char *const attention_end[] = {"AttnBlock_DropOut", "AttnBlock_Residual"};
static const char *const mlp_out[] = {"MlpBlock_Mlp2", "MlpBlock_G", "MlpBlock_Mlp2_RS"};
static const char *const mlp_end[] = {"MlpBlock_DropOut", "MlpBlock_Residual"};

static void attention_half(struct block *block, const struct rk_model *model,
                           const struct block_split *split, double tokens, double x)
{
    const double h = (double)model->hidden;
    treat(fork_to(block, split, "AttnBlock_Fork", x, 2), WHEN_FULL, WHEN_ALWAYS);
    reuse(norm(block, model, split, "AttnBlock_LayerNorm", x), WHEN_NEVER);
    if (split->overlapped)
        projections_overlapped(block, model, split, tokens, 0);
    else
        projections(block, model, split, tokens, 0);
    attention_core(block, model, split);
    reduced_linear(block, split, attention_out, tokens,
                   (double)model->heads * (double)model->head_dim, h);
    rejoin(block, model, split, attention_end, x);
}

/* Width of what the MLP's first matrix, or its two first ones, bring out. */
static double mlp_width(const struct rk_model *model)
{
    return (double)model->feedforward * (model->gated_mlp ? 2 : 1);
}

static void mlp_activation(struct block *block, const struct rk_model *model,
                           const struct block_split *split, double tokens)
{
    const double x = floor((double)model->feedforward * tokens / split->tensor);
    struct op *op = model->gated_mlp ? gated(block, split, "MlpBlock_Gated", x)
                                     : gelu(block, split, "MlpBlock_GeLU", x);
    treat(op, WHEN_FULL, WHEN_ALWAYS);
}

static void mlp_half(struct block *block, const struct rk_model *model,
                     const struct block_split *split, double tokens, double x)
{
    const double h = (double)model->hidden, wide = mlp_width(model), t = split->tensor;
    treat(fork_to(block, split, "MlpBlock_Fork", x, 2), WHEN_FULL, WHEN_ALWAYS);
    reuse(norm(block, model, split, "MlpBlock_LayerNorm", x), WHEN_NEVER);
    if (split->overlapped) {
        struct op *op =
            linear_overlapped(block, split, "MlpBlock_Mlp1_AG", COMM_GATHER, tokens, h, wide);
        treat(op, WHEN_FULL, WHEN_ALWAYS);
        op->recommunicated = WHEN_GATHERED_MLP;
    } else {
        struct op *op = tensor_comm(block, split, "MlpBlock_F", COMM_GATHER, block->activation);
        op->recommunicated = WHEN_GATHERED_MLP;
        treat(linear(block, split, "MlpBlock_Mlp1", tokens, h, floor(wide / t)), WHEN_FULL,
              WHEN_NOT_GATHERED_MLP);
    }
    mlp_activation(block, model, split, tokens);
    reduced_linear(block, split, mlp_out, tokens, (double)model->feedforward, h);
    rejoin(block, model, split, mlp_end, x);
}

/* Attention and MLP read the same normalised input and their sum joins the residual stream: one
 * gather and one reduction a block [chowdhery2022, section 2]. */
static void parallel_block(struct block *block, const struct rk_model *model,
                           const struct block_split *split, double tokens, double x)
{
    const double h = (double)model->hidden, wide = mlp_width(model);
    const double width = (double)model->heads * (double)model->head_dim;
    treat(fork_to(block, split, "AttnBlock_Fork", x, 2), WHEN_FULL, WHEN_ALWAYS);
    reuse(norm(block, model, split, "AttnBlock_LayerNorm", x), WHEN_NEVER);
    if (model->block_norms != 1)
        reuse(norm(block, model, split, "MlpBlock_LayerNorm", x), WHEN_NEVER);
    if (split->overlapped)
        projections_overlapped(block, model, split, tokens, wide);
    else
        projections(block, model, split, tokens, wide);
    attention_core(block, model, split);
    mlp_activation(block, model, split, tokens);
    reduced_linear(block, split, mlp_out, tokens, width + (double)model->feedforward, h);
    rejoin(block, model, split, mlp_end, x);
}

void block_build(struct block *block, const struct rk_model *model, const struct block_split *split)
{
    const double h = (double)model->hidden;
    const double tokens = split->microbatch * (double)model->sequence;
    block->ops = 0;
    block->activation = tokens * h;
    block->activation_shard = floor(tokens / split->tensor) * h;
    const double x = split->sequence_parallel ? block->activation_shard : block->activation;
    if (model->parallel_block) {
        parallel_block(block, model, split, tokens, x);
        return;
    }
    attention_half(block, model, split, tokens, x);
    mlp_half(block, model, split, tokens, x);
}
