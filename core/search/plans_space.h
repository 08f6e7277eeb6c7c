/* plans_space.h - the space of plans: layouts, and for each of them a bundle of choices a digit.
 *
 * A plan's index is first(layout) + a mixed-radix number with one digit for each bundle after the
 * layout, microbatch outermost. Layouts with the same choices share a bundle.
 */
#ifndef RECKON_SEARCH_PLANS_SPACE_H
#define RECKON_SEARCH_PLANS_SPACE_H

#include "search/plans_axes.h"
#include "search/predictor.h"

struct choices {
    enum plan_bundle bundle;
    int first, axes; /* of the bundle: enum rk_plan_axis, how many */
    uint64_t count;
    uint64_t *value; /* (count, axes) */
};

struct layout {
    uint64_t value[RK_PLAN_ORDER + 1];
    const struct choices *choices[BUNDLES]; /* [BUNDLE_LAYOUT] is NULL */
    uint64_t first, count;
};

struct rk_plans {
    struct rk_space space; /* first */
    struct rk_plans_problem problem;
    uint64_t layouts;
    struct layout *layout; /* (layouts) */
    uint64_t bundles;
    struct choices **bundle; /* (bundles) */
};

/* Over several clusters what is sent between stages is no axis: split over tensor ranks, then
 * gathered. */
enum { CLUSTERS_SHARD_MESSAGES = true };

/* RK_BAD_ARGUMENT: the GPUs or the samples are too many to look for their divisors. */
enum rk_status plans_check_counts(const struct rk_plans_problem *problem, struct rk_error *error);

struct rk_space *plans_open(const struct rk_plans_problem *problem, struct rk_error *error);

bool plans_plan_at(const struct rk_space *space, uint64_t index, struct rk_plan *plan);

static inline const struct rk_plans *plans_of(const struct rk_space *space)
{
    return (const struct rk_plans *)space;
}

void plans_close(struct rk_space *space);

/* Hashes all of a problem except model and system. */
void plans_mix_problem(uint64_t *hash, const struct rk_plans_problem *problem);

/* Plans that share everything outside bundles above `bundle`. */
static inline uint64_t plans_below(const struct layout *layout, enum plan_bundle bundle)
{
    uint64_t count = 1;
    for (int i = (int)bundle + 1; i < BUNDLES; i++)
        count *= layout->choices[i]->count;
    return count;
}

/* Sets the axes of the layout, or of tuple `i` of a bundle. */
void plans_set_layout(struct rk_plan *plan, const struct layout *layout);
void plans_set_choice(struct rk_plan *plan, const struct choices *choices, uint64_t i);

/* The value of an axis in tuple `i` of its bundle. */
static inline uint64_t choice_value(const struct choices *choices, uint64_t i,
                                    enum rk_plan_axis axis)
{
    return choices->value[i * (uint64_t)choices->axes + (uint64_t)((int)axis - choices->first)];
}

#endif
