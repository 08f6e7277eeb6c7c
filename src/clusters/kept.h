/* kept.h - the best of many plans over clusters, each once. */
#ifndef RECKON_CLUSTERS_KEPT_H
#define RECKON_CLUSTERS_KEPT_H

#include "clusters/search.h"

/* By simulated_s; of two as fast, the one that came first. */
struct clusters_kept {
    int most, count;
    struct clusters_plan *plan; /* (most) of the caller; NULL with most 0 */
};

/* Plans that run alike: round, layers, and degrees and choices of each stage. */
bool clusters_same(const struct clusters_plan *a, const struct clusters_plan *b);

/* Of plans that run alike the faster one stays. */
void clusters_keep(struct clusters_kept *kept, const struct clusters_plan *plan);

#endif
