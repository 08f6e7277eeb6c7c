/* error_bar.h - how far off predictions of such runs are, and whether any was validated.
 *
 * Learned from runs whose source was left out: what was measured over what was predicted, of a
 * class of runs: generation of the accelerator, dense or with experts, framework; and with fewer of
 * these, down to all runs. A request takes the most specific class that has enough sources. Within
 * a class each source counts once, and shares are those of Hazen: with n sources, half of one's
 * share lies beyond each end, so that few sources make wide bars. Where the class does not name the
 * request's generation, bars are wider by what such runs needed. Beside them stands the range of
 * what was validated: outside it, and for choices that no run made, there are warnings.
 */
#ifndef RECKON_FACTS_ERROR_BAR_H
#define RECKON_FACTS_ERROR_BAR_H

#include "facts/results.h"

enum { ERROR_BAR_SOURCES = 6, ERROR_BAR_CLASSES = 64, ERROR_BAR_SEEN = 256, ERROR_BAR_RANGES = 8 };

/* Measured over predicted that 5, 25, 50, 75 and 95 % of the runs are below. */
enum { ERROR_SHARES = 5 };
extern const double error_shares[ERROR_SHARES];

struct error_class {
    char of[128]; /* "Hopper, dense, megatron" */
    uint64_t runs, sources;
    double ratio[ERROR_SHARES];
};

struct error_range { /* of compared runs */
    char of[24];     /* "GPUs", "sequence", ... */
    double least, most;
};

struct error_seen { /* a choice and how many compared runs made it */
    char of[56];    /* "schedule zero-bubble": choices.h */
    uint64_t runs;
};

struct error_bars {
    int classes, ranges, seens;
    double wider_half, wider_most; /* ranges of 50 and 90 % where the generation is new; at least 1
                                    */
    struct error_class class_of[ERROR_BAR_CLASSES];
    struct error_range range[ERROR_BAR_RANGES];
    struct error_seen seen[ERROR_BAR_SEEN];
};

/* From the compared times and peaks among the results, each predicted without its source. RK_IO: no
 * memory. */
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

/* The errors of the class that stands for the request, wider where something is new; false when
 * there is none. */
bool error_bar_of(const struct error_bars *bars, const struct error_request *request,
                  struct error_class *bar);

/* Likewise of peaks of memory, by framework, dense or with experts. */
bool error_bar_of_memory(const struct error_bars *bars, const struct error_request *request,
                         struct error_class *bar);

/* Around a prediction that measured steps corrected, of whose variance they leave `left`. */
void error_bar_narrow(struct error_class *bar, double left);

/* The classes of all sources but one, nothing else. RK_IO: no memory. */
enum rk_status error_bars_without(struct error_bars *bars, const struct results *results,
                                  const char *source, struct rk_error *error);

/* Sets the ranges of times of steps and of peaks; of one source, or of all (NULL). */
void results_range(struct results *results, const struct error_bars *bars, const char *source);

/* The same, those of each source from the other sources among the lessons. RK_IO: no memory. */
enum rk_status results_range_blind(struct results *results, const struct results *lessons,
                                   struct rk_error *error);

/* Share of such runs whose measured value is at most `ratio` of the predicted one: linear between
 * the shares, and as far again beyond the outer ones. */
double error_share_below(const struct error_class *bar, double ratio);

/* How often the ranges hold, each source left out of the bars as well; means over sources. */
struct error_coverage {
    size_t sources;
    double half, most; /* of the ranges of 50 and 90 % */
};

/* RK_IO: no memory. */
enum rk_status error_bars_coverage(const struct results *results, bool memory,
                                   struct error_coverage *coverage, struct rk_error *error);

/* Writes the i-th thing that lies outside what was validated; false when there are no more. */
bool error_bar_warning(const struct error_bars *bars, const struct error_request *request, int i,
                       char *text, size_t size);

/* "Hopper" of "h100-sxm5-80g nvl8"; "other" where it is not known. */
const char *accelerator_generation(const char *system);

/* The names it gives, each once; NULL behind the last. */
const char *accelerator_generation_name(int i);

#endif
