/* Encoder-decoders: parameters as published, work of both stacks by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/predict.h>
#include <reckon/serve.h>
#include <string.h>

static struct rk_model t5(void)
{
    struct rk_model model;
    struct rk_error error = {0};
    cr_assert_eq(rk_model_load("t5-base", &model, &error), RK_OK, "%s", error.text);
    return model;
}

static struct rk_system a100(void)
{
    struct rk_system system = {0};
    struct rk_error error = {0};
    cr_assert_eq(rk_system_load("a100-sxm4-80g", &system, &error), RK_OK, "%s", error.text);
    return system;
}

static struct rk_prediction prediction;

static enum rk_verdict predict(const struct rk_model *model, const struct rk_plan *plan)
{
    struct rk_system system = a100();
    rk_predict(model, &system, plan, &prediction);
    rk_system_release(&system);
    return prediction.verdict;
}

/* The checkpoint's 222,903,552 but for 2 * 32 * 12 relative positions. */
Test(encoder_decoder, parameters_are_the_checkpoints)
{
    const struct rk_model model = t5();
    cr_expect_eq(rk_model_parameters(&model), 222903552 - 2 * 32 * 12);
}

/* Three times forward. The encoder's 512 tokens go through 12 layers of 4 h^2 + 2 h f and see each
 * other; the decoder's 114 through as many of 6 h^2 + 2 h f and the logits, see those
 * before them and all of the encoder's, of which each layer of the decoder makes keys and values, 2
 * h^2 each. */
static double flop_by_hand(void)
{
    const double h = 768, f = 3072, v = 32128, e = 512, d = 114;
    const double encoder = 12 * (2 * e * (4 * h * h + 2 * h * f) + 4 * h * e * e);
    const double decoder = 12 * (2 * d * (6 * h * h + 2 * h * f) + 2 * e * 2 * h * h +
                                 2 * h * d * (d + 1) + 4 * h * d * e);
    return 3 * (encoder + decoder + 2 * d * h * v);
}

Test(encoder_decoder, work_is_that_of_both_stacks)
{
    const struct rk_model model = t5();
    struct rk_plan plan = rk_plan_default();
    const enum rk_attention_kernel kernels[] = {RK_FLASH, RK_UNFUSED};
    for (int i = 0; i < 2; i++)
        for (uint64_t tensor = 1; tensor <= 2; tensor++)
            for (int sharded = 0; sharded < 2; sharded++) {
                plan.attention = kernels[i];
                plan.tensor = plan.ranks = tensor;
                plan.sequence_parallel = sharded && tensor > 1;
                plan.batch = plan.microbatch = 4;
                cr_assert_eq(predict(&model, &plan), RK_FITS, "%s", prediction.reason[0].what);
                cr_expect_float_eq(prediction.model_flop, 4 * flop_by_hand(),
                                   1e-9 * flop_by_hand());
            }
}

/* Each rank has its share of all matrices, cross attention's too. */
Test(encoder_decoder, tensor_ranks_share_the_parameters)
{
    const struct rk_model model = t5();
    struct rk_plan plan = rk_plan_default();
    plan.attention = RK_FLASH;
    const double all = (double)rk_model_parameters(&model), norms = 768.0 * (24 + 36 + 2);
    for (uint64_t tensor = 1; tensor <= 4; tensor *= 2) {
        plan.tensor = plan.ranks = tensor;
        plan.batch = 1;
        predict(&model, &plan);
        cr_expect_float_eq(prediction.stage[0].parameters, (all - norms) / (double)tensor + norms,
                           1);
    }
}

/* A decoder layer keeps, beside what a layer of plain attention keeps, the encoder's keys and
 * values: with no tokens of its own to speak of, longer samples of the encoder cost it. */
Test(encoder_decoder, a_longer_encoder_needs_more_memory_and_time)
{
    struct rk_model model = t5();
    struct rk_plan plan = rk_plan_default();
    plan.batch = plan.microbatch = 32;
    plan.attention = RK_FLASH;
    predict(&model, &plan);
    const double held = prediction.stage[0].total_bytes, step_s = prediction.step_s;
    model.encoder_sequence = 1024;
    predict(&model, &plan);
    cr_expect_gt(prediction.stage[0].total_bytes, held);
    cr_expect_gt(prediction.step_s, step_s);
}

Test(encoder_decoder, what_is_not_known_is_refused)
{
    const struct rk_model model = t5();
    struct rk_plan plan = rk_plan_default();
    plan.ranks = plan.pipeline = plan.batch = 2;
    cr_expect_eq(predict(&model, &plan), RK_BAD_OPTION);
    plan.pipeline = 1;
    plan.context = 2;
    cr_expect_eq(predict(&model, &plan), RK_BAD_OPTION);
    struct rk_system system = a100();
    struct rk_served served;
    const struct rk_serving serving = {1, 1, 1, 1, 2, false, false};
    plan.context = plan.ranks = 1;
    cr_expect_eq(rk_serve(&model, &system, &plan, &serving, &served), RK_BAD_OPTION);
    rk_system_release(&system);
}
