/* predictor.h - what the search knows of a model of training steps: its axes, its figures, its
 * space of plans as a list, and how it goes through that list in units.
 *
 * engine.c, question.c, twin.c and state.c see only this. There are two: the Calculon model
 * (published/calculon/predictor.c) and the detailed model (plans.c). The detailed model has a
 * search of its own for spaces over several clusters (clusters_space.h).
 */
#ifndef RECKON_SEARCH_PREDICTOR_H
#define RECKON_SEARCH_PREDICTOR_H

#include "search/visitor.h"
#include <reckon/plans.h>

enum { MAX_FIGURES = 160 };

/* What is predicted of one plan. */
struct outcome {
    enum rk_verdict verdict;
    int tier;                   /* that it names; 0: none */
    double figure[MAX_FIGURES]; /* in the order of rk_figures() */
};

void outcome_of(const struct rk_outcome *predicted, struct outcome *outcome);

/* Head of a predictor's own space. */
struct rk_space {
    const struct predictor *predictor;
    const struct rk_model *model;
    const struct rk_system *system;
    uint64_t sequence; /* tokens that a sample trains on */
    uint64_t count;    /* plans */
};

/* Head of a predictor's own list of units. They are made and gone through part by part, so that the
 * tables that they read stay within a budget; nearly all problems have one part. */
struct units {
    int parts;
    int jobs;  /* of the part at hand: tables to prepare */
    int count; /* of the part at hand: units, once they are listed; the most promising first */
};

struct predictor {
    const char *name;
    enum rk_by by;

    int axes;
    const char *(*axis_name)(int axis);
    /* Values that have names, ended by NULL; NULL: an axis of numbers. */
    const char *const *(*axis_words)(int axis);
    bool (*axis_parse)(int axis, const char *word, uint64_t *value);
    uint64_t (*axis_get)(const struct rk_plan *plan, int axis);
    uint64_t (*batch)(const struct rk_plan *plan);

    void (*predict)(const struct rk_space *space, const struct rk_plan *plan, struct outcome *to);

    void (*close)(struct rk_space *space);
    /* False when the plan repeats one before it. */
    bool (*plan_at)(const struct rk_space *space, uint64_t index, struct rk_plan *plan);
    /* Hashes all that answers depend on, except model and system. */
    void (*fingerprint)(const struct rk_space *space, uint64_t *hash);

    /* Answers by a search of its own that no list of units is: what follows is not called then.
     * NULL: the units are gone through. */
    enum rk_status (*ask)(const struct rk_space *space, const struct rk_query *query,
                          struct rk_answer *answer, struct rk_error *error);

    /* A part is prepared in steps, those with a job or a unit by any number of threads: begin;
     * prepare every job; list; bound every unit; sort. False and NULL when there is no memory. */
    struct units *(*units_open)(const struct rk_space *space);
    void (*units_close)(struct units *units);
    bool (*units_begin)(struct units *units, int part);
    void (*units_prepare)(struct units *units, int job);
    bool (*units_list)(struct units *units);
    void (*unit_bound)(struct units *units, int unit);
    void (*units_sort)(struct units *units);
    /* Within a round the large units come first, so that threads end it together. */
    void (*units_sort_round)(struct units *units, int first, int count);

    void *(*scratch_open)(const struct rk_space *space); /* a thread's; NULL: no memory */
    void (*scratch_close)(void *scratch);
    void (*unit_run)(const struct units *units, int unit, void *scratch, struct visitor *visitor);
    /* Adds the plans that no unit has. */
    void (*count_rest)(const struct rk_space *space, struct rk_search_counts *counts,
                       struct rk_search_explain *explain);
};

/* The Calculon model, of framework calculon, and that of all others. */
extern const struct predictor calculon_predictor, plans_predictor;

/* The detailed model over several clusters: clusters_space.h. */
extern const struct predictor clusters_predictor;

static inline const struct predictor *predictor_of(enum rk_framework framework)
{
    return rk_answerer(framework)->by == RK_BY_CALCULON ? &calculon_predictor : &plans_predictor;
}

#endif
