/* calculon_search.h - the searches of the published tool Calculon [isaev2023]: the best executions
 * by sample rate, or all that can run.
 */
#ifndef RECKON_CALCULON_CALCULON_SEARCH_H
#define RECKON_CALCULON_CALCULON_SEARCH_H

#include "calculon/calculon.h"

#include "calculon/strategies.h"
#include <reckon/system.h>
#include <stdbool.h>
#include <stdio.h>

struct calculon_problem {
    const struct rk_model *model;
    const struct rk_system *system;
    uint64_t ranks, max_batch;
    enum rk_datatype datatype;
    bool fused[2];       /* is the activation without, with fusion searched? */
    bool tensor_overlap; /* may tensor parallelism overlap? */
    bool data_overlap;   /* may data parallelism? */
    int threads;         /* 0: one per processor */
    /* As in struct rk_query; may be NULL. Returning false ends in RK_INTERRUPTED. */
    bool (*progress)(void *context, uint64_t done, uint64_t total, double best_step_s);
    void *context;
};

struct calculon_ranking {
    uint64_t total; /* executions looked at */
    uint64_t good;  /* ... that can run */
    size_t count;
    struct calculon_execution *best; /* (count); by sample rate, then place in the enumeration */
};

/* How many executions there are. */
enum rk_status calculon_search_count(const struct calculon_problem *problem, uint64_t *count,
                                     struct rk_error *error);

/* The `top` best (at least 1). With `mbs_break` larger microbatches of a kind of execution are left
 * out once none of one size can run. Release with calculon_ranking_release. */
enum rk_status calculon_search_best(const struct calculon_problem *problem, size_t top,
                                    bool mbs_break, struct calculon_ranking *ranking,
                                    struct rk_error *error);
void calculon_ranking_release(struct calculon_ranking *ranking);

/* Writes a row of CSV for each execution that can run, in the order of the enumeration, to `to`
 * (NULL: only counts). RK_IO when `to` fails. */
enum rk_status calculon_search_all(const struct calculon_problem *problem, FILE *to,
                                   uint64_t *total, uint64_t *good, struct rk_error *error);

#endif
