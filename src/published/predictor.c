/* published.c - the model of [isaev2023] as the search sees it. */
#include "published/networks.h"
#include "published/plans.h"
#include "published/units.h"
#include "search/expression.h"
#include "search/hash.h"
#include "search/plans_axes.h"

#include <stdlib.h>
#include <string.h>

/* ---- axes and figures ---- */

static const char *axis_name(int axis)
{
    return rk_axis((enum rk_axis)axis)->name;
}

static const char *const *axis_words(int axis)
{
    return rk_axis((enum rk_axis)axis)->choices;
}

static bool axis_parse(int axis, const char *word, uint64_t *value)
{
    const char *const *words = axis_words(axis);
    for (*value = 0; words && words[*value]; ++*value)
        if (strcmp(words[*value], word) == 0) return true;
    return false;
}

static uint64_t axis_get(const union any_plan *plan, int axis)
{
    return rk_axis_get(&plan->strategy, (enum rk_axis)axis);
}

static uint64_t batch_of(const union any_plan *plan)
{
    return plan->strategy.batch;
}

static void predict(const struct rk_space *space, const union any_plan *plan, struct outcome *to)
{
    struct rk_estimate estimate = {.reasons = 0};
    rk_estimate(space->model, space->system, &plan->strategy, &estimate);
    outcome_of(&estimate, to);
}

/* ---- conditions alone ---- */

double expression_of_estimate(const struct expression *expression,
                              const struct rk_strategy *strategy,
                              const struct rk_estimate *estimate)
{
    const union any_plan plan = {.strategy = *strategy};
    struct outcome outcome;
    outcome_of(estimate, &outcome);
    return expression_value(expression, &plan, outcome.figure);
}

struct rk_condition {
    struct expression expression;
};

struct rk_condition *rk_condition_open(const char *text, struct rk_error *error)
{
    struct rk_condition *condition = malloc(sizeof *condition);
    if (!condition) {
        rk_fail(error, RK_IO, NULL, 0, 0, "not enough memory for a condition");
        return NULL;
    }
    if (expression_compile(&condition->expression, &published_predictor, text, strlen(text), 0,
                           error) == RK_OK)
        return condition;
    free(condition);
    return NULL;
}

void rk_condition_close(struct rk_condition *condition)
{
    free(condition);
}

bool rk_condition_holds(const struct rk_condition *condition, const struct rk_strategy *strategy,
                        const struct rk_estimate *estimate)
{
    return !condition || expression_of_estimate(&condition->expression, strategy, estimate) != 0;
}

/* ---- the space ---- */

static bool plan_at(const struct rk_space *space, uint64_t index, union any_plan *plan)
{
    rk_space_strategy(space, index, &plan->strategy);
    return true;
}

static void *open_scratch(const struct rk_space *space)
{
    return scratch_open(strategies_of(space));
}

static void close_scratch(void *scratch)
{
    scratch_close(scratch);
}

static void count_rest(const struct rk_space *base, struct rk_search_counts *counts,
                       struct rk_search_explain *explain)
{
    const struct strategies *space = strategies_of(base);
    for (int g = 0; g < space->groups; g++)
        group_count_networks(space, &space->group[g], counts, explain);
}

/* ---- fingerprint ---- */

static void fingerprint(const struct rk_space *space, uint64_t *hash)
{
    const struct rk_problem *p = &strategies_of(space)->problem;
    mix_number(hash, p->ranks);
    mix_number(hash, p->max_batch);
    mix_number(hash, p->datatype);
    for (int axis = 0; axis < RK_AXES; axis++) {
        mix_number(hash, (uint64_t)p->pinned[axis].count);
        for (int i = 0; i < p->pinned[axis].count; i++) {
            mix_number(hash, p->pinned[axis].value[i]);
            mix_number(hash, p->pinned[axis].to[i]);
        }
    }
}

/* How it goes through its space; whatever its plans are called. */
#define WALK                                                                                       \
    .close = strategies_close, .fingerprint = fingerprint, .units_open = strategy_units_open,      \
    .units_close = strategy_units_close, .units_begin = strategy_units_begin,                      \
    .units_prepare = strategy_units_prepare, .units_list = strategy_units_list,                    \
    .unit_bound = strategy_unit_bound, .units_sort = strategy_units_sort,                          \
    .units_sort_round = strategy_units_sort_round, .scratch_open = open_scratch,                   \
    .scratch_close = close_scratch, .unit_run = strategy_unit_run, .count_rest = count_rest

const struct predictor published_predictor = {
    .name = "calculon",
    .by = RK_BY_CALCULON,
    .axes = RK_AXES,
    .axis_name = axis_name,
    .axis_words = axis_words,
    .axis_parse = axis_parse,
    .axis_get = axis_get,
    .batch = batch_of,
    .predict = predict,
    .plan_at = plan_at,
    WALK,
};

const struct predictor calculon_predictor = {
    .name = "calculon",
    .by = RK_BY_CALCULON,
    .axes = RK_PLAN_AXES,
    .axis_name = plan_axis_name,
    .axis_words = plan_axis_words,
    .axis_parse = plan_axis_parse,
    .axis_get = plan_axis_get,
    .batch = plan_batch,
    .predict = published_plan_predict,
    .plan_at = published_plan_at,
    WALK,
};
