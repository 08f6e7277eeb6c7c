#include "logs/train_log.h"
#include "base/number.h"
#include "logs/metric_table.h"
#include "logs/mllog.h"
#include "text/text_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum quantity {
    STEP_S,
    STEP_MS,
    SAMPLES_PER_S,
    TOKENS_PER_S_PER_GPU,
    BAR_S_PER_STEP,
    BAR_STEPS_PER_S,
};

/* clang-format off */
/* Where a log has lines of several formats, the first row with any lines counts: Megatron-LM's
 * before those of DeepSpeed below it. A tqdm bar counts only where there is nothing else, and then
 * the one that takes the most time. */
static const struct format {
    const char *name, *key; /* the number follows it; of a bar, stands in front of it */
    enum quantity quantity;
    const char *step, *batch, *memory; /* likewise; NULL: not in its lines */
    double memory_unit; /* their "G" is read as 1e9 */
} formats[] = {
    {"Megatron-LM", "elapsed time per iteration (ms):", STEP_MS, "iteration", "global batch size:", NULL, 0},
    {"Megatron-LM", "elapsed time per iteration (s):",  STEP_S,  "iteration", "global batch size:", NULL, 0}, /* Megatron-DeepSpeed */
    {"NeMo",        "train_step_timing in s:",          STEP_S,  "global_step:", NULL, NULL, 0},
    {"NeMo",        "train_step_timing in s=",          STEP_S,  "global_step=", NULL, NULL, 0}, /* its progress bar */
    {"nanotron",    "time_per_iteration_ms:",           STEP_MS, "iteration:", "global_batch_size:", NULL, 0}, /* once elapsed_time_... */
    {"DeepSpeed",   "iter time (s):",                   STEP_S,  "steps:", NULL, NULL, 0}, /* its pipelines */
    {"DeepSpeed",   "CurrSamplesPerSec=",               SAMPLES_PER_S, "global_step=", NULL, "MaxMemAllocated=", 0x1p30 / 1e9},
    {"DeepSpeed",   "SamplesPerSec=",                   SAMPLES_PER_S, NULL, NULL, "MaxMemAllocated=", 0x1p30 / 1e9}, /* to 2022: of all steps so far */
    {"torchtitan",  "wps:",                             TOKENS_PER_S_PER_GPU, "step:", NULL, "memory:", 0x1p30 / 1e9}, /* of 2024 */
    {"torchtitan",  "tps:",                             TOKENS_PER_S_PER_GPU, "step:", NULL, "memory:", 0x1p30 / 1e9},
    {"Megatron-Bridge", "Step Time :",                  STEP_S, NULL, NULL, NULL, 0}, /* and Megatron-LM's */
    {"a progress bar",  "s/it",                         BAR_S_PER_STEP, NULL, NULL, NULL, 0}, /* NeMo to 2023, Hugging Face */
    {"a progress bar",  "it/s",                         BAR_STEPS_PER_S, NULL, NULL, NULL, 0},
};
/* clang-format on */
enum { FORMATS = sizeof formats / sizeof *formats, NUMBER = 64, MOST_BYTES = 1 << 28 };

/* "5,762", "436K", " 1234.5": a value, without the commas within a number. */
static bool read_number(const char *text, double *number)
{
    char digits[NUMBER];
    size_t used = 0;
    text += strspn(text, " \t=");
    while (used + 1 < NUMBER && strchr("0123456789.,eE+-", *text) && *text) {
        if (*text != ',') digits[used++] = *text;
        text++;
    }
    digits[used] = '\0';
    char *end;
    *number = strtod(digits, &end);
    const char *const thousands = "KMGT", *suffix = *text ? strchr(thousands, *text) : NULL;
    if (suffix) *number *= pow(1000, (double)(suffix - thousands) + 1);
    return end != digits && isfinite(*number) && *number > 0;
}

static double seconds_of(enum quantity quantity, double number, const struct train_log_scale *scale)
{
    switch (quantity) {
    case STEP_S:
        return number;
    case STEP_MS:
        return number / 1e3;
    case SAMPLES_PER_S:
        return scale->samples / number;
    case BAR_S_PER_STEP:
        return number;
    case BAR_STEPS_PER_S:
        return 1 / number;
    default:
        return scale->tokens_per_gpu / number;
    }
}

