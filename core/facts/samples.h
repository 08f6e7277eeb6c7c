/* samples.h - what was measured of an accelerator: an operation, or a step of training, a sample.
 */
#ifndef RECKON_FACTS_SAMPLES_H
#define RECKON_FACTS_SAMPLES_H

#include <reckon/status.h>
#include <stddef.h>

enum sample_kind { SAMPLE_PRODUCT, SAMPLE_COLLECTIVE, SAMPLE_STEP, SAMPLE_LAYER, SAMPLE_KINDS };

struct fact; /* facts/fact.h */
struct rk_model;

struct sample {
    enum sample_kind kind;
    double time_s;
    int operand; /* SAMPLE_PRODUCT: an enum operand, as matrix_time_s of machine/kernels.h has them
                  */
    double count, m, n, k;
    int collective; /* SAMPLE_COLLECTIVE: an enum collective, as collective_time_s has them */
    double ranks, stride;
    double bytes;
    const struct fact *run;       /* SAMPLE_STEP: a measured run; not owned */
    const struct rk_model *model; /* SAMPLE_LAYER: forward of a layer on one rank; not owned */
    int layer;                    /* ... which, from 0 */
    double samples, tokens;       /* ... of so many samples of so many tokens */
};

struct samples {
    size_t count;
    struct sample *sample;
};

/* RK_NO_MEMORY when there is no memory. */
enum rk_status samples_add(struct samples *samples, const struct sample *sample,
                           struct rk_error *error);
void samples_release(struct samples *samples); /* a zeroed one is fine */

#endif
