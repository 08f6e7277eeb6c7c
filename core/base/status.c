#include "base/text.h"

#include <math.h>
#include <reckon/status.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct head {
    enum rk_status status;
    int line, column;
    double have, need;
};

/* "say `seed` 7": seed. */
static void take_key(struct rk_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    const char *at = strchr(error->text, '`');
    const size_t length = at ? strspn(at + 1, letters) : 0;
    const bool is_key = length && length < sizeof error->key && at[1 + length] == '`';
    snprintf(error->key, sizeof error->key, "%.*s", is_key ? (int)length : 0, is_key ? at + 1 : "");
}

static void fill(struct rk_error *error, const struct head *head, const char *path,
                 const char *format, va_list values)
{
    if (!error) return;
    error->status = head->status;
    error->line = head->line;
    error->column = head->column;
    error->have = head->have;
    error->need = head->need;
    snprintf(error->path, sizeof error->path, "%s", path ? path : "");
    vsnprintf(error->text, sizeof error->text, format, values);
    take_key(error);
}

enum rk_status rk_fail(struct rk_error *error, enum rk_status status, const char *path, int line,
                       int column, const char *format, ...)
{
    const struct head head = {status, line, column, NAN, NAN};
    va_list values;
    va_start(values, format);
    fill(error, &head, path, format, values);
    va_end(values);
    return status;
}

enum rk_status rk_fail_numbers(struct rk_error *error, enum rk_status status, double have,
                               double need, const char *format, ...)
{
    const struct head head = {status, 0, 0, have, need};
    va_list values;
    va_start(values, format);
    fill(error, &head, NULL, format, values);
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
