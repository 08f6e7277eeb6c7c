/* search_table.h - several problems: a row each, with its best plan or why it has none. */
#ifndef RECKON_CLI_SEARCH_TABLE_H
#define RECKON_CLI_SEARCH_TABLE_H

#include "cli/search_grid.h"

/* Searches all problems and prints the table; returns the exit code. */
int search_table(const struct search_grid *grid, const struct search_args *args,
                 struct search_session *session);

#endif
