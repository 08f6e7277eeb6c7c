#include "facts/unread.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static enum rk_status count_item(struct unread *unread, const char *text, bool is_column,
                                 size_t rows, const char *first, struct rk_error *error)
{
    for (size_t i = 0; i < unread->items; i++) {
        struct unread_item *item = &unread->item[i];
        if (item->is_column != is_column || strcmp(item->text, text) != 0) continue;
        item->rows += rows;
        return RK_OK;
    }
    if (!ARRAY_ROOM(unread->item, unread->items)) return no_memory(error);
    struct unread_item *item = &unread->item[unread->items++];
    *item = (struct unread_item){strdup(text), rows, strdup(first), is_column};
    return item->text && item->first ? RK_OK : no_memory(error);
}

/* ---- statements ---- */

/* Without space around it, each number as '#'. */
static void normalise(const char *from, size_t length, char *to, size_t size)
{
    size_t at = 0;
    while (length && isspace((unsigned char)from[0]))
        from++, length--;
    while (length && isspace((unsigned char)from[length - 1]))
        length--;
    for (size_t i = 0; i < length && at + 1 < size; i++) {
        const bool digit =
            isdigit((unsigned char)from[i]) || (at && to[at - 1] == '#' && strchr(".,", from[i]) &&
                                                isdigit((unsigned char)from[i + 1]));
        if (digit && at && to[at - 1] == '#') continue;
        to[at++] = digit ? '#' : from[i];
    }
    to[at] = '\0';
}

static bool is_figure(const char *text)
{
    return strncmp(text, "conf:", 5) == 0 || strncmp(text, "also[", 5) == 0;
}

/* The end of a statement: a semicolon outside of brackets. */
static size_t statement_length(const char *text)
{
    int depth = 0;
    size_t i = 0;
    for (; text[i] && !(depth <= 0 && text[i] == ';'); i++)
        depth += (text[i] == '[') - (text[i] == ']');
    return i;
}

enum rk_status unread_row(struct unread *unread, const struct row *row, struct rk_error *error)
{
    const struct row_reading *reading = row->reading;
    enum rk_status status = RK_OK;
    const char *notes = row_get(row, "notes");
    for (size_t at = 0, length; status == RK_OK && notes[at];
         at += length + (notes[at + length] != 0)) {
        char text[256];
        bool read = false;
        length = statement_length(notes + at);
        normalise(notes + at, length, text, sizeof text);
        for (size_t i = at; i < at + length && i < ROW_NOTES; i++)
            read |= reading->notes[i];
        if (!text[0]) continue;
        read |= is_figure(text);
        unread->statements++;
        unread->statements_read += read;
        if (!read) status = count_item(unread, text, false, 1, row_get(row, "id"), error);
    }
    return status;
}

/* ---- columns ---- */

void unread_begin(struct unread *unread)
{
    memset(unread->asked, 0, sizeof unread->asked);
    unread->modelled = false;
}

static int by_rows(const void *a, const void *b)
{
    const struct unread_item *x = a, *y = b;
    if (x->is_column != y->is_column) return y->is_column - x->is_column;
    if (x->rows != y->rows) return x->rows < y->rows ? 1 : -1;
    return strcmp(x->text, y->text);
}

/* Columns for people; notes, which are read by their statements; the value, which a run that was
 * out of memory has none of. */
static bool is_for_people(const char *name)
{
    static const char *const names[] = {"table_or_fig", "year", "notes", "metric_value", NULL};
    for (int i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

enum rk_status unread_end(struct unread *unread, const struct csv *csv, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (size_t c = 0; status == RK_OK && unread->modelled && c < csv->columns; c++) {
        size_t rows = 0, first = csv->rows;
        if (unread->asked[c] || is_for_people(csv->name[c])) continue;
        for (size_t r = 0; r < csv->rows; r++) {
            if (!csv_cell(csv, r, c)[0]) continue;
            if (!rows++) first = r;
        }
        const int id = csv_column(csv, "id");
        if (rows)
            status = count_item(unread, csv->name[c], true, rows,
                                id < 0 ? "" : csv_cell(csv, first, (size_t)id), error);
    }
    if (unread->items) qsort(unread->item, unread->items, sizeof *unread->item, by_rows);
    return status;
}

void unread_release(struct unread *unread)
{
    for (size_t i = 0; i < unread->items; i++) {
        free(unread->item[i].text);
        free(unread->item[i].first);
    }
    free(unread->item);
    *unread = (struct unread){.items = 0};
}
