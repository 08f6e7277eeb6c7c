/* Mixtures of experts: published totals, and what dispatchers, capacity and crowding do. */
#include "layer_cases.h"

#include <math.h>

/* BigMac, Table 4 (arXiv 2502.16927): 24 layers, hidden 2048, 64 experts, top-8, 524,288 tokens a
 * step in samples of 2048, experts over 32 ranks. Fine-grained: experts of width 2048 / 4. BigMac:
 * tokens of width 2048 / 4, experts as wide as four times that. */
static struct rk_model bigmac(bool narrowed)
{
    return (struct rk_model){.layers = 24,
                             .hidden = 2048,
                             .feedforward = 8192,
                             .heads = 16,
                             .head_dim = 128,
                             .sequence = 2048,
                             .vocabulary = 50304,
                             .tied_embeddings = true,
                             .count_embeddings = true,
                             .no_dropout = true,
                             .experts = 64,
                             .active_experts = 8,
                             .expert_feedforward = narrowed ? 2048 : 512,
                             .expert_hidden = narrowed ? 512 : 0};
}

static struct rk_plan plan_of(uint64_t ranks, uint64_t expert)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = ranks;
    plan.expert = expert;
    plan.microbatch = 1;
    plan.batch = ranks;
    return plan;
}

/* Attention in full. */
static double full_flop(const struct layer *layer)
{
    double sum = 0;
    for (int i = 0; i < layer->operations; i++)
        sum += layer->operation[i].useful_flop + layer->operation[i].masked_flop;
    return sum;
}

/* Bytes that leave a rank for another one: (n - 1) / n of those it holds, forward and backward. */
static double crossing_bytes(const struct layer *layer, double ranks)
{
    double sum = 0;
    for (int i = 0; i < layer->operations; i++) {
        const struct operation *op = &layer->operation[i];
        if (op->kind == OPERATION_COMM && op->what[RK_FORWARD] == COMM_ALL_TO_ALL)
            sum += op->comm_bytes[RK_FORWARD] + op->comm_bytes[RK_AGRAD];
    }
    return sum * (ranks - 1) / ranks;
}

Test(layers_experts, bigmac_table_4)
{
    static const struct {
        bool narrowed;
        double parameters, flop, bytes; /* 1e9, 1e12, GiB */
    } published[] = {{false, 3.73, 3490.67, 1488.00}, {true, 3.78, 3649.00, 372.00}};
    const double samples = 524288 / 2048.0, ranks = 32;
    for (int i = 0; i < 2; i++) {
        const struct rk_model model = bigmac(published[i].narrowed);
        const struct rk_plan plan = plan_of(32, 32);
        const struct layer block = layer_of(&model, LAYER_EXPERTS, &plan);
        const struct layer head = layer_of(&model, LAYER_HEAD, &plan);
        const double forward = 24 * full_flop(&block) + full_flop(&head);
        cr_expect_float_eq((double)rk_model_parameters(&model) / 1e9, published[i].parameters,
                           0.005);
        cr_expect_float_eq(3 * samples * forward / 1e12, published[i].flop, 0.005);
        const double gibibytes = samples * 24 * crossing_bytes(&block, ranks) / 0x1p30;
        cr_expect_float_eq(gibibytes, published[i].bytes, 0.005);
    }
}

static const struct rk_model deepseek = {.layers = 61,
                                         .hidden = 7168,
                                         .feedforward = 18432,
                                         .heads = 128,
                                         .head_dim = 128,
                                         .sequence = 4096,
                                         .vocabulary = 129280,
                                         .position = RK_POSITION_ROPE,
                                         .count_embeddings = true,
                                         .norm = RK_RMS_NORM,
                                         .gated_mlp = true,
                                         .no_dropout = true,
                                         .experts = 256,
                                         .active_experts = 8,
                                         .shared_experts = 1,
                                         .expert_feedforward = 2048,
                                         .dense_layers = 3,
                                         .router_biases = true,
                                         .q_rank = 1536,
                                         .kv_rank = 512,
                                         .rope_dim = 64,
                                         .value_dim = 128,
                                         .activation = RK_SILU};

