/* strategies.h - the space of strategies for one model on one system.
 *
 * It is that of [isaev2023], outermost axis first: tensor, pipeline, data (what is left),
 * interleaving, batch (the largest multiple of data up to the maximum), recompute, optimizer
 * sharding, tensor communication, repeated all-gather, data overlap, tensor overlap, weight,
 * activation and optimizer offload, fused activation, microbatch, and the network of tensor,
 * pipeline and data parallelism. A strategy's index is its position in that order, from 0.
 */
#ifndef RECKON_CALCULON_STRATEGIES_H
#define RECKON_CALCULON_STRATEGIES_H

#include "calculon/strategy.h"
#include <reckon/search.h>

/* The axes that can be pinned or restricted. */
enum rk_axis {
    RK_AXIS_TENSOR,
    RK_AXIS_PIPELINE,
    RK_AXIS_DATA,
    RK_AXIS_INTERLEAVING,
    RK_AXIS_RECOMPUTE,
    RK_AXIS_OPTIMIZER_SHARDING,
    RK_AXIS_TENSOR_COMM,
    RK_AXIS_REDO_ALL_GATHER,
    RK_AXIS_DATA_OVERLAP,
    RK_AXIS_TENSOR_OVERLAP,
    RK_AXIS_WEIGHT_OFFLOAD,
    RK_AXIS_ACTIVATION_OFFLOAD,
    RK_AXIS_OPTIMIZER_OFFLOAD,
    RK_AXIS_FUSED_ACTIVATION,
    RK_AXIS_MICROBATCH,
    RK_AXIS_TENSOR_NETWORK,
    RK_AXIS_PIPELINE_NETWORK,
    RK_AXIS_DATA_NETWORK,
    RK_AXES
};

/* A strategy's value on an axis, whatever the member's C type; and the other way round. */
uint64_t rk_axis_get(const struct rk_strategy *strategy, enum rk_axis axis);
void rk_axis_set(struct rk_strategy *strategy, enum rk_axis axis, uint64_t value);

/* What to search. `pinned[axis]` lists the allowed values; count 0 allows all. An entry is
 * value[i], or, where to[i] is above it, all of value[i] ... to[i]. A network axis is only
 * restricted where its parallelism is above 1. */
struct rk_problem {
    const struct rk_model *model;
    const struct rk_system *system;
    uint64_t ranks;
    uint64_t max_batch;
    enum rk_datatype datatype;
    struct {
        int count;
        uint64_t value[RK_MAX_PINNED];
        uint64_t to[RK_MAX_PINNED];
    } pinned[RK_AXES];
};

/* No restrictions, except that the activation is fused, as the published tool has it. */
void rk_problem_init(struct rk_problem *problem, const struct rk_model *model,
                     const struct rk_system *system, uint64_t ranks, uint64_t max_batch,
                     enum rk_datatype datatype);

/* A space of plans of framework calculon, which keeps a copy of the problem; NULL when there is no
 * memory. The model and system must outlive it. */
struct rk_space *rk_space_open(const struct rk_problem *problem, struct rk_error *error);

/* Requires index < rk_space_count(space). */
void rk_space_strategy(const struct rk_space *space, uint64_t index, struct rk_strategy *strategy);

#endif
