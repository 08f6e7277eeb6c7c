#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "report/report.h"

static const struct report_column columns[] = {
    {.name = "name"},
    {.name = "time_s", .title = "time", .unit = "s", .digits = 2},
    {.name = "size_bytes", .title = "size", .unit = "B", .digits = 1},
    {.name = "share", .unit = "%", .digits = 1},
    {.name = "bar", .bar = REPORT_BAR_FILL},
};

static void add_row(struct report *report, struct report_table *table, const char *name,
                    double time_s, uint64_t bytes, double share)
{
    report_row(report, table,
               (const struct report_cell[]){cell_text(name), cell_number(time_s), cell_count(bytes),
                                            cell_number(share), cell_number(share)});
}

static void fill(struct report *report)
{
    static const struct report_column fields[] = {{.name = "id"}, {.name = "fits"}};
    report_note(report, "a headline");
    struct report_table *record =
        report_add(report, &(struct report_table){.name = "plan",
                                                  .shape = REPORT_RECORD,
                                                  .formats = REPORT_IN_JSON,
                                                  .columns = fields,
                                                  .column_count = 2});
    report_row(report, record, (const struct report_cell[]){cell_text("x"), cell_flag(true)});
    struct report_table *table = report_add(report, &(struct report_table){.name = "rows",
                                                                           .title = "Rows",
                                                                           .formats = REPORT_IN_ALL,
                                                                           .parent = record,
                                                                           .columns = columns,
                                                                           .column_count = 5});
    add_row(report, table, "a", 0.5, 1 << 20, 0.5);
    add_row(report, table, "long, \"name\"", 0.0625, 3 << 20, 1.5);
}

/* The report as text; the caller frees it. */
static char *written(const struct report *report, enum report_format format, bool utf8)
{
    const struct report_style style = {.utf8 = utf8};
    struct rk_error error;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(report_write(report, format, &style, out, &error), RK_OK);
    fclose(out);
    return text;
}

static void expect(enum report_format format, bool utf8, const char *expected)
{
    struct report report = {.first = NULL};
    fill(&report);
    char *text = written(&report, format, utf8);
    cr_expect_str_eq(text, expected);
    free(text);
    report_release(&report);
}

Test(report, text_scales_columns_and_draws_bars)
{
    /* one scale a column, that of its largest value: 500 ms, 3 MiB */
    expect(REPORT_AS_TEXT, false,
           "a headline\n\n"
           "Rows\n"
           "name            time  size  share\n"
           "                  ms   MiB      %\n"
           "a             500.00   1.0   50.0  ############............\n"
           "long, \"name\"   62.50   3.0  150.0  ########################\n");
}

Test(report, there_is_no_negative_zero)
{
    struct report report = {.first = NULL};
    struct report_table *table = REPORT_LIST(&report, "rows", NULL, REPORT_IN_ALL, columns);
    add_row(&report, table, "a", 1, 0, -0.0004);
    add_row(&report, table, "b", 1, 0, -0.0006);
    char *text = written(&report, REPORT_AS_TEXT, false);
    cr_expect_not_null(strstr(text, " 0.0 "), "%s", text);
    cr_expect_null(strstr(text, "-0.0 "), "%s", text);
    cr_expect_not_null(strstr(text, "-0.1"), "%s", text);
    free(text);
    report_release(&report);
}

Test(report, utf8_bars_are_as_wide)
{
    struct report report = {.first = NULL};
    fill(&report);
    char *text = written(&report, REPORT_AS_TEXT, true);
    cr_expect_not_null(strstr(text, "  ████████████░░░░░░░░░░░░\n"));
    free(text);
    report_release(&report);
}

/* In 40 columns: a text column is broken at spaces, then columns go into a part of their own, which
 * begins with the first column again; a command stays whole. */
