/* predict.h - the detailed model: rk_predict for every framework but calculon. */
#ifndef RECKON_ESTIMATE_PREDICT_H
#define RECKON_ESTIMATE_PREDICT_H

#include "estimate/stages.h"

#include <reckon/predict.h>

enum rk_verdict predict_layers(const struct rk_model *model, const struct rk_system *system,
                               const struct rk_plan *plan, struct rk_prediction *prediction);

/* As rk_predict_tier and rk_predict_operations. */
double layers_tier(const struct rk_prediction *prediction, const struct rk_plan *plan, int tier,
                   double holds[RK_HOLDING_COUNT]);
int layers_operations(const struct rk_model *model, const struct rk_system *system,
                      const struct rk_plan *plan, struct rk_operation *operations, int most);

/* Adds the work of a stage on a microbatch, `times` times, for all its ranks and microbatches. */
void work_add(struct rk_outcome *outcome, const struct stage_sum *sum, double times,
              const struct rk_plan *plan);

/* On how many ranks a stage does that for each microbatch of theirs, times microbatches. */
double work_times(const struct rk_plan *plan);

/* FLOP per second of all ranks, in the precision of the products. */
double plan_peak_flops(const struct rk_system *system, const struct rk_plan *plan);

/* The shares that the FLOP added up are of what the peaks of all ranks give in the step. */
void work_rates(struct rk_outcome *outcome, double peak_flops);

#endif
