/* split_cost.h - the chain of a checkpoint's matrices, for cost.h: in each layer queries, keys and
 * values, the output projection, the MLP's matrices; embedding and head. All else (experts,
 * recurrences, latent attention) is split by roles.
 */
#ifndef RECKON_SHARD_SPLIT_COST_H
#define RECKON_SHARD_SPLIT_COST_H

#include "shard/layout.h"

#include <reckon/plan.h>

/* Sets axis (tensors) so that tensor ranks send the least. RK_NO_MEMORY without memory. */
enum rk_status split_by_cost(const struct layout *layout, const char *type,
                             const struct rk_model *model, const struct rk_plan *plan, int *axis,
                             struct rk_error *error);

/* What these axes make them send: bytes of 16-bit numbers for each token, forward and backward, of
 * all layers; `axis` NULL: split by roles. Infinite where it cannot be told. */
double split_sends(const struct layout *layout, const char *type, const struct rk_model *model,
                   const struct rk_plan *plan, const int *axis);

#endif
