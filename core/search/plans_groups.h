/* plans_groups.h - layouts whose plans have the same layers.
 *
 * What a layer costs depends on tensor, context and expert degrees, microbatch, width and kernels,
 * not on pipeline and data degree. Layouts that are alike in the former are a group for each
 * microbatch size: their layers are folded once.
 */
#ifndef RECKON_SEARCH_PLANS_GROUPS_H
#define RECKON_SEARCH_PLANS_GROUPS_H

#include "search/plans_stages.h"

/* One layout with one microbatch size. */
struct plan_member {
    const struct layout *layout;
    const struct stage_set *stages;
    uint64_t microbatch; /* index into its choices */
};

struct plan_group {
    const struct plan_member *member; /* (members) in the order of the space */
    uint32_t members;
    const struct choices *width, *kernels; /* of all members */
};

struct plan_groups {
    uint64_t members, count;
    struct plan_member *member; /* (members) by group */
    struct plan_group *group;   /* (count) */
};

/* False when there is no memory. */
bool plan_groups_open(struct plan_groups *groups, const struct rk_plans *plans,
                      const struct stage_sets *sets);
void plan_groups_close(struct plan_groups *groups);

/* Plans with the same layers. */
struct plan_layers {
    const struct plan_group *group;
    uint64_t width, kernels; /* indices into its choices */
    uint64_t hash;           /* those with the same hold much the same: see plan_units_list */
};

static inline uint64_t plan_layers_count(const struct plan_layers *layers)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < layers->group->members; i++)
        count += plans_below(layers->group->member[i].layout, BUNDLE_KERNELS);
    return count;
}

#endif
