/* search_table.h - `reckon search` for several sizes, models or systems: a table with one row a
 * problem, its best strategy or why nothing fits. */
#ifndef RECKON_CLI_SEARCH_TABLE_H
#define RECKON_CLI_SEARCH_TABLE_H

#include "cli/search_grid.h"

/* Searches all problems of the grid and prints the table; returns the exit code: 0 when anything
 * fits, 1 when nothing does. */
int search_table(const struct search_grid *grid, const struct search_args *args,
                 struct search_session *session);

#endif
