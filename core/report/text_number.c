/* text_number.c - numbers of the report for people: scaled units, digits, aligned decimals. */
#include "report/text_number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* clang-format off */
static const struct family {
    const char *unit;
    struct scale scales[7]; /* ascending, ended by factor 0 */
} families[] = {
    {"s",      {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}}},
    {"B",      {{1, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}, {0x1p40, "TiB"}, {0x1p50, "PiB"}}},
    {"B/s",    {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}},
    {"FLOP",   {{1, "FLOP"}, {1e3, "kFLOP"}, {1e6, "MFLOP"}, {1e9, "GFLOP"}, {1e12, "TFLOP"}, {1e15, "PFLOP"}}},
    {"FLOP/s", {{1, "FLOP/s"}, {1e9, "GFLOP/s"}, {1e12, "TFLOP/s"}, {1e15, "PFLOP/s"}}},
    {"n",      {{1, ""}, {1e3, "K"}, {1e6, "M"}, {1e9, "B"}, {1e12, "T"}}},
    {"%",      {{0.01, "%"}}},
};
/* clang-format on */

static const struct family *find_family(const char *unit)
{
    for (size_t i = 0; unit && i < sizeof families / sizeof *families; i++)
        if (strcmp(unit, families[i].unit) == 0) return &families[i];
    return NULL;
}

bool number_has_scales(const char *unit)
{
    return find_family(unit) != NULL;
}

static bool is_time(const char *unit)
{
    return unit && strcmp(unit, "s") == 0;
}

struct scale number_scale(const char *unit, double size)
{
    const struct family *family = find_family(unit);
    if (!family) return (struct scale){1, unit ? unit : ""};
    if (size < 1e-12 && is_time(unit)) return (struct scale){1, unit};
    const struct scale *scale = family->scales;
    while (scale[1].factor > 0 && scale[1].factor <= size)
        scale++;
    return *scale;
}

static void format_number(const struct report_column *column, const struct scale *scale,
                          double number, char *buffer)
{
    char grouped[REPORT_DIGITS];
    const double size = fabs(number / scale->factor);
    const double whole = fmin(1e4, pow(10, column->digits)) - 0.5; /* from there no point is left */
    if (!isfinite(number))
        snprintf(buffer, NUMBER_CELL, "%s", isnan(number) ? "-" : "unlimited");
    else if (find_family(column->unit) || column->digits == 0)
        snprintf(buffer, NUMBER_CELL, "%.*f", column->digits,
                 2 * size < pow(10, -column->digits) ? 0.0 : number / scale->factor);
    else if (size >= whole && size < 1e15)
        snprintf(buffer, NUMBER_CELL, "%s%s", number < 0 ? "-" : "",
                 report_digits((uint64_t)(size + 0.5), grouped));
    else
        snprintf(buffer, NUMBER_CELL, "%.*g", column->digits, number / scale->factor);
}

/* The same for a value by itself: what takes hours is said in hours. */
static struct scale own_scale(const char *unit, double size)
{
    if (is_time(unit) && size >= 2 * 86400) return (struct scale){86400, "days"};
    if (is_time(unit) && size >= 2 * 3600) return (struct scale){3600, "h"};
    return number_scale(unit, size);
}

void number_format(const struct report_column *column, const struct scale *scale, double number,
                   char buffer[NUMBER_CELL])
{
    const struct scale own = own_scale(column->unit, fabs(number));
    struct report_column finer = *column;
    finer.digits += !scale && is_time(column->unit) && own.factor >= 3600; /* hours are coarse */
    format_number(&finer, scale ? scale : &own, number, buffer);
    const size_t used = strlen(buffer);
    if (!scale && isfinite(number) && *own.unit)
        snprintf(buffer + used, NUMBER_CELL - used, " %s", own.unit);
}

int number_decimals(const char *text)
{
    const char *point = strchr(text, '.');
    return point ? (int)strspn(point + 1, "0123456789") : 0;
}

void number_align(char *text, int digits, int decimals)
{
    const char *first = text + strcspn(text, "123456789");
    int significant = 0, have = number_decimals(text);
    if (text[strspn(text, "-.,0123456789")] || !strpbrk(text, "0123456789")) return; /* 1e-07, - */
    for (const char *c = first; *c; c++)
        significant += isdigit((unsigned char)*c) != 0;
    if (!*first) significant = 1; /* 0 */
    size_t used = strlen(text);
    for (; have < decimals && significant < digits; have++, significant++) {
        if (have == 0) text[used++] = '.';
        text[used++] = '0';
        text[used] = '\0';
    }
}
