/* timeline.h - the durations of a strategy's passes. */
#ifndef RECKON_CALCULON_TIMELINE_H
#define RECKON_CALCULON_TIMELINE_H

#include "calculon/estimate.h"
#include "timeline/timeline.h"

/* Interleaved 1F1B where the strategy interleaves, else 1F1B; messages as the estimate's. */
struct timeline_options timeline_options_of(const struct rk_strategy *strategy);

/* RK_BAD_ARGUMENT when the schedule does not fit the strategy or is too long. `estimate` is that of
 * the three, and timed. */
enum rk_status timeline_plan_of(struct timeline_plan *plan, const struct rk_model *model,
                                const struct rk_system *system, const struct rk_strategy *strategy,
                                const struct rk_estimate *estimate,
                                const struct timeline_options *options, struct rk_error *error);

#endif
