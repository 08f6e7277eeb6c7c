/* networks.h - which networks the parallelisms of a group can run on. */
#ifndef RECKON_CALCULON_NETWORKS_H
#define RECKON_CALCULON_NETWORKS_H

#include "calculon/space.h"

/* Is every tier large enough, and filled? If not, the first verdict and its tier go to `verdict`
 * and `tier`, which may be NULL. */
bool networks_allowed(const struct rk_problem *problem, const struct group *group, uint64_t tensor,
                      uint64_t pipeline, uint64_t data, enum rk_verdict *verdict, int *tier);

/* Counts the strategies of a group that a network refuses. */
void group_count_networks(const struct strategies *space, const struct group *group,
                          struct rk_search_counts *counts, struct rk_search_explain *explain);

/* (tensor, pipeline, data) networks that no tier refuses; without any, a group has no units. */
uint64_t group_allowed_networks(const struct rk_problem *problem, const struct group *group);

#endif
