/* busy.h - a device while others of its node compute, too.
 *
 * Devices of a node share caches, memory and power: a system may say what its kernels are while
 * `busy_devices` of a node compute at once. A device that computes alone runs at the rates of a
 * lone one, and one of `busy_devices` or more at the busy rates. In between, time grows linearly
 * with the number of devices that compete for what they share.
 */
#ifndef RECKON_MACHINE_BUSY_H
#define RECKON_MACHINE_BUSY_H

#include <reckon/system.h>

/* Of `ranks` ranks, those on one node. */
static inline double ranks_of_node(const struct rk_system *system, double ranks)
{
    const double node = system->networks ? (double)system->network[0].size : 1;
    return ranks < node ? ranks : node;
}

/* How far a device is from alone (0) to busy (1) while, on average, `others` others compute. */
static inline double busy_share(const struct rk_system *system, double others)
{
    const double most = (double)system->busy_devices - 1;
    if (!(most > 0) || !(others > 0)) return 0;
    return others < most ? others / most : 1;
}

/* Mean share of a stage's work during which another stage works, too, over all pairs of `stages`
 * equal stages, under GPipe or 1F1B. Stages d apart begin d forward passes apart and end d backward
 * passes apart; where one waits in between, the other waits at the same time or not at all. Of m
 * microbatches m - d overlap, for d = 1 ... p - 1 with p - d pairs each. */
static inline double stages_beside(uint64_t stages, double microbatches)
{
    double sum = 0, pairs = 0;
    for (uint64_t d = 1; d < stages; d++) {
        const double count = (double)(stages - d), left = microbatches - (double)d;
        sum += count * (left > 0 ? left / microbatches : 0);
        pairs += count;
    }
    return pairs > 0 ? sum / pairs : 1;
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
