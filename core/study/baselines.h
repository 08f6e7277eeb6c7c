/* baselines.h - what simpler predictions of the same runs come to: the step at 40 % of the peak of
 * 16 bits, the step at the utilisation that other sources had on such a GPU, the Calculon model.
 */
#ifndef RECKON_STUDY_BASELINES_H
#define RECKON_STUDY_BASELINES_H

#include "facts/results.h"

enum baseline {
    BASELINE_MFU,    /* 40 % of the peak of 16 bits, of the model's FLOP */
    BASELINE_FITTED, /* utilisation by GPU and precision, each source counting once, the run's own
                        left out; where no other source has both: by GPU, by its generation, all */
    BASELINE_PUBLISHED, /* the model of [isaev2023], where it can answer */
    BASELINES
};

/* Writes the errors of times, predicted over measured, one for each result; NAN: no answer, or no
 * time of a step. `facts` are those that the results are of. */
void baseline_errors(const struct results *results, const struct facts *facts,
                     enum baseline baseline, double *error);

#endif
