/* compare.h - a study's results compared with published ones, printed. */
#ifndef RECKON_CLI_COMPARE_H
#define RECKON_CLI_COMPARE_H

#include "report/report.h"
#include "study/compare.h"

/* Answers commands in this process; `run` lets experiments run. Not within rk_command(). */
struct comparison_hooks compare_hooks(bool run);

/* A value of the database; a text is not copied. */
struct report_cell compare_cell(const struct study_value *value);

/* Its tables, notes and checks, then the commands and the experiments. The comparison must live as
 * long as the report. */
void compare_fill(struct report *report, const struct study_comparison *comparison);

/* The same as a page with the charts drawn, to `path`. compare_page.c */
enum rk_status compare_page(const struct study_comparison *comparison, const char *title,
                            const char *source, const char *path, struct rk_error *error);

/* Prints it to `output`, or standard output when that is NULL; a page where that ends in .html.
 * `format` is an enum report_format; `title` and `source` (its command) are of the page. Returns
 * the exit code: RK_CHECK_FAILED when something that is required does not hold. */
int compare_show(const struct study_comparison *comparison, const char *title, const char *source,
                 int format, const char *output);

/* Runs a script of core/study/compare.h over the database and shows what it yields. */
int compare_print(const char *database, const char *script, int format, const char *output);

#endif
