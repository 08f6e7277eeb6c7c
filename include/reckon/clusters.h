/* clusters.h - the best plan over the clusters of a system (machine.h).
 *
 * Its pipeline runs through clusters of unequal accelerators and networks: each stage has its
 * clusters, layers, degrees, recomputation and offload, as rk_layout says them, and rk_predict()
 * tells what they take. docs/clusters.md. Thread-safe.
 */
#ifndef RECKON_CLUSTERS_H
#define RECKON_CLUSTERS_H

#include <reckon/machine.h>
#include <reckon/model.h>
#include <reckon/plan.h>
#include <reckon/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The best plan by event simulation. The search is exact for its objective,
 * sum of c + (m - 1) max c + what is waited for at the end, of which no plan has less than
 * `bound_s` (NULL: nobody asks). `system` is of several clusters; `words` hold for all stages and
 * name the batch: "gbs512 tp8 precision=bf16", reckon-clusters(1). RK_NOTHING_FITS: `error` says
 * why. */
RK_API enum rk_status rk_clusters_search(const struct rk_model *model,
                                         const struct rk_system *system, const char *words,
                                         struct rk_plan *plan, double *bound_s,
                                         struct rk_error *error);

#ifdef __cplusplus
}
#endif
#endif
