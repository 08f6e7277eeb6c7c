/* mixed.h - the best stage that is the whole model and has replicas on several clusters: data
 * parallelism over unequal accelerators, shares of the samples by speed.
 *
 * Every set of clusters with all their nodes, every number of samples of a round that divides the
 * batch, one tensor and context degree and one mode of recomputation for all replicas, as their
 * gradients are reduced shard by shard; each is judged (given.h), nothing is left out by a bound
 * but what has no memory for one sample. Pure but for its memory.
 */
#ifndef RECKON_CLUSTERS_MIXED_H
#define RECKON_CLUSTERS_MIXED_H

#include "clusters/plan.h"

/* best->value_s and simulated_s INFINITY: none fits. False: no memory. */
bool clusters_mixed_search(const struct clusters_question *question, struct clusters_plan *best);

#endif
