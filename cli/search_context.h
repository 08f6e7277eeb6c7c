/* search_context.h - context parallelism, which the space of trainers leaves out. */
#ifndef RECKON_CLI_SEARCH_CONTEXT_H
#define RECKON_CLI_SEARCH_CONTEXT_H

#include "report/report.h"
#include <reckon/advise.h>

/* Has the space data-parallel ranks alone, because files of trainers say no others? */
bool search_is_of_data(const struct rk_plans_problem *problem);

/* "  not in the default space: cp2 fits without offload, 69.19 s per step, P(fits) 77 %"; NULL:
 * nothing is left out, or none of it leaves `room`, the share of memory that a plan may take. */
const char *search_context_text(struct report *report, const struct rk_plans_problem *problem,
                                double room);

#endif
