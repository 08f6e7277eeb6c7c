/* page_answer.c - the answer of any command as a page: a verdict, a chart, its tables and lines. */
#include "cli/pages.h"
#include "cli/show.h"
#include "report/report.h"

#include <string.h>

enum { MOST_BARS = 40 };

/* ---- the command that was given ---- */

static char **given;
static int given_count;

void page_given(int count, char **words)
{
    given_count = count;
    given = words;
}

/* Without where it writes to, which says nothing of the numbers. */
static const char *given_command(struct html_page *page)
{
    const char *text = "reckon";
    for (int i = 0; i < given_count; i++) {
        const char *word = given[i];
        if (strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0)
            i++;
        else if (strncmp(word, "--output=", 9) != 0)
            text = report_text(&page->memory, "%s %s", text, page_word(page, word));
    }
    return given_count ? text : NULL;
}

/* ---- lines ---- */

/* A line to copy. */
static bool is_command(const char *line)
{
    return strncmp(line + strspn(line, " "), "reckon ", 7) == 0;
}

/* What "==== heading ====" says; NULL of other lines. */
static const char *heading_of(struct report *memory, const char *line)
{
    const size_t length = strlen(line), edge = strlen(HEADING_EDGE);
    if (length <= 2 * edge || strncmp(line, HEADING_EDGE, edge) != 0) return NULL;
    return report_text(memory, "%.*s", (int)(length - 2 * edge - 2), line + edge + 1);
}

static void add_line(struct html_page *page, const char *line)
{
    const char *heading = heading_of(&page->memory, line);
    if (heading)
        html_add(page, &(struct html_block){HTML_SECTION, .title = heading});
    else
        html_add(page, &(struct html_block){is_command(line) ? HTML_COMMAND : HTML_TEXT,
                                            .text = line + strspn(line, " ")});
}

/* The plan and what was assumed of it: neither a title nor an answer. */
static bool is_about_plan(const char *line)
{
    line += strspn(line, " ");
    return strncmp(line, "plan: ", 6) == 0 || strncmp(line, "assumed: ", 9) == 0;
}

static bool is_line(const struct report_table *table)
{
    return table->shape == REPORT_NOTE || table->shape == REPORT_PARAGRAPH;
}

static const char *line_of(const struct report_table *table)
{
    return table->title ? table->title + strspn(table->title, " ") : "";
}

static const char *title_of(struct html_page *page, const struct report *report)
{
    if (report->title) return report->title;
    for (const struct report_table *t = report->first; t; t = t->next) {
        if (!(t->formats & REPORT_IN_TEXT) || !t->title || !*t->title) continue;
        if (is_line(t) && is_about_plan(t->title)) continue;
        const char *heading = is_line(t) ? heading_of(&page->memory, t->title) : NULL;
        return heading ? heading : line_of(t);
    }
    return "reckon";
}

/* ---- the verdict ---- */

/* The first line that is no heading and no command: what commands say first. */
static const struct report_table *first_line(struct html_page *page, const struct report *report)
{
    for (const struct report_table *t = report->first; t; t = t->next)
        if (is_line(t) && *line_of(t) && line_of(t) != page->title &&
            !heading_of(&page->memory, t->title) && !is_command(t->title) &&
            !is_about_plan(t->title))
            return t;
    return NULL;
}

void page_report_head(struct html_page *page, const struct report *report, int status)
{
    page->memory.failed |= report->failed;
    if (!page->title) page->title = title_of(page, report);
    const struct report_table *line = report->verdict ? NULL : first_line(page, report);
    const char *text = report->verdict ? report->verdict
                       : line          ? page_sentence(page, line->title)
                       : status == RK_OK
                           ? report_text(&page->memory, "%s: all rows are below.", page->title)
                           : "There is no answer: the reasons are below.";
    const enum report_tone tone = report->verdict   ? report->tone
                                  : status == RK_OK ? REPORT_PLAIN
                                                    : REPORT_BAD;
    html_add(page, &(struct html_block){HTML_VERDICT, .title = text, .tone = tone,
                                        .source = given_command(page)});
}

/* ---- the chart ---- */

