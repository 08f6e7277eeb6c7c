/* search.h - the space of strategies for one model on one system, and questions about it.
 *
 * The space is that of [isaev2023], outermost axis first: tensor, pipeline, data (what is left),
 * interleaving, batch (the largest multiple of data up to the maximum), recompute, optimizer
 * sharding, tensor communication, redone all-gather, data overlap, tensor overlap, weight,
 * activation and optimizer offload, fused activation, microbatch, and the network of tensor,
 * pipeline and data parallelism. A strategy's index is its position in that order, from 0.
 */
#ifndef RECKON_SEARCH_H
#define RECKON_SEARCH_H

#include <reckon/estimate.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The axes that can be pinned or restricted; their names, types and help are in rk_axes(). */
enum rk_axis {
    RK_AXIS_TENSOR,
    RK_AXIS_PIPELINE,
    RK_AXIS_DATA,
    RK_AXIS_INTERLEAVING,
    RK_AXIS_RECOMPUTE,
    RK_AXIS_OPTIMIZER_SHARDING,
    RK_AXIS_TENSOR_COMM,
    RK_AXIS_REDO_ALL_GATHER,
    RK_AXIS_DATA_OVERLAP,
    RK_AXIS_TENSOR_OVERLAP,
    RK_AXIS_WEIGHT_OFFLOAD,
    RK_AXIS_ACTIVATION_OFFLOAD,
    RK_AXIS_OPTIMIZER_OFFLOAD,
    RK_AXIS_FUSED_ACTIVATION,
    RK_AXIS_MICROBATCH,
    RK_AXIS_TENSOR_NETWORK,
    RK_AXIS_PIPELINE_NETWORK,
    RK_AXIS_DATA_NETWORK,
    RK_AXES
};

enum rk_axis_type {
    RK_AXIS_NUMBER, /* a degree or a size: 1, 2, 3, ... */
    RK_AXIS_BOOL,   /* no, yes */
    RK_AXIS_CHOICE, /* one of `choices` */
    RK_AXIS_TIER    /* an index into the system's memories (0: not offloaded) or networks */
};

struct rk_axis_info {
    const char *name; /* the flag, the JSON key (with '_') and the CSV column */
    enum rk_axis_type type;
    const char *const *choices; /* ended by NULL; only for RK_AXIS_CHOICE */
    const char *help;
    size_t offset; /* of the member in struct rk_strategy */
};

RK_API const struct rk_axis_info *rk_axis(enum rk_axis axis);

/* A strategy's value on an axis, whatever the member's C type; and the other way round. */
RK_API uint64_t rk_axis_get(const struct rk_strategy *strategy, enum rk_axis axis);
RK_API void rk_axis_set(struct rk_strategy *strategy, enum rk_axis axis, uint64_t value);

enum { RK_MAX_PINNED = 64 };

/* What to search. `pinned[axis]` lists the allowed values; count 0 allows all. An entry is
 * value[i], or, where to[i] is above it, all of value[i] ... to[i]. A network axis is only
 * restricted where its parallelism is above 1. */
struct rk_problem {
    const struct rk_model *model;
    const struct rk_system *system;
    uint64_t ranks;
    uint64_t max_batch;
    enum rk_datatype datatype;
    struct {
        int count;
        uint64_t value[RK_MAX_PINNED];
        uint64_t to[RK_MAX_PINNED];
    } pinned[RK_AXES];
};

/* No restrictions, except that the activation is fused, as the published tool has it. */
RK_API void rk_problem_init(struct rk_problem *problem, const struct rk_model *model,
                            const struct rk_system *system, uint64_t ranks, uint64_t max_batch,
                            enum rk_datatype datatype);

/* ---- the space as a list ---- */

struct rk_space; /* opaque; immutable, shared by threads; keeps a copy of the problem */

/* NULL when there is no memory. The model and system must outlive the space. */
RK_API struct rk_space *rk_space_open(const struct rk_problem *problem, struct rk_error *error);
RK_API void rk_space_close(struct rk_space *space);
RK_API uint64_t rk_space_count(const struct rk_space *space);

/* Of a space of strategies. Requires index < rk_space_count(space). */
RK_API void rk_space_strategy(const struct rk_space *space, uint64_t index,
                              struct rk_strategy *strategy);

/* ---- asking ---- */

/* Goes up whenever any plan gets another figure, count or order, be it in the last digit: states
 * and studies of another version are not gone on from. */
enum { RK_MODEL_VERSION = 2 };

enum rk_search_mode {
    RK_SEARCH_PRUNED,     /* groups are settled by proof; the same answer */
    RK_SEARCH_EXHAUSTIVE, /* every plan gets its verdict and, if it fits, its time */
    RK_SEARCH_TWIN        /* one at a time through rk_estimate or rk_predict: slow, for tests */
};

/* What is asked of all plans that fit. Conditions and keys are expressions over the predictor's
 * figures ("step_s", "hbm_bytes", "bubble_s", ...), the axes ("tensor", "recompute", ...; '_' for
 * '-'), "batch", and the short names time, hbm, mem2 (all lower tiers), rate (samples per second):
 *
 *     hbm <= 60GiB and tensor <= 8 and (recompute == none or mfu > 0.5)
 *
 * with + - * / ( ) < <= > >= == != and, or, not; numbers may carry units. */
struct rk_query {
    enum rk_search_mode mode; /* with where, sort or pareto nothing is pruned, but for: */
    /* Plans with fewer samples per second do not count, and need not be looked at. */
    double least_samples_per_s;
    /* Without sort and pareto: slower plans than the best `top` are not looked at, whether they
     * satisfy `where` or not; matches are those that were found. */
    bool best_only;
    const char *where;        /* NULL: all */
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
    /* What keep() was given last: the same search goes on from there, to the same result. NULL:
     * from the start. State of another search, or cut short, is RK_BAD_INPUT. */
    const void *resume;
    size_t resume_bytes;
};

/* A plan of the answer. Without `sort` the best has the most samples per second; the batch is not
 * the same for all plans of the published model. */
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

/* By which argument the plans were settled (the sum is `total`, `folds` apart). */
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
    bool complete;             /* false: stopped by progress() or keep() */
    double seconds;            /* wall time */
};

/* Counts, matches and plans are the same for any number of threads and any mode; explain too, but
 * for the mode. RK_USAGE when an expression is wrong: error->column is the place within it. Release
 * the answer with rk_answer_release. */
RK_API enum rk_status rk_ask(const struct rk_space *space, const struct rk_query *query,
                             struct rk_answer *answer, struct rk_error *error);
RK_API void rk_answer_release(struct rk_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
