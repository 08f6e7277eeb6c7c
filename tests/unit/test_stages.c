/* Stages: which blocks they have, what their layers sum up to, bytes of one parameter. */
#include "estimate/stages.h"
#include "predict_cases.h"

/* ---- blocks ---- */

static struct stage_blocks blocks[RK_MAX_STAGES];
static struct stage_map map = {.blocks = blocks};

static const struct stage_blocks *stage(int i)
{
    return &blocks[map.class_of[i]];
}

static double count(int i, enum treatment treatment, enum layer_kind kind)
{
    return stage(i)->counts[treatment][kind];
}

/* 8 layers, 3 dense, p 2, two chunks each: stage 0 has layers 0, 1, 4, 5, stage 1 has 2, 3, 6, 7.
 */
Test(stages, chunks_are_dealt_round)
{
    struct rk_model model = small_mixture();
    struct rk_plan plan = rk_plan_default();
    model.layers = 8;
    model.dense_layers = 3;
    plan.pipeline = plan.chunks = 2;
    stage_map_of(&map, &model, &plan);
    cr_assert_eq(map.stages, 2);
    cr_expect_eq(count(0, AS_IT_IS, LAYER_DENSE), 2);
    cr_expect_eq(count(0, AS_IT_IS, LAYER_EXPERTS), 2);
    cr_expect_eq(count(1, AS_IT_IS, LAYER_DENSE), 1);
    cr_expect_eq(count(1, AS_IT_IS, LAYER_EXPERTS), 3);
    cr_expect(stage(0)->first && !stage(0)->last && !stage(1)->first && stage(1)->last);
    /* the first layer of each chunk: 0 and 4, 2 and 6 */
    plan.recompute = RK_WHOLE;
    plan.recompute_layers = 1;
    stage_map_of(&map, &model, &plan);
    cr_expect_eq(count(0, RECOMPUTED, LAYER_DENSE), 1);
    cr_expect_eq(count(0, RECOMPUTED, LAYER_EXPERTS), 1);
    cr_expect_eq(count(1, RECOMPUTED, LAYER_DENSE), 1);
    cr_expect_eq(count(1, RECOMPUTED, LAYER_EXPERTS), 1);
    cr_expect_eq(count(1, AS_IT_IS, LAYER_EXPERTS), 2);
    plan.recompute_layers = 5; /* more than there are */
    stage_map_of(&map, &model, &plan);
    cr_expect_eq(count(1, RECOMPUTED, LAYER_EXPERTS), 3);
    /* every second layer of each chunk: 1 (dense) and 5, 3 and 7 */
    plan.recompute_stride = 2;
    stage_map_of(&map, &model, &plan);
    cr_expect_eq(count(0, RECOMPUTED, LAYER_DENSE), 1);
    cr_expect_eq(count(0, RECOMPUTED, LAYER_EXPERTS), 1);
    cr_expect_eq(count(0, AS_IT_IS, LAYER_DENSE), 1);
    cr_expect_eq(count(1, RECOMPUTED, LAYER_EXPERTS), 2);
    cr_expect_eq(count(1, AS_IT_IS, LAYER_DENSE), 1);
    cr_expect_eq(stage(0)->all, 4);
}

/* Frozen weights are kept as they are multiplied; nothing else of them is kept, sent or read. */
Test(stages, bytes_of_frozen_weights)
{
    struct rk_plan plan = rk_plan_default();
    plan.frozen = true;
    plan.framework = RK_FSDP; /* which keeps fp32 else */
    struct element_bytes e = element_bytes_of(&plan);
    cr_expect_eq(e.weight, 2);
    cr_expect_eq(e.gradient + e.optimizer + e.sent_gradient + e.added, 0);
    cr_expect_eq(e.sent_weight, 0);
    plan.zero = 3;
    e = element_bytes_of(&plan);
    cr_expect_eq(e.sent_weight, 2);
}

/* Two layers each: dense, the first; dense; two of experts; experts, the last. */
Test(stages, classes_are_alike)
{
    struct rk_model model = small_mixture();
    struct rk_plan plan = rk_plan_default();
    model.layers = 10;
    model.dense_layers = 4;
    plan.pipeline = 5;
    stage_map_of(&map, &model, &plan);
    cr_expect_eq(map.classes, 4);
    cr_expect_eq(map.class_of[2], map.class_of[3]);
    cr_expect_neq(map.class_of[1], map.class_of[2]);
    cr_expect_eq(map.first_of[map.class_of[3]], 2);
    cr_expect_eq(map.first_of[map.class_of[4]], 4);
}

