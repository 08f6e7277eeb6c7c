/* clusters_best.h - the best plan over the clusters of a system, for who has words of a plan and
 * asks no more of the search. */
#ifndef RECKON_ADVISE_CLUSTERS_BEST_H
#define RECKON_ADVISE_CLUSTERS_BEST_H

#include <reckon/machine.h>
#include <reckon/predict.h>

/* `words`: what all stages have, and the batch; their degrees, recomputation and offload do not
 * count. `usable_bytes` of each cluster's memory may be filled (0: all); where no plan leaves the
 * rest, `full`. RK_NOTHING_FITS: `error` says why. */
enum rk_status clusters_best(const struct rk_model *model, const struct rk_system *system,
                             const struct rk_plan *words, const double *usable_bytes,
                             struct rk_plan *plan, bool *full, struct rk_error *error);

#endif
