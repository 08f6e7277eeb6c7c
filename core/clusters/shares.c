/* shares.c - samples shared by speed. */
#include "clusters/given.h"

#include <math.h>
#include <string.h>

double given_shares(int replicas, uint64_t samples, const double *time_s, uint64_t *share)
{
    double most_s = 0;
    memset(share, 0, (size_t)replicas * sizeof *share);
    for (uint64_t n = 0; n < samples; n++) {
        int first = 0;
        double first_s = INFINITY;
        for (int i = 0; i < replicas; i++) {
            const double ends_s = time_s[(uint64_t)i * (samples + 1) + share[i] + 1];
            if (!(ends_s < first_s)) continue;
            first = i;
            first_s = ends_s;
        }
        if (isinf(first_s)) return INFINITY;
        share[first]++;
        most_s = fmax(most_s, first_s);
    }
    return most_s;
}
