#include "search/plans_run.h"

#include <string.h>

/* ---- divisions ---- */

/* Whose classes are summed, as far as memory goes. */
static void run_division(struct run *r, const struct division *division)
{
    struct plan_scratch *s = r->s;
    r->tuple = division->tuple;
    const struct sifted sifted = r->visitor->prune ? run_sift_division(r) : run_judge_division(r);
    for (int tier = 0; tier <= s->lower_tiers; tier++)
        count_too_large_for(r, tier, sifted.too_large[tier]);
    if (sifted.fit == 0) {
        s->too_large[r->shape - r->set->shape] |=
            sifted.sure && family_of_division(r, division) == KEEPS_INPUTS;
        return;
    }
    if (run_bounded(r, run_slowest_s(r, r->map, &s->block_s[division->recompute], r->state->pairs)))
        count_bounded(r, sifted.fit);
    else
        run_time_division(r);
}

/* Divisions with the same blocks on the same stages. */
static void run_map(struct run *r, const struct division *const *list, uint64_t count)
{
    struct plan_scratch *s = r->s;
    r->fold = &s->fold[list[0]->recompute];
    for (int i = 0; i < r->map->classes; i++)
        run_sum_class(r, s->sum, i);
    for (int i = 0; i < r->map->classes; i++)
        s->flight[i] = run_flights_of(r, i);
    if (r->visitor->prune) run_find_rooms(r);
    for (uint64_t i = 0; i < count; i++) {
        r->fold = &s->fold[list[i]->recompute];
        for (int k = 0; k < r->map->classes && i > 0; k++)
            stage_holds_again(&s->sum[k], r->fold, s->problem->model, &s->plan, &r->map->blocks[k]);
        run_division(r, list[i]);
    }
}

/* ---- balanced ones ---- */

static const struct balance *balance_of(const struct run *r, const struct shape *shape,
                                        const struct division *division)
{
    const uint64_t row = shape->some_layers ? r->s->recomputes : division->recompute;
    return &r->s->balance[row * ((uint64_t)r->s->most_parts + 1) + (uint64_t)shape->parts];
}

/* Leaves out the divisions in s->list of families of which no plan fits. */
static uint64_t sift_families(struct run *r, uint64_t count)
{
    struct plan_scratch *s = r->s;
    bool there[FAMILIES] = {false}, none[FAMILIES];
    uint64_t left = 0;
    bool asked = false;
    for (uint64_t i = 0; i < count; i++)
        there[family_of_division(r, s->list[i])] = true;
    for (int family = 0; family < FAMILIES; family++) {
        r->fold = &s->family[family].least;
        none[family] = there[family] && run_none_fits(r, asked);
        asked |= there[family];
    }
    for (uint64_t i = 0; i < count; i++) {
        const enum family family = family_of_division(r, s->list[i]);
        if (!none[family]) {
            s->list[left++] = s->list[i];
            continue;
        }
        s->too_large[r->shape - r->set->shape] |= family == KEEPS_INPUTS;
        count_too_large(r, r->plans);
    }
    return left;
}

/* Divisions in s->list that have the balanced split of `row`. */
static void run_split(struct run *r, const struct shape *shape, uint32_t row, uint64_t count)
{
    struct plan_scratch *s = r->s;
    struct rk_plan *plan = &s->plan;
    s->layout.splits = shape->parts;
    memcpy(s->layout.split, split_at(s, row, shape->parts),
           (size_t)shape->parts * sizeof *s->layout.split);
    plan->layout = &s->layout;
    if (r->visitor->prune) {
        stage_map_of_first(&s->balanced, s->problem->model, plan);
        count = sift_families(r, count);
    }
    if (count > 0) {
        stage_map_of(&s->balanced, s->problem->model, plan);
        run_map(r, s->list, count);
    }
    plan->layout = NULL;
}

/* Divisions of the same split go together. */
static void run_balanced(struct run *r, const struct shape *shape)
{
    enum { TAKEN = UINT32_MAX };
    struct plan_scratch *s = r->s;
    const struct division *division = r->set->division + shape->first;
    const uint64_t divisions = shape->end - shape->first;
    r->map = &s->balanced;
    for (uint64_t i = 0; i < divisions; i++) {
        const struct balance *balance = balance_of(r, shape, &division[i]);
        s->same_as[i] = balance->repeats ? TAKEN : balance->same_as;
    }
    for (uint64_t i = 0; i < divisions; i++) {
        const uint32_t row = s->same_as[i];
        uint64_t count = 0;
        if (row == TAKEN) continue;
        for (uint64_t k = i; k < divisions; k++)
            if (s->same_as[k] == row) {
                s->list[count++] = &division[k];
                s->same_as[k] = TAKEN;
            }
        run_split(r, shape, row, count);
    }
}

/* ---- all shapes ---- */

/* Divisions whose split no other shape has; the others are counted as repeated. */
static uint64_t sift_repeated(struct run *r, const struct shape *shape)
{
    const uint64_t divisions = shape->end - shape->first;
    uint64_t repeated = 0;
    if (!shape->balanced) return divisions;
    for (uint64_t i = shape->first; i < shape->end; i++)
        repeated += balance_of(r, shape, &r->set->division[i])->repeats;
    count_repeated(r, repeated * r->plans);
    return divisions - repeated;
}

