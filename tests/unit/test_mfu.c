/* MFU: by hand, against the other counts, and below the peak on random problems. */
#include "drawn.h"
#include "plans_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct rk_model model;
static struct rk_system machine;
static struct rk_prediction prediction;
static struct rk_plan predicted_plan;

static const struct rk_prediction *predict(const char *id, const char *words)
{
    struct rk_error error;
    struct rk_plan plan;
    cr_assert_eq(rk_model_load(id, &model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &machine, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_plan_parse(words, &plan, &error), RK_OK, "%s", error.text);
    predicted_plan = plan;
    rk_predict(&model, &machine, &plan, &prediction);
    cr_assert(prediction.timed, "%s", words);
    rk_system_release(&machine);
    return &prediction;
}

/* 6 P + 6 n h s FLOP a token, in full 6 P + 12 n h s, P without the table of tokens, whatever the
 * degrees and the kernel; Megatron-LM's log has the former with the padded vocabulary. */
Test(mfu, counts_by_hand)
{
    const double s = 262144, n = 32, h = 4096;
    const double blocks = n * (4 * h * h + 2 * h * 4 * h);
    const double p = blocks + h * 50257;
    const char *const plans[] = {"gpus8 cp8 zero3 gbs2 seq262144",
                                 "gpus8 tp8 sp gbs2 mbs2 seq262144 recompute=full",
                                 "gpus16 tp2 pp2 cp4 gbs2 zero1 seq262144",
                                 "gpus8 cp8 gbs2 seq262144 attention=unfused",
                                 "gpus8 cp8 gbs2 seq262144 full-attention",
                                 "gpus8 cp8 cp-contiguous gbs2 seq262144",
                                 "gpus8 cp8 cp-kind=ulysses gbs2 seq262144"};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        const struct rk_prediction *o = predict("memo-7b", plans[i]);
        const double multiple = (double)predicted_plan.tensor;
        const double padded = blocks + h * multiple * ceil(50257 / multiple);
        const double tokens = 2 * s, causal = 6 * p + 6 * n * h * (s + 1);
        cr_expect_float_eq(o->model_flop / tokens / causal, 1, 1e-6, "%s", plans[i]);
        cr_expect_float_eq(o->model_flop_full / tokens / (6 * p + 12 * n * h * s), 1, 1e-6);
        cr_expect_float_eq(o->model_flop_as_megatron / tokens / (6 * padded + 6 * n * h * s), 1,
                           1e-6);
        cr_expect_float_eq(o->mfu_full / o->mfu, o->model_flop_full / o->model_flop, 1e-12);
        cr_expect_float_eq(o->mfu_as_megatron / o->mfu, o->model_flop_as_megatron / o->model_flop,
                           1e-12);
    }
}

/* A window of w leaves s w - w^2 / 2 pairs of s w; Megatron-LM's log does not know it. */
Test(mfu, windows)
{
    const double s = 262144, n = 32, h = 4096, w = 4096;
    const double p = n * (2 * h * h + 2 * h * 1024 + 3 * h * 14336) + h * 32000;
    const struct rk_prediction *o = predict("mistral-7b", "gpus8 cp8 zero3 gbs1 seq262144");
    const double seen = w * (w + 1) / 2 + (s - w) * w;
    cr_expect_float_eq(o->model_flop / (6 * p * s + 12 * n * h * seen), 1, 1e-6);
    cr_expect_float_eq(o->model_flop_full / (6 * p * s + 12 * n * h * s * w), 1, 1e-6);
    cr_expect_float_eq(o->model_flop_as_megatron / (6 * p * s + 6 * n * h * s * s), 1, 1e-6);
}

/* Whole layers computed again: four forward passes for three, but for the head. */
Test(mfu, what_is_computed_again)
{
    const double n = 32, h = 4096, s = 8192;
    const double block = 12 * h * h + h * (s + 1), head = h * 50257;
    const struct rk_prediction *o = predict("memo-7b", "gpus8 gbs8 seq8192 recompute=full");
    cr_expect_float_eq(o->executed_flop / o->model_flop,
                       (4 * n * block + 3 * head) / (3 * n * block + 3 * head), 1e-4);
}

/* Nothing is clamped: a rate above the peak would be an error of the prediction. */
Test(mfu, below_the_peak)
{
    const struct drawn cases = drawn_cases(DRAWN(150), 2000);
    static struct plans_case c;
    int timed = 0;
    printf("mfu: seeds from %" PRIu64 "\n", cases.first);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct random r = {seed * 7919};
        draw_case(&c, seed, UINT64_MAX);
        if (one_in(&r, 4)) c.model.bidirectional = true;
        c.model.sequence <<= below(&r, 8);
        struct rk_space *plans = rk_plans_open(&c.problem, NULL);
        const uint64_t count = rk_space_count(plans);
        for (int i = 0; i < 8 && count; i++) {
            struct rk_plan plan;
            char text[RK_PLAN_TEXT];
            rk_plans_plan(plans, below(&r, count), &plan);
            rk_predict(&c.model, &c.system, &plan, &prediction);
            if (!prediction.timed) continue;
            const struct rk_prediction *o = &prediction;
            rk_plan_text(&plan, text, sizeof text);
            timed++;
            cr_assert(o->mfu > 0 && o->mfu <= o->hfu && o->hfu <= 1, "seed %" PRIu64 ": %g, %g, %s",
                      seed, o->mfu, o->hfu, text);
            cr_assert(o->mfu <= o->mfu_full, "seed %" PRIu64 ", %s", seed, text);
            cr_assert(!c.model.bidirectional || o->mfu == o->mfu_full, "seed %" PRIu64, seed);
        }
        rk_space_close(plans);
        rk_system_release(&c.system);
    }
    cr_expect(drawn_enough(timed > 200));
}
