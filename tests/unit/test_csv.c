/* Tables from CSV files [rfc4180]. */
#include "text/csv.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static enum rk_status parse(const char *text, struct csv *csv, struct rk_error *error)
{
    return csv_parse("t.csv", text, strlen(text), csv, error);
}

static struct csv parsed(const char *text)
{
    struct csv csv;
    struct rk_error error;
    cr_assert_eq(parse(text, &csv, &error), RK_OK, "%s: %s", text, error.text);
    return csv;
}

Test(csv, cells_by_row_and_column)
{
    struct csv csv = parsed("a,b,c\n1,,3\n4,5,\n");
    cr_expect_eq(csv.columns, 3);
    cr_expect_eq(csv.rows, 2);
    cr_expect_str_eq(csv.name[1], "b");
    cr_expect_str_eq(csv_cell(&csv, 0, 0), "1");
    cr_expect_str_eq(csv_cell(&csv, 0, 1), "");
    cr_expect_str_eq(csv_cell(&csv, 1, 1), "5");
    cr_expect_str_eq(csv_cell(&csv, 1, 2), "");
    cr_expect_eq(csv_column(&csv, "c"), 2);
    cr_expect_eq(csv_column(&csv, "d"), -1);
    csv_release(&csv);
}

Test(csv, quotes_hold_commas_quotes_and_line_ends)
{
    struct csv csv = parsed("a,b\r\n\"x, \"\"y\"\"\",\"one\ntwo\"\r\n\"\",z\r\n");
    cr_expect_eq(csv.rows, 2);
    cr_expect_str_eq(csv_cell(&csv, 0, 0), "x, \"y\"");
    cr_expect_str_eq(csv_cell(&csv, 0, 1), "one\ntwo");
    cr_expect_str_eq(csv_cell(&csv, 1, 0), "");
    cr_expect_str_eq(csv_cell(&csv, 1, 1), "z");
    cr_expect_eq(csv.line[0], 2);
    cr_expect_eq(csv.line[1], 4); /* the first row takes two lines */
    csv_release(&csv);
}

Test(csv, comments_stand_before_the_names_alone)
{
    struct csv csv = parsed("\xef\xbb\xbf# a comment\n\n# another, with a \"quote\n"
                            "a,b\n\n#1,2");
    cr_expect_eq(csv.columns, 2);
    cr_expect_eq(csv.rows, 1);
    cr_expect_str_eq(csv_cell(&csv, 0, 0), "#1");
    cr_expect_str_eq(csv_cell(&csv, 0, 1), "2"); /* no line end behind the last row */
    csv_release(&csv);
}

Test(csv, what_is_wrong_is_said_with_its_line)
{
    static const struct {
        const char *text;
        int line;
        const char *says;
    } cases[] = {
        {"", 0, "is empty"},
        {"# nothing\n", 0, "is empty"},
        {"a,b,a\n", 1, "\"a\" stands there twice"},
        {"a,b\n1,2\n1,2,3\n", 3, "3 fields where the first line names 2"},
        {"a,b\n1\n", 2, "1 fields"},
        {"a,b\n1,\"2\n3,4\n", 2, "does not end"},
        {"a,b\n\"1\"2,3\n", 2, "after a quoted field"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct csv csv;
        struct rk_error error = {.text = ""};
        cr_expect_eq(parse(cases[i].text, &csv, &error), RK_BAD_INPUT, "%s", cases[i].text);
        cr_expect_eq(error.line, cases[i].line, "%s: line %d", cases[i].text, error.line);
        cr_expect(strstr(error.text, cases[i].says), "%s: %s", cases[i].text, error.text);
        cr_expect_str_eq(error.path, "t.csv");
        cr_expect_null(csv.text);
    }
    struct csv csv;
    struct rk_error error;
    cr_expect_eq(csv_parse("t.csv", "a\0b", 3, &csv, &error), RK_BAD_INPUT);
    cr_expect_eq(csv_load("/no/such/file.csv", &csv, &error), RK_BAD_INPUT);
}

Test(csv, many_rows)
{
    char text[64 + 2000 * 16] = "n,square\n";
    size_t used = strlen(text);
    for (int i = 0; i < 2000; i++)
        used += (size_t)sprintf(text + used, "%d,%d\n", i, i * i);
    struct csv csv = parsed(text);
    cr_assert_eq(csv.rows, 2000);
    cr_expect_str_eq(csv_cell(&csv, 1999, 1), "3996001");
    cr_expect_eq(csv.line[1999], 2001);
    csv_release(&csv);
}