Test(report, what_is_too_wide_is_broken)
{
    static const struct report_column wide[] = {
        {.name = "plan"}, {.name = "memory"}, {.name = "what_it_is"}, {.name = "remark"}};
    static const char *const lines[] = {
        "plan  memory  what it is",
        "a          1  one two three four five",
        "              six seven",
        "b         22  short",
        "",
        "plan  remark",
        "a     nothing that anybody need know", /* what room is left is taken */
        "b     -",
    };
    const struct report_style style = {.width = 40};
    struct report report = {.first = NULL};
    struct rk_error error;
    char expected[512] = "  one two three, and four five six seven\n  eight\n"
                         "  reckon a command that is longer than the line\n\n"
                         "A title, which goes on behind the\nfortieth column\n";
    char *text = NULL;
    size_t size;
    report_paragraph(&report, "one two three, and four five six seven eight");
    report_note(&report, "  reckon a command that is longer than the line");
    struct report_table *table = report_add(
        &report,
        &(struct report_table){.title = "A title, which goes on behind the fortieth column",
                               .columns = wide,
                               .column_count = 4,
                               .formats = REPORT_IN_TEXT});
    report_row(&report, table,
               (const struct report_cell[]){cell_text("a"), cell_count(1),
                                            cell_text("one two three four five six seven"),
                                            cell_text("nothing that anybody need know")});
    report_row(&report, table,
               (const struct report_cell[]){cell_text("b"), cell_count(22), cell_text("short"),
                                            cell_none()});
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        sprintf(expected + strlen(expected), "%s\n", lines[i]);
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(report_write(&report, REPORT_AS_TEXT, &style, out, &error), RK_OK);
    fclose(out);
    cr_expect_str_eq(text, expected);
    free(text);
    report_release(&report);
}

/* A part of a wide table has the columns that tell its rows apart. */
Test(report, parts_of_a_table_name_their_rows)
{
    static const struct report_column parted[] = {
        {.name = "figure"},
        {.name = "system"},
        {.name = "seconds", .unit = "s", .own_scale = true, .digits = 1},
        {.name = "a long word of a title"},
        {.name = "last", .digits = 3}};
    static const char expected[] = "figure  system  seconds\n"
                                   "one     x        2.50 h\n"
                                   "one     y         3.0 s\n"
                                   "\n"
                                   "figure  system  a long word of a title\n"
                                   "one     x                            1\n"
                                   "one     y                            2\n"
                                   "\n"
                                   "figure  system     last\n"
                                   "one     x       123,457\n"
                                   "one     y            12\n";
    const struct report_style style = {.width = 40};
    struct report report = {.first = NULL};
    struct rk_error error;
    char *text = NULL;
    size_t size;
    struct report_table *table = report_add(
        &report,
        &(struct report_table){.columns = parted, .column_count = 5, .formats = REPORT_IN_TEXT});
    report_row(&report, table,
               (const struct report_cell[]){cell_text("one"), cell_text("x"), cell_number(9000),
                                            cell_count(1), cell_number(123456.7)});
    report_row(&report, table,
               (const struct report_cell[]){cell_text("one"), cell_text("y"), cell_number(3),
                                            cell_count(2), cell_number(12)});
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(report_write(&report, REPORT_AS_TEXT, &style, out, &error), RK_OK);
    fclose(out);
    cr_expect_str_eq(text, expected);
    free(text);
    report_release(&report);
}

Test(columns, as_a_terminal_counts_them)
{
    cr_expect_eq(columns_of("llama"), 5);
    cr_expect_eq(columns_of("\xe6\xa8\xa1\xe5\x9e\x8b"), 4); /* two Chinese characters */
    cr_expect_eq(columns_of("e\xcc\x81t\xc3\xa9"), 3);       /* e with an accent, t, e with one */
    cr_expect_eq(columns_of("\xe2\x96\x88\xf0\x9f\x9a\x80"), 3); /* a bar, a rocket */
    cr_expect_eq(columns_of("\xff\xe6"), 2);                     /* no UTF-8 */
    cr_expect_eq(columns_piece("one two three", 8), 8);
    cr_expect_eq(columns_piece("model.layers.weight", 15), 13); /* behind a point */
    cr_expect_eq(columns_piece("offload=0.6412", 11), 8);       /* not behind that of a number */
    cr_expect_eq(columns_piece("abcdef", 4), 4);
    cr_expect_eq(columns_piece("\xe6\xa8\xa1\xe5\x9e\x8b", 3), 3); /* not through a character */
    cr_expect_eq(columns_piece("\xe6\xa8\xa1", 1), 3);             /* it gets on */
}

Test(report, json_nests_and_keeps_every_digit)
{
    expect(REPORT_AS_JSON, false,
           "{\n"
           "  \"plan\": {\n"
           "    \"id\": \"x\",\n"
           "    \"fits\": true,\n"
           "    \"rows\": [\n"
           "      {\n"
           "        \"name\": \"a\",\n"
           "        \"time_s\": 0.5,\n"
           "        \"size_bytes\": 1048576,\n"
           "        \"share\": 0.5\n"
           "      },\n"
           "      {\n"
           "        \"name\": \"long, \\\"name\\\"\",\n"
           "        \"time_s\": 0.0625,\n"
           "        \"size_bytes\": 3145728,\n"
           "        \"share\": 1.5\n"
           "      }\n"
           "    ]\n"
           "  }\n"
           "}\n");
}

