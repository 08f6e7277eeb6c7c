/* Attention, precisions, recomputed parts and losses of layers, by hand. */
#include "layer_cases.h"

#include <math.h>

static struct rk_plan plan_of(uint64_t tensor, uint64_t context)
{
    struct rk_plan plan = rk_plan_default();
    plan.tensor = tensor;
    plan.context = context;
    plan.ranks = tensor * context;
    plan.sequence_parallel = tensor > 1;
    return plan;
}

/* Bytes a token of a rank with the parts `redone` computed again, as the fold does. */
static double held(const struct layer *layer, unsigned redone, double tokens)
{
    double sum = 0;
    for (int i = 0; i < layer->operations; i++) {
        const struct operation *op = &layer->operation[i];
        const bool again = op->part != NOT_A_PART && (redone >> op->part & 1);
        sum += again ? op->saved_recomputed_bytes : op->saved_bytes;
    }
    return sum / tokens;
}

#define PART(name) (1u << RK_PART_##name)

/* ---- what a block holds ---- */

/* Norms 4 * 4096 * 2 = 32768; query, key, value (32 + 16) * 128 * 2 = 12288; output 8192, log-sums
 * 32 * 4 = 128; MLP 3 * 14336 * 2 = 86016. */
Test(layers_kinds, parts_of_a_block)
{
    const double all = 32768 + 12288 + 8192 + 128 + 86016;
    const struct rk_plan plan = plan_of(1, 1);
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(held(&layer, 0, 8192), all);
    cr_expect_eq(held(&layer, PART(CORE_ATTENTION), 8192), all - 128, "fused: log-sums alone");
    cr_expect_eq(held(&layer, PART(ACTIVATION), 8192), all - 14336 * 2);
    cr_expect_eq(held(&layer, PART(NORM), 8192), all - 2 * 4096 * 2, "both outputs");
    cr_expect_eq(held(&layer, PART(MLP) | PART(ACTIVATION), 8192), all - 86016);
}

/* Written out in torch: for both norms an fp32 copy, 4 * 4096, and the scaled input in place of the
 * input; silu(gate). */
Test(layers_kinds, torch_without_fusion)
{
    const double all = 32768 + 12288 + 8192 + 128 + 86016;
    struct rk_plan plan = plan_of(1, 1);
    plan.fused = false;
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(held(&layer, 0, 8192), all + 2 * 4 * 4096 + 2 * 14336);
    const struct operation *norm = find(&layer, "attention norm");
    cr_expect_gt(norm->kernels[RK_FORWARD], 4);
    cr_expect_gt(norm->bytes[RK_FORWARD], 4 * 2.0 * 2 * 4096 * 8192);
}

/* SiLU by itself keeps its output; norms are as they were. */
Test(layers_kinds, activation_apart)
{
    struct rk_plan plan = plan_of(1, 1);
    const struct layer fused = layer_of(&llama, LAYER_DENSE, &plan);
    plan.activation_fused = false;
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(held(&layer, 0, 8192), held(&fused, 0, 8192) + 2 * 14336);
    cr_expect_eq(find(&layer, "attention norm")->kernels[RK_FORWARD], 1);
}

/* Gate and value before SwiGLU: a byte an element in place of two; backward casts them back. */
Test(layers_kinds, activation_kept_in_8_bits)
{
    struct rk_plan plan = plan_of(1, 1);
    const struct layer wide = layer_of(&llama, LAYER_DENSE, &plan);
    plan.activation_fp8 = true;
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(held(&layer, 0, 8192), held(&wide, 0, 8192) - 2 * 14336);
    cr_expect_eq(find(&layer, "activation")->working_bytes,
                 find(&wide, "activation")->working_bytes + 2.0 * 14336 * 2 * 8192);
}

/* Attention in 8 bits keeps queries, keys and values so, 6,144 a token where 12,288 bytes were; the
 * output, 4,096 elements, with delayed scaling as well. On an H100 its products are twice as fast
 * and its exponentials are not. */
