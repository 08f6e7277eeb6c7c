/* plan_check.h - can a plan run at all, memory apart? What a checker of plans catches before
 * launch. Pure. */
#ifndef RECKON_ESTIMATE_PLAN_CHECK_H
#define RECKON_ESTIMATE_PLAN_CHECK_H

#include <reckon/plan.h>
#include <reckon/strategy.h>
#include <reckon/system.h>

/* The first reason, RK_FITS in reason->verdict when there is none. */
void plan_check(const struct rk_model *model, const struct rk_system *system,
                const struct rk_plan *plan, struct rk_reason *reason);

#endif