Test(report, csv_quotes_what_needs_it)
{
    expect(REPORT_AS_CSV, false,
           "name,time_s,size_bytes,share\n"
           "a,0.5,1048576,0.5\n"
           "\"long, \"\"name\"\"\",0.0625,3145728,1.5\n");
}

/* One cell in a table of its own. */
static char *written_cell(struct report_cell cell, enum report_format format)
{
    static const struct report_column column = {.name = "v", .digits = 3};
    struct report report = {.first = NULL};
    struct report_table *table = report_add(
        &report, &(struct report_table){
                     .name = "t", .formats = REPORT_IN_ALL, .columns = &column, .column_count = 1});
    report_row(&report, table, &cell);
    char *text = written(&report, format, false);
    report_release(&report);
    return text;
}

static void expect_cell(struct report_cell cell, enum report_format format, const char *part)
{
    char *text = written_cell(cell, format);
    cr_expect_not_null(strstr(text, part), "%s is not in:\n%s", part, text);
    free(text);
}

Test(report, json_has_no_infinity)
{
    expect_cell(cell_number(INFINITY), REPORT_AS_JSON, "\"v\": null\n");
    expect_cell(cell_number(INFINITY), REPORT_AS_CSV, "v\ninf\n");
    expect_cell(cell_number(INFINITY), REPORT_AS_TEXT, "unlimited\n");
    expect_cell(cell_none(), REPORT_AS_JSON, "\"v\": null\n");
    expect_cell(cell_none(), REPORT_AS_CSV, "v\n\n");
}

Test(report, json_is_valid_whatever_the_text)
{
    expect_cell(cell_text("\x1b\n\x7f\\"), REPORT_AS_JSON, "\"\\u001b\\u000a\\u007f\\\\\"");
    expect_cell(cell_text("\xc3\xa9\xf0\x9f\x98\x80"), REPORT_AS_JSON,
                "\"\xc3\xa9\xf0\x9f\x98\x80\"");
    /* overlong, a surrogate, beyond U+10FFFF, cut short */
    expect_cell(cell_text("\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82"), REPORT_AS_JSON,
                "\"\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd\\ufffd|\\ufffd"
                "\\ufffd\"");
}

Test(report, numbers_read_back_as_they_were)
{
    static const double numbers[] = {0.1,     1.0 / 3, 1e300,  5e-324,
                                     123456., -0.0625, 0x1p53, 13.477789210500363,
                                     1e15,    1.7e308, 2.5e-5, 0};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *text = written_cell(cell_number(numbers[i]), REPORT_AS_CSV);
        cr_expect_eq(strtod(text + 2, NULL), numbers[i]);
        free(text);
    }
}

static void make_row(const void *context, size_t row, struct report_cell *cells)
{
    cells[0] = cell_count(*(const uint64_t *)context + row);
}

Test(report, rows_can_be_made_on_demand)
{
    static const struct report_column column = {.name = "v"};
    const uint64_t first = 40;
    struct report report = {.first = NULL};
    report_add(&report, &(struct report_table){.formats = REPORT_IN_CSV,
                                               .columns = &column,
                                               .column_count = 1,
                                               .rows = 3,
                                               .make = make_row,
                                               .context = &first});
    char *text = written(&report, REPORT_AS_CSV, false);
    cr_expect_str_eq(text, "v\n40\n41\n42\n");
    free(text);
    report_release(&report);
}

Test(report, many_rows_are_kept)
{
    static const struct report_column column = {.name = "v"};
    struct report report = {.first = NULL};
    struct report_table *table = report_add(
        &report,
        &(struct report_table){.formats = REPORT_IN_CSV, .columns = &column, .column_count = 1});
    for (uint64_t i = 0; i < 5000; i++)
        report_row(&report, table, &(struct report_cell){REPORT_COUNT, {.count = i}});
    char *text = written(&report, REPORT_AS_CSV, false), *at = text + 2;
    for (uint64_t i = 0; i < 5000; i++)
        cr_assert_eq(strtoull(at, &at, 10), i);
    free(text);
    report_release(&report);
}

Test(report, a_failed_report_or_file_says_so)
{
    struct report report = {.failed = true};
    struct rk_error error;
    cr_assert_eq(report_write(&report, REPORT_AS_JSON, NULL, stdout, &error), RK_NO_MEMORY);

    report = (struct report){.first = NULL};
    fill(&report);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        cr_assert_eq(report_write(&report, REPORT_AS_JSON, NULL, full, &error), RK_IO);
        fclose(full);
    }
    report_release(&report);
}

