/* offload_rules.h - one plan under each rule of what to keep, move and compute again. */
#ifndef RECKON_CLI_OFFLOAD_RULES_H
#define RECKON_CLI_OFFLOAD_RULES_H

#include "report/report.h"
#include <reckon/reckon.h>

struct offload_job {
    const struct rk_model *model;
    const struct rk_system *system; /* with a second memory */
    struct rk_plan plan;
    double lifetime_years; /* drives must last so long; 0: they need not */
};

/* MEMO's share and the best one of a plan with recompute_rest; -1: the host is too small. */
double offload_share(const struct offload_job *job, bool best);

/* The fastest plan of all shares, tiers and both ways to treat the rest that fits; false: none. */
bool offload_optimum(const struct offload_job *job, struct rk_plan *plan,
                     struct rk_prediction *prediction);

/* A table with a row for each rule; RK_NOTHING_FITS when none fits. */
enum rk_status offload_rules(const struct offload_job *job, struct report *report);

#endif
