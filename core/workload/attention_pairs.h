/* attention_pairs.h - heads of a rank, and the pairs of queries and keys that it computes. */
#ifndef RECKON_WORKLOAD_ATTENTION_PAIRS_H
#define RECKON_WORKLOAD_ATTENTION_PAIRS_H

#include "workload/layers_build.h"

/* Heads of one tensor rank, and how context parallelism divides their work: `across` ranks
 * exchange heads for tokens, `around` ranks pass keys and values on. */
struct heads {
    double queries, keys; /* heads of this rank */
    double shared;        /* key and value heads of the model over t: what is useful of `keys` */
    double width, value;  /* of a query or key head, of a value head */
    double across, around;
};

struct heads attention_heads_of(const struct build *build, bool local);

double attention_window_of(const struct build *build, bool local);

/* Tokens of a sample that there are keys of, and of a microbatch on this rank. */
double attention_keys_of_sample(const struct build *build);

double attention_keys_of_rank(const struct build *build);

/* Tokens of inference see those that are cached and the ones before them in the pass. */
double attention_served_pairs(const struct build *build, bool local);

/* Pairs that a fused kernel computes. */
double attention_fused_pairs(const struct build *build, bool local);

/* Pairs of the rank with the most of them over the mean. Of contiguous parts of a causal sequence
 * the last of c ranks has (2 c - 1) / c^2; a part from each end gives all the same [dubey2024]. */
double attention_crowding_of(const struct build *build, bool local, double around);

/* FLOP of forward by each count, of `each` of them a pair; Megatron-LM's has half of the pairs of
 * all tokens in every layer of self-attention (num_floating_point_operations() in its training.py).
 */
void attention_count_pairs(struct operation *op, const struct build *build, bool local,
                           double each);

#endif