Test(layers_kinds, attention_in_8_bits)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.precision = RK_FP8_DELAYED;
    const struct layer wide = layer_of(&llama, LAYER_DENSE, &plan);
    plan.attention_fp8 = true;
    const struct layer delayed = layer_of(&llama, LAYER_DENSE, &plan);
    plan.precision = RK_FP8_CURRENT;
    const struct layer current = layer_of(&llama, LAYER_DENSE, &plan);
    const double all = held(&wide, 0, 8192);
    cr_expect_eq(held(&delayed, 0, 8192), all - 6144 - 4096);
    cr_expect_eq(held(&current, 0, 8192), all - 6144);
}

/* 8 bits: norm outputs and activation 1 byte an element, and an 8-bit copy of attention's output.
 */
Test(layers_kinds, narrow_inputs)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.precision = RK_FP8_CURRENT;
    struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    const double wide = 2 * 4096 * 2 + 12288 + 8192 + 128 + 2 * 14336 * 2;
    cr_expect_eq(held(&layer, 0, 8192), wide + 2 * 4096 + 14336 + 4096);
    plan.precision = RK_MXFP8; /* and a scale for each 32 */
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(held(&layer, 0, 8192), wide + (2 * 4096 + 14336 + 4096) * 33.0 / 32);
    plan.precision = RK_NVFP4; /* half a byte, a scale for each 16 */
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(held(&layer, 0, 8192), wide + (2 * 4096 + 14336 + 4096) * 9.0 / 16);
    plan.framework = RK_FSDP; /* torch's layers keep what they were given */
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(held(&layer, 0, 8192), wide + 2 * 4096 * 2 + 14336 * 2);
}

Test(layers_kinds, what_runs_narrow)
{
    static const char *const narrow[] = {"query, key, value", "attention out", "mlp in", "mlp out"};
    struct rk_plan plan = plan_of(1, 1);
    plan.precision = RK_FP8_BLOCK;
    struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    int casts = 0;
    for (int i = 0; i < 4; i++)
        cr_expect(find(&layer, narrow[i])->narrow, "%s", narrow[i]);
    for (int i = 0; i < layer.operations; i++)
        casts += strcmp(op_name(layer.operation[i].op), "cast") == 0;
    cr_expect_eq(casts, 4);
    layer = layer_of(&llama, LAYER_HEAD, &plan);
    cr_expect_not(find(&layer, "logits")->narrow);
    cr_expect_null(operation_of(&layer, "cast"));
}

/* Weights are cast in the first of eight microbatches: an eighth for each. 8-bit weights are not.
 */
Test(layers_kinds, weights_are_cast_once_a_step)
{
    const double input = 8192.0 * 4096, weights = 6144.0 * 4096;
    struct rk_plan plan = plan_of(1, 1);
    plan.precision = RK_FP8_DELAYED;
    plan.batch = 8;
    struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(find(&layer, "cast")->bytes[RK_FORWARD], 4 * (input + weights / 8));
    plan.weights_fp8 = true;
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(find(&layer, "cast")->bytes[RK_FORWARD], 4 * input);
}

/* Unfused attention does not read its output in backward: only the linear layer behind it keeps
 * it, in 8 bits if it runs so. Over an all-to-all, fused attention keeps what goes in, that layer
 * what comes out. */
Test(layers_kinds, output_of_attention)
{
    const double output = 4096 * 2, logs = 32 * 4, scores = 32.0 * 8192 * 2;
    struct rk_plan plan = plan_of(1, 1);
    const struct layer fused = layer_of(&llama, LAYER_DENSE, &plan);
    plan.attention = RK_UNFUSED;
    const struct layer wide = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(held(&wide, 0, 8192) - held(&fused, 0, 8192), scores - logs);
    plan.precision = RK_FP8_CURRENT;
    const struct layer unfused = layer_of(&llama, LAYER_DENSE, &plan);
    plan.attention = RK_FLASH;
    const struct layer narrow = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(held(&unfused, 0, 8192) - held(&narrow, 0, 8192), scores - logs - output);
    plan = plan_of(1, 4);
    const struct layer ring = layer_of(&llama, LAYER_DENSE, &plan);
    plan.context_kind = RK_ULYSSES;
    const struct layer ulysses = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(held(&ulysses, 0, 2048) - held(&ring, 0, 2048), output);
}

