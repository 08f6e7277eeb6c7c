#include "search/plans_stages.h"

#include "base/memory.h"
#include "estimate/plan_check.h"
#include "search/plans_offer.h"
#include "search/plans_split.h"

#include <stdlib.h>
#include <string.h>

struct filling {
    struct stage_set *set;
    const struct rk_plans_problem *problem;
    struct rk_plan plan;
    uint32_t *shape_of; /* (divisions) */
    size_t used, room;  /* of set->blocks */
};

/* ---- tables of what differs ---- */

/* Adds a value that is not there yet. */
static uint64_t note_value(uint64_t *values, uint64_t count, uint64_t value)
{
    for (uint64_t i = 0; i < count; i++)
        if (values[i] == value) return count;
    values[count] = value;
    return count + 1;
}

/* `values` has room for those of all tuples; returns how many differ. */
static uint64_t list_recomputes(uint64_t *values, const struct rk_plans *plans)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < plans->bundles; i++) {
        const struct choices *choices = plans->bundle[i];
        if (choices->bundle != BUNDLE_STAGES) continue;
        for (uint64_t k = 0; k < choices->count; k++)
            if (k == 0 || choice_value(choices, k, RK_PLAN_RECOMPUTE) !=
                              choice_value(choices, k - 1, RK_PLAN_RECOMPUTE))
                count = note_value(values, count, choice_value(choices, k, RK_PLAN_RECOMPUTE));
    }
    return count;
}

static uint32_t recompute_at(const struct stage_sets *sets, uint64_t value)
{
    uint32_t i = 0;
    while (sets->recompute[i] != value)
        i++;
    return i;
}

static bool find_timetable(struct stage_set *set, const struct timetable *timetable,
                           uint32_t *found)
{
    uint64_t i = 0;
    while (i < set->timetables && memcmp(&set->timetable[i], timetable, sizeof *timetable) != 0)
        i++;
    *found = (uint32_t)i;
    if (i < set->timetables) return true;
    if (!ARRAY_ROOM(set->timetable, i)) return false;
    set->timetable[set->timetables++] = *timetable;
    return true;
}

/* ---- one shape ---- */

/* Appends the blocks of the classes to those of earlier shapes. */
static bool keep_blocks(struct filling *f, struct stage_map *map)
{
    const size_t more = (size_t)map->classes;
    if (!ARRAY_RESERVE(f->set->blocks, f->room, f->used + more)) return false;
    memcpy(f->set->blocks + f->used, map->blocks, more * sizeof *map->blocks);
    f->used += more;
    return true;
}

static bool fill_map(struct filling *f, struct shape *shape)
{
    struct stage_blocks blocks[RK_MAX_STAGES];
    if (!shape->some_layers && !shape->as_it_is)
        rk_plan_axis_set(&f->plan, RK_PLAN_RECOMPUTE, RK_RECOMPUTE_VALUE(RK_WHOLE, 0));
    shape->map.blocks = blocks;
    stage_map_of(&shape->map, f->problem->model, &f->plan);
    return keep_blocks(f, &shape->map);
}

/* Requires the tuple of a division of the shape in f->plan. */
static bool fill_shape(struct filling *f, struct shape *shape, uint64_t split)
{
    struct rk_reason reason;
    shape->refused = plan_check_parts(f->problem->model, f->problem->system, &f->plan,
                                      1u << CHECK_STAGES, &reason) != PLAN_CHECKS;
    if (shape->refused) shape->verdict = reason.verdict;
    shape->balanced = split == RK_SPLIT_BALANCED;
    shape->some_layers = f->plan.recompute_layers > 0;
    shape->as_it_is = f->plan.recompute == RK_KEEP && f->plan.recompute_stride > 1;
    shape->parts = (int)(f->plan.pipeline * f->plan.chunks);
    return shape->refused || shape->balanced || fill_map(f, shape);
}

/* ---- the tuples ---- */

static bool folds_at(const struct choices *choices, uint64_t i)
{
    return rk_schedule_folds((enum rk_schedule)choice_value(choices, i, RK_PLAN_SCHEDULE));
}

/* Does tuple i differ from the one before in more than the schedule, or deal its blocks otherwise?
 */
