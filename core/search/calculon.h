/* calculon.h - the Calculon model as a predictor of the search: what framework calculon asks for.
 * published/calculon has it; core/unpublished refuses it by name where that folder is not built.
 */
#ifndef RECKON_SEARCH_CALCULON_H
#define RECKON_SEARCH_CALCULON_H

#include "search/predictor.h"
#include <reckon/predict.h>

/* NULL when there is no memory, or the Calculon model lacks what the problem pins. */
struct rk_space *published_plans_open(const struct rk_plans_problem *problem,
                                      struct rk_error *error);

enum rk_verdict predict_published(const struct rk_model *model, const struct rk_system *system,
                                  const struct rk_plan *plan, struct rk_prediction *prediction);

/* As rk_predict_tier and rk_predict_operations. */
double published_tier(const struct rk_prediction *prediction, const struct rk_plan *plan, int tier,
                      double holds[RK_HOLDING_COUNT]);
int published_operations(const struct rk_model *model, const struct rk_system *system,
                         const struct rk_plan *plan, struct rk_operation *operations, int most);

#endif
