#include "interop/train_log.h"
#include "interop/text_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum quantity { STEP_S, STEP_MS, SAMPLES_PER_S, TOKENS_PER_S_PER_GPU };

/* clang-format off */
static const struct format {
    const char *name, *key; /* the number follows it */
    enum quantity quantity;
} formats[] = {
    {"Megatron-LM", "elapsed time per iteration (ms):", STEP_MS},
    {"NeMo",        "train_step_timing in s:",          STEP_S},
    {"nanotron",    "elapsed_time_per_iteration_ms:",   STEP_MS},
    {"DeepSpeed",   "CurrSamplesPerSec=",               SAMPLES_PER_S},
    {"torchtitan",  "tps:",                             TOKENS_PER_S_PER_GPU},
};
/* clang-format on */
enum { FORMATS = sizeof formats / sizeof *formats, NUMBER = 64, MOST_BYTES = 1 << 28 };

/* "5,762", "436K", " 1234.5": what stands behind a key, without the commas within a number. */
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

static void read_line(const char *line, const struct train_log_scale *scale, struct train_log *log)
{
    for (int i = 0; i < FORMATS; i++) {
        const struct format *f = &formats[i];
        const char *at = strstr(line, f->key);
        double number;
        if (!at || !read_number(at + strlen(f->key), &number)) continue;
        if (!log->format) log->format = f->name;
        if (strcmp(log->format, f->name) != 0) return;
        const double step_s = seconds_of(f->quantity, number, scale);
        if (isfinite(step_s) && step_s > 0) keep(log, step_s);
        return;
    }
}

enum rk_status train_log_load(const char *path, const struct train_log_scale *scale,
                              struct train_log *log, struct rk_error *error)
{
    char *text = NULL;
    size_t size = 0;
    *log = (struct train_log){.format = NULL};
    const enum rk_status status = text_file_load(path, MOST_BYTES, &text, &size, error);
    if (status != RK_OK) return status;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        read_line(line, scale, log);
    }
    free(text);
    if (log->steps) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, text_file_name(path), 0, 0,
                   "no line tells the time of a step as Megatron-LM (\"%s\"), NeMo, nanotron, "
                   "DeepSpeed or torchtitan (\"%s\") print it",
                   formats[0].key, formats[FORMATS - 1].key);
}

size_t train_log_warm(const struct train_log *log)
{
    if (log->steps < 3) return 0;
    return log->steps < 10 ? 1 : log->steps / 10;
}
