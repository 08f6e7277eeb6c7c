/* Layers on a machine: each rule of the fold by itself, by hand. */
#include "estimate/fold.h"
#include "estimate/predict.h"
#include "predict_cases.h"

static struct machine machine;
static struct layer_folds folds;

static const double T = 128, h = 64; /* tokens, hidden */

/* FLOP of the weights of a block in one pass; of full attention, forward. */
static const double weights_flop = 2 * 128 * 12.0 * 64 * 64;
static const double attention_flop = 4 * 4 * 128.0 * 128 * 16;

static struct rk_plan plan_of(uint64_t tensor, uint64_t context)
{
    struct rk_plan plan = rk_plan_default();
    plan.tensor = tensor;
    plan.context = context;
    plan.ranks = tensor * context;
    plan.full_attention = true;
    return plan;
}

static const struct layer_fold *fold_of(const struct rk_model *model, enum layer_kind kind,
                                        const struct rk_plan *plan, enum treatment treatment)
{
    fold_layers(&folds, model, &machine.system, plan);
    return &folds.layer[kind][treatment];
}

static const struct layer_fold *dense(const struct rk_plan *plan)
{
    return fold_of(&small, LAYER_DENSE, plan, AS_IT_IS);
}

/* Latency of any collective within a node, and beyond. */
static void set_latency(double inside_s, double outside_s)
{
    machine.network[0].link.base_s = inside_s;
    machine.network[1].link.base_s = outside_s;
}

/* ---- products ---- */

Test(fold_terms, three_passes)
{
    machine_init(&machine, 1e6);
    const struct rk_plan plan = plan_of(1, 1);
    const struct layer_fold *f = dense(&plan);
    for (int pass = 0; pass < RK_PASSES; pass++)
        NEAR(f->spent_s[pass][SPENT_MATRIX], weights_flop / 1e6);
    NEAR(f->kernel_flop, 3 * weights_flop + 3.5 * attention_flop);
    NEAR(f->useful_flop, weights_flop + attention_flop * 129 / 256); /* pairs of 128 tokens */
    NEAR(f->useful_flop + f->masked_flop, weights_flop + attention_flop);
    NEAR(f->useful_flop + f->megatron_flop, weights_flop + attention_flop / 2);
    NEAR(f->parameters, SMALL_BLOCK);
}

/* 12 h^2 weights of 2 bytes, read at 1 MB/s before each pass computes; activations are not. */
Test(fold_terms, weights_before_products)
{
    machine_init(&machine, 1e6);
    struct rk_plan plan = plan_of(1, 1);
    plan.attention = RK_UNFUSED;
    const double unfused_s = dense(&plan)->spent_s[FOLD_FORWARD][SPENT_MATRIX];
    machine.system.kernels.weights_Bps = 1e6;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_MATRIX], unfused_s + 2 * 12 * h * h / 1e6);
    plan.attention = RK_FLASH;
    for (int pass = 0; pass < RK_PASSES; pass++)
        NEAR(dense(&plan)->spent_s[pass][SPENT_MATRIX], weights_flop / 1e6 + 2 * 12 * h * h / 1e6);
}

/* 128 tokens of width 64 have two copies each, which torch adds up at so many elements a second,
 * however fast memory is; 0: as fast as that. */
Test(fold_terms, added_rows)
{
    machine_init(&machine, 1e6);
    struct rk_model mixture = small;
    struct rk_plan plan = plan_of(1, 1);
    mixture.experts = 4;
    mixture.active_experts = 2;
    mixture.expert_feedforward = 64;
    plan.framework = RK_FSDP;
    const double *spent_s =
        fold_of(&mixture, LAYER_EXPERTS, &plan, AS_IT_IS)->spent_s[FOLD_FORWARD];
    const double memory_s = spent_s[SPENT_MEMORY];
    machine.system.kernels.additions_FLOPps = 1;
    fold_of(&mixture, LAYER_EXPERTS, &plan, AS_IT_IS);
    const double slow_s = spent_s[SPENT_MEMORY];
    machine.system.kernels.additions_FLOPps = 2;
    fold_of(&mixture, LAYER_EXPERTS, &plan, AS_IT_IS);
    NEAR(slow_s - spent_s[SPENT_MEMORY], 2 * T * h / 2);
    machine.system.kernels.additions_FLOPps = 1e30;
    fold_of(&mixture, LAYER_EXPERTS, &plan, AS_IT_IS);
    NEAR(spent_s[SPENT_MEMORY], memory_s);
}

/* A device is slower while others of its node compute: three ranks of a node are half way from one
 * to the five that were measured at once; no more than that, and no more than a node has. */
