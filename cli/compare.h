/* compare.h - a study's results beside published ones, printed. */
#ifndef RECKON_CLI_COMPARE_H
#define RECKON_CLI_COMPARE_H

/* Runs a script of src/study/compare.h over the database and prints what it yields: to `output`, or
 * standard output when that is NULL. `format` is an enum report_format. Returns the exit code:
 * RK_CHECK_FAILED when something that is required does not hold. */
int compare_print(const char *database, const char *script, int format, const char *output);

#endif
