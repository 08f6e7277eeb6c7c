/* kept.h - the best of many plans over clusters, each once. */
#ifndef RECKON_CLUSTERS_KEPT_H
#define RECKON_CLUSTERS_KEPT_H

#include "clusters/plan.h"

/* By simulated_s; of two as fast, the one that came first. */
struct clusters_kept {
    int most, count;
    bool of_outlines; /* of plans with as many samples at a time and stages on the same clusters,
                         in their order, the best stays */
    struct clusters_plan **plan; /* (count) owned */
    bool dropped;                /* some that were slower than the `most` best */
};
void clusters_kept_release(struct clusters_kept *kept); /* a zeroed one is fine */

/* Plans that run alike: round, layers, and degrees and choices of each stage. */
bool clusters_same(const struct clusters_plan *a, const struct clusters_plan *b);

/* Of plans that run alike the faster one stays. False: no memory. */
bool clusters_keep(struct clusters_kept *kept, const struct clusters_plan *plan);

#endif
