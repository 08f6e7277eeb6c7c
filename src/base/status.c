#include "base/text.h"

#include <reckon/status.h>
#include <stdarg.h>
#include <stdio.h>

enum rk_status rk_fail(struct rk_error *error, enum rk_status status, const char *path, int line,
                       int column, const char *format, ...)
{
    if (!error) return status;
    error->status = status;
    error->line = line;
    error->column = column;
    snprintf(error->path, sizeof error->path, "%s", path ? path : "");
    va_list values;
    va_start(values, format);
    vsnprintf(error->text, sizeof error->text, format, values);
    va_end(values);
    return status;
}

static int format(const struct rk_error *error, char *buffer, unsigned long size)
{
    if (!error->path[0]) return snprintf(buffer, size, "%s", error->text);
    if (error->line <= 0) return snprintf(buffer, size, "%s: %s", error->path, error->text);
    if (error->column <= 0)
        return snprintf(buffer, size, "%s:%d: %s", error->path, error->line, error->text);
    return snprintf(buffer, size, "%s:%d:%d: %s", error->path, error->line, error->column,
                    error->text);
}

/* Texts quote files, names of files and what libraries say of them: bytes of any kind. */
int rk_error_format(const struct rk_error *error, char *buffer, unsigned long size)
{
    const int length = format(error, buffer, size);
    if (size) text_make_plain(buffer);
    return length;
}
