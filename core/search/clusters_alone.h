/* clusters_alone.h - the best plan of each cluster by itself: with what all stages of plans over
 * several have in common, a candidate among them; with all that a search of it tries, what they
 * are compared with. */
#ifndef RECKON_SEARCH_CLUSTERS_ALONE_H
#define RECKON_SEARCH_CLUSTERS_ALONE_H

#include "search/clusters_space.h"

/* The best plan that a search of cluster `index` finds with what all stages of the question's plans
 * have in common, simulated as those are. False: it has none that counts, or there is no memory. */
bool clusters_alone(const struct clusters_space *space, const struct clusters_question *question,
                    int index, struct clusters_plan *plan);

/* The best of all plans of that cluster, as a search of it answers, and its step; INFINITY: none.
 */
double clusters_alone_best(const struct clusters_space *space, int index, struct rk_plan *plan);

#endif