Test(fold_terms, devices_that_are_busy)
{
    static const struct {
        uint64_t ranks, node;
        double share;
    } rows[] = {{1, 8, 0}, {2, 8, 0.25}, {3, 8, 0.5}, {5, 8, 1},
                {8, 8, 1}, {64, 3, 0.5}, {64, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        machine_init(&machine, 1e6);
        struct rk_plan plan = plan_of(1, 1);
        plan.ranks = rows[i].ranks;
        machine.network[0].size = rows[i].node;
        machine.system.busy = machine.system.kernels;
        machine.system.busy.weights_Bps = 1e6;
        machine.system.busy_devices = 5;
        NEAR(dense(&plan)->spent_s[FOLD_AGRAD][SPENT_MATRIX],
             weights_flop / 1e6 + rows[i].share * 2 * 12 * h * h / 1e6);
    }
}

Test(fold_terms, muon_on_busy_devices)
{
    machine_init(&machine, 1e6);
    struct rk_plan plan = plan_of(1, 1);
    plan.optimizer = RK_MUON;
    const double alone_s = dense(&plan)->step[0].work_s;
    machine.network[0].size = 8;
    machine.system.busy = machine.system.kernels;
    machine.system.busy.sustained /= 2;
    machine.system.busy_devices = 2;
    NEAR(dense(&plan)->step[0].work_s, alone_s);
    plan.ranks = 2;
    NEAR(dense(&plan)->step[0].work_s, 2 * alone_s);
}

/* Of two ranks around, each packs keys and values of 64 tokens: 2 * 64 * 64 elements of 2 bytes,
 * moved twice forward and six times backward at 1 MB/s; without a measured optimizer nothing. */
Test(fold_terms, keys_that_are_packed)
{
    static const double times[] = {2, 6};
    machine_init(&machine, 1e6);
    struct rk_plan plan = plan_of(1, 2);
    plan.attention = RK_FLASH;
    machine.system.kernels.memory_rates = (struct rk_stream_rates){1, {1e6}, {1e6}};
    for (int pass = 0; pass < 2; pass++) {
        machine.system.kernels.optimizer_rates.sizes = 0;
        const double alone_s = dense(&plan)->spent_s[pass][SPENT_ATTENTION];
        machine.system.kernels.optimizer_rates = (struct rk_stream_rates){1, {1e6}, {1e6}};
        NEAR(dense(&plan)->spent_s[pass][SPENT_ATTENTION],
             alone_s + times[pass] * 2 * (T / 2) * h * 2 / 1e6);
    }
}

/* Two norms, two sums, GELU of four times the width, turns of queries and keys; 2 and 3 s an
 * element, and what was not measured goes by its bytes. */
Test(fold_terms, elements_of_kernels)
{
    machine_init(&machine, 1e6);
    struct rk_model model = small;
    const struct rk_plan plan = plan_of(1, 1);
    model.no_dropout = true;
    const double bytes_s = fold_of(&model, LAYER_DENSE, &plan, AS_IT_IS)->spent_s[0][SPENT_MEMORY];
    double(*element_s)[2] = machine.system.kernels.element_s;
    const enum rk_kernel sum = model.biases ? RK_KERNEL_biased_residual : RK_KERNEL_residual;
    element_s[sum][0] = 1;
    const double sums_s = fold_of(&model, LAYER_DENSE, &plan, AS_IT_IS)->spent_s[0][SPENT_MEMORY];
    cr_expect(sums_s >= 2 * T * h && sums_s <= 2 * T * h + bytes_s);
    NEAR(fold_of(&model, LAYER_DENSE, &plan, AS_IT_IS)->spent_s[FOLD_WGRAD][SPENT_MEMORY], 0);
    for (int i = 1; i < RK_KERNELS; i++)
        element_s[i][0] = 2, element_s[i][1] = 3;
    const struct layer_fold *f = fold_of(&model, LAYER_DENSE, &plan, AS_IT_IS);
    NEAR(f->spent_s[FOLD_FORWARD][SPENT_MEMORY], 2 * (4 + 4 + 2) * T * h);
    NEAR(f->spent_s[FOLD_AGRAD][SPENT_MEMORY], 3 * (4 + 4 + 2) * T * h);
}

/* Scores and their product with the values are products of activations: both gradients at once. */
Test(fold_terms, products_of_activations)
{
    machine_init(&machine, 1e6);
    struct rk_plan plan = plan_of(1, 1);
    plan.attention = RK_UNFUSED;
    const struct layer_fold *f = dense(&plan);
    NEAR(f->spent_s[FOLD_FORWARD][SPENT_MATRIX], (weights_flop + attention_flop) / 1e6);
    NEAR(f->spent_s[FOLD_AGRAD][SPENT_MATRIX], (weights_flop + 2 * attention_flop) / 1e6);
    NEAR(f->spent_s[FOLD_WGRAD][SPENT_MATRIX], weights_flop / 1e6);
}

/* In 8 bits linear layers are twice as fast, in 4 four times; attention and head stay in 16. */
Test(fold_terms, what_is_multiplied_narrow)
{
    static const struct {
        enum rk_precision precision;
        double rate;
    } rows[] = {{RK_FP32, 0.5},      {RK_FP16, 1},      {RK_BF16, 1},         {RK_FP8_DELAYED, 2},
                {RK_FP8_CURRENT, 2}, {RK_FP8_BLOCK, 2}, {RK_MXFP8, 2 / 1.07}, {RK_NVFP4, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double wide = fmin(rows[i].rate, 1) * 1e6, narrow = rows[i].rate * 1e6;
        machine_init(&machine, 1e6);
        struct rk_plan plan = plan_of(1, 1);
        plan.precision = rows[i].precision;
        plan.attention = RK_UNFUSED;
        const struct layer_fold *f = dense(&plan);
        NEAR(f->spent_s[FOLD_FORWARD][SPENT_MATRIX], weights_flop / narrow + attention_flop / wide);
        f = fold_of(&small, LAYER_HEAD, &plan, AS_IT_IS);
        NEAR(f->spent_s[FOLD_FORWARD][SPENT_MATRIX], 2 * T * h * 1024 / wide);
        plan.attention = RK_FLASH; /* one block of 128 queries a head, at half the rate */
        NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_ATTENTION], 2 * attention_flop / wide);
    }
}

