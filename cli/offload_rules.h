/* offload_rules.h - one plan under each rule of what to keep, move and compute again: a table. */
#ifndef RECKON_CLI_OFFLOAD_RULES_H
#define RECKON_CLI_OFFLOAD_RULES_H

#include "report/report.h"
#include <reckon/offload_plans.h>

/* The fastest rule, and a table with a row for each; RK_NOTHING_FITS when none fits: people then
 * get the table only when `verbose`. */
enum rk_status offload_rules(const struct rk_offload_job *job, bool verbose, struct report *report);

/* A row for each lower memory and each of several rates. */
void offload_simulated(const struct rk_offload_job *job, struct report *report);

#endif
