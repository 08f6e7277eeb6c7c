/* shard.h - checkpoints in safetensors to the ranks of a plan, back, and from one plan to another.
 *
 * Weights are moved, never computed with: what is merged again has the same bytes. Peak memory does
 * not grow with the model. A transfer that was stopped (a kill, a full disk) continues when it is
 * asked for again, with the same result. docs/shard.md says which part of which tensor goes where.
 *
 * Source of the layouts: the modelling code of Hugging Face transformers; of ZeRO's buffers,
 * Megatron-LM and DeepSpeed.
 */
#ifndef RECKON_SHARD_H
#define RECKON_SHARD_H

#include <reckon/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What data parallelism cuts of what a rank holds. X(value, name, meaning) */
#define RK_NAMES_shard_cut(X)                                                                      \
    X(RK_CUT_NONE, "none", "nothing: a file has what the forward pass needs")                      \
    X(RK_CUT_FSDP, "fsdp", "rows of each tensor, ceil(n/R) a rank")                                \
    X(RK_CUT_MEGATRON, "megatron", "flat buckets of Megatron-LM's distributed optimizer")          \
    X(RK_CUT_DEEPSPEED, "deepspeed", "one flat buffer, as DeepSpeed's ZeRO")

/* How tensors are split over tensor ranks. */
#define RK_NAMES_shard_split(X)                                                                    \
    X(RK_SPLIT_ROLES, "roles", "by the part that each tensor plays, as Megatron-LM does")          \
    X(RK_SPLIT_REDCO, "redco", "by Redco's rules, current generation [tan2024]")                   \
    X(RK_SPLIT_REDCO_FIRST, "redco-first", "... those of the paper")                               \
    X(RK_SPLIT_COST, "cost", "along the dimensions that predict the least communication")

/* What a tensor is whose name no table knows. */
#define RK_NAMES_shard_unknown(X)                                                                  \
    X(RK_UNKNOWN_REFUSE, "refuse", "an error")                                                     \
    X(RK_UNKNOWN_REPLICATE, "replicate", "whole on every tensor rank")                             \
    X(RK_UNKNOWN_REDCO, "redco", "split by Redco's rules")

/* Projections of attention and gated MLPs in what is written. */
#define RK_NAMES_shard_fuse(X)                                                                     \
    X(RK_FUSE_NONE, "none", "as they are")                                                         \
    X(RK_FUSE_MEGATRON, "megatron", "linear_qkv and linear_fc1, as Megatron-LM has them")          \
    X(RK_FUSE_HF, "hf", "one by one, as Hugging Face has them")

#define RK_SHARD_VALUE(value, name, help) value,
enum rk_shard_cut { RK_NAMES_shard_cut(RK_SHARD_VALUE) RK_SHARD_CUTS };
enum rk_shard_split { RK_NAMES_shard_split(RK_SHARD_VALUE) RK_SHARD_SPLITS };
enum rk_shard_unknown { RK_NAMES_shard_unknown(RK_SHARD_VALUE) RK_SHARD_UNKNOWNS };
enum rk_shard_fuse { RK_NAMES_shard_fuse(RK_SHARD_VALUE) RK_SHARD_FUSES };
#undef RK_SHARD_VALUE

enum rk_shard_io { RK_IO_BEST, RK_IO_PLAIN, RK_IO_URING };

/* A zeroed struct is the usual. */
struct rk_shard_options {
    const struct rk_model *model; /* NULL: as the checkpoint's config.json says */
    enum rk_shard_cut cut;
    enum rk_shard_split split;
    enum rk_shard_unknown unknown;
    enum rk_shard_fuse fuse;
    bool copy_scales;    /* scales of 128 x 128 values that a cut goes through go to both sides */
    uint64_t only_rank;  /* 1 + the rank whose file alone is written; 0: all */
    uint64_t most_bytes; /* of a merged file; 0: 5 GB, as Hugging Face */
    unsigned threads;    /* 0: 4 */
    enum rk_shard_io io;
    bool sync; /* files are on the disk before they get their names */
};

struct rk_shard_result {
    uint64_t tensors, files;
    uint64_t bytes_read, bytes_written; /* of tensors, by this call */
    uint64_t done_before;               /* tensors that a stopped call had written */
    bool uring;
};

/* Are there tensors in the folder, a checkpoint's or shards of one? */
RK_API bool rk_shard_has_weights(const char *folder);

enum { RK_SHARD_NOTES = 12, RK_SHARD_NOTE = 192 };

/* Where config.json and the tensors differ, and what is assumed of a checkpoint without it. */
struct rk_shard_notes {
    int count;
    char text[RK_SHARD_NOTES][RK_SHARD_NOTE];
};

/* The model of a checkpoint or of the shards of one: config.json, and what the tensors say of it.
 * RK_BAD_INPUT when it has neither config.json nor tensors that the shape is read from. */
RK_API enum rk_status rk_shard_model(const char *path, struct rk_model *model,
                                     struct rk_shard_notes *notes, struct rk_error *error);

/* `checkpoint`: a .safetensors file or a folder. `folder` is made; it must be empty, or hold the
 * same transfer unfinished. `result` may be NULL. */
RK_API enum rk_status rk_shard(const char *checkpoint, const struct rk_plan *plan,
                               const struct rk_shard_options *options, const char *folder,
                               struct rk_shard_result *result, struct rk_error *error);

/* Shards of a plan to a checkpoint; with `fuse` also a checkpoint to one of other projections. */
RK_API enum rk_status rk_merge(const char *shards, const struct rk_shard_options *options,
                               const char *folder, struct rk_shard_result *result,
                               struct rk_error *error);

/* Shards of a plan to those of another one, without the checkpoint. */
RK_API enum rk_status rk_reshard(const char *shards, const struct rk_plan *plan,
                                 const struct rk_shard_options *options, const char *folder,
                                 struct rk_shard_result *result, struct rk_error *error);

#ifdef __cplusplus
}
#endif
#endif
