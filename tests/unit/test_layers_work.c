/* What each pass of an operation computes, moves and sends, by hand. */
#include "layer_cases.h"

#include <math.h>

/* 64 experts of width 512, of which a token goes to 8; 2048 tokens of 2048. */
static const struct rk_model mixture = {.layers = 24,
                                        .hidden = 2048,
                                        .feedforward = 8192,
                                        .heads = 16,
                                        .head_dim = 128,
                                        .sequence = 2048,
                                        .vocabulary = 50304,
                                        .no_dropout = true,
                                        .experts = 64,
                                        .active_experts = 8,
                                        .expert_feedforward = 512};

static const double tokens = 8192, h = 4096;

static struct rk_plan plan_of(uint64_t tensor, uint64_t context)
{
    struct rk_plan plan = rk_plan_default();
    plan.tensor = tensor;
    plan.context = context;
    plan.ranks = tensor * context;
    return plan;
}

static bool has(const struct layer *layer, const char *name)
{
    for (int i = 0; i < layer->operations; i++)
        if (strcmp(op_name(layer->operation[i].op), name) == 0) return true;
    return false;
}

/* Bytes for each of `elements`. */
static void expect_traffic(const struct operation *op, double elements, double forward,
                           double backward)
{
    cr_expect_eq(op->bytes[RK_FORWARD] / elements, forward, "%s: %g", op_name(op->op),
                 op->bytes[RK_FORWARD] / elements);
    cr_expect_eq(op->bytes[RK_AGRAD] / elements, backward, "%s: %g", op_name(op->op),
                 op->bytes[RK_AGRAD] / elements);
}

/* ---- FLOP ---- */

/* A product has two gradients of as many FLOP each, whether of weights or of activations. */
Test(layers_work, three_passes_of_a_product)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.attention = RK_UNFUSED;
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    for (int i = 0; i < layer.operations; i++) {
        const struct operation *op = &layer.operation[i];
        if (op->kind != OPERATION_MATRIX) continue;
        const double one = 2 * op->count * op->m * op->n * op->k;
        cr_expect_eq(op->flop[RK_FORWARD], one, "%s", op_name(op->op));
        cr_expect_eq(op->flop[RK_AGRAD], op->of_weights ? one : 2 * one, "%s", op_name(op->op));
        cr_expect_eq(op->flop[RK_WGRAD], op->of_weights ? one : 0, "%s", op_name(op->op));
    }
    cr_expect_eq(find(&layer, "mlp in")->flop[RK_WGRAD], 2 * tokens * h * 2 * 14336);
    cr_expect_eq(find(&layer, "scores")->flop[RK_AGRAD], 2 * 2 * 32 * tokens * tokens * 128);
}

/* Without skipping, a query of a window w meets the w - 1 tokens before it, and as many behind. */
Test(layers_work, a_window_without_the_causal_skip)
{
    struct rk_model model = llama;
    struct rk_plan plan = plan_of(1, 1);
    model.window = 1024;
    plan.full_attention = true;
    const struct layer layer = layer_of(&model, LAYER_DENSE_LOCAL, &plan);
    cr_expect_eq(find(&layer, "attention")->pairs, 8192 * 2047);
}

static double pairs_of(const struct rk_plan *plan)
{
    const struct layer layer = layer_of(&llama, LAYER_DENSE, plan);
    return find(&layer, "attention")->pairs;
}

/* Of contiguous parts the last of four ranks has 7/16 of the pairs, not 4/16. */
Test(layers_work, contiguous_parts_of_a_context)
{
    struct rk_plan plan = plan_of(1, 4);
    plan.ranks = 4;
    const double even = pairs_of(&plan);
    plan.context_contiguous = true;
    cr_expect_float_eq(pairs_of(&plan), even * 7 / 4, 1);
    plan.context_kind = RK_ULYSSES; /* all tokens of a part of the heads */
    const double heads = pairs_of(&plan);
    plan.context_contiguous = false;
    cr_expect_eq(pairs_of(&plan), heads);
}

/* ---- memory traffic ---- */

