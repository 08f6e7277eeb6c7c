/* layerwise_cases.h - problems of the search of a way for each layer, and what holds of its
 * answers.
 */
#ifndef RECKON_TESTS_LAYERWISE_CASES_H
#define RECKON_TESTS_LAYERWISE_CASES_H

#include "catalog_cases.h"
#include "search/layerwise.h"

#include <math.h>
#include <reckon/catalog.h>
#include <reckon/check.h>

static struct rk_model model;
static struct rk_system machine;
static struct layerwise_answer answer;
static struct rk_plans_problem problem;

static inline void pin(enum rk_plan_axis axis, int count, const uint64_t *value)
{
    problem.pinned[axis].count = count;
    for (int i = 0; i < count; i++)
        problem.pinned[axis].value[i] = problem.pinned[axis].to[i] = value[i];
}

static inline void pin_one(enum rk_plan_axis axis, uint64_t value)
{
    pin(axis, 1, &value);
}

static inline void open_machine(const char *id)
{
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_system_load(id, &machine, &error), RK_OK);
}

static inline void open_problem(const char *name, const char *system, uint64_t gpus, uint64_t batch)
{
    struct rk_error error;
    open_machine(system);
    cr_assert_eq(rk_model_load(name, &model, &error), RK_OK);
    rk_plans_problem_init(&problem, &model, &machine, RK_MEGATRON, gpus, batch, 0);
}

/* False: nothing fits. */
static inline bool search(void)
{
    const struct layerwise_query query = {.problem = &problem, .launches = rk_plan_launches};
    struct rk_error error;
    const enum rk_status status = layerwise_search(&query, &answer, &error);
    cr_assert(status == RK_OK || status == RK_NOTHING_FITS, "%s", error.text);
    return status == RK_OK;
}

/* What is found launches and is what rk_predict says of its words, no slower than layers alike, and
 * no faster than the bound. */
static inline void check(const char *what)
{
    static struct rk_prediction p;
    struct rk_plan parsed;
    struct rk_error error;
    char words[16384];
    rk_plan_text(&answer.plan, words, sizeof words);
    cr_assert_eq(rk_plan_parse(words, &parsed, &error), RK_OK, "%s: %s", words, error.text);
    cr_expect(rk_plan_launches(&model, &machine, &parsed), "%s: %s", what, words);
    cr_expect_eq(rk_predict(&model, &machine, &parsed, &p), RK_FITS, "%s: %s", what, words);
    cr_expect_eq(p.step_s, answer.prediction.step_s, "%s: %s", what, words);
    cr_expect_eq(p.hbm_bytes, answer.prediction.hbm_bytes, "%s: %s", what, words);
    if (answer.uniform_s > 0) cr_expect_leq(p.step_s, answer.uniform_s * (1 + 1e-9), "%s", what);
    if (answer.any_s > 0) cr_expect_leq(p.step_s, answer.any_s * (1 + 1e-9), "%s", what);
    cr_expect_leq(answer.bound_s, p.step_s * (1 + 1e-9), "%s", what);
    if (answer.mixed) cr_expect_leq(answer.floor_s, p.step_s * (1 + 1e-9), "%s", what);
}

#endif
