/* placing.h - the shards of a plan: which rank holds which part of which tensor.
 *
 * Ranks that hold the same share a file: one for each stage, tensor rank, expert rank (and shard,
 * where ZeRO or FSDP cut further), written "rank-PPPP-TTTT-EEEE.safetensors". Stages are those of
 * rk_plan_split: virtual stage i of p v is on stage i mod p; the embedding on the first, final norm
 * and head on the last, a tied embedding on both, layers of multi-token prediction on the last.
 */
#ifndef RECKON_SHARD_PLACING_H
#define RECKON_SHARD_PLACING_H

#include "shard/cut.h"
#include "shard/layout.h"

enum shard_zero {
    ZERO_NONE,     /* what the forward pass needs */
    ZERO_FSDP,     /* rows of each tensor: ceil(n/R), the last ranks fewer or none */
    ZERO_MEGATRON, /* buckets, last parameter first, each at a multiple of 64 elements, buckets of
                      lcm(R, 128), cut in R */
    ZERO_DEEPSPEED /* one buffer padded to 2 R, cut in R */
};

struct placing {
    struct cut_rules rules;
    const char *type; /* model_type, or "" */
    enum shard_zero zero;
    bool replicate_unknown;
    const int *axis; /* (tensors of the layout) as cut.h says; NULL: all by role */
    int64_t only;    /* the file of this rank alone; -1: all */
};

struct placed {
    uint32_t *file_of_rank; /* (ranks) */
    uint64_t ranks;
    struct placed_file {
        uint32_t stage, tensor, expert, expert_tensor, shard, expert_shard;
        uint64_t parameters; /* that the predictor counts, padding too */
    } * file;                /* (files of the layout) */
};

/* `layout` has tensors and becomes the layout of the plan: shapes, boxes and files; offsets are
 * not set yet. RK_BAD_INPUT names the tensor and what does not divide, or whose role is not known.
 */
enum rk_status place_plan(const struct placing *placing, struct layout *layout,
                          struct placed *placed, struct rk_error *error);
void placed_release(struct placed *placed);

/* Parameters of a rank of `stage`, as the operations of workload/layers.h have them; a table of
 * which one rank has both ends is there once. */
double placed_predicted(const struct rk_model *model, const struct rk_plan *plan, uint64_t stage);

#endif
