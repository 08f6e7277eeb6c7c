/* plans_run.h - one search on its way, and the ways there are. */
#ifndef RECKON_SEARCH_PLANS_RUN_H
#define RECKON_SEARCH_PLANS_RUN_H

#include "search/plans_space.h"
#include "search/topk.h"

/* One plan at a time through rk_predict. */
enum rk_status plans_twin(const struct rk_plans *plans, const struct rk_plans_options *options,
                          struct rk_plans_result *result, struct rk_error *error);

/* Pruned or exhaustive. */
enum rk_status plans_compose(const struct rk_plans *plans, const struct rk_plans_options *options,
                             struct rk_plans_result *result, struct rk_error *error);

#endif
