/* clusters_where.h - which plans over clusters count: a condition in the words of a search's, and
 * the values that axes may have.
 *
 * It holds of a plan if it holds of each of its stages: axes and bytes are the stage's, what is
 * said of the step is the plan's. Parts of it that read degrees and bytes alone choose the stages
 * that the search makes plans of, which stays exact for what asks for less memory; others are asked
 * of the plans that it simulates.
 */
#ifndef RECKON_SEARCH_CLUSTERS_WHERE_H
#define RECKON_SEARCH_CLUSTERS_WHERE_H

#include "clusters/search.h"

#include <reckon/plans.h>

struct clusters_where;

/* Of a question that is ready, which borrows it from then on: the condition (NULL: none), and the
 * values of axes that `problem` restricts stage by stage. RK_BAD_ARGUMENT when the condition is
 * wrong or reads what is not known over clusters. NULL in *where: no memory. */
enum rk_status clusters_where_open(struct clusters_where **where,
                                   struct clusters_question *question,
                                   const struct rk_plans_problem *problem, const char *text,
                                   struct rk_error *error);
void clusters_where_close(struct clusters_where *where); /* NULL is fine */

/* Is a part of it asked of simulated plans alone? */
bool clusters_where_is_late(const struct clusters_where *where);

/* Are several values of this axis a restriction of each stage by itself? Of others all stages have
 * one value. */
bool clusters_axis_is_of_stages(enum rk_plan_axis axis);

/* Does the restriction of an axis leave one value? */
bool clusters_pins_one(const struct rk_plans_problem *problem, enum rk_plan_axis axis);

#endif
