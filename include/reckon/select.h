/* select.h - questions about all strategies that fit: which satisfy a condition, which are best by
 * another figure than time, which are on the frontier of several.
 *
 * Conditions and keys are expressions over the figures of rk_figures() ("step_s", "hbm_bytes",
 * "bubble_s", ...), the axes ("tensor", "recompute", ...; '_' for '-'), "batch", and the short
 * names time, hbm, mem2 (all lower tiers), rate (samples per second):
 *
 *     hbm <= 60GiB and tensor <= 8 and (recompute == none or mfu > 0.5)
 *
 * with + - * / ( ) < <= > >= == != and, or, not; numbers may carry units.
 */
#ifndef RECKON_SELECT_H
#define RECKON_SELECT_H

#include <reckon/search.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rk_query {
    const char *where; /* NULL: all */
    const char *sort;  /* expression, smaller is better; NULL: samples per second. Figures of which
                          more is better (rates, efficiencies) are turned round when they stand
                          alone */
    const char
        *pareto;  /* expressions, separated by commas; NULL: no frontier, but the best `top` */
    uint64_t top; /* at least 1; ignored with pareto */
    int threads;  /* 0: as many as OpenMP gives */
    bool (*progress)(void *context, uint64_t decided, uint64_t total); /* as in a search */
    void *context;
};

struct rk_selected {
    double key; /* the sort key, or the first objective */
    uint64_t index;
};

struct rk_selection {
    struct rk_search_counts counts;
    uint64_t matches; /* strategies that fit and satisfy `where` */
    uint64_t found;
    struct rk_selected *row; /* (found) by key, then index */
    bool complete;
};

/* Goes through every strategy. RK_USAGE when an expression is wrong: error->column is the place
 * within it. The result does not depend on the number of threads. */
RK_API enum rk_status rk_select(const struct rk_space *space, const struct rk_query *query,
                                struct rk_selection *selection, struct rk_error *error);
RK_API void rk_selection_release(struct rk_selection *selection);

/* Whether one estimated strategy satisfies a condition (NULL: yes). */
struct rk_condition;
RK_API struct rk_condition *rk_condition_open(const char *text, struct rk_error *error);
RK_API void rk_condition_close(struct rk_condition *condition);
RK_API bool rk_condition_holds(const struct rk_condition *condition,
                               const struct rk_strategy *strategy,
                               const struct rk_estimate *estimate);

#ifdef __cplusplus
}
#endif
#endif
