/* doctor_parts.h - where a run loses time, and what would explain it, as tables. */
#ifndef RECKON_CLI_DOCTOR_PARTS_H
#define RECKON_CLI_DOCTOR_PARTS_H

#include "logs/kernel_trace.h"
#include "report/report.h"

#include <reckon/doctor.h>

/* A table of the parts of a step, and what to look at where the run loses most. */
void doctor_parts(struct report *report, const struct kernel_trace *trace,
                  const struct rk_prediction *prediction);

/* Table "causes"; a note where there are none. */
void doctor_causes(struct report *report, const struct rk_cause *causes, int count,
                   double measured_s);

#endif