static const char *chart_id(struct html_page *page, const struct report_table *table)
{
    char *id = report_alloc(&page->memory, strlen(table->name ? table->name : "") + 7);
    if (!id) return "chart";
    strcat(strcpy(id, "chart-"), table->name ? table->name : "");
    for (char *c = id; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", *c)) *c = '-';
    return id;
}

/* As the table says it. */
static void draw_given(struct html_page *page, const struct report_table *table)
{
    struct chart chart = chart_over(&page->memory, table->chart, table);
    if (!chart.id) chart.id = chart_id(page, table);
    if (!chart.title) chart.title = table->title ? table->title : page->title;
    page_chart(page, &chart);
}

/* Numbers with a unit come first: they are what a table is about. */
static const char *value_column(const struct report_table *table, const struct report_cell *cells)
{
    for (int unit = 1; unit >= 0; unit--)
        for (int i = 1; i < table->column_count; i++) {
            const struct report_column *column = &table->columns[i];
            const bool number =
                cells[i].type == REPORT_NUMBER || (!unit && cells[i].type == REPORT_COUNT);
            if (number && column->bar == REPORT_NO_BAR &&
                (!unit || (column->unit && *column->unit)))
                return column->name;
        }
    return NULL;
}

/* Where texts of the first column repeat, those of the second tell the bars apart: "LoRA" with
 * "least memory" and with "most tokens/s". */
static const char *series_column(const struct report_table *table)
{
    char before[128] = "";
    struct report_cell cells[REPORT_MAX_COLUMNS];
    for (size_t i = 0; i < table->rows && table->column_count > 2; i++) {
        table_row(table, i, cells);
        if (cells[0].type != REPORT_TEXT || cells[1].type != REPORT_TEXT) return NULL;
        if (strcmp(before, cells[0].as.text) == 0) return table->columns[1].name;
        snprintf(before, sizeof before, "%s", cells[0].as.text);
    }
    return NULL;
}

/* Bars of the first column with a unit, for the texts of the first column; false: it has none. */
static bool draw_bars(struct html_page *page, const struct report_table *table)
{
    struct report_cell cells[REPORT_MAX_COLUMNS];
    struct report_table first = *table;
    if (table->shape != REPORT_ROWS || table->rows < 2 || table->column_count < 2) return false;
    table_row(table, 0, cells);
    const char *value = value_column(table, cells);
    if (!value) return false;
    if (first.rows > MOST_BARS) first.rows = MOST_BARS;
    struct chart chart = {.id = chart_id(page, table),
                          .title = table->title ? table->title : page->title,
                          .kind = CHART_BARS,
                          .beside = true,
                          .role = {[CHART_Y] = table->columns[0].name,
                                   [CHART_VALUE] = value,
                                   [CHART_SERIES] = series_column(&first)}};
    if (first.rows < table->rows)
        chart.caption = report_text(&page->memory, "The first %d rows; the table has all %zu.",
                                    MOST_BARS, table->rows);
    chart = chart_over(&page->memory, &chart, &first);
    page_chart(page, &chart);
    return chart.table && chart_drawn(&chart) > 0;
}

/* What heads the page: the first chart that a table asks for, else bars of the first that has some;
 * the table of the chart is returned. */
static const struct report_table *draw_first(struct html_page *page, const struct report *report)
{
    for (const struct report_table *t = report->first; t; t = t->next)
        if (t->chart && t->rows) {
            draw_given(page, t);
            return t;
        }
    for (const struct report_table *t = report->first; t; t = t->next)
        if (t->formats & REPORT_IN_TEXT && !is_line(t) && draw_bars(page, t)) return t;
    return NULL;
}

/* ---- the whole ---- */

/* `drawn` has its chart already. */
static void add_tables(struct html_page *page, const struct report *report,
                       const struct report_table *drawn)
{
    for (const struct report_table *t = report->first; t; t = t->next) {
        if (t->chart && t != drawn && t->rows) draw_given(page, t);
        if (!(t->formats & REPORT_IN_TEXT)) continue;
        if (is_line(t) && *line_of(t) && line_of(t) != page->title)
            add_line(page, t->title);
        else if (!is_line(t))
            page_show(page, line_of(t) == page->title ? NULL : t->title, t, NULL);
    }
}

void page_report(struct html_page *page, const struct report *report)
{
    page->memory.failed |= report->failed;
    if (!page->title) page->title = title_of(page, report);
    add_tables(page, report, NULL);
}

/* The same headed by the verdict and a chart: the one that a table has, else bars of the first
 * table that has numbers. `status` is the command's exit code. */
static void page_answer(struct html_page *page, const struct report *report, int status)
{
    page_report_head(page, report, status);
    add_tables(page, report, draw_first(page, report));
}

enum rk_status page_of_answer(const struct report *report, const char *path, int status,
                              struct rk_error *error)
{
    struct html_page page = {.title = NULL};
    page_answer(&page, report, status);
    const enum rk_status written = page_write(&page, path, NULL, NULL, PAGE_HTML, error);
    html_release(&page);
    return written;
}
