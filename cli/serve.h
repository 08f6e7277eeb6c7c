/* serve.h - what `reckon serve` asks and prints. */
#ifndef RECKON_CLI_SERVE_H
#define RECKON_CLI_SERVE_H

#include "cli/plan_input.h"
#include "report/report.h"

/* Assumed of every plan of inference: steps are captured, nothing is trained. */
plan_choose serve_choose;

/* Published tokens, prompts and steps beside predictions, row by row and by source: a file, or the
 * catalog's for "". */
enum rk_status serve_measured(struct report *report, const char *path, bool rows,
                              struct rk_error *error);

#endif
