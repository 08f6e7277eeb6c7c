/* offload_rules.h - one plan under each rule of what to keep, move and compute again: a table. */
#ifndef RECKON_CLI_OFFLOAD_RULES_H
#define RECKON_CLI_OFFLOAD_RULES_H

#include "cli/offload_plans.h"
#include "report/report.h"

/* A table with a row for each rule; RK_NOTHING_FITS when none fits. */
enum rk_status offload_rules(const struct offload_job *job, struct report *report);

/* A row for each lower memory and each of several rates. */
void offload_simulated(const struct offload_job *job, struct report *report);

#endif
