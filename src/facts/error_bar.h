/* error_bar.h - how far off predictions of such runs were, and whether any was validated.
 *
 * The residuals of all compared runs, grouped by what a run is: generation of the accelerator,
 * dense or with experts, framework, width of the precision, number of GPUs; and with fewer of
 * these, down to all runs. A request takes the most specific class that has enough runs. Beside
 * them stands the range of what was validated: outside it, and for choices that no run made, there
 * are warnings.
 */
#ifndef RECKON_FACTS_ERROR_BAR_H
#define RECKON_FACTS_ERROR_BAR_H

#include "facts/results.h"

enum { ERROR_BAR_RUNS = 8, ERROR_BAR_CLASSES = 256, ERROR_BAR_SEEN = 96, ERROR_BAR_RANGES = 8 };

struct error_class {
    char of[128]; /* "Hopper, dense, megatron, 16 bits, 64 to 511 GPUs" */
    uint64_t runs;
    double signed_mean, median, p90; /* of predicted over measured minus 1 */
};

struct error_range { /* of compared runs */
    char of[24];     /* "GPUs", "sequence", ... */
    double least, most;
};

struct error_seen { /* a choice and how many compared runs made it */
    char of[40];    /* "schedule 1f1b" */
    uint64_t runs;
};

struct error_bars {
    int classes, ranges, seens;
    struct error_class class_of[ERROR_BAR_CLASSES];
    struct error_range range[ERROR_BAR_RANGES];
    struct error_seen seen[ERROR_BAR_SEEN];
};

/* From the compared times and memory among the results. RK_IO: no memory. */
enum rk_status error_bars_learn(struct error_bars *bars, const struct results *results,
                                struct rk_error *error);

/* As JSON; the caller frees the text. NULL without memory. */
char *error_bars_text(const struct error_bars *bars);
enum rk_status error_bars_load(const char *path, struct error_bars *bars, struct rk_error *error);

/* What a request is. */
struct error_request {
    const struct rk_model *model;
    const char *system; /* its id */
    const struct rk_plan *plan;
    double parameters;
};

/* The class whose errors stand for the request's; NULL when there is none. */
const struct error_class *error_bar_of(const struct error_bars *bars,
                                       const struct error_request *request);

/* Likewise of peaks of memory, by framework, dense or with experts. */
const struct error_class *error_bar_of_memory(const struct error_bars *bars,
                                              const struct error_request *request);

/* Writes the i-th thing that lies outside what was validated; false when there are no more. */
bool error_bar_warning(const struct error_bars *bars, const struct error_request *request, int i,
                       char *text, size_t size);

/* "Hopper" of "h100-sxm5-80g nvl8"; "other" where it is not known. */
const char *accelerator_generation(const char *system);

#endif
