/* mllog.h - the log of an MLPerf Training run: lines ":::MLLOG {json}" between any others
 * [mlperf-logging].
 *
 * The time of a step stands in it in up to four ways; all that are there are kept, each in the
 * order of the log. Times are in seconds.
 */
#ifndef RECKON_LOGS_MLLOG_H
#define RECKON_LOGS_MLLOG_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Best first. */
enum mllog_figure {
    MLLOG_STEP_MEAN,  /* train_step_time without a loss: the mean of a block between evaluations */
    MLLOG_STEP,       /* train_step_time with a loss: one step */
    MLLOG_THROUGHPUT, /* global_batch_size over samples a second of a block */
    MLLOG_BLOCK,      /* time from block_start to block_stop over its steps */
    MLLOG_FIGURES,
    MLLOG_NONE = MLLOG_FIGURES
};

/* "train_step_time", ... */
extern const char *const mllog_figure_names[];

struct mllog {
    char benchmark[64];         /* submission_benchmark; "" where it is not said, like the next */
    double batch, accumulation; /* samples of a step, microbatches of it; 0: not said */
    double sequence;            /* max_sequence_length; 0: not said */
    double memory_bytes;        /* the largest max_memory_usage; 0: not said */
    int year;                   /* of the first line; 0: not said */
    size_t steps[MLLOG_FIGURES];
    double *step_s[MLLOG_FIGURES]; /* (steps) */
};

/* Does the text have a line of an MLPerf log? */
bool mllog_is(const char *text);

/* The text is cut into lines. RK_BAD_INPUT: no such line, one that is no JSON; RK_NO_MEMORY: no
 * memory. */
enum rk_status mllog_read(const char *path, char *text, struct mllog *log, struct rk_error *error);
enum rk_status mllog_load(const char *path, struct mllog *log, struct rk_error *error);
void mllog_release(struct mllog *log); /* a zeroed log is fine */

/* Of the steps of one figure. Requires one. 0: no memory. */
double mllog_median(const struct mllog *log, enum mllog_figure figure);

/* The best figure that the log has; MLLOG_NONE: it has none. */
enum mllog_figure mllog_best(const struct mllog *log);

#endif
