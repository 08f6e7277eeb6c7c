#include "logs/mllog.h"

#include "base/memory.h"
#include "base/number.h"
#include "text/text_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char mark[] = ":::MLLOG";
enum { MOST_BYTES = 1 << 28 };

const char *const mllog_figure_names[] = {"train_step_time of blocks", "train_step_time",
                                          "global_batch_size / throughput",
                                          "block_start to block_stop", NULL};

/* A block that has begun. Older callbacks count all samples so far at its start, newer ones, which
 * say the step as well, the samples of the block; those of GPT-3 its tokens. */
struct block {
    bool open, counts_itself, evaluated; /* the last: before it began */
    double start_s, samples;
    double stop_s;          /* of the last block; 0: there is none yet */
    double length_s, first; /* of the last block: waits for the next start to know its samples */
};

bool mllog_is(const char *text)
{
    return strstr(text, mark) != NULL;
}

static bool keep(struct mllog *log, enum mllog_figure figure, double step_s)
{
    if (!(step_s > 0) || !isfinite(step_s)) return true;
    if (!ARRAY_ROOM(log->step_s[figure], log->steps[figure])) return false;
    log->step_s[figure][log->steps[figure]++] = step_s;
    return true;
}

/* Numbers stand as such or as text; 0: there is none. */
static double number_of(const json_t *value)
{
    if (json_is_string(value)) return strtod(json_string_value(value), NULL);
    return json_is_number(value) ? json_number_value(value) : 0;
}

static bool read_stats(struct mllog *log, const json_t *stats)
{
    const double step_s = number_of(json_object_get(stats, "train_step_time"));
    const double rate = number_of(json_object_get(stats, "throughput"));
    const double memory = number_of(json_object_get(stats, "max_memory_usage")) * 0x1p30;
    const bool one = json_object_get(stats, "reduced_train_loss") != NULL;
    if (memory > log->memory_bytes) log->memory_bytes = memory;
    return keep(log, one ? MLLOG_STEP : MLLOG_STEP_MEAN, step_s) &&
           (!(rate > 0) || keep(log, MLLOG_THROUGHPUT, log->batch / rate));
}

/* A block that starts when the last one stops holds an evaluation: its time is not that of steps.
 */
static const double evaluation_s = 0.05;

static bool start_block(struct mllog *log, struct block *block, double now_s,
                        const json_t *metadata)
{
    const double tokens = number_of(json_object_get(metadata, "epoch_count"));
    double samples = number_of(json_object_get(metadata, "samples_count"));
    const bool evaluated = block->stop_s > 0 && now_s - block->stop_s > evaluation_s;
    const double done = samples - block->first;
    bool kept = true;
    block->evaluated = block->stop_s == 0 || evaluated;
    if (evaluated && block->length_s > 0 && done > 0)
        kept = keep(log, MLLOG_BLOCK, block->length_s * log->batch / done);
    block->open = true;
    block->counts_itself = tokens > 0 || json_object_get(metadata, "step") != NULL;
    if (tokens > 0) samples = log->sequence > 0 ? tokens / log->sequence : 0;
    block->start_s = now_s;
    block->samples = samples;
    block->length_s = 0;
    return kept;
}

static bool stop_block(struct mllog *log, struct block *block, double now_s)
{
    if (!block->open) return true;
    const double length_s = now_s - block->start_s;
    block->open = false;
    block->stop_s = now_s;
    if (block->counts_itself)
        return !(block->samples > 0) || !block->evaluated ||
               keep(log, MLLOG_BLOCK, length_s * log->batch / block->samples);
    block->length_s = length_s;
    block->first = block->samples;
    return true;
}

static void read_year(struct mllog *log, double now_s)
{
    const time_t now = (time_t)now_s;
    struct tm parts;
    if (log->year == 0 && now > 0 && gmtime_r(&now, &parts)) log->year = parts.tm_year + 1900;
}

