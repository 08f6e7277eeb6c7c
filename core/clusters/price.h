/* price.h - what a step costs: GPU-hours, and bytes over links between clusters. */
#ifndef RECKON_CLUSTERS_PRICE_H
#define RECKON_CLUSTERS_PRICE_H

#include "clusters/plan.h"

/* USD of a step: GPU-hours, bytes over links. NAN: no price is known. */
double clusters_price(const struct rk_machine *machine, const struct clusters_plan *plan);

/* ... of it for bytes over links; 0: they cost nothing. */
double clusters_link_price(const struct rk_machine *machine, const struct clusters_plan *plan);

#endif
