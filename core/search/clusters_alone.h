/* clusters_alone.h - the best plan of each cluster by itself, so that an answer over several is
 * never slower than one over fewer. */
#ifndef RECKON_SEARCH_CLUSTERS_ALONE_H
#define RECKON_SEARCH_CLUSTERS_ALONE_H

#include "search/clusters_space.h"

/* The best plan that a search of cluster `index` finds with what all stages of the question's plans
 * have in common, simulated as those are. False: it has none that counts, or there is no memory. */
bool clusters_alone(const struct clusters_space *space, const struct clusters_question *question,
                    int index, struct clusters_plan *plan);

#endif
