/* The page of a study: for each of its figures, charts chosen by what varies in it. */
#include "base/memory.h"
#include "base/number.h"
#include "cli/pages.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BARS = 64,     /* points drawn as a bar each */
    MOST_SERIES = 12,   /* lines that can be told apart */
    MOST_LANES = 6,     /* bars side by side */
    MOST_ROWS = 5000,   /* points drawn as points */
    MOST_LISTED = 1000, /* points in a table */
    MOST_WAYS = 64      /* ways in which points may differ */
};

/* Where a step's time goes: they sum up to step_s, those of either predictor. */
static const char *const part_names[] = {
#define FIGURE(by, name, unit, help)
#define FIGURE_TIME(by, name, help) #name,
#include <reckon/figures.def>
};
enum { PARTS = COUNT_OF(part_names) };

/* One point of the study. Texts live in the page's memory. */
struct point {
    const char *figure, *title, *axes;
    const char *way[MOST_WAYS]; /* (ways of the study) its value in each */
    uint64_t number, strategies, fits, gpus;
    uint64_t tensor, pipeline, data;
    bool runs;
    double step_s, samples_per_s, mfu, compute, system, hbm_bytes, offload_bytes;
    double days, cost_usd, energy_kWh; /* of the run; NAN: the study has none */
    double part_s[PARTS], category_bytes[RK_CATEGORIES];
    const char *label; /* what sets it apart in its figure */
};

struct study_page {
    struct html_page *page;
    struct study_database *database;
    const char *path;
    struct point *point; /* (count) by figure, then number */
    size_t count;
    const char *way[MOST_WAYS]; /* (ways) "model", "system", "gpus", ..., then axes */
    int ways;
};

/* A figure: its points, and what varies in it. */
struct figure {
    struct study_page *study;
    const char *name;
    struct point *point; /* (count) */
    size_t count;
    int varies[MOST_WAYS]; /* (varying) indices into study->way, the one with most values first */
    int values[MOST_WAYS]; /* (varying) how many */
    int varying;
    const char *source;
};

enum { FIXED_WAYS = 5 };
static const char *const fixed_ways[FIXED_WAYS] = {"model", "system", "gpus", "max_batch",
                                                   "datatype"};

/* ---- reading ---- */

enum { FIRST_FIGURE = FIXED_WAYS + 8, FIGURES = 10 };

/* The columns that read_point takes, FROM what follows. */
static const char *points_sql(struct html_page *page, const char *from)
{
    struct report *memory = &page->memory;
    const char *sql = "SELECT model, system, gpus, max_batch, datatype, figure, axes, point, "
                      "strategies, fits, tensor, pipeline, data, step_s, samples_per_s, mfu, "
                      "compute_efficiency, system_efficiency, hbm_bytes, offload_bytes, days, "
                      "cost_usd, energy_kWh";
    for (int i = 0; i < PARTS; i++)
        sql = report_text(memory, "%s, %s", sql, part_names[i]);
    for (int i = 0; i < RK_CATEGORIES; i++)
        sql = report_text(memory, "%s, hbm_%s_bytes", sql, rk_category_name((enum rk_category)i));
    return report_text(
        memory, "%s, (SELECT title FROM figure WHERE number = figure_number) FROM %s", sql, from);
}

static uint64_t count_of(const struct study_value *value)
{
    return value->type == STUDY_INTEGER && value->integer > 0 ? (uint64_t)value->integer : 0;
}

static double number_of(const struct study_value *value)
{
    if (value->type == STUDY_INTEGER) return (double)value->integer;
    return value->type == STUDY_REAL ? value->real : NAN;
}

static const char *text_of(struct html_page *page, const struct study_value *value)
{
    struct report *memory = &page->memory;
    if (value->type == STUDY_TEXT) return report_text(memory, "%s", value->text);
    if (value->type == STUDY_INTEGER) return report_text(memory, "%" PRId64, value->integer);
    return value->type == STUDY_REAL ? report_text(memory, "%g", value->real) : "";
}

