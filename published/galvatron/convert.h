/* convert.h - a strategy file of Galvatron's as a plan: its layers as runs of their own. */
#ifndef RECKON_GALVATRON_CONVERT_H
#define RECKON_GALVATRON_CONVERT_H

#include "galvatron/strategy_file.h"

#include <reckon/model.h>
#include <reckon/plan.h>

/* Ulysses becomes context parallelism of that kind, tensor parallelism is sequence parallel, ZeRO
 * and recomputation are as they say. RK_BAD_INPUT: samples that do not divide among data ranks,
 * which Galvatron rounds down; more than 9 kinds of layers, more than 128 runs. */
enum rk_status galvatron_plan_of(const struct galvatron_file *file, struct rk_plan *plan,
                                 struct rk_error *error);

/* The other way: what a strategy file can express of a plan, and the plan of its run (`run`): each
 * layer is recomputed whole or not at all, nothing is offloaded, ZeRO-1 is ZeRO-2, context
 * parallelism is Ulysses, and all layers have one precision. RK_UNSUPPORTED, by name: a layer split
 * by tensor and context parallelism at once, degrees that are not powers of two, experts on ranks
 * of their own, interleaving, schedules other than 1F1B and GPipe. Release the answer in every
 * case. */
enum rk_status galvatron_of_plan(const struct rk_model *model, const struct rk_plan *plan,
                                 struct galvatron_question *question,
                                 struct galvatron_answer *answer, struct rk_plan *run,
                                 struct rk_error *error);

#endif