/* Backward five products for two at half of forward's rate, 5 times as long; FlashAttention-3 is
 * twice as fast here. */
Test(fold_terms, attention_kernels)
{
    machine_init(&machine, 1e6);
    struct rk_plan plan = plan_of(1, 1);
    plan.attention = RK_FLASH;
    const double forward_s = dense(&plan)->spent_s[FOLD_FORWARD][SPENT_ATTENTION];
    NEAR(forward_s, attention_flop / 0.5e6);
    NEAR(dense(&plan)->spent_s[FOLD_AGRAD][SPENT_ATTENTION], 5 * forward_s);
    NEAR(dense(&plan)->spent_s[FOLD_WGRAD][SPENT_ATTENTION], 0);
    plan.attention = RK_FLASH_3;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_ATTENTION], forward_s / 2);
    plan.attention = RK_FLASH_1;
    cr_expect_gt(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_ATTENTION], 1.5 * forward_s);
}

/* A second for each kernel and nothing for its bytes: the kernels of torch's RMSNorm, rotary and
 * SwiGLU are counted one by one. */
Test(fold_terms, each_kernel_starts)
{
    struct rk_model model = small;
    struct layer layer;
    double kernels = 0;
    model.norm = RK_RMS_NORM;
    model.gated_mlp = true;
    machine_init(&machine, 1e30);
    machine.system.kernels.kernel_s = 1;
    struct rk_plan plan = plan_of(1, 1);
    plan.fused = false;
    layer_build(&layer, LAYER_DENSE, &model, &plan);
    for (int i = 0; i < layer.operations; i++)
        if (layer.operation[i].kind == OPERATION_MEMORY)
            kernels += layer.operation[i].kernels[RK_FORWARD];
    cr_assert_gt(kernels, 15);
    NEAR(fold_of(&model, LAYER_DENSE, &plan, AS_IT_IS)->spent_s[FOLD_FORWARD][SPENT_MEMORY],
         kernels);
}

/* 1000 B/s: two norms and two residuals of T h elements, 4 and 6 bytes; rotary, 4 of 2 T h; the
 * activation 4 of 4 T h. */
Test(fold_terms, memory_limits_the_rest)
{
    machine_init(&machine, 1e30);
    machine.memory[0].bandwidth_Bps = 1e3;
    machine.system.kernels.sustained = 0.5; /* clocks do not slow memory */
    const struct rk_plan plan = plan_of(1, 1);
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_MEMORY],
         T * h * (2 * 4 + 2 * 6 + 2 * 4 + 4 * 4) / 1e3);
}