/* The axis' place among the ways, made if it is new; -1 when there are too many. */
static int find_way(struct study_page *s, const char *name, size_t length)
{
    for (int i = 0; i < s->ways; i++)
        if (strlen(s->way[i]) == length && strncmp(s->way[i], name, length) == 0) return i;
    if (s->ways == MOST_WAYS) return -1;
    s->way[s->ways] = report_text(&s->page->memory, "%.*s", (int)length, name);
    return s->ways++;
}

/* "tensor=8,16 recompute=none". False: too many ways. */
static bool read_axes(struct study_page *s, struct point *point)
{
    for (const char *at = point->axes; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " "), name = strcspn(at, "= ");
        at += length;
        if (name >= length) continue;
        const int way = find_way(s, at - length, name);
        if (way < 0) return false;
        point->way[way] =
            report_text(&s->page->memory, "%.*s", (int)(length - name - 1), at - length + name + 1);
    }
    return true;
}

static enum rk_status read_point(void *context, int columns, const char *const *names,
                                 const struct study_value *v, struct rk_error *error)
{
    struct study_page *s = context;
    (void)names;
    if (!ARRAY_ROOM(s->point, s->count))
        return rk_fail(error, RK_NO_MEMORY, s->path, 0, 0, "out of memory");
    struct point *p = &s->point[s->count++];
    *p = (struct point){.runs = v[FIRST_FIGURE].type != STUDY_NULL, .label = ""};
    for (int i = 0; i < FIXED_WAYS; i++)
        p->way[i] = text_of(s->page, &v[i]);
    p->gpus = count_of(&v[2]);
    p->figure = text_of(s->page, &v[5]);
    p->axes = text_of(s->page, &v[6]);
    uint64_t *const counts[] = {&p->number, &p->strategies, &p->fits,
                                &p->tensor, &p->pipeline,   &p->data};
    for (int i = 0; i < COUNT_OF(counts); i++)
        *counts[i] = count_of(&v[7 + i]);
    double *const figures[FIGURES] = {
        &p->step_s,    &p->samples_per_s, &p->mfu,  &p->compute,  &p->system,
        &p->hbm_bytes, &p->offload_bytes, &p->days, &p->cost_usd, &p->energy_kWh};
    for (int i = 0; i < FIGURES; i++)
        *figures[i] = number_of(&v[FIRST_FIGURE + i]);
    for (int i = 0; i < PARTS; i++)
        p->part_s[i] = number_of(&v[FIRST_FIGURE + FIGURES + i]);
    for (int i = 0; i < RK_CATEGORIES; i++)
        p->category_bytes[i] = number_of(&v[FIRST_FIGURE + FIGURES + PARTS + i]);
    p->title = text_of(s->page, &v[columns - 1]);
    if (read_axes(s, p)) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, s->path, 0, 0,
                   "points differ in more than %d ways: a page takes fewer, one figure at a time",
                   MOST_WAYS);
}

/* ---- any SELECT as a table ---- */

struct listing {
    struct html_page *page;
    struct report_table *table;
    struct report_column *columns;
};

static const char *unit_of(const char *name)
{
    static const struct {
        const char *ending, *unit;
    } endings[] = {{"_per_s", ""}, {"_s", "s"}, {"_bytes", "B"}, {"_Bps", "B/s"}};
    for (int i = 0; i < COUNT_OF(endings); i++) {
        const size_t length = strlen(name), tail = strlen(endings[i].ending);
        if (length > tail && strcmp(name + length - tail, endings[i].ending) == 0)
            return endings[i].unit;
    }
    if (strcmp(name, "mfu") == 0) return "%";
    return strcmp(name, "parameters") == 0 ? "n" : "";
}

