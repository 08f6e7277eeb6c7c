/* clusters_where.h - a condition on plans over clusters, in the words of a search's.
 *
 * It holds of a plan if it holds of each of its stages: axes and bytes are the stage's, what is
 * said of the step is the plan's. Parts of it that read degrees and bytes alone choose the stages
 * that the search makes plans of, which stays exact for what asks for less memory; others are asked
 * of the plans that it simulates.
 */
#ifndef RECKON_ADVISE_CLUSTERS_WHERE_H
#define RECKON_ADVISE_CLUSTERS_WHERE_H

#include "advise/clusters_input.h"

struct clusters_where;

/* Of a question that is ready, which borrows it from then on. RK_BAD_ARGUMENT when the condition is
 * wrong or reads what is not known over clusters. NULL in *where: no memory. */
enum rk_status clusters_where_open(struct clusters_where **where, struct clusters_input *input,
                                   const char *text, struct rk_error *error);
void clusters_where_close(struct clusters_where *where); /* NULL is fine */

/* Is a part of it asked of simulated plans alone? */
bool clusters_where_is_late(const struct clusters_where *where);

#endif
