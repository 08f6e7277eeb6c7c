#include "text/lines.h"

#include "base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool lines_next(struct lines *lines)
{
    const struct document *document = lines->document;
    if (lines->at >= document->size) return false;
    const char *from = document->text + lines->at;
    const size_t left = document->size - lines->at;
    const char *end = memchr(from, '\n', left);
    size_t length = end ? (size_t)(end - from) : left;
    lines->at += length + (end != NULL);
    lines->number++;
    if (length && from[length - 1] == '\r') length--;
    snprintf(lines->text, sizeof lines->text, "%.*s",
             (int)(length < LINE_SIZE ? length : LINE_SIZE - 1), from);
    return true;
}

static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    for (size_t length = strlen(text); length && strchr(" \t", text[length - 1]); length--)
        text[length - 1] = '\0';
    return text;
}

void lines_split(struct lines *lines, enum separator separator)
{
    static const char *const cuts[] = {[AT_BLANKS] = " \t", [AT_TABS] = "\t", [AT_COMMAS] = ","};
    const bool commas = separator == AT_COMMAS;
    memcpy(lines->cut, lines->text, sizeof lines->cut);
    lines->words = 0;
    for (char *at = lines->cut; at && lines->words < LINE_WORDS;) {
        if (!commas) at += strspn(at, " \t");
        char *end = strpbrk(at, cuts[separator]);
        if (end) *end++ = '\0';
        if (commas || *at) lines->word[lines->words++] = trimmed(at);
        at = end;
    }
}

enum rk_status lines_fail(const struct lines *lines, struct rk_error *error, const char *format,
                          ...)
{
    char text[384];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rk_fail(error, RK_BAD_INPUT, lines->document->path, lines->number, 1, "%s", text);
}

bool lines_number(const char *text, double *number)
{
    const size_t length = strlen(text);
    return length && number_parse(text, length, number) == length && isfinite(*number) &&
           *number > 0;
}
