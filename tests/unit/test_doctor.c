/* A measured step and its prediction: numbers, parts of a profile, causes. */
#include "facts/step_place.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <reckon/doctor.h>

static struct rk_model model;
static struct rk_system machine;
static struct rk_plan plan;
static struct rk_prediction p;

static void predict(void)
{
    struct rk_error error = {.text = ""};
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &machine, &error), RK_OK);
    cr_assert_eq(rk_plan_parse("dp8 tp2 pp2 gbs64 zero1 sp", &plan, &error), RK_OK, "%s",
                 error.text);
    rk_predict(&model, &machine, &plan, &p);
    cr_assert(p.timed);
}

/* 64 samples of 8,192 tokens in two seconds on 32 GPUs: 262,144 tokens/s, 8,192 of each. */
Test(doctor, numbers_of_a_step)
{
    predict();
    const struct rk_speed all = rk_speed_of(2, &model, &plan, &p);
    cr_expect_float_eq(all.tokens_per_s, 262144, 1e-6);
    cr_expect_float_eq(all.tokens_per_s_per_gpu, 8192, 1e-9);
    cr_expect_float_eq(all.tflops, p.model_flop / 2 / 32 / 1e12, 1e-9);
    cr_expect_float_eq(all.mfu_percent, 100 * p.mfu * p.step_s / 2, 1e-9);
    const struct rk_speed each[] = {{.step_s = 2},
                                    {.tflops = all.tflops},
                                    {.tokens_per_s = all.tokens_per_s},
                                    {.tokens_per_s_per_gpu = all.tokens_per_s_per_gpu},
                                    {.mfu_percent = all.mfu_percent}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        cr_expect_float_eq(rk_speed_step_s(&each[i], &model, &plan, &p), 2, 1e-9);
    rk_system_release(&machine);
}

/* What overlaps with nothing, and what waits, are the profile's; products with recomputation. */
Test(doctor, parts_of_a_profile)
{
    struct rk_step_part parts[RK_STEP_PARTS];
    const struct rk_prediction predicted = {.outcome = {.matrix_s = 2,
                                                        .attention_s = 1,
                                                        .memory_s = 1,
                                                        .recompute_s = 1,
                                                        .launch_s = 0.5,
                                                        .bubble_s = 0.25}};
    const struct rk_profile profile = {3, 1, 1, 0.5, 2};
    rk_step_parts(&profile, &predicted, parts);
    cr_expect_float_eq(parts[0].profile_s, 3, 1e-12);
    cr_expect_float_eq(parts[0].predicted_s, 2.5, 1e-12);
    cr_expect_str_eq(parts[4].name, "GPU idle: host or pipeline");
    cr_expect_float_eq(parts[4].profile_s, 2, 1e-12);
    cr_expect_float_eq(parts[4].predicted_s, 0.75, 1e-12);
}

/* A step as long as predicted with products at 0.8 of their rate has that cause first; none brings
 * the prediction nearer to itself. */
Test(doctor, causes)
{
    predict();
    struct rk_cause causes[RK_CAUSES];
    struct rk_error error = {.text = ""};
    int count;
    cr_assert_eq(rk_causes(&model, &machine, &plan, p.step_s, p.step_s, causes, &count, &error),
                 RK_OK);
    cr_expect_eq(count, 0);
    struct rk_system slow;
    static struct rk_prediction slower;
    cr_assert_eq(rk_system_copy(&slow, &machine, &error), RK_OK);
    slow.kernels.sustained *= 0.8;
    slow.busy.sustained *= 0.8;
    rk_predict(&model, &slow, &plan, &slower);
    cr_assert_eq(
        rk_causes(&model, &machine, &plan, p.step_s, slower.step_s, causes, &count, &error), RK_OK);
    cr_assert_geq(count, 1);
    cr_expect_str_eq(causes[0].what, "products at 0.8 of their rate");
    cr_expect_float_eq(causes[0].off, 0, 1e-12);
    rk_system_release(&slow);
    rk_system_release(&machine);
}

Test(doctor, places)
{
    const struct error_class class = {.ratio = {0.8, 0.9, 1, 1.1, 1.2}};
    cr_expect_str_eq(step_place_of(&class, 0.7).why, "check the number");
    cr_expect_str_eq(step_place_of(&class, 1).word, "usual");
    cr_expect_eq(step_place_of(&class, 1.15).tone, STEP_SLOW);
    cr_expect_eq(step_place_of(&class, 2).tone, STEP_BAD);
    cr_expect_str_eq(step_place_of(NULL, 1.2).word, "slow");
    cr_expect_eq(step_place_of(NULL, 1.6).tone, STEP_BAD);
}