/* "Insights into DeepSeek-V3" (arXiv 2505.09343), Table 2: 250 GFLOP to train on one token, in
 * samples of 4096. Three passes, of attention the causal half; the router, 0.1 %, left out. */
Test(layers_experts, deepseek_flop_of_a_token)
{
    const struct rk_plan plan = plan_of(1, 1);
    double counts[LAYER_KINDS] = {[LAYER_HEAD] = 1}, sum = 0, parameters = 0;
    layer_count(&deepseek, 0, deepseek.layers, counts);
    cr_assert_eq(counts[LAYER_DENSE], 3);
    cr_assert_eq(counts[LAYER_EXPERTS], 58);
    counts[LAYER_EMBEDDING] = 1;
    for (int kind = 0; kind < LAYER_KINDS; kind++) {
        if (counts[kind] == 0) continue;
        const struct layer layer = layer_of(&deepseek, (enum layer_kind)kind, &plan);
        for (int i = 0; i < layer.operations; i++) {
            const struct operation *op = &layer.operation[i];
            if (op->op != OP_ROUTER) sum += counts[kind] * op->flop[RK_FORWARD];
            parameters += counts[kind] * op->parameters;
        }
    }
    cr_expect_float_eq(3 * sum / 4096 / 1e9, 250, 1.5, "%g", 3 * sum / 4096 / 1e9);
    cr_expect_eq(parameters, 671026419200 + 0.0, "%.0f", parameters);
    cr_expect_float_eq((double)rk_model_active_parameters(&deepseek) / 1e9, 37, 0.6);
}

/* Megatron-LM's interleaving and DeepSeek's first layers. */
Test(layers_experts, which_layers)
{
    struct rk_model model = bigmac(false);
    model.layers = 7;
    model.dense_layers = 1;
    model.expert_every = 2;
    static const enum layer_kind kinds[] = {LAYER_DENSE,   LAYER_DENSE, LAYER_EXPERTS, LAYER_DENSE,
                                            LAYER_EXPERTS, LAYER_DENSE, LAYER_EXPERTS};
    for (uint64_t i = 0; i < 7; i++)
        cr_expect_eq(layer_kind_of(&model, i), kinds[i], "layer %d", (int)i);
    model.window = 128;
    model.window_every = 3;
    cr_expect_eq(layer_kind_of(&model, 0), LAYER_DENSE_LOCAL);
    cr_expect_eq(layer_kind_of(&model, 2), LAYER_EXPERTS);
    cr_expect_eq(layer_kind_of(&model, 4), LAYER_EXPERTS_LOCAL);
}

/* 2048 tokens to 8 of 64 experts over 8 ranks: 8 experts a rank, 2048 * 8 / 8 = 2048 copies each.
 */