/* ---- attention ---- */

Test(layers_kinds, pairs_of_attention)
{
    struct rk_model model = llama;
    model.window = 1024;
    struct rk_plan plan = plan_of(1, 1);
    struct layer layer = layer_of(&model, LAYER_DENSE, &plan);
    const struct operation *op = find(&layer, "attention");
    const double s = 8192, flop = 4 * 32 * 128;
    cr_expect_eq(op->pairs, s * (s + 1) / 2);
    cr_expect_eq(op->flop[RK_FORWARD], flop * s * (s + 1) / 2);
    cr_expect_eq(op->flop[RK_AGRAD], 2.5 * op->flop[RK_FORWARD]);
    cr_expect_eq(op->useful_flop, op->flop[RK_FORWARD]);
    cr_expect_eq(op->useful_flop + op->masked_flop, flop * s * s);
    cr_expect_eq(op->useful_flop + op->megatron_flop, flop * s * s / 2);
    layer = layer_of(&model, LAYER_DENSE_LOCAL, &plan);
    op = find(&layer, "attention");
    cr_expect_eq(op->pairs, 1024 * 1025 / 2 + (s - 1024) * 1024);
    cr_expect_eq(op->useful_flop, op->flop[RK_FORWARD]);
    cr_expect_eq(op->useful_flop + op->masked_flop, flop * s * 1024);
    cr_expect_eq(op->useful_flop + op->megatron_flop, flop * s * s / 2);
    plan.full_attention = true;
    layer = layer_of(&model, LAYER_DENSE, &plan);
    cr_expect_eq(find(&layer, "attention")->pairs, s * s);
    model.window = 100000; /* longer than the sample */
    plan.full_attention = false;
    layer = layer_of(&model, LAYER_DENSE_LOCAL, &plan);
    cr_expect_eq(find(&layer, "attention")->pairs, s * (s + 1) / 2);
}

/* Over four ranks: 2048 tokens each, keys and values of 8 * 128 * 2 elements, 2 bytes: 8 MiB. */
Test(layers_kinds, context_parallelism)
{
    const double keys = 2048.0 * 8 * 128 * 2 * 2, queries = 2048.0 * 4096 * 2;
    struct rk_plan plan = plan_of(1, 4);
    struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    const struct operation *op = find(&layer, "key, value ring");
    cr_expect(op->beside_attention);
    cr_expect_eq(op->comm_times[RK_FORWARD] * op->comm_bytes[RK_FORWARD], 3 * keys);
    cr_expect_eq(op->comm_times[RK_AGRAD] * op->comm_bytes[RK_AGRAD], 7 * keys);
    cr_expect_eq(find(&layer, "attention")->queries, 2048);
    cr_expect_eq(find(&layer, "attention")->keys, 8192);

    plan.context_kind = RK_GATHER;
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    op = find(&layer, "key, value all-gather");
    cr_expect_eq(op->comm_bytes[RK_FORWARD], 4 * keys);
    cr_expect_eq(op->what[RK_AGRAD], COMM_REDUCE_SCATTER);
    cr_expect_eq(op->what[RK_WGRAD], COMM_ALL_GATHER);

    plan.context_kind = RK_ULYSSES;
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    op = find(&layer, "query, key, value all-to-all");
    cr_expect_eq(op->comm_bytes[RK_FORWARD], queries + keys);
    cr_expect_eq(op->rearranged_bytes,
                 4 * (queries + keys)); /* in front and behind, read, written */
    cr_expect_eq(op->kernels[RK_AGRAD], 1 + 2 * 3);
    op = find(&layer, "attention output all-to-all");
    cr_expect_eq(op->comm_bytes[RK_AGRAD], queries);
    cr_expect_eq(op->rearranged_bytes, 4 * queries);
    cr_expect_eq(op->kernels[RK_FORWARD], 1 + 2);
    op = find(&layer, "attention");
    cr_expect(op->heads == 8 && op->kv_heads == 2 && op->queries == 8192 && op->keys == 8192);

    plan.context_kind = RK_RING_ULYSSES;
    plan.ulysses = 2;
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    op = find(&layer, "attention");
    cr_expect(op->heads == 16 && op->kv_heads == 4 && op->queries == 4096 && op->keys == 8192);
    cr_expect_eq(find(&layer, "key, value ring")->comm_times[RK_FORWARD], 1);
    cr_expect_eq(find(&layer, "query, key, value all-to-all")->over, OVER_ULYSSES);
}

