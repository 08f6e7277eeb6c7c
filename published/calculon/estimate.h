/* estimate.h - time and memory of one training step under one strategy.
 *
 * The model is [isaev2023] with the corrections listed in docs/model.md. Everything is pure:
 * no allocation, no files, no globals, no failure; safe to call from any number of threads.
 */
#ifndef RECKON_CALCULON_ESTIMATE_H
#define RECKON_CALCULON_ESTIMATE_H

#include "calculon/result.h"
#include "calculon/strategy.h"
#include <reckon/predict.h>

/* Fills `estimate` and returns its verdict. All reasons for which the plan cannot run are listed
 * at once. Requires a checked model and system (as loaded by catalog.h). */
enum rk_verdict rk_estimate(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_strategy *strategy, struct rk_estimate *estimate);

/* ---- memory per tier ---- */

/* Bytes of one category in one memory tier under the strategy that was estimated. */
double rk_tier_bytes(const struct rk_estimate *estimate, const struct rk_strategy *strategy,
                     int tier, enum rk_category category);

/* ---- operations of a block ---- */

/* The operations of one block in order; returns how many were written to `operations`
 * (RK_MAX_OPERATIONS entries). Requires a strategy whose estimate is `timed`. */
int rk_block_operations(const struct rk_model *model, const struct rk_system *system,
                        const struct rk_strategy *strategy, struct rk_operation *operations);

#endif
