/* plans.c - the detailed model as the search sees it. */
#include "base/hash.h"
#include "search/fingerprint.h"
#include "search/plans_split.h"
#include "search/plans_unit.h"
#include "search/plans_units.h"

/* ---- axes ---- */

const char *plan_axis_name(int axis)
{
    return rk_plan_axis_info((enum rk_plan_axis)axis)->name;
}

const char *const *plan_axis_words(int axis)
{
    static const char *const recompute[] = {"none",    "full",           "selective",   "core_attn",
                                            "moe_act", "layernorm",      "mla_up_proj", "mlp",
                                            "moe",     "shared_experts", NULL};
    const struct rk_plan_axis_info *info = rk_plan_axis_info((enum rk_plan_axis)axis);
    return info->type == RK_PLAN_PARTS ? recompute : info->choices;
}

bool plan_axis_parse(int axis, const char *word, uint64_t *value)
{
    return rk_plan_axis_parse((enum rk_plan_axis)axis, word, value);
}

uint64_t plan_axis_get(const struct rk_plan *plan, int axis)
{
    return rk_plan_axis_get(plan, (enum rk_plan_axis)axis);
}

uint64_t plan_batch(const struct rk_plan *plan)
{
    return plan->batch;
}

static void predict(const struct rk_space *space, const struct rk_plan *plan, struct outcome *to)
{
    struct rk_prediction p;
    rk_plans_predict(&plans_of(space)->problem, plan, &p);
    outcome_of(&p.outcome, to);
}

/* ---- the space ---- */

static bool plan_at(const struct rk_space *space, uint64_t index, struct rk_plan *plan)
{
    return plans_plan_at(space, index, plan);
}

static void *open_scratch(const struct rk_space *space)
{
    return plan_scratch_open(plans_of(space));
}

static void close_scratch(void *scratch)
{
    plan_scratch_close(scratch);
}

static void count_rest(const struct rk_space *space, struct rk_search_counts *counts,
                       struct rk_search_explain *explain)
{
    (void)space;
    (void)counts;
    (void)explain;
}

void plans_mix_problem(uint64_t *hash, const struct rk_plans_problem *p)
{
    fingerprint_plan(hash, &p->base);
    mix_number(hash, p->unstartable);
    for (int axis = 0; axis < RK_PLAN_AXES; axis++) {
        const int count = p->pinned[axis].count;
        mix_number(hash, (uint64_t)count);
        mix(hash, p->pinned[axis].value, (size_t)count * sizeof *p->pinned[axis].value);
        mix(hash, p->pinned[axis].to, (size_t)count * sizeof *p->pinned[axis].to);
    }
}

static void fingerprint(const struct rk_space *space, uint64_t *hash)
{
    plans_mix_problem(hash, &plans_of(space)->problem);
}

const struct predictor plans_predictor = {
    .name = "reckon",
    .by = RK_BY_RECKON,
    .axes = RK_PLAN_TENSOR_COMM, /* the axes after these are only in the Calculon model */
    .axis_name = plan_axis_name,
    .axis_words = plan_axis_words,
    .axis_parse = plan_axis_parse,
    .axis_get = plan_axis_get,
    .batch = plan_batch,
    .predict = predict,
    .close = plans_close,
    .plan_at = plan_at,
    .fingerprint = fingerprint,
    .units_open = plan_units_open,
    .units_close = plan_units_close,
    .units_begin = plan_units_begin,
    .units_prepare = plan_units_prepare,
    .units_list = plan_units_list,
    .unit_bound = plan_unit_bound,
    .units_sort = plan_units_sort,
    .units_sort_round = plan_units_sort_round,
    .scratch_open = open_scratch,
    .scratch_close = close_scratch,
    .unit_run = plan_unit_of_units_run,
    .count_rest = count_rest,
};
