#include "interop/samples.h"

#include <stdlib.h>

enum rk_status samples_add(struct samples *samples, const struct sample *sample,
                           struct rk_error *error)
{
    if (samples->count == samples->room) {
        const size_t room = samples->room ? 2 * samples->room : 256;
        struct sample *grown = realloc(samples->sample, room * sizeof *grown);
        if (!grown) return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the measurements");
        samples->sample = grown;
        samples->room = room;
    }
    samples->sample[samples->count++] = *sample;
    return RK_OK;
}

void samples_release(struct samples *samples)
{
    free(samples->sample);
    *samples = (struct samples){0};
}