static enum rk_status list_row(void *context, int columns, const char *const *names,
                               const struct study_value *values, struct rk_error *error)
{
    struct listing *l = context;
    struct report *memory = &l->page->memory;
    struct report_cell cells[REPORT_MAX_COLUMNS];
    if (!l->columns) {
        l->columns = report_alloc(memory, (size_t)columns * sizeof *l->columns);
        if (!l->columns) return no_memory(error);
        for (int i = 0; i < columns; i++) {
            const char *name = report_text(memory, "%s", names[i]);
            l->columns[i] = (struct report_column){.name = name, .unit = unit_of(name)};
        }
        l->table = page_table(l->page, l->columns, columns);
    }
    for (int i = 0; i < columns; i++)
        cells[i] = values[i].type == STUDY_NULL      ? cell_none()
                   : values[i].type == STUDY_INTEGER ? cell_count(count_of(&values[i]))
                   : values[i].type == STUDY_REAL    ? cell_number(values[i].real)
                                                     : cell_text(text_of(l->page, &values[i]));
    report_row(memory, l->table, cells);
    return RK_OK;
}

static enum rk_status list(const struct study_page *s, const char *title, const char *sql,
                           struct rk_error *error)
{
    struct listing l = {.page = s->page};
    const enum rk_status status = study_query(s->database, sql, list_row, &l, error);
    if (status == RK_OK)
        page_show(
            s->page, title, l.table,
            report_text(&s->page->memory, "sqlite3 %s \"%s\"", page_word(s->page, s->path), sql));
    return status;
}

/* ---- what varies ---- */

static const char *value_of(const struct point *p, int way)
{
    return p->way[way] ? p->way[way] : "any";
}

static int distinct(const struct figure *f, int way)
{
    int count = 0;
    for (size_t i = 0; i < f->count && count <= MOST_ROWS; i++) {
        size_t k = 0;
        while (k < i && strcmp(value_of(&f->point[k], way), value_of(&f->point[i], way)) != 0)
            k++;
        count += k == i;
    }
    return count;
}

static void find_varying(struct figure *f)
{
    for (int way = 0; way < f->study->ways; way++) {
        const int values = distinct(f, way);
        int at = f->varying;
        if (values < 2) continue;
        for (; at > 0 && f->values[at - 1] < values; at--) {
            f->values[at] = f->values[at - 1];
            f->varies[at] = f->varies[at - 1];
        }
        f->values[at] = values;
        f->varies[at] = way;
        f->varying++;
    }
}

/* What sets a point apart, but for the way `without` (-1: nothing): "11t, 4096 GPUs". */
static const char *label_of(const struct figure *f, const struct point *p, int without)
{
    struct report *memory = &f->study->page->memory;
    const char *label = "";
    for (int way = 0; way < f->study->ways; way++) {
        bool varies = false;
        for (int i = 0; i < f->varying; i++)
            varies |= f->varies[i] == way;
        if (!varies || way == without) continue;
        const char *format = way < 2    ? "%s%s%s"
                             : way == 2 ? "%s%s%s GPUs"
                             : way == 3 ? "%s%sbatch %s"
                                        : "%s%s%s";
        label = report_text(memory, format, label, *label ? ", " : "", value_of(p, way));
        if (way >= FIXED_WAYS) label = report_text(memory, "%s %s", label, f->study->way[way]);
    }
    return *label ? label : "all";
}

static int count_labels(const struct figure *f, int without)
{
    int count = 0;
    const char *seen[MOST_BARS + 1];
    for (size_t i = 0; i < f->count && count <= MOST_BARS; i++) {
        const char *label = label_of(f, &f->point[i], without);
        int k = 0;
        while (k < count && strcmp(seen[k], label) != 0)
            k++;
        if (k == count) seen[count++] = label;
    }
    return count;
}

/* ---- charts ---- */

static const struct report_column point_columns[] = {
    {.name = "category", .title = "point"},
    {.name = "series"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "mfu", .title = "MFU", .unit = "%"},
    {.name = "compute", .title = "compute efficiency", .unit = "%"},
    {.name = "system", .title = "system efficiency", .unit = "%"},
    {.name = "samples_per_s", .title = "samples/s"},
    {.name = "step_s", .title = "step", .unit = "s"},
    {.name = "degrees", .title = "tensor x pipeline x data"},
};

