/* sharding.h - one transfer, first planned, then written: what <reckon/shard.h> is made of. */
#ifndef RECKON_SHARD_SHARDING_H
#define RECKON_SHARD_SHARDING_H

#include "shard/store.h"
#include "shard/transfer.h"

#include <reckon/shard.h>

enum sharding_kind { SHARDING_SPLIT, SHARDING_MERGE, SHARDING_AGAIN };

struct sharding {
    enum sharding_kind kind;
    struct store from;
    struct layout to;
    struct placed placed; /* where there is a plan */
    struct rk_plan plan;
    const struct rk_shard_options *options;
    int *axis;
    const char *odd_padding; /* a tensor whose padding is not zero, and is cut off; NULL: none */
    bool imagined;           /* tensors of a model, without files: nothing can be written */
};

extern const char *const shard_cut_names[], *const shard_split_names[],
                                                *const shard_unknown_names[],
                                                    *const shard_fuse_names[]; /* ended by NULL */

/* Reads headers and computes which bytes go where. `source` NULL: the tensors of options->model.
 * `plan` NULL to merge. `options` lives as long as the sharding; release it in any case. */
enum rk_status sharding_plan(enum sharding_kind kind, const char *source,
                             const struct rk_plan *plan, const struct rk_shard_options *options,
                             struct sharding *sharding, struct rk_error *error);

enum rk_status sharding_write(struct sharding *sharding, const char *folder,
                              struct transferred *done, struct rk_error *error);

void sharding_release(struct sharding *sharding);

/* Of a resharding: bytes that ranks of the new plan have already, as the same rank of the old one,
 * and bytes that come from other ranks; of all ranks together. False where the shards do not say
 * which rank has which file. */
struct sharding_moves {
    double stay, move;
};
bool sharding_moves(const struct sharding *sharding, struct sharding_moves *moves);

#endif
