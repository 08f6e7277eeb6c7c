/* search_rows.h - rows of several problems: figures, their order, table and chart. */
#ifndef RECKON_CLI_SEARCH_ROWS_H
#define RECKON_CLI_SEARCH_ROWS_H

#include "cli/search_machines.h"
#include "report/report.h"

/* One problem: its best plan, or why it has none. */
struct search_row {
    const struct rk_model *model;
    const struct rk_system *system;
    const char *choice; /* of a system with lists in braces; NULL: its id */
    uint64_t gpus, batch;
    uint64_t plans, fits;
    const char *predictor;
    const char *reason; /* NULL: it has one */
    struct rk_plan plan;
    struct rk_outcome outcome;
    double chance;     /* that it fits; NAN: nothing is known of runs like it */
    double days, cost; /* of the run; 0: not asked for, or no price */
    struct machine_facts machine;
};

struct search_rows {
    const struct search_row *row; /* (count), which live as long as the report */
    size_t count;
    const char *sort; /* the column that they are in the order of; NULL: none */
    bool several_models, several_systems, several_batches, mixed;
};

/* By a column or a figure of plans, the least first, of rates and shares the most; rows without a
 * plan come last. A name that no column has, or NULL: as they are. */
void search_rows_sort(struct search_row *row, size_t count, const char *by);

void search_rows_add(struct report *report, const struct search_rows *rows);

/* On a page, runs on several machines by what they cost, and a line with two lists in braces as a
 * heat map. False: the rows are neither. */
bool search_rows_chart(struct report *report, const struct search_rows *rows);

#endif
