/* study_trend.h - how a study's best plans change with the number of GPUs, drawn in the terminal.
 */
#ifndef RECKON_CLI_STUDY_TREND_H
#define RECKON_CLI_STUDY_TREND_H

#include "report/report.h"
#include "study/study.h"

/* Adds a table, for text alone: a row for each model and system of a figure (NULL: all) that has
 * three or more numbers of GPUs, with a line of its MFU over them. Nothing where there is no such
 * row. */
enum rk_status study_trend(struct report *report, struct study_database *database,
                           const char *figure, struct rk_error *error);

#endif
