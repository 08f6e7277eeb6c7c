/* step.h - the time and memory of an iteration, composed from layer costs by numbers alone.
 *
 *     step = microbatches * chunks of a rank + bubble + optimizer + exposed data parallelism
 *
 * A rank holds `blocks` blocks in `interleaving` chunks; a chunk is base blocks and one edge
 * block, which sends to the next stage. Everything here is branch-free arithmetic on doubles,
 * inlined into the estimate (one strategy) and into the search (arrays of them), so that both give
 * the same bits. Source: [isaev2023]; the schedule is 1F1B, interleaved [narayanan2021].
 */
#ifndef RECKON_CALCULON_STEP_H
#define RECKON_CALCULON_STEP_H

#include <math.h>
#include <stdbool.h>

#define STEP_INLINE static inline __attribute__((always_inline))

/* ---- a block ---- */

/* How long computation waits for an offload transfer that overlaps with it, but not with its memory
 * accesses. */
STEP_INLINE double offload_wait_s(double transfer_s, double access_s, double block_s)
{
    const double wait_s = transfer_s + access_s - block_s;
    return wait_s > 0 ? wait_s : 0;
}

/* Time in which data-parallel communication can hide: backward without its memory accesses. An
 * unsharded optimizer step adds to it; the tensor network takes from it when it is the same. */
STEP_INLINE double hiding_s(double backward_s, double access_s, double optimizer_s, double link_s)
{
    return backward_s - access_s + optimizer_s - link_s;
}

/* ---- a chunk and the pipeline ---- */

/* `bases` = blocks / interleaving - 1 base blocks and an edge block */
STEP_INLINE double chunk_of(double base, double edge, double bases)
{
    return base * bases + edge;
}

/* Microbatches that are missing in the last round of an interleaved pipeline. */
STEP_INLINE double shortage_of(double microbatches, double pipeline)
{
    const double last = microbatches - pipeline * floor(microbatches / pipeline);
    return last > 0 ? pipeline - last : 0;
}

/* Microbatches in the last round, `pipeline` when it is full. */
STEP_INLINE double last_round_of(double microbatches, double pipeline)
{
    const double last = microbatches - pipeline * floor(microbatches / pipeline);
    return last > 0 ? last : pipeline;
}

/* Chunks that a rank sits through without working. */
STEP_INLINE double idle_chunks_of(double pipeline, double interleaving, double shortage)
{
    return pipeline - 1 + (interleaving - 1) * shortage;
}

/* Time that missing blocks (stages that are not all full) take off the bubble. */
STEP_INLINE double missing_of(double missing, double base_s, double edge_s, double bases)
{
    return bases > 0 ? missing * ((base_s + edge_s) / 2) : missing * edge_s;
}

STEP_INLINE double step_of(double chunks, double chunk_s, double missing_s, double optimizer_s,
                           double data_exposed_s)
{
    return chunks * chunk_s - missing_s + optimizer_s + data_exposed_s;
}

/* ---- data parallelism that overlaps with backward ---- */

struct hiding {
    double chunk_s;         /* hiding_s over a chunk */
    double chunk_compute_s; /* engines busy over a chunk */
    double block_compute_s; /* ... over a block */
    double tail_s;          /* hiding_s of the last chunk */
};

/* The last chunk hides communication of all its blocks but the first. */
STEP_INLINE double tail_of(double chunk_hiding_s, double message_s, double base_backward_s,
                           double edge_backward_s, double optimizer_s, double bases)
{
    const double tail_s =
        chunk_hiding_s - message_s - (base_backward_s + edge_backward_s) / 2 + optimizer_s;
    return bases > 0 ? tail_s : 0;
}

/* Pipeline messages that meet a chunk's reduction on the same network. */
STEP_INLINE double collisions_of(double chunk_reduce_s, double chunk_backward_s, double last_round)
{
    const double met = floor(chunk_reduce_s / chunk_backward_s);
    return met < last_round ? met : last_round;
}

/* What stays visible when `reduce_s` of communication hides in a window while it slows computing
 * by `usage`: the excess, or the slowdown alone. */
STEP_INLINE double visible_of(double excess_s, double reduce_s, double usage)
{
    return excess_s > 0 ? excess_s : reduce_s * usage;
}

STEP_INLINE double chunks_excess_of(double chunk_reduce_s, double pipeline, double chunk_hiding_s,
                                    double collided_s, double chunk_compute_s, double usage)
{
    return chunk_reduce_s - (pipeline * chunk_hiding_s - collided_s) +
           pipeline * chunk_compute_s * usage;
}

STEP_INLINE double tail_excess_of(double tail_reduce_s, double block_compute_s, double usage,
                                  double tail_s)
{
    return tail_reduce_s + (block_compute_s * usage - tail_s);
}

STEP_INLINE double data_exposed_of(double block_reduce_s, double chunks_visible_s,
                                   double tail_visible_s, double interleaving)
{
    return block_reduce_s + ((interleaving - 1) * chunks_visible_s + tail_visible_s);
}

/* ---- memory ---- */

/* Working space of one block and what the others keep. */
STEP_INLINE double activations_of(double working, double stored, double blocks, double in_flight)
{
    return working + stored * (blocks * in_flight - 1);
}

STEP_INLINE double checkpoints_of(double checkpoint, double blocks, double in_flight)
{
    return checkpoint * blocks * in_flight;
}

/* One block unreduced, the others sharded. */
STEP_INLINE double weight_grads_of(double full, double sharded, double blocks)
{
    return full + sharded * (blocks - 1);
}

STEP_INLINE double tier_sum(double weights, double activations, double checkpoints,
                            double activation_grads, double weight_grads, double optimizer)
{
    return weights + activations + checkpoints + activation_grads + weight_grads + optimizer;
}

#endif
