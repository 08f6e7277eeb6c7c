/* error_learn.h - error bars (error_bar.h) from compared results, and how often they hold.
 *
 * A class's ratios are quantiles of measured over predicted, over all runs, of which those of other
 * classes count less, by a factor for each property that differs: so a class with few sources is
 * pulled to all of them, and takes their width. Each source counts once, whatever the number of its
 * runs. The ends of the range of 90 % need more sources than the middle, so there other classes
 * count more. Sources whose rows were read while mechanisms were chosen are nearer to their
 * predictions than a new one will be. So what counts of a source that was predicted before anybody
 * had read it is that first prediction, whatever it was read for afterwards; of times, the others
 * count a twelfth, and their errors one and a half times (docs/accuracy.md, "Ranges").
 */
#ifndef RECKON_FACTS_ERROR_LEARN_H
#define RECKON_FACTS_ERROR_LEARN_H

#include "facts/error_bar.h"

/* From the compared times and peaks among the results, each predicted without its source. RK_IO: no
 * memory. */
enum rk_status error_bars_learn(struct error_bars *bars, const struct results *results,
                                struct rk_error *error);

/* The classes of all sources but one, nothing else. RK_NO_MEMORY: no memory. */
enum rk_status error_bars_without(struct error_bars *bars, const struct results *results,
                                  const char *source, struct rk_error *error);

/* Sets the ranges of times of steps and of peaks; of one source, or of all (NULL). */
void results_range(struct results *results, const struct error_bars *bars, const char *source);

/* The same, those of each source from the other sources among the lessons. RK_NO_MEMORY: no memory.
 */
enum rk_status results_range_blind(struct results *results, const struct results *lessons,
                                   struct rk_error *error);

/* How often ranges hold that sources were left out of; means over sources, each of its first
 * prediction where it has one. */
enum error_trial {
    TRIAL_EACH,   /* learned from all other sources */
    TRIAL_UNREAD, /* as TRIAL_EACH, of sources that nobody had read when they came */
    TRIAL_THIRDS, /* a third of these is left out together */
    TRIAL_OLDER,  /* as TRIAL_UNREAD, learned from sources that came on earlier days */
    ERROR_TRIALS
};

struct error_coverage {
    size_t sources;
    double half, most; /* of the ranges of 50 and 90 % */
    double score; /* of that of 90 %, in logarithms: its width, and twenty times what a measured
                     value lies beyond it [gneiting2007, eq. 43] */
    double one;   /* of one range for all runs, learned in the same way */
    double best;  /* of the best one range that could be chosen with all answers known */
    size_t runs;
    double half_of_runs, most_of_runs; /* means over runs */
};

/* RK_NO_MEMORY: no memory. */
enum rk_status error_bars_coverage(const struct results *results, enum error_subject subject,
                                   enum error_trial trial, struct error_coverage *coverage,
                                   struct rk_error *error);

#endif
