/* layers.h - what single layers of a plan see, whether it says so by runs or by recompute_layers.
 * Pure. */
#ifndef RECKON_PLAN_LAYERS_H
#define RECKON_PLAN_LAYERS_H

#include <reckon/model.h>
#include <reckon/plan.h>

/* A layer of a plan without chunks; {.plan, .model} is the first. Layers after the last segment
 * follow the plan. */
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

/* The first local part that says the same as `local`; 0: the plan itself does. */
int plan_same_local(const struct rk_plan *plan, int local);

/* Are all layers as the plan says itself, whatever runs it has? */
bool plan_is_alike(const struct rk_plan *plan);

/* The plan with a layout that is kept: a plan that outlives what it was made with. */
struct rk_plan plan_kept(const struct rk_plan *plan);

/* The plan with all layers as it says itself, on the stages that they are on. */
struct rk_plan plan_alike(const struct rk_plan *plan);
void layout_be_alike(struct rk_layout *layout);

/* So many blocks on each virtual stage; and as evenly as it goes. Layers may differ or not. */
void plan_set_split(struct rk_plan *plan, const uint16_t *split, int splits);
void plan_be_even(struct rk_plan *plan);

/* One layer more of the plan's layout, in model order, run so; samples of a microbatch follow from
 * the degrees. False when a layout cannot say so many runs and ways. */
bool layout_add_layer(struct rk_layout *layout, const struct rk_plan *plan,
                      const struct rk_local *local);

/* Ranks that share the samples of a microbatch. */
static inline uint64_t split_of(const struct rk_plan *plan)
{
    return plan->tensor * plan->context;
}

/* Do the activations of both lie alike? */
static inline bool same_layout(const struct rk_plan *a, const struct rk_plan *b)
{
    return a->tensor == b->tensor && a->context == b->context &&
           a->sequence_parallel == b->sequence_parallel;
}

#endif
