/* show.h - where a report goes and how it looks: --format, --color, --width, -o.
 *
 * Colour: --color=always, or auto on a terminal that is not "dumb", unless NO_COLOR is set.
 * Characters beyond ASCII only where the locale (LC_ALL, LC_CTYPE, LANG) is a UTF-8 one.
 */
#ifndef RECKON_CLI_SHOW_H
#define RECKON_CLI_SHOW_H

#include "cli/options.h"
#include "report/report.h"

/* Around a line that is a heading: "==== Fig. 2 ====". */
#define HEADING_EDGE "===="

enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct show_args {
    int format;     /* enum report_format */
    int colour;     /* enum colour_choice */
    uint64_t width; /* of tables; 0: the terminal's */
};

/* --format, --color, --width */
extern const struct option show_options[];

struct report_style show_style(const struct show_args *args, FILE *out);

/* Is `file` a terminal that a progress bar can be drawn on? */
bool show_on_terminal(FILE *file);

/* Is the answer, as tables for people, to be a page: does `path` end in .html? */
bool show_is_page(const struct show_args *args, const char *path);

/* An empty report that knows what show_report() will write it as. */
struct report show_begin(const struct show_args *args, const char *path);

/* Writes the report to a temporary file and renames it to `path`; as a page, if show_is_page(),
 * whose tables sort and filter. NULL and "-" are standard output. Returns the exit code: `status`
 * when all went well, else what went wrong, with its message printed. */
int show_report(const struct report *report, const struct show_args *args, const char *path,
                int status);

/* Ends a command: the report where `status` is RK_OK, with the exit status `code`, else the error.
 * Releases the report. */
int show_end(struct report *report, const struct show_args *args, const char *path,
             enum rk_status status, int code, const struct rk_error *error);

/* Ends standard output; `status`, or RK_IO with a message when not everything was written. */
int show_finish(int status);

#endif
