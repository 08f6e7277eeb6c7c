/* fit.h - constants of accelerators fitted to the times of measured runs.
 *
 * What calibrate.h is for kernels alone, this is for whole steps: named constants of struct
 * rk_kernels, the same for all runs that are fitted to, so that the mean of |log(predicted /
 * measured)| is the least. What the other runs make of them is the caller's question.
 */
#ifndef RECKON_STUDY_FIT_H
#define RECKON_STUDY_FIT_H

#include "facts/facts.h"

enum { FIT_CONSTANTS = 8 };

struct fit_constant {
    const char *key; /* of "kernels" in a system file */
    double before;   /* of the first run, in the unit of the key */
    double after;
};

struct fit {
    int constants;
    struct fit_constant constant[FIT_CONSTANTS]; /* the caller sets the keys */
    size_t runs;                                 /* fitted to */
    double before, after;                        /* mean |log(predicted / measured)| */
};

/* Whether a fact is fitted to. */
typedef bool (*fact_filter)(const struct fact *fact, const void *context);

/* Leaves the fitted constants in the facts that the filter takes. RK_BAD_ARGUMENT: an unknown key,
 * or one that is no positive number, or fewer runs than twice the constants. */
enum rk_status fit_runs(struct facts *facts, fact_filter filter, const void *context,
                        struct fit *fit, struct rk_error *error);

/* Sets one constant of all facts that the filter takes, in the unit of its key. */
enum rk_status fit_set(struct facts *facts, fact_filter filter, const void *context,
                       const char *key, double value, struct rk_error *error);

/* log(predicted / measured) of the first step that a fact has; NAN: there is none. */
double fact_log_error(const struct fact *fact);

#endif
