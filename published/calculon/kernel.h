/* kernel.h - the arithmetic of the search on arrays: one lane is one (kind of layer, microbatch).
 *
 * Each kernel runs the inlined functions of estimate/step.h over `lanes` elements (a multiple of
 * LANE_ROUND), so its results are bit for bit those of rk_estimate. Compiled several times for
 * different vector units from the same source; kernels() picks at run time. Pure.
 */
#ifndef RECKON_CALCULON_KERNEL_H
#define RECKON_CALCULON_KERNEL_H

#include <stdint.h>

enum { LANE_ROUND = 8, LANES = 256 };

/* Curves have one of two lengths here, so that their loops unroll; shorter ones begin with steps
 * that nothing reaches (from = infinity). */
enum { SHORT_CURVE = 4, LONG_CURVE = 32 };

/* Transfers of up to three tensors to one lower tier: bytes[i] = weights[i] * w + kept[i] * k +
 * state[i] * s, or the larger of weights and kept in forward. `slowest` accumulates the maximum
 * over tiers. */
struct transfer_job {
    int lanes;
    const double *weights, *kept, *state;
    double on[3]; /* 1: this tensor is on the tier, else 0 */
    int forward;
    int steps;                 /* SHORT_CURVE or LONG_CURVE */
    const double *from, *rate; /* (steps) the tier's curve */
    double *slowest_s;
};

struct memory_job {
    int lanes;
    const double *weights, *working, *stored, *checkpoint, *activation_grads;
    const double *grads_full, *grads, *state, *microbatches;
    double blocks, pipeline, interleaving;
    double weight_blocks, grad_blocks, state_blocks; /* of the rank that stay in tier 0 */
    int activations_leave;
    int tiers;
    const double *capacity; /* (tiers) */
    const double (*on)[3];  /* (tiers) 1: weights, activations, optimizer are on that tier */
    double *penalty;        /* 0: fits, infinity: does not */
    double *hbm, *lower;    /* needs of tier 0, and of the lower ones together; or both NULL */
    uint64_t *refused;      /* (tiers) incremented */
};

struct block_job {
    int lanes;
    const double *forward_s[2], *backward_s[2];
    const double *forward_access_s, *backward_access_s;
    const double *forward_transfer_s, *backward_transfer_s;
    const double *message_s;
    int alone; /* a single stage: messages are not sent */
    double *base_s, *edge_s, *base_backward_s, *edge_backward_s;
};

/* What is the same for all times of one (interleaving, sharding, offload, networks). */
struct time_job {
    int lanes;
    const double *base_s, *edge_s, *base_backward_s, *edge_backward_s;
    const double *microbatches, *shortage, *last_round;
    const double *optimizer_s; /* of all blocks */
    const double *reduce_s;    /* of one block */
    const double *penalty;
    double blocks, bases, pipeline, interleaving;
    /* only for overlapped data parallelism: */
    const double *access_s, *optimizer_hides_s, *compute_s, *message_s;
    const double *link_s[2]; /* zeros when the networks differ */
    double usage;
    int meets_messages; /* data and pipeline parallelism share a network */
    double *step_s;
};

struct kernels {
    const char *name;
    void (*transfer)(const struct transfer_job *);
    void (*memory)(const struct memory_job *);
    void (*block)(const struct block_job *);
    double (*bound)(const struct time_job *);            /* smallest step_s with reduce_s exposed */
    int (*plain)(const struct time_job *, double limit); /* fills step_s; how many <= limit */
    int (*overlapped)(const struct time_job *, double limit);
};

/* The widest this processor runs; RECKON_VECTOR=baseline|sse4.2|avx2|avx512 restricts it. */
const struct kernels *kernels(void);

#endif
