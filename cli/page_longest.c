#include "cli/page_longest.h"
#include "cli/pages.h"
#include "report/chart.h"

#include <inttypes.h>
#include <string.h>

const struct report_column page_longest_columns[PAGE_LONGEST_COLUMNS] = {
    {.name = "gpus", .title = "GPUs"},
    {.name = "kind"},
    {.name = "tokens", .of_1024 = true},
    {.name = "mfu", .title = "MFU", .unit = "%"},
    {.name = "hbm_bytes", .title = "memory of a GPU", .unit = "B"},
    {.name = "offload_bytes", .title = "lower memories", .unit = "B"},
};
enum { GPUS, KIND, TOKENS, MFU, HBM, LOWER };

/* ---- one chart: a column over the length, a line for each kind and number of GPUs ---- */

struct lines {
    struct report_column column[3];
    struct chart_series *series; /* (count), room for one of each point and the capacity */
    int count;
};

static const struct report_cell *point(const struct page_longest *l, size_t row)
{
    return &l->points->cells[row * PAGE_LONGEST_COLUMNS];
}

static bool several(const struct page_longest *l)
{
    for (size_t i = 1; i < l->points->rows; i++)
        if (point(l, i)[GPUS].as.count != point(l, 0)[GPUS].as.count) return true;
    return false;
}

static void note_line(struct lines *lines, const char *name, bool limit)
{
    for (int i = 0; i < lines->count; i++)
        if (strcmp(lines->series[i].name, name) == 0) return;
    const enum chart_colour colour =
        limit ? CHART_GREY : (enum chart_colour)(lines->count % CHART_GREY);
    lines->series[lines->count++] = (struct chart_series){name, colour, CHART_LINE};
}

static void add_points(struct html_page *page, const struct page_longest *l, int column,
                       struct report_table *table, struct lines *lines)
{
    const bool many = several(l);
    for (size_t i = 0; i < l->points->rows; i++) {
        const struct report_cell *cell = point(l, i);
        const char *name = cell[KIND].as.text;
        if (many) name = report_text(&page->memory, "%s, %" PRIu64, name, cell[GPUS].as.count);
        REPORT_ROW(&page->memory, table, cell_text(name), cell[TOKENS], cell[column]);
        note_line(lines, name, false);
    }
}

/* Where a memory ends: from the shortest to the longest sequence. */
static void add_capacity(struct html_page *page, const struct page_longest *l,
                         struct report_table *table, struct lines *lines, double bytes)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < l->points->rows; i++) {
        const uint64_t tokens = point(l, i)[TOKENS].as.count;
        least = tokens < least ? tokens : least;
        most = tokens > most ? tokens : most;
    }
    for (int end = 0; end < 2; end++)
        REPORT_ROW(&page->memory, table, cell_text("capacity"), cell_count(end ? most : least),
                   cell_number(bytes));
    note_line(lines, "capacity", true);
}

static void draw(struct html_page *page, const struct page_longest *l, int column,
                 const struct chart *words, double capacity_bytes)
{
    struct lines *lines = report_alloc(&page->memory, sizeof *lines);
    struct chart chart = *words;
    if (!lines || !l->points->rows) return;
    lines->series = report_alloc(&page->memory, (l->points->rows + 1) * sizeof *lines->series);
    if (!lines->series) return;
    lines->count = 0;
    lines->column[0] = (struct report_column){.name = "plan", .title = "plans"};
    lines->column[1] = (struct report_column){.name = "tokens", .of_1024 = true};
    lines->column[2] = page_longest_columns[column];
    struct report_table *table = page_table(page, lines->column, 3);
    add_points(page, l, column, table, lines);
    if (capacity_bytes > 0) add_capacity(page, l, table, lines, capacity_bytes);
    chart.kind = CHART_XY;
    chart.table = table;
    chart.role[CHART_X] = "tokens";
    chart.role[CHART_Y] = lines->column[2].name;
    chart.role[CHART_SERIES] = "plan";
    chart.x = (struct chart_axis){.title = "tokens of a sequence", .log = true};
    chart.series = lines->series;
    chart.series_count = lines->count;
    page_chart(page, &chart);
}

/* ---- the page ---- */

static void add_charts(struct html_page *page, const struct page_longest *l)
{
    const struct rk_memory *memory = l->system->memory;
    draw(page, l, MFU,
         &(struct chart){.id = "mfu",
                         .title = "MFU over length",
                         .caption = "The fastest plan of each kind at each length; a line ends "
                                    "where none of its kind fits. Of the scores those count that "
                                    "causal attention has."},
         0);
    draw(page, l, HBM,
         &(struct chart){.id = "gpu-memory",
                         .title = "What these plans need of a GPU's memory",
                         .caption = "Kinds without a lower memory end where this one is full."},
         memory[0].capacity_bytes);
    if (l->system->memories > 1)
        draw(page, l, LOWER,
             &(struct chart){.id = "lower-memory",
                             .title = "What they have in lower memories",
                             .caption = report_text(&page->memory,
                                                    "Of one GPU; the capacity is that of %s.",
                                                    memory[1].name)},
             memory[1].capacity_bytes);
}

enum rk_status page_longest(const struct page_longest *l, const char *path, struct rk_error *error)
{
    struct html_page page = {.title = "The longest sequence"};
    page.memory.failed = l->report->failed;
    page.subtitle = report_text(&page.memory, "%s on %s", l->model->id, l->system->id);
    bool drawn = false;
    page_report_head(&page, l->report, l->code);
    for (const struct report_table *t = l->report->first; t; t = t->next) {
        if (!(t->formats & REPORT_IN_TEXT)) continue;
        page_show(&page, t->title, t, NULL);
        if (!drawn) add_charts(&page, l);
        drawn = true;
    }
    page_inputs(&page, l->model, l->model_name, l->system, l->system_name, NULL);
    const enum rk_status status = page_write(&page, path, NULL, NULL, PAGE_HTML, error);
    html_release(&page);
    return status;
}