/* DeepSeek-V3's attention on 4096 tokens: latent vectors of 1536 and 512, norms keep input and
 * output, 4 * 2048 bytes a token; heads of 192, 192, 128. */
static const struct rk_model latent = {.layers = 61,
                                       .hidden = 7168,
                                       .feedforward = 18432,
                                       .heads = 128,
                                       .head_dim = 128,
                                       .sequence = 4096,
                                       .vocabulary = 129280,
                                       .position = RK_POSITION_ROPE,
                                       .norm = RK_RMS_NORM,
                                       .gated_mlp = true,
                                       .no_dropout = true,
                                       .q_rank = 1536,
                                       .kv_rank = 512,
                                       .rope_dim = 64,
                                       .value_dim = 128,
                                       .activation = RK_SILU};

Test(layers_kinds, latent_attention)
{
    const struct rk_plan plan = plan_of(1, 1);
    const struct layer layer = layer_of(&latent, LAYER_DENSE, &plan);
    const double heads = 128 * (192 + 192 + 128) * 2, vectors = 2 * (1536 + 512);
    const double all = 4 * 7168 * 2 + 2 * vectors + heads + 128 * 128 * 2 + 128 * 4 + 3 * 18432 * 2;
    cr_expect_eq(held(&layer, 0, 4096), all);
    /* what the norms bring goes, too, and the part of the keys with position stays */
    cr_expect_eq(held(&layer, PART(UP_PROJECTION), 4096), all - heads - vectors + 64 * 2);
    const struct operation *op = find(&layer, "attention");
    cr_expect(op->head_dim == 192 && op->value_dim == 128 && op->kv_heads == 128);
    const double product = 2.0 * 128 * 4096 * 4097 / 2;
    cr_expect_eq(op->flop[RK_FORWARD], product * (192 + 128));
    cr_expect_eq(op->flop[RK_AGRAD], product * (3 * 192 + 2 * 128));
}

/* Sequence parallelism gathers latent vectors in place of the stream. */
Test(layers_kinds, latent_gather)
{
    const struct rk_plan plan = plan_of(8, 1);
    const struct layer layer = layer_of(&latent, LAYER_DENSE, &plan);
    cr_expect_null(operation_of(&layer, "attention gather"));
    cr_expect_eq(find(&layer, "query gather")->comm_bytes[RK_FORWARD], 4096.0 * 1536 * 2);
    cr_expect_eq(find(&layer, "key, value gather")->comm_bytes[RK_FORWARD],
                 4096.0 * (512 + 64) * 2);
    cr_expect_eq(find(&layer, "query down")->m, 512, "on shards");
}

/* More tensor ranks than key heads: each has one whole head; what they compute twice is no model
 * FLOP. */
Test(layers_kinds, copied_heads)
{
    const struct rk_plan plan = plan_of(16, 1);
    const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    const struct operation *op = find(&layer, "query, key, value");
    cr_expect_eq(op->n, (2 + 2 * 1) * 128);
    cr_expect_eq(op->useful_flop, op->flop[RK_FORWARD] * 3 / 4, "two query heads and half of two");
}

/* ---- ends ---- */

