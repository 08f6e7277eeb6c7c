#include "search/plans_split.h"

#include "estimate/plan_check.h"

#include <math.h>
#include <string.h>

enum { MAX_ITEMS = 4096 };

/* Blocks of a model deeper than that are not told apart: see plan_balance. */

struct dealing {
    const double *cost;
    int items, stages;
    double head, tail;
};

static double begin_of(const struct dealing *d, int stage)
{
    return (stage == 0 ? d->head : 0) + (stage == d->stages - 1 ? d->tail : 0);
}

/* Each stage takes what fits below `most`. Returns how many items that leaves; `next` is the least
 * that would let a stage take one more. */
static int deal_greedily(const struct dealing *d, double most, double *next)
{
    int at = 0;
    *next = INFINITY;
    for (int stage = 0; stage < d->stages; stage++) {
        double sum = begin_of(d, stage);
        if (sum > most && sum < *next) *next = sum;
        while (at < d->items && sum + d->cost[at] <= most)
            sum += d->cost[at++];
        if (at < d->items && sum + d->cost[at] < *next) *next = sum + d->cost[at];
    }
    return d->items - at;
}

static double least_possible(const struct dealing *d)
{
    double sum = d->head + d->tail, most = d->stages == 1 ? sum : fmax(d->head, d->tail);
    for (int i = 0; i < d->items; i++) {
        sum += d->cost[i];
        most = fmax(most, d->cost[i]);
    }
    return fmax(most, sum / d->stages * (1 - 1e-12));
}

/* A split with a smaller slowest stage than `next` would leave the same items. */
static double slowest_of_best(const struct dealing *d)
{
    double most = least_possible(d), next;
    while (deal_greedily(d, most, &next) > 0)
        most = next;
    return most;
}

/* from[k]: the first item that the last k stages can begin with. Sums are made from behind here and
 * from the front above, so they are compared with room for rounding. */
static void deal_backwards(const struct dealing *d, double most, int *from)
{
    int at = d->items;
    from[0] = at;
    for (int k = 1; k <= d->stages; k++) {
        double sum = begin_of(d, d->stages - k);
        while (at > 0 && sum + d->cost[at - 1] <= most)
            sum += d->cost[--at];
        from[k] = at;
    }
}

/* As even as the slowest stage allows: each stage takes what comes nearest to its share of what is
 * left, but no more than `most`, and enough for the others to manage. */
static void deal_evenly(const struct dealing *d, double most, uint16_t *split)
{
    int from[RK_MAX_CHUNKS + 1], at = 0;
    double left = d->head + d->tail;
    deal_backwards(d, most, from);
    for (int i = 0; i < d->items; i++)
        left += d->cost[i];
    for (int stage = 0; stage < d->stages; stage++) {
        const int others = d->stages - stage - 1, first = at;
        const double share = left / (others + 1);
        double sum = begin_of(d, stage);
        while (at < d->items && (at < from[others] || others == 0 ||
                                 (sum + d->cost[at] <= most && sum + d->cost[at] / 2 <= share)))
            sum += d->cost[at++];
        split[stage] = (uint16_t)(at - first);
        left -= sum;
    }
}

double split_balanced(uint16_t *split, int stages, const double *cost, int items, double head,
                      double tail)
{
    const struct dealing d = {cost, items, stages, head, tail};
    const double most = slowest_of_best(&d);
    deal_evenly(&d, most * (1 + 1e-12), split);
    return most;
}

/* ---- of a plan ---- */

static double cost_of(const struct layer_fold *layer)
{
    double sum = 0;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        sum += layer->pass_s[pass];
    return sum;
}

/* Where the first few layers of each stage are computed again, that costs every stage the same. */
static enum treatment treatment_of(const struct rk_plan *plan)
{
    return plan->recompute != RK_KEEP && !plan->recompute_layers ? RECOMPUTED : AS_IT_IS;
}

void plan_balance(struct rk_plan *plan, const struct rk_model *model,
                  const struct layer_folds *fold)
{
    double cost[MAX_ITEMS], kinds[LAYER_KINDS];
    const enum treatment treatment = treatment_of(plan);
    const int stages = (int)(plan->pipeline * plan->chunks);
    const double head = cost_of(&fold->layer[LAYER_EMBEDDING][AS_IT_IS]);
    double tail = cost_of(&fold->layer[LAYER_HEAD][AS_IT_IS]);
    if (model->layers > MAX_ITEMS) return;
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        kinds[kind] = fold->present[kind] ? cost_of(&fold->layer[kind][treatment]) : 0;
    if (model->predict_layers) tail += (double)model->predict_layers * kinds[LAYER_PREDICT];
    for (uint64_t i = 0; i < model->layers; i++)
        cost[i] = kinds[layer_kind_of(model, i)];
    split_balanced(plan->split, stages, cost, (int)model->layers, head, tail);
    plan->splits = stages;
}

static bool has_split(const struct rk_plans_problem *problem, uint64_t value)
{
    const int count = problem->pinned[RK_PLAN_SPLIT].count;
    for (int i = 0; i < count; i++)
        if (value >= problem->pinned[RK_PLAN_SPLIT].value[i] &&
            (value == problem->pinned[RK_PLAN_SPLIT].value[i] ||
             value <= problem->pinned[RK_PLAN_SPLIT].to[i]))
            return true;
    return count == 0;
}

bool plan_repeats(const struct rk_plan *plan, const struct rk_plans_problem *problem)
{
    struct rk_plan other = {.pipeline = plan->pipeline, .chunks = plan->chunks};
    for (int value = 0; value < RK_SPLIT_BALANCED; value++) {
        bool same = has_split(problem, (uint64_t)value);
        rk_plan_axis_set(&other, RK_PLAN_SPLIT, (uint64_t)value);
        for (int i = 0; i < plan->splits && same; i++)
            same = rk_plan_split(&other, problem->model, (uint64_t)i) == plan->split[i];
        if (same) return true;
    }
    return false;
}

bool plans_balance(struct rk_plan *plan, const struct rk_plans_problem *problem)
{
    struct rk_reason reason;
    struct layer_folds fold;
    plan_check(problem->model, problem->system, plan, &reason);
    if (reason.verdict != RK_FITS) return true;
    fold_layers(&fold, problem->model, problem->system, plan);
    plan_balance(plan, problem->model, &fold);
    return !plan_repeats(plan, problem);
}
