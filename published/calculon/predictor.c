/* published.c - the model of [isaev2023] as the search sees it. */
#include "base/hash.h"
#include "calculon/networks.h"
#include "calculon/plans.h"
#include "calculon/units.h"
#include "search/plans_axes.h"

/* ---- the space ---- */

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
    .close = strategies_close,
    .fingerprint = fingerprint,
    .units_open = strategy_units_open,
    .units_close = strategy_units_close,
    .units_begin = strategy_units_begin,
    .units_prepare = strategy_units_prepare,
    .units_list = strategy_units_list,
    .unit_bound = strategy_unit_bound,
    .units_sort = strategy_units_sort,
    .units_sort_round = strategy_units_sort_round,
    .scratch_open = open_scratch,
    .scratch_close = close_scratch,
    .unit_run = strategy_unit_run,
    .count_rest = count_rest,
};
