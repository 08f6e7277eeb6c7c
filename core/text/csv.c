#include "text/csv.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

/* Where the reader stands. Fields are unquoted in place: `to` never overtakes `at`. */
struct reader {
    struct csv *csv;
    struct rk_error *error;
    char *at, *end, *to;
    int line;
};

static enum rk_status fail(const struct reader *r, int line, const char *text)
{
    return rk_fail(r->error, RK_BAD_INPUT, r->csv->path, line, 0, "%s", text);
}

static bool at_line_end(const struct reader *r)
{
    return r->at == r->end || *r->at == '\n' ||
           (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n');
}

/* Copies a quoted field and moves `at` from the byte after its opening quote to the byte after its
 * closing quote. */
static enum rk_status read_quoted(struct reader *r)
{
    const int line = r->line;
    for (;;) {
        if (r->at == r->end)
            return fail(r, line, "a field begins with '\"' and does not end: close the quote");
        if (*r->at == '"' && r->at + 1 < r->end && r->at[1] == '"')
            r->at++;
        else if (*r->at == '"')
            break;
        r->line += *r->at == '\n';
        *r->to++ = *r->at++;
    }
    r->at++;
    if (!at_line_end(r) && *r->at != ',')
        return fail(r, r->line, "text after a quoted field: write a quote inside quotes as \"\"");
    return RK_OK;
}

/* One byte and what follows up to a byte that may end a field. */
static void copy_plain(struct reader *r)
{
    const size_t size = 1 + strcspn(r->at + 1, ",\r\n");
    memmove(r->to, r->at, size);
    r->at += size;
    r->to += size;
}

/* Reads one field and what ends it; *last is set when that is the end of the line. */
static enum rk_status read_field(struct reader *r, const char **field, bool *last)
{
    enum rk_status status = RK_OK;
    *field = r->to;
    if (r->at < r->end && *r->at == '"') {
        r->at++;
        status = read_quoted(r);
    } else {
        while (!at_line_end(r) && *r->at != ',')
            copy_plain(r);
    }
    *last = at_line_end(r);
    if (r->at < r->end) r->at += *r->at == '\r' ? 2 : 1;
    r->line += *last;
    *r->to++ = '\0';
    return status;
}

/* Fields of one line, at most CSV_MAX_COLUMNS. */
static enum rk_status read_line(struct reader *r, const char *fields[CSV_MAX_COLUMNS],
                                size_t *count)
{
    const int line = r->line;
    bool last = false;
    for (*count = 0; !last; ++*count) {
        if (*count == CSV_MAX_COLUMNS) return fail(r, line, "has more than 256 fields");
        const enum rk_status status = read_field(r, &fields[*count], &last);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

static void skip(struct reader *r, bool comments)
{
    while (r->at < r->end) {
        const bool empty = at_line_end(r), comment = comments && *r->at == '#';
        if (!empty && !comment) return;
        while (r->at < r->end && *r->at != '\n')
            r->at++;
        r->at += r->at < r->end;
        r->line++;
    }
}

/* ---- the table ---- */

static enum rk_status read_names(struct reader *r)
{
    struct csv *csv = r->csv;
    const char *fields[CSV_MAX_COLUMNS];
    skip(r, true);
    if (r->at == r->end) return fail(r, 0, "is empty: expected a line of column names");
    const int line = r->line;
    const enum rk_status status = read_line(r, fields, &csv->columns);
    if (status != RK_OK) return status;
    csv->name = malloc(csv->columns * sizeof *csv->name);
    if (!csv->name)
        return rk_fail(r->error, RK_NO_MEMORY, csv->path, 0, 0, "no memory for the table");
    for (size_t i = 0; i < csv->columns; i++) {
        csv->name[i] = fields[i];
        for (size_t k = 0; k < i; k++)
            if (strcmp(fields[i], fields[k]) == 0)
                return rk_fail(r->error, RK_BAD_INPUT, csv->path, line, 0,
                               "column \"%.60s\" stands there twice: remove one", fields[i]);
    }
    return RK_OK;
}

static bool make_room(struct csv *csv, size_t *room)
{
    if (csv->rows < *room) return true;
    *room = *room ? 2 * *room : 256;
    void *cells = realloc(csv->cell, *room * csv->columns * sizeof *csv->cell);
    if (cells) csv->cell = cells;
    void *lines = realloc(csv->line, *room * sizeof *csv->line);
    if (lines) csv->line = lines;
    return cells && lines;
}

static enum rk_status read_rows(struct reader *r)
{
    struct csv *csv = r->csv;
    size_t room = 0;
    for (skip(r, false); r->at < r->end; skip(r, false)) {
        const char *fields[CSV_MAX_COLUMNS];
        const int line = r->line;
        size_t count;
        const enum rk_status status = read_line(r, fields, &count);
        if (status != RK_OK) return status;
        if (count != csv->columns && strchr("{[", csv->name[0][0]))
            return rk_fail(
                r->error, RK_BAD_INPUT, csv->path, 1, 0,
                "looks like JSON: a table is needed here, with a line of column names and "
                "rows with a field per column, separated by commas");
        if (count != csv->columns)
            return rk_fail(r->error, RK_BAD_INPUT, csv->path, line, 0,
                           "has %zu fields where the first line names %zu columns: put text with "
                           "commas in quotes",
                           count, csv->columns);
        if (!make_room(csv, &room))
            return rk_fail(r->error, RK_NO_MEMORY, csv->path, 0, 0, "no memory for the table");
        memcpy(csv->cell + csv->rows * csv->columns, fields, count * sizeof *fields);
        csv->line[csv->rows++] = line;
    }
    return RK_OK;
}

enum rk_status csv_parse(const char *path, const char *text, size_t size, struct csv *csv,
                         struct rk_error *error)
{
    char *copy = malloc(size + 1);
    *csv = (struct csv){.text = copy};
    if (!copy) return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "no memory for the table");
    if (size) memcpy(copy, text, size);
    copy[size] = '\0';
    snprintf(csv->path, sizeof csv->path, "%s", path);
    const size_t mark = size >= 3 && memcmp(copy, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    struct reader r = {csv, error, copy + mark, copy + size, copy, 1};
    enum rk_status status = RK_OK;
    if (memchr(copy, '\0', size)) status = fail(&r, 0, "a NUL byte: this is not a text file");
    if (status == RK_OK) status = read_names(&r);
    if (status == RK_OK) status = read_rows(&r);
    if (status != RK_OK) csv_release(csv);
    return status;
}

void csv_release(struct csv *csv)
{
    free(csv->text);
    free((void *)csv->name);
    free((void *)csv->cell);
    free(csv->line);
    *csv = (struct csv){0};
}

int csv_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strcmp(csv->name[i], name) == 0) return (int)i;
    return -1;
}
