/* longest_tables.h - the tables of the longest sequences. */
#ifndef RECKON_CLI_LONGEST_TABLES_H
#define RECKON_CLI_LONGEST_TABLES_H

#include "cli/plan_input.h"
#include "report/report.h"
#include <reckon/longest.h>

struct tables {
    struct rk_longest *p;
    const struct plan_input *input;
    struct rk_plans_problem *over; /* of several clusters */
    struct report *report;
    struct report_table *longest, *ends, *lengths, *gains, *points;
};

/* What was found for a number of GPUs. */
struct found {
    uint64_t gpus, tokens[RK_LONGEST_KINDS + 1];
    bool full; /* no plan leaves the room */
    bool any;  /* the fastest at the longest length, which is: */
    struct rk_plan plan;
    struct rk_outcome outcome;
    const char *limit; /* the memory that is too small for more */
};

/* Of two buffers over the other kinds, at the lengths of a number of GPUs. */
struct gains {
    int lengths, both[RK_LONGEST_KINDS];
    double sum[RK_LONGEST_KINDS], ratios[RK_LONGEST_KINDS];
};

void longest_add_longest(struct tables *t, const struct found *found);

void longest_add_ends(struct tables *t, const uint64_t tokens[RK_LONGEST_KINDS + 1]);

/* A row for each power of two and where each kind ends. Gains are means over the former and the
 * longest of two buffers. */
void longest_add_lengths(struct tables *t, const uint64_t most[RK_LONGEST_KINDS + 1]);

void longest_open_tables(struct tables *t);

/* Without rows a table is of interest to programs alone. */
void longest_hide_empty(struct report_table *table);

#endif
