/* doctor_causes.h - what would explain that a step takes longer or shorter than predicted. */
#ifndef RECKON_CLI_DOCTOR_CAUSES_H
#define RECKON_CLI_DOCTOR_CAUSES_H

#include "cli/plan_input.h"
#include "report/report.h"
#include <reckon/predict.h>

enum { DOCTOR_CAUSES = 19 };

struct cause_finding {
    const char *what, *look; /* static storage: what is otherwise, and what to look at */
    double step_s, off;      /* off: |log(step / measured)| */
};

/* Those that bring the prediction nearer to the measured time by a hundredth of it and more, the
 * nearest first. RK_NO_MEMORY: no memory. */
enum rk_status causes_find(const struct plan_input *input, double step_s, double measured_s,
                           struct cause_finding findings[static DOCTOR_CAUSES], int *count,
                           struct rk_error *error);

/* Table "causes"; a note where there are none. */
void causes_table(struct report *report, const struct cause_finding *findings, int count,
                  double measured_s);

#endif
