/* layerwise_query.h - what the search for the best mix of layers is asked, and what it answers. */
#ifndef RECKON_SEARCH_LAYERWISE_QUERY_H
#define RECKON_SEARCH_LAYERWISE_QUERY_H

#include "search/predictor.h"

struct layerwise_counts {
    uint64_t shapes;   /* stages and samples in flight */
    uint64_t excluded; /* ... of which a bound says that they are slower than what is found */
    uint64_t unfit;    /* ... in which nothing fits */
    uint64_t ways;     /* to run a layer, of all shapes */
    uint64_t labels;
    uint64_t judged; /* mixes, by the predictor */
};

struct layerwise_query {
    const struct rk_plans_problem *problem; /* the schedule is 1f1b */
    double usable_bytes; /* that a plan takes at most of the first memory, unless none takes so
                            little; 0: all of it */
    bool (*launches)(const struct rk_model *model, const struct rk_system *system,
                     const struct rk_plan *plan); /* what cannot be is no answer; NULL: all can */
    int threads;                                  /* 0: all cores */
    bool (*stop)(void *context);                  /* asked between shapes; NULL: never */
    void *context;
};

struct layerwise_answer {
    bool found, mixed; /* mixed: no plan whose layers are alike is as fast */
    bool fills;        /* no plan leaves as much as usable_bytes asks for */
    struct rk_plan plan;
    struct rk_plan dealt; /* without its virtual stages: each stage's layers side by side */
    struct rk_prediction prediction;
    double bound_s;   /* no plan that is tried is predicted to take less */
    double floor_s;   /* ... no mix: bound_s is the lesser of that and the step */
    double value_s;   /* the surrogate of `plan`; 0: its layers are alike */
    double walk_s;    /* that of the walk between balanced extremes; 0: none */
    double uniform_s; /* the best step of plans whose layers are alike; 0: none fits */
    double any_s;     /* ... of all of these, interleaved ones too */
    struct layerwise_counts counts;
    bool complete; /* false: stopped */
};

/* The plan with `chunks` virtual stages on each rank: each stage keeps its layers' ways, in their
 * order, dealt to its virtual stages as evenly as it goes; it refers to `layout`. False where a
 * plan cannot say it, or there is nothing to interleave. */
bool layerwise_interleave(const struct rk_plan *plan, const struct rk_model *model, uint64_t chunks,
                          struct rk_plan *to, struct rk_layout *layout);

#endif
