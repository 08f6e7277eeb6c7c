#include "cli/study_trend.h"

#include "base/limits.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The points of one line are neighbours: same group, growing GPUs; groups in the study's order. */
/* `apart` says what else lines differ in. */
static const char query[] =
    "SELECT line, figure, model, system, gpus, mfu, apart FROM (SELECT figure || char(10) || model"
    "  || char(10) || system || char(10) || max_batch || char(10) || datatype || char(10) || axes"
    "  AS line, figure, figure_number, model, system, gpus, mfu, point,"
    "  trim(iif(min(max_batch) OVER () < max(max_batch) OVER (), 'batch ' || max_batch, '') ||"
    "  iif(min(datatype) OVER () < max(datatype) OVER (), ' ' || datatype, '') ||"
    "  iif(min(axes) OVER () < max(axes) OVER (), ' ' || axes, '')) AS apart"
    "  FROM result WHERE figure GLOB '%s') "
    "ORDER BY figure_number, min(point) OVER (PARTITION BY line), gpus";

enum { WIDEST = 48, LEAST = 3, NAME = 64 };

struct trend {
    struct report *report;
    struct report_table *table;
    uint64_t left_out;
    /* the line at hand: */
    char *line, figure[NAME], model[NAME], system[NAME], apart[4 * NAME];
    size_t count;
    int64_t first_gpus, last_gpus;
    double *mfu; /* (count) 0 where nothing runs */
};

static const struct report_column columns[] = {
    {.name = "figure"},
    {.name = "model"},
    {.name = "system"},
    {.name = "from_gpus", .title = "GPUs from"},
    {.name = "to_gpus", .title = "to"},
    {.name = "least", .title = "MFU from", .unit = "%", .digits = 1},
    {.name = "most", .title = "to", .unit = "%", .digits = 1},
    {.name = "line", .bar = REPORT_SPARKLINE},
    {.name = "where"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* The best of the neighbours that share a mark, on a scale from 0 to the best of all. */
static const char *draw(struct report *report, const double *mfu, size_t count, double most)
{
    char levels[WIDEST + 1] = "";
    const size_t width = count < WIDEST ? count : WIDEST;
    for (size_t i = 0; i < width; i++) {
        double best = 0;
        for (size_t k = i * count / width; k < (i + 1) * count / width; k++)
            if (mfu[k] > best) best = mfu[k];
        levels[i] = best > 0 ? (char)('0' + (int)(best / most * 7.999)) : ' ';
    }
    return report_text(report, "%s", levels);
}

static void end_line(struct trend *t)
{
    double least = 0, most = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (t->mfu[i] > most) most = t->mfu[i];
        if (t->mfu[i] > 0 && (least == 0 || t->mfu[i] < least)) least = t->mfu[i];
    }
    if (t->count >= LEAST && most > 0 && t->table && t->table->rows >= MOST_TREND_LINES)
        t->left_out++;
    else if (t->count >= LEAST && most > 0) {
        if (!t->table)
            t->table = report_list(t->report, NULL, "MFU over the number of GPUs", REPORT_IN_TEXT,
                                   columns, COLUMNS - !*t->apart);
        REPORT_ROW(t->report, t->table, cell_text(report_text(t->report, "%s", t->figure)),
                   cell_text(report_text(t->report, "%s", t->model)),
                   cell_text(report_text(t->report, "%s", t->system)),
                   cell_count((uint64_t)t->first_gpus), cell_count((uint64_t)t->last_gpus),
                   cell_number(least), cell_number(most),
                   cell_text(draw(t->report, t->mfu, t->count, most)),
                   cell_text(report_text(t->report, "%s", t->apart)));
    }
    t->count = 0;
}

static enum rk_status begin_line(struct trend *t, const struct study_value *values,
                                 struct rk_error *error)
{
    end_line(t);
    free(t->line);
    t->line = strdup(values[0].text);
    snprintf(t->figure, NAME, "%s", values[1].text);
    snprintf(t->model, NAME, "%s", values[2].text);
    snprintf(t->system, NAME, "%s", values[3].text);
    snprintf(t->apart, sizeof t->apart, "%s", values[6].text);
    t->first_gpus = values[4].integer;
    return t->line ? RK_OK : no_memory(error);
}

static enum rk_status add_point(void *context, int count, const char *const *names,
                                const struct study_value *values, struct rk_error *error)
{
    struct trend *t = context;
    (void)count;
    (void)names;
    if (!t->line || strcmp(t->line, values[0].text) != 0) {
        const enum rk_status status = begin_line(t, values, error);
        if (status != RK_OK) return status;
    }
    if (!ARRAY_ROOM(t->mfu, t->count)) return no_memory(error);
    t->last_gpus = values[4].integer;
    t->mfu[t->count++] = values[5].type == STUDY_REAL ? values[5].real : 0;
    return RK_OK;
}

enum rk_status study_trend(struct report *report, struct study_database *database,
                           const char *figure, struct rk_error *error)
{
    struct trend t = {.report = report};
    char sql[sizeof query + STUDY_NAME];
    snprintf(sql, sizeof sql, query, figure ? figure : "*"); /* names have letters, digits, . _ - */
    const enum rk_status status = study_query(database, sql, add_point, &t, error);
    if (status == RK_OK) end_line(&t);
    if (status == RK_OK && t.left_out > 0)
        report_note(report, report_text(report, "... and %llu more lines; reckon report draws all",
                                        (unsigned long long)t.left_out));
    free(t.line);
    free(t.mfu);
    return status;
}
