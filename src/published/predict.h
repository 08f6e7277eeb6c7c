/* predict.h - the published predictor: rk_predict for framework calculon. */
#ifndef RECKON_PUBLISHED_PREDICT_H
#define RECKON_PUBLISHED_PREDICT_H

#include <reckon/predict.h>

enum rk_verdict predict_published(const struct rk_model *model, const struct rk_system *system,
                                  const struct rk_plan *plan, struct rk_prediction *prediction);

/* As rk_predict_tier and rk_predict_operations. */
double published_tier(const struct rk_prediction *prediction, const struct rk_plan *plan, int tier,
                      double holds[RK_HOLDING_COUNT]);
int published_operations(const struct rk_model *model, const struct rk_system *system,
                         const struct rk_plan *plan, struct rk_operation *operations, int most);

#endif