/* A row per point that runs; the category is the way `along`, the series all others. */
static const struct report_table *point_table(const struct figure *f, int along)
{
    struct html_page *page = f->study->page;
    struct report_table *table = page_table(page, point_columns, COUNT_OF(point_columns));
    for (size_t i = 0; i < f->count; i++) {
        const struct point *p = &f->point[i];
        const struct report_cell cells[] = {
            cell_text(along >= 0 ? value_of(p, along) : p->label),
            cell_text(label_of(f, p, along)),
            cell_count(p->gpus),
            p->runs ? cell_number(p->mfu) : cell_number(0),
            cell_number(p->compute),
            cell_number(p->system),
            p->runs ? cell_number(p->samples_per_s) : cell_number(0),
            cell_number(p->step_s),
            cell_text(report_text(&page->memory, "%" PRIu64 " x %" PRIu64 " x %" PRIu64, p->tensor,
                                  p->pipeline, p->data))};
        report_row(&page->memory, table, cells);
    }
    return table;
}

static const char *chart_id(const struct figure *f, const char *what)
{
    return report_text(&f->study->page->memory, "%s-%s", f->name, what);
}

/* Numbers of GPUs are doubled, not added to. */
static bool spans_decades(const struct figure *f)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (f->point[i].gpus < low) low = f->point[i].gpus;
        if (f->point[i].gpus > high) high = f->point[i].gpus;
    }
    return low > 0 && high / low >= 4;
}

/* Lines over the number of GPUs, a series for each rest. */
static void scaling_lines(const struct figure *f, int gpus)
{
    struct html_page *page = f->study->page;
    const struct report_table *table = point_table(f, gpus);
    const int count = count_labels(f, gpus);
    struct chart_series *series = report_alloc(&page->memory, (size_t)count * sizeof *series);
    int used = 0;
    for (size_t i = 0; series && i < f->count && used < count; i++) {
        const char *label = label_of(f, &f->point[i], gpus);
        int k = 0;
        while (k < used && strcmp(series[k].name, label) != 0)
            k++;
        if (k < used) continue;
        series[used] =
            (struct chart_series){label, (enum chart_colour)(used % CHART_COLOURS), CHART_LINE};
        used++;
    }
    struct chart chart = {
        .id = chart_id(f, "rate"),
        .title = report_text(&page->memory, "%s: samples per second over GPUs", f->name),
        .kind = CHART_XY,
        .source = f->source,
        .table = table,
        .role = {[CHART_X] = "gpus", [CHART_Y] = "samples_per_s", [CHART_SERIES] = "series"},
        .x = {.log = spans_decades(f)},
        .y = {.log = spans_decades(f)},
        .series = series,
        .series_count = used};
    page_chart(page, &chart);
    chart.id = chart_id(f, "mfu");
    chart.title = report_text(&page->memory, "%s: MFU over GPUs", f->name);
    chart.caption = "A share of each machine's own peak: it does not say which machine is faster.";
    chart.role[CHART_Y] = "mfu";
    chart.y.log = false;
    page_chart(page, &chart);
}

