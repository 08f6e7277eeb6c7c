/* calibrate_runs.h - measured runs as samples of an accelerator. */
#ifndef RECKON_CLI_CALIBRATE_RUNS_H
#define RECKON_CLI_CALIBRATE_RUNS_H

#include "cli/options.h"
#include "facts/facts.h"
#include "facts/samples.h"

/* Reads tables of runs and adds a sample for each whose step was timed on `system`'s accelerator: a
 * row's machine begins with that name, or it was `given` as a file, which says nothing of names.
 * How many are left out, and why the first one is, goes to stderr. Samples point into `facts`. */
enum rk_status calibrate_runs(const struct option_texts *paths, const char *given,
                              const struct rk_system *system, struct facts *facts,
                              struct samples *samples, struct rk_error *error);

/* The log of one run. */
struct calibrate_log {
    const char *path, *model, *plan; /* NULL: not given */
};

/* Adds four samples, at an eighth, three, five and seven eighths of its steps after the warm-up:
 * the number that one constant is fitted to. They point into `facts`, which gets one more fact. */
enum rk_status calibrate_log(const struct calibrate_log *log, const char *system, struct fact *fact,
                             struct samples *samples, struct rk_error *error);

#endif
