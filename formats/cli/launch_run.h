/* launch_run.h - what a launch file says of the run that it starts: steps, checkpoints, time. */
#ifndef RECKON_CLI_LAUNCH_RUN_H
#define RECKON_CLI_LAUNCH_RUN_H

#include "cli/run_args.h"
#include "keys/launch_file.h"

/* Steps where the arguments say tokens; with a system (NULL: none) also how often a checkpoint is
 * best, what its nodes have and are joined by and, again of tokens, the time of the run. Phases
 * have no one number of steps: nothing is said of them. */
enum rk_status launch_run_of(const struct run_args *args, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             struct launch_run *run, struct rk_error *error);

#endif