/* What the run costs over the days it takes, a point for each number of GPUs. */
static void cost_over_days(const struct figure *f)
{
    static const struct report_column columns[] = {
        {.name = "days"},
        {.name = "cost_usd", .title = "cost in USD", .unit = "n"},
        {.name = "energy_kWh", .title = "energy in kWh", .unit = "n"},
        {.name = "series", .title = "machine"},
        {.name = "gpus", .title = "GPUs"}};
    struct html_page *page = f->study->page;
    struct report_table *table = page_table(page, columns, COUNT_OF(columns));
    bool any = false;
    for (size_t i = 0; i < f->count && f->count <= MOST_ROWS; i++) {
        const struct point *p = &f->point[i];
        if (!p->runs || !(p->days > 0)) continue;
        any = true;
        report_row(&page->memory, table,
                   (const struct report_cell[]){
                       cell_number(p->days), cell_number(p->cost_usd), cell_number(p->energy_kWh),
                       cell_text(label_of(f, p, 2)),
                       cell_text(report_text(&page->memory, "%" PRIu64 " GPUs", p->gpus))});
    }
    if (!any) return;
    struct chart chart = {
        .id = chart_id(f, "cost"),
        .title = report_text(&page->memory, "%s: what the run costs over its days", f->name),
        .caption =
            "Below and to the left is better; the points of a machine are its numbers of GPUs.",
        .kind = CHART_XY,
        .source = f->source,
        .table = table,
        .role = {[CHART_X] = "days",
                 [CHART_Y] = "cost_usd",
                 [CHART_SERIES] = "series",
                 [CHART_LABEL] = "gpus"}};
    page_chart(page, &chart);
    chart.id = chart_id(f, "energy");
    chart.title = report_text(&page->memory, "%s: its energy over its days", f->name);
    chart.role[CHART_Y] = "energy_kWh";
    page_chart(page, &chart);
}

static const char *way_title(const struct figure *f, int way)
{
    static const char *const titles[FIXED_WAYS] = {"model", "system", "GPUs", "batch", "precision"};
    return way < FIXED_WAYS ? titles[way] : f->study->way[way];
}

static void efficiency_bars(const struct figure *f, int along)
{
    struct html_page *page = f->study->page;
    page_chart(page, &(struct chart){
                         .id = chart_id(f, "rate"),
                         .title = report_text(&page->memory, "%s: samples per second", f->name),
                         .kind = CHART_BARS,
                         .caption = "No bar: nothing can run.",
                         .source = f->source,
                         .table = point_table(f, along),
                         .role = {[CHART_Y] = "category",
                                  [CHART_VALUE] = "samples_per_s",
                                  [CHART_SERIES] = "series"},
                         .x = {.title = "samples per second"},
                         .beside = true,
                         .upright = true});
}

static void efficiency_grid(const struct figure *f, int along)
{
    struct html_page *page = f->study->page;
    page_chart(
        page,
        &(struct chart){
            .id = chart_id(f, "grid"),
            .title = report_text(&page->memory, "%s: samples per second, by %s", f->name,
                                 way_title(f, along)),
            .kind = CHART_HEAT,
            .caption = "0: nothing can run.",
            .source = f->source,
            .table = point_table(f, along),
            .role = {[CHART_X] = "category", [CHART_Y] = "series", [CHART_VALUE] = "samples_per_s"},
            .x = {.title = way_title(f, along)}});
}

static void efficiency(const struct figure *f)
{
    int gpus = -1;
    for (int i = 0; i < f->varying; i++)
        if (f->varies[i] == 2 && f->values[i] > 2) gpus = 2;
    const int along = gpus >= 0 ? gpus : f->varying ? f->varies[0] : -1;
    const int rest = count_labels(f, along);
    if (f->count > MOST_ROWS) return;
    if (gpus >= 0 && rest <= MOST_SERIES) {
        scaling_lines(f, gpus);
    } else if (along < 0 || (f->count <= MOST_BARS && rest <= MOST_LANES)) {
        efficiency_bars(f, along);
    }
    if (along >= 0 && rest > 1 && rest <= MOST_BARS && f->values[0] <= MOST_BARS)
        efficiency_grid(f, along);
}

/* Stacked bars, a bar per point that runs. */
struct stack {
    const char *id, *title, *axis, *column, *unit;
    const struct chart_series *series; /* NULL: the parts of a step's time */
    int parts;
};

/* "forward_s" is "forward". */
static const char *part_name(struct html_page *page, const struct stack *stack, int part)
{
    if (stack->series) return stack->series[part].name;
    const int length = (int)strlen(part_names[part]) - (int)strlen("_s");
    return report_text(&page->memory, "%.*s", length, part_names[part]);
}

static double stacked(const struct point *p, const struct stack *stack, int part)
{
    if (stack->series) return p->category_bytes[part];
    return strcmp(stack->unit, "%") == 0 ? p->part_s[part] / p->step_s : p->part_s[part];
}

