#include "logs/metric_table.h"
#include "text/csv.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

/* Columns that are a step's time, by how their names end; in seconds unless `unit` says else. */
static const struct {
    const char *name;
    double unit;
} times[] = {
    {"iteration-time", 1}, /* Megatron-LM and what stands on it */
    {"iteration-time vs samples", 1},
    {"train_step_timing in s", 1}, /* NeMo */
    {"train_step_timing", 1},
    {"time_metrics/end_to_end(s)", 1}, /* torchtitan */
    {"time_per_iteration_ms", 1e-3},   /* nanotron */
    {"elapsed_time_per_iteration_ms", 1e-3},
    {"perf/step_time_seconds", 1}, /* MaxText */
    {"throughput/duration", 1},    /* Levanter: of a step */
    {"step_time_ms", 1e-3},
    {"iteration_time_ms", 1e-3},
    {"step_time", 1},
    {"step_time_s", 1},
    {"iteration_time", 1},
    {"iter_time", 1},
};
static const char *const clocks[] = {"Wall time", "_runtime", "_timestamp",
                                     "Relative Time (Process)"};
static const char *const counts[] = {
    "Step", "_step", "trainer/global_step", "train/global_step", "global_step", "iteration"};

static bool ends_so(const char *name, const char *ending)
{
    const size_t n = strlen(name), e = strlen(ending);
    if (n < e || strcasecmp(name + n - e, ending) != 0) return false;
    return n == e || strchr("/ -.", name[n - e - 1]);
}

static int column_of(const char *const *name, size_t columns, const char *const *wanted,
                     size_t count)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < columns; i++)
            if (strcasecmp(name[i], wanted[k]) == 0) return (int)i;
    return -1;
}

static int time_column(const char *const *name, size_t columns, double *unit)
{
    for (size_t k = 0; k < sizeof times / sizeof *times; k++)
        for (size_t i = 0; i < columns; i++)
            if (ends_so(name[i], times[k].name)) {
                *unit = times[k].unit;
                return (int)i;
            }
    return -1;
}

/* ---- rows ---- */

/* One row after another: its own time, or what passed since the one before. */
struct clock {
    void (*take)(void *context, double step_s);
    void *context;
    double before_s, before_step;
    bool begun;
    size_t taken;
};

static void take_time(struct clock *c, double step_s)
{
    if (!isfinite(step_s) || !(step_s > 0)) return;
    c->take(c->context, step_s);
    c->taken++;
}

static void take_moment(struct clock *c, double time_s, double step)
{
    if (!isfinite(time_s) || !isfinite(step)) return;
    if (c->begun && step > c->before_step && time_s > c->before_s)
        take_time(c, (time_s - c->before_s) / (step - c->before_step));
    if (c->begun && step <= c->before_step) return;
    c->before_s = time_s;
    c->before_step = step;
    c->begun = true;
}

static bool number_of(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && !*end && isfinite(*number);
}

static enum rk_status fail_no_time(const char *path, struct rk_error *error)
{
    return rk_fail(
        error, RK_BAD_INPUT, path, 0, 0,
        "this table of metrics tells no time of a step: export a column of step times "
        "(iteration-time, train_step_timing, time_metrics/end_to_end(s)), or wall time or "
        "_runtime with the step");
}

/* ---- CSV ---- */

static enum rk_status read_csv(const char *text, size_t size, const char *path, struct clock *c,
                               struct rk_error *error)
{
    struct csv csv = {.text = NULL};
    double unit = 1, time, step;
    const enum rk_status status = csv_parse(path, text, size, &csv, error);
    if (status != RK_OK) return status;
    const int timed = time_column(csv.name, csv.columns, &unit);
    const int clock = column_of(csv.name, csv.columns, clocks, sizeof clocks / sizeof *clocks);
    const int count = column_of(csv.name, csv.columns, counts, sizeof counts / sizeof *counts);
    for (size_t row = 0; row < csv.rows; row++) {
        if (timed >= 0 && number_of(csv_cell(&csv, row, (size_t)timed), &time))
            take_time(c, unit * time);
        else if (timed < 0 && clock >= 0 && count >= 0 &&
                 number_of(csv_cell(&csv, row, (size_t)clock), &time) &&
                 number_of(csv_cell(&csv, row, (size_t)count), &step))
            take_moment(c, time, step);
    }
    csv_release(&csv);
    return RK_OK;
}

