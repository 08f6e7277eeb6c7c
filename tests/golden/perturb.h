/* perturb.h - does a test notice each number of a golden file?
 *
 * A file has a check, which counts in `wrong` the numbers that are not what is computed. Then each
 * number is made 1 % larger, alone (0 becomes 1, a whole number the next one at least), and the
 * check has to count. Rows of the class "unverified" are left out: nothing may be validated against
 * them. */
#ifndef RECKON_TESTS_PERTURB_H
#define RECKON_TESTS_PERTURB_H

#include "golden/golden.h"
#include "text/csv.h"

#include <math.h>
#include <stdlib.h>

static size_t wrong; /* comparisons of a check that failed */

static inline void near(double actual, double expected, double tolerance)
{
    wrong += !(fabs(actual - expected) <= tolerance * fabs(expected));
}

/* ---- texts, and their numbers ---- */

struct text {
    char *bytes;
    size_t size;
    const char *between; /* what stands before and behind a number */
};

static inline struct text text_load(const char *name)
{
    char path[512];
    struct text t = {.bytes = NULL};
    snprintf(path, sizeof path, GOLDEN_FOLDER "/%s", name);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    t.between = strstr(name, ".csv") ? ",;\n" : ",:[]{} \n";
    t.bytes = calloc(1, 1 << 18);
    t.size = fread(t.bytes, 1, (1 << 18) - 1, file);
    fclose(file);
    return t;
}

/* Where the next number begins at or behind `at`, and its length; outside of strings, and as a
 * whole: a cell "1.5;2" has two, "7b", "Table 2" and "A.1048576.csv" none. */
static inline size_t next_number(const struct text *t, size_t at, size_t *length)
{
    const char *between = t->between;
    bool inside = false;
    for (size_t i = 0; i < t->size; i++) {
        if (t->bytes[i] == '"') inside = !inside;
        const bool starts = i == 0 || strchr(between, t->bytes[i - 1]);
        if (i < at || inside || !starts) continue;
        char *end;
        if (!strchr("-0123456789", t->bytes[i]) || !t->bytes[i]) continue;
        strtod(t->bytes + i, &end);
        if (end == t->bytes + i || (*end && !strchr(between, *end))) continue;
        *length = (size_t)(end - (t->bytes + i));
        return i;
    }
    return t->size;
}

static inline struct text with_another(const struct text *t, size_t at, size_t length)
{
    char number[40];
    const double old = strtod(t->bytes + at, NULL);
    const bool whole = !memchr(t->bytes + at, '.', length) && !memchr(t->bytes + at, 'e', length);
    double larger = old == 0 ? 1 : old * 1.01;
    if (whole) larger = old + (fabs(old) < 100 ? 1 : ceil(fabs(old) / 100));
    snprintf(number, sizeof number, whole ? "%.0f" : "%.17g", larger);
    struct text other = {calloc(1, t->size + sizeof number), 0, t->between};
    other.size =
        (size_t)sprintf(other.bytes, "%.*s%s%s", (int)at, t->bytes, number, t->bytes + at + length);
    return other;
}

typedef void check_fn(const char *name, const struct text *text);

static inline bool holds(check_fn *check, const char *name, const struct text *text)
{
    wrong = 0;
    check(name, text);
    return wrong == 0;
}

/* Is the number at `at` in a row whose class is "unverified"? */
static inline bool left_out(const struct text *t, size_t at)
{
    size_t begin = at, end = at;
    while (begin > 0 && t->bytes[begin - 1] != '\n')
        begin--;
    while (end < t->size && t->bytes[end] != '\n')
        end++;
    const char *row = t->bytes + begin;
    char line[1024];
    snprintf(line, sizeof line, "%.*s", (int)(end - begin), row);
    return strstr(line, ",unverified,") != NULL;
}

static inline void perturb(const char *name, check_fn *check, size_t at_least)
{
    const struct text text = text_load(name);
    size_t numbers = 0, length = 0;
    cr_assert(holds(check, name, &text), "%s: %zu numbers are not what is computed", name, wrong);
    for (size_t at = 0; (at = next_number(&text, at, &length)) < text.size; at += length) {
        if (left_out(&text, at)) continue;
        const struct text other = with_another(&text, at, length);
        cr_expect(!holds(check, name, &other), "%s: nobody asks for %.*s at byte %zu", name,
                  (int)length, text.bytes + at, at);
        numbers++;
        free(other.bytes);
    }
    cr_expect_geq(numbers, at_least, "%s: %zu", name, numbers);
    free(text.bytes);
}

static inline double cell(const struct csv *csv, size_t row, const char *name)
{
    const int column = csv_column(csv, name);
    cr_assert_geq(column, 0, "%s", name);
    return atof(csv_cell(csv, row, (size_t)column));
}

static inline struct csv csv_of(const char *name, const struct text *text)
{
    struct csv csv;
    cr_assert_eq(csv_parse(name, text->bytes, text->size, &csv, NULL), RK_OK);
    return csv;
}

static inline double member(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static inline json_t *json_of(const struct text *text)
{
    json_t *root = json_loadb(text->bytes, text->size, 0, NULL);
    cr_assert(root);
    return root;
}

#endif
