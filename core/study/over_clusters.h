/* over_clusters.h - points whose system is a machine of several clusters (machine.h): what may be
 * asked there, and what their plans have that others do not. */
#ifndef RECKON_STUDY_OVER_CLUSTERS_H
#define RECKON_STUDY_OVER_CLUSTERS_H

#include "study/study.h"
#include "text/document.h"

/* Can the point be asked, with its axes? `place` is where these stand. */
enum rk_status over_clusters_check(const struct place *place, const struct study *study,
                                   const struct study_point *point, struct rk_error *error);

/* What the point leaves of each cluster's memory. */
enum rk_status over_clusters_leave(const struct study_point *point,
                                   struct rk_plans_problem *problem, struct rk_error *error);

/* Fills row->over of the plans that were found. */
enum rk_status over_clusters_tell(const struct study *study, const struct study_point *point,
                                  const struct rk_plans_problem *problem, struct study_row *row,
                                  struct rk_error *error);

#endif
