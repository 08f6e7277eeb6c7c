/* over_clusters.h - points whose system is a machine of several clusters (machine.h): what may be
 * asked there, and their search, which is that of clusters/search.h. */
#ifndef RECKON_STUDY_OVER_CLUSTERS_H
#define RECKON_STUDY_OVER_CLUSTERS_H

#include "study/study.h"
#include "text/document.h"

/* Accelerators of all clusters. */
uint64_t over_clusters_gpus(const struct rk_machine *machine);

/* Can the point be asked, with its axes? `place` is where these stand. */
enum rk_status over_clusters_check(const struct place *place, const struct study *study,
                                   const struct study_point *point, struct rk_error *error);

/* The best point->top of the plans that were simulated, or fewer; none where nothing fits. On one
 * thread. RK_INTERRUPTED when `stopped` says so. */
enum rk_status over_clusters_search(const struct study *study, const struct study_point *point,
                                    bool (*stopped)(void *context), void *context,
                                    struct study_row *row, struct rk_error *error);

#endif