/* 100 logits a token and rank: 4 bytes in fp32 and 2 in bf16 beside them. */
Test(layers_kinds, losses)
{
    static const struct {
        enum rk_framework framework;
        bool fused;
        double kept, beside;
    } rows[] = {{RK_MEGATRON, true, 4, 2},
                {RK_MEGATRON, false, 4, 2},
                {RK_FSDP, true, 2, 2},
                {RK_FSDP, false, 4, 10}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rk_plan plan = plan_of(1, 1);
        plan.framework = rows[i].framework;
        plan.fused = rows[i].fused;
        const struct layer layer = layer_of(&llama, LAYER_HEAD, &plan);
        const struct operation *op = find(&layer, "cross entropy");
        const double logits = 8192.0 * 128256;
        cr_expect_eq(op->saved_bytes, logits * rows[i].kept);
        cr_expect_eq(op->working_bytes, logits * rows[i].beside);
    }
}

/* Megatron-LM's compiled loss: fp32 exponentials beside fp32 logits, and the 16-bit ones. */
Test(layers_kinds, compiled_loss)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.loss_compiled = true;
    const struct layer layer = layer_of(&llama, LAYER_HEAD, &plan);
    const struct operation *op = find(&layer, "cross entropy");
    cr_expect_eq(op->saved_bytes, 8192.0 * 128256 * 4);
    cr_expect_eq(op->working_bytes, 8192.0 * 128256 * (2 + 4));
}

/* Transformer Engine's loss turns the 16-bit logits into their gradients: beside them is the
 * gradient of the head's input alone. */
Test(layers_kinds, loss_in_place)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.loss_in_place = true;
    const struct layer layer = layer_of(&llama, LAYER_HEAD, &plan);
    const struct operation *loss = find(&layer, "cross entropy");
    cr_expect_eq(loss->saved_bytes, 8192.0 * 128256 * 2);
    cr_expect_eq(loss->working_bytes, 0);
    cr_expect_eq(find(&layer, "logits")->working_bytes, 8192.0 * 4096 * 2);
}

/* The logits of the microbatch before, in 16 bits, beside all that the loss has. */
Test(layers_kinds, logits_linger)
{
    struct rk_plan plan = plan_of(1, 1);
    const struct layer usual = layer_of(&llama, LAYER_HEAD, &plan);
    plan.logits_linger = true;
    const struct layer linger = layer_of(&llama, LAYER_HEAD, &plan);
    cr_expect_eq(find(&linger, "cross entropy")->working_bytes -
                     find(&usual, "cross entropy")->working_bytes,
                 8192.0 * 128256 * 2);
}

/* The gradient of the whole table, 128256 x 4096, is 2 bytes of zeros an element; Megatron-LM reads
 * it, and reads and writes 4 bytes of the main gradient. Frozen, there is none. */
Test(layers_kinds, gradient_of_the_table)
{
    struct rk_plan plan = plan_of(1, 1);
    const double table = 128256.0 * 4096;
    plan.framework = RK_FSDP;
    const struct layer torch = layer_of(&llama, LAYER_EMBEDDING, &plan);
    plan.framework = RK_MEGATRON;
    const struct layer hooked = layer_of(&llama, LAYER_EMBEDDING, &plan);
    plan.frozen = true;
    const struct layer frozen = layer_of(&llama, LAYER_EMBEDDING, &plan);
    cr_expect_eq(find(&torch, "embedding")->table_bytes, table * 2);
    cr_expect_eq(find(&hooked, "embedding")->table_bytes, table * (2 + 2 + 8));
    cr_expect_eq(find(&frozen, "embedding")->table_bytes, 0);
}

