/* split.h - the dimension that each tensor is split along, where its part does not say it. */
#ifndef RECKON_SHARD_SPLIT_H
#define RECKON_SHARD_SPLIT_H

#include "shard/layout.h"

#include <reckon/shard.h>

/* axis (tensors): AXIS_BY_ROLE, AXIS_NONE, or an axis of the tensor as it is stored, for so many
 * tensor ranks. `type` as roles.h has it. */
enum rk_status split_axes(const struct layout *layout, const char *type,
                          const struct rk_shard_options *options, const struct rk_model *model,
                          const struct rk_plan *plan, int *axis, struct rk_error *error);

#endif
