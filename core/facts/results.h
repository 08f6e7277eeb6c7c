/* results.h - predictions compared with measurements, for tables of measured runs, and statistics.
 *
 * Errors are of times and bytes, predicted over measured minus 1: a prediction that is too fast is
 * negative, whether the source prints seconds or tokens per second.
 */
#ifndef RECKON_FACTS_RESULTS_H
#define RECKON_FACTS_RESULTS_H

#include "facts/facts.h"
#include "facts/judge.h"

enum result_verdict {
    RESULT_COMPARED,
    RESULT_REFUSED, /* it ran, and the prediction says that it does not fit; compared all the same
                     */
    RESULT_OOM_REJECTED, /* out of memory, as predicted */
    RESULT_OOM_ACCEPTED, /* out of memory, and predicted to fit */
    RESULT_UNMODELLED,
    RESULT_VERDICTS
};
const char *result_verdict_name(enum result_verdict verdict);

/* Where half and 90 % of measured values lie, given the prediction; in the metric's unit; NAN. */
struct result_range {
    double low50, high50, low90, high90;
};

struct result {
    char id[FACT_ID], source[128];
    char class_of[FACT_CLASSES][FACT_TEXT];
    char group[FACT_REASON];
    char metric[FACT_TEXT];
    enum figure_kind kind;
    enum result_verdict verdict;
    double measured, predicted;       /* in the metric's unit; NAN */
    double measured_si, predicted_si; /* seconds or bytes; NAN */
    double error;                     /* NAN when not compared */
    struct result_range range;        /* results_range() */
    double left;       /* share of its variance that is left, by --given: 1 without (likeness.h) */
    double products;   /* share of the predicted step in products and attention, 1 without a time */
    uint64_t came;     /* YYYYMMDD: its source was first predicted before anybody had read it; 0 */
    double came_error; /* of that prediction; NAN */
    bool rate;         /* the metric is the larger, the shorter the time */
    uint64_t gpus;
    double peak_flops; /* of all GPUs, dense, 16 bits; 0: GPUs of several kinds */
    bool experts;
    char open[FACT_REASON];   /* what was chosen for cells that the source leaves open */
    char reason[FACT_REASON]; /* RESULT_UNMODELLED, RESULT_REFUSED */
    char system[FACT_TEXT];
    struct rk_model model;
    struct judgement judgement;
};

/* How its source publishes it. */
enum published result_published(const struct result *result);

struct results {
    size_t count;
    struct result *result; /* (count), in the order of the tables */
    size_t rows;           /* read */
};

/* Adds a result for each figure of each fact, one for a fact that cannot be modelled. RK_IO: no
 * memory. */
enum rk_status results_add(struct results *results, const struct facts *facts,
                           struct rk_error *error);
void results_release(struct results *results); /* a zeroed struct is fine */

/* ---- statistics ---- */

struct score {
    size_t count;
    double signed_mean, mean, median, p90, worst; /* of errors; all but the first absolute */
    const struct result *worst_of;
};

/* Whether a result counts. */
typedef bool (*result_filter)(const struct result *result, const void *context);

/* RK_NO_MEMORY: no memory. A score without results is zero. */
enum rk_status score_of(const struct results *results, result_filter filter, const void *context,
                        struct score *score, struct rk_error *error);

/* The statistics of `count` errors, which are sorted by their absolute values. Percentiles are
 * interpolated between neighbours. */
struct score score_errors(double *errors, size_t count);

/* Means over rows, and over sources of their means, of absolute errors. */
struct source_mean {
    size_t rows, sources;
    double mean, of_sources;
    double within; /* half of the 95 % interval of the mean of sources: t of their means; NAN of one
                      source */
};

/* `error` has one for each result; NAN does not count. */
struct source_mean source_mean_of(const struct results *results, const double *error);

/* Names of a class that occur, sorted; points into the results. The caller frees the list; NULL
 * without memory. */
const char **class_names(const struct results *results, enum fact_class of, size_t *count);

/* ---- planner regret ---- */

/* A group of runs that differ by their plan alone. */
struct regret {
    const char *group;
    size_t plans;               /* results in it, those out of memory too */
    const struct result *first; /* that the prediction ranks first */
    const struct result *best;  /* measured */
    double regret; /* measured time of the first over that of the best, minus 1; NAN: the
                      first is one that was out of memory */
};

/* All groups in which two strategies or more were measured, sorted by name. Runs that are predicted
 * alike (to 1e-9) are one strategy, whose time is that of the fastest. Runs that are predicted not
 * to fit are not ranked first while others fit. The caller frees the list. */
enum rk_status regrets_of(const struct results *results, struct regret **regrets, size_t *count,
                          struct rk_error *error);

#endif