Test(report, an_answer_stands_before_what_was_added_first)
{
    static const struct report_column tokens[] = {{.name = "tokens", .of_1024 = true}};
    struct report report = {.first = NULL};
    report_row(&report, REPORT_LIST(&report, NULL, NULL, REPORT_IN_ALL, tokens),
               (const struct report_cell[]){cell_count(360448)});
    struct report_table *before = report.last;
    report_note(&report, "  its plan");
    report_to_front(&report, before);
    report_note(&report, "the rest");
    report_answer(&report, REPORT_GOOD, "the answer");
    char *text = written(&report, REPORT_AS_TEXT, true);
    char *csv = written(&report, REPORT_AS_CSV, true);
    cr_expect_str_eq(text, "the answer\n  its plan\n\ntokens\n  352K\n\nthe rest\n");
    cr_expect_str_eq(csv, "tokens\n360448\n"); /* programs get every digit */
    free(text);
    free(csv);
    report_release(&report);
}

/* Every type of a member, a member of a member, and columns that are none between them. */
Test(report, a_row_is_the_members_of_a_struct)
{
    struct inner {
        double time_s;
    };
    struct item {
        const char *text;
        char chars[8];
        int some;
        unsigned few;
        size_t many;
        unsigned long long more;
        struct inner of;
        bool flag;
    };
    static const struct report_column fields[] = {{.name = "a", REPORT_OF(struct item, text)},
                                                  {.name = "made"},
                                                  {.name = "b", REPORT_OF(struct item, chars)},
                                                  {.name = "c", REPORT_OF(struct item, some)},
                                                  {.name = "d", REPORT_OF(struct item, few)},
                                                  {.name = "e", REPORT_OF(struct item, many)},
                                                  {.name = "f", REPORT_OF(struct item, more)},
                                                  {.name = "g", REPORT_OF(struct item, of.time_s)},
                                                  {.name = "last"},
                                                  {.name = "h", REPORT_OF(struct item, flag)}};
    const struct item item = {"x", "yz", 3, 4, 5, 6, {0.5}, true};
    struct report report = {.first = NULL};
    report_item(&report, REPORT_LIST(&report, NULL, NULL, REPORT_IN_ALL, fields), &item,
                (const struct report_cell[]){cell_text("one"), cell_count(2)});
    char *csv = written(&report, REPORT_AS_CSV, true);
    cr_expect_str_eq(csv, "a,made,b,c,d,e,f,g,last,h\nx,one,yz,3,4,5,6,0.5,2,true\n");
    free(csv);
    report_release(&report);
}

/* A cell too few, which would be read from behind the array, and one too many end the program. */
static void add_pair(int cells)
{
    static const struct report_column fields[] = {
        {.name = "a", REPORT_OF(struct report_cell, type)}, {.name = "made"}};
    const struct report_cell item = cell_count(1), made[2] = {item, item};
    struct report report = {.first = NULL};
    struct report_table *table = REPORT_LIST(&report, NULL, NULL, REPORT_IN_ALL, fields);
    report_item_of(&report, table, &item, made, cells);
    report_release(&report);
}

Test(report, a_row_has_its_cells)
{
    add_pair(1);
}

Test(report, a_row_lacks_a_cell, .signal = SIGABRT)
{
    add_pair(0);
}

Test(report, a_row_has_a_cell_too_many, .signal = SIGABRT)
{
    add_pair(2);
}

/* Points stand below each other, as far as the digits of the column go. */
Test(report, decimals_aligned)
{
    static const struct report_column digits[] = {{.name = "rate", .digits = 5}};
    static const double rate[] = {1131.24, 1128, 95.8564, 12345, 1e-7, 0, NAN};
    static const char wanted[] = "rate\n1131.2\n1128.0\n95.856\n12,345\n1e-07\n0.000\n-\n";
    char *text = NULL;
    size_t size = 0;
    struct report report = {.first = NULL};
    struct report_table *table = REPORT_LIST(&report, "rates", NULL, REPORT_IN_TEXT, digits);
    for (size_t i = 0; i < sizeof rate / sizeof *rate; i++)
        report_row(&report, table, (const struct report_cell[]){cell_number(rate[i])});
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(
        report_write(&report, REPORT_AS_TEXT, &(struct report_style){.width = 0}, out, NULL),
        RK_OK);
    fclose(out);
    char bare[256] = "";
    for (const char *c = text; *c; c++)
        if (*c != ' ') strncat(bare, c, 1);
    cr_expect_str_eq(bare, wanted);
    free(text);
    report_release(&report);
}
