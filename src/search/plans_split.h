/* plans_split.h - stages that are balanced by time.
 *
 * Blocks, in model order, are dealt to the virtual stages of a pipeline so that the slowest of them
 * is as fast as it can be; embedding and head are on the first and the last one. Of all such splits
 * it is one that is as even as that allows.
 */
#ifndef RECKON_SEARCH_PLANS_SPLIT_H
#define RECKON_SEARCH_PLANS_SPLIT_H

#include "estimate/fold.h"
#include <reckon/plans.h>

/* Deals items of cost[0] ... cost[items - 1] to `stages` stages; head and tail are added to the
 * first and the last one. Costs are at least 0, stages at least 1. Returns the cost of the slowest
 * stage. */
double split_balanced(uint16_t *split, int stages, const double *cost, int items, double head,
                      double tail);

/* Sets plan->split. Requires a plan that plan_check accepts, and its fold. */
void plan_balance(struct rk_plan *plan, const struct rk_model *model,
                  const struct layer_folds *fold);

/* Is the balanced split of `plan` one of the others, which the problem has too? */
bool plan_repeats(const struct rk_plan *plan, const struct rk_plans_problem *problem);

/* Both, folding the layers itself; a plan that cannot run keeps the even split. False when the plan
 * repeats another one. */
bool plans_balance(struct rk_plan *plan, const struct rk_plans_problem *problem);

#endif
