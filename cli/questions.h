/* questions.h - what `reckon search` prints of the answers of advise.h. */
#ifndef RECKON_CLI_QUESTIONS_H
#define RECKON_CLI_QUESTIONS_H

#include "report/report.h"
#include <reckon/advise.h>

/* Tables "misses" and "changes": why no plan fits, or no better one, and what would help. What it
 * has until aim->stop says so. */
void print_why(struct report *report, const struct rk_plans_problem *problem,
               const struct rk_aim *aim);

/* Table "sensitivity"; nothing when no plan counts or it was stopped. */
void print_sensitivity(struct report *report, const struct rk_plans_problem *problem,
                       const struct rk_aim *aim, const struct rk_plan *held);

#endif
