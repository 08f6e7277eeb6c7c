/* Measured runs correct those that are like them (facts/likeness.h). */
#include "facts/likeness.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

static struct result step(const char *id, uint64_t gpus, double measured_s, double predicted_s)
{
    struct result r = {.kind = FIGURE_STEP,
                       .verdict = RESULT_COMPARED,
                       .measured = measured_s,
                       .measured_si = measured_s,
                       .predicted = predicted_s,
                       .predicted_si = predicted_s,
                       .gpus = gpus,
                       .model = {.hidden = 4096, .layers = 32}};
    strcpy(r.id, id);
    strcpy(r.class_of[CLASS_SOURCE], "ours");
    strcpy(r.system, "h100-sxm5-80g");
    r.judgement.plan = rk_plan_default();
    r.judgement.plan.sequence = 4096;
    return r;
}

/* Four times the GPUs are two doublings of 0.2; another recomputation is a choice of 0.5, twice the
 * microbatch 0.5. */
Test(facts_likeness, distance)
{
    const struct result a = step("a", 8, 1, 1), b = step("b", 32, 1, 1);
    struct result c = b;
    cr_expect_float_eq(likeness(&a, &a), 1, 1e-12);
    cr_expect_float_eq(likeness(&a, &b), exp(-0.4), 1e-12);
    cr_expect_float_eq(likeness(&b, &a), exp(-0.4), 1e-12);
    c.judgement.plan.recompute = RK_WHOLE;
    c.judgement.plan.microbatch = 2;
    cr_expect_float_eq(likeness(&a, &c), exp(-0.4 - 0.5 - 0.5), 1e-12);
}

/* One measurement 20 % slower than predicted: 1 / 1.15 of its logarithm reaches the same plan,
 * exp(-0.4) of that four times the GPUs, nothing a run far off; its own row stays. */
Test(facts_likeness, one_measurement)
{
    struct result rows[] = {step("own", 8, 1.2, 1), step("same", 8, 1.2, 1), step("more", 32, 1, 1),
                            step("far", 8, 1, 1)};
    struct results all = {.count = 4, .result = rows}, given = {.count = 1, .result = rows};
    struct rk_error error;
    rows[2].rate = true;
    rows[3].model.hidden = UINT64_MAX; /* 52 doublings */
    rows[3].model.layers = UINT64_MAX; /* 59 */
    cr_assert(eq(int, results_correct(&all, &given, &error), RK_OK));
    cr_expect_eq(rows[0].predicted_si, 1);
    cr_expect_float_eq(rows[1].predicted_si, pow(1.2, 1 / 1.15), 1e-12);
    cr_expect_float_eq(rows[1].error, pow(1.2, 1 / 1.15) / 1.2 - 1, 1e-12);
    cr_expect_float_eq(rows[2].predicted_si, pow(1.2, exp(-0.4) / 1.15), 1e-12);
    cr_expect_float_eq(rows[2].predicted, pow(1.2, -exp(-0.4) / 1.15), 1e-12);
    cr_expect_float_eq(rows[3].predicted_si, 1, 1e-9);
}

/* Twins share what is left: of n that agree, n / (n + 0.15) of the logarithm. */
Test(facts_likeness, more_measurements)
{
    struct result rows[6], other[] = {step("new", 8, 1, 1)};
    struct results given = {.count = 6, .result = rows}, all = {.count = 1, .result = other};
    struct rk_error error;
    for (int i = 0; i < 6; i++)
        rows[i] = step((char[]){(char)('a' + i), 0}, 8, 1.2, 1);
    cr_assert(eq(int, results_correct(&all, &given, &error), RK_OK));
    cr_expect_float_eq(other[0].predicted_si, pow(1.2, 6 / 6.15), 1e-12);
    rows[0].measured_si = 0; /* no time that could be said */
    other[0] = step("new", 8, 1, 1);
    cr_assert(eq(int, results_correct(&all, &given, &error), RK_OK));
    cr_expect_float_eq(other[0].predicted_si, pow(1.2, 5 / 5.15), 1e-12);
    given.count = 0;
    cr_expect(eq(int, results_correct(&all, &given, &error), RK_BAD_ARGUMENT));
}

/* What is not known of a plan: of one measured at it 1 - 1 / 1.15^2 of the variance of a
 * measurement are left, of one exp(-0.4) away 1 - exp(-0.8) / 1.15^2; two that agree on it share
 * the same row. */
Test(facts_likeness, what_is_left)
{
    struct result rows[] = {step("a", 8, 1.2, 1), step("b", 8, 1.2, 1)};
    struct results given = {.count = 1, .result = rows};
    const struct rk_model *model = &rows[0].model;
    struct rk_plan plan = rows[0].judgement.plan;
    struct likeness_says says;
    struct rk_error error;
    plan.ranks = 8;
    cr_assert(
        eq(int, likeness_of_plan(&given, model, rows[0].system, &plan, &says, &error), RK_OK));
    cr_expect_float_eq(says.left, 1 - 1 / (1.15 * 1.15), 1e-12);
    given.count = 2;
    cr_assert(
        eq(int, likeness_of_plan(&given, model, rows[0].system, &plan, &says, &error), RK_OK));
    cr_expect_float_eq(says.left, 1 - 2 / (2.15 * 1.15), 1e-12);
    given.count = 1;
    plan.ranks = 32;
    cr_assert(
        eq(int, likeness_of_plan(&given, model, rows[0].system, &plan, &says, &error), RK_OK));
    cr_expect_float_eq(says.left, 1 - exp(-0.8) / (1.15 * 1.15), 1e-12);
}

/* A source that is slow all over by 20 %: the factor of any step settles it. */
Test(facts_likeness, what_steps_bring)
{
    struct result rows[8];
    struct results all = {.count = 8, .result = rows};
    struct given_score score;
    struct rk_error error;
    for (int i = 0; i < 8; i++)
        rows[i] = step((char[]){(char)('a' + i), 0}, 8u << i, 1.2, 1);
    cr_assert(eq(int, given_score_of(&all, 6, 2, &score, &error), RK_OK));
    cr_expect_eq(score.sources, 1);
    cr_expect_float_eq(score.none, 1 - 1 / 1.2, 1e-12);
    cr_expect_float_eq(score.factor, 0, 1e-12);
    cr_expect(score.likeness > 0 && score.likeness < score.none);
    cr_assert(eq(int, given_score_of(&all, 9, 2, &score, &error), RK_OK));
    cr_expect_eq(score.sources, 0);
}
