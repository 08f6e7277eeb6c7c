/* layerwise.h - the best plan in which each layer may be run in its own way.
 *
 * For each number of stages and of samples in flight a way to run a layer combines values that the
 * search of plans offers for tensor and context degree, kind of context parallelism (Ulysses is
 * one), precision, ZeRO, recomputation and offloaded activations (in quarters); everything else is
 * as in the best plan with that many stages and uniform layers. The data degree follows. Each way
 * is folded and priced as rk_predict prices a stage of uniform layers; stages.h finds the best
 * split and mix of them. Its surrogate leaves out everything that is not a sum over layers, so
 * rk_predict checks each answer, and memory that the surrogate missed is deducted before the next
 * try. With v virtual stages on a rank the step is sum / v + (m - 1/v) max: that of v m
 * microbatches whose stages take a v-th, with as much in flight as interleaving has.
 */
#ifndef RECKON_SEARCH_LAYERWISE_H
#define RECKON_SEARCH_LAYERWISE_H

#include "search/layerwise_query.h"
#include <reckon/plans.h>

/* RK_NOTHING_FITS, RK_BAD_ARGUMENT (framework calculon), RK_IO. */
enum rk_status layerwise_search(const struct layerwise_query *query,
                                struct layerwise_answer *answer, struct rk_error *error);

/* ---- memory and time of a stage ---- */

enum { LAYERWISE_MOST_PARTS = 8 };

struct layerwise_part {
    int layers;
    struct rk_local local;
};

/* The layers of a stage in another mix: with so many bytes no mix is faster. */
struct layerwise_point {
    int stage;
    double bytes;  /* of the stage, by the surrogate */
    double time_s; /* of a microbatch, with its share of stage 0's work after the last one */
    int parts;
    struct layerwise_part part[LAYERWISE_MOST_PARTS]; /* (parts) blocks that are run alike */
};
typedef void layerwise_visit(void *context, const struct layerwise_point *point);

/* The front of bytes and time of each stage of a plan without virtual stages (`chunks` are what it
 * is run with), its layers where they are: by stage, then
 * rising bytes, at most `most` points of each, the first and the last one among them. RK_IO. */
enum rk_status layerwise_fronts(const struct rk_plans_problem *problem, const struct rk_plan *plan,
                                uint64_t chunks, int most, layerwise_visit *visit, void *context,
                                struct rk_error *error);

/* The plan as the layers of local part `local` see it; 0: its own. */
struct rk_plan layerwise_run(const struct rk_plan *plan, int local);

#endif
