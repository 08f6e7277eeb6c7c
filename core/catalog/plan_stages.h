/* plan_stages.h - virtual stages with runs of layers, or replicas on clusters, of their own, while
 * they are read and written.
 *
 * A plan has runs (struct rk_segment) in model order, wherever stages end; files and lines of words
 * have them stage by stage. Runs of neighbours that are alike become one.
 */
#ifndef RECKON_CATALOG_PLAN_STAGES_H
#define RECKON_CATALOG_PLAN_STAGES_H

#include "catalog/plan_fields.h"

/* Is the row a choice that one layer sees? Its offset is then also one in struct rk_local. */
bool plan_is_local(const struct field *field);

/* ---- reading: begin { run ... part ... end_stage } end ---- */

struct plan_stages {
    struct rk_plan *plan;
    struct rk_layout layout;   /* so far */
    uint64_t layers, of_stage; /* so far */
    int count;                 /* stages that have ended */
    bool said;                 /* the stage has said its layers */
    char fault[128];           /* why the last call was false */
};

/* The plan's degrees, and members that its layers see individually, must be resolved before. */
void plan_stages_begin(struct plan_stages *stages, struct rk_plan *plan);

/* More layers for the stage; `local` NULL: as the plan says. */
bool plan_stages_run(struct plan_stages *stages, uint64_t layers, const struct rk_local *local);

/* Replicas of the stage on a cluster: every stage of a plan with a round has some, and its layers
 * in one run. A stage's further runs, of interleaving, have none of their own. */
bool plan_stages_part(struct plan_stages *stages, const struct rk_stage_part *part,
                      const struct rk_local *local);
bool plan_stages_end_stage(struct plan_stages *stages);
bool plan_stages_end(struct plan_stages *stages);

/* The value of that key in a file, when all others are read. */
enum rk_status plan_stages_read(const struct place *place, struct rk_plan *plan,
                                struct rk_error *error);

/* A choice of the plan was `before` and is another one: runs that had it as the plan follow. */
void plan_follow(struct rk_plan *plan, const struct rk_plan *before, const struct field *field);

/* ---- writing ---- */

/* Layers of a virtual stage of a plan that has splits or segments. */
uint64_t plan_stage_layers(const struct rk_plan *plan, int stage);

struct plan_run {
    uint64_t layers;
    const struct rk_local *local; /* NULL: as the plan says */
    int segment;                  /* that it is of, and where it ends in it */
    uint64_t end;
};

/* The run after `run` (zeroed: the first), of at most `left` > 0 layers. */
struct plan_run plan_next_run(const struct rk_plan *plan, struct plan_run run, uint64_t left);

#endif
