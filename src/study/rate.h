/* rate.h - a search that ranks by samples per second.
 *
 * rk_search ranks by the time of a step. Where data degrees differ in their batch (the largest
 * multiple of the degree up to the maximum) the shortest step may be a small one. So degrees with
 * the same batch are searched together, and what is best of each is merged by time per sample.
 */
#ifndef RECKON_STUDY_RATE_H
#define RECKON_STUDY_RATE_H

#include <reckon/search.h>

struct rate_best {
    double sample_s;   /* step time over batch */
    uint64_t position; /* in the enumeration of the whole problem */
    struct rk_strategy strategy;
};

struct rate_result {
    struct rk_search_counts counts;
    struct rk_search_explain explain;
    uint64_t found;
    struct rate_best *best; /* (found) by sample_s, then position; the caller frees it */
    bool complete;
};

/* `options` as for rk_search; `top` counts. */
enum rk_status rate_search(const struct rk_problem *problem,
                           const struct rk_search_options *options, struct rate_result *result,
                           struct rk_error *error);

#endif
