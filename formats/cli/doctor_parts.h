/* doctor_parts.h - a profile compared with the prediction, part by part. */
#ifndef RECKON_CLI_DOCTOR_PARTS_H
#define RECKON_CLI_DOCTOR_PARTS_H

#include "logs/kernel_trace.h"
#include "report/report.h"

#include <reckon/predict.h>

/* A table of the parts of a step, and what to look at where the run loses most. */
void doctor_parts(struct report *report, const struct kernel_trace *trace,
                  const struct rk_prediction *prediction);

#endif