/* ---- sums ---- */

static struct stage_sum sum_of(const struct rk_model *model, struct rk_plan *plan, int i)
{
    static struct layer_folds folds;
    static struct machine machine;
    struct stage_sum sum;
    machine_init(&machine, 1e6);
    fold_layers(&folds, model, &machine.system, plan);
    stage_map_of(&map, model, plan);
    stage_sum(&sum, &folds, model, plan, stage(i));
    return sum;
}

/* p = 2: the embedding and two blocks; two blocks and the head. A mixture has 8 experts here. */
Test(stages, parameters)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = plan.pipeline = plan.batch = 2;
    NEAR(sum_of(&small, &plan, 0).parameters, SMALL_TABLE + 2 * SMALL_BLOCK);
    NEAR(sum_of(&small, &plan, 0).ends_parameters, SMALL_TABLE);
    NEAR(sum_of(&small, &plan, 1).parameters, SMALL_TABLE + 2 * 64 + 2 * SMALL_BLOCK);
    NEAR(sum_of(&small, &plan, 1).largest_parameters, SMALL_BLOCK);
    const struct rk_model model = small_mixture();
    const struct stage_sum sum = sum_of(&model, &plan, 0);
    NEAR(sum.parameters, SMALL_TABLE + 2 * MIXTURE_DENSE);
    NEAR(sum.expert_parameters, 2 * 8 * MIXTURE_EXPERT);
    NEAR(sum.largest_parameters, MIXTURE_DENSE + 8 * MIXTURE_EXPERT);
}

/* Each layer of multi-token prediction: a block, 2 h to h, three norms. */
Test(stages, layers_of_multi_token_prediction)
{
    struct rk_model model = small;
    struct rk_plan plan = rk_plan_default();
    const double without = sum_of(&model, &plan, 0).parameters;
    model.predict_layers = 2;
    NEAR(sum_of(&model, &plan, 0).parameters - without,
         2 * (SMALL_BLOCK + 2 * 64 * 64 + 3 * 2 * 64));
}

/* Backward of all chunks: of four blocks four times that of one. */
Test(stages, times_are_sums)
{
    struct rk_model model = small;
    struct rk_plan plan = rk_plan_default();
    const struct stage_sum four = sum_of(&model, &plan, 0);
    model.layers = 1;
    const struct stage_sum one = sum_of(&model, &plan, 0);
    NEAR(four.pass_s[FOLD_WGRAD] - one.pass_s[FOLD_WGRAD], 3 * 2 * 128 * 12.0 * 64 * 64 / 1e6);
    /* a block holds norms 4, query, key, value and output 4, the MLP 8 of 2 T h bytes; log-sums */
    NEAR(four.saved_total_bytes - one.saved_total_bytes, 3 * (16 * 2 * 128 * 64 + 128 * 4 * 4));
}

/* ---- microbatches and bytes ---- */

Test(stages, microbatches_of_a_data_rank)
{
    struct rk_plan plan = rk_plan_default();
    plan.ranks = 64; /* t 2, c 4, p 2: 4 data-parallel, 96 / 4 / 3 */
    plan.tensor = plan.pipeline = 2;
    plan.context = 4;
    plan.batch = 96;
    plan.microbatch = 3;
    NEAR(microbatches_of(&plan), 8);
}

static struct rk_plan plan_in(enum rk_framework framework, enum rk_precision precision)
{
    struct rk_plan plan = rk_plan_default();
    plan.framework = framework;
    plan.precision = precision;
    return plan;
}

/* FSDP keeps fp32 and gathers in 16 bits; gradients are reduced in fp32, in fp16 with that. */
Test(stages, bytes_of_fsdp)
{
    struct rk_plan plan = plan_in(RK_FSDP, RK_BF16);
    struct element_bytes e = element_bytes_of(&plan);
    cr_expect(e.weight == 4 && e.gradient == 4 && e.optimizer == 8);
    cr_expect(e.gathered == 2 && e.sent_weight == 2 && e.sent_gradient == 4);
    NEAR(e.added, 2 + 4); /* each gradient is cast from 16 bits to the 32 that are reduced */
    plan.precision = RK_FP16;
    e = element_bytes_of(&plan);
    cr_expect_eq(e.sent_gradient, 2);
    plan.precision = RK_TF32;
    e = element_bytes_of(&plan);
    cr_expect(e.gathered == 4 && e.sent_weight == 4);
}

