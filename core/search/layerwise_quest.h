/* layerwise_quest.h - the search for the best mix of layers under way: what was found, and mixes
 * that are judged. */
#ifndef RECKON_SEARCH_LAYERWISE_QUEST_H
#define RECKON_SEARCH_LAYERWISE_QUEST_H

#include "search/layerwise_climb.h"
#include "search/layerwise_needs.h"
#include "search/layerwise_query.h"
#include "search/layerwise_shape.h"

enum { RETRIES = 5, OVERLAPS = 4 }; /* yes and no of two choices */

/* The surrogate may exceed the prediction by this share. */
#define SURROGATE_SLACK 1.005

/* Mixes that are judged around those that the surrogate finds: of a shape, of all. */
enum { MOST_AROUND = 3000, MOST_JUDGED = 30000, MOST_STARTS = 6 };

/* A mix that is slower than the best one known by this factor is not expected to lead to a better
 * one. */
#define FAR 1.15

/* The surrogate's bound is none of the prediction, which was seen 0.004 % below it (seed 8 of
 * test_layerwise_oracle): shapes whose bound is up to 2 % above the best step are looked at, too.
 */
#define NEAR 1.02

struct quest {
    const struct layerwise_query *query;        /* of plans without virtual stages */
    const struct rk_plans_problem *interleaved; /* as it was asked */
    struct layerwise_answer *answer;
    double least_s;                  /* predicted, of what is found */
    struct rk_prediction prediction; /* of the plan at hand */
    struct shape *shape;             /* that is looked at */
    int starts;                      /* of it, the most promising mixes that were judged */
    struct start {
        struct mix mix;
        struct mix_judged judged;
        double worth;
    } start[MOST_STARTS];
    struct shape *winner; /* of the answer, and its mix */
    struct mix won;
    long left;      /* mixes that may be judged yet */
    double floor_s; /* no plan of any shape takes less */
    bool last;
    bool failed;
};

double layerwise_messages_s(const struct shape *s);

/* Was the search asked to stop? */
static inline bool layerwise_stopped(const struct quest *q)
{
    return q->query->stop && q->query->stop(q->query->context);
}

bool layerwise_launches(const struct quest *q, const struct rk_plan *plan);

/* What the surrogate finds of a shape, and mixes whose layers are alike; then what is better around
 * the most promising of these. The least step of what was found; INFINITY: nothing fits. */
double layerwise_search_shape(struct quest *q, struct shape *s);

#endif
