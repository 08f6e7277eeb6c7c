/* convert.h - a strategy file of Galvatron's as a plan: its layers as runs of their own. */
#ifndef RECKON_GALVATRON_CONVERT_H
#define RECKON_GALVATRON_CONVERT_H

#include "galvatron/strategy_file.h"

#include <reckon/plan.h>

/* Ulysses becomes context parallelism of that kind, tensor parallelism is sequence parallel, ZeRO
 * and recomputation are as they say. RK_BAD_INPUT: samples that do not divide among data ranks,
 * which Galvatron rounds down; more than 9 kinds of layers, more than 128 runs. */
enum rk_status galvatron_plan_of(const struct galvatron_file *file, struct rk_plan *plan,
                                 struct rk_error *error);

#endif
