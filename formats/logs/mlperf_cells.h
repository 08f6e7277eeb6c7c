/* mlperf_cells.h - what a configuration of MLPerf Training says, as cells; mlperf.c chooses it. */
#ifndef RECKON_LOGS_MLPERF_CELLS_H
#define RECKON_LOGS_MLPERF_CELLS_H

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

/* One that the scripts of the benchmark may have been run with. */
struct mlperf_config {
    char path[4096];
    double nodes, gpus_per_node; /* 0: not said */
    double tensor, pipeline, context;
    double microbatch, samples; /* of a replica and a step */
    struct mlperf_result cells; /* what is of the configuration */
};

struct mlperf_benchmark {
    const char *name;
    const char *cells; /* "layers=96|hidden=12288": what its rules fix */
    bool lora;         /* the variables of the LoRA scripts */
    bool experts, context_by_all_to_all;
    const char *note;
    const char
        *folders; /* "ft-llm|llama2_70b": what submitters call its folder, too; NULL: no other */
};

/* "" where the result has no such cell. */
const char *mlperf_get(const struct mlperf_result *result, const char *name);

/* Benchmarks that are read, ended by NULL: "llama31_405b", ... */
const char *mlperf_benchmark(size_t index);

const struct mlperf_benchmark *mlperf_benchmark_named(const char *name); /* NULL: not read */

/* False when no longer room. */
bool mlperf_set(struct mlperf_result *result, const char *name, const char *format, ...)
    RK_PRINTF(3, 4);

/* The cells that the benchmark fixes. */
bool mlperf_set_benchmark(struct mlperf_result *result, const struct mlperf_benchmark *benchmark);

/* False: no configuration (it sets no nodes, or cannot be followed). `year` is the result's. */
bool mlperf_config_read(const char *path, const struct mlperf_benchmark *benchmark, int year,
                        struct mlperf_config *config);

#endif
