/* megatron_plan_parts.h - parts of a plan in Megatron-LM's arguments. */
#ifndef RECKON_MEGATRON_MEGATRON_PLAN_PARTS_H
#define RECKON_MEGATRON_MEGATRON_PLAN_PARTS_H

#include "megatron/megatron_args.h"

#define FLAG(name) MEGATRON_##name##_FLAG

#define HAS(name) megatron_has(args, FLAG(name))

#define COUNT(name, preset) megatron_count(args, FLAG(name), preset)

#define IS(name, text) megatron_is(args, FLAG(name), text)

void megatron_read_recompute(const struct megatron_args *args, struct rk_plan *plan);

void megatron_read_offload(const struct megatron_args *args, const struct rk_model *model,
                           struct rk_plan *plan);

#endif
