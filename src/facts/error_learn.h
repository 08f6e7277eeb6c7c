/* error_learn.h - error bars (error_bar.h) from compared results, and how often they hold.
 *
 * A class's ratios are quantiles of measured over predicted, over all runs, of which those of other
 * classes count less, by a factor for each property that differs: so a class with few sources is
 * pulled to all of them, and takes their width. Each source counts once, whatever the number of its
 * runs. The ends of the range of 90 % need more sources than the middle, so there other classes
 * count more. Sources whose rows were read while mechanisms were chosen are nearer to their
 * predictions than a new one will be: of times they count a third, and their errors one and a half
 * times (docs/accuracy.md, "Ranges", has what each of these is worth).
 */
#ifndef RECKON_FACTS_ERROR_LEARN_H
#define RECKON_FACTS_ERROR_LEARN_H

#include "facts/error_bar.h"

/* From the compared times and peaks among the results, each predicted without its source. RK_IO: no
 * memory. */
enum rk_status error_bars_learn(struct error_bars *bars, const struct results *results,
                                struct rk_error *error);

/* The classes of all sources but one, nothing else. RK_IO: no memory. */
enum rk_status error_bars_without(struct error_bars *bars, const struct results *results,
                                  const char *source, struct rk_error *error);

/* Sets the ranges of times of steps and of peaks; of one source, or of all (NULL). */
void results_range(struct results *results, const struct error_bars *bars, const char *source);

/* The same, those of each source from the other sources among the lessons. RK_IO: no memory. */
enum rk_status results_range_blind(struct results *results, const struct results *lessons,
                                   struct rk_error *error);

/* How often ranges hold that a source was left out of; means over sources. */
enum error_trial {
    TRIAL_EACH,      /* learned from all other sources */
    TRIAL_ONE_WIDTH, /* the same range for all runs, all sources alike */
    TRIAL_UNREAD,    /* as TRIAL_EACH, of sources that nobody had read alone */
    TRIAL_NEW_SET,   /* these, learned from the sources that were read */
    ERROR_TRIALS
};

struct error_coverage {
    size_t sources;
    double half, most; /* of the ranges of 50 and 90 % */
    double score; /* of that of 90 %, in logarithms: its width, and twenty times what a measured
                     value lies beyond it [gneiting2007, eq. 43] */
};

/* RK_IO: no memory. */
enum rk_status error_bars_coverage(const struct results *results, enum error_subject subject,
                                   enum error_trial trial, struct error_coverage *coverage,
                                   struct rk_error *error);

#endif
