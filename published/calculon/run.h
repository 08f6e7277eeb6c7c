/* run.h - one thread's pass over a unit: its arrays over lanes, and what is being decided.
 *
 * lanes.c fills the arrays, unit.c goes through them. Only these two include it.
 */
#ifndef RECKON_CALCULON_RUN_H
#define RECKON_CALCULON_RUN_H

#include "calculon/unit_batch.h"

/* Arrays over the lanes of a unit, by what they depend on besides the lane. */
enum lane_array {
    /* nothing */
    A_FORWARD_ACCESS,
    A_BACKWARD_ACCESS,
    A_ACCESS,
    A_WEIGHTS,
    A_WORKING,
    A_STORED,
    A_CHECKPOINT,
    A_ACTIVATION_GRADS,
    /* the microbatch */
    A_MICROBATCHES,
    A_SHORTAGE,
    A_LAST_ROUND,
    A_ZERO,
    /* sharding */
    A_GRADS_FULL,
    A_GRADS,
    A_STATE,
    A_OPTIMIZER,
    A_OPTIMIZER_HIDES,
    A_COMPUTE,
    A_LEAST_REDUCE,
    /* offload */
    A_FORWARD_TRANSFER,
    A_BACKWARD_TRANSFER,
    /* offload and networks */
    A_BASE,
    A_EDGE,
    A_BASE_BACKWARD,
    A_EDGE_BACKWARD,
    A_STEP,
    LANE_ARRAYS
};

/* Arrays over the lanes that each network has of its own. */
enum network_array {
    N_FORWARD_BASE,
    N_FORWARD_EDGE,
    N_BACKWARD_BASE,
    N_BACKWARD_EDGE,
    N_LINK_BASE,
    N_LINK_EDGE,
    N_MESSAGE, /* when the pipeline runs on it */
    N_REDUCE,  /* when data parallelism runs on it, under the current sharding */
    NETWORK_ARRAYS
};

struct long_curve {
    int steps;
    double from[LONG_CURVE], rate[LONG_CURVE];
};

struct scratch {
    double *storage;
    double *array[LANE_ARRAYS]; /* (LANES) each */
    double *network[RK_MAX_TIERS][NETWORK_ARRAYS];
    double *penalty, *hbm, *lower;    /* (interleavings, LANES) */
    uint64_t *fits;                   /* (interleavings) */
    const struct folio_entry **entry; /* (LANES) of tensor network 0; the others follow it */
    struct long_curve curve[RK_MAX_TIERS];
    double capacity[RK_MAX_TIERS];
    double on[RK_MAX_TIERS][3];
};

struct run {
    const struct strategies *space;
    const struct rk_problem *problem;
    const struct unit *unit;
    const struct group *group;
    const struct options *options;
    struct scratch *s;
    struct visitor *visitor;
    const struct kernels *kernels;
    int lanes, padded; /* real ones; rounded up */
    double blocks, pipeline;
    bool full;
    bool sharding;
    int tier[3]; /* of weights, activations, optimizer */
    struct unit_batch batch;
    uint64_t networks; /* (tensor, pipeline, data) networks that are allowed */
};

/* Row and microbatch of a lane, in the lists of the folio and of the group. */
static inline int lane_row(const struct unit *unit, int lane)
{
    return unit->first_row + lane / unit->microbatches;
}

static inline int lane_microbatch(const struct unit *unit, int lane)
{
    return lane % unit->microbatches;
}

/* The arrays that depend on nothing but the lane, and those of the networks. */
void run_load_lanes(struct run *run);

/* Those of the current sharding. */
void run_load_sharding(struct run *run);

/* Which tensors are on which memory tier, of the current offload; how long they travel. */
void run_load_tiers(struct run *run);
void run_load_transfers(struct run *run);

#endif