static void stacked_bars(const struct figure *f, const struct stack *stack)
{
    struct html_page *page = f->study->page;
    struct report_column *columns = report_alloc(&page->memory, 3 * sizeof *columns);
    if (!columns) return;
    columns[0] = (struct report_column){.name = "point"};
    columns[1] = (struct report_column){.name = "part"};
    columns[2] = (struct report_column){.name = stack->column, .unit = stack->unit};
    struct report_table *table = page_table(page, columns, 3);
    for (size_t i = 0; i < f->count && f->count <= MOST_BARS; i++)
        for (int part = 0; part < stack->parts && f->point[i].runs; part++) {
            const double value = stacked(&f->point[i], stack, part);
            if (value > 0)
                report_row(&page->memory, table,
                           (const struct report_cell[]){cell_text(f->point[i].label),
                                                        cell_text(part_name(page, stack, part)),
                                                        cell_number(value)});
        }
    page_chart(
        page,
        &(struct chart){
            .id = chart_id(f, stack->id),
            .title = report_text(&page->memory, "%s: %s", f->name, stack->title),
            .kind = CHART_BARS,
            .source = f->source,
            .table = table,
            .role = {[CHART_Y] = "point", [CHART_VALUE] = stack->column, [CHART_SERIES] = "part"},
            .x = {.title = stack->axis},
            .series = stack->series,
            .series_count = stack->series ? stack->parts : 0});
}

static void breakdowns(const struct figure *f)
{
    static const struct stack stacks[] = {
        {"time", "where the time of a step goes", "time of a step", "time_s", "s", NULL, PARTS},
        {"shares", "shares of the step", "share", "share", "%", NULL, PARTS},
        {"memory", "memory of a GPU", "memory", "bytes", "B", page_memory_series, RK_CATEGORIES},
    };
    for (int i = 0; i < COUNT_OF(stacks); i++)
        stacked_bars(f, &stacks[i]);
}

/* The best strategies of a figure of few points that kept several: by their degrees. */
static enum rk_status ranked(const struct figure *f, struct rk_error *error)
{
    static const struct stack stack = {
        "best", "where the time of the best plans goes", "time of a step", "time_s", "s", NULL,
        PARTS};
    struct report *memory = &f->study->page->memory;
    struct study_page best = *f->study;
    const char *from = report_text(
        memory, "ranking WHERE figure = '%s' AND rank <= %d ORDER BY point, rank LIMIT %d", f->name,
        (int)(MOST_BARS / f->count), MOST_BARS);
    best.point = NULL;
    best.count = 0;
    const enum rk_status status =
        study_query(f->study->database, points_sql(f->study->page, from), read_point, &best, error);
    struct figure figure = *f;
    figure.point = best.point;
    figure.count = best.count;
    figure.source = report_text(memory, "sqlite3 %s \"SELECT * FROM %s\"",
                                page_word(f->study->page, f->study->path), from);
    for (size_t i = 0, rank = 0; i < best.count; i++) {
        struct point *p = &best.point[i];
        rank = i && best.point[i - 1].number == p->number ? rank + 1 : 1;
        p->label = report_text(memory, "%" PRIu64 " #%zu: %" PRIu64 " x %" PRIu64 " x %" PRIu64,
                               p->number, rank, p->tensor, p->pipeline, p->data);
    }
    if (status == RK_OK && best.count > f->count) stacked_bars(&figure, &stack);
    free(best.point);
    return status;
}

/* ---- a figure ---- */

static enum rk_status figure_table(const struct figure *f, struct rk_error *error)
{
    if (f->count > MOST_LISTED) {
        html_add(f->study->page,
                 &(struct html_block){HTML_WARNING,
                                      .text = "Too many points to list them here: the charts' CSV "
                                              "has them, and `reckon study --export`."});
        return RK_OK;
    }
    return list(f->study, "The best plan of each point",
                report_text(&f->study->page->memory,
                            "SELECT point, model, system, gpus, max_batch, datatype, axes, "
                            "strategies AS plans, fits, step_s, samples_per_s, mfu, hbm_bytes, "
                            "offload_bytes, tensor, pipeline, data, chunks, microbatch, "
                            "recompute FROM result WHERE figure = '%s' ORDER BY point",
                            f->name),
                error);
}

