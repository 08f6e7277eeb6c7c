/* more_cases.h - machines that have more of one thing, for tests that more is never worse.
 *
 * Random problems of plans_cases.h on machines of the whole catalog, numbers scaled; and every way
 * in which a machine can be given more, one at a time. The tiers of a network are in their order:
 * an inner one is no slower than the one it is in, for else a larger domain is no gift.
 */
#ifndef RECKON_TESTS_MORE_CASES_H
#define RECKON_TESTS_MORE_CASES_H

#include "plans_cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- machines ---- */

static const char *const more_machines[] = {
    "a100-sxm4-80g", "a100-sxm4-40g", "a100-80g-nvl8",
    "a100-pcie-80g", "h100-sxm5-80g", "h200-sxm-141g",
    "h800-sxm5-80g", "h20-sxm5-96g",  "b200-sxm-180g",
    "gb200-nvl72",   "h100-80g-nvl8", "h100-80g-nvl16",
    "rtx4090",       "l40s",          "gh200-96g",
    "v100-sxm2-32g", "ascend-910b3",  "a800-memo",
    "gaudi3",        "rtx3090",       "h100-80g-nvl8-offload-512g-100"};
enum { MORE_MACHINES = sizeof more_machines / sizeof *more_machines };

/* With a third memory free behind its own. */
struct more_machine {
    struct rk_system system;
    struct rk_network network[RK_MAX_NETWORKS];
    struct rk_memory memory[4];
};

static inline void more_copy(struct more_machine *to, const struct rk_system *from)
{
    to->system = *from;
    cr_assert_leq(from->memories, 3);
    memcpy(to->network, from->network, (size_t)from->networks * sizeof *from->network);
    memcpy(to->memory, from->memory, (size_t)from->memories * sizeof *from->memory);
    to->system.network = to->network;
    to->system.memory = to->memory;
}

static inline void order_tiers(struct rk_system *s)
{
    for (int i = s->networks - 1; i > 0; i--) {
        const struct rk_network *outer = &s->network[i];
        struct rk_network *inner = &s->network[i - 1];
        const double own = inner->link.efficiency > 0 ? inner->link.efficiency : inner->efficiency;
        const double its = outer->link.efficiency > 0 ? outer->link.efficiency : outer->efficiency;
        inner->bandwidth_Bps = fmax(inner->bandwidth_Bps, 2 * outer->bandwidth_Bps * its / own);
        inner->latency_s = fmin(inner->latency_s, outer->latency_s);
        inner->link.base_s = fmin(inner->link.base_s, outer->link.base_s);
        inner->link.hop_s = fmin(inner->link.hop_s, outer->link.hop_s);
        const double faster = inner->bandwidth_Bps * own / (outer->bandwidth_Bps * its);
        const double ramp = outer->link.ramp_bytes * faster * faster;
        inner->link.ramp_bytes = fmin(inner->link.ramp_bytes, ramp);
        const double usage = outer->processor_usage * faster;
        inner->processor_usage = fmin(inner->processor_usage, usage);
    }
}

static inline void draw_machine(struct random *r, struct rk_system *s)
{
    struct rk_error error;
    const char *name = more_machines[below(r, MORE_MACHINES)];
    cr_assert_eq(rk_system_load(name, s, &error), RK_OK, "%s", error.text);
    s->devices = 0;
    s->memory[0].capacity_bytes *= times(r, 3);
    s->memory[0].bandwidth_Bps *= times(r, 3);
    s->kernels.kernel_s *= times(r, 2);
    s->kernels.launch_s *= times(r, 2);
    for (int i = 0; i < RK_DATATYPES; i++)
        s->matrix[i].peak_flops *= times(r, 2);
    for (int i = 0; i < s->networks; i++) {
        struct rk_network *network = &s->network[i];
        network->bandwidth_Bps *= times(r, 4);
        network->link.hop_s *= times(r, 2);
        network->link.base_s *= times(r, 2);
        network->link.ramp_bytes *= times(r, 2);
    }
    if (one_in(r, 2) && s->networks > 1 && !s->network[0].link.mesh)
        s->network[0].size = UINT64_C(2) << below(r, 5);
    order_tiers(s);
}

/* ---- more ---- */

/* `which`: tier, datatype, constant; false: the machine has no such thing. `factor` is above 1. */
struct more {
    const char *name;
    bool (*give)(struct more_machine *m, int which, double factor);
    int kinds;
};

/* A share of a peak. */
static inline bool more_share(double *share, double factor)
{
    const double more = fmin(1, *share * factor);
    const bool gives = *share > 0 && more > *share;
    *share = more;
    return gives;
}

static inline bool less_of(double *number, double factor)
{
    *number /= factor;
    return *number > 0;
}

static inline struct rk_network *tier_of(struct more_machine *m, int which)
{
    return which < m->system.networks ? &m->network[which] : NULL;
}

/* An outer tier that outdoes an inner one is no machine of the order above. */
static inline bool more_bandwidth(struct more_machine *m, int which, double factor)
{
    struct rk_network *network = tier_of(m, which);
    if (network) network->bandwidth_Bps *= factor;
    return network;
}

