/* strategy.h - a strategy of the published model as a plan. */
#ifndef RECKON_PLAN_STRATEGY_H
#define RECKON_PLAN_STRATEGY_H

#include <reckon/plan.h>
#include <reckon/strategy.h>

/* The plan that a strategy is; its framework is RK_CALCULON. */
void plan_of_strategy(const struct rk_strategy *strategy, struct rk_plan *plan);

#endif