/* Do no plans of the shape fit since none do where the same stages compute all layers again from
 * their inputs? */
static bool outweighed(const struct run *r, const struct shape *shape)
{
    const struct shape *lighter = &r->set->shape[shape->lighter];
    return r->inputs_are_less && lighter != shape && r->s->too_large[shape->lighter];
}

/* The ends of the model are in flight as the timetable has it. */
static void set_ends(struct run *r)
{
    struct plan_scratch *s = r->s;
    const enum rk_schedule order[DEMANDS] = {[DEMAND_SOME] = folded_or(r, RK_1F1B),
                                             [DEMAND_ALL] = RK_GPIPE,
                                             [DEMAND_PAIRS] = RK_DUALPIPE};
    for (int kind = 0; kind < DEMANDS; kind++) {
        s->plan.schedule = order[kind];
        ends_in_flight(r->ends[kind], &s->plan, r->microbatches);
        for (uint64_t i = 0; i < r->choices; i++) {
            memcpy(s->choice[i].rule[kind].ends_in_flight, r->ends[kind], sizeof r->ends[kind]);
            s->choice[i].rule[kind].returns = backward_returns(&s->plan);
        }
    }
}

static void set_timetable(struct run *r, uint32_t timetable)
{
    struct plan_scratch *s = r->s;
    if (r->timetable == &r->set->timetable[timetable]) return;
    r->timetable = &r->set->timetable[timetable];
    s->timetables++;
    r->state = &s->timetable[timetable];
    s->plan.chunks = r->timetable->chunks;
    run_find_least(r);
    r->hopeless = run_mean_exceeds(r);
    if (r->state->pairs) r->pair_flights = run_in_flight(r, RK_DUALPIPE, 0);
    set_ends(r);
    s->plan.schedule = folded_or(r, RK_1F1B); /* by which stages are dealt */
}

/* How many plans of the shape fit is known, and none of them can be among the best. */
static bool settled(struct run *r, const struct shape *shape, uint64_t plans)
{
    const uint64_t *fitting = fitting_of(r, shape);
    if (!r->visitor->prune || shape->balanced || fitting[0] == unknown) return false;
    if (r->s->plan.recompute_rest)
        return false; /* what always goes is not part of what is compared */
    if (fitting[0] > 0 && !run_all_bounded(r, shape)) return false;
    count_bounded(r, fitting[0]);
    plans -= fitting[0];
    for (int tier = 1; tier <= r->s->lower_tiers; tier++) {
        count_too_large_for(r, tier, fitting[tier]);
        plans -= fitting[tier];
    }
    count_too_large(r, plans);
    return true;
}

/* Notes the plans counted so far: those that fit, then those that each lower tier is too small
 * for. */
static void note_fitting(const struct run *r, uint64_t counted[1 + RK_SHARE_TIERS])
{
    const struct rk_search_counts *counts = r->visitor->counts;
    counted[0] = counts->verdict[RK_FITS][0];
    for (int tier = 1; tier <= r->s->lower_tiers; tier++)
        counted[tier] = counts->verdict[RK_MEMORY_EXCEEDED][tier];
}

static void run_divisions(struct run *r, const struct shape *shape)
{
    struct plan_scratch *s = r->s;
    uint64_t count = shape->end - shape->first;
    r->map = &shape->map;
    for (uint64_t i = 0; i < count; i++)
        s->list[i] = &r->set->division[shape->first + i];
    if (r->visitor->prune) count = sift_families(r, count);
    if (count > 0) run_map(r, s->list, count);
}

/* The plans of `divisions`, none of which repeat. */
static void judge_shape(struct run *r, const struct shape *shape, uint64_t divisions)
{
    struct plan_scratch *s = r->s;
    set_timetable(r, shape->timetable);
    if (r->hopeless || outweighed(r, shape)) {
        count_too_large(r, divisions * r->plans);
        return;
    }
    plans_set_choice(&s->plan, r->stages, r->set->division[shape->first].tuple);
    if (!shape->some_layers && !shape->as_it_is) /* see shape.map */
        rk_plan_axis_set(&s->plan, RK_PLAN_RECOMPUTE, RK_RECOMPUTE_VALUE(RK_WHOLE, 0));
    if (shape->balanced)
        run_balanced(r, shape);
    else
        run_divisions(r, shape);
}

void run_shape(struct run *r, const struct shape *shape)
{
    struct plan_scratch *s = r->s;
    uint64_t before[1 + RK_SHARE_TIERS];
    r->shape = shape;
    r->plans = s->timetable[shape->timetable].passing * r->choices;
    const uint64_t divisions = sift_repeated(r, shape);
    if (divisions == 0 || settled(r, shape, divisions * r->plans)) return;
    note_fitting(r, before);
    judge_shape(r, shape, divisions);
    uint64_t *fitting = fitting_of(r, shape);
    note_fitting(r, fitting);
    for (int tier = 0; tier <= s->lower_tiers; tier++)
        fitting[tier] -= before[tier];
}