/* ... but it slows products, not attention nor communication. */
Test(fold_terms, clocks_of_long_runs)
{
    machine_init(&machine, 1e6);
    machine.system.kernels.sustained = 0.5;
    set_latency(1, 1);
    const struct rk_plan plan = plan_of(2, 1);
    const struct layer_fold *f = dense(&plan);
    NEAR(f->spent_s[FOLD_FORWARD][SPENT_MATRIX], weights_flop / 2 / 0.5e6);
    NEAR(f->spent_s[FOLD_FORWARD][SPENT_ATTENTION], attention_flop / 2 / 1e6);
    NEAR(f->spent_s[FOLD_FORWARD][SPENT_TENSOR], 2); /* two reductions */
}

/* ---- communication beside computing ---- */

/* t = 4, a second for each collective. At 655,360 FLOP/s the product behind attention takes 2 T h^2
 * / 4 / 655360 = 0.4 s, that of the MLP 1.6 s; a quarter of a product has nothing beside it.
 * Forward 1 - 0.4 * 3/4 = 0.7 and, 1 - 1.2 < 0, a fourth: 0.95 s. */
Test(fold_terms, tensor_communication_beside_products)
{
    struct rk_plan plan = plan_of(4, 1);
    machine_init(&machine, 655360);
    set_latency(1, 1);
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_TENSOR], 2);
    plan.tensor_overlap = true;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_TENSOR], 0.95);
    NEAR(dense(&plan)->spent_s[FOLD_AGRAD][SPENT_TENSOR], 0.5);
    NEAR(dense(&plan)->link_s[LINK_TENSOR], 4);
}

/* Four ranks pass keys and values on three times forward, four times backward, a second each; the
 * attention over three of four parts is beside it. */
Test(fold_terms, ring_beside_attention)
{
    const double flops[] = {1e30, 2e6, 1e4}; /* attention: none, some, more than enough */
    for (int i = 0; i < 3; i++) {
        machine_init(&machine, flops[i]);
        set_latency(1, 1);
        const struct rk_plan plan = plan_of(1, 4);
        const struct layer_fold *f = dense(&plan);
        const double forward_s = f->spent_s[FOLD_FORWARD][SPENT_ATTENTION];
        const double backward_s = f->spent_s[FOLD_AGRAD][SPENT_ATTENTION];
        if (i == 1) cr_assert(forward_s > 0.1 && forward_s < 3);
        NEAR(f->spent_s[FOLD_FORWARD][SPENT_CONTEXT], fmax(0, 3 - forward_s * 3 / 4));
        NEAR(f->spent_s[FOLD_AGRAD][SPENT_CONTEXT], fmax(0, 4 - backward_s * 3 / 4));
        NEAR(f->link_s[LINK_CONTEXT], 7);
        NEAR(f->spent_s[FOLD_FORWARD][SPENT_TENSOR], 0);
    }
}

/* What computes copies the messages, too: nothing is beside them. The link of another tier does not
 * matter. */
Test(fold_terms, ring_of_copies)
{
    machine_init(&machine, 1e4);
    set_latency(1, 1);
    const struct rk_plan plan = plan_of(1, 4);
    machine.network[1].link.copied = true;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_CONTEXT], 0);
    machine.network[0].link.copied = true;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_CONTEXT], 3);
    NEAR(dense(&plan)->spent_s[FOLD_AGRAD][SPENT_CONTEXT], 4);
}

/* Of four ranks each has two pieces of 16 tokens of 128: two causal ones of 136 pairs, and 7 of 16
 * x 16 that are seen whole and take nine tenths as long, for a block computes what its mask hides,
 * and a row is prepared once. At as many
 * FLOP/s as a query has keys, 8.5, one takes 16 s a FLOP of a pair (4 * 16 a head). Contiguous, the
 * last rank has one of 32, 32 s at 16.5 keys, and of 7/16 of all 8256 pairs the others in whole
 * ones. */
Test(fold_terms, attention_in_pieces)
{
    struct rk_plan plan = plan_of(1, 4);
    machine_init(&machine, 1e6);
    plan.full_attention = false;
    const struct rk_attention_rates rates = {1, 2, {16}, {1, 1e6}, {{{1, 1e6}}, {{1, 1e6}}}};
    machine.system.kernels.attention_rates = rates;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_ATTENTION], 4 * 64 * (2 + 7 * 0.9) * 16);
    plan.context_contiguous = true;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_ATTENTION],
         4 * 64 * 32 * (1 + 0.9 * (7 / 16.0 * 8256 - 528) / 1024));
}

/* c = 8 in pairs, t = 2, nodes of 8: pairs are 2 apart, in a node, 1 s for an all-to-all; the ring
 * of 4, ranks 4 apart, leaves it, 10 s for each of 3 steps. */
