/* train.h - one rank of a run, over any back end of messages; threads are <reckon/train.h>'s. */
#ifndef RECKON_RUN_TRAIN_H
#define RECKON_RUN_TRAIN_H

#include "run/comm.h"

#include <reckon/train.h>

/* comm->ranks must be the plan's. All ranks call it, with the same arguments; `result` counts this
 * rank's parts. */
enum rk_status train_rank(const struct rk_model *model, const struct rk_plan *plan,
                          const struct rk_train *train, const struct rk_train_run *run,
                          struct comm *comm, struct rk_train_result *result,
                          struct rk_error *error);

/* The same of rk_score_threads. */
enum rk_status score_rank(const struct rk_model *model, const struct rk_plan *plan,
                          const struct rk_train *train, const struct rk_score *score,
                          struct comm *comm, struct rk_token_score *scores, struct rk_error *error);

#endif
