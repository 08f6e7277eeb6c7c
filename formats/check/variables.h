/* variables.h - rule 12.environment of names: a variable that is written almost as one that a
 * library reads is one that nobody reads. What is like no known name may be of a plugin, and is
 * passed. */
#ifndef RECKON_CHECK_VARIABLES_H
#define RECKON_CHECK_VARIABLES_H

#include <reckon/check.h>

/* Checks the variables that are given with the plan. */
void check_variables(const struct rk_variable *variables, struct rk_findings *findings);

/* Of all that a script sets, wherever it does: `export NAME=`, `NAME= command`, `-x NAME=`. */
void check_variables_of_text(const char *text, size_t size, struct rk_findings *findings);

/* Warns of the first path of a template that nobody filled in, "/path/to/data", out of comments;
 * what a variable of the environment replaces, ${DATA:-/path/to/data}, is none. */
void check_placeholders(const char *text, size_t size, struct rk_findings *findings);

#endif
