/* clusters_figures.h - a plan over clusters in the figures and axes that plans of one have. */
#ifndef RECKON_ADVISE_CLUSTERS_FIGURES_H
#define RECKON_ADVISE_CLUSTERS_FIGURES_H

#include "clusters/given.h"

/* The replicas of a part as a plan of the whole pipeline, for its axes. */
struct rk_plan clusters_part_plan(const struct clusters_question *question,
                                  const struct given_plan *given, const struct given_part *part);

/* FLOP that the model needs for a step, which no plan changes. */
enum rk_status clusters_needed_flop(const struct clusters_question *question, double *flop,
                                    struct rk_error *error);

/* Figures that are there; the others are 0. Of memory those of the fullest stage. */
extern const char *const clusters_figures[]; /* ended by NULL */
void clusters_outcome(const struct clusters_question *question, const struct given_plan *given,
                      const struct clusters_plan *plan, double needed_flop,
                      struct rk_outcome *outcome);

#endif
