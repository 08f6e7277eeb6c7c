/* doctor_memory.h - a run that ran out of memory, compared with its prediction. */
#ifndef RECKON_CLI_DOCTOR_MEMORY_H
#define RECKON_CLI_DOCTOR_MEMORY_H

#include "cli/prediction.h"
#include "logs/memory_report.h"

/* What holds the memory, compared with the prediction, and the line to change first. */
void doctor_memory(struct report *report, const struct forecast *f, const struct memory_report *m);

/* Is the file a report of memory? Then it is read; RK_OK with kind MEMORY_UNKNOWN: it is another.
 */
enum rk_status doctor_memory_load(const char *path, struct memory_report *m,
                                  struct rk_error *error);

#endif
