/* found.h - what the chain's solver found, as a plan over clusters. */
#ifndef RECKON_CLUSTERS_FOUND_H
#define RECKON_CLUSTERS_FOUND_H

#include "clusters/plan.h"

/* The stages of an answer; `order` names the clusters of the problem. simulated_s is INFINITY. */
void clusters_found_plan(struct clusters_plan *plan, const struct clusters_costs *costs,
                         const struct chain_problem *problem, const int *order,
                         const struct chain_answer *answer);

/* What is not needed to choose: memory, work, what is sent. */
void clusters_found_details(struct clusters_plan *plan, const struct clusters_costs *costs,
                            const struct chain_problem *problem, const int *order,
                            const struct chain_answer *answer);

#endif
