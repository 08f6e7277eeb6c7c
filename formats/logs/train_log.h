/* train_log.h - the times of steps in the log of a training run.
 *
 * Lines of Megatron-LM, Megatron-Bridge, NeMo, torchtitan, DeepSpeed and nanotron are read as they
 * are printed, those of MLPerf's logs (mllog.h), and tqdm's progress bars where there are none of
 * them; all other lines are skipped. Nothing but the times is taken from them. A profile of PyTorch
 * is read as well: a file that is JSON; and what trackers export (metric_table.h).
 */
#ifndef RECKON_LOGS_TRAIN_LOG_H
#define RECKON_LOGS_TRAIN_LOG_H

#include "logs/kernel_trace.h"

#include <reckon/plan.h>
#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>

enum { TRAIN_LOG_STEPS = 4096 }; /* number of last ones that are kept */

struct train_log {
    const char *format; /* "Megatron-LM": whose lines they are; static storage */
    size_t steps;
    double step_s[TRAIN_LOG_STEPS]; /* in the order of the log */
    uint64_t other_batch;           /* of steps that are left out, as those of a ramp-up; 0: none */
    struct kernel_trace trace;      /* of a profile; no kernels: it is a log */
};

/* What a rate stands for: samples of a step, tokens of a step and GPU. */
struct train_log_scale {
    double samples, tokens_per_gpu;
};

/* What one line says; 0: nothing of it. */
struct train_log_line {
    const char *format; /* static storage */
    int rank;           /* formats of less are believed where a log has lines of several */
    double step_s;
    uint64_t step, batch; /* its number, samples of it */
    uint64_t steps;       /* of all, where it is a progress bar */
    double memory_bytes;  /* peak of the rank that prints */
};

/* False: a line of no known format. */
bool train_log_read_line(const char *line, const struct train_log_scale *scale,
                         struct train_log_line *said);

/* "-" is standard input. Steps that say another batch than `samples` are left out. RK_BAD_INPUT: no
 * such file, no step of that batch, or no line of a known format; lines of several
 * formats: those of the least rank count; of several bars: those of the one that takes most time.
 */
enum rk_status train_log_load(const char *path, const struct train_log_scale *scale,
                              struct train_log *log, struct rk_error *error);

/* Steps after the warm-up, which is the first tenth, and at least one step where there are three or
 * more. */
size_t train_log_warm(const struct train_log *log);

/* Those steps by their time, in the place of the log's: (count). */
const double *train_log_sorted(struct train_log *log, size_t *count);

#endif
