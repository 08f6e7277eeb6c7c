#include "estimate/plan_check.h"
#include "estimate/runs.h"

#include <reckon/predict.h>

void plan_check(const struct rk_model *model, const struct rk_system *system,
                const struct rk_plan *plan, struct rk_reason *reason)
{
    *reason = (struct rk_reason){.verdict = RK_FITS, .tier = -1};
    const unsigned all =
        ((1u << PLAN_CHECKS) - 1) & ~(unsigned)PLAN_STARTS & ~(1u << CHECK_KERNELS);
    if (plan_check_parts(model, system, plan, all, reason) == PLAN_CHECKS &&
        rk_plan_layout(plan)->segments)
        runs_check(model, system, plan, reason);
}

bool rk_plan_starts(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan, struct rk_reason *reason)
{
    plan_check(model, system, plan, reason);
    return reason->verdict == RK_FITS &&
           plan_check_parts(model, system, plan, PLAN_STARTS | 1u << CHECK_KERNELS, reason) ==
               PLAN_CHECKS;
}
