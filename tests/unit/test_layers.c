/* What the operations of a layer hold, by published formulas and by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "workload/layers.h"

/* GPT-3 175B with dropout: h 12288, a 96, s 2048. */
static const struct rk_model gpt3 = {.layers = 96,
                                     .hidden = 12288,
                                     .feedforward = 4 * 12288,
                                     .heads = 96,
                                     .head_dim = 128,
                                     .sequence = 2048,
                                     .vocabulary = 51200,
                                     .tied_embeddings = true,
                                     .biases = true};

static struct rk_plan plan_of(uint64_t tensor, bool sequence_parallel)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = plan.tensor = tensor;
    plan.sequence_parallel = sequence_parallel;
    plan.microbatch = 2;
    plan.batch = 2;
    return plan;
}

static const struct operation *find(const struct layer *layer, const char *name)
{
    for (int i = 0; i < layer->operations; i++)
        if (strcmp(op_name(layer->operation[i].op), name) == 0) return &layer->operation[i];
    cr_assert(false, "no operation %s", name);
    return NULL;
}

/* With core attention computed again, or not. */
static double saved_bytes(const struct layer *layer, bool core)
{
    double sum = 0;
    for (int i = 0; i < layer->operations; i++) {
        const struct operation *op = &layer->operation[i];
        sum += core && op->part == RK_PART_CORE_ATTENTION ? op->saved_recomputed_bytes
                                                          : op->saved_bytes;
    }
    return sum;
}

/* Korthikanti et al. 2022, equations (1) to (4) and Table 2. */
Test(layers, korthikanti_activations)
{
    const double s = 2048, b = 2, h = 12288, a = 96, sbh = s * b * h, share = 5 * a * s / h;
    for (uint64_t t = 1; t <= 8; t *= 2)
        for (int shards = 0; shards < 2; shards++) {
            const double n = (double)t;
            struct rk_plan plan = plan_of(t, shards);
            struct layer layer;
            plan.attention = RK_UNFUSED;
            layer_build(&layer, LAYER_DENSE, &gpt3, &plan);
            const double all = shards ? sbh / n * (34 + share) : sbh * (10 + (24 + share) / n);
            cr_assert_float_eq(saved_bytes(&layer, false), all, 1, "t %g, shards %d", n, shards);
            const double core = shards ? sbh / n * 34 : sbh * (10 + 24 / n);
            cr_assert_float_eq(saved_bytes(&layer, true), core, 1, "t %g, shards %d", n, shards);
        }
}

/* Section 4.3: embedding dropout sbh; final norm and head 4 sbh, logits in fp32 4 sbv. Token
 * numbers, 8 sb, are not counted there. */
Test(layers, korthikanti_ends)
{
    const double s = 2048, b = 2, h = 12288, v = 51200;
    const struct rk_plan plan = plan_of(8, true);
    struct layer layer;
    layer_build(&layer, LAYER_EMBEDDING, &gpt3, &plan);
    cr_assert_float_eq(saved_bytes(&layer, false), s * b * h / 8 + 8 * s * b, 1);
    layer_build(&layer, LAYER_HEAD, &gpt3, &plan);
    cr_assert_float_eq(saved_bytes(&layer, false), s * b / 8 * (4 * h + 4 * v), 1);
}

/* Section 4.2.2: sequence parallelism moves what all-reduces do, in two halves each. */
Test(layers, tensor_communication)
{
    const double bytes = 2048.0 * 2 * 12288 * 2;
    struct layer layer;
    struct rk_plan plan = plan_of(8, false);
    layer_build(&layer, LAYER_DENSE, &gpt3, &plan);
    cr_assert_eq(find(&layer, "attention gather")->comm_bytes[RK_FORWARD], 0);
    cr_assert_eq(find(&layer, "attention gather")->comm_bytes[RK_AGRAD], bytes);
    cr_assert_eq(find(&layer, "attention gather")->what[RK_AGRAD], COMM_ALL_REDUCE);
    cr_assert_eq(find(&layer, "mlp reduce")->comm_bytes[RK_FORWARD], bytes);
    cr_assert_eq(find(&layer, "mlp reduce")->comm_bytes[RK_AGRAD], 0);
    plan.sequence_parallel = true;
    layer_build(&layer, LAYER_DENSE, &gpt3, &plan);
    cr_assert_eq(find(&layer, "attention gather")->what[RK_FORWARD], COMM_ALL_GATHER);
    cr_assert_eq(find(&layer, "attention gather")->comm_bytes[RK_FORWARD], bytes);
    cr_assert_eq(find(&layer, "mlp gather")->what[RK_AGRAD], COMM_REDUCE_SCATTER);
    cr_assert_eq(find(&layer, "mlp gather")->what[RK_WGRAD], COMM_ALL_GATHER);
    cr_assert_eq(find(&layer, "mlp reduce")->what[RK_FORWARD], COMM_REDUCE_SCATTER);
    cr_assert_eq(find(&layer, "mlp reduce")->what[RK_AGRAD], COMM_ALL_GATHER);
    cr_assert_eq(find(&layer, "mlp reduce")->comm_bytes[RK_AGRAD], bytes);
}

/* Llama-2-70B at t = 8 with sequence parallelism, b = 1: bytes a token and rank, by hand.
 * Norm inputs and outputs 4 * 8192 * 2 / 8 = 8192; queries 8 heads, keys and values 1 each, and the
 * output, 18 * 128 * 2 = 4608; log-sums 8 * 4 = 32; MLP 3 * 28672 / 8 * 2 = 21504. */
Test(layers, llama_activations)
{
    const struct rk_model llama = {.layers = 80,
                                   .hidden = 8192,
                                   .feedforward = 28672,
                                   .heads = 64,
                                   .head_dim = 128,
                                   .sequence = 4096,
                                   .vocabulary = 32000,
                                   .kv_heads = 8,
                                   .position = RK_POSITION_ROPE,
                                   .norm = RK_RMS_NORM,
                                   .gated_mlp = true,
                                   .no_dropout = true,
                                   .activation = RK_SILU};
    struct layer layer;
    struct rk_plan plan = plan_of(8, true);
    plan.microbatch = 1;
    layer_build(&layer, LAYER_DENSE, &llama, &plan);
    cr_assert_float_eq(saved_bytes(&layer, false), 4096.0 * (8192 + 4608 + 32 + 21504), 1);
}
