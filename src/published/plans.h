/* published_plans.h - the published space as a space of plans: framework calculon. */
#ifndef RECKON_PUBLISHED_PLANS_H
#define RECKON_PUBLISHED_PLANS_H

#include "search/predictor.h"

/* NULL when there is no memory, or the published model has not what the problem pins. */
struct rk_space *published_plans_open(const struct rk_plans_problem *problem,
                                      struct rk_error *error);

bool published_plan_at(const struct rk_space *space, uint64_t index, struct rk_plan *plan);
void published_plan_predict(const struct rk_space *space, const struct rk_plan *plan,
                            struct outcome *to);

#endif
