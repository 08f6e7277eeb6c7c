/* search_select.h - `reckon search` with --where, --sort and --pareto: their expressions, checked
 * before the search begins, and as columns of its answer. */
#ifndef RECKON_CLI_SEARCH_SELECT_H
#define RECKON_CLI_SEARCH_SELECT_H

#include "cli/search_job.h"
#include "search/expression.h"

/* One expression that plans are ranked by. */
struct search_key {
    char text[128];                 /* as given: the column's name */
    const struct rk_figure *figure; /* what it is, when it is a figure alone; else NULL */
    struct expression expression;
};

enum { SEARCH_KEYS = 8 };

/* The expressions of the command line, compiled. */
struct search_keys {
    int count, column; /* column: where the next one begins */
    bool list;         /* several, with commas */
    struct search_key key[SEARCH_KEYS];
};

/* Checks all expressions. RK_BAD_ARGUMENT names the option and the column in its expression. */
enum rk_status search_keys_open(const struct search *search, struct search_keys *keys,
                                struct rk_error *error);

/* --where, which must be given, as a key whose value is 0 where it does not hold. */
enum rk_status search_condition_open(const char *where, enum rk_framework framework,
                                     struct search_key *key, struct rk_error *error);

/* Table "nearest_misses", where no plan satisfies the condition: for each comparison of it the plan
 * that comes nearest. search_misses.c */
void print_nearest(struct report *report, const struct search *search);

double search_key_value(const struct search_key *key, const struct rk_plan *plan,
                        const struct rk_outcome *outcome);

#endif
