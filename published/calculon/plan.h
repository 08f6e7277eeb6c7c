/* plan.h - a plan as the Calculon model sees it. */
#ifndef RECKON_CALCULON_PLAN_H
#define RECKON_CALCULON_PLAN_H

#include "calculon/strategy.h"

/* False, with a reason, when the plan asks for something that the Calculon model does not have.
 * Networks that the plan leaves open are the innermost ones that their ranks fit on. */
bool strategy_of_plan(const struct rk_plan *plan, const struct rk_system *system,
                      struct rk_strategy *strategy, struct rk_reason *reason);

#endif
