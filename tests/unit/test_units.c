/* Sizes, rates and times in text. */
#include "base/text.h"
#include "base/units.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <string.h>

static double parsed(const char *text, enum quantity quantity)
{
    double value = -1;
    struct units_error error;
    cr_assert(quantity_parse(text, strlen(text), quantity, true, &value, &error), "%s: %s", text,
              error.text);
    return value;
}

static const char *refusal(const char *text, enum quantity quantity)
{
    static struct units_error error;
    double value = -1;
    cr_assert_not(quantity_parse(text, strlen(text), quantity, false, &value, &error), "%s", text);
    cr_assert_eq(value, -1, "untouched on failure");
    return error.text;
}

Test(units, exact_values)
{
    static const struct {
        const char *text;
        enum quantity quantity;
        double value;
    } cases[] = {
        {"80GiB", QUANTITY_BYTES, 80 * 1073741824.0},
        {"80 GiB", QUANTITY_BYTES, 80 * 1073741824.0},
        {"1.5TiB", QUANTITY_BYTES, 1.5 * 1099511627776.0},
        {"189471MiB", QUANTITY_BYTES, 189471 * 1048576.0},
        {"480GB", QUANTITY_BYTES, 480e9},
        {"7B", QUANTITY_BYTES, 7},
        {"1kB", QUANTITY_BYTES, 1000},
        {"1KB", QUANTITY_BYTES, 1000},
        {"400Gb/s", QUANTITY_BYTES_PER_S, 50e9}, /* 400e9 / 8 */
        {"400Gbit/s", QUANTITY_BYTES_PER_S, 50e9},
        {"400Gbps", QUANTITY_BYTES_PER_S, 50e9},
        {"3.35TB/s", QUANTITY_BYTES_PER_S, 3.35e12},
        {"1GiB/s", QUANTITY_BYTES_PER_S, 1073741824.0},
        {"unlimited", QUANTITY_BYTES_PER_S, INFINITY},
        {"10us", QUANTITY_SECONDS, 1e-5}, /* exactly: 10 / 1e6, not 10 * 1e-6 */
        {"10\xc2\xb5s", QUANTITY_SECONDS, 1e-5},
        {"3ms", QUANTITY_SECONDS, 3e-3},
        {"5ns", QUANTITY_SECONDS, 5e-9},
        {"2min", QUANTITY_SECONDS, 120},
        {"1h", QUANTITY_SECONDS, 3600},
        {"1d", QUANTITY_SECONDS, 86400},
        {"312TFLOP/s", QUANTITY_FLOP_PER_S, 312e12},
        {"1PFLOPS", QUANTITY_FLOP_PER_S, 1e15},
        {"16GFLOP", QUANTITY_FLOP, 16e9},
        {"300B", QUANTITY_COUNT, 300e9},
        {"1.5T", QUANTITY_COUNT, 1.5e12},
        {"1e9", QUANTITY_COUNT, 1e9},
        {"2k", QUANTITY_COUNT, 2000},
        {"0.5", QUANTITY_PLAIN, 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_eq(parsed(cases[i].text, cases[i].quantity), cases[i].value, "%s", cases[i].text);
}

Test(units, refusals_say_what_to_write)
{
    static const struct {
        const char *text;
        enum quantity quantity;
        const char *message;
    } cases[] = {
        {"400G", QUANTITY_BYTES_PER_S,
         "\"400G\" is ambiguous: write 400GB/s (bytes) or 400Gb/s (bits)"},
        {"80G", QUANTITY_BYTES, "\"80G\" is ambiguous: write 80GiB (of 1024) or 80GB (of 1000)"},
        {"80Gi", QUANTITY_BYTES, "\"80Gi\" is ambiguous: write 80GiB"},
        {"80", QUANTITY_BYTES, "\"80\" has no unit: write a size such as \"80GiB\""},
        {"80Gb", QUANTITY_BYTES,
         "\"80Gb\" is not a size (b is bits): write a size such as \"80GiB\""},
        {"80GB/s", QUANTITY_BYTES,
         "\"80GB/s\" is not a size (this is a rate): write a size such as \"80GiB\""},
        {"80GB", QUANTITY_BYTES_PER_S,
         "\"80GB\" is not a rate (per second?): write a rate such as \"100GB/s\" or \"400Gb/s\""},
        {"312T", QUANTITY_FLOP_PER_S, "\"312T\" is ambiguous: write 312TFLOP/s"},
        {"10", QUANTITY_SECONDS, "\"10\" has no unit: write a time such as \"10us\" or \"30min\""},
        {"10 parsecs", QUANTITY_SECONDS,
         "\"10 parsecs\" is not a time: write a time such as \"10us\" or \"30min\""},
        {"GiB", QUANTITY_BYTES, "\"GiB\" is not a size: write a size such as \"80GiB\""},
        {"", QUANTITY_BYTES, "\"\" is not a size: write a size such as \"80GiB\""},
        {"nan", QUANTITY_BYTES, "\"nan\" is not a size: write a size such as \"80GiB\""},
        {"infGiB", QUANTITY_BYTES, "\"infGiB\" is not a size: write a size such as \"80GiB\""},
        {"0x10GiB", QUANTITY_BYTES, "\"0x10GiB\" is not a size: write a size such as \"80GiB\""},
        {"1e308EiB", QUANTITY_BYTES, "the number is too large"},
        {"300X", QUANTITY_COUNT,
         "\"300X\" is not a number: write a number such as 60, 3e-4 or 1.5T"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_str_eq(refusal(cases[i].text, cases[i].quantity), cases[i].message, "%s",
                         refusal(cases[i].text, cases[i].quantity));
}

Test(units, whole_numbers_of_1024)
{
    static const struct {
        const char *text;
        size_t used;
        uint64_t value;
    } cases[] = {{"8k", 2, 8192},
                 {"128K tokens", 4, 131072},
                 {"1M", 2, 1 << 20},
                 {"3G", 2, UINT64_C(3) << 30},
                 {"1T", 2, UINT64_C(1) << 40},
                 {"12", 2, 12},
                 {"12m", 2, 12},
                 {"k", 0, 0},
                 {"", 0, 0},
                 {"18446744073709551615", 20, UINT64_MAX},
                 {"184467440737095516150", 21, UINT64_MAX},
                 {"99999999T", 9, UINT64_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value;
        const size_t used = whole_parse(cases[i].text, strlen(cases[i].text), &value);
        cr_expect_eq(used, cases[i].used, "%s", cases[i].text);
        cr_expect_eq(value, cases[i].value, "%s", cases[i].text);
    }
}

Test(units, whole_numbers_are_written_as_they_are_read)
{
    static const uint64_t values[] = {0,      1,       1000,    1024,       1025,      8192,
                                      360448, 1048576, 1146880, 1ull << 40, UINT64_MAX};
    static const char *const texts[] = {
        "0", "1", "1000", "1K", "1025", "8K", "352K", "1M", "1120K", "1T", "18446744073709551615"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[QUANTITY_TEXT];
        uint64_t again;
        cr_expect_str_eq(whole_format(text, values[i]), texts[i]);
        cr_expect_eq(whole_parse(text, strlen(text), &again), strlen(text));
        cr_expect_eq(again, values[i]);
    }
}

Test(units, a_comma_locale_changes_nothing)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) cr_skip("no German locale here");
    cr_expect_eq(parsed("3.35TB/s", QUANTITY_BYTES_PER_S), 3.35e12);
}

Test(units, unlimited_only_where_it_is_allowed)
{
    cr_expect_str_eq(refusal("unlimited", QUANTITY_BYTES),
                     "\"unlimited\" is not a size: write a size such as \"80GiB\"");
}

Test(units, text_for_people)
{
    static const struct {
        enum quantity quantity;
        double value;
        const char *text;
    } cases[] = {
        {QUANTITY_BYTES, 80 * 1073741824.0, "80 GiB"},
        {QUANTITY_BYTES, 1024 * 1073741824.0, "1 TiB"},
        {QUANTITY_BYTES, 1.234 * 1073741824.0, "1.234 GiB"},
        {QUANTITY_BYTES, 0, "0 B"},
        {QUANTITY_BYTES, INFINITY, "unlimited"},
        {QUANTITY_BYTES_PER_S, 3072e9, "3.072 TB/s"},
        {QUANTITY_BYTES_PER_S, 450e9, "450 GB/s"},
        {QUANTITY_SECONDS, 16.7223, "16.72 s"},
        {QUANTITY_SECONDS, 0.00312, "3.120 ms"},
        {QUANTITY_SECONDS, 1e-5, "10 us"},
        {QUANTITY_SECONDS, 0, "0 s"},
        {QUANTITY_SECONDS, 864000, "10 d"},
        {QUANTITY_FLOP_PER_S, 312e12, "312 TFLOP/s"},
        {QUANTITY_COUNT, 174615846912.0, "174.6B"},
        {QUANTITY_COUNT, 124439808, "124.4M"},
        {QUANTITY_COUNT, 96, "96"},
        {QUANTITY_PLAIN, 0.65, "0.65"},
    };
    char buffer[QUANTITY_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_str_eq(quantity_format(buffer, cases[i].quantity, cases[i].value), cases[i].text,
                         "%s, not %s", buffer, cases[i].text);
}

/* 999.96 GiB rounds to 1000.0 and must not become "1.000 TiB"; 1023.99 GiB may. */
Test(units, rounding_does_not_overflow_a_scale)
{
    char buffer[QUANTITY_TEXT];
    cr_expect_str_eq(quantity_format(buffer, QUANTITY_BYTES_PER_S, 999.99e9), "1.000 TB/s", "%s",
                     buffer);
    cr_expect_str_eq(quantity_format(buffer, QUANTITY_SECONDS, 0.99999), "1.000 s", "%s", buffer);
}

Test(text, distance_counts_slips)
{
    cr_expect_eq(text_distance("hidden", "hidden"), 0);
    cr_expect_eq(text_distance("hiden", "hidden"), 1);
    cr_expect_eq(text_distance("hdiden", "hidden"), 1); /* two neighbours swapped */
    cr_expect_eq(text_distance("HiDden", "hidden"), 0);
    cr_expect_eq(text_distance("", "abc"), 3);
    cr_expect_eq(text_distance("abc", ""), 3);
}

Test(text, nearest_only_when_near)
{
    const char *const names[] = {"layers", "hidden", "heads", "head_dim", NULL};
    cr_expect_str_eq(text_nearest("layer", names), "layers");
    cr_expect_str_eq(text_nearest("HEADS", names), "heads");
    cr_expect_str_eq(text_nearest("headdim", names), "head_dim");
    cr_expect_null(text_nearest("zebra", names));
    cr_expect_null(text_nearest("", names));
}

Test(text, quotes_are_fit_for_a_terminal)
{
    char buffer[TEXT_QUOTE];
    cr_expect_str_eq(text_quote(buffer, "a\n\x1b[1m", 6), "\"a\\x0a\\x1b[1m\"");
    cr_expect_str_eq(text_quote(buffer, "k\xc3\xa4se", 5), "\"k\xc3\xa4se\"");
    cr_expect_str_eq(text_quote(buffer, "\xff\xc0", 2), "\"\\xff\\xc0\"");
    char longer[300];
    memset(longer, 'x', sizeof longer);
    text_quote(buffer, longer, sizeof longer);
    cr_expect_lt(strlen(buffer), TEXT_QUOTE);
    cr_expect(strstr(buffer, "...\""));
}
