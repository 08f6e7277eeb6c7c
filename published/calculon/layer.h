/* layer.h - what the operations of a block cost on a machine: the fold of layer lists.
 *
 * The fold comes in parts, each depending on few axes, so that the search can keep them in tables
 * and the estimate calls the same code: work (shape and machine), recompute (and its conditions),
 * comm (and the network), optimizer (and the number of shards). layer_join adds them up.
 * Pure; times in seconds, sizes in bytes, per block, rank and microbatch. Source: [isaev2023].
 */
#ifndef RECKON_CALCULON_LAYER_H
#define RECKON_CALCULON_LAYER_H

#include "calculon/block.h"

struct pass_cost {
    double flop, flop_s, access_bytes, access_s;
    double time_s; /* engine and memory together, without operations that wait for a network */
};

/* Times of each operation of a block on the engines and in memory tier 0. */
struct op_cost {
    double flop_s[RK_PASSES], access_s[RK_PASSES], time_s[RK_PASSES];
};

enum { MAX_COMM_OPS = 8 }; /* operations with communication in a block */

struct block_cost {
    const struct block *block;
    const struct rk_system *system;
    enum rk_datatype datatype;
    bool
        upstream; /* running sums where forward figures are recomputed, as the published tool has */
    struct op_cost op[RK_MAX_OPERATIONS];
    int comm_ops;                     /* operations with communication */
    int comm_op[MAX_COMM_OPS];        /* (comm_ops) their indices */
    struct pass_cost pass[RK_PASSES]; /* sums; time_s without those of comm_op */
    double weights;                   /* elements */
    double weight_bytes, working_bytes, activation_bytes, activation_grad_bytes;
};

/* `block` and `system` must outlive `cost`. */
void block_cost_fold(struct block_cost *cost, const struct block *block,
                     const struct rk_system *system, enum rk_datatype datatype);

struct recompute_cost {
    struct pass_cost pass; /* forward figures of what is recomputed; time_s as above */
    double stored_bytes;   /* kept from forward to backward */
    double checkpoint_bytes;
};

void recompute_fold(struct recompute_cost *cost, const struct block_cost *block,
                    enum rk_recompute recompute, bool redo_all_gather, bool training);

/* [2]: base block, edge block. The third pass of communication is its recomputation. */
struct comm_cost {
    double bytes[RK_PASSES][2], link_s[RK_PASSES][2], exposed_s[RK_PASSES][2];
    double time_s[RK_PASSES]; /* of the operations that overlap with communication */
    double recompute_s;       /* ... of those that are recomputed */
    double required_Bps[2];   /* bandwidth that would hide it: forward, activation gradient */
};

struct comm_choice {
    const struct rk_network *network;
    double ranks; /* t */
    enum rk_tensor_comm type;
    enum rk_tensor_overlap overlap;
};

/* The communication of one operation, for every recomputation: the third pass is filled in as if it
 * were repeated, and its effect on the weight gradient's time is kept apart. */
struct comm_op_cost {
    double bytes[RK_PASSES][2], link_s[RK_PASSES][2], exposed_s[RK_PASSES][2];
    double time_s[RK_PASSES]; /* of the operation, when it overlaps with communication; else 0 */
    double time_redone_s;     /* of its weight gradient, when it overlaps with repeated
                                 communication */
    double required_Bps[2];   /* forward, activation gradient */
};

/* `index` is that of an operation with communication. */
void comm_op_fold(struct comm_op_cost *cost, const struct block_cost *block, int index,
                  const struct comm_choice *choice);

/* Sums over block->comm_op under conditions_of(); `ops` has block->comm_ops entries. */
void comm_sum(struct comm_cost *cost, const struct block_cost *block,
              const struct comm_op_cost *ops, unsigned conditions);

/* Adds one of them. */
void comm_add(struct comm_cost *cost, const struct op *op, const struct comm_op_cost *more,
              unsigned conditions);

struct optimizer_cost {
    struct pass_cost pass;
    double state_bytes;
    double grad_bytes;      /* weight gradients, sharded */
    double grad_full_bytes; /* ... before they are reduced */
};

/* Adam on fp32 moments, with a master copy below fp32; `shards` ranks share it. */
void optimizer_fold(struct optimizer_cost *cost, const struct block_cost *block, double shards);

/* The same for one operation. */
struct optimizer_cost optimizer_fold_op(const struct block_cost *block, int op, double shards);

/* All that composing an iteration needs to know of a block. [2]: base block, edge block. */
struct layer_cost {
    double forward_s[2], backward_s[2]; /* with exposed communication; no offload, no messages */
    double forward_access_s;
    double backward_access_s; /* both gradients */
    double recompute_access_s;
    double backward_flop_s;    /* both gradients and recompute */
    double backward_link_s[2]; /* the tensor network is busy in backward */
    double weight_bytes, working_bytes, stored_bytes, checkpoint_bytes, activation_grad_bytes;
};

void layer_join(struct layer_cost *layer, const struct block_cost *block,
                const struct recompute_cost *recompute, const struct comm_cost *comm,
                bool training);

#endif
