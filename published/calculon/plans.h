/* plans.h - the published space as a space of plans: framework calculon (search/calculon.h). */
#ifndef RECKON_CALCULON_PLANS_H
#define RECKON_CALCULON_PLANS_H

#include "search/calculon.h"

bool published_plan_at(const struct rk_space *space, uint64_t index, struct rk_plan *plan);
void published_plan_predict(const struct rk_space *space, const struct rk_plan *plan,
                            struct outcome *to);

#endif