/* ---- JSON ---- */

/* [[wall time, step, value], ...] */
static enum rk_status read_array(const char *text, size_t size, const char *path, struct clock *c,
                                 struct rk_error *error)
{
    json_error_t said;
    size_t at;
    json_t *row, *list = json_loadb(text, size, 0, &said);
    if (!list) return rk_fail(error, RK_BAD_INPUT, path, said.line, said.column, "%s", said.text);
    json_array_foreach(list, at, row)
    {
        const json_t *time = json_array_get(row, 0), *step = json_array_get(row, 1);
        if (json_is_number(time) && json_is_number(step))
            take_moment(c, json_number_value(time), json_number_value(step));
    }
    json_decref(list);
    return RK_OK;
}

static bool read_object(const json_t *object, struct clock *c, bool *timed)
{
    const char *name;
    json_t *value;
    double unit = 1;
    const json_t *time = NULL, *step = NULL;
    json_object_foreach((json_t *)object, name, value)
    {
        const char *one[] = {name};
        if (json_is_number(value) && time_column(one, 1, &unit) == 0) {
            *timed = true;
            take_time(c, unit * json_number_value(value));
            return true;
        }
        if (column_of(one, 1, clocks, sizeof clocks / sizeof *clocks) == 0) time = value;
        if (column_of(one, 1, counts, sizeof counts / sizeof *counts) == 0) step = value;
    }
    if (*timed || !json_is_number(time) || !json_is_number(step)) return false;
    take_moment(c, json_number_value(time), json_number_value(step));
    return true;
}

/* A line each; those that are no JSON are refused. */
static enum rk_status read_lines(const char *text, const char *path, struct clock *c,
                                 struct rk_error *error)
{
    bool timed = false;
    int line = 1;
    for (const char *at = text; *at; line++) {
        const size_t n = strcspn(at, "\n");
        json_error_t said;
        json_t *object = strspn(at, " \t\r") < n ? json_loadb(at, n, 0, &said) : NULL;
        if (!object && strspn(at, " \t\r") < n)
            return rk_fail(error, RK_BAD_INPUT, path, line, said.column, "%s", said.text);
        if (object) read_object(object, c, &timed);
        json_decref(object);
        at += n + (at[n] == '\n');
    }
    return RK_OK;
}

/* ---- any of them ---- */

enum form { FORM_NONE, FORM_CSV, FORM_ARRAY, FORM_LINES };

static bool is_array(const char *text)
{
    const char *at = text + strspn(text, " \t\r\n");
    if (*at != '[') return false;
    at += 1 + strspn(at + 1, " \t\r\n");
    if (*at != '[') return false;
    at += 1 + strspn(at + 1, " \t\r\n");
    return *at && strchr("0123456789", *at);
}

static enum form form_of(const char *text)
{
    char line[2048];
    const size_t n = strcspn(text, "\r\n");
    if (is_array(text)) return FORM_ARRAY;
    if (n >= sizeof line) return FORM_NONE;
    snprintf(line, sizeof line, "%.*s", (int)n, text);
    if (*line == '{' && (strstr(line, "\"_step\"") || strstr(line, "\"_runtime\"")))
        return FORM_LINES;
    if (!strchr(line, ',') || *line == '{' || *line == '[') return FORM_NONE;
    char *rest = NULL;
    for (char *part = strtok_r(line, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        const size_t length = strlen(part);
        if (length > 1 && *part == '"' && part[length - 1] == '"') {
            part[length - 1] = '\0';
            part++;
        }
        const char *one[] = {part};
        if (column_of(one, 1, counts, sizeof counts / sizeof *counts) == 0) return FORM_CSV;
    }
    return FORM_NONE;
}

bool metric_table_is(const char *text)
{
    return form_of(text) != FORM_NONE;
}

enum rk_status metric_table_read(const char *text, size_t size, const char *path,
                                 void (*take)(void *context, double step_s), void *context,
                                 struct rk_error *error)
{
    struct clock c = {.take = take, .context = context};
    const enum form form = form_of(text);
    const enum rk_status status = form == FORM_ARRAY   ? read_array(text, size, path, &c, error)
                                  : form == FORM_LINES ? read_lines(text, path, &c, error)
                                                       : read_csv(text, size, path, &c, error);
    if (status != RK_OK) return status;
    return c.taken ? RK_OK : fail_no_time(path, error);
}
