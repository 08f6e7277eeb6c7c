/* uneven.h - stages of different numbers of ranks, or with replicas of several kinds.
 *
 * Ranks are counted through the stages; in each tensor, context, data. Two ranks of neighbouring
 * stages send each other what both have of a microbatch; of a tied table that first and last stage
 * cut otherwise, the rows that both have when data parallelism has summed them.
 */
#ifndef RECKON_PROGRAM_UNEVEN_H
#define RECKON_PROGRAM_UNEVEN_H

#include <reckon/program.h>

/* Replicas of a stage that are alike: `plan` as if all replicas of all stages were like these, with
 * microbatches of the samples that each of them takes of a round. */
struct uneven_kind {
    const struct rk_system *system;
    struct rk_plan plan;
    uint64_t replicas;
};

/* A stage: the plan as if all stages were like this one, and what it runs on. Its ranks are this
 * stage's times the stages, its samples of a microbatch times its replicas those of every stage.
 *
 * Where replicas are of several kinds, on machines of their own and with shares of the samples,
 * `kind` has them in the order of their ranks, and `plan` is that of the first. They have tensor
 * and context degree in common, and what data parallelism does. */
struct uneven_stage {
    const struct rk_system *system;
    struct rk_plan plan;
    int kinds;                      /* 0: all replicas are alike */
    const struct uneven_kind *kind; /* (kinds) */
};

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