/* Master copy and moments of 4 bytes each become 2, 2 and 1: 12 - 2 - 2 - 3. */
Test(stages, narrow_optimizers)
{
    struct rk_plan plan = plan_in(RK_MEGATRON, RK_BF16);
    NEAR(element_bytes_of(&plan).optimizer, 12);
    plan.moment1_element_bytes = 2;
    NEAR(element_bytes_of(&plan).optimizer, 10);
    plan.moment2_element_bytes = 1;
    NEAR(element_bytes_of(&plan).optimizer, 7);
    plan.master_element_bytes = 2;
    NEAR(element_bytes_of(&plan).optimizer, 5);
    plan.gradient_element_bytes = 2;
    NEAR(element_bytes_of(&plan).gradient, 2);
    NEAR(element_bytes_of(&plan).sent_gradient, 2);
}

/* Bytes of a parameter, by hand: weight + gradient + master copy + two moments of 4; torch's
 * gradients and moments are like weights that have no master copy. */
Test(stages, a_master_copy_is_there_or_not)
{
    const struct {
        enum rk_framework framework;
        double weight, master, sum;
    } cases[] = {
        {RK_FSDP, 0, -1, 4 + 4 + 0 + 8},     {RK_FSDP, 2, -1, 2 + 2 + 0 + 4},
        {RK_FSDP, 2, 4, 2 + 4 + 4 + 8},      {RK_FSDP, 2, 0, 2 + 2 + 0 + 4},
        {RK_FSDP, 4, 2, 4 + 4 + 2 + 8},      {RK_MEGATRON, 0, -1, 2 + 4 + 4 + 8},
        {RK_MEGATRON, 0, 0, 2 + 4 + 0 + 8},  {RK_MEGATRON, 0, 2, 2 + 4 + 2 + 8},
        {RK_MEGATRON, 4, -1, 4 + 4 + 4 + 8}, {RK_MEGATRON, 4, 4, 4 + 4 + 4 + 8},
        {RK_MEGATRON, 4, 0, 4 + 4 + 0 + 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk_plan plan = plan_in(cases[i].framework, RK_BF16);
        plan.weight_element_bytes = cases[i].weight;
        plan.master_element_bytes = cases[i].master;
        const struct element_bytes e = element_bytes_of(&plan);
        NEAR(e.weight + e.gradient + e.optimizer, cases[i].sum);
    }
}

/* 8 bits: a copy of the weights for each product, itself and transposed; Megatron-LM's 8-bit
 * parameters are these two, and are gathered as one byte. */
Test(stages, narrow_weights)
{
    struct rk_plan plan = plan_in(RK_MEGATRON, RK_FP8_DELAYED);
    struct element_bytes e = element_bytes_of(&plan);
    cr_expect(e.weight == 2 && e.narrow_copies == 2 && e.sent_weight == 2);
    plan.weights_fp8 = true;
    e = element_bytes_of(&plan);
    cr_expect(e.weight == 2 && e.narrow_copies == 0);
    cr_expect(e.sent_weight == 1 && e.gathered == 1);
}

/* Gradients in 16 bits are read, the fp32 sum is read and written, in three of four microbatches;
 * fused kernels add within the product. */
Test(stages, adding_gradients)
{
    struct rk_plan plan = plan_in(RK_MEGATRON, RK_BF16);
    plan.batch = 4;
    NEAR(element_bytes_of(&plan).added, 0);
    plan.fused = false;
    NEAR(element_bytes_of(&plan).added, (2 + 2 * 4) * 3 / 4.0);
    plan.batch = 1;
    NEAR(element_bytes_of(&plan).added, 0);
    plan.framework = RK_DEEPSPEED;
    plan.batch = 4;
    NEAR(element_bytes_of(&plan).added, (2 + 2 * 2) * 3 / 4.0);
    plan.gradient_element_bytes = 4; /* grad_accum_dtype fp32 */
    NEAR(element_bytes_of(&plan).added, (2 + 2 * 4) * 3 / 4.0);
    plan.gradient_element_bytes = 0;
    plan.zero = 2;
    NEAR(element_bytes_of(&plan).added, (2 + 2 * 2) * 3 / 4.0);
    plan.zero = 0;
    plan.precision = RK_FP16;
    NEAR(element_bytes_of(&plan).added, (2 + 2 * 2) * 3 / 4.0);
}
