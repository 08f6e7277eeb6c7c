/* search.h - questions about a space of plans: the best, by any figure, of those that satisfy a
 * condition, and what became of all the others. plans.h opens spaces.
 */
#ifndef RECKON_SEARCH_H
#define RECKON_SEARCH_H

#include <reckon/predict.h>
#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RK_MAX_PINNED = 64 };

/* ---- the space as a list ---- */

struct rk_space; /* opaque; immutable, shared by threads: rk_plans_open() */
RK_API void rk_space_close(struct rk_space *space);
RK_API uint64_t rk_space_count(const struct rk_space *space);

/* ---- asking ---- */

/* Goes up whenever any plan gets another figure, count or order, be it in the last digit: states
 * and studies of another version are not resumed from. */
enum { RK_MODEL_VERSION = 6 };

enum rk_search_mode {
    RK_SEARCH_PRUNED,     /* prunes groups by lower bounds; the same answer */
    RK_SEARCH_EXHAUSTIVE, /* every plan gets its verdict and, if it fits, its time */
    RK_SEARCH_TWIN        /* one at a time through rk_predict: slow, for tests */
};

/* What is asked of all plans that fit. Conditions and keys are expressions over the predictor's
 * figures ("step_s", "hbm_bytes", "bubble_s", ...), the axes ("tensor", "recompute", ...; '_' for
 * '-'), "batch", and the short names time, hbm, mem2 (all lower tiers), rate (samples per second):
 *
 *     hbm <= 60GiB and tensor <= 8 and (recompute == none or mfu > 0.5)
 *
 * with + - * / ( ) < <= > >= == != and, or, not; numbers may carry units. */
struct rk_query {
    /* With where, sort or pareto nothing is pruned but by single comparisons of `where` with
     * step_s, hbm_bytes and mfu, and by: */
    enum rk_search_mode mode;
    /* Plans with fewer samples per second do not count, and need not be looked at. */
    double least_samples_per_s;
    /* Without sort and pareto: slower plans than the best `top` are not looked at, whether they
     * satisfy `where` or not; matches are those that were found. */
    bool best_only;
    const char *where;  /* NULL: all */
    const char *sort;   /* smaller is better; NULL: most samples per second. Figures of which more
                           is better (rates, efficiencies) are turned round when they stand alone */
    const char *pareto; /* up to eight, with commas between them: what nothing is better than in all
                           of them, in the place of the best `top`; NULL: no frontier */
    uint64_t top;       /* how many of the best to keep, at least 1 */
    int threads;        /* 0: as many as OpenMP gives */
    /* Called now and then from one thread, with what is decided so far; returning false stops
     * the search. May be NULL. best_step_s is infinite with where, sort and pareto. */
    bool (*progress)(void *context, uint64_t decided, uint64_t total, double best_step_s);
    void *context;
    /* Called with the progress as bytes, for the caller to keep, when keep_every_s have passed
     * since the last time (0: as often as possible); returning false stops the search. NULL: not
     * called. */
    bool (*keep)(void *context, const void *state, size_t bytes);
    double keep_every_s;
    /* What keep() was given last: the same search resumes from there, to the same result. NULL:
     * from the start. State of another search, or cut short, is RK_BAD_INPUT. */
    const void *resume;
    size_t resume_bytes;
};

/* A plan of the answer. Without `sort` the best has the most samples per second; the batch is not
 * the same for all plans of the Calculon model. */
struct rk_candidate {
    double key; /* samples per second, the sort key, or the first objective */
    double samples_per_s;
    double step_s;
    uint64_t index;
};

enum { RK_MAX_TIERS = 64 };

/* Plans by what became of them; the sum of all verdicts and `repeated` is `total`. */
struct rk_search_counts {
    uint64_t total;
    uint64_t verdict[RK_VERDICTS][RK_MAX_TIERS]; /* [0] of those that name no tier */
    uint64_t repeated; /* are another plan in other words: a balanced split that is also even */
};

/* Those of one verdict, of all tiers. */
RK_API uint64_t rk_search_count(const struct rk_search_counts *counts, enum rk_verdict verdict);

/* The number of plans that each argument decided (the sum is `total`, without `folds`). */
struct rk_search_explain {
    uint64_t refused; /* by a check or a network, or repeated: many at once */
    uint64_t refused_by_memory;
    uint64_t bounded; /* fit, but a lower bound on the time of their group excludes them */
    uint64_t timed;   /* fit, and their time was computed */
    uint64_t folds;   /* of layers, by the search of plans: not plans */
};

struct rk_answer {
    struct rk_search_counts counts;
    struct rk_search_explain explain;
    uint64_t matches; /* plans that fit and satisfy `where` */
    uint64_t found;
    struct rk_candidate *best; /* (found) by key, best first, then index */
    /* Over several clusters: no plan without interleaving has less by what the search minimises,
     * docs/clusters.md; its simulated step, and those of interleaved plans, may take less. Else 0.
     */
    double bound_s;
    bool complete;  /* false: stopped by progress() or keep() */
    double seconds; /* wall time */
};

/* Counts, matches and plans are the same for any number of threads and any mode; explain too, but
 * for the mode. RK_BAD_ARGUMENT when an expression is wrong: error->column is the place within it.
 * Release the answer with rk_answer_release. */
RK_API enum rk_status rk_ask(const struct rk_space *space, const struct rk_query *query,
                             struct rk_answer *answer, struct rk_error *error);
RK_API void rk_answer_release(struct rk_answer *answer);

/* Times that differ by rounding alone are ties, which the position in the enumeration breaks: what
 * is simpler comes first there. Of an answer without `sort` and `pareto`. */
RK_API void rk_answer_settle(struct rk_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
