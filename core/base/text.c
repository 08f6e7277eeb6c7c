#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 63 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int letter_cost(char a, char b)
{
    return a != b && tolower((unsigned char)a) != tolower((unsigned char)b);
}

/* Optimal string alignment, two rows back [damerau1964]; `limit` where it is no less. */
static int distance_below(const char *a, const char *b, int limit)
{
    const size_t a_length = strlen(a), b_length = strlen(b);
    const size_t apart = a_length > b_length ? a_length - b_length : b_length - a_length;
    int row[3][LONGEST + 1], before = 0;
    if (a_length > LONGEST || b_length > LONGEST || apart >= (size_t)limit) return limit;
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *now = row[i % 3], *back = row[(i - 1) % 3], *back2 = row[(i + 1) % 3];
        int lowest = now[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            now[j] = least(back[j], now[j - 1]) + 1;
            now[j] = least(now[j], back[j - 1] + letter_cost(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], back2[j - 2] + 1);
            lowest = least(lowest, now[j]);
        }
        if (lowest >= limit && before >= limit) return limit; /* no row below gets less */
        before = lowest;
    }
    return least(row[a_length % 3][b_length], limit);
}

int text_distance(const char *a, const char *b)
{
    return distance_below(a, b, LONGEST);
}

static bool begins_with(const char *text, const char *start)
{
    return *start && strncmp(text, start, strlen(start)) == 0;
}

const char *text_nearest(const char *name, const char *const *names)
{
    const size_t length = strlen(name);
    const char *nearest = NULL;
    int smallest = length < 3 ? 2 : 2 + (int)length / 4; /* from here on it is another word */
    for (; *names; names++) {
        int distance = distance_below(name, *names, smallest);
        if (length >= 3 && begins_with(*names, name)) distance = least(distance, 1);
        if (strlen(*names) >= 4 && begins_with(name, *names)) distance = least(distance, 2);
        if (distance >= smallest) continue;
        smallest = distance;
        nearest = *names;
    }
    return nearest;
}

size_t text_utf8_length(const char *bytes, size_t length)
{
    const unsigned char *text = (const unsigned char *)bytes;
    const unsigned char first = length ? text[0] : 0xff;
    const size_t size = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                                       : 4;
    if (!size || size > length || first > 0xf4) return 0;
    for (size_t i = 1; i < size; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    if ((first == 0xe0 && text[1] < 0xa0) || (first == 0xed && text[1] > 0x9f) ||
        (first == 0xf0 && text[1] < 0x90) || (first == 0xf4 && text[1] > 0x8f))
        return 0;
    return size;
}

/* Characters that steer what shows them: C0 and C1 controls, DEL, the ends of lines and paragraphs
 * of Unicode, and those that turn the direction of writing (CVE-2021-42574). */
static bool is_control(const char *text, size_t size)
{
    static const struct {
        unsigned char lead, second, low, high;
    } spans[] = {{0xe2, 0x80, 0xa8, 0xae}, {0xe2, 0x81, 0xa6, 0xa9}};
    const unsigned char *c = (const unsigned char *)text;
    if (size == 1) return c[0] < ' ' || c[0] == 0x7f;
    if (size == 2) return c[0] == 0xc2 && c[1] < 0xa0;
    for (size_t i = 0; size == 3 && i < sizeof spans / sizeof *spans; i++)
        if (c[0] == spans[i].lead && c[1] == spans[i].second && c[2] >= spans[i].low &&
            c[2] <= spans[i].high)
            return true;
    return false;
}

static void make_plain(char *text, bool lines)
{
    const size_t length = strlen(text);
    for (size_t i = 0, size; i < length; i += size) {
        size = text_utf8_length(text + i, length - i);
        if (size && !is_control(text + i, size)) continue;
        if (lines && text[i] == '\n') continue;
        if (!size) size = 1;
        memset(text + i, '?', size);
    }
}

void text_make_plain(char *text)
{
    make_plain(text, true);
}

void text_make_name(char *text)
{
    make_plain(text, false);
}

bool text_is_name(const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0, size; i < length; i += size) {
        size = text_utf8_length(text + i, length - i);
        if (!size || is_control(text + i, size)) return false;
    }
    return true;
}

void text_put_line(FILE *file, const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0, size; i < length; i += size ? size : 1) {
        size = text_utf8_length(text + i, length - i);
        if (!size || is_control(text + i, size))
            putc('?', file);
        else
            fwrite(text + i, 1, size, file);
    }
}

/* A spreadsheet takes a text that begins so for a formula, which can start programs (OWASP, "CSV
 * injection"). What begins with a sign, as words of plans and options do, calls nothing without
 * these. */
static bool is_formula(const char *text)
{
    const bool sign = *text == '+' || *text == '-';
    return *text && (strchr("=@\t\r", *text) || (sign && strpbrk(text, "|!(")));
}

void text_put_csv(FILE *file, const char *text)
{
    const bool formula = is_formula(text);
    if (!formula && !text[strcspn(text, ",\"\r\n")] && text[0] != ' ') {
        fputs(text, file);
        return;
    }
    fputs(formula ? "\"'" : "\"", file);
    for (; *text; text++) {
        if (*text == '"') putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}

const char *text_quote(char buffer[static TEXT_QUOTE], const char *text, size_t length)
{
    size_t used = 0;
    buffer[used++] = '"';
    for (size_t i = 0, size; i < length; i += size ? size : 1) {
        size = text_utf8_length(text + i, length - i);
        if (used + 12 > TEXT_QUOTE) {
            memcpy(buffer + used, "...", 3);
            used += 3;
            break;
        }
        if (size == 0 || (size == 1 && is_control(text + i, size)))
            used += (size_t)sprintf(buffer + used, "\\x%02x", (unsigned char)text[i]);
        else if (is_control(text + i, size))
            buffer[used++] = '?';
        else {
            memcpy(buffer + used, text + i, size);
            used += size;
        }
    }
    buffer[used++] = '"';
    buffer[used] = '\0';
    return buffer;
}

bool text_part_ends_in(const char *text, size_t length, const char *ending)
{
    const size_t size = strlen(ending);
    return length >= size && memcmp(text + length - size, ending, size) == 0;
}

bool text_ends_in(const char *text, const char *ending)
{
    return text_part_ends_in(text, strlen(text), ending);
}

int text_column(const char *text, const char *at)
{
    int column = 1;
    for (; text < at; text++)
        column += ((unsigned char)*text & 0xc0) != 0x80;
    return column;
}

bool text_ends_in_any(const char *text, const char *const *endings)
{
    for (int i = 0; endings[i]; i++)
        if (text_ends_in(text, endings[i])) return true;
    return false;
}

int text_word(const char *words, const char *text, size_t length, bool any_case)
{
    int index = 0;
    for (const char *p = words; p && *p; index++) {
        const size_t n = strcspn(p, "|");
        if (n == length && (any_case ? strncasecmp : strncmp)(p, text, n) == 0) return index;
        p += n + (p[n] == '|');
    }
    return -1;
}

bool text_matches_any(const char *text, const char *const *patterns)
{
    for (; *patterns; patterns++) {
        const size_t length = strlen(*patterns);
        const bool begins = length && (*patterns)[length - 1] == '*';
        if (begins ? strncmp(text, *patterns, length - 1) == 0 : strcmp(text, *patterns) == 0)
            return true;
    }
    return false;
}

int text_line(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}
