/* block.h - the operations of one transformer block on one rank, for one microbatch.
 *
 * Sizes are elements unless the name says bytes; FLOP and bytes per pass. What recomputation does
 * to an operation is a condition here, decided later from the strategy, so that one list serves
 * all recompute modes. Pure: knows nothing of machines, networks or pipelines.
 * Source: [isaev2023]; the operations are those of [korthikanti2022].
 */
#ifndef RECKON_CALCULON_BLOCK_H
#define RECKON_CALCULON_BLOCK_H

#include "calculon/result.h"
#include "calculon/strategy.h"
#include <reckon/model.h>
#include <stdbool.h>

/* Under which recomputation something happens. `gathered` is what an all-gather brought: it is
 * dropped and brought again under the recomputation of its half of the block, or with
 * redo_all_gather. */
enum when {
    WHEN_NEVER,
    WHEN_ALWAYS,
    WHEN_FULL,
    WHEN_ATTENTION, /* full recompute, or attention only */
    WHEN_NOT_ATTENTION,
    WHEN_GATHERED_ATTENTION,
    WHEN_NOT_GATHERED_ATTENTION,
    WHEN_GATHERED_MLP,
    WHEN_NOT_GATHERED_MLP,
    WHENS
};

/* Bit w of the result says whether condition w holds. */
unsigned conditions_of(enum rk_recompute recompute, bool redo_all_gather);

static inline bool holds(unsigned conditions, enum when when)
{
    return conditions >> when & 1;
}

enum engine { ENGINE_VECTOR, ENGINE_MATRIX };

/* Tensor-parallel communication of an operation. A gather comes before a column-parallel matrix
 * (all-gather forward, reduce-scatter backward; or nothing and all-reduce), a reduction after a
 * row-parallel one (the reverse; "conjugate" in the literature). */
enum comm_side { COMM_NONE, COMM_GATHER, COMM_REDUCE };

struct op {
    const char *name;
    enum engine engine;
    double flop[RK_PASSES];         /* forward, activation gradient, weight gradient */
    double access_bytes[RK_PASSES]; /* bytes read and written */
    double inputs, outputs;
    double weights;
    double weight_bytes, activation_bytes, activation_grad_bytes, output_bytes; /* held */
    enum when recomputed, recommunicated, keeps_input, keeps_output;
    bool reuses_buffer; /* shares the buffer of the operation before */
    enum comm_side comm;
    double comm_elements; /* of the whole tensor that is sent */
    bool overlapped;      /* communication overlaps with the operation, cut in `tiles` */
    double tiles;
};

/* The part of a strategy that a block sees. */
struct block_split {
    double tensor;     /* t; divides hidden, feedforward and heads */
    double microbatch; /* samples; b */
    double element_bytes;
    bool sequence_parallel;
    bool overlapped; /* tensor-parallel communication overlaps with the matrices */
    bool fused_activation;
};

struct block {
    int ops;
    struct op op[RK_MAX_OPERATIONS];
    double activation;       /* elements of the residual stream of one microbatch, A = b s h */
    double activation_shard; /* ... of a rank under sequence parallelism */
};

/* Requires degrees that rk_estimate accepts. */
void block_build(struct block *block, const struct rk_model *model,
                 const struct block_split *split);

#endif
