/* work.h - time of work on an engine, in a memory, on a network: pure, inlined everywhere.
 *
 *     engine, memory:  time = n / (peak * efficiency(n))
 *     network:         time = latency + (n * scale + n * scale * offset / ranks)
 *                                       / (bandwidth * efficiency)             [isaev2023]
 *
 * n in FLOP or bytes; times in seconds.
 */
#ifndef RECKON_MACHINE_WORK_H
#define RECKON_MACHINE_WORK_H

#include <reckon/system.h>

static inline double curve_time_s(const struct rk_curve *curve, double n)
{
    int i = 0;
    while (i < curve->steps - 1 && n < curve->step[i].from)
        i++;
    return n / curve->step[i].rate;
}

/* What an operation takes that needs both an engine and memory. */
static inline double processing_time_s(enum rk_processing processing, double flop_s,
                                       double access_s)
{
    if (processing == RK_NO_OVERLAP) return flop_s + access_s;
    return flop_s > access_s ? flop_s : access_s;
}

static inline double network_time_s(const struct rk_network *network, enum rk_collective op,
                                    double ranks, double bytes)
{
    const double scaled = bytes * network->collective[op].scale;
    const double moved = scaled + scaled * network->collective[op].offset / ranks;
    return network->latency_s + moved / (network->bandwidth_Bps * network->efficiency);
}

/* Gradients of data parallelism: reduced everywhere, or, when the optimizer is sharded, reduced to
 * their shard and the new weights gathered. */
static inline double gradient_time_s(const struct rk_network *network, bool sharding, double ranks,
                                     double bytes)
{
    if (ranks == 1) return 0;
    if (!sharding) return network_time_s(network, RK_ALL_REDUCE, ranks, bytes);
    return network_time_s(network, RK_REDUCE_SCATTER, ranks, bytes) +
           network_time_s(network, RK_ALL_GATHER, ranks, bytes);
}

#endif
