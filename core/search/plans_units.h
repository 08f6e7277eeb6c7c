/* plans_units.h - the units of the space of plans, as in struct predictor. */
#ifndef RECKON_SEARCH_PLANS_UNITS_H
#define RECKON_SEARCH_PLANS_UNITS_H

#include "search/predictor.h"

struct units *plan_units_open(const struct rk_space *space);
void plan_units_close(struct units *units);
bool plan_units_begin(struct units *units, int part);
void plan_units_prepare(struct units *units, int job);
bool plan_units_list(struct units *units);
void plan_unit_bound(struct units *units, int unit);
void plan_units_sort(struct units *units);
void plan_units_sort_round(struct units *units, int first, int count);
void plan_unit_of_units_run(const struct units *units, int unit, void *scratch,
                            struct visitor *visitor);

#endif