Test(layers_experts, capacity_and_crowding)
{
    const struct rk_model model = bigmac(false);
    struct rk_plan plan = plan_of(8, 8);
    struct layer layer = layer_of(&model, LAYER_EXPERTS, &plan);
    const struct operation *op = find(&layer, "experts in");
    cr_expect_eq(op->count, 8);
    cr_expect_eq(op->m, 2048);
    cr_expect_eq(find(&layer, "dispatch")->comm_bytes[RK_FORWARD], 2048.0 * 8 * 2048 * 2);
    const double useful = op->useful_flop;

    static const struct {
        double imbalance, capacity;
        bool padded;
        double rows;
    } cases[] = {
        {1.5, 0, false, 3072},                   /* the busiest rank has more */
        {1.5, 1.25, false, 2560},                /* what is beyond is dropped */
        {1.125, 1.25, false, 2304},              /* nothing is */
        {1, 1.25, true, 2560},                   /* filled up */
        {1.5, 0, true, 3072},                    /* to the busiest */
        {1, 0, true, 2048 * 2.8284271247461903}, /* of 64 experts and 8 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan.imbalance = cases[i].imbalance;
        plan.capacity_factor = cases[i].capacity;
        plan.capacity_padded = cases[i].padded;
        layer = layer_of(&model, LAYER_EXPERTS, &plan);
        op = find(&layer, "experts in");
        cr_expect_float_eq(op->m, cases[i].rows, 1e-9);
        cr_expect_float_eq(op->useful_flop, useful, 1);
        cr_expect_float_eq(op->flop[RK_FORWARD], useful * cases[i].rows / 2048, 1);
    }
}

/* Experts of 8 of 64 on the rank that has most of them, drawn: the mean of many draws without
 * replacement. */
static double drawn_on_one(unsigned ranks)
{
    uint64_t state = 1, sum = 0;
    const unsigned draws = 20000;
    for (unsigned draw = 0; draw < draws; draw++) {
        uint64_t taken = 0;
        unsigned on[64] = {0}, most = 0;
        for (unsigned i = 0; i < 8; i++) {
            unsigned expert;
            do {
                state = state * 6364136223846793005u + 1442695040888963407u;
                expert = (unsigned)(state >> 58);
            } while (taken >> expert & 1);
            taken |= UINT64_C(1) << expert;
            const unsigned own = ++on[expert * ranks / 64];
            if (own > most) most = own;
        }
        sum += most;
    }
    return (double)sum / draws;
}

/* A router that nobody forces: between 1 and what the busiest rank has where all tokens choose the
 * same experts, the geometric mean. A given imbalance goes before it; one rank has all. */
Test(layers_experts, natural_load)
{
    const struct rk_model model = bigmac(false);
    for (unsigned ranks = 2; ranks <= 32; ranks *= 2) {
        struct rk_plan plan = plan_of(ranks, ranks);
        plan.natural_load = true;
        struct layer layer = layer_of(&model, LAYER_EXPERTS, &plan);
        const double busiest = sqrt(drawn_on_one(ranks) * ranks / 8);
        const double rows = 2048.0 * 8 * ranks / 64;
        cr_expect_float_eq(find(&layer, "experts in")->m / rows, busiest, 0.04 * busiest);
        plan.imbalance = 1.5;
        layer = layer_of(&model, LAYER_EXPERTS, &plan);
        cr_expect_float_eq(find(&layer, "experts in")->m / rows, 1.5, 1e-9);
    }
    struct rk_plan plan = plan_of(1, 1);
    plan.natural_load = true;
    const struct layer alone = layer_of(&model, LAYER_EXPERTS, &plan);
    cr_expect_eq(find(&alone, "experts in")->m, 2048 * 8 / 64);
}

/* 2048 tokens of width 2048, eight copies each, are added up by torch one element after the other:
 * what experts bring, and gradients where copies are gathered. DeepEP, XLA and Megatron-LM have
 * kernels of their own. */
Test(layers_experts, added_rows)
{
    static const struct {
        enum rk_framework framework;
        uint64_t expert;
        bool gathered, grouped, xla, deepep;
        double forward, backward;
    } rows[] = {
        {RK_FSDP, 1, false, true, false, false, 2048.0 * 8 * 2048, 0},
        {RK_FSDP, 1, true, true, false, false, 2048.0 * 8 * 2048, 2048.0 * 8 * 2048},
        {RK_FSDP, 8, true, true, false, false, 2048.0 * 8 * 2048, 2048.0 * 8 * 2048},
        {RK_FSDP, 1, true, false, false, false, 2048.0 * 8 * 2048, 0},
        {RK_FSDP, 1, true, true, true, false, 0, 0},
        {RK_FSDP, 8, true, true, false, true, 0, 0},
        {RK_MEGATRON, 1, true, true, false, false, 0, 0},
    };
    const struct rk_model model = bigmac(false);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rk_plan plan = plan_of(8, rows[i].expert);
        plan.framework = rows[i].framework;
        plan.gathered_copies = rows[i].gathered;
        plan.grouped = rows[i].grouped;
        plan.xla = rows[i].xla;
        plan.dispatcher = rows[i].deepep ? RK_DEEPEP : RK_ALL_TO_ALL;
        const struct layer layer = layer_of(&model, LAYER_EXPERTS, &plan);
        double added[RK_PASSES] = {0};
        for (int o = 0; o < layer.operations; o++)
            for (int pass = 0; pass < RK_PASSES; pass++)
                added[pass] += layer.operation[o].added[pass];
        cr_expect_eq(added[RK_FORWARD], rows[i].forward, "row %zu", i);
        cr_expect_eq(added[RK_AGRAD], rows[i].backward, "row %zu", i);
    }
    struct rk_plan compiled = plan_of(8, 1);
    compiled.framework = RK_FSDP;
    compiled.gathered_copies = compiled.compiled_rows = true;
    const struct layer layer = layer_of(&model, LAYER_EXPERTS, &compiled);
    for (int o = 0; o < layer.operations; o++)
        for (int pass = 0; pass < RK_PASSES; pass++)
            cr_expect_eq(layer.operation[o].added[pass], 0);
}

/* Ranks that share an expert bring their shards of tokens together: half the width, twice the rows,
 * the same work. */
Test(layers_experts, expert_tensor)
{
    const struct rk_model model = bigmac(false);
    struct rk_plan plan = plan_of(8, 8);
    struct layer layer = layer_of(&model, LAYER_EXPERTS, &plan);
    const struct operation alone = *find(&layer, "experts in");
    plan.tensor = 2;
    plan.expert = 4;
    plan.sequence_parallel = true;
    layer = layer_of(&model, LAYER_EXPERTS, &plan);
    const struct operation *op = find(&layer, "experts in");
    cr_expect_eq(op->n, alone.n / 2);
    cr_expect_eq(op->count * op->m, alone.count * alone.m);
    cr_expect_eq(op->parameters, alone.parameters);
    cr_expect_eq(op->flop[RK_FORWARD], alone.flop[RK_FORWARD] / 2);
    cr_expect_eq(find(&layer, "expert gather")->comm_bytes[RK_FORWARD], 2048.0 * 8 * 2048 * 2);
    cr_expect_eq(find(&layer, "expert gather")->what[RK_AGRAD], COMM_REDUCE_SCATTER);
    cr_expect_eq(find(&layer, "expert reduce")->what[RK_FORWARD], COMM_REDUCE_SCATTER);
}

/* Half of the groups are on 32 of the 64 ranks, of which 32 (1 - (31/32)^8) = 7.1776 are met; two
 * of 64 groups on two, of which 2 (1 - (1/2)^8) = 1.9922 are. All-to-all sends each copy. */
Test(layers_experts, experts_of_few_groups)
{
    struct rk_model model = bigmac(false);
    struct rk_plan plan = plan_of(64, 64);
    const double token = 2048 * 2;
    plan.dispatcher = RK_DEEPEP;
    model.expert_groups = 8;
    model.active_groups = 4;
    struct layer layer = layer_of(&model, LAYER_EXPERTS, &plan);
    cr_expect_eq(find(&layer, "dispatch")->reach, 0.5);
    cr_expect_float_eq(find(&layer, "dispatch")->comm_bytes[RK_FORWARD] / 2048 / token, 7.1776,
                       1e-4);
    model.expert_groups = 64;
    model.active_groups = 2;
    layer = layer_of(&model, LAYER_EXPERTS, &plan);
    cr_expect_float_eq(find(&layer, "combine")->comm_bytes[RK_FORWARD] / 2048 / token, 1.9922,
                       1e-4);
    plan.dispatcher = RK_ALL_TO_ALL;
    layer = layer_of(&model, LAYER_EXPERTS, &plan);
    cr_expect_eq(find(&layer, "dispatch")->comm_bytes[RK_FORWARD], 2048 * token * 8);
}

/* A token for 8 random experts is for 64 (1 - (63/64)^8) = 7.5760 of 64 ranks. */
Test(layers_experts, dispatchers)
{
    const struct rk_model model = bigmac(false);
    struct rk_plan plan = plan_of(64, 64);
    plan.dispatcher = RK_DEEPEP;
    struct layer layer = layer_of(&model, LAYER_EXPERTS, &plan);
    const double token = 2048 * 2;
    cr_expect_float_eq(find(&layer, "dispatch")->comm_bytes[RK_FORWARD] / 2048 / token, 7.5760,
                       1e-4);
    cr_expect_eq(find(&layer, "dispatch")->copies, 8);
    cr_expect_eq(find(&layer, "dispatch")->reach, 1);
    plan.precision = RK_FP8_BLOCK; /* there in 8 bits, and gradients, too */
    layer = layer_of(&model, LAYER_EXPERTS, &plan);
    const double narrow = 7.5760 * (1 + 4.0 / 128) / 2, wide = 7.5760;
    cr_expect_float_eq(find(&layer, "dispatch")->comm_bytes[RK_FORWARD] / 2048 / token, narrow,
                       1e-4);
    cr_expect_float_eq(find(&layer, "dispatch")->comm_bytes[RK_AGRAD] / 2048 / token, wide, 1e-4);
    cr_expect_float_eq(find(&layer, "combine")->comm_bytes[RK_FORWARD] / 2048 / token, wide, 1e-4);
    cr_expect_float_eq(find(&layer, "combine")->comm_bytes[RK_AGRAD] / 2048 / token, narrow, 1e-4);
    plan.dispatcher = RK_ALL_GATHER_TOKENS;
    layer = layer_of(&model, LAYER_EXPERTS, &plan);
    cr_expect_eq(find(&layer, "dispatch")->what[RK_FORWARD], COMM_ALL_GATHER);
    cr_expect_eq(find(&layer, "dispatch")->comm_bytes[RK_FORWARD], 64 * 2048 * token);
    cr_expect_eq(find(&layer, "combine")->what[RK_FORWARD], COMM_REDUCE_SCATTER);
}

/* 64 experts over 8 ranks: 8 of a rank. Transformer Engine starts a product of each, and casts of
 * each in so many kernels; captured steps and torch's grouped products are one kernel. */
Test(layers_experts, products_that_the_host_starts)
{
    static const struct {
        enum rk_precision precision;
        enum rk_framework framework;
        bool captured;
        double starts, casts;
    } cases[] = {
        {RK_MXFP8, RK_MEGATRON, false, 8, 16},      {RK_FP8_CURRENT, RK_MEGATRON, false, 8, 24},
        {RK_FP8_DELAYED, RK_MEGATRON, false, 8, 1}, {RK_MXFP8, RK_MEGATRON, true, 0, 1},
        {RK_MXFP8, RK_FSDP, false, 0, 1},
    };
    const struct rk_model model = bigmac(false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk_plan plan = plan_of(8, 8);
        plan.precision = cases[i].precision;
        plan.framework = cases[i].framework;
        plan.cuda_graphs = cases[i].captured;
        const struct layer layer = layer_of(&model, LAYER_EXPERTS, &plan);
        const struct operation *op = find(&layer, "experts out");
        cr_expect_eq(op->starts, cases[i].starts, "case %zu", i);
        cr_expect_eq(op[-1].op, OP_CAST);
        cr_expect_eq(op[-1].kernels[RK_FORWARD], cases[i].casts, "case %zu", i);
        cr_expect_eq(op[-1].kernels[RK_AGRAD], cases[i].casts, "case %zu", i);
        cr_expect_eq(op->kernels[RK_FORWARD], 1);
    }
}

/* Biases behind 2048 * 8 copies of 2048 wide, expert by expert: 28 bytes an element forward, 40
 * backward; captured, they are part of the product. */
Test(layers_experts, biases_weighed_by_probabilities)
{
    struct rk_model model = bigmac(false);
    struct rk_plan plan = plan_of(8, 8);
    model.biases = true;
    struct layer layer = layer_of(&model, LAYER_EXPERTS, &plan);
    const struct operation *op = find(&layer, "expert biases");
    cr_expect_eq(op->bytes[RK_FORWARD], 2048.0 * 8 * 2048 * 28);
    cr_expect_eq(op->bytes[RK_AGRAD], 2048.0 * 8 * 2048 * 40);
    cr_expect_eq(op->kernels[RK_FORWARD], 2 * 8 + 2);
    cr_expect_eq(op->kernels[RK_AGRAD], 5 * 8 + 2);
    plan.cuda_graphs = true;
    layer = layer_of(&model, LAYER_EXPERTS, &plan);
    for (int i = 0; i < layer.operations; i++)
        cr_expect_neq(layer.operation[i].op, OP_EXPERT_BIASES);
}

/* Bytes a token of DeepSeek-V3's mixture on one rank: norm 4 * 7168; router 256 * (4 + 4 + 1); for
 * 8 experts input 7168 * 2, first matrix 4096 * 2, activation 2048 * 2 and a probability of 4; the
 * shared one 6144 * 2. */
/* memory.md: Qwen3-30B-A3B, 65,536 tokens: n k h = 65,536 * 8 * 2,048 elements of 4 bytes are kept,
 * and three such at a time in backward; Megatron-LM weighs within the activation, a loop piece by
 * piece. */
Test(layers_experts, weighed_in_fp32)
{
    const double wide = 4.0 * 65536 * 8 * 2048;
    const struct rk_model model = {.layers = 48,
                                   .hidden = 2048,
                                   .heads = 32,
                                   .kv_heads = 4,
                                   .head_dim = 128,
                                   .sequence = 65536,
                                   .vocabulary = 151936,
                                   .gated_mlp = true,
                                   .no_dropout = true,
                                   .experts = 128,
                                   .active_experts = 8,
                                   .expert_feedforward = 768};
    for (int i = 0; i < 3; i++) {
        struct rk_plan plan = plan_of(8, 1);
        plan.framework = i < 2 ? RK_FSDP : RK_MEGATRON;
        plan.grouped = i != 1;
        const struct layer layer = layer_of(&model, LAYER_EXPERTS, &plan);
        const struct operation *sum = find(&layer, "unpermute");
        cr_expect_float_eq(sum->saved_bytes, i ? 0 : wide, 1, "%d: %g", i, sum->saved_bytes);
        cr_expect_float_eq(sum->working_bytes, i ? wide : 3 * wide, 1, "%d: %g", i,
                           sum->working_bytes);
    }
}

Test(layers_experts, deepseek_activations)
{
    const struct rk_plan plan = plan_of(1, 1);
    const struct layer layer = layer_of(&deepseek, LAYER_EXPERTS, &plan);
    double sum = 0, redone = 0;
    for (int i = 0; i < layer.operations; i++)
        if (layer.operation[i].holding == RK_HOLD_experts) {
            sum += layer.operation[i].saved_bytes;
            redone += layer.operation[i].saved_recomputed_bytes;
        }
    const double routed = 8 * (7168 * 2 + 4096 * 2 + 2048 * 2 + 4);
    cr_expect_eq(sum / 4096, 256 * 9 + routed + 6144 * 2);
    cr_expect_eq(redone, 0, "recomputed whole from the norm's output");
    cr_expect_eq(find(&layer, "mlp norm")->saved_bytes / 4096, 4 * 7168);
}
