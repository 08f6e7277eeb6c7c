/* layerwise_needs.h - where no mix of ways fits: how much of which memory would do. */
#ifndef RECKON_SEARCH_LAYERWISE_NEEDS_H
#define RECKON_SEARCH_LAYERWISE_NEEDS_H

#include "search/layerwise_shape.h"

/* Of an accelerator's memory, by tier, with the others as they are; INFINITY: no amount helps. */
struct needs {
    double bytes[1 + RK_SHARE_TIERS];
    bool lower; /* a way puts something into a lower memory that has an end */
};

/* Takes what a shape needs in too, which watches all lower memories then. shape.failed: no memory.
 */
void needs_add(struct needs *needs, struct shape *s);

/* RK_NOTHING_FITS, which memory is too small, and how much would do, also for plans whose layers
 * are alike. */
enum rk_status needs_fail(const struct needs *needs, const struct rk_plans_problem *problem,
                          struct rk_error *error);

#endif