static bool read_event(struct mllog *log, struct block *block, const json_t *event)
{
    const char *key = json_string_value(json_object_get(event, "key"));
    const json_t *value = json_object_get(event, "value");
    const json_t *metadata = json_object_get(event, "metadata");
    const double now_s = number_of(json_object_get(event, "time_ms")) / 1e3;
    const struct {
        const char *key;
        double *number;
    } numbers[] = {{"global_batch_size", &log->batch},
                   {"gradient_accumulation_steps", &log->accumulation},
                   {"max_sequence_length", &log->sequence}};
    if (!key) return true;
    read_year(log, now_s);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0) *numbers[i].number = number_of(value);
    if (strcmp(key, "submission_benchmark") == 0 && json_is_string(value))
        snprintf(log->benchmark, sizeof log->benchmark, "%s", json_string_value(value));
    if (strcmp(key, "tracked_stats") == 0) return read_stats(log, value);
    if (strcmp(key, "block_start") == 0) return start_block(log, block, now_s, metadata);
    if (strcmp(key, "block_stop") == 0) return stop_block(log, block, now_s);
    return true;
}

/* Lines of several ranks may run into each other: what follows the object is left. */
static enum rk_status read_line(const char *path, int number, const char *line, struct mllog *log,
                                struct block *block, struct rk_error *error)
{
    json_error_t wrong;
    const char *at = strstr(line, mark);
    if (!at) return RK_OK;
    at += sizeof mark - 1;
    json_t *event = json_loads(at, JSON_DISABLE_EOF_CHECK, &wrong);
    if (!event)
        return rk_fail(error, RK_BAD_INPUT, path, number, (int)(at - line) + wrong.column,
                       "what follows %s is not JSON: %s", mark, wrong.text);
    const bool kept = read_event(log, block, event);
    json_decref(event);
    return kept ? RK_OK : no_memory(error);
}

enum rk_status mllog_read(const char *path, char *text, struct mllog *log, struct rk_error *error)
{
    struct block block = {.open = false};
    enum rk_status status = RK_OK;
    int number = 1;
    *log = (struct mllog){.batch = 0};
    if (!mllog_is(text))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "no line begins with %s, as those of MLPerf's logs do", mark);
    for (char *line = text, *next; status == RK_OK && line; line = next, number++) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        status = read_line(path, number, line, log, &block, error);
    }
    if (status != RK_OK) mllog_release(log);
    return status;
}

enum rk_status mllog_load(const char *path, struct mllog *log, struct rk_error *error)
{
    char *text = NULL;
    size_t size;
    *log = (struct mllog){.batch = 0};
    enum rk_status status = text_file_load(path, MOST_BYTES, &text, &size, error);
    if (status == RK_OK) status = mllog_read(text_file_name(path), text, log, error);
    free(text);
    return status;
}

void mllog_release(struct mllog *log)
{
    for (int i = 0; i < MLLOG_FIGURES; i++)
        free(log->step_s[i]);
    *log = (struct mllog){.batch = 0};
}

double mllog_median(const struct mllog *log, enum mllog_figure figure)
{
    const size_t n = log->steps[figure];
    double *step_s = malloc(n * sizeof *step_s), median = 0;
    if (!step_s) return 0;
    memcpy(step_s, log->step_s[figure], n * sizeof *step_s);
    qsort(step_s, n, sizeof *step_s, by_number);
    median = n % 2 ? step_s[n / 2] : (step_s[n / 2 - 1] + step_s[n / 2]) / 2;
    free(step_s);
    return median;
}

/* Some count tokens in their throughput: then it contradicts the blocks. */
static bool contradicted(const struct mllog *log, enum mllog_figure figure)
{
    if (figure != MLLOG_THROUGHPUT || log->steps[MLLOG_BLOCK] == 0) return false;
    const double ratio = mllog_median(log, figure) / mllog_median(log, MLLOG_BLOCK);
    return ratio < 0.5 || ratio > 2;
}

enum mllog_figure mllog_best(const struct mllog *log)
{
    enum mllog_figure figure = 0;
    while (figure < MLLOG_FIGURES && (log->steps[figure] == 0 || contradicted(log, figure)))
        figure++;
    return figure;
}
