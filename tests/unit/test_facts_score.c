/* Statistics of errors and planner regret, by hand. */
#include "facts/results.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(a, b)                                                                                 \
    cr_expect(fabs((a) - (b)) < 1e-12, "%.17g, expected %.17g", (double)(a), (double)(b))

Test(score, five_errors_by_hand)
{
    double errors[] = {0.10, -0.30, 0.02, -0.05, 0.08};
    const struct score s = score_errors(errors, 5);
    cr_expect_eq(s.count, 5);
    NEAR(s.signed_mean, -0.03); /* (0.10 - 0.30 + 0.02 - 0.05 + 0.08) / 5 */
    NEAR(s.mean, 0.11);         /* 0.55 / 5 */
    NEAR(s.median, 0.08);       /* of 0.02 0.05 0.08 0.10 0.30 */
    NEAR(s.p90, 0.22);          /* at 0.9 * 4 = 3.6: 0.10 + 0.6 * 0.20 */
    NEAR(s.worst, 0.30);
}

Test(score, none_and_one)
{
    double one[] = {-0.25};
    const struct score none = score_errors(NULL, 0), s = score_errors(one, 1);
    cr_expect_eq(none.count, 0);
    NEAR(none.p90, 0);
    NEAR(s.signed_mean, -0.25);
    NEAR(s.median, 0.25);
    NEAR(s.p90, 0.25);
}

/* ---- regret ---- */

struct run {
    const char *id, *group;
    enum figure_kind kind;
    bool fits;
    double measured_s, predicted_s;
};

static struct results made(const struct run *runs, size_t count)
{
    struct results results = {.count = count, .rows = count};
    results.result = calloc(count, sizeof *results.result);
    for (size_t i = 0; i < count; i++) {
        struct result *r = &results.result[i];
        snprintf(r->id, sizeof r->id, "%s", runs[i].id);
        snprintf(r->group, sizeof r->group, "%s", runs[i].group);
        r->kind = runs[i].kind;
        r->verdict = runs[i].fits ? RESULT_COMPARED : RESULT_REFUSED;
        r->judgement.verdict = runs[i].fits ? RK_FITS : RK_MEMORY_EXCEEDED;
        r->measured_si = runs[i].measured_s;
        r->predicted_si = runs[i].predicted_s;
        r->error = runs[i].predicted_s / runs[i].measured_s - 1;
    }
    return results;
}

Test(regret, of_six_groups)
{
    static const struct run runs[] = {
        /* the prediction prefers a2, which took 11 s; the best took 10 s: 10 % */
        {"a1", "a", FIGURE_STEP, true, 10, 9},
        {"a2", "a", FIGURE_STEP, true, 11, 8},
        {"a3", "a", FIGURE_STEP, true, 14, 13},
        /* one run: nothing to choose */
        {"b1", "b", FIGURE_STEP, true, 5, 5},
        /* c2 is faster, but predicted not to fit: c1 is chosen, 6 / 4 - 1 = 50 % */
        {"c1", "c", FIGURE_STEP, true, 6, 6},
        {"c2", "c", FIGURE_STEP, false, 4, 3},
        /* predicted alike is one strategy, d3 another; the fastest run stands for it: 2 / 2 - 1 */
        {"d1", "d", FIGURE_STEP, true, 3, 1},
        {"d2", "d", FIGURE_STEP, true, 2, 1},
        {"d3", "d", FIGURE_STEP, true, 4, 2},
        /* one strategy, measured twice: nothing to choose */
        {"f1", "f", FIGURE_STEP, true, 4, 2},
        {"f2", "f", FIGURE_STEP, true, 5, 2},
        /* chooses one that was out of memory */
        {"e1", "e", FIGURE_STEP, true, 2, 2},
        {"e2", "e", FIGURE_STEP, true, 3, 3},
        {"e3", "e", FIGURE_OOM, true, NAN, 1},
    };
    struct results results = made(runs, sizeof runs / sizeof *runs);
    struct regret *regrets;
    struct rk_error error;
    size_t count;
    cr_assert_eq(regrets_of(&results, &regrets, &count, &error), RK_OK);
    cr_assert_eq(count, 4);
    NEAR(regrets[0].regret, 0.1);
    cr_expect_str_eq(regrets[0].first->id, "a2");
    cr_expect_str_eq(regrets[0].best->id, "a1");
    cr_expect_eq(regrets[0].plans, 3);
    NEAR(regrets[1].regret, 0.5);
    cr_expect_str_eq(regrets[1].first->id, "c1");
    NEAR(regrets[2].regret, 0);
    cr_expect_str_eq(regrets[2].first->id, "d2");
    cr_expect_eq(regrets[2].plans, 3);
    cr_expect(isnan(regrets[3].regret));
    cr_expect_str_eq(regrets[3].first->id, "e3");
    free(regrets);
    results_release(&results);
}

static bool faster_than(const struct result *r, const void *context)
{
    return r->measured_si < *(const double *)context;
}

Test(score, of_those_that_a_filter_takes)
{
    static const struct run runs[] = {
        {"a", "g", FIGURE_STEP, true, 10, 11}, /* +10 % */
        {"b", "g", FIGURE_STEP, true, 10, 8},  /* -20 % */
        {"c", "g", FIGURE_STEP, true, 99, 1},  /* left out */
        {"d", "g", FIGURE_STEP, true, NAN, 1}, /* no error */
    };
    struct results results = made(runs, 4);
    struct score s;
    struct rk_error error;
    const double limit = 50;
    cr_assert_eq(score_of(&results, faster_than, &limit, &s, &error), RK_OK);
    cr_expect_eq(s.count, 2);
    NEAR(s.signed_mean, -0.05);
    NEAR(s.mean, 0.15);
    cr_expect_str_eq(s.worst_of->id, "b");
    results_release(&results);
}

Test(classes, names_are_sorted_and_once)
{
    struct results results = made((const struct run[]){{"a", "g", FIGURE_STEP, true, 1, 1},
                                                       {"b", "g", FIGURE_STEP, true, 1, 1},
                                                       {"c", "g", FIGURE_STEP, true, 1, 1}},
                                  3);
    static const char *const gpus[] = {"H100", "A100", "H100"};
    for (int i = 0; i < 3; i++)
        snprintf(results.result[i].class_of[CLASS_GPU], FACT_TEXT, "%s", gpus[i]);
    size_t count;
    const char **names = class_names(&results, CLASS_GPU, &count);
    cr_assert_eq(count, 2);
    cr_expect_str_eq(names[0], "A100");
    cr_expect_str_eq(names[1], "H100");
    free(names);
    results_release(&results);
}
