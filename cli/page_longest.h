/* page_longest.h - the page of reckon longest: its tables, and MFU and memory over length. */
#ifndef RECKON_CLI_PAGE_LONGEST_H
#define RECKON_CLI_PAGE_LONGEST_H

#include "report/report.h"
#include <reckon/reckon.h>

/* A row for each kind of plan, number of GPUs and length: of the fastest plan there. */
enum { PAGE_LONGEST_COLUMNS = 6 };
extern const struct report_column page_longest_columns[PAGE_LONGEST_COLUMNS];

struct page_longest {
    const struct rk_model *model;
    const struct rk_system *system;
    const char *model_name, *system_name; /* as they were given */
    const struct report *report;          /* tables */
    const struct report_table *points;    /* of the columns above */
    int code;                             /* the command's exit code */
};

enum rk_status page_longest(const struct page_longest *l, const char *path, struct rk_error *error);

#endif
