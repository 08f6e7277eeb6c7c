/* likeness.h - what measured steps say of others that are like them.
 *
 * The logarithm of measured over predicted time is taken as a Gaussian field over runs, of mean 0
 * and of covariance
 *
 *     exp(-d(a, b)), and of a measurement itself 1 + noise
 *
 * so that n measured runs correct another run x by exp(k(x)' (K + noise 1)^-1 y), the mean of that
 * field given y (kriging; [rasmussen2006], eq. 2.23). d adds up 0.2 for each factor of two between
 * the GPUs, tokens, degrees and widths of two runs (0.5 between their microbatches) and 0.5 for
 * each choice that differs (accelerator, precision, recomputation, attention, ZeRO, model). Far
 * from every measurement nothing is corrected, and one odd row misleads its neighbours alone.
 */
#ifndef RECKON_FACTS_LIKENESS_H
#define RECKON_FACTS_LIKENESS_H

#include "facts/results.h"

/* exp(-d): 1 of the same plan, 0 of runs that have nothing in common. */
double likeness(const struct result *a, const struct result *b);

/* Corrects the predicted times of `results` by the steps that `given` measured; their own rows,
 * by id, stay as they are. RK_BAD_ARGUMENT: no step is given, or more than LIKENESS_STEPS, whose
 * square is kept; RK_NO_MEMORY: no memory. */
enum { LIKENESS_STEPS = 2000 };
enum rk_status results_correct(struct results *results, const struct results *given,
                               struct rk_error *error);

/* What the steps say of a plan that nobody measured. A model of the same width and depth as one of
 * theirs is of its family. Errors as above. */
struct likeness_says {
    size_t steps;
    double nearest; /* likeness of the one that is most like it */
    double factor;  /* on the predicted time */
    double left;    /* share of its variance that is left; 1: nothing is known (error_bar_narrow) */
};
enum rk_status likeness_of_plan(const struct results *given, const struct rk_model *model,
                                const char *system, const struct rk_plan *plan,
                                struct likeness_says *says, struct rk_error *error);

/* ---- how far that goes ---- */

/* Mean of the means of sources of `rows` steps and more, when `given` steps of each, drawn at
 * random, are known: absolute errors of the other steps. */
struct given_score {
    size_t given, sources;
    double none;       /* as they come */
    double factor;     /* one factor on all times: the mean of the steps that are given */
    double likeness;   /* results_correct() */
    double half, most; /* how often ranges of 50 and 90 % around it hold, narrowed from bars that
                          never saw the source */
};

/* RK_NO_MEMORY: no memory. */
enum rk_status given_score_of(const struct results *results, size_t rows, size_t given,
                              struct given_score *score, struct rk_error *error);

#endif
