/* stage.h - a stage of a pipeline whose stages have degrees, machines or replicas of their own. */
#ifndef RECKON_PROGRAM_STAGE_H
#define RECKON_PROGRAM_STAGE_H

#include <reckon/plan.h>
#include <reckon/system.h>

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

#endif