/* bf16. A norm reads and writes, backward reads gradient and input and writes a gradient; SwiGLU
 * reads two and writes one, backward reads three and writes two; rotary reads and writes 32 + 8
 * heads; the residual reads two and writes one. */
Test(layers_work, bytes_of_fused_kernels)
{
    const struct rk_plan plan = plan_of(1, 1);
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    expect_traffic(find(&layer, "attention norm"), tokens * h, 4, 6);
    expect_traffic(find(&layer, "activation"), tokens * 14336, 6, 10);
    expect_traffic(find(&layer, "rotary"), tokens * (32 + 8) * 128, 4, 4);
    expect_traffic(find(&layer, "attention residual"), tokens * h, 6, 6);
}

/* torch's autocast runs LayerNorm in fp32, cast to it and back: 2 + 4, 4 + 4, 4 + 2; backward casts
 * the gradient, reads it and the input, writes one, and casts it. Megatron-LM has no autocast. */
Test(layers_work, layer_norm_under_autocast)
{
    struct rk_model model = llama;
    struct rk_plan plan = plan_of(1, 1);
    model.norm = RK_LAYER_NORM;
    plan.fused = false;
    plan.framework = RK_FSDP;
    struct layer layer = layer_of(&model, LAYER_DENSE, &plan);
    expect_traffic(find(&layer, "attention norm"), tokens * h, 20, 24);
    plan.framework = RK_MEGATRON;
    layer = layer_of(&model, LAYER_DENSE, &plan);
    expect_traffic(find(&layer, "attention norm"), tokens * h, 4, 6);
}

/* The mask is written within the fused kernel; backward reads gradient and mask and writes. */
Test(layers_work, dropout_of_the_residual)
{
    struct rk_model model = llama;
    const struct rk_plan plan = plan_of(1, 1);
    model.no_dropout = false;
    const struct layer layer = layer_of(&model, LAYER_DENSE, &plan);
    expect_traffic(find(&layer, "attention residual"), tokens * h, 6 + 1, 6 + 5);
}

/* A row is read and written; its gradient is read and added to a row in fp32. */
Test(layers_work, rows_of_the_embedding)
{
    const struct rk_plan plan = plan_of(1, 1);
    const struct layer layer = layer_of(&llama, LAYER_EMBEDDING, &plan);
    expect_traffic(find(&layer, "embedding"), tokens * h, 4, 2 + 4 + 4);
}

/* Whatever the framework, backward reads what forward kept and writes a gradient. */
Test(layers_work, loss_backward_is_not_free)
{
    const double logits = tokens * 128256;
    for (int framework = 0; framework < RK_FRAMEWORKS; framework++)
        for (int fused = 0; fused < 2; fused++) {
            struct rk_plan plan = plan_of(1, 1);
            plan.framework = (enum rk_framework)framework;
            plan.fused = fused;
            const struct layer layer = layer_of(&llama, LAYER_HEAD, &plan);
            const struct operation *op = find(&layer, "cross entropy");
            cr_expect_geq(op->bytes[RK_AGRAD], op->saved_bytes + 2 * logits);
            cr_expect_gt(op->bytes[RK_FORWARD], 2 * logits);
        }
}

/* ---- 8 bits ---- */

/* Query, key, value: 8192 x 4096 by 4096 x 6144. A cast reads 2 bytes and writes two of 1; current
 * scaling reads twice. Backward casts the gradient of the output. */
Test(layers_work, casts)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.precision = RK_FP8_DELAYED;
    plan.weights_fp8 = true;
    struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    const struct operation *op = find(&layer, "cast");
    cr_expect_eq(op->bytes[RK_FORWARD], 4 * tokens * h);
    cr_expect_eq(op->bytes[RK_AGRAD], 4 * tokens * 6144);
    plan.precision = RK_FP8_CURRENT;
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(find(&layer, "cast")->bytes[RK_FORWARD], 6 * tokens * h);
    cr_expect_eq(find(&layer, "mlp in")->slower, 0);
    plan.precision = RK_FP8_ROW; /* rows read once, columns twice; a slower library */
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(find(&layer, "cast")->bytes[RK_FORWARD], (2 + 1 + 2 + 2 + 1) * tokens * h);
    cr_expect_gt(find(&layer, "mlp in")->slower, 1);
    plan.precision = RK_MXFP8;
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(find(&layer, "mlp in")->slower, 1.07);
}

