/* redco.h - the two rules of Redco [tan2024] for trees of weights that nobody described: split
 * successive matrices along alternating dimensions; of attention, queries, keys and values by their
 * output, the output projection by its input.
 *
 * A tree is a list of leaves, "model/layers/0/mlp/up_proj/kernel", shapes as (in, out). One
 * decision stands for all leaves of a key: the last two parts of their paths, or fewer. Two
 * generations: the code of the paper (github.com/tanyuqian/redco, commit d87b409) and the current
 * one (commit 8129ab3), which asks that a dimension be divisible in all leaves of a key, and knows
 * more names. Their results are the same whatever the order of the leaves.
 */
#ifndef RECKON_SHARD_REDCO_H
#define RECKON_SHARD_REDCO_H

#include "shard/safetensors.h"

enum redco_generation { REDCO_CURRENT, REDCO_FIRST };

struct redco_leaf {
    const char *path; /* its parts are separated by '/' */
    int rank;
    const uint64_t *shape; /* (rank) */
};

struct redco_rule {
    char *key;
    int dimension; /* split over the shards; -1: whole on each of them */
};

struct redco_rules {
    size_t count;
    struct redco_rule *rule; /* (count) sorted by their keys' parts */
};

/* RK_BAD_INPUT names the leaf where the first generation gives up, or whose path has an empty part.
 * Requires shards >= 1. */
enum rk_status redco_rules_of(enum redco_generation generation, size_t leaves,
                              const struct redco_leaf *leaf, uint64_t shards,
                              struct redco_rules *rules, struct rk_error *error);
void redco_release(struct redco_rules *rules);

/* The dimension for a leaf; -1: whole. */
int redco_dimension(enum redco_generation generation, const struct redco_rules *rules,
                    const char *path);

#endif
