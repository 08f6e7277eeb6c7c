/* query.h - what the loader asks of SQL. */
#ifndef RECKON_STUDY_QUERY_H
#define RECKON_STUDY_QUERY_H

#include <reckon/status.h>

/* Is this an expression over the columns of the view `ranking`? RK_BAD_INPUT and SQLite's words
 * when it is not. */
enum rk_status query_check_expression(const char *expression, struct rk_error *error);

#endif
