/* plans_unit.h - all plans of one layout and microbatch size, composed of folded layers.
 *
 * A unit is what one thread takes at a time. It folds the layers for each width, kernel and
 * recomputation, sums them to stages for each division, and for each sharding and offload decides
 * first whether the stages fit, then how long a step takes.
 */
#ifndef RECKON_SEARCH_PLANS_UNIT_H
#define RECKON_SEARCH_PLANS_UNIT_H

#include "search/plans_stages.h"
#include "search/visitor.h"

struct plan_unit {
    const struct layout *layout;
    const struct stage_set *stages;
    uint64_t microbatch; /* index into its choices */
};

struct plan_scratch; /* a thread's; opaque */

/* NULL when there is no memory. */
struct plan_scratch *plan_scratch_open(const struct rk_plans *plans);
void plan_scratch_close(struct plan_scratch *scratch);

void plan_unit_run(struct plan_scratch *scratch, const struct plan_unit *unit,
                   struct visitor *visitor);

static inline uint64_t plan_unit_count(const struct plan_unit *unit)
{
    return plans_below(unit->layout, BUNDLE_MICROBATCH);
}

#endif
