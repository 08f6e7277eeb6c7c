/* plan_check.h - can a plan run at all, memory apart: the rules that a prediction asks. Pure. */
#ifndef RECKON_ESTIMATE_PLAN_CHECK_H
#define RECKON_ESTIMATE_PLAN_CHECK_H

#include "rules/rules.h"

/* The first reason but PLAN_STARTS and CHECK_KERNELS, which rk_predict() asks (stages of several
 * clusters have one kernel on all), RK_FITS in reason->verdict when there is none. */
void plan_check(const struct rk_model *model, const struct rk_system *system,
                const struct rk_plan *plan, struct rk_reason *reason);

#endif
