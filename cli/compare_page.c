/* A comparison as a page: its tables and checks, with the charts drawn. */
#include "base/memory.h"
#include "cli/compare.h"
#include "cli/pages.h"

#include <stdlib.h>

static struct report_cell value_of(struct html_page *page, const struct study_value *value,
                                   bool text)
{
    struct report *memory = &page->memory;
    if (value->type == STUDY_TEXT) return cell_text(report_text(memory, "%s", value->text));
    if (value->type == STUDY_NULL) return cell_none();
    const double number = value->type == STUDY_REAL ? value->real : (double)value->integer;
    return text ? cell_text(report_text(memory, "%g", number)) : cell_number(number);
}

/* Columns (series, x, y), of bars (bar, series, value): which of them are texts? */
static bool is_text(enum comparison_drawing drawing, int column)
{
    return column == 0 || (drawing == COMPARISON_BARS && column == 1);
}

/* Lines of the series in the order of their first row. */
static void draw_lines(struct html_page *page, struct chart *chart)
{
    struct chart_names names;
    if (!chart_names(chart, CHART_SERIES, &names)) return;
    struct chart_series *series =
        report_alloc(&page->memory, ((size_t)names.count + 1) * sizeof *series);
    for (int i = 0; series && i < names.count; i++)
        series[i] = (struct chart_series){names.name[i], (enum chart_colour)(i % CHART_COLOURS),
                                          CHART_LINE};
    chart->series = series;
    chart->series_count = series ? names.count : 0;
    free(names.name);
}

static void add_chart(struct html_page *page, const struct comparison_item *item)
{
    struct report_column *column = report_alloc(&page->memory, 3 * sizeof *column);
    const bool bars = item->drawing == COMPARISON_BARS;
    if (!column || item->columns != 3) return;
    for (int i = 0; i < 3; i++)
        column[i] = (struct report_column){.name = item->column[i], .digits = 6};
    struct report_table *table = page_table(page, column, 3);
    for (size_t row = 0; row < item->rows; row++) {
        struct report_cell cells[3];
        for (int i = 0; i < 3; i++)
            cells[i] = value_of(page, &item->value[3 * row + (size_t)i], is_text(item->drawing, i));
        report_row(&page->memory, table, cells);
    }
    struct chart chart = {.id = item->name, .title = item->title, .table = table, .beside = true};
    if (bars) {
        chart.kind = CHART_BARS;
        chart.role[CHART_Y] = item->column[0];
        chart.role[CHART_SERIES] = item->column[1];
        chart.role[CHART_VALUE] = item->column[2];
    } else {
        chart.kind = CHART_XY;
        chart.role[CHART_SERIES] = item->column[0];
        chart.role[CHART_X] = item->column[1];
        chart.role[CHART_Y] = item->column[2];
    }
    if (item->drawing == COMPARISON_LINES) draw_lines(page, &chart);
    page_chart(page, &chart);
}

/* The report must live as long as the page. */
static void add_part(struct html_page *page, const struct study_comparison *comparison, size_t from,
                     size_t to, struct report *report)
{
    struct study_comparison part = *comparison;
    part.item += from;
    part.items = to - from;
    if (to < comparison->items) part.checks = part.commands = part.experiments = 0;
    compare_fill(report, &part);
    page_report(page, report);
}

static void add_parts(struct html_page *page, const struct study_comparison *comparison,
                      struct report *report)
{
    size_t from = 0, parts = 0;
    for (size_t i = 0; i < comparison->items; i++) {
        const struct comparison_item *item = &comparison->item[i];
        if (item->kind != COMPARISON_CHART && item->kind != COMPARISON_HEADING) continue;
        add_part(page, comparison, from, i, &report[parts++]);
        from = i + 1;
        if (item->kind == COMPARISON_CHART)
            add_chart(page, item);
        else
            page_section(page, NULL, item->title, NULL);
    }
    add_part(page, comparison, from, comparison->items, &report[parts]);
}

enum rk_status compare_page(const struct study_comparison *comparison, const char *title,
                            const char *source, const char *path, struct rk_error *error)
{
    struct html_page page = {.title = title, .subtitle = source};
    struct report *report = calloc(comparison->items + 1, sizeof *report);
    if (!report) return no_memory(error);
    html_add(&page,
             &(struct html_block){
                 HTML_VERDICT, .tone = comparison->broken ? REPORT_BAD : REPORT_GOOD,
                 .title = report_text(&page.memory,
                                      "%zu of %zu statements hold; %zu of those "
                                      "that must hold do not.",
                                      comparison->hold, comparison->checks, comparison->broken)});
    add_parts(&page, comparison, report);
    const enum rk_status status = page_write(&page, path, title, NULL, PAGE_HTML, error);
    html_release(&page);
    for (size_t i = 0; i <= comparison->items; i++)
        report_release(&report[i]);
    free(report);
    return status;
}