Test(fold_terms, rings_between_all_to_alls)
{
    const double flops[] = {1e30, 2e5};
    for (int i = 0; i < 2; i++) {
        machine_init(&machine, flops[i]);
        set_latency(1, 10);
        struct rk_plan plan = plan_of(2, 8);
        plan.context_kind = RK_RING_ULYSSES;
        plan.ulysses = 2;
        const struct layer_fold *f = dense(&plan);
        const double attention_s = f->spent_s[FOLD_FORWARD][SPENT_ATTENTION];
        cr_assert(i == 0 || attention_s > 0.1);
        NEAR(f->spent_s[FOLD_FORWARD][SPENT_CONTEXT], 2 * 1 + 3 * 10 - attention_s * 3 / 4);
    }
}

/* Queries, keys, values and the output are 4 h elements of each of 32 tokens, copied in front of
 * their exchange and behind it: 16 h numbers of 2 bytes read or written at 1 kB/s in either pass.
 */
Test(fold_terms, copies_around_all_to_alls)
{
    machine_init(&machine, 1e30);
    struct rk_plan plan = plan_of(1, 4);
    plan.context_kind = RK_ULYSSES;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_CONTEXT], 0);
    machine.memory[0].bandwidth_Bps = 1e3;
    const struct layer_fold *f = dense(&plan);
    for (int pass = 0; pass < RK_WGRAD; pass++)
        NEAR(f->spent_s[pass][SPENT_CONTEXT], 4 * 4 * h * T / 4 * 2 / 1e3);
    NEAR(f->link_s[LINK_CONTEXT], 0);
    machine.system.kernels.kernel_s = 1;
    machine.memory[0].bandwidth_Bps = 1e30;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_CONTEXT], 2 * 4);
}

/* Dispatch and combine, both ways, a second each. Beside another microbatch's computing only what
 * exceeds it is waited for, but 20 of 200 multiprocessors send [deepseek2024v3]. */
Test(fold_terms, experts_beside_another_microbatch)
{
    const struct rk_model model = small_mixture();
    static const double flops[] = {1e30, 1e9, 1e6}; /* computing: none, less than 4 s, more */
    for (int i = 0; i < 3; i++) {
        struct rk_plan plan = plan_of(1, 1);
        plan.ranks = plan.batch = plan.expert = 4;
        machine_init(&machine, flops[i]);
        machine.system.kernels.multiprocessors = 200;
        set_latency(1, 1);
        const struct layer_fold *f = fold_of(&model, LAYER_EXPERTS, &plan, AS_IT_IS);
        NEAR(f->spent_s[FOLD_FORWARD][SPENT_EXPERT], 2);
        NEAR(f->spent_s[FOLD_AGRAD][SPENT_EXPERT], 2);
        NEAR(f->link_s[LINK_EXPERT], 4);
        double computing_s = 0;
        for (int pass = 0; pass < RK_PASSES; pass++)
            computing_s += f->spent_s[pass][SPENT_MATRIX] + f->spent_s[pass][SPENT_ATTENTION];
        cr_assert_eq(computing_s > 4, i == 2, "%g", computing_s);
        plan.expert_overlap = true;
        f = fold_of(&model, LAYER_EXPERTS, &plan, AS_IT_IS);
        NEAR(f->spent_s[FOLD_FORWARD][SPENT_EXPERT] + f->spent_s[FOLD_AGRAD][SPENT_EXPERT],
             fmax(0, 4 - computing_s) + 0.1 * fmin(4, computing_s));
    }
}

/* The executor tells the ranks of the experts how many copies come: one exchange more, forward, and
 * one more among ranks that share an expert. With tokens that travel whole there is none. */
Test(fold_terms, counts_before_copies)
{
    const struct rk_model model = small_mixture();
    struct rk_plan plan = plan_of(1, 1);
    plan.ranks = plan.batch = plan.expert = 4;
    machine_init(&machine, 1e30);
    set_latency(1, 1);
    machine.system.kernels.optimizer_rates = (struct rk_stream_rates){1, {1}, {1e30}};
    const struct layer_fold *f = fold_of(&model, LAYER_EXPERTS, &plan, AS_IT_IS);
    NEAR(f->spent_s[FOLD_FORWARD][SPENT_EXPERT], 3);
    NEAR(f->spent_s[FOLD_AGRAD][SPENT_EXPERT], 2);
    plan.dispatcher = RK_DEEPEP;
    f = fold_of(&model, LAYER_EXPERTS, &plan, AS_IT_IS);
    NEAR(f->spent_s[FOLD_FORWARD][SPENT_EXPERT], 2);
    plan.dispatcher = RK_ALL_TO_ALL;
    plan.tensor = plan.expert = 2;
    plan.expert_tensor = 2;
    plan.sequence_parallel = true;
    f = fold_of(&model, LAYER_EXPERTS, &plan, AS_IT_IS);
    NEAR(f->spent_s[FOLD_FORWARD][SPENT_EXPERT], 2 + 1 + 2 + 1);
    NEAR(f->spent_s[FOLD_AGRAD][SPENT_EXPERT], 2 + 2);
}