static bool divides_at(const struct choices *choices, uint64_t i)
{
    const uint64_t axes = (uint64_t)choices->axes, but_schedule = axes - 1;
    return i == 0 || folds_at(choices, i) || folds_at(choices, i - 1) ||
           memcmp(choices->value + i * axes, choices->value + (i - 1) * axes,
                  but_schedule * sizeof *choices->value) != 0;
}

static uint64_t read_timetable(struct timetable *timetable, const struct filling *f, uint64_t tuple)
{
    const struct choices *choices = f->set->choices;
    memset(timetable, 0, sizeof *timetable);
    timetable->whole = plans_search_overlap(f->problem) &&
                       family_of(choice_value(choices, tuple, RK_PLAN_RECOMPUTE)) == KEEPS_INPUTS;
    timetable->chunks = choice_value(choices, tuple, RK_PLAN_CHUNKS);
    do
        timetable->schedule[timetable->schedules++] =
            (enum rk_schedule)choice_value(choices, tuple++, RK_PLAN_SCHEDULE);
    while (tuple < choices->count && !divides_at(choices, tuple));
    return tuple;
}

static bool keeps_all(const struct choices *choices, uint64_t tuple)
{
    return choice_value(choices, tuple, RK_PLAN_RECOMPUTE) == RK_RECOMPUTE_VALUE(RK_KEEP, 0);
}

/* Where only every n-th layer is recomputed, a plan without recomputation has another shape. */
static bool same_shape(const struct filling *f, uint64_t a, uint64_t b)
{
    const struct choices *choices = f->set->choices;
    static const enum rk_plan_axis axes[] = {RK_PLAN_CHUNKS, RK_PLAN_RECOMPUTE_LAYERS,
                                             RK_PLAN_SPLIT, RK_PLAN_PIPELINE_BLOCKING};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (choice_value(choices, a, axes[i]) != choice_value(choices, b, axes[i])) return false;
    return f->problem->base.recompute_stride <= 1 || keeps_all(choices, a) == keeps_all(choices, b);
}

/* Of the division at `tuple`; shape->first is a tuple of the shape for the time being. */
static bool find_shape(struct filling *f, uint64_t tuple, uint32_t timetable, uint32_t *found)
{
    struct stage_set *set = f->set;
    uint64_t i = 0;
    while (i < set->shapes &&
           (set->shape[i].timetable != timetable || !same_shape(f, set->shape[i].first, tuple)))
        i++;
    *found = (uint32_t)i;
    if (i < set->shapes) return true;
    if (!ARRAY_ROOM(set->shape, i)) return false;
    set->shape[set->shapes++] =
        (struct shape){.first = tuple, .timetable = timetable, .lighter = (uint32_t)i};
    plans_set_choice(&f->plan, set->choices, tuple);
    return fill_shape(f, &set->shape[i], choice_value(set->choices, tuple, RK_PLAN_SPLIT));
}

static bool fill_divisions(struct filling *f)
{
    struct stage_set *set = f->set;
    const struct choices *choices = set->choices;
    for (uint64_t tuple = 0; tuple < choices->count;) {
        struct timetable timetable;
        struct division *division = &set->division[set->divisions];
        uint32_t found;
        division->tuple = tuple;
        division->recompute =
            recompute_at(set->all, choice_value(choices, tuple, RK_PLAN_RECOMPUTE));
        const uint64_t next = read_timetable(&timetable, f, tuple);
        if (!find_timetable(set, &timetable, &found)) return false;
        if (!find_shape(f, tuple, found, &f->shape_of[set->divisions++])) return false;
        tuple = next;
    }
    return true;
}

/* Requires that shape->first are tuples still. */
static void find_lighter(struct filling *f)
{
    struct stage_set *set = f->set;
    for (uint32_t i = 0; i < set->shapes; i++) {
        struct shape *shape = &set->shape[i];
        shape->lighter = i;
        for (uint32_t k = 0; k < i && shape->some_layers && !shape->balanced; k++) {
            const struct shape *other = &set->shape[k];
            const enum rk_plan_axis split = RK_PLAN_SPLIT;
            if (!other->some_layers && !other->as_it_is && other->timetable == shape->timetable &&
                choice_value(set->choices, other->first, split) ==
                    choice_value(set->choices, shape->first, split))
                shape->lighter = k;
        }
    }
}

