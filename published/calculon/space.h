/* space.h - the strategy space as groups, so that strategies can be counted and addressed.
 *
 * A group is a (tensor, pipeline) pair, which fixes data parallelism and the batch. Its strategies
 * are numbered: interleaving; kind (recompute, sharding, tensor communication, repeated gather);
 * then a rectangle of the remaining axes. Which values the axes of the rectangle take depends only
 * on which parallelisms are above 1: `struct options`.
 */
#ifndef RECKON_CALCULON_SPACE_H
#define RECKON_CALCULON_SPACE_H

#include "calculon/strategies.h"
#include "search/predictor.h"

/* Axes of the rectangle, outermost first. */
enum inner {
    INNER_DATA_OVERLAP,
    INNER_TENSOR_OVERLAP,
    INNER_WEIGHT_OFFLOAD,
    INNER_ACTIVATION_OFFLOAD,
    INNER_OPTIMIZER_OFFLOAD,
    INNER_FUSED_ACTIVATION,
    INNER_MICROBATCH,
    INNER_TENSOR_NETWORK,
    INNER_PIPELINE_NETWORK,
    INNER_DATA_NETWORK,
    INNERS
};

struct values {
    int count;
    uint64_t value[RK_MAX_PINNED];
};

struct kind {
    enum rk_recompute recompute;
    bool sharding;
    enum rk_tensor_comm comm;
    bool redo;
    uint64_t before; /* strategies of the kinds before it, for one microbatch size */
};

enum { MAX_KINDS = 3 * 2 * 4 };

/* [INNER_MICROBATCH] is empty: its values belong to the group. Under full recompute activations
 * are never offloaded: inner[INNER_ACTIVATION_OFFLOAD] then shrinks to full_activation_offloads. */
struct options {
    int kinds;
    struct kind kind[MAX_KINDS];
    struct values inner[INNERS];
    int full_activation_offloads; /* 1 when "not offloaded" is allowed, else 0 */
    uint64_t per_microbatch;      /* strategies of all kinds, for one microbatch size */
};

struct group {
    uint64_t tensor, pipeline, data, batch;
    const struct options *options;
    int interleavings, microbatches;
    const uint64_t *interleaving; /* (interleavings) */
    const uint64_t *microbatch;   /* (microbatches) */
    uint64_t per_cell;            /* strategies of one interleaving */
    uint64_t first;               /* index of the group's first strategy */
    size_t numbers_at;            /* where interleaving starts in strategies.numbers */
};

/* The space of the Calculon model. */
struct strategies {
    struct rk_space base; /* first */
    struct rk_problem problem;
    struct options options[8]; /* by tensor > 1, pipeline > 1, data > 1 */
    int groups;
    struct group *group; /* (groups) in the order of the enumeration */
    uint64_t *numbers;   /* backs interleaving and microbatch */
};

static inline int inner_count(const struct options *options, const struct kind *kind,
                              enum inner axis)
{
    if (axis == INNER_ACTIVATION_OFFLOAD && kind->recompute == RK_RECOMPUTE_FULL)
        return options->full_activation_offloads;
    return options->inner[axis].count;
}

static inline uint64_t inner_value(const struct options *options, const struct kind *kind,
                                   enum inner axis, int i)
{
    if (axis == INNER_ACTIVATION_OFFLOAD && kind->recompute == RK_RECOMPUTE_FULL) return 0;
    return options->inner[axis].value[i];
}

static inline const struct strategies *strategies_of(const struct rk_space *space)
{
    return (const struct strategies *)space;
}

void strategies_close(struct rk_space *space);

/* Index of a strategy from positions in the lists of its group. */
uint64_t space_index(const struct group *group, int interleaving, const struct kind *kind,
                     const int at[INNERS]);

#endif
