/* shard_show.h - what `reckon shard`, `merge` and `reshard` share: options, and the answer. */
#ifndef RECKON_CLI_SHARD_SHOW_H
#define RECKON_CLI_SHARD_SHOW_H

#include "cli/show.h"
#include "shard/sharding.h"

struct move_args {
    uint64_t threads;
    int io; /* enum rk_shard_io */
    bool sync;
    int fuse; /* enum rk_shard_fuse */
};

/* --threads, --io, --sync, --fuse; for struct move_args. */
extern const struct option shard_move_options[];
void shard_take_moves(const struct move_args *args, struct rk_shard_options *options);

/* A plan from a file or from words; RK_BAD_ARGUMENT when there is none. */
enum rk_status shard_read_plan(const char *file, const struct option_texts *words,
                               struct rk_plan *plan, struct rk_error *error);

/* --zero is said for nothing where the plan shards nothing. */
enum rk_status shard_check_cut(enum rk_shard_cut cut, const struct rk_plan *plan,
                               struct rk_error *error);

/* Files with their contents, compared with what the predictor counts; with `explain` the tensors,
 * layers that are alike in one row. `done` NULL: nothing was written. Returns the exit code. */
int shard_show(const struct sharding *sharding, const struct transferred *done, bool explain,
               const struct show_args *show);

#endif