static bool order_divisions(struct filling *f)
{
    struct stage_set *set = f->set;
    struct division *ordered = malloc(set->divisions * sizeof *ordered);
    uint64_t at = 0;
    size_t used = 0;
    if (!ordered) return false;
    if (f->problem->base.recompute_stride <= 1) find_lighter(f);
    for (uint64_t i = 0; i < set->shapes; i++) {
        struct shape *shape = &set->shape[i];
        shape->first = at;
        for (uint64_t k = 0; k < set->divisions; k++) {
            if (f->shape_of[k] != i) continue;
            ordered[at++] = set->division[k];
            shape->divisions[family_of(set->all->recompute[set->division[k].recompute])]++;
        }
        shape->end = at;
        shape->map.blocks = set->blocks ? set->blocks + used : NULL;
        used += (size_t)shape->map.classes;
    }
    free(set->division);
    set->division = ordered;
    return true;
}

static bool fill_set(struct stage_set *set, const struct rk_plans_problem *problem)
{
    const uint64_t tuples = set->choices->count;
    struct filling f = {.set = set, .problem = problem, .plan = problem->base};
    set->division = malloc(tuples * sizeof *set->division);
    f.shape_of = malloc(tuples * sizeof *f.shape_of);
    plans_set_layout(&f.plan, set->layout);
    const bool filled = set->division && f.shape_of && fill_divisions(&f) && order_divisions(&f);
    free(f.shape_of);
    return filled;
}

void stage_set_fill(struct stage_set *set, const struct rk_plans *plans)
{
    set->failed = !fill_set(set, &plans->problem);
}

bool stage_sets_filled(const struct stage_sets *sets)
{
    for (uint64_t k = 0; k < sets->count; k++)
        if (sets->set[k].failed) return false;
    return true;
}

/* ---- all sets ---- */

static bool same_set(const struct stage_set *set, const struct layout *layout)
{
    return set->choices == layout->choices[BUNDLE_STAGES] &&
           set->pipeline == layout->value[RK_PLAN_PIPELINE];
}

static bool list_sets(struct stage_sets *sets, const struct rk_plans *plans)
{
    for (uint64_t i = 0; i < plans->layouts; i++) {
        const struct layout *layout = &plans->layout[i];
        uint64_t k = 0;
        while (k < sets->count && !same_set(&sets->set[k], layout))
            k++;
        sets->of_layout[i] = (uint32_t)k;
        if (k < sets->count) continue;
        if (!ARRAY_ROOM(sets->set, k)) return false;
        sets->set[sets->count++] = (struct stage_set){.all = sets,
                                                      .choices = layout->choices[BUNDLE_STAGES],
                                                      .layout = layout,
                                                      .pipeline = layout->value[RK_PLAN_PIPELINE]};
    }
    return true;
}

static uint64_t *recomputes_of(const struct rk_plans *plans, uint64_t *count)
{
    uint64_t tuples = 1;
    for (uint64_t i = 0; i < plans->bundles; i++)
        if (plans->bundle[i]->bundle == BUNDLE_STAGES) tuples += plans->bundle[i]->count;
    uint64_t *values = malloc(tuples * sizeof *values);
    *count = values ? list_recomputes(values, plans) : 0;
    return values;
}

uint64_t stages_recomputes(const struct rk_plans *plans)
{
    uint64_t count;
    free(recomputes_of(plans, &count));
    return count;
}

struct stage_sets *stage_sets_open(const struct rk_plans *plans)
{
    struct stage_sets *sets = calloc(1, sizeof *sets);
    if (!sets) return NULL;
    sets->of_layout = malloc((plans->layouts + 1) * sizeof *sets->of_layout);
    sets->recompute = recomputes_of(plans, &sets->recomputes);
    if (sets->of_layout && sets->recompute && list_sets(sets, plans)) return sets;
    stage_sets_close(sets);
    return NULL;
}

static void release_set(struct stage_set *set)
{
    free(set->division);
    free(set->shape);
    free(set->timetable);
    free(set->blocks);
}

void stage_sets_close(struct stage_sets *sets)
{
    if (!sets) return;
    for (uint64_t i = 0; i < sets->count; i++)
        release_set(&sets->set[i]);
    free(sets->set);
    free(sets->recompute);
    free(sets->of_layout);
    free(sets);
}
