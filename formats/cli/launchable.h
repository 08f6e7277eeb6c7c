/* launchable.h - whether a file of the tools launches a plan, and what it loses. */
#ifndef RECKON_CLI_LAUNCHABLE_H
#define RECKON_CLI_LAUNCHABLE_H

#include "report/report.h"
#include <reckon/reckon.h>

/* Why no file that `reckon export` writes launches the plan, with another framework that has one;
 * NULL: one does, or none is asked for (a model that is served, a machine of other programs, of
 * which launch_has_file() tells). */
const char *launch_refusal(struct report *report, const struct rk_model *model,
                           const struct rk_system *system, const struct rk_plan *plan);

/* The same of a machine of other programs, of which no file is written at all; NULL: of no such. */
const char *launch_no_file(struct report *report, const struct rk_system *system,
                           const struct rk_plan *plan);

/* What the two say of a plan, as 15.file. */
void launch_find(const struct rk_model *model, const struct rk_system *system,
                 const struct rk_plan *plan, struct rk_findings *findings);

/* "`reckon export trl` cannot say zero 2 (the run has 3)": members of the plan that the file runs
 * otherwise, or leaves open; NULL: none. */
const char *launch_lost(struct report *report, const struct rk_model *model,
                        const struct rk_system *system, const struct rk_plan *plan);

/* May a plan take the place of another: do the rules of reckon check hold but for memory, and does
 * a file launch all of it? What the other breaks, or loses, itself is not asked. */
struct launch_limits {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan; /* the other */
    bool rules, file;           /* asked */
};
struct launch_limits launch_limits_of(const struct rk_model *model, const struct rk_system *system,
                                      const struct rk_plan *plan);
bool launch_within(const struct launch_limits *limits, const struct rk_plan *plan);

#endif