/* The last steps are kept: the first ones are the warm-up. */
static void keep(struct train_log *log, double step_s)
{
    if (log->steps == TRAIN_LOG_STEPS) {
        memmove(log->step_s, log->step_s + 1, (TRAIN_LOG_STEPS - 1) * sizeof *log->step_s);
        log->steps--;
    }
    log->step_s[log->steps++] = step_s;
}

static void keep_step(void *log, double step_s)
{
    keep(log, step_s);
}

/* The number after a key; 0: none. */
static double number_at(const char *line, const char *key)
{
    const char *at = key ? strstr(line, key) : NULL;
    double number;
    return at && read_number(at + strlen(key), &number) ? number : 0;
}

/* "795/77225 [9:07:58<878:01:48, 41.36s/it, loss=3.1": step, steps, and the number in front of the
 * key, which follows a comma. */
static bool read_bar(const char *line, const char *key, double *number, uint64_t step[2])
{
    const char *at = strstr(line, key), *open = strchr(line, '['), *from = at;
    if (!at || !open || open > at) return false;
    while (from > open && strchr("0123456789.", from[-1]))
        from--;
    const char *counts = open, *comma = from;
    while (comma > open && comma[-1] == ' ')
        comma--;
    while (counts > line && strchr("0123456789/ ", counts[-1]))
        counts--;
    return from < at && comma < from && comma[-1] == ',' &&
           sscanf(counts, " %" SCNu64 "/%" SCNu64, &step[0], &step[1]) == 2 &&
           read_number(from, number);
}

static bool read_format(const char *line, const struct format *f, double *number, uint64_t step[2])
{
    if (f->quantity >= BAR_S_PER_STEP) return read_bar(line, f->key, number, step);
    const char *at = strstr(line, f->key);
    step[0] = (uint64_t)fmin(number_at(line, f->step), 1e15);
    step[1] = 0;
    return at && read_number(at + strlen(f->key), number);
}

bool train_log_read_line(const char *line, const struct train_log_scale *scale,
                         struct train_log_line *said)
{
    for (int i = 0; i < FORMATS; i++) {
        const struct format *f = &formats[i];
        double number;
        uint64_t step[2];
        if (!read_format(line, f, &number, step)) continue;
        const double batch = number_at(line, f->batch);
        const struct train_log_scale own = {batch > 0 ? batch : scale->samples,
                                            scale->tokens_per_gpu};
        *said = (struct train_log_line){
            .format = f->name,
            .rank = f->quantity >= BAR_S_PER_STEP ? FORMATS : i, /* a bar changes its unit */
            .step_s = seconds_of(f->quantity, number, &own),
            .step = step[0],
            .steps = step[1],
            .batch = (uint64_t)fmin(batch, 1e15),
            .memory_bytes = number_at(line, f->memory) * f->memory_unit,
        };
        return isfinite(said->step_s) && said->step_s > 0;
    }
    return false;
}

/* Which lines count: of one row of the formats, and of one bar. */
struct choice {
    const char *format; /* NULL: none yet */
    int rank;
    uint64_t steps;
    double bar_s; /* what all steps of the bar take; 0: it is none */
};

/* Every rank may print a step: it counts once. */
static void keep_line(const struct train_log_line *said, const struct choice *chosen,
                      double samples, struct train_log *log, uint64_t *last_step)
{
    if (said->rank != chosen->rank || said->steps != chosen->steps) return;
    if (said->step > 0 && said->step == *last_step) return;
    *last_step = said->step;
    if (said->batch > 0 && (double)said->batch != samples)
        log->other_batch = said->batch;
    else
        keep(log, said->step_s);
}

/* `last` is the last line of its bar before one of something else, or at the end: its rate is that
 * of the whole bar. Bars of loading and of evaluation take less time than that of training. */
static void choose(const struct train_log_line *last, struct choice *chosen)
{
    const double bar_s = (double)last->steps * last->step_s;
    if (!last->format) return;
    if (chosen->format && last->rank > chosen->rank) return;
    if (chosen->format && last->rank == chosen->rank && bar_s <= chosen->bar_s) return;
    *chosen = (struct choice){last->format, last->rank, last->steps, bar_s};
}