/* FlashAttention's output is kept twice of two samples: as it was written, and turned over. */
Test(layers_kinds, flash_outputs)
{
    struct rk_plan plan = plan_of(1, 1);
    const double one = 8192.0 * 4096 * 2, logs = 8192.0 * 32 * 4;
    static const struct {
        enum rk_framework framework;
        enum rk_attention_kernel attention;
        uint64_t microbatch;
        double outputs;
    } rows[] = {{RK_MEGATRON, RK_FLASH, 1, 1},
                {RK_MEGATRON, RK_FLASH, 2, 2},
                {RK_MEGATRON, RK_FLASH_1, 2, 2},
                {RK_MEGATRON, RK_FLASH_3, 2, 1},
                {RK_FSDP, RK_FLASH, 2, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        plan.framework = rows[i].framework;
        plan.attention = rows[i].attention;
        plan.microbatch = rows[i].microbatch;
        const struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
        cr_expect_eq(find(&layer, "attention")->saved_bytes,
                     (double)rows[i].microbatch * (rows[i].outputs * one + logs));
    }
}

/* 128256 columns are 31.3 times the width: 32 chunks of 256 tokens, of which the logits of one are
 * there; kept are the gradients of the head's input and weights. FLOP are the same. */
Test(layers_kinds, loss_in_chunks)
{
    struct rk_plan plan = plan_of(1, 1);
    const struct layer whole = layer_of(&llama, LAYER_HEAD, &plan);
    plan.loss_in_chunks = true;
    const struct layer layer = layer_of(&llama, LAYER_HEAD, &plan);
    const struct operation *logits = find(&layer, "logits"), *loss = find(&layer, "cross entropy");
    cr_expect_eq(logits->working_bytes, 256.0 * 128256 * 2);
    cr_expect_eq(logits->saved_bytes, (8192.0 + 128256) * 4096 * 2);
    cr_expect_eq(loss->saved_bytes, 0);
    cr_expect_eq(loss->working_bytes, 256.0 * 128256 * (4 + 2));
    for (int pass = 0; pass < RK_PASSES; pass++)
        cr_expect_eq(logits->flop[pass], find(&whole, "logits")->flop[pass]);
    plan.sequence = 128; /* 128 / 32 is 4 tokens */
    plan.frozen = true;  /* no gradient of the weights */
    const struct layer shorter = layer_of(&llama, LAYER_HEAD, &plan);
    cr_expect_eq(find(&shorter, "logits")->working_bytes, 4.0 * 128256 * 2 + 128.0 * 4096 * 2,
                 "and what the norm brought, which nobody keeps");
    cr_expect_eq(find(&shorter, "logits")->saved_bytes, 128.0 * 4096 * 2);
}

/* 63 chunks of 2,048 of 128,256 columns: 112 bytes a logit in 32 kernels a chunk, whose product is
 * made again and takes twice as long as in 16 bits. */
Test(layers_kinds, loss_of_a_policy)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.framework = RK_FSDP;
    plan.loss = RK_LOSS_POLICY;
    const struct layer layer = layer_of(&llama, LAYER_HEAD, &plan);
    const struct operation *logits = find(&layer, "logits"), *loss = find(&layer, "cross entropy");
    cr_expect_eq(logits->again, 3);
    cr_expect_eq(loss->bytes[RK_FORWARD], 54.0 * 8192 * 128256);
    cr_expect_eq(loss->bytes[RK_AGRAD], 58.0 * 8192 * 128256);
    cr_expect_eq(loss->kernels[RK_FORWARD], 14 * 63);
    cr_expect_eq(loss->kernels[RK_AGRAD], 18 * 63);
}

/* Padded to a multiple of 128 times t: 128256 is one of 128, not of 1024. */
Test(layers_kinds, padded_vocabulary)
{
    struct rk_plan plan = plan_of(8, 1);
    cr_expect_eq(padded_vocabulary(&llama, &plan), 128256);
    plan.vocabulary_multiple = 128;
    cr_expect_eq(padded_vocabulary(&llama, &plan), 129024);
    const struct layer layer = layer_of(&llama, LAYER_HEAD, &plan);
    cr_expect_eq(find(&layer, "logits")->n, 16128);
    cr_expect_eq(find(&layer, "logits")->useful_flop, 2 * 8192.0 * 16032 * 4096);
}

/* On one stage the table is there once; on the last of several it is a copy, and with multi-token
 * prediction the embedding is another one. */
