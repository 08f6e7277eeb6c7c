#include "facts/samples.h"

#include "base/memory.h"

#include <stdlib.h>

enum rk_status samples_add(struct samples *samples, const struct sample *sample,
                           struct rk_error *error)
{
    if (!ARRAY_ROOM(samples->sample, samples->count)) return no_memory(error);
    samples->sample[samples->count++] = *sample;
    return RK_OK;
}

void samples_release(struct samples *samples)
{
    free(samples->sample);
    *samples = (struct samples){0};
}
