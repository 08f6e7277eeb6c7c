/* clusters.h - rk_check_plan() of plans over several clusters. */
#ifndef RECKON_CHECK_CLUSTERS_H
#define RECKON_CHECK_CLUSTERS_H

#include <reckon/check.h>

/* Adds what is found; findings of a stage say which (struct rk_finding). Nothing without memory. */
void check_clusters(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan, const struct rk_launch *launch,
                    struct rk_findings *findings);

#endif
