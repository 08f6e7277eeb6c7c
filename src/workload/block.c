#include "workload/block.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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

static struct op *layer_norm(struct block *block, const struct block_split *split, const char *name,
                             double x, double hidden)
{
    return elementwise(block, split, name, x, 9, 14, 7, 2 * hidden);
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

/* A linear layer of full size (m, n) x (n, k) with its communication beside it in t tiles:
 * column-parallel behind a gather, row-parallel before a reduction. */
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

/* Names of the operations follow [isaev2023]'s tool, whose users compare them. */
static void projections(struct block *block, const struct rk_model *model,
                        const struct block_split *split, double tokens)
{
    const double h = (double)model->hidden, a = (double)model->heads, d = (double)model->head_dim;
    const double shard = floor(a * d / split->tensor);
    const double kv = model->attention == RK_ATTENTION_MULTIQUERY ? d : shard;
    struct op *op = tensor_comm(block, split, "AttnBlock_F", COMM_GATHER, block->activation);
    op->recommunicated = WHEN_GATHERED_ATTENTION;
    treat(fork_to(block, split, "AttnBlock_Multihead_Fork", block->activation, 3),
          WHEN_GATHERED_ATTENTION, WHEN_NOT_GATHERED_ATTENTION);
    reuse(linear(block, split, "AttnBlock_Query", tokens, h, shard), WHEN_NEVER);
    reuse(linear(block, split, "AttnBlock_Key", tokens, h, kv), WHEN_NEVER);
    reuse(linear(block, split, "AttnBlock_Value", tokens, h, kv), WHEN_NEVER);
}

static void projections_overlapped(struct block *block, const struct rk_model *model,
                                   const struct block_split *split, double tokens)
{
    const double h = (double)model->hidden, a = (double)model->heads, d = (double)model->head_dim;
    const bool multiquery = model->attention == RK_ATTENTION_MULTIQUERY;
    struct op *op =
        linear_overlapped(block, split, multiquery ? "AttnBlock_Query_AG" : "AttnBlock_QKV_AG",
                          COMM_GATHER, tokens, h, multiquery ? a * d : 3 * a * d);
    treat(op, WHEN_FULL, WHEN_ALWAYS);
    op->recommunicated = WHEN_GATHERED_ATTENTION;
    if (!multiquery) return;
    treat(fork_to(block, split, "AttnBlock_KV_Fork", block->activation, 2), WHEN_GATHERED_ATTENTION,
          WHEN_NOT_GATHERED_ATTENTION);
    reuse(linear(block, split, "AttnBlock_Key", tokens, h, d), WHEN_NEVER);
    reuse(linear(block, split, "AttnBlock_Value", tokens, h, d), WHEN_NEVER);
}

/* A row-parallel linear layer and the reduction behind it. */
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

static void attention_core(struct block *block, const struct rk_model *model,
                           const struct block_split *split)
{
    const double s = (double)model->sequence, a = (double)model->heads;
    const double d = (double)model->head_dim, b = split->microbatch;
    const double count = floor(b * a / split->tensor);
    const double scores = floor(a / split->tensor) * s * s * b;
    struct op *op = batch_matmul(block, split, "AttnBlock_Multihead_Key_Query", count, s, d, s);
    treat(op, WHEN_ATTENTION, WHEN_ALWAYS);
    op->keeps_output = WHEN_NOT_ATTENTION;
    op = softmax(block, split, "AttnBlock_Multihead_SoftMax", scores);
    treat(op, WHEN_ATTENTION, WHEN_ALWAYS);
    op->keeps_output = WHEN_NOT_ATTENTION;
    treat(dropout(block, split, "AttnBlock_Multihead_DropOut", scores), WHEN_ATTENTION,
          WHEN_NOT_ATTENTION);
    treat(batch_matmul(block, split, "AttnBlock_Multihead_Attn", count, s, s, d), WHEN_FULL,
          WHEN_ALWAYS);
}

static void attention_half(struct block *block, const struct rk_model *model,
                           const struct block_split *split, double tokens, double x)
{
    static const char *const out[] = {"AttnBlock_MLP", "AttnBlock_G", "AttnBlock_MLP_RS"};
    const double h = (double)model->hidden;
    treat(fork_to(block, split, "AttnBlock_Fork", x, 2), WHEN_FULL, WHEN_ALWAYS);
    reuse(layer_norm(block, split, "AttnBlock_LayerNorm", x, h), WHEN_NEVER);
    if (split->overlapped) {
        projections_overlapped(block, model, split, tokens);
    } else {
        projections(block, model, split, tokens);
    }
    attention_core(block, model, split);
    reduced_linear(block, split, out, tokens, (double)model->heads * (double)model->head_dim, h);
    treat(dropout(block, split, "AttnBlock_DropOut", x), WHEN_FULL, WHEN_ALWAYS);
    reuse(residual(block, split, "AttnBlock_Residual", x), WHEN_NEVER);
}

static void mlp_half(struct block *block, const struct rk_model *model,
                     const struct block_split *split, double tokens, double x)
{
    static const char *const out[] = {"MlpBlock_Mlp2", "MlpBlock_G", "MlpBlock_Mlp2_RS"};
    const double h = (double)model->hidden, f = (double)model->feedforward, t = split->tensor;
    treat(fork_to(block, split, "MlpBlock_Fork", x, 2), WHEN_FULL, WHEN_ALWAYS);
    reuse(layer_norm(block, split, "MlpBlock_LayerNorm", x, h), WHEN_NEVER);
    if (split->overlapped) {
        struct op *op =
            linear_overlapped(block, split, "MlpBlock_Mlp1_AG", COMM_GATHER, tokens, h, f);
        treat(op, WHEN_FULL, WHEN_ALWAYS);
        op->recommunicated = WHEN_GATHERED_MLP;
    } else {
        struct op *op = tensor_comm(block, split, "MlpBlock_F", COMM_GATHER, block->activation);
        op->recommunicated = WHEN_GATHERED_MLP;
        treat(linear(block, split, "MlpBlock_Mlp1", tokens, h, floor(f / t)), WHEN_FULL,
              WHEN_NOT_GATHERED_MLP);
    }
    treat(gelu(block, split, "MlpBlock_GeLU", floor(f * tokens / t)), WHEN_FULL, WHEN_ALWAYS);
    reduced_linear(block, split, out, tokens, f, h);
    treat(dropout(block, split, "MlpBlock_DropOut", x), WHEN_FULL, WHEN_ALWAYS);
    reuse(residual(block, split, "MlpBlock_Residual", x), WHEN_NEVER);
}

void block_build(struct block *block, const struct rk_model *model, const struct block_split *split)
{
    const double h = (double)model->hidden;
    const double tokens = split->microbatch * (double)model->sequence;
    block->ops = 0;
    block->activation = tokens * h;
    block->activation_shard = floor(tokens / split->tensor) * h;
    const double x = split->sequence_parallel ? block->activation_shard : block->activation;
    attention_half(block, model, split, tokens, x);
    mlp_half(block, model, split, tokens, x);
}