/* False: no line after `*at`. A progress bar returns to the line's beginning. */
static bool next_line(char **at, const struct train_log_scale *scale, struct train_log_line *said)
{
    while (*at) {
        char *const line = *at, *const end = strpbrk(line, "\r\n"), cut = end ? *end : '\0';
        if (end) *end = '\0';
        const bool told = train_log_read_line(line, scale, said);
        if (end) *end = cut;
        *at = end ? end + 1 : NULL;
        if (told) return true;
    }
    return false;
}

/* Once to choose the lines, once to keep their times. */
static void read_lines(char *text, const struct train_log_scale *scale, struct train_log *log)
{
    struct choice chosen = {.format = NULL};
    struct train_log_line said, last = {.format = NULL};
    uint64_t last_step = 0;
    for (char *at = text; next_line(&at, scale, &said); last = said)
        if (said.rank != last.rank || said.steps != last.steps) choose(&last, &chosen);
    choose(&last, &chosen);
    log->format = chosen.format;
    for (char *at = text; next_line(&at, scale, &said);)
        keep_line(&said, &chosen, scale->samples, log, &last_step);
}

/* All its steps are as long as their mean. */
static enum rk_status read_trace(const char *text, size_t size, const char *path,
                                 struct train_log *log, struct rk_error *error)
{
    const enum rk_status status = kernel_trace_read(text, size, path, &log->trace, error);
    if (status != RK_OK) return status;
    log->format = "PyTorch's profiler";
    log->steps = log->trace.steps < TRAIN_LOG_STEPS ? log->trace.steps : TRAIN_LOG_STEPS;
    for (size_t i = 0; i < log->steps; i++)
        log->step_s[i] = log->trace.span_s / (double)log->trace.steps;
    return RK_OK;
}

/* MLPerf's: the best figure that it has of a step. */
static enum rk_status read_mllog(const char *path, char *text, struct train_log *log,
                                 struct rk_error *error)
{
    struct mllog read;
    const enum rk_status status = mllog_read(path, text, &read, error);
    if (status != RK_OK) return status;
    const enum mllog_figure figure = mllog_best(&read);
    log->format = "MLPerf";
    for (size_t i = 0; figure != MLLOG_NONE && i < read.steps[figure]; i++)
        keep(log, read.step_s[figure][i]);
    mllog_release(&read);
    if (log->steps) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "the log tells no time of a step: no tracked_stats with train_step_time or "
                   "throughput, and no block_start and block_stop without an evaluation between");
}

enum rk_status train_log_load(const char *path, const struct train_log_scale *scale,
                              struct train_log *log, struct rk_error *error)
{
    char *text = NULL;
    size_t size = 0;
    *log = (struct train_log){.format = NULL};
    enum rk_status status = text_file_load(path, MOST_BYTES, &text, &size, error);
    if (status != RK_OK) return status;
    if (metric_table_is(text)) {
        status = metric_table_read(text, size, text_file_name(path), keep_step, log, error);
        log->format = "a tracker's metrics";
        free(text);
        return status;
    }
    if (kernel_trace_is(text)) {
        status = read_trace(text, size, text_file_name(path), log, error);
        free(text);
        return status;
    }
    if (mllog_is(text)) {
        status = read_mllog(text_file_name(path), text, log, error);
        free(text);
        return status;
    }
    read_lines(text, scale, log);
    free(text);
    if (log->steps) return RK_OK;
    if (log->other_batch)
        return rk_fail(error, RK_BAD_INPUT, text_file_name(path), 0, 0,
                       "its steps have a batch of %" PRIu64
                       ", the plan one of %.0f: give gbs%" PRIu64,
                       log->other_batch, scale->samples, log->other_batch);
    return rk_fail(error, RK_BAD_INPUT, text_file_name(path), 0, 0,
                   "no line tells the time of a step as Megatron-LM (\"%s\"), NeMo, nanotron, "
                   "DeepSpeed or torchtitan (\"tps:\") print it, and no progress bar does (\"%s\")",
                   formats[0].key, formats[FORMATS - 2].key);
}

size_t train_log_warm(const struct train_log *log)
{
    if (log->steps < 3) return 0;
    return log->steps < 10 ? 1 : log->steps / 10;
}

const double *train_log_sorted(struct train_log *log, size_t *count)
{
    double *steps = log->step_s + train_log_warm(log);
    *count = log->steps - train_log_warm(log);
    qsort(steps, *count, sizeof *steps, by_number);
    return steps;
}
