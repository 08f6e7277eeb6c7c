/* plans_axes.h - the axes of the space of plans, beyond what their users see.
 *
 * One table has all there is to know of an axis: name, type, help, where it is stored, which bundle
 * it is chosen with, and what offers its values.
 */
#ifndef RECKON_SEARCH_PLANS_AXES_H
#define RECKON_SEARCH_PLANS_AXES_H

#include "search/plans_offer.h"
#include "search/predictor.h"

/* Axes that are chosen together; the values of a bundle depend on its own axes and the layout's,
 * never on another bundle. Outermost first. */
enum plan_bundle {
    BUNDLE_LAYOUT,
    BUNDLE_MICROBATCH,
    BUNDLE_WIDTH,
    BUNDLE_KERNELS,
    BUNDLE_STAGES,
    BUNDLE_SHARDING,
    BUNDLE_OFFLOAD,
    BUNDLES
};

/* First axis of a bundle; plan_bundle_axis(BUNDLES) is RK_PLAN_AXES. */
enum rk_plan_axis plan_bundle_axis(enum plan_bundle bundle);

/* rk_plan_axis_set of `count` axes from `first` on. */
void plan_axes_set(struct rk_plan *plan, enum rk_plan_axis first, int count, const uint64_t *value);

/* Fills offered->value. */
void plan_axis_offer(struct offered *offered, const struct rk_plans_problem *problem,
                     enum rk_plan_axis axis, const struct rk_plan *plan);

/* Axes as a predictor of plans gives them to the search. */
const char *plan_axis_name(int axis);
const char *const *plan_axis_words(int axis);
bool plan_axis_parse(int axis, const char *word, uint64_t *value);
uint64_t plan_axis_get(const struct rk_plan *plan, int axis);
uint64_t plan_batch(const struct rk_plan *plan);

#endif
