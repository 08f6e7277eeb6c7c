#include "catalog/one_line.h"

#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum rk_status one_line_fail(struct rk_error *error, const char *line, const char *at,
                             const char *format, ...)
{
    char said[TEXT_QUOTE], text[400];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rk_fail(error, RK_BAD_ARGUMENT, text_quote(said, line, strlen(line)), 1,
                   text_column(line, at), "%s", text);
}

bool span_cut(struct span span, char mark, struct span *head, struct span *rest)
{
    const char *found = memchr(span.at, mark, span.length);
    *head = span;
    *rest = (struct span){span_end(span), 0};
    if (!found) return false;
    head->length = (size_t)(found - span.at);
    *rest = (struct span){found + 1, span.length - head->length - 1};
    return true;
}

bool span_integer(struct span span, uint64_t *value)
{
    uint64_t number = 0;
    if (!span.length || span.length > 16) return false;
    for (size_t i = 0; i < span.length; i++) {
        if (!isdigit((unsigned char)span.at[i])) return false;
        number = 10 * number + (uint64_t)(span.at[i] - '0');
    }
    *value = number;
    return number <= UINT64_C(1) << 53;
}
