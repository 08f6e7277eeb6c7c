/* calibrate.h - an accelerator's constants fitted to what was measured on it.
 *
 * What is measured is a list of samples; each kind of sample has a function that predicts it, and
 * constants of struct rk_kernels or struct rk_link that it tells something about. The fit makes the
 * mean of |log(predicted / measured)| the least, and holds constants that the samples say little
 * about near where they were. Errors are given before, after, and cross-validated: each fifth of
 * the samples predicted by a fit to the other four.
 */
#ifndef RECKON_STUDY_CALIBRATE_H
#define RECKON_STUDY_CALIBRATE_H

#include "facts/samples.h"
#include <reckon/system.h>

struct calibration_error {
    double mean;   /* exp(mean |log(predicted / measured)|) - 1 */
    double ninety; /* 90 % of |predicted / measured - 1| are not above */
};

enum { CALIBRATION_CONSTANTS = 32 };

struct calibration_group { /* samples that are fitted together */
    const char *name;      /* "layers", "products", "8-bit products", "collectives", "steps" */
    int tier;              /* of collectives, else -1 */
    size_t samples;
    struct calibration_error before, after, validated;
    bool validation; /* enough samples for it */
};

struct calibration_constant {
    const char *key;      /* of a system file: "matrix_efficiency" */
    int tier;             /* of a link, else -1 */
    double before, after; /* in the unit of the key */
};

struct calibration {
    int groups, constants;
    struct calibration_group group[16];
    struct calibration_constant constant[CALIBRATION_CONSTANTS];
};

/* Fits `system` in place; constants are rounded to four digits. Steps of different runs are weighed
 * against the catalog's constants. RK_BAD_ARGUMENT when there are fewer than 4 samples of a group
 * but steps, or one that the system cannot predict (no such engine). */
enum rk_status calibrate(const struct samples *samples, struct rk_system *system,
                         struct calibration *calibration, struct rk_error *error);

#endif
