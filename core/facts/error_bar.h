/* error_bar.h - errors of predictions for classes of runs, and the range that was validated.
 *
 * Learned (error_learn.h) from runs whose source was held out: ratios of measured to predicted
 * values, by class of runs. A class has properties (generation of the accelerator, dense or with
 * experts, framework), fewer of them at each level, down to all runs. A request takes the most
 * specific class that has a run. Time outside of products is less certain: the logarithms of a
 * class's ratios hold for steps of products alone, and grow with the share of other operations. The
 * range of validated values gives warnings outside of it, and for choices that no run made.
 */
#ifndef RECKON_FACTS_ERROR_BAR_H
#define RECKON_FACTS_ERROR_BAR_H

#include "facts/results.h"

enum { ERROR_BAR_CLASSES = 256, ERROR_BAR_SEEN = 256, ERROR_BAR_RANGES = 8 };

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
    struct error_class class_of[ERROR_BAR_CLASSES];
    struct error_range range[ERROR_BAR_RANGES];
    struct error_seen seen[ERROR_BAR_SEEN];
};

/* As JSON; the caller frees the text. NULL without memory. */
char *error_bars_text(const struct error_bars *bars);
enum rk_status error_bars_load(const char *path, struct error_bars *bars, struct rk_error *error);

/* What a request is. */
struct error_request {
    const struct rk_model *model;
    const char *system; /* its id */
    const struct rk_plan *plan;
    double parameters;
    double products; /* share of the step in products and attention; of a result (results.h) */
    enum published published;
};
struct error_request error_request_of(const struct result *r);

/* Of a prediction: the share of its step in matrix products and attention, also of what is computed
 * again. */
double products_share(const struct rk_prediction *prediction);

/* The errors of the class that stands for the request; false when there is none. */
bool error_bar_of(const struct error_bars *bars, const struct error_request *request,
                  struct error_class *bar);

/* Likewise of peaks of memory, by framework, dense or with experts. */
bool error_bar_of_memory(const struct error_bars *bars, const struct error_request *request,
                         struct error_class *bar);

/* Around a prediction that measured steps corrected, of whose variance they leave `left`. */
void error_bar_narrow(struct error_class *bar, double left);

/* By which factor the logarithms of a class's ratios grow where only this share of a step is
 * products. */
double error_width(double products);

/* Share of the class's runs whose measured value is at most `ratio` of the predicted one: linear
 * between the quantiles, and as far again beyond the outer ones. */
double error_share_below(const struct error_class *bar, double ratio);

/* Writes the i-th thing that lies outside what was validated; false when there are no more. */
bool error_bar_warning(const struct error_bars *bars, const struct error_request *request, int i,
                       char *text, size_t size);

/* What a result or a request is for error bars: -1 where it is not said. */
enum error_property {
    OF_GENERATION,
    OF_KIND, /* dense or with experts */
    OF_FRAMEWORK,
    OF_PUBLISHED, /* benchmark or ordinary run */
    ERROR_PROPERTIES
};
void error_properties(const struct error_request *request, int of[ERROR_PROPERTIES]);

/* Classes of times and of memory, with fewer properties at each level; false after the last. The
 * properties that do not count at a level become -1. */
enum error_subject { ERROR_TIMES, ERROR_PEAKS };
bool error_level(enum error_subject subject, int level, int of[ERROR_PROPERTIES]);
void error_class_name(enum error_subject subject, const int of[ERROR_PROPERTIES], char text[128]);

/* The i-th range of what was validated, and a request's value. */
const char *error_range_of(int i, const struct error_request *request, double *value);

/* "Hopper" of "h100-sxm5-80g nvl8"; "other" where it is not known. */
const char *accelerator_generation(const char *system);

/* All names that it returns, each once; NULL after the last. */
const char *accelerator_generation_name(int i);

#endif
