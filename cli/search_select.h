/* search_select.h - `reckon search` with --where, --sort and --pareto: their expressions, checked
 * before the search begins, and as columns of its answer. */
#ifndef RECKON_CLI_SEARCH_SELECT_H
#define RECKON_CLI_SEARCH_SELECT_H

#include "cli/search_job.h"
#include "report/report.h"

/* One expression that strategies are ranked by. */
struct search_key {
    char text[128];                 /* as given: the column's name */
    const struct rk_figure *figure; /* what it is, when it is a figure alone; else NULL */
    struct expression expression;
};

enum { SEARCH_KEYS = 8 };

/* The expressions of the command line, compiled. */
struct search_keys {
    int count;
    struct search_key key[SEARCH_KEYS];
};

/* Checks all expressions. RK_USAGE names the option and the column in its expression. */
enum rk_status search_keys_open(const struct search_args *args, const struct predictor *predictor,
                                struct search_keys *keys, struct rk_error *error);

double search_key_value(const struct search_key *key, const struct rk_strategy *strategy,
                        const struct rk_estimate *estimate);

#endif
