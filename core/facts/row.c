#include "facts/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cell *find(struct row *row, const char *name)
{
    for (int i = 0; i < row->count; i++)
        if (strcmp(row->cell[i].name, name) == 0) return &row->cell[i];
    return NULL;
}

const char *row_get(const struct row *row, const char *name)
{
    const struct cell *cell = row->cell, *const end = cell + row->count;
    for (; cell < end; cell++)
        if (cell->name[0] == name[0] && strcmp(cell->name, name) == 0) {
            if (row->reading) row->reading->asked[cell - row->cell] = true;
            return cell->value;
        }
    return "";
}

const char *row_source(const struct row *row, char text[static ROW_SOURCE])
{
    const char *given = row_get(row, "source_group"), *id = row_get(row, "id");
    size_t length = strlen(id);
    while (length > 1 && id[length - 1] >= '0' && id[length - 1] <= '9')
        length--;
    while (length > 1 && strchr("_-", id[length - 1]))
        length--;
    if (given[0])
        snprintf(text, ROW_SOURCE, "%s", given);
    else
        snprintf(text, ROW_SOURCE, "%.*s", (int)length, id);
    return text;
}

bool row_set(struct row *row, const char *name, const char *value, const char *why)
{
    struct cell *cell = find(row, name);
    char *copy = strdup(value);
    if (!copy) return false;
    if (!cell) {
        char *key = row->count < ROW_MAX_CELLS ? strdup(name) : NULL;
        if (!key) {
            free(copy);
            return false;
        }
        cell = &row->cell[row->count++];
        *cell = (struct cell){.name = key};
    }
    free(cell->value);
    cell->value = copy;
    cell->why = why;
    return true;
}

/* Tables write "not given" in several ways. */
static const char *given(const char *text)
{
    static const char *const nothing[] = {"NA", "N/A",     "n/a",       "-",
                                          "?",  "unknown", "not given", NULL};
    for (int i = 0; nothing[i]; i++)
        if (strcmp(text, nothing[i]) == 0) return "";
    return text;
}

enum rk_status row_read(const struct csv *csv, size_t index, struct row *row,
                        struct rk_error *error)
{
    *row = (struct row){.path = csv->path, .line = csv->line[index]};
    for (size_t i = 0; i < csv->columns; i++)
        if (!row_set(row, csv->name[i], given(csv_cell(csv, index, i)), NULL))
            return rk_fail(error, RK_NO_MEMORY, csv->path, row->line, 0, "no memory for the row");
    return RK_OK;
}

void row_release(struct row *row)
{
    for (int i = 0; i < row->count; i++) {
        free(row->cell[i].name);
        free(row->cell[i].value);
    }
    row->count = 0;
}
