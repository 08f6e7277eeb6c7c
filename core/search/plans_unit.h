/* plans_unit.h - the plans of a few groups, widths and kernels, composed of folded layers.
 *
 * A unit is what one thread takes at a time. It folds each of its layers for each recomputation,
 * sums them to stages for each way to deal them, and decides first whether the stages fit, then how
 * long a step takes: for all that has the same answer at once. docs/search.md has the method.
 */
#ifndef RECKON_SEARCH_PLANS_UNIT_H
#define RECKON_SEARCH_PLANS_UNIT_H

#include "search/plans_groups.h"
#include "search/visitor.h"

struct plan_unit {
    const struct plan_layers *layers; /* (count) */
    uint64_t count, plans;
};

struct plan_scratch; /* a thread's; opaque */

/* NULL when there is no memory. */
struct plan_scratch *plan_scratch_open(const struct rk_plans *plans);
void plan_scratch_close(struct plan_scratch *scratch);

void plan_unit_run(struct plan_scratch *scratch, const struct plan_unit *unit,
                   struct visitor *visitor);

#endif