/* ---- recomputation ---- */

/* Whole layers: forward once more, its communication and FLOP, too; there is a checkpoint for each
 * group, and room for all tensors of one group. */
Test(fold_terms, whole_layers_again)
{
    machine_init(&machine, 1e6);
    set_latency(1, 1);
    struct rk_plan plan = plan_of(2, 1);
    plan.recompute = RK_WHOLE;
    for (uint64_t every = 0; every <= 3; every += 3) {
        const double group = every ? (double)every : 1;
        plan.recompute_every = every;
        const struct layer_fold kept = *dense(&plan);
        const struct layer_fold *f = fold_of(&small, LAYER_DENSE, &plan, RECOMPUTED);
        NEAR(f->pass_s[FOLD_RECOMPUTE], kept.pass_s[FOLD_FORWARD]);
        cr_expect_gt(kept.pass_s[FOLD_FORWARD], 2);
        NEAR(kept.pass_s[FOLD_RECOMPUTE], 0);
        NEAR(f->kernel_flop - kept.kernel_flop, (weights_flop + attention_flop) / 2);
        NEAR(f->again_flop, f->useful_flop);
        NEAR(kept.again_flop, 0);
        NEAR(f->link_s[LINK_TENSOR], kept.link_s[LINK_TENSOR] + 2);
        NEAR(f->saved_bytes[RK_HOLD_checkpoints], T * h * 2 / group);
        NEAR(f->saved_total_bytes, T * h * 2 / group);
        NEAR(f->working_bytes, kept.working_bytes + group * kept.saved_total_bytes);
    }
}

/* torch's checkpoints stop where backward has what it needs: without the MLP's last product and its
 * sum over tensor ranks. With dropout, whose mask is last, they run to the end; so do groups. */
Test(fold_terms, whole_layers_again_but_their_end)
{
    machine_init(&machine, 1e6);
    set_latency(1, 1);
    struct rk_model model = small;
    struct rk_plan plan = plan_of(2, 1);
    plan.framework = RK_FSDP;
    plan.recompute = RK_WHOLE;
    const double mlp_flop = 2 * T * 256 * h / 2; /* of a rank */
    model.no_dropout = true;
    const struct layer_fold *f = fold_of(&model, LAYER_DENSE, &plan, RECOMPUTED);
    const double early_flop = f->kernel_flop, early_s = f->link_s[LINK_TENSOR];
    plan.recompute_to_end = true;
    f = fold_of(&model, LAYER_DENSE, &plan, RECOMPUTED);
    NEAR(f->kernel_flop - early_flop, mlp_flop);
    NEAR(f->link_s[LINK_TENSOR] - early_s, 1);
    const double whole_flop = f->kernel_flop;
    plan.recompute_to_end = false;
    plan.recompute_every = 2;
    NEAR(fold_of(&model, LAYER_DENSE, &plan, RECOMPUTED)->kernel_flop, whole_flop);
    plan.recompute_every = 0;
    plan.framework = RK_MEGATRON;
    NEAR(fold_of(&model, LAYER_DENSE, &plan, RECOMPUTED)->kernel_flop, whole_flop);
    plan.framework = RK_FSDP;
    model.no_dropout = false;
    NEAR(fold_of(&model, LAYER_DENSE, &plan, RECOMPUTED)->kernel_flop, whole_flop);
}

static double dropped(unsigned parts, enum rk_holding holding)
{
    struct rk_plan plan = plan_of(1, 1);
    plan.recompute = RK_SELECTIVE;
    plan.recompute_parts = parts;
    const double kept = dense(&plan)->saved_bytes[holding];
    return kept - fold_of(&small, LAYER_DENSE, &plan, RECOMPUTED)->saved_bytes[holding];
}

/* Norms: both outputs, 2 bytes an element. The MLP: what the activation reads and brings, whether
 * the activation is named or not. Attention: the log-sums of 4 heads. */
Test(fold_terms, parts_again)
{
    machine_init(&machine, 1e6);
    NEAR(dropped(1 << RK_PART_NORM, RK_HOLD_norms), 2 * T * h * 2);
    NEAR(dropped(1 << RK_PART_MLP, RK_HOLD_norms), 0);
    NEAR(dropped(1 << RK_PART_MLP, RK_HOLD_mlp), 2 * T * 256 * 2);
    NEAR(dropped(1 << RK_PART_ACTIVATION, RK_HOLD_mlp), T * 256 * 2);
    NEAR(dropped(1 << RK_PART_CORE_ATTENTION, RK_HOLD_attention), T * 4 * 4);
}

