/* unread.h - what tables of measured runs say and nothing reads: columns, and statements of notes.
 *
 * A column is read when a rule or a part of a fact asks for its cell. A statement is what stands
 * between two semicolons of the cell "notes"; it is read when a pattern of a rule that holds for
 * the row finds something in it, or when it is the confidence (conf:A) or a further figure
 * (also[...]). Statements that differ by their numbers alone are one.
 */
#ifndef RECKON_FACTS_UNREAD_H
#define RECKON_FACTS_UNREAD_H

#include "facts/row.h"

struct unread_item {
    char *text;  /* "step # of #"; of a column its name */
    size_t rows; /* number of rows that say it */
    char *first; /* the id of one */
    bool is_column;
};

struct unread {
    size_t statements;      /* of all rows */
    size_t statements_read; /* of these */
    size_t items;
    struct unread_item *item;  /* (items) the most frequent first, after unread_end() */
    bool modelled;             /* a row of the table was: else columns are not judged */
    bool asked[ROW_MAX_CELLS]; /* columns of the table that is read */
};

/* Around the rows of one table. RK_IO: no memory. */
void unread_begin(struct unread *unread);
enum rk_status unread_row(struct unread *unread, const struct row *row, struct rk_error *error);
enum rk_status unread_end(struct unread *unread, const struct csv *csv, struct rk_error *error);
void unread_release(struct unread *unread); /* a zeroed one is fine */

#endif
