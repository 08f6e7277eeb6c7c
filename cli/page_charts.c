/* page_charts.c - the charts of a study's figures. */
#include "base/number.h"
#include "cli/page_study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const study_part_names[PARTS] = {
#define FIGURE(by, name, unit, help)
#define FIGURE_TIME(by, name, help) #name,
#include <reckon/figures.def>
};

static const struct report_column point_columns[] = {
    {.name = "category", .title = "point"},
    {.name = "series"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "mfu", .title = "MFU", .unit = "%"},
    {.name = "compute", .title = "compute efficiency", .unit = "%"},
    {.name = "system", .title = "system efficiency", .unit = "%"},
    {.name = "samples_per_s", .title = "samples/s"},
    {.name = "step_s", .title = "step", .unit = "s"},
    {.name = "hbm_bytes", .title = "memory", .unit = "B"},
    {.name = "days"},
    {.name = "cost_usd", .title = "cost in USD", .unit = "n"},
    {.name = "degrees", .title = "tensor x pipeline x data"},
};

static const char *const metrics[] = {"samples_per_s", "step_s", "mfu",      "compute", "system",
                                      "hbm_bytes",     "days",   "cost_usd", NULL};

/* A row per point, without numbers where nothing runs; the category is the way `along`, the series
 * all others. */
static const struct report_table *point_table(const struct figure *f, int along)
{
    struct html_page *page = f->study->page;
    struct report_table *table = page_table(page, point_columns, COUNT_OF(point_columns));
    for (size_t i = 0; i < f->count; i++) {
        const struct point *p = &f->point[i];
        REPORT_ROW(&page->memory, table,
                   cell_text(along >= 0 ? study_value_of(p, along) : p->label),
                   cell_text(study_label_of(f, p, along)), cell_count(p->gpus),
                   p->runs ? cell_number(p->mfu) : cell_none(), cell_number(p->compute),
                   cell_number(p->system), p->runs ? cell_number(p->samples_per_s) : cell_none(),
                   p->runs ? cell_number(p->step_s) : cell_none(),
                   p->runs ? cell_number(p->hbm_bytes) : cell_none(),
                   p->days > 0 ? cell_number(p->days) : cell_none(),
                   p->cost_usd > 0 ? cell_number(p->cost_usd) : cell_none(),
                   cell_text(report_text(&page->memory, "%" PRIu64 " x %" PRIu64 " x %" PRIu64,
                                         p->tensor, p->pipeline, p->data)));
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
    const int count = study_count_labels(f, gpus);
    struct chart_series *series = report_alloc(&page->memory, (size_t)count * sizeof *series);
    int used = 0;
    for (size_t i = 0; series && i < f->count && used < count; i++) {
        const char *label = study_label_of(f, &f->point[i], gpus);
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
void page_study_cost_over_days(const struct figure *f)
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
        REPORT_ROW(&page->memory, table, cell_number(p->days), cell_number(p->cost_usd),
                   cell_number(p->energy_kWh), cell_text(study_label_of(f, p, 2)),
                   cell_text(report_text(&page->memory, "%" PRIu64 " GPUs", p->gpus)));
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
                         .metrics = metrics,
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
            .metrics = metrics,
            .source = f->source,
            .table = point_table(f, along),
            .role = {[CHART_X] = "category", [CHART_Y] = "series", [CHART_VALUE] = "samples_per_s"},
            .x = {.title = way_title(f, along)}});
}

void page_study_efficiency(const struct figure *f)
{
    int gpus = -1;
    for (int i = 0; i < f->varying; i++)
        if (f->varies[i] == 2 && f->values[i] > 2) gpus = 2;
    const int along = gpus >= 0 ? gpus : f->varying ? f->varies[0] : -1;
    const int rest = study_count_labels(f, along);
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
    const int length = (int)strlen(study_part_names[part]) - (int)strlen("_s");
    return report_text(&page->memory, "%.*s", length, study_part_names[part]);
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
                REPORT_ROW(&page->memory, table, cell_text(f->point[i].label),
                           cell_text(part_name(page, stack, part)), cell_number(value));
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

void page_study_breakdowns(const struct figure *f)
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
enum rk_status page_study_ranked(const struct figure *f, struct rk_error *error)
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
    const enum rk_status status = study_query(
        f->study->database, study_points_sql(f->study->page, from), study_read_point, &best, error);
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
