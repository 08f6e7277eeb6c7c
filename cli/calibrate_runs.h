/* calibrate_runs.h - measured runs as samples of an accelerator. */
#ifndef RECKON_CLI_CALIBRATE_RUNS_H
#define RECKON_CLI_CALIBRATE_RUNS_H

#include "cli/options.h"
#include "facts/facts.h"
#include "interop/samples.h"

/* Reads tables of runs and adds a sample for each whose step was timed on `system`'s accelerator: a
 * row's machine begins with that name, or `system` is a file, which says nothing of names. How many
 * are left out, and why the first one is, goes to stderr. Samples point into `facts`. */
enum rk_status calibrate_runs(const struct option_texts *paths, const char *system,
                              struct facts *facts, struct samples *samples, struct rk_error *error);

#endif
