/* check.h - parts of reckon check. */
#ifndef RECKON_CLI_CHECK_H
#define RECKON_CLI_CHECK_H

#include "cli/options.h"
#include <reckon/check.h>

/* Runs of a table that ran ("own": the catalog's): all errors of theirs are false, or the table is.
 * Returns the exit code. */
int check_measured(const char *path);

#endif