static enum rk_status show_figure(struct figure *f, struct rk_error *error)
{
    struct html_page *page = f->study->page;
    f->source =
        report_text(&page->memory, "sqlite3 %s \"SELECT * FROM result WHERE figure = '%s'\"",
                    page_word(page, f->study->path), f->name);
    find_varying(f);
    for (size_t i = 0; i < f->count; i++)
        f->point[i].label = label_of(f, &f->point[i], -1);
    page_section(page, report_text(&page->memory, "figure-%s", f->name), f->name,
                 *f->point->title ? f->point->title : NULL);
    cost_over_days(f);
    efficiency(f);
    breakdowns(f);
    const enum rk_status status = f->count <= MOST_BARS / 4 ? ranked(f, error) : RK_OK;
    return status == RK_OK ? figure_table(f, error) : status;
}

static enum rk_status show_figures(struct study_page *s, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (size_t from = 0, to; from < s->count && status == RK_OK; from = to) {
        struct figure f = {.study = s, .name = s->point[from].figure, .point = &s->point[from]};
        for (to = from; to < s->count && strcmp(s->point[to].figure, f.name) == 0; to++)
            f.count++;
        status = show_figure(&f, error);
    }
    return status;
}

/* ---- the page ---- */

static enum rk_status read_title(void *context, int columns, const char *const *names,
                                 const struct study_value *values, struct rk_error *error)
{
    struct html_page *page = context;
    (void)columns;
    (void)names;
    (void)error;
    if (values[0].type == STUDY_TEXT && *values[0].text) page->title = text_of(page, &values[0]);
    return RK_OK;
}

static enum rk_status inputs(const struct study_page *s, struct rk_error *error)
{
    static const struct {
        const char *title, *sql;
    } lists[] = {
        {"The study", "SELECT name, CAST(value AS TEXT) AS value FROM study ORDER BY name"},
        {"Models", "SELECT * FROM model ORDER BY name"},
        {"Systems", "SELECT * FROM system ORDER BY name"},
    };
    enum rk_status status = RK_OK;
    page_section(s->page, "inputs", "Inputs", "As the database has them: reckon-study(5).");
    for (int i = 0; i < COUNT_OF(lists) && status == RK_OK; i++)
        status = list(s, lists[i].title, lists[i].sql, error);
    return status;
}

static enum rk_status fill(struct study_page *s, struct rk_error *error)
{
    struct html_page *page = s->page;
    page->title = "A study";
    page->subtitle = s->path;
    enum rk_status status = study_query(s->database, "SELECT value FROM study WHERE name = 'title'",
                                        read_title, page, error);
    if (status == RK_OK)
        status = study_query(s->database, points_sql(page, "result ORDER BY figure_number, point"),
                             read_point, s, error);
    if (status != RK_OK) return status;
    page_section(page, "summary", "Summary", NULL);
    status = list(
        s, "Figures",
        "SELECT figure, points, finished, can_run, strategies AS plans, fits FROM progress", error);
    if (s->count == 0)
        html_add(page, &(struct html_block){HTML_WARNING, .text = "No point is finished yet."});
    if (status == RK_OK) status = show_figures(s, error);
    return status == RK_OK ? inputs(s, error) : status;
}

enum rk_status page_study(struct html_page *page, const char *path, struct rk_error *error)
{
    struct study_page s = {.page = page, .path = path, .ways = FIXED_WAYS};
    memcpy(s.way, fixed_ways, sizeof fixed_ways);
    enum rk_status status = study_database_open(path, STUDY_READ, &s.database, error);
    if (status == RK_OK) status = fill(&s, error);
    study_database_close(s.database);
    free(s.point);
    return status;
}