/* ... and that part alone takes time again. */
Test(fold_terms, time_of_parts)
{
    machine_init(&machine, 1e6);
    machine.memory[0].bandwidth_Bps = 1e6;
    struct rk_plan plan = plan_of(1, 1);
    plan.recompute = RK_SELECTIVE;
    plan.recompute_parts = 1 << RK_PART_CORE_ATTENTION;
    const struct layer_fold *f = fold_of(&small, LAYER_DENSE, &plan, RECOMPUTED);
    NEAR(f->pass_s[FOLD_RECOMPUTE], f->spent_s[FOLD_FORWARD][SPENT_ATTENTION]);
    plan.recompute_parts = 1 << RK_PART_MLP; /* 16 T h^2 FLOP, 4 bytes of 4 T h */
    f = fold_of(&small, LAYER_DENSE, &plan, RECOMPUTED);
    NEAR(f->spent_s[FOLD_RECOMPUTE][SPENT_MATRIX], 16 * T * h * h / 1e6);
    NEAR(f->spent_s[FOLD_RECOMPUTE][SPENT_MEMORY], 16 * T * h / 1e6);
}

/* ---- host and working memory ---- */

/* A second of the host for each kernel: beyond what the device takes it is waited for. */
Test(fold_terms, launches)
{
    struct rk_plan plan = plan_of(1, 1);
    struct layer layer;
    double kernels = 0;
    layer_build(&layer, LAYER_DENSE, &small, &plan);
    for (int i = 0; i < layer.operations; i++)
        kernels += layer.operation[i].kernels[RK_FORWARD];
    machine_init(&machine, 4e6);
    machine.system.kernels.launch_s = 1;
    const struct layer_fold *f = dense(&plan);
    const double device_s =
        f->spent_s[FOLD_FORWARD][SPENT_MATRIX] + f->spent_s[FOLD_FORWARD][SPENT_ATTENTION];
    cr_assert(device_s > 1 && device_s < kernels, "%g s of %g kernels", device_s, kernels);
    NEAR(f->spent_s[FOLD_FORWARD][SPENT_LAUNCH], kernels - device_s);
    NEAR(f->pass_s[FOLD_FORWARD], kernels);
    plan.cuda_graphs = true;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_LAUNCH], 0);
}

/* What the graphs of a part leave to the host, with those of the others, is what there is without
 * graphs; a mixture's own kernels take 1.6 times as long to start. */
Test(fold_terms, graphs_of_parts)
{
    struct rk_plan plan = plan_of(1, 1);
    struct layer layer;
    double of_attention = 0, of_mlp = 0;
    layer_build(&layer, LAYER_DENSE, &small, &plan);
    for (int i = 0; i < layer.operations; i++) {
        const struct operation *op = &layer.operation[i];
        cr_expect(op->graph == RK_GRAPH_ATTENTION || op->graph == RK_GRAPH_MLP);
        *(op->graph == RK_GRAPH_MLP ? &of_mlp : &of_attention) += op->kernels[RK_FORWARD];
    }
    cr_assert(of_attention > 0 && of_mlp > 0);
    machine_init(&machine, 4e9);
    machine.system.kernels.launch_s = 1;
    plan.cuda_graphs = true;
    plan.graph_parts = 1u << RK_GRAPH_ATTENTION;
    NEAR(dense(&plan)->pass_s[FOLD_FORWARD], of_mlp);
    plan.graph_parts = 1u << RK_GRAPH_MLP;
    NEAR(dense(&plan)->pass_s[FOLD_FORWARD], of_attention);
    plan.graph_parts = 1u << RK_GRAPH_EXPERTS;
    NEAR(dense(&plan)->pass_s[FOLD_FORWARD], of_attention + of_mlp);
}

