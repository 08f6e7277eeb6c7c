/* better.h - plans over clusters that were found, made better: by interleaving, by layers moved, by
 * one choice of a stage or of all of them, as long as that shortens the simulated step.
 *
 * The objective of the chain only approximates the simulation, and knows no interleaved stages.
 * Pure but for its memory.
 */
#ifndef RECKON_CLUSTERS_BETTER_H
#define RECKON_CLUSTERS_BETTER_H

#include "clusters/given.h"
#include "clusters/kept.h"
#include "clusters/search.h"

enum { CLUSTERS_SEEDS = 16, MOST_RUNS = 4, RUNS_OF_BEST = 12 };

struct better {
    const struct clusters_question *question;
    struct clusters_answer *answer;
    struct clusters_kept *kept; /* NULL: the best alone */
    struct clusters_kept seeds; /* what is made better: pipelines, as one stage is exact */
    bool alike;                 /* all stages are run in one way */
    bool failed;                /* no memory */
    struct given_plan given;
    struct clusters_plan now, other, before;
};

void better_close(struct better *b);

/* A plan that was simulated: is it the best, by less than `less_than_s`? */
bool better_consider(struct better *b, const struct clusters_plan *plan, double less_than_s);

/* The plan with its stages' layers in `from` to `to` runs. False: no memory. */
bool better_interleave(struct better *b, const struct clusters_plan *plan, int from, int to);

/* Does the schedule have such runs? */
bool better_has_runs(const struct better *b);

/* Makes the best plans better. False: no memory. */
bool better_settle(struct better *b);

bool better_is_stopped(struct better *b);

/* Are the stages so that a launcher can run them as one job: the same degrees and choices, none
 * with replicas on several clusters, no activations away? */
bool clusters_stages_alike(const struct clusters_plan *plan);

#endif
