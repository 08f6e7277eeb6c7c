#include "report/markup.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- characters ---- */

/* The character at `text` and its length; what is not UTF-8 is U+FFFD of length 1. */
static unsigned long decode(const unsigned char *text, int *length)
{
    static const struct {
        unsigned char mask, lead;
        unsigned long least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (int extra = 0; extra < 4; extra++) {
        if ((text[0] & forms[extra].mask) != forms[extra].lead) continue;
        unsigned long code = text[0] & (unsigned char)~forms[extra].mask;
        for (int i = 1; i <= extra; i++) {
            if ((text[i] & 0xc0) != 0x80) goto bad;
            code = code << 6 | (text[i] & 0x3f);
        }
        if (code < forms[extra].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            break;
        *length = extra + 1;
        return code;
    }
bad:
    *length = 1;
    return 0xfffd;
}

/* Writes the text; `escape` writes what may not stand as it is and says so by true. */
static void put(FILE *out, const char *string, bool (*escape)(FILE *out, unsigned long code))
{
    const unsigned char *text = (const unsigned char *)string;
    int length;
    for (; *text; text += length) {
        const unsigned long code = decode(text, &length);
        if (escape(out, code)) continue;
        if (code == 0xfffd)
            fputs("\xef\xbf\xbd", out);
        else
            fwrite(text, 1, (size_t)length, out);
    }
}

/* C0 and C1 but for ends of lines and tabs, ends of lines of Unicode, turns of the direction. */
static bool steers(unsigned long code)
{
    return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static bool escape_markup(FILE *out, unsigned long code)
{
    static const char *const names[128] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
    const char *name = code < 128 ? names[code] : NULL;
    if (steers(code)) name = "\xef\xbf\xbd";
    if (name) fputs(name, out);
    return name != NULL;
}

static bool escape_json(FILE *out, unsigned long code)
{
    if (code >= 0x20 && code < 0x7f && !strchr("<>&\"\\", (int)code)) return false;
    if (code > 0x7f && code != 0x2028 && code != 0x2029) return false;
    fprintf(out, "\\u%04lx", code);
    return true;
}

void markup_text(FILE *out, const char *text)
{
    put(out, text, escape_markup);
}

void markup_json(FILE *out, const char *text)
{
    fputc('"', out);
    put(out, text, escape_json);
    fputc('"', out);
}

/* ---- values ---- */

static void count_text(char *buffer, uint64_t count)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) *buffer++ = ',';
        *buffer++ = digits[i];
    }
    *buffer = '\0';
}

/* A percentage with three significant digits, at most two of them after the point. */
static void share_text(char *buffer, double percent)
{
    const double size = fabs(percent);
    const int digits = !isfinite(percent) || size >= 99.95 || fabs(size - round(size)) < 1e-9 ? 0
                       : size >= 9.995                                                        ? 1
                                                                                              : 2;
    if (size > 0 && size < 0.005)
        snprintf(buffer, MARKUP_CELL, percent < 0 ? "> -0.01 %%" : "< 0.01 %%");
    else
        snprintf(buffer, MARKUP_CELL, "%.*f %%", digits, percent + 0.0);
}

static void number_text(char *buffer, const char *unit, double number)
{
    /* clang-format off */
    static const struct {
        const char *unit;
        enum quantity quantity;
    } families[] = {
        {"s", QUANTITY_SECONDS}, {"B", QUANTITY_BYTES}, {"B/s", QUANTITY_BYTES_PER_S},
        {"FLOP", QUANTITY_FLOP}, {"FLOP/s", QUANTITY_FLOP_PER_S}, {"n", QUANTITY_COUNT},
    };
    /* clang-format on */
    for (size_t i = 0; unit && i < sizeof families / sizeof *families; i++)
        if (strcmp(unit, families[i].unit) == 0 && number != 0 && isfinite(number)) {
            char text[QUANTITY_TEXT];
            quantity_format(text, families[i].quantity, number);
            const size_t length = strlen(text);
            if (length > 3 && strcmp(text + length - 3, " us") == 0) /* as charts write it */
                snprintf(buffer, MARKUP_CELL, "%.*s µs", (int)length - 3, text);
            else
                snprintf(buffer, MARKUP_CELL, "%s", text);
            return;
        }
    if (unit && strcmp(unit, "%") == 0)
        share_text(buffer, 100 * number);
    else if (fabs(number) >= 9999.5 && fabs(number) < 1e15) {
        if (number < 0) *buffer++ = '-';
        count_text(buffer, (uint64_t)(fabs(number) + 0.5));
        if (unit && *unit) strcat(strcat(buffer, " "), unit);
    } else
        snprintf(buffer, MARKUP_CELL, "%.*g%s%s", MARKUP_DIGITS, number + 0.0,
                 unit && *unit ? " " : "", unit ? unit : "");
}

const char *markup_cell(char buffer[static MARKUP_CELL], const struct report_column *column,
                        const struct report_cell *cell)
{
    const bool scaled = column->unit && column->unit[0];
    switch (cell->type) {
    case REPORT_TEXT:
        snprintf(buffer, MARKUP_CELL, "%s", cell->as.text);
        break;
    case REPORT_COUNT:
        if (scaled)
            number_text(buffer, column->unit, (double)cell->as.count);
        else
            count_text(buffer, cell->as.count);
        break;
    case REPORT_NUMBER:
        if (isfinite(cell->as.number))
            number_text(buffer, column->unit, cell->as.number);
        else
            snprintf(buffer, MARKUP_CELL, "%s", isnan(cell->as.number) ? "-" : "unlimited");
        break;
    case REPORT_FLAG:
        snprintf(buffer, MARKUP_CELL, "%s", cell->as.flag ? "yes" : "no");
        break;
    case REPORT_NONE:
        snprintf(buffer, MARKUP_CELL, "-");
        break;
    }
    return buffer;
}