/* Kernels that are computed again are started again; a microbatch begins with 35 starts. */
Test(fold_terms, launches_of_backward)
{
    struct rk_plan plan = plan_of(1, 1);
    struct layer layer;
    double forward = 0, backward = 0, lookup = 35;
    layer_build(&layer, LAYER_DENSE, &small, &plan);
    for (int i = 0; i < layer.operations; i++) {
        forward += layer.operation[i].kernels[RK_FORWARD];
        backward += layer.operation[i].kernels[RK_AGRAD] + layer.operation[i].kernels[RK_WGRAD];
    }
    machine_init(&machine, 1e12);
    machine.system.kernels.launch_s = 1e6;
    const struct layer_fold *f = dense(&plan);
    NEAR(f->pass_s[FOLD_AGRAD] + f->pass_s[FOLD_WGRAD], backward * 1e6);
    plan.recompute = RK_WHOLE;
    f = fold_of(&small, LAYER_DENSE, &plan, RECOMPUTED);
    NEAR(f->pass_s[FOLD_AGRAD] + f->pass_s[FOLD_WGRAD] + f->pass_s[FOLD_RECOMPUTE],
         (backward + forward) * 1e6);
    layer_build(&layer, LAYER_EMBEDDING, &small, &plan);
    for (int i = 0; i < layer.operations; i++)
        lookup += layer.operation[i].kernels[RK_FORWARD];
    f = fold_of(&small, LAYER_EMBEDDING, &plan, AS_IT_IS);
    NEAR(f->pass_s[FOLD_FORWARD], lookup * 1e6);
}

/* One operation at a time: the largest working set, which is none of the ends of the list. */
Test(fold_terms, working_memory)
{
    const struct rk_plan plan = plan_of(1, 1);
    struct layer layer;
    double most = 0;
    machine_init(&machine, 1e6);
    layer_build(&layer, LAYER_DENSE, &small, &plan);
    for (int i = 0; i < layer.operations; i++)
        most = fmax(most, layer.operation[i].working_bytes - layer.operation[i].released_bytes);
    cr_assert_gt(most, layer.operation[layer.operations - 1].working_bytes);
    NEAR(dense(&plan)->working_bytes, most);
}

/* Frozen weights: the gradient of the input alone, as long as forward. */
Test(fold_terms, frozen_weights)
{
    machine_init(&machine, 1e6);
    struct rk_plan plan = plan_of(1, 1);
    plan.frozen = true;
    const struct layer_fold *f = dense(&plan);
    NEAR(f->spent_s[FOLD_AGRAD][SPENT_MATRIX], weights_flop / 1e6);
    NEAR(f->pass_s[FOLD_WGRAD], 0);
    NEAR(f->kernel_flop, 2 * weights_flop + 3.5 * attention_flop);
}

/* A board of an eighth of the power runs products at half the rate, and no faster than an isolated
 * kernel with more of it. */
Test(fold_terms, rate_under_a_power_limit)
{
    machine_init(&machine, 1e6);
    const struct rk_plan plan = plan_of(1, 1);
    machine.system.kernels.sustained_power_W = 800;
    machine.system.kernels.power_W = 100;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_MATRIX], 2 * weights_flop / 1e6);
    machine.system.kernels.power_W = 1600;
    NEAR(dense(&plan)->spent_s[FOLD_FORWARD][SPENT_MATRIX], weights_flop / 1e6);
}

/* The operations that people are shown are those that the fold sums. */
Test(fold_terms, shown_operations_add_up)
{
    static struct rk_operation shown[3 * MAX_OPERATIONS];
    machine_init(&machine, 1e6);
    set_latency(1e-3, 1e-2);
    struct rk_plan plan = plan_of(2, 1);
    plan.recompute = RK_SELECTIVE;
    plan.recompute_parts = 1u << RK_PART_CORE_ATTENTION;
    plan.cuda_graphs = true; /* nothing is launched that an operation does not have */
    const int count = layers_operations(&small, &machine.system, &plan, shown, 3 * MAX_OPERATIONS);
    const struct layer_fold *f = fold_of(&small, LAYER_DENSE, &plan, RECOMPUTED);
    double flop = 0, pass_s[FOLD_PASSES] = {0}, link_s = 0;
    cr_assert_leq(count, 3 * MAX_OPERATIONS);
    for (int i = 0; i < count; i++) {
        const struct rk_operation *o = &shown[i];
        if (strcmp(o->layer, "block") != 0) continue;
        cr_expect_eq(o->layers, (double)small.layers);
        for (int pass = 0; pass < RK_PASSES; pass++) {
            const double time_s = o->time_s[pass] + o->comm_exposed_s[pass][0];
            const bool again = pass == RK_FORWARD && o->recomputed;
            pass_s[pass] += time_s;
            pass_s[FOLD_RECOMPUTE] += again ? time_s : 0;
            flop += (again ? 2 : 1) * o->flop[pass];
            link_s += (again ? 2 : 1) * o->comm_link_s[pass][0];
        }
    }
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        NEAR(pass_s[pass], f->pass_s[pass]);
    NEAR(flop, f->kernel_flop);
    NEAR(link_s, f->link_s[LINK_TENSOR]);
    cr_expect_gt(pass_s[FOLD_RECOMPUTE], 0);
}
