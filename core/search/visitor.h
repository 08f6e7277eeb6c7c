/* visitor.h - what a unit of a search tells of the plans it times, whatever composes them. */
#ifndef RECKON_SEARCH_VISITOR_H
#define RECKON_SEARCH_VISITOR_H

#include <math.h>
#include <reckon/search.h>

/* Plans whose time was computed together. */
struct batch {
    int lanes;
    double samples;       /* of a step, of each of them */
    const double *step_s; /* (lanes) infinite where a plan is refused */
    const double *hbm_bytes,
        *lower_bytes;              /* (lanes) with visitor.needs; NaN: not without a prediction */
    const struct rk_outcome *work; /* (lanes) with visitor.works: mfu and its like; NULL: not
                                      without a prediction */
    uint64_t (*index)(const struct batch *batch, int lane); /* in the space */
};

/* Plans beyond these are not wanted: they may be skipped, and told, too. */
struct limits {
    double longest_s, most_bytes; /* of a step; of tier 0 */
    double least_mfu;
};

#define NO_LIMITS                                                                                  \
    (struct limits)                                                                                \
    {                                                                                              \
        INFINITY, INFINITY, 0                                                                      \
    }

/* Whoever runs a unit. */
struct visitor {
    bool needs;   /* batches carry what their plans need of memory */
    bool works;   /* ... and what share of the peak their plans reach, where that is known */
    bool prune;   /* skip what a bound excludes */
    double least; /* samples per second that are wanted; 0: all that fits */
    struct limits limits;
    /* Sees each batch that may have such plans, `hits` of them that are not refused at most (a few
     * slower ones can be among them); may raise `least`. */
    void (*batch)(struct visitor *visitor, const struct batch *batch, int hits);
    struct rk_search_counts *counts; /* what became of the plans is added */
    struct rk_search_explain *explain;
};

#endif
