/* simulate.h - a step of a plan over clusters, event by event.
 *
 * Messages between two stages are part of the passes of the earlier one, half of them of forward
 * and half of backward; where the pipeline blocks, they are part of the later one's passes, too.
 * Work of a stage after its last microbatch counts as its optimizer's time.
 */
#ifndef RECKON_CLUSTERS_SIMULATE_H
#define RECKON_CLUSTERS_SIMULATE_H

#include "timeline/timeline.h"

struct clusters_plan;

/* The step; INFINITY: no memory. */
double clusters_simulate(const struct clusters_plan *plan);

/* What is simulated, with the memory of each stage; nothing of an estimate. The caller releases it,
 * whatever the status. */
enum rk_status clusters_timeline(const struct clusters_plan *plan, struct timeline_plan *timeline,
                                 struct rk_error *error);

#endif
