/* plans_empty.h - why a space has no plans: the first restriction that leaves no value. */
#ifndef RECKON_SEARCH_PLANS_EMPTY_H
#define RECKON_SEARCH_PLANS_EMPTY_H

#include <reckon/plans.h>

enum { PLANS_EMPTY_TEXT = 512 };

/* "pipeline 2: with tensor 8 the space has pipeline 1". False: it is not a restriction of an axis.
 */
bool plans_empty(const struct rk_plans_problem *problem, char text[PLANS_EMPTY_TEXT]);

#endif