Test(layers_kinds, tables_of_the_head)
{
    static const struct {
        bool tied;
        uint64_t pipeline, predict;
        double tables;
    } rows[] = {{true, 1, 0, 0},  {true, 2, 0, 1},  {true, 2, 1, 1},
                {false, 1, 1, 1}, {false, 2, 0, 1}, {false, 2, 1, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rk_model model = llama;
        struct rk_plan plan = plan_of(1, 1);
        model.tied_embeddings = rows[i].tied;
        model.predict_layers = rows[i].predict;
        plan.pipeline = plan.ranks = rows[i].pipeline;
        const struct layer layer = layer_of(&model, LAYER_HEAD, &plan);
        cr_expect_eq(find(&layer, "logits")->parameters, rows[i].tables * 128256 * 4096);
    }
}

/* A projection of 2h to h and two norms, a block, a norm; the head's table is another's. */
Test(layers_kinds, multi_token_prediction)
{
    const struct rk_plan plan = plan_of(1, 1);
    const struct layer block = layer_of(&llama, LAYER_DENSE, &plan);
    const struct layer layer = layer_of(&llama, LAYER_PREDICT, &plan);
    double parameters = 2.0 * 4096 * 4096 + 3 * 4096, sum = 0;
    for (int i = 0; i < block.operations; i++)
        parameters += block.operation[i].parameters;
    for (int i = 0; i < layer.operations; i++)
        sum += layer.operation[i].parameters;
    cr_expect_eq(sum, parameters);
    cr_expect_eq(find(&layer, "logits")->useful_flop, 2 * 8192.0 * 128256 * 4096);
}

/* What a stage sends, and what a checkpoint of a layer is. */
Test(layers_kinds, messages_and_checkpoints)
{
    const double stream = 8192.0 / 2 * 4096 * 2;
    struct rk_plan plan = plan_of(4, 2);
    struct layer layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(layer.message_bytes, stream / 4);
    cr_expect_eq(layer.input_bytes, stream / 4);
    plan.sequence_parallel = false;
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(layer.message_bytes, stream);
    cr_expect_eq(layer.input_bytes, stream);
    plan.checkpoint_sharded = plan.messages_sharded = true;
    layer = layer_of(&llama, LAYER_DENSE, &plan);
    cr_expect_eq(layer.message_bytes, stream / 4);
    cr_expect_eq(layer.input_bytes, stream / 4);
}

/* PaLM: one norm, one gather, one reduction. Falcon: two norms, still one reduction. */
Test(layers_kinds, parallel_blocks)
{
    struct rk_model model = llama;
    model.parallel_block = true;
    model.block_norms = 1;
    const struct rk_plan plan = plan_of(8, 1);
    for (int norms = 1; norms <= 2; norms++) {
        model.block_norms = (uint64_t)norms;
        const struct layer layer = layer_of(&model, LAYER_DENSE, &plan);
        int gathers = 0, reductions = 0;
        for (int i = 0; i < layer.operations; i++) {
            const struct operation *op = &layer.operation[i];
            if (op->kind != OPERATION_COMM) continue;
            gathers += op->what[RK_FORWARD] == COMM_ALL_GATHER;
            reductions += op->what[RK_FORWARD] == COMM_REDUCE_SCATTER;
        }
        cr_expect_eq(gathers, norms);
        cr_expect_eq(reductions, 1);
    }
}

/* GPT-NeoX drops out attention and MLP apart: a byte for each element of both. */
Test(layers_kinds, masks_of_parallel_blocks)
{
    struct rk_model model = llama;
    const struct rk_plan plan = plan_of(1, 1);
    model.parallel_block = true;
    const struct layer without = layer_of(&model, LAYER_DENSE, &plan);
    model.no_dropout = false;
    const struct layer with = layer_of(&model, LAYER_DENSE, &plan);
    cr_expect_eq(held(&with, 0, 8192) - held(&without, 0, 8192), 2 * 4096);
}
