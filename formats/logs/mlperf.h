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

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>

enum { MLPERF_CELLS = 64, MLPERF_VALUE = 400 };

struct mlperf_cell {
    const char *name; /* of a column; static storage */
    char value[MLPERF_VALUE];
};

struct mlperf_result {
    char where[256]; /* SUBMITTER/results/SYSTEM/BENCHMARK */
    char why[200];   /* it is no row; "" : it is one */
    size_t cells;
    struct mlperf_cell cell[MLPERF_CELLS];
};

struct mlperf {
    size_t results;
    struct mlperf_result *result; /* (results), by `where` */
};

/* Every result of a language model below the folder: a round, a submitter, or less.
 * RK_BAD_INPUT: no such folder, or no result in it; RK_NO_MEMORY: no memory. */
enum rk_status mlperf_read(const char *folder, struct mlperf *mlperf, struct rk_error *error);
void mlperf_release(struct mlperf *mlperf); /* a zeroed one is fine */

/* "" where the result has no such cell. */
const char *mlperf_get(const struct mlperf_result *result, const char *name);

/* Benchmarks that are read, ended by NULL: "llama31_405b", ... */
const char *mlperf_benchmark(size_t index);

#endif
