#include "report/columns.h"

#include <stdbool.h>
#include <string.h>

/* Characters that take none or two columns: the blocks of combining marks, and those that
 * EastAsianWidth.txt of Unicode 15 has as W or F. Ascending. */
static const struct {
    unsigned long first, last;
    int columns;
} ranges[] = {
    {0x0300, 0x036f, 0},   {0x1100, 0x115f, 2},   {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},
    {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},   {0x2e80, 0x303e, 2},   {0x3041, 0xa4cf, 2},
    {0xa960, 0xa97f, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},
    {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6f, 2},   {0xff01, 0xff60, 2},   {0xffe0, 0xffe6, 2},
    {0x16fe0, 0x18d08, 2}, {0x1b000, 0x1b2fb, 2}, {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2},
    {0x1f900, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
};

/* The character at `text` and its bytes; a byte that begins none stands for itself. */
static size_t decode(const char *text, unsigned long *code)
{
    const unsigned char *at = (const unsigned char *)text;
    const size_t bytes = *at < 0xc0 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    *code = bytes == 1 ? *at : *at & (0x7f >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            *code = *at;
            return 1;
        }
        *code = *code << 6 | (at[i] & 0x3f);
    }
    return bytes;
}

static int columns_of_code(unsigned long code)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && code >= ranges[i].first; i++)
        if (code <= ranges[i].last) return ranges[i].columns;
    return 1;
}

int columns_of(const char *text)
{
    int columns = 0;
    for (unsigned long code; *text;) {
        text += decode(text, &code);
        columns += columns_of_code(code);
    }
    return columns;
}

/* The point of 0.25, where no line ends. */
static bool is_decimal_point(const char *text)
{
    return text[0] == '.' && text[1] >= '0' && text[1] <= '9';
}

size_t columns_piece(const char *text, int width)
{
    size_t at = 0, cut = 0, mark = 0, bytes;
    int columns = 0;
    for (; text[at]; at += bytes) {
        unsigned long code;
        bytes = decode(text + at, &code);
        columns += columns_of_code(code);
        if (columns > width && text[at] == ' ') return at;
        if (columns > width) return cut ? cut : mark ? mark : at ? at : bytes;
        if (text[at] == ' ' || text[at] == ',') cut = at + 1;
        if (strchr("._/-=", text[at]) && !is_decimal_point(text + at)) mark = at + 1;
    }
    return at;
}
