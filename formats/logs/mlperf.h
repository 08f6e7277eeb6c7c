/* mlperf.h - submissions of MLPerf Training as rows of measured runs (reckon-validate(1)).
 *
 * A round's repository has, for each submitter, systems/SYSTEM.json (the machine),
 * results/SYSTEM/BENCHMARK/result_N.txt (a log a run, mllog.h) and
 * benchmarks/BENCHMARK/implementations/NAME/ (the scripts, config_*.sh among them). Which of the
 * configurations a result used nobody says: those that contradict the machine or the log are
 * ruled out, and what the rest do not agree on is left open. Scripts are followed (shell.h),
 * never run. What decides time is read from the configuration; of a log only the batch, to choose
 * the configuration, and the time of a step.
 */
#ifndef RECKON_LOGS_MLPERF_H
#define RECKON_LOGS_MLPERF_H

#include "logs/mlperf_cells.h"

#include <reckon/status.h>

struct mlperf {
    size_t results;
    struct mlperf_result *result; /* (results), by `where` */
};

/* Every result of a language model below the folder: a round, a submitter, or less.
 * RK_BAD_INPUT: no such folder, or no result in it; RK_NO_MEMORY: no memory. */
enum rk_status mlperf_read(const char *folder, struct mlperf *mlperf, struct rk_error *error);
void mlperf_release(struct mlperf *mlperf); /* a zeroed one is fine */

#endif
