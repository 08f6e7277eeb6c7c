/* uneven.h - stages of different numbers of ranks, or with replicas of several kinds.
 *
 * Ranks are counted through the stages; in each tensor, context, data. Two ranks of neighbouring
 * stages send each other what both have of a microbatch; of a tied table that first and last stage
 * cut otherwise, the rows that both have when data parallelism has summed them.
 */
#ifndef RECKON_PROGRAM_UNEVEN_H
#define RECKON_PROGRAM_UNEVEN_H

#include "program/stage.h"
#include <reckon/program.h>

/* As rk_program_of(), of stages (stages[0].plan.pipeline). */
enum rk_status program_of_uneven(struct rk_program *program, const struct rk_model *model,
                                 const struct uneven_stage *stages, uint64_t rank,
                                 struct rk_error *error);

/* As rk_program_classes(); requires stages that program_of_uneven lowers. */
size_t program_classes_uneven(const struct rk_model *model, const struct uneven_stage *stages,
                              struct rk_program_class *classes, size_t most);

/* ---- plans over several clusters (over.c) ---- */

/* Requires plan_has_parts(system, plan). */
enum rk_status program_of_parts(struct rk_program *program, const struct rk_model *model,
                                const struct rk_system *system, const struct rk_plan *plan,
                                uint64_t rank, struct rk_error *error);
size_t program_classes_of_parts(const struct rk_model *model, const struct rk_system *system,
                                const struct rk_plan *plan, struct rk_program_class *classes,
                                size_t most);

/* rk_program_of() and rk_program_classes() of a plan of one cluster. */
size_t program_classes_of_plan(const struct rk_model *model, const struct rk_plan *plan,
                               struct rk_program_class *classes, size_t most);
enum rk_status program_of_plan(struct rk_program *program, const struct rk_model *model,
                               const struct rk_system *system, const struct rk_plan *plan,
                               uint64_t rank, struct rk_error *error);

#endif
