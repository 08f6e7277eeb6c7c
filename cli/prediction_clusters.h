/* prediction_clusters.h - the stages of a plan over several clusters as tables. */
#ifndef RECKON_CLI_PREDICTION_CLUSTERS_H
#define RECKON_CLI_PREDICTION_CLUSTERS_H

#include "report/report.h"

struct clusters_plan;
struct given_plan;

struct placed {
    struct report *report;    /* filled by placed_show() */
    const char *name, *title; /* of the list of stages: for programs, for people */
    unsigned formats;         /* ... that have it */
    const struct rk_model *model;
    const struct rk_machine *machine;
    const struct rk_plan *words; /* what all stages have in common */
    const struct clusters_plan *plan;
    const struct given_plan *given; /* its replicas, judged; NULL: all stages have one kind */
};

#endif
