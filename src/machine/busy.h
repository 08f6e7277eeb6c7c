/* busy.h - a device while others of its node compute, too.
 *
 * Devices of a node share caches, memory and power: a system may say what its kernels are while
 * `busy_devices` of a node compute at once. A run with one rank on a node takes those of a device
 * alone, one with so many or more the busy ones, and between them time goes up by the same amount
 * with each rank: what they share is asked for by one more.
 */
#ifndef RECKON_MACHINE_BUSY_H
#define RECKON_MACHINE_BUSY_H

#include <reckon/system.h>

/* How far a run on so many ranks is from alone (0) to busy (1). */
static inline double busy_share(const struct rk_system *system, uint64_t ranks)
{
    const uint64_t node = system->networks ? system->network[0].size : 1;
    const uint64_t here = ranks < node ? ranks : node, busy = system->busy_devices;
    if (busy < 2 || here < 2) return 0;
    return here < busy ? (double)(here - 1) / (double)(busy - 1) : 1;
}

/* The system with the kernels of busy devices; shares the arrays of `system`. */
static inline struct rk_system busy_system(const struct rk_system *system)
{
    struct rk_system busy = *system;
    busy.kernels = system->busy;
    return busy;
}

static inline double busy_between(double alone_s, double busy_s, double share)
{
    return (1 - share) * alone_s + share * busy_s;
}

#endif
