#include <criterion/criterion.h>
#include <math.h>
#include <reckon/status.h>
#include <string.h>

Test(status, fail_fills_every_member)
{
    struct rk_error error;
    const enum rk_status status = rk_fail(&error, RK_BAD_INPUT, "h100.json", 12, 18,
                                          "%s: must be > 0, got %d", "bandwidth_GBps", -3);
    cr_assert_eq(status, RK_BAD_INPUT);
    cr_assert_eq(error.status, RK_BAD_INPUT);
    cr_assert_eq(error.line, 12);
    cr_assert_eq(error.column, 18);
    cr_assert_str_eq(error.path, "h100.json");
    cr_assert_str_eq(error.text, "bandwidth_GBps: must be > 0, got -3");
}

Test(status, names_what_the_caller_gives)
{
    struct rk_error error;
    rk_fail(&error, RK_BAD_INPUT, NULL, 0, 0, "say `norm_eps` %d, or `rate`", 7);
    cr_assert_str_eq(error.key, "norm_eps");
    cr_assert(isnan(error.have) && isnan(error.need));
    rk_fail_numbers(&error, RK_LIMIT, 3, 4, "`rm -r x` is none, nor is `an open one");
    cr_assert_str_eq(error.key, "");
    cr_assert(error.status == RK_LIMIT && error.have == 3 && error.need == 4);
}

Test(status, fail_without_error_or_path)
{
    struct rk_error error;
    cr_assert_eq(rk_fail(NULL, RK_IO, "x", 0, 0, "lost"), RK_IO);
    cr_assert_eq(rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "wrong"), RK_BAD_ARGUMENT);
    cr_assert_str_eq(error.path, "");
}

Test(status, fail_cuts_long_texts)
{
    struct rk_error error;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    rk_fail(&error, RK_IO, text, 1, 1, "%s", text);
    cr_assert_eq(strlen(error.text), sizeof error.text - 1);
    cr_assert_eq(strlen(error.path), sizeof error.path - 1);
}

static void expect_format(const char *path, int line, int column, const char *expected)
{
    struct rk_error error;
    char buffer[128];
    rk_fail(&error, RK_BAD_INPUT, path, line, column, "bad");
    const int length = rk_error_format(&error, buffer, sizeof buffer);
    cr_assert_str_eq(buffer, expected);
    cr_assert_eq(length, (int)strlen(expected));
}

Test(status, format_writes_the_known_parts)
{
    expect_format("a.json", 3, 7, "a.json:3:7: bad");
    expect_format("a.json", 3, 0, "a.json:3: bad");
    expect_format("a.json", 0, 0, "a.json: bad");
    expect_format(NULL, 0, 0, "bad");
}

Test(status, format_reports_the_length_it_needs)
{
    struct rk_error error;
    char small[4];
    rk_fail(&error, RK_IO, "a", 0, 0, "bad");
    cr_assert_eq(rk_error_format(&error, small, sizeof small), 6); /* "a: bad" */
    cr_assert_str_eq(small, "a: ");
}

/* What a library quotes of a damaged file, or a name with a terminal's colours in it. */
Test(status, messages_are_plain)
{
    struct rk_error error;
    char text[64];
    rk_fail(&error, RK_BAD_INPUT, "a\033[31m", 0, 0, "near \"\xa7ROM \xc3\xa9\"\n\x7f");
    rk_error_format(&error, text, sizeof text);
    cr_expect_str_eq(text, "a?[31m: near \"?ROM \xc3\xa9\"\n?");
    rk_error_format(&error, text, 18); /* cut within a character */
    cr_expect_str_eq(text, "a?[31m: near \"?RO");
}
