/* measure_profile.h - Galvatron's profiles from what ran here.
 *
 * As Galvatron's own profiler does, models of one and of two layers are trained for a few steps:
 * what the second layer adds is a layer's. Of a batch: its forward pass, which is what full
 * recomputation does again; what embedding and head take, a third of it forward; with two batches,
 * by tensor degree, what a layer keeps of a sample. Messages are those of the machine as it was
 * measured.
 */
#ifndef RECKON_CLI_MEASURE_PROFILE_H
#define RECKON_CLI_MEASURE_PROFILE_H

#include "cli/executor.h"
#include <reckon/reckon.h>

struct measure_profile {
    const char *model, *output;
    uint64_t ranks, sequence; /* 0: the model's */
};

/* Is there such a model? Before anything is measured. */
enum rk_status measure_profile_try(const struct measure_profile *args, struct rk_error *error);

/* `system` is this machine as measured, a system file's text. RK_BAD_ARGUMENT, RK_NOTHING_FITS name
 * what cannot be profiled. */
enum rk_status measure_profile(const struct measure_profile *args, const char *system,
                               struct rk_error *error);

#endif
