/* csv.h - a table of texts from a CSV file [rfc4180]: a line of names, then rows.
 *
 * Fields are separated by commas and may stand in double quotes, with "" for a quote inside; a
 * quoted field may hold line ends. Lines that begin with '#' before the names are comments; empty
 * lines are left out. Files may be compressed with gzip; "-" is standard input.
 */
#ifndef RECKON_TEXT_CSV_H
#define RECKON_TEXT_CSV_H

#include <reckon/status.h>
#include <stddef.h>

struct csv {
    char path[256]; /* as messages name it */
    char *text;     /* the file, cut into fields */
    size_t columns, rows;
    const char **name; /* (columns) */
    const char **cell; /* (rows, columns), point into text */
    int *line;         /* (rows) where each begins, from 1 */
};

enum { CSV_MAX_COLUMNS = 256 };

/* RK_BAD_INPUT when the file cannot be read, is empty, names a column twice, has a row with another
 * number of fields than there are names, or a quote that is not closed. On failure the table is
 * empty; release it or not. */
enum rk_status csv_load(const char *path, struct csv *csv, struct rk_error *error);

/* The same from memory; `path` is only for messages. */
enum rk_status csv_parse(const char *path, const char *text, size_t size, struct csv *csv,
                         struct rk_error *error);

/* A zeroed table is fine. */
void csv_release(struct csv *csv);

/* The column of that name; -1 when there is none. */
int csv_column(const struct csv *csv, const char *name);

static inline const char *csv_cell(const struct csv *csv, size_t row, size_t column)
{
    return csv->cell[row * csv->columns + column];
}

#endif
