/* layers.h - what single layers of a plan see, whether it says so by runs or by recompute_layers.
 * Pure. */
#ifndef RECKON_PLAN_LAYERS_H
#define RECKON_PLAN_LAYERS_H

#include <reckon/model.h>
#include <reckon/plan.h>

/* A layer of a plan without chunks; {.plan, .model} is the first. Layers behind the last segment
 * are as the plan says. */
struct plan_layers {
    const struct rk_plan *plan;
    const struct rk_model *model;
    uint64_t stage, of_stage, of_segment;
    int segment;
};

/* What it sees; recomputation is the layer's own. */
struct rk_local plan_layer(const struct plan_layers *at);
void plan_layers_next(struct plan_layers *at);

/* The plan as layers with this local part see it, 0: as it says itself; and the local part of a
 * block. Samples of a microbatch follow from the degrees. */
struct rk_plan plan_of_local(const struct rk_plan *plan, int local);
int plan_local_of(const struct rk_plan *plan, uint64_t block);

/* One layer more, in model order, run so; samples of a microbatch follow from the degrees. False
 * when a plan cannot say so many runs and ways. */
bool plan_add_layer(struct rk_plan *plan, const struct rk_local *local);

#endif
