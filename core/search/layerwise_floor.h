/* layerwise_floor.h - lower bounds of the predicted time and memory of all plans of a shape.
 *
 * rk_predict adds up most of what layers take, but not all: a run of layers overlaps its
 * communication with its own computation and that of an adjacent embedding or head; only the
 * largest working memory counts; stages wait for each other. So for each way to run a layer there
 * is a floor: the least that one layer more adds to a run, as short or as long as it may be. The
 * relaxation of stages.h over these floors, with no costs between layouts and embedding and head in
 * any way, says what the stages take at least; from that follows the step.
 *
 * When a fraction f of the exposed communication is counted, the same fraction of the slack is
 * deducted, which is the computation of embedding and head that may overlap with other runs'
 * communication: min over mixes of max(0, waits - slack) is the largest over f of min (f waits) - f
 * slack. Some f are tried.
 *
 * Of stages with times c_k, S in all and M the longest, 1F1B of m microbatches over p stages takes
 * at least c_k for each microbatch, the stages before it once, and the part of later stages that
 * its own passes do not cover (pace.h). Weighted means of that over k: (m + p - 1) / p S where m >=
 * p + 2; and m M + max(0, S - (p + 1) / 2 M) where m >= p.
 */
#ifndef RECKON_SEARCH_LAYERWISE_FLOOR_H
#define RECKON_SEARCH_LAYERWISE_FLOOR_H

#include "search/layerwise_shape.h"

/* The least that a layer of one kind adds in one way. */
struct layer_floor {
    double fixed_bytes, flight_bytes, moment_bytes;
    double pass_s;      /* of a microbatch; INFINITY: not possible */
    double wait_s;      /* ... of it exposed */
    double end_s;       /* after the last microbatch */
    double end_wait_s;  /* ... of it exposed */
    double slack_s;     /* of an end: what its computing may hide of others' waits */
    double end_slack_s; /* ... after the last microbatch */
};

/* Of all ways of a shape, before any is left out. */
struct floors {
    struct layer_floor *of; /* (kinds, ways) */
    double constant_bytes;  /* of a stage, whatever its layers */
    double send_s;
    bool unknown; /* weights are offloaded, which hides in many ways: nothing is said */
};

/* One way that is being priced. */
struct meter {
    const struct shape *shape;
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan;
    const struct layer_folds *fold;
    struct sharing sharing;
    struct memory_rule rule;
};

void floor_of_way(struct floors *floors, const struct meter *m, int way);

/* No plan of the shape is predicted to take less in its machine's memory. INFINITY: none fits. NAN:
 * no memory. */
double floors_step_s(const struct floors *floors, const struct shape *s);

#endif