/* torch casts before it gathers where one scale is enough, and keeps 16 bits. */
Test(layers_work, torch_gathers_what_one_scale_casts)
{
    static const enum rk_precision precisions[] = {RK_FP8_CURRENT, RK_FP8_ROW};
    struct rk_plan plan = plan_of(8, 1);
    plan.framework = RK_FSDP;
    plan.sequence_parallel = true;
    for (int row = 0; row < 2; row++) {
        plan.precision = precisions[row];
        const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
        cr_expect_eq(find(&layer, "mlp gather")->comm_bytes[RK_FORWARD],
                     tokens * h * (row ? 2 : 1));
    }
}

/* The router reads the norm's output, too: in front of a mixture it is kept in 16 bits. */
Test(layers_work, norm_in_front_of_a_mixture)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.precision = RK_FP8_CURRENT;
    struct layer layer = layer_of(&mixture, LAYER_EXPERTS, &plan);
    cr_expect_eq(find(&layer, "mlp norm")->saved_bytes, 2048.0 * 2048 * (2 + 2));
    layer = layer_of(&mixture, LAYER_DENSE, &plan);
    cr_expect_eq(find(&layer, "mlp norm")->saved_bytes, 2048.0 * 2048 * (2 + 1));
}

/* ---- communication ---- */

/* The input is kept as a shard and gathered again for the weight gradient; in 8 bits both times,
 * while its gradient is scattered in 16. */
Test(layers_work, sequence_parallel_gathers)
{
    struct rk_plan plan = plan_of(8, 1);
    plan.sequence_parallel = true;
    for (int narrow = 0; narrow < 2; narrow++) {
        const double wide = tokens * h * 2;
        if (narrow) plan.precision = RK_FP8_CURRENT;
        const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
        const struct operation *op = find(&layer, "mlp gather");
        cr_expect_eq(op->comm_bytes[RK_FORWARD], narrow ? wide / 2 : wide);
        cr_expect_eq(op->comm_bytes[RK_AGRAD], wide);
        cr_expect_eq(op->comm_bytes[RK_WGRAD], narrow ? wide / 2 : wide);
    }
}

/* 2048 of the tokens on each of four ranks, 8 heads of 128 for keys and for values. */
Test(layers_work, gathered_keys_are_gathered_again)
{
    struct rk_plan plan = plan_of(1, 4);
    plan.context_kind = RK_GATHER;
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(find(&layer, "key, value all-gather")->comm_bytes[RK_WGRAD],
                 tokens * 8 * 128 * 2 * 2);
}

/* t = 4 leaves 8 query and 2 key heads to spread over 4 ranks: keys are copied to 4. */
Test(layers_work, fewer_keys_than_ranks_of_an_all_to_all)
{
    struct rk_plan plan = plan_of(4, 4);
    plan.context_kind = RK_ULYSSES;
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(find(&layer, "query, key, value all-to-all")->comm_bytes[RK_FORWARD],
                 2048.0 * (8 + 2 * 4) * 128 * 2);
    cr_expect_eq(find(&layer, "attention")->kv_heads, 1);
}

/* Each rank has rows for its part of the vocabulary: outputs are summed. Of the loss, maximum, sum
 * and label's logit, 4 bytes a token each, and nothing backward. */
Test(layers_work, ends_over_the_vocabulary)
{
    struct rk_plan plan = plan_of(8, 1);
    struct layer layer = layer_of(&llama, LAYER_EMBEDDING, &plan);
    const struct operation *op = find(&layer, "embedding reduce");
    cr_expect_eq(op->what[RK_FORWARD], COMM_ALL_REDUCE);
    cr_expect_eq(op->comm_bytes[RK_FORWARD], tokens * h * 2);
    cr_expect_eq(op->comm_bytes[RK_AGRAD], 0);
    layer = layer_of(&llama, LAYER_HEAD, &plan);
    op = find(&layer, "loss reduce");
    cr_expect_eq(op->comm_times[RK_FORWARD] * op->comm_bytes[RK_FORWARD], 3 * tokens * 4);
    cr_expect_eq(op->comm_bytes[RK_AGRAD], 0);
}

