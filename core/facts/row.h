/* row.h - one measured run as named cells: what the source gives, and what was assumed.
 *
 * Cells come from a line of a table, from rules (rules.h), or from both; an empty text is a cell
 * that nobody filled. Names are those of the columns, and beyond them whatever rules set.
 */
#ifndef RECKON_FACTS_ROW_H
#define RECKON_FACTS_ROW_H

#include "text/csv.h"
#include <stdbool.h>

enum { ROW_MAX_CELLS = 256 };

struct cell {
    char *name, *value;
    const char *why; /* the rule's reason; NULL: given by the source */
};

/* What was read of a row (unread.h). */
enum { ROW_NOTES = 4096 };
struct row_reading {
    bool *asked;           /* (ROW_MAX_CELLS) cells that somebody asked for; never taken back */
    bool notes[ROW_NOTES]; /* characters of the cell "notes" that a rule's pattern found */
};

struct row {
    const char *path;            /* of the table */
    struct row_reading *reading; /* NULL: nobody wants to know */
    int line;
    int count;
    struct cell cell[ROW_MAX_CELLS];
};

/* The cells of one line; RK_NO_MEMORY when there is no memory. Release it on success or failure. */
enum rk_status row_read(const struct csv *csv, size_t index, struct row *row,
                        struct rk_error *error);
void row_release(struct row *row);

/* "" when there is no such cell. */
const char *row_get(const struct row *row, const char *name);

/* The source of a row by its cells source_group, or id without the number at its end: "sc21t1_004"
 * is of "sc21t1". Returns `text`. */
enum { ROW_SOURCE = 64 };
const char *row_source(const struct row *row, char text[static ROW_SOURCE]);

/* False when there is no room or memory. */
bool row_set(struct row *row, const char *name, const char *value, const char *why);

#endif
