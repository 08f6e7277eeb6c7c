#include "report/chart.h"
#include "report/html.h"
#include "report/markup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- charts made by hand ---- */

static const struct report_column columns[] = {
    {.name = "category"},
    {.name = "part"},
    {.name = "value_s", .title = "value", .unit = "s"},
    {.name = "limit_s", .unit = "s"},
    {.name = "from"},
    {.name = "to"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static struct report report;
static struct report_table *table;

static void open_table(void)
{
    table =
        report_add(&report, &(struct report_table){.columns = columns, .column_count = COLUMNS});
}

static void close_table(void)
{
    report_release(&report);
}

TestSuite(chart, .init = open_table, .fini = close_table);

static void add(const char *category, const char *part, double value, double limit, double from,
                double to)
{
    report_row(&report, table,
               (const struct report_cell[]){cell_text(category), cell_text(part),
                                            cell_number(value), cell_number(limit),
                                            cell_number(from), cell_number(to)});
}

static struct chart bars_of_table(void)
{
    return (struct chart){.id = "test",
                          .title = "A test",
                          .kind = CHART_BARS,
                          .table = table,
                          .role = {[CHART_Y] = "category",
                                   [CHART_VALUE] = "value_s",
                                   [CHART_SERIES] = "part",
                                   [CHART_LIMIT] = "limit_s"},
                          .limit = "limit"};
}

static char *written(void (*write)(const struct chart *, FILE *), const struct chart *chart)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    write(chart, out);
    fclose(out);
    return text;
}

static int occurrences(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* Rows of JSON: a line each, behind "rows". */
static int rows_in(const char *json)
{
    cr_assert_null(strstr(json, "nan"));
    cr_assert_null(strstr(json, "inf"));
    return occurrences(strstr(json, "\"rows\":["), "\n[");
}

Test(chart, stacks_reach_as_high_as_their_sum)
{
    add("a", "x", 1, 5, 0, 0);
    add("b", "x", 2, 5, 0, 0);
    add("a", "y", 3, 5, 0, 0); /* a: 1 + 3 = 4, b: 2; the mark at 5 */
    struct chart chart = bars_of_table();
    cr_assert_eq(chart_range(&chart, CHART_VALUE).max, 5);
    chart.role[CHART_LIMIT] = NULL;
    cr_assert_eq(chart_range(&chart, CHART_VALUE).max, 4);
    cr_assert_eq(chart_range(&chart, CHART_VALUE).min, 0);
    chart.beside = true;
    cr_assert_eq(chart_range(&chart, CHART_VALUE).max, 3);
}

Test(chart, rows_without_numbers_are_not_drawn)
{
    add("a", "x", 1, NAN, 0, 0);
    add("a", "y", NAN, NAN, 0, 0);
    add("b", "x", INFINITY, NAN, 0, 0);
    const struct chart chart = bars_of_table();
    char *json = written(chart_write_json, &chart);
    cr_assert_eq(chart_drawn(&chart), 1);
    cr_assert_eq(rows_in(json), 3); /* with null, which the script leaves out */
    cr_assert_eq(occurrences(json, "null"), 5);
    free(json);
}

Test(chart, a_logarithmic_axis_takes_numbers_above_0)
{
    add("a", "x", 0, 0, 100, 8);
    add("a", "x", 0, 0, 0, 8);
    add("a", "x", 0, 0, -1, 8);
    struct chart chart = bars_of_table();
    chart.kind = CHART_XY;
    chart.role[CHART_X] = "from";
    chart.role[CHART_Y] = "to";
    cr_assert_eq(chart_drawn(&chart), 3);
    chart.x.log = true;
    cr_assert_eq(chart_drawn(&chart), 1);
}

Test(chart, ticks_are_the_numbers_when_they_are_few)
{
    double ticks[CHART_TICKS];
    struct chart chart = bars_of_table();
    chart.kind = CHART_XY;
    chart.role[CHART_X] = "from";
    chart.role[CHART_Y] = "to";
    chart.x.log = chart.y.log = true;
    for (int i = 0; i < 3; i++)
        add("a", "x", 0, 0, 256 << i, 3 * pow(10, i)); /* y: 3, 30, 300 */
    cr_assert_eq(chart_log_ticks(&chart, CHART_X, ticks), 3);
    cr_assert(ticks[0] == 256 && ticks[1] == 512 && ticks[2] == 1024);
    static const double around[] = {2, 5, 10, 20, 50, 100, 200, 500};
    cr_assert_eq(chart_log_ticks(&chart, CHART_Y, ticks), 8);
    for (int i = 0; i < 8; i++)
        cr_assert_float_eq(ticks[i], around[i], 1e-9);
    add("a", "x", 0, 0, 2048, 30000);                         /* four decades */
    cr_assert_eq(chart_log_ticks(&chart, CHART_Y, ticks), 6); /* 1, 10, ..., 100000 */
    cr_assert_float_eq(ticks[0], 1, 1e-12);
    cr_assert_float_eq(ticks[5], 100000, 1e-7);
    chart.y.log = false;
    cr_assert_eq(chart_log_ticks(&chart, CHART_Y, ticks), 0);
}

Test(chart, listed_series_come_first)
{
    static const struct chart_series listed[] = {{"y", CHART_RED, CHART_LINE},
                                                 {"not there", CHART_GREEN, CHART_POINTS}};
    int count;
    add("a", "x", 1, 0, 0, 0);
    add("a", "y", 1, 0, 0, 0);
    struct chart chart = bars_of_table();
    chart.series = listed;
    chart.series_count = 2;
    struct chart_series *all = chart_all_series(&chart, &count);
    cr_assert_eq(count, 2);
    cr_assert_str_eq(all[0].name, "y");
    cr_assert_eq(all[0].colour, CHART_RED);
    cr_assert_str_eq(all[1].name, "x");
    free(all);
}

Test(chart, json_has_every_row_and_role_of_every_kind)
{
    for (int i = 0; i < 4; i++)
        add(i < 2 ? "a" : "b", i % 2 ? "x" : "y", i + 1, 9, 10 * i, 10 * i + 10);
    for (int kind = 0; kind < CHART_KINDS; kind++) {
        struct chart chart = bars_of_table();
        chart.kind = (enum chart_kind)kind;
        chart.role[CHART_X] = kind == CHART_HEAT ? "part" : "from";
        chart.role[CHART_X_END] = "to";
        char *json = written(chart_write_json, &chart);
        cr_assert_eq(rows_in(json), 4);
        cr_assert_not_null(strstr(json, chart_kind_names[kind]));
        cr_assert_not_null(strstr(json, kind == CHART_HEAT ? "\"x\":1" : "\"x\":4"), "%s", json);
        cr_assert_not_null(strstr(json, "\"x_end\":5"));
        free(json);
    }
}

Test(chart, nothing_to_draw_is_no_accident)
{
    const struct chart chart = bars_of_table();
    char *json = written(chart_write_json, &chart);
    cr_assert_eq(rows_in(json), 0);
    free(json);
}

Test(chart, csv_has_all_digits)
{
    add("a, b", "x", 0.1, 5, 1e-300, 2);
    const struct chart chart = bars_of_table();
    char *csv = written(chart_write_csv, &chart);
    cr_assert_str_eq(csv, "category,part,value_s,limit_s,from,to\n\"a, b\",x,0.1,5,1e-300,2\n");
    free(csv);
}

/* ---- text in markup ---- */

static char *markup(void (*put)(FILE *, const char *), const char *text)
{
    char *buffer = NULL;
    size_t size;
    FILE *out = open_memstream(&buffer, &size);
    put(out, text);
    fclose(out);
    return buffer;
}

static void check_markup(void (*put)(FILE *, const char *), const char *text, const char *expected)
{
    char *result = markup(put, text);
    cr_assert_str_eq(result, expected);
    free(result);
}

Test(markup, text_cannot_leave_its_place)
{
    check_markup(markup_text, "a<b>&\"c\"", "a&lt;b&gt;&amp;&quot;c&quot;");
    check_markup(markup_text, "\xc3\xa9\n\t", "\xc3\xa9\n\t");
    check_markup(markup_text, "\x01\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    check_markup(markup_text, "\xed\xa0\x80",
                 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");              /* surrogate */
    check_markup(markup_text, "\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"); /* overlong */
    check_markup(markup_json, "</script>\"\\\n", "\"\\u003c/script\\u003e\\u0022\\u005c\\u000a\"");
    check_markup(markup_json, "\xe2\x80\xa8\xff", "\"\\u2028\xef\xbf\xbd\"");
}

Test(markup, values_for_people)
{
    static const struct {
        const char *unit;
        struct report_cell cell;
        const char *text;
    } cases[] = {
        {"s", {REPORT_NUMBER, {.number = 0.0125}}, "12.50 ms"},
        {"B", {REPORT_NUMBER, {.number = 0x1p30}}, "1 GiB"},
        {"%", {REPORT_NUMBER, {.number = 0.5}}, "50 %"},
        {"%", {REPORT_NUMBER, {.number = 0.4977}}, "49.8 %"},
        {"%", {REPORT_NUMBER, {.number = -0.009268}}, "-0.93 %"},
        {"%", {REPORT_NUMBER, {.number = 2.482}}, "248 %"},
        {"%", {REPORT_NUMBER, {.number = 6.4e-5}}, "0.01 %"},
        {"%", {REPORT_NUMBER, {.number = 6e-6}}, "< 0.01 %"},
        {"s", {REPORT_NUMBER, {.number = 25.56e-6}}, "25.56 µs"},
        {"1/s", {REPORT_NUMBER, {.number = 1109068.4}}, "1,109,068 1/s"},
        {NULL, {REPORT_COUNT, {.count = 1234567}}, "1,234,567"},
        {NULL, {REPORT_COUNT, {.count = 999}}, "999"},
        {"s", {REPORT_NUMBER, {.number = 0}}, "0 s"},
        {"B/s", {REPORT_NUMBER, {.number = INFINITY}}, "unlimited"},
        {NULL, {REPORT_FLAG, {.flag = true}}, "yes"},
        {NULL, {REPORT_NONE, {0}}, "-"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MARKUP_CELL];
        const struct report_column column = {.unit = cases[i].unit};
        cr_assert_str_eq(markup_cell(text, &column, &cases[i].cell), cases[i].text);
    }
}

/* ---- pages ---- */

static char *page_text(const struct html_page *page)
{
    char *text = NULL;
    size_t size;
    struct rk_error error;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(html_write(page, out, &error), RK_OK);
    fclose(out);
    return text;
}

Test(chart, pages_hold_hostile_names)
{
    static const char hostile[] = "</script><img src=x onerror=alert(1)>\xff";
    struct html_page page = {.title = hostile, .version = hostile};
    add(hostile, hostile, 1, 2, 0, 0);
    struct chart chart = bars_of_table();
    chart.title = chart.caption = chart.source = hostile;
    html_add(&page, &(struct html_block){HTML_SECTION, .id = "a", .title = hostile});
    html_add(&page, &(struct html_block){HTML_CHART, .chart = &chart});
    html_add(&page, &(struct html_block){HTML_TABLE, .title = hostile, .table = table});
    html_add(&page, &(struct html_block){HTML_CARDS, .table = table});
    html_add(&page, &(struct html_block){HTML_FILE, .title = hostile, .text = hostile});
    char *text = page_text(&page), *again = page_text(&page);
    cr_assert_null(strstr(text, "<img"));
    cr_assert_null(strchr(text, '\xff'));
    cr_assert_str_eq(text, again);
    cr_assert_eq(occurrences(text, "<figure"), 1);
    free(text);
    free(again);
    html_release(&page);
}

Test(chart, a_page_keeps_charts_that_are_gone)
{
    struct html_page page = {.title = "t", .version = "v"};
    {
        struct chart chart = bars_of_table();
        html_add(&page, &(struct html_block){HTML_CHART, .chart = &chart});
        chart.title = "changed";
    }
    const struct html_block *block = html_next_chart(&page, NULL);
    cr_assert_str_eq(block->chart->title, "A test");
    cr_assert_null(html_next_chart(&page, block));
    html_release(&page);
}

Test(chart, a_full_disk_is_an_error)
{
    struct rk_error error;
    const struct html_page page = {.title = "t", .version = "v"};
    FILE *full = fopen("/dev/full", "w");
    if (!full) cr_skip_test("there is no /dev/full");
    cr_assert_eq(html_write(&page, full, &error), RK_IO);
    fclose(full);
}
