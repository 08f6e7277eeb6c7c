#include "plan/ranks.h"

/* ---- the map ---- */

static struct rank_digits number(uint64_t ranks, uint64_t step, uint64_t size, uint64_t stride)
{
    return (struct rank_digits){ranks, step, {{size, stride}, {1, size * stride}}};
}

/* `shards` neighbours in the number share what the others hold copies of. */
static void share(struct rank_map *map, enum rank_groups shards, struct rank_digits all,
                  uint64_t ranks)
{
    map->group[shards] = map->group[shards + 1] = all;
    map->group[shards].ranks = ranks;
    map->group[shards + 1].ranks = all.ranks / ranks;
    map->group[shards + 1].step = ranks;
}

/* Ring and Ulysses together divide the context; alone each has all of it. */
static void share_context(struct rank_map *map, const struct rk_plan *plan)
{
    const bool both = plan->context_kind == RK_RING_ULYSSES && plan->ulysses;
    share(map, RANKS_OF_ULYSSES, map->group[RANKS_OF_CONTEXT],
          both ? plan->ulysses : plan->context);
    if (!both) map->group[RANKS_OF_RING] = map->group[RANKS_OF_CONTEXT];
}

/* The dimensions of an order by their names, "tp-cp-dp-pp". */
static enum rank_groups dimension_of(char letter)
{
    switch (letter) {
    case 't':
        return RANKS_OF_TENSOR;
    case 'c':
        return RANKS_OF_CONTEXT;
    case 'd':
        return RANKS_OF_DATA;
    default:
        return RANKS_OF_PIPELINE;
    }
}

struct rank_map rank_map_of(const struct rk_plan *plan)
{
    const uint64_t size[] = {plan->tensor, plan->context, rk_plan_data(plan), plan->pipeline};
    const uint64_t et = rk_plan_expert_tensor(plan), copies = rk_plan_expert_data(plan);
    struct rank_map map; /* every group is set below */
    struct rank_digits both = {plan->context * rk_plan_data(plan), 1, {{0, 0}, {0, 0}}};
    uint64_t stride = 1;
    int digits = 0;
    map.ranks = plan->ranks;
    map.stages = plan->pipeline;
    for (const char *name = rk_order_name(plan->order); *name; name += name[2] ? 3 : 2) {
        const enum rank_groups at = dimension_of(*name);
        if (at == RANKS_OF_PIPELINE) {
            map.inside = stride;
            continue;
        }
        map.group[at] = number(size[at], 1, size[at], stride);
        if (at != RANKS_OF_TENSOR) both.digit[digits++] = map.group[at].digit[0];
        stride *= size[at];
    }
    share_context(&map, plan);
    map.group[RANKS_OF_PIPELINE] = number(plan->pipeline, 1, 1, 1);
    map.group[RANKS_OF_EXPERT_TENSOR] = number(et, 1, et, 1);
    map.group[RANKS_OF_EXPERT] = number(plan->expert, 1, plan->expert, et);
    map.group[RANKS_OF_EXPERT_DATA] = number(copies, 1, copies, et * plan->expert);
    share(&map, RANKS_OF_SHARDS, both, rk_plan_shards(plan));
    share(&map, RANKS_OF_EXPERT_SHARDS, map.group[RANKS_OF_EXPERT_DATA],
          rk_plan_expert_shards(plan));
    return map;
}

/* ---- a rank is a stage, and a number within it ---- */

static uint64_t stage_of(const struct rank_map *map, uint64_t rank)
{
    return rank / map->inside % map->stages;
}

static uint64_t within_stage(const struct rank_map *map, uint64_t rank)
{
    return rank % map->inside + rank / map->inside / map->stages * map->inside;
}

static uint64_t rank_of(const struct rank_map *map, uint64_t stage, uint64_t within)
{
    return within % map->inside + (within / map->inside * map->stages + stage) * map->inside;
}

/* ---- numbers made of digits ---- */

static uint64_t digit(const struct rank_digits *g, int i, uint64_t within)
{
    return within / g->digit[i].stride % g->digit[i].size;
}

static uint64_t number_of(const struct rank_digits *g, uint64_t within)
{
    return digit(g, 0, within) + digit(g, 1, within) * g->digit[0].size;
}

/* The same rank with another number. */
static uint64_t with_number(const struct rank_digits *g, uint64_t within, uint64_t to)
{
    const uint64_t rest = within - digit(g, 0, within) * g->digit[0].stride -
                          digit(g, 1, within) * g->digit[1].stride;
    return rest + to % g->digit[0].size * g->digit[0].stride +
           to / g->digit[0].size * g->digit[1].stride;
}

/* ---- what is asked ---- */

uint64_t ranks_of_group(const struct rank_map *map, enum rank_groups group)
{
    return map->group[group].ranks;
}

uint64_t rank_position(const struct rank_map *map, enum rank_groups group, uint64_t rank)
{
    const struct rank_digits *g = &map->group[group];
    if (group == RANKS_OF_PIPELINE) return stage_of(map, rank);
    return number_of(g, within_stage(map, rank)) / g->step % g->ranks;
}

uint64_t rank_member(const struct rank_map *map, enum rank_groups group, uint64_t rank, uint64_t i)
{
    const struct rank_digits *g = &map->group[group];
    const uint64_t stage = stage_of(map, rank), within = within_stage(map, rank);
    if (group == RANKS_OF_PIPELINE) return rank_of(map, i, within);
    const uint64_t first = number_of(g, within) - rank_position(map, group, rank) * g->step;
    return rank_of(map, stage, with_number(g, within, first + i * g->step));
}

uint64_t rank_stride(const struct rank_map *map, enum rank_groups group)
{
    const struct rank_digits *g = &map->group[group];
    if (group == RANKS_OF_PIPELINE) return map->inside;
    const uint64_t step = g->step < g->digit[0].size
                              ? g->step * g->digit[0].stride
                              : g->step / g->digit[0].size * g->digit[1].stride;
    return rank_of(map, 0, step);
}

uint64_t ranks_placed(const struct rank_map *map, enum rank_groups group, uint64_t domain)
{
    const uint64_t n = ranks_of_group(map, group);
    /* ranks between members are of other groups, which lie in the same block */
    const uint64_t block =
        n > 1 ? rank_member(map, group, 0, n - 1) + rank_member(map, group, 0, 1) : 1;
    return block > domain ? domain : domain - domain % block;
}
