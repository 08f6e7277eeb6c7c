/* fuse.h - projections one by one, as Hugging Face has them, or fused, as Megatron-LM has them.
 *
 *     linear_qkv = for each group of keys and values: its a/g query heads, k, v
 *     linear_fc1 = [gate; up]
 *
 * Nothing is moved here: what a file has of q_proj becomes a part of linear_qkv, and the other way
 * round, so that a transfer brings the bytes to their places. Each element of a tensor is in one
 * part (layout_finish), so there and back is the identity.
 */
#ifndef RECKON_SHARD_FUSE_H
#define RECKON_SHARD_FUSE_H

#include "shard/layout.h"

#include <reckon/model.h>

/* Rewrites the layout. Tensors whose partners are missing stay. RK_BAD_INPUT names a tensor whose
 * rows are not the model's heads, whose partners are of another type, or that has scales of blocks,
 * which cannot follow. */
enum rk_status fuse_layout(struct layout *layout, const struct rk_model *model, bool fused,
                           struct rk_error *error);

#endif
