/* kernels.h - time of one operation on current kernels.
 *
 * The detailed model's alternative to the Calculon model's curves in work.h: matrix time from
 * shape, attention time from shape and causality, memory-bound kernels from bytes, collectives by
 * algorithm. The few constants of an accelerator are in struct rk_kernels (system.h), each with a
 * source or with what it was fitted to, in data/. Pure; FLOP, bytes, seconds. docs/kernels.md has
 * the formulas.
 */
#ifndef RECKON_MACHINE_KERNELS_H
#define RECKON_MACHINE_KERNELS_H

#include <reckon/system.h>

/* What matrices multiply. */
enum operand {
    OPERAND_FLOAT4,
    OPERAND_FLOAT8,
    OPERAND_INT8,
    OPERAND_FLOAT16,
    OPERAND_BFLOAT16,
    OPERAND_TFLOAT32,
    OPERAND_FLOAT32,
    OPERANDS
};

double operand_bytes(enum operand operand); /* in memory */

/* Dense peak rate, FLOP/s; 0 when the system has no such engine. */
double operand_peak(const struct rk_system *system, enum operand operand);

/* `count` products (m, k) x (k, n) as one kernel (grouped or batched); 0 when one of the numbers is
 * 0, infinity when operand_peak() is. */
double matrix_time_s(const struct rk_system *system, enum operand operand, double count, double m,
                     double n, double k);

/* The same in inference: the second operand, of weights, is kept in `weight_bytes` an element, and
 * only where computing limits it is the rate that of a long run, `sustained` of a kernel's. */
double served_matrix_time_s(const struct rk_system *system, enum operand operand,
                            double weight_bytes, double sustained, double count, double m, double n,
                            double k);

/* Rate of products in a long run over that of an isolated kernel, under the board's own power: a
 * chip's clock, and so its rate, goes with the cube root of what it may draw, for power is
 * frequency times the square of a voltage that goes with it. */
double sustained_share(const struct rk_kernels *kernels);

struct attention_shape {
    double batch, heads, kv_heads;
    double queries, keys;       /* tokens */
    double head_dim, value_dim; /* of queries and keys; of values */
    double pairs;  /* query-key pairs that count: queries * keys, half of it causal, ... */
    double piece;  /* tokens that follow each other, where samples are cut: one call has queries of
                      one piece and keys of one that they see; 0: a sample is whole */
    bool newest;   /* FlashAttention-3, cuDNN: uses what Hopper and later have */
    bool oldest;   /* FlashAttention-1, Triton's */
    double window; /* a query sees the last `window` tokens; 0: all before it, or others */
};

/* FlashAttention-like kernel; forward or backward. `pairs` is what is computed; infinity when
 * operand_peak() is 0. */
double attention_time_s(const struct rk_system *system, enum operand operand,
                        const struct attention_shape *shape, bool backward);

/* One query of each sample against keys and values in a cache, of which `bytes` are read: parts of
 * the keys on all multiprocessors, and a second kernel that puts them together
 * [dao2023flashdecoding]. Heads that share a key are rows of one product, of at least 16. */
double cached_attention_time_s(const struct rk_system *system, enum operand operand,
                               const struct attention_shape *shape, double bytes);

/* A kernel that reads and writes `bytes` bytes of memory tier 0. */
double memory_time_s(const struct rk_system *system, double bytes);

/* Between two measured sizes by their logarithms, beyond the ends as at them; rates->sizes > 0. */
double stream_rate_Bps(const struct rk_stream_rates *rates, double bytes);

/* Were passes over the optimizer's state measured? Then runs are those of the executor that
 * measured them, which has none of torch's and Megatron-LM's habits. */
bool optimizer_is_measured(const struct rk_system *system);

/* A pass over the optimizer's state, at the measured rate of optimizer steps where the system has
 * one, else like any memory-bound kernel. */
double optimizer_time_s(const struct rk_system *system, double bytes);

enum collective {
    ALL_REDUCE,
    REDUCE_SCATTER,
    ALL_GATHER,
    ALL_TO_ALL,
    SEND, /* to the next one of the group */
    /* on a link whose exchanges were measured one by one apart from those above (system.def) */
    PASS,        /* to the next one of a ring: a send */
    SUM_WHOLE,   /* of gradients: an all-reduce */
    SUM_PART,    /* ... a reduce-scatter */
    GATHER_HERE, /* of weights: an all-gather */
    COLLECTIVES
};

/* Ranks that communicate: `ranks` of them, neighbours `stride` apart in the order in which network
 * domains are filled: {8, 1} is one node of eight, {16, 8} one rank each of 16 nodes. */
struct rank_group {
    double ranks, stride;
};

/* `bytes` is the whole vector, the sum of all shards, as in nccl-tests: of an all-to-all, what one
 * rank holds before; of a send, the message. 0 for one rank. */
double collective_time_s(const struct rk_system *system, enum collective collective,
                         struct rank_group group, double bytes);

/* What computes copies the group's messages, too. */
bool copied_between(const struct rk_system *system, struct rank_group group);

/* Of all that computes, so long: what passing the bytes on takes of it while it computes. */
double engine_s(const struct rk_system *system, enum collective collective, struct rank_group group,
                double bytes);

/* An all-to-all of tokens that go to `copies` ranks each, at random among a share `reach` of
 * neighbours: the ranks of one network domain are sent one copy, which they pass on (DeepEP,
 * HybridEP). `bytes` is what a rank has in the end.
 */
double dispatch_time_s(const struct rk_system *system, struct rank_group group, double copies,
                       double reach, double bytes);

#endif