static inline bool more_efficiency(struct more_machine *m, int which, double factor)
{
    struct rk_network *network = tier_of(m, which);
    if (!network) return false;
    return more_share(
        network->link.efficiency > 0 ? &network->link.efficiency : &network->efficiency, factor);
}

static inline bool less_base(struct more_machine *m, int which, double factor)
{
    struct rk_network *network = tier_of(m, which);
    if (!network) return false;
    return less_of(network->link.efficiency > 0 ? &network->link.base_s : &network->latency_s,
                   factor);
}

static inline bool less_hop(struct more_machine *m, int which, double factor)
{
    struct rk_network *network = tier_of(m, which);
    return network && less_of(&network->link.hop_s, factor);
}

static inline bool less_ramp(struct more_machine *m, int which, double factor)
{
    struct rk_network *network = tier_of(m, which);
    return network && less_of(&network->link.ramp_bytes, factor);
}

static inline bool more_reduction(struct more_machine *m, int which, double factor)
{
    struct rk_network *network = tier_of(m, which);
    if (!network) return false;
    network->link.in_network =
        network->link.in_network > 0 ? network->link.in_network * factor : 0.5;
    return true;
}

static inline bool less_usage(struct more_machine *m, int which, double factor)
{
    struct rk_network *network = tier_of(m, which);
    return network && less_of(&network->processor_usage, factor);
}

/* A mesh of twice the size has wires of half the width: it is another machine. */
static inline bool more_domain(struct more_machine *m, int which, double factor)
{
    struct rk_network *network = tier_of(m, which);
    (void)factor;
    const bool wires =
        network && (network->link.mesh || (double)network->size <= network->link.mesh_to);
    if (which + 1 >= m->system.networks || wires) return false;
    for (int i = which; i + 1 < m->system.networks; i++)
        if (m->network[i].size * 2 > m->network[i + 1].size) return false;
    network->size *= 2;
    return true;
}

static inline bool more_memory(struct more_machine *m, int which, double factor)
{
    if (which >= m->system.memories) return false;
    m->memory[which].capacity_bytes *= factor;
    return true;
}

static inline bool more_memory_bandwidth(struct more_machine *m, int which, double factor)
{
    if (which >= m->system.memories) return false;
    m->memory[which].bandwidth_Bps *= factor;
    m->memory[which].read_Bps *= factor;
    m->memory[which].write_Bps *= factor;
    return true;
}

static inline bool less_memory_latency(struct more_machine *m, int which, double factor)
{
    return which < m->system.memories && less_of(&m->memory[which].latency_s, factor);
}

static inline bool more_tiers(struct more_machine *m, int which, double factor)
{
    const double rate = which ? 5e9 : 50e9;
    if (m->system.memories != 1 + which) return false;
    m->memory[m->system.memories++] = (struct rk_memory){.name = "more",
                                                         .capacity_bytes = 64e9 * factor,
                                                         .bandwidth_Bps = rate,
                                                         .endurance_bytes = which ? 1e16 : 0};
    return true;
}

static inline bool more_peak(struct more_machine *m, int which, double factor)
{
    m->system.matrix[which].peak_flops *= factor;
    return m->system.matrix[which].peak_flops > 0;
}

static inline bool more_rates(struct more_machine *m, int which, double factor)
{
    struct rk_kernels *k = &m->system.kernels;
    double *const shares[] = {&k->matrix_efficiency,
                              &k->narrow_efficiency,
                              &k->tile_efficiency,
                              &k->narrow_tile_efficiency,
                              &k->memory_efficiency,
                              &k->sustained,
                              &k->attention_efficiency[0],
                              &k->attention_efficiency[1],
                              &k->newest_attention_efficiency[0],
                              &k->newest_attention_efficiency[1]};
    return more_share(shares[which], factor);
}

static inline bool less_overhead(struct more_machine *m, int which, double factor)
{
    struct rk_kernels *k = &m->system.kernels;
    double *const numbers[] = {
        &k->kernel_s,      &k->launch_s,           &k->tile_loss,       &k->matrix_k_half,
        &k->reserve_bytes, &k->attention_key_half, &k->workspace_bytes, &k->engine_workspace_bytes,
        &k->fragmentation};
    return less_of(numbers[which], factor);
}

static const struct more mores[] = {
    {"bandwidth of network tier", more_bandwidth, 3},
    {"efficiency of network tier", more_efficiency, 3},
    {"base latency of network tier", less_base, 3},
    {"latency of a hop of network tier", less_hop, 3},
    {"ramp of network tier", less_ramp, 3},
    {"reductions in switches of network tier", more_reduction, 3},
    {"engines that drive network tier", less_usage, 3},
    {"domain of network tier", more_domain, 2},
    {"capacity of memory", more_memory, 3},
    {"bandwidth of memory", more_memory_bandwidth, 3},
    {"latency of memory", less_memory_latency, 3},
    {"memory tiers behind", more_tiers, 2},
    {"peak of datatype", more_peak, RK_DATATYPES},
    {"rate of kernels", more_rates, 10},
    {"overhead of kernels", less_overhead, 9},
};
enum { MORES = sizeof mores / sizeof *mores };

/* ---- problems ---- */

#endif
