/* ranks.h - which ranks talk to each other: from a rank to its coordinates and its groups' members.
 *
 * Ranks are counted through four dimensions in an order, the innermost first: usually tensor,
 * context, data, pipeline. The ranks of a pipeline stage, counted in the same order, are laid out
 * once more for the experts' weights: expert tensor parallelism innermost, then the ranks that
 * share the experts of a layer, then the copies of them. With the usual order that is Megatron-LM's
 * tp-cp-ep-dp-pp, with the pipeline before data its --use-tp-pp-dp-mapping. Pure.
 */
#ifndef RECKON_PLAN_RANKS_H
#define RECKON_PLAN_RANKS_H

#include <reckon/plan.h>

/* clang-format off */
/* GROUP(id, name, counted): its name in programs, and as whose its messages and their time count. */
#define RANK_GROUPS_OF(GROUP) \
    GROUP(TENSOR,        "tensor",        TENSOR) \
    GROUP(CONTEXT,       "context",       DATA) \
    GROUP(DATA,          "data",          DATA) \
    GROUP(PIPELINE,      "pipeline",      DATA) \
    GROUP(ULYSSES,       "ulysses",       CONTEXT) /* of context: that exchange heads */ \
    GROUP(RING,          "ring",          CONTEXT) /* ... among whom keys and values go round, or are gathered */ \
    GROUP(EXPERT_TENSOR, "expert-tensor", EXPERT) \
    GROUP(EXPERT,        "expert",        EXPERT) \
    GROUP(EXPERT_DATA,   "expert-data",   DATA) \
    GROUP(SHARDS,        "shards",        DATA) /* of data and context together: that share one copy of the state */ \
    GROUP(COPIES,        "copies",        DATA) /* ... that hold copies of the same shard */ \
    GROUP(EXPERT_SHARDS, "expert-shards", DATA) \
    GROUP(EXPERT_COPIES, "expert-copies", DATA)
/* clang-format on */

enum rank_groups {
#define GROUP(id, name, counted) RANKS_OF_##id,
    RANK_GROUPS_OF(GROUP)
#undef GROUP
        RANK_GROUPS
};

/* The members of a group differ in a number alone, made of one or two digits of the rank within its
 * stage: they are `ranks` values of it, `step` apart. */
struct rank_digits {
    uint64_t ranks, step;
    struct {
        uint64_t size, stride;
    } digit[2]; /* the innermost first */
};

struct rank_map {
    uint64_t ranks, stages;
    uint64_t inside; /* ranks of a stage that are counted through before the pipeline is */
    struct rank_digits group[RANK_GROUPS];
};

/* Requires degrees that plan_check accepts. */
struct rank_map rank_map_of(const struct rk_plan *plan);

uint64_t ranks_of_group(const struct rank_map *map, enum rank_groups group);

/* The coordinate of a rank: which member of its group it is. */
uint64_t rank_position(const struct rank_map *map, enum rank_groups group, uint64_t rank);

/* Ranks of a domain of `domain` when no group is split: as many as whole groups fill, all where a
 * group is larger. */
uint64_t ranks_placed(const struct rank_map *map, enum rank_groups group, uint64_t domain);

/* Member i of the group of `rank`. */
uint64_t rank_member(const struct rank_map *map, enum rank_groups group, uint64_t rank, uint64_t i);

/* How far apart the first two members of a group of two and more are. */
uint64_t rank_stride(const struct rank_map *map, enum rank_groups group);

#endif