/* ---- mixtures ---- */

/* The busiest of 8 ranks gets, and sends back, half as much again. */
Test(layers_work, imbalance_travels)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.ranks = plan.batch = plan.expert = 8;
    plan.imbalance = 1.5;
    const struct layer layer = layer_of(&mixture, LAYER_EXPERTS, &plan);
    const double bytes = 1.5 * 2048 * 8 * 2048 * 2;
    cr_expect_eq(find(&layer, "dispatch")->comm_bytes[RK_FORWARD], bytes);
    cr_expect_eq(find(&layer, "combine")->comm_bytes[RK_FORWARD], bytes);
}

/* Without sequence parallelism both tensor ranks have all tokens and route half of them each. */
Test(layers_work, routed_tokens_come_together)
{
    struct rk_plan plan = plan_of(2, 1);
    struct layer layer = layer_of(&mixture, LAYER_EXPERTS, &plan);
    const struct operation *op = find(&layer, "tokens gather");
    cr_expect_eq(op->over, OVER_TENSOR);
    cr_expect_eq(op->comm_bytes[RK_FORWARD], 2048.0 * 2048 * 2);
    cr_expect_eq(op->comm_bytes[RK_AGRAD], 2048.0 * 2048 * 2);
    plan.sequence_parallel = true;
    layer = layer_of(&mixture, LAYER_EXPERTS, &plan);
    cr_expect_not(has(&layer, "tokens gather"));
}

/* 16 experts on each of four ranks: one kernel, or one after the other. */
Test(layers_work, grouped_products)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.ranks = plan.batch = plan.expert = 4;
    struct layer layer = layer_of(&mixture, LAYER_EXPERTS, &plan);
    cr_expect_eq(find(&layer, "experts out")->kernels[RK_WGRAD], 1);
    plan.grouped = false;
    layer = layer_of(&mixture, LAYER_EXPERTS, &plan);
    cr_expect_eq(find(&layer, "experts out")->kernels[RK_FORWARD], 16);
    cr_expect_eq(find(&layer, "experts out")->kernels[RK_WGRAD], 16);
}

/* 1024 tokens a rank; gathered over 4 ranks, and then over the 2 that share an expert. */
Test(layers_work, gathered_tokens_over_shared_experts)
{
    struct rk_plan plan = plan_of(2, 1);
    plan.ranks = 8;
    plan.expert = 4;
    plan.sequence_parallel = true;
    plan.dispatcher = RK_ALL_GATHER_TOKENS;
    const struct layer layer = layer_of(&mixture, LAYER_EXPERTS, &plan);
    cr_expect_eq(find(&layer, "dispatch")->comm_bytes[RK_FORWARD], 4.0 * 1024 * 2048 * 2);
    cr_expect_eq(find(&layer, "expert gather")->comm_bytes[RK_FORWARD], 8.0 * 1024 * 2048 * 2);
}

/* Copies are sorted before they leave; DeepEP makes them where tokens arrive. On one of 64 ranks
 * with an expert each nothing is left to sort behind an all-to-all. */
Test(layers_work, where_copies_are_sorted)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.ranks = plan.batch = plan.expert = 64;
    struct layer layer = layer_of(&mixture, LAYER_EXPERTS, &plan);
    cr_expect(has(&layer, "permute") && has(&layer, "unpermute"));
    cr_expect_not(has(&layer, "expert sort"));
    plan.dispatcher = RK_DEEPEP;
    layer = layer_of(&mixture, LAYER_EXPERTS, &plan);
    cr_expect(has(&layer, "expert sort") && has(&layer, "expert unsort"));
    cr_expect_not(has(&layer, "permute"));
}
