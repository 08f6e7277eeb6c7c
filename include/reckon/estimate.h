/* estimate.h - time and memory of one training step under one strategy.
 *
 * The model is [isaev2023] with the corrections listed in docs/model.md. Everything is pure:
 * no allocation, no files, no globals, no failure; safe to call from any number of threads.
 */
#ifndef RECKON_ESTIMATE_H
#define RECKON_ESTIMATE_H

#include <reckon/model.h>
#include <reckon/predict.h>
#include <reckon/strategy.h>
#include <reckon/system.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One result for both predictors: the figures of figures.def that are by CALCULON or BOTH. */
#define rk_estimate rk_outcome

/* Fills `estimate` and returns its verdict. All reasons for which the plan cannot run are listed
 * at once. Requires a checked model and system (as loaded by catalog.h). */
RK_API enum rk_verdict rk_estimate(const struct rk_model *model, const struct rk_system *system,
                                   const struct rk_strategy *strategy,
                                   struct rk_estimate *estimate);

/* ---- memory per tier ---- */

enum rk_category {
    RK_WEIGHTS,
    RK_ACTIVATIONS,
    RK_CHECKPOINTS,
    RK_ACTIVATION_GRADS,
    RK_WEIGHT_GRADS,
    RK_OPTIMIZER,
    RK_CATEGORIES
};

RK_API const char *rk_category_name(enum rk_category category);

/* Bytes of one category in one memory tier under the strategy that was estimated. */
RK_API double rk_tier_bytes(const struct rk_estimate *estimate, const struct rk_strategy *strategy,
                            int tier, enum rk_category category);

/* ---- operations of a block ---- */

enum { RK_MAX_OPERATIONS = 48 };

/* The operations of one block in order; returns how many were written to `operations`
 * (RK_MAX_OPERATIONS entries). Requires a strategy whose estimate is `timed`. */
RK_API int rk_block_operations(const struct rk_model *model, const struct rk_system *system,
                               const struct rk_strategy *strategy, struct rk_operation *operations);

#ifdef __cplusplus
}
#endif
#endif
