/* check.h - parts of reckon check. */
#ifndef RECKON_CLI_CHECK_H
#define RECKON_CLI_CHECK_H

#include "cli/options.h"
#include <reckon/check.h>

enum check_format { CHECK_TEXT, CHECK_JSON, CHECK_SARIF, CHECK_CSV };

/* What findings are about. */
struct checked {
    const char *title;        /* "llama3.1-70b on h100-sxm5-80g"; NULL: none */
    const char *path;         /* of the file; "" : words */
    const char *const *paths; /* of logs, by rank; NULL: there are none */
};

const char *check_level(enum rk_severity severity); /* "error", "warning" or "note" */

/* Writes all findings; "-" or NULL is standard output. Returns the exit code: 0, 1 with errors. */
int check_write(const struct rk_findings *findings, const struct checked *checked,
                enum check_format format, const char *path);

/* How many errors a plan has but for memory, which is others' to judge; `first` (may be NULL) gets
 * the first. */
int check_forbids(const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan, struct rk_finding *first);

/* For other commands: one line on standard error that says what the first error of a plan is, and
 * how many follow; true and nothing where there is none. `name` heads it, "the best plan"; `system`
 * may be NULL. What memory is short of is theirs to say. */
bool check_remark(const char *name, const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan);

/* Judges lines of cases. Returns the exit code, as all that follow. */
int check_cases(const char *path);

/* Runs of a table that ran ("own": the catalog's): all errors of theirs are false, or the table is.
 */
int check_measured(const char *path);

/* Logs of all ranks: a folder, or one file for each. */
struct plan_input; /* plan_input.h */
enum check_log_kind { CHECK_OPERATIONS, CHECK_NCCL, CHECK_FLIGHT };
struct check_logs {
    enum check_log_kind kind;
    const struct option_texts *paths;
    struct rk_logs_options options;
    enum check_format format;
    const char *output;
    const struct plan_input *plan; /* whose programs the logs are compared with; NULL: none */
};
int check_log_files(const struct check_logs *logs);

#endif
