#include "search/plans_stages.h"

#include "estimate/plan_check.h"

#include <stdlib.h>
#include <string.h>

/* Does tuple i differ from the one before in more than the schedule? */
static bool divides_at(const struct choices *choices, uint64_t i)
{
    const uint64_t axes = (uint64_t)choices->axes, but_schedule = axes - 1;
    return i == 0 || memcmp(choices->value + i * axes, choices->value + (i - 1) * axes,
                            but_schedule * sizeof *choices->value) != 0;
}

static void check_division(struct division *division, const struct rk_plans_problem *problem,
                           const struct rk_plan *plan)
{
    struct rk_reason reason;
    division->refused = plan_check_parts(problem->model, problem->system, plan, 1u << CHECK_STAGES,
                                         &reason) != PLAN_CHECKS;
    if (division->refused) division->verdict = reason.verdict;
}

/* Blocks of the classes are moved behind those of the divisions before. */
static bool keep_blocks(struct stage_set *set, struct division *division, size_t *used,
                        size_t *room)
{
    const size_t more = (size_t)division->map.classes;
    if (*used + more > *room) {
        const size_t larger = 2 * (*used + more) + 64;
        struct stage_blocks *grown = realloc(set->blocks, larger * sizeof *grown);
        if (!grown) return false;
        set->blocks = grown;
        *room = larger;
    }
    memcpy(set->blocks + *used, division->map.blocks, more * sizeof *set->blocks);
    *used += more;
    return true;
}

static bool fill_divisions(struct stage_set *set, const struct rk_plans_problem *problem,
                           struct rk_plan *plan)
{
    struct stage_blocks blocks[RK_MAX_STAGES];
    size_t used = 0, room = 0;
    for (uint64_t i = 0; i < set->divisions; i++) {
        struct division *division = &set->division[i];
        plans_set_choice(plan, set->choices, division->first);
        check_division(division, problem, plan);
        division->balanced =
            choice_value(set->choices, division->first, RK_PLAN_SPLIT) == RK_SPLIT_BALANCED;
        if (division->refused || division->balanced) continue;
        division->map.blocks = blocks;
        stage_map_of(&division->map, problem->model, plan);
        if (!keep_blocks(set, division, &used, &room)) return false;
    }
    used = 0;
    for (uint64_t i = 0; i < set->divisions; i++) {
        struct stage_map *map = &set->division[i].map;
        map->blocks = set->blocks + used;
        used += (size_t)map->classes;
    }
    return true;
}

static bool fill_set(struct stage_set *set, const struct rk_plans_problem *problem)
{
    const struct choices *choices = set->choices;
    struct rk_plan plan = problem->base;
    set->division = calloc(choices->count, sizeof *set->division);
    if (!set->division) return false;
    for (uint64_t i = 0; i < choices->count; i++) {
        if (divides_at(choices, i)) set->division[set->divisions++].first = i;
        set->division[set->divisions - 1].end = i + 1;
    }
    plans_set_layout(&plan, set->layout);
    return fill_divisions(set, problem, &plan);
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

static bool same_set(const struct stage_set *set, const struct layout *layout)
{
    return set->choices == layout->choices[BUNDLE_STAGES] &&
           set->pipeline == layout->value[RK_PLAN_PIPELINE];
}

static bool list_sets(struct stage_sets *sets, const struct rk_plans *plans)
{
    uint64_t room = 0;
    for (uint64_t i = 0; i < plans->layouts; i++) {
        const struct layout *layout = &plans->layout[i];
        uint64_t k = 0;
        while (k < sets->count && !same_set(&sets->set[k], layout))
            k++;
        sets->of_layout[i] = (uint32_t)k;
        if (k < sets->count) continue;
        if (sets->count == room) {
            struct stage_set *grown = realloc(sets->set, (2 * room + 16) * sizeof *grown);
            if (!grown) return false;
            sets->set = grown;
            room = 2 * room + 16;
        }
        sets->set[sets->count++] = (struct stage_set){.choices = layout->choices[BUNDLE_STAGES],
                                                      .layout = layout,
                                                      .pipeline = layout->value[RK_PLAN_PIPELINE]};
    }
    return true;
}

struct stage_sets *stage_sets_open(const struct rk_plans *plans)
{
    struct stage_sets *sets = calloc(1, sizeof *sets);
    if (!sets) return NULL;
    sets->of_layout = malloc((plans->layouts + 1) * sizeof *sets->of_layout);
    if (sets->of_layout && list_sets(sets, plans)) return sets;
    stage_sets_close(sets);
    return NULL;
}

void stage_sets_close(struct stage_sets *sets)
{
    if (!sets) return;
    for (uint64_t i = 0; i < sets->count; i++) {
        free(sets->set[i].division);
        free(sets->set[i].blocks);
    }
    free(sets->set);
    free(sets->of_layout);
    free(sets);
}
