/* offload.h - transfers to lower memory tiers during one block: bytes and time.
 *
 * Each of weights, activations and optimizer state may go to a tier of its own; tiers work at the
 * same time. Forward moves the next block's weights in and the last one's activations out, in
 * opposite directions: the larger counts. Backward moves all of them the same way. [isaev2023]
 */
#ifndef RECKON_CALCULON_OFFLOAD_H
#define RECKON_CALCULON_OFFLOAD_H

#include "machine/work.h"

enum { OFFLOADED = 3 }; /* weights, activations, optimizer state */

struct offload {
    int tier[OFFLOADED];     /* 0: stays */
    double bytes[OFFLOADED]; /* of one block */
};

/* Bytes that one tier moves during a forward or backward pass. */
static inline double offload_forward_bytes(const struct offload *offload, int tier)
{
    const double weights = offload->tier[0] == tier ? offload->bytes[0] : 0;
    const double activations = offload->tier[1] == tier ? offload->bytes[1] : 0;
    return weights > activations ? weights : activations;
}

static inline double offload_backward_bytes(const struct offload *offload, int tier)
{
    double bytes = 0;
    for (int i = 0; i < OFFLOADED; i++)
        if (offload->tier[i] == tier) bytes += offload->bytes[i];
    return bytes;
}

/* Time of the slowest tier; 0 when nothing is offloaded. */
static inline double offload_forward_s(const struct offload *offload,
                                       const struct rk_system *system)
{
    double longest_s = 0;
    for (int i = 0; i < 2; i++) {
        const int tier = offload->tier[i];
        if (tier == 0) continue;
        const double time_s =
            curve_time_s(&system->memory[tier].curve, offload_forward_bytes(offload, tier));
        longest_s = time_s > longest_s ? time_s : longest_s;
    }
    return longest_s;
}

static inline double offload_backward_s(const struct offload *offload,
                                        const struct rk_system *system)
{
    double longest_s = 0;
    for (int i = 0; i < OFFLOADED; i++) {
        const int tier = offload->tier[i];
        if (tier == 0) continue;
        const double time_s =
            curve_time_s(&system->memory[tier].curve, offload_backward_bytes(offload, tier));
        longest_s = time_s > longest_s ? time_s : longest_s;
    }
    return longest_s;
}

#endif
