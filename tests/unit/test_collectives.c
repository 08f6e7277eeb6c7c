/* Collectives over tiers: by hand, what must hold for any, and against published measurements. */
#include "catalog_cases.h"
#include "machine/kernels.h"
#include <reckon/catalog.h>

#include <math.h>

/* Nodes of 8 at 100 GB/s, below a network of 10 GB/s a rank. */
static struct rk_network tiers[3] = {
    {.bandwidth_Bps = 200e9, .size = 8, .link = {.efficiency = 0.5, .base_s = 1e-3, .hop_s = 1e-6}},
    {.bandwidth_Bps = 10e9, .size = 512, .link = {.efficiency = 1, .base_s = 2e-3, .hop_s = 1e-5}},
    {.bandwidth_Bps = 1e9, .size = 4096, .link = {.efficiency = 1, .base_s = 2e-3, .hop_s = 1e-4}},
};
static struct rk_system nodes = {.networks = 2, .network = tiers};

static double seconds(enum collective collective, double ranks, double stride, double bytes)
{
    return collective_time_s(&nodes, collective, (struct rank_group){ranks, stride}, bytes);
}

Test(collectives, a_ring_in_a_node_by_hand)
{
    /* 1 ms + 7 hops of 1 us + 7/8 GB at 100 GB/s */
    cr_expect_float_eq(seconds(ALL_GATHER, 8, 1, 1e9), 1e-3 + 7e-6 + 8.75e-3, 1e-12);
    cr_expect_float_eq(seconds(REDUCE_SCATTER, 8, 1, 1e9), 1e-3 + 7e-6 + 8.75e-3, 1e-12);
    cr_expect_float_eq(seconds(ALL_REDUCE, 8, 1, 1e9), 1e-3 + 14e-6 + 17.5e-3, 1e-12);
}

Test(collectives, the_ranks_of_a_node_share_its_links_outwards)
{
    /* 4 nodes: 28 of 31 hops inside, 3 across; 31/32 GB over 8 links of 10 GB/s */
    cr_expect_float_eq(seconds(ALL_GATHER, 32, 1, 1e9), 2e-3 + 28e-6 + 3e-5 + 31.0 / 32 / 80,
                       1e-12);
    /* every second rank of four nodes: four of a node, 16 in all */
    cr_expect_float_eq(seconds(ALL_GATHER, 16, 2, 1e9), 2e-3 + 12e-6 + 3e-5 + 15.0 / 16 / 40,
                       1e-12);
}

/* Tokens for 8 of 32 ranks are for 32 (1 - (31/32)^8) = 7.177 ranks and 4 (1 - (3/4)^8) = 3.600 of
 * the 4 nodes. 1 GB in the end: 7/8 of it over the links of the node, 8.75 ms; 3.600/7.177 of it
 * over the network, of which 3/4 leave the node, 37.6 ms. 3 hops, and 2 to the same place there. */
Test(collectives, tokens_for_several_ranks_of_a_node_cross_once)
{
    const struct rank_group four = {32, 1}, one = {8, 1};
    const double ranks = 32 * (1 - pow(31.0 / 32, 8)), met = 4 * (1 - pow(0.75, 8));
    cr_expect_float_eq(dispatch_time_s(&nodes, four, 8, 1, 1e9),
                       2e-3 + 3e-6 + 2e-5 + met / ranks * 0.75 * 0.1, 1e-12);
    cr_expect_float_eq(met / ranks * 0.75 * 0.1, 37.6e-3, 5e-5);
    /* within a node, and for one rank each, it is an all-to-all, to 4 places of 24 others */
    cr_expect_float_eq(dispatch_time_s(&nodes, one, 8, 1, 1e9), seconds(ALL_TO_ALL, 8, 1, 1e9),
                       1e-12);
    cr_expect_float_eq(dispatch_time_s(&nodes, four, 1, 1, 1e9) - 3e-6 - 2e-5,
                       seconds(ALL_TO_ALL, 32, 1, 1e9) - 5e-5 -
                           sqrt(0.75e9 * 24 * 5.8e-6 * 1e10) / 1e10,
                       1e-12); /* whose 24 messages start one by one */
    cr_expect_eq(dispatch_time_s(&nodes, (struct rank_group){1, 1}, 8, 1, 1e9), 0);
    /* of 2 of the 4 nodes: 16 (1 - (15/16)^8) = 6.453 ranks, 2 (1 - (1/2)^8) = 1.992 nodes */
    cr_expect_float_eq(dispatch_time_s(&nodes, four, 8, 0.5, 1e9),
                       2e-3 + 3e-6 + 2e-5 +
                           2 * (1 - pow(0.5, 8)) / (16 * (1 - pow(15.0 / 16, 8))) * 0.75 * 0.1,
                       1e-12);
}

/* Leaves of four nodes below a spine of half the rate. A group of one rank a node has four links of
 * a leaf's 32, of which its ring uses one stream: 7/8 GB over 4 * 5 GB/s across, and over 10 GB/s
 * to each node. One that is in a leaf knows nothing of the spine; two ranks in different leaves
 * have half a link. */
Test(collectives, groups_share_what_leaves_a_leaf)
{
    struct rk_network leaves[3] = {tiers[0], tiers[1], tiers[1]};
    const struct rk_system spine = {.networks = 3, .network = leaves};
    leaves[1].size = 32;
    leaves[2].bandwidth_Bps /= 2;
    const struct rank_group across = {8, 8}, within = {4, 8}, two = {2, 32};
    cr_expect_float_eq(collective_time_s(&spine, ALL_GATHER, across, 1e9), 2e-3 + 7e-5 + 0.0875,
                       1e-12);
    cr_expect_eq(collective_time_s(&spine, ALL_GATHER, within, 1e9),
                 collective_time_s(&nodes, ALL_GATHER, within, 1e9));
    cr_expect_float_eq(collective_time_s(&spine, SEND, two, 1e9), 2e-3 + 1e-5 + 0.2, 1e-12);
    /* 1/16: a ring's 7/8 GB over 4 * 0.625 GB/s take 0.35 s; tier by tier 3/4 GB at 10 GB/s, and
     * 1/8 GB at 0.625, in 2 hops and one */
    leaves[2].bandwidth_Bps /= 8;
    cr_expect_float_eq(collective_time_s(&spine, ALL_GATHER, across, 1e9),
                       2e-3 + 3e-5 + 0.075 + 0.2, 1e-12);
}

Test(collectives, one_rank_a_node_has_one_link_and_a_tree)
{
    /* 16 nodes: 4 steps of halving instead of 15; 15/16 GB at 10 GB/s */
    cr_expect_float_eq(seconds(ALL_GATHER, 16, 8, 1e9), 2e-3 + 4e-5 + 0.09375, 1e-12);
    /* Nothing to move: up and down a tree of 4 levels. */
    cr_expect_float_eq(seconds(ALL_REDUCE, 16, 8, 1e-9), 2e-3 + 8e-5, 1e-9);
    /* Much to move: a ring of 30 steps. */
    cr_expect_float_eq(seconds(ALL_REDUCE, 16, 8, 1e9), 2e-3 + 30e-5 + 0.1875, 1e-9);
}

/* 1 MB over 16 nodes of 8: a ring has 112 hops inside and 15 across, 0.262 ms; each rank with those
 * of its place in the other nodes 4, which bring 1/8 of 15/16, then 7 hops inside. */
Test(collectives, each_place_of_a_node_gathers_over_its_own_link)
{
    const double by_tiers_s = 4e-5 + 1e6 / 8 * 15 / 16 / 10e9 + 7e-6 + 1e6 * 7 / 8 / 100e9;
    cr_expect_lt(by_tiers_s, 112e-6 + 15e-5);
    cr_expect_float_eq(seconds(ALL_GATHER, 128, 1, 1e6), 2e-3 + by_tiers_s, 1e-12);
    cr_expect_float_eq(seconds(REDUCE_SCATTER, 128, 1, 1e6), 2e-3 + by_tiers_s, 1e-12);
}

/* In a domain of 64 a ring has 63 hops; in quarters 15 and two outside that last ten times as long;
 * in halves 31 and one, in eighths 7 and three. */
Test(collectives, a_domain_is_used_in_parts_where_its_rings_are_long)
{
    tiers[0].size = 64;
    cr_expect_float_eq(seconds(ALL_GATHER, 64, 1, 8), 1e-3 + 63e-6, 1e-9); /* another base */
    tiers[0].link.base_s = tiers[1].link.base_s = 0;
    cr_expect_float_eq(seconds(ALL_GATHER, 64, 1, 8), 15e-6 + 2e-5, 1e-9);
    tiers[0].link.base_s = 1e-3;
    tiers[1].link.base_s = 2e-3;
    tiers[0].size = 8;
}

/* 1/8 of the engines drive 10 GB/s out of a node, 1/4 100 GB/s within it: a byte that goes out
 * takes 12.5 ps of all of them, one that stays 2.5. All-reduced, each is passed on twice. */
Test(collectives, what_passing_on_takes)
{
    tiers[0].processor_usage = 0.25;
    tiers[1].processor_usage = 0.125;
    const struct rank_group node = {8, 1}, two = {16, 1}, across = {4, 8}, alone = {1, 1};
    cr_expect_float_eq(engine_s(&nodes, ALL_GATHER, node, 1e9), 7.0 / 8 * 2.5e-3, 1e-12);
    cr_expect_float_eq(engine_s(&nodes, SUM_PART, two, 1e9), 15.0 / 16 * 12.5e-3, 1e-12);
    cr_expect_float_eq(engine_s(&nodes, ALL_REDUCE, across, 1e9), 2 * 3.0 / 4 * 12.5e-3, 1e-12);
    cr_expect_eq(engine_s(&nodes, ALL_GATHER, alone, 1e9), 0);
    tiers[0].bandwidth_Bps /= 20; /* what stays within takes no more than what goes out */
    cr_expect_float_eq(engine_s(&nodes, ALL_GATHER, node, 1e9), 7.0 / 8 * 12.5e-3, 1e-12);
    tiers[0].bandwidth_Bps *= 20;
    tiers[0].processor_usage = tiers[1].processor_usage = 0;
}

Test(collectives, hierarchy_where_the_network_is_slow_and_long)
{
    /* 512 ranks, 8 bytes: ring 2 * 511 steps; tree 2 * (7 + 6 levels of 10 us): the least */
    cr_expect_float_eq(seconds(ALL_REDUCE, 512, 1, 8), 2e-3 + 14e-6 + 12e-5, 1e-8);
    /* two nodes, much: the ring 2 * 15/16 GB / 80 GB/s is no faster than in a hierarchy
     * 17.5 ms + (1/8 GB * 2 * 1/2) at 10 GB/s = 30 ms: the ring's 23.4375 ms */
    cr_expect_float_eq(seconds(ALL_REDUCE, 16, 1, 1e9), 2e-3 + 28e-6 + 2e-5 + 23.4375e-3, 1e-9);
    /* a third tier of 1 GB/s: 4096 ranks in 8 domains of 512; the ring 2 * 4095/4096 GB over 512
     * links is 3.9 ms but has 8190 steps; see that the fastest is not it */
    nodes.networks = 3;
    cr_expect_lt(seconds(ALL_REDUCE, 4096, 1, 1e9), 2e-3 + 2 * (3584e-6 + 504e-5 + 7e-4) + 25e-3);
    nodes.networks = 2;
}

Test(collectives, reduction_in_the_switches)
{
    tiers[0].link.in_network = 0.75; /* 150 GB/s */
    cr_expect_float_eq(seconds(ALL_REDUCE, 8, 1, 1e9), 1e-3 + 8e-6 + 1.0 / 150, 1e-9);
    /* up to four ranks a ring is used: 2 * 3/4 GB at 100 GB/s */
    cr_expect_float_eq(seconds(ALL_REDUCE, 4, 1, 1e9), 1e-3 + 6e-6 + 15e-3, 1e-9);
    /* two nodes: then 1/8 GB over 2 ranks at 10 GB/s, faster than a ring of 16 */
    cr_expect_float_eq(seconds(ALL_REDUCE, 16, 1, 1e9),
                       2e-3 + 8e-6 + 1.0 / 150 + 2e-5 + 1.0 / 8 / 10, 1e-9);
    tiers[0].link.in_network = 0;
}

Test(collectives, a_mesh_has_a_wire_for_each_pair)
{
    tiers[0].link.mesh = true;
    cr_expect_float_eq(seconds(SEND, 2, 1, 1e9), 1e-3 + 1e-6 + 7e-2, 1e-9); /* 100/7 GB/s */
    cr_expect_float_eq(seconds(ALL_GATHER, 8, 1, 1e9), 1e-3 + 7e-6 + 8.75e-3, 1e-12);
    tiers[0].link.mesh = false;
}

/* A board of four has a wire for each pair; one of eight has a switch, which reduces. */
Test(collectives, a_small_board_has_no_switch)
{
    const uint64_t size = tiers[0].size;
    tiers[0].link.mesh_to = 4;
    tiers[0].link.in_network = 1.5;
    cr_expect_float_eq(seconds(ALL_GATHER, 2, 1, 1e9), 1e-3 + 1e-6 + 5e-3, 1e-12);
    tiers[0].size = 4;
    cr_expect_float_eq(seconds(ALL_GATHER, 2, 1, 1e9), 1e-3 + 1e-6 + 1.5e-2, 1e-12);
    cr_expect_float_eq(seconds(ALL_GATHER, 4, 1, 1e9), 1e-3 + 3e-6 + 7.5e-3, 1e-12);
    cr_expect_float_eq(seconds(ALL_REDUCE, 4, 1, 1e9), 1e-3 + 6e-6 + 1.5e-2, 1e-12);
    tiers[0].size = size;
    tiers[0].link.mesh_to = tiers[0].link.in_network = 0;
}

Test(collectives, messages_and_all_to_all)
{
    cr_expect_float_eq(seconds(SEND, 8, 1, 1e8), 1e-3 + 1e-6 + 1e-3, 1e-12);
    cr_expect_float_eq(seconds(SEND, 8, 64, 1e8), 2e-3 + 1e-5 + 1e-2, 1e-12);
    cr_expect_float_eq(seconds(SEND, 16, 1, 1e8), 2e-3 + 1e-5 + 1e-2, 1e-12);
    /* 16 ranks on two nodes: 7/16 inside at 100 GB/s beside 8/16 at 10 GB/s */
    const double starts = sqrt(0.5e9 * 8 * 5.8e-6 * 1e10) / 1e10; /* eight messages on that link */
    cr_expect_float_eq(seconds(ALL_TO_ALL, 16, 1, 1e9), 2e-3 + 4e-5 + 5e-2 + starts, 1e-9);
}

/* Bytes for each other rank at the rate of that kind of exchange, and a latency a round. */
Test(collectives, exchanges_that_were_measured_one_by_one)
{
    struct rk_network threads = {
        .bandwidth_Bps = 1, .latency_s = 1e-3, .size = 64, .link = {.efficiency = 1, .hop_s = 5}};
    const struct rk_system system = {.networks = 1, .network = &threads};
    for (int kind = 0; kind < RK_EXCHANGES; kind++)
        threads.link.exchange[kind] =
            (struct rk_stream_rates){2, {1e6, 4e6}, {1e9 * (kind + 1), 4e9 * (kind + 1)}};
    for (int c = 0; c < COLLECTIVES; c++) {
        const double rounds = c == ALL_REDUCE || c == SUM_WHOLE ? 2 : 1, rate_Bps = 1e9 * (c + 1);
        for (double ranks = 2; ranks <= 8; ranks *= 2) {
            const bool one = c == SEND || c == PASS;
            const double bytes = one ? 1e6 : ranks * 1e6;
            cr_expect_float_eq(collective_time_s(&system, (enum collective)c,
                                                 (struct rank_group){ranks, 1}, bytes),
                               rounds * 1e-3 + (one ? 1 : ranks - 1) * 1e6 / rate_Bps, 1e-12);
        }
    }
    /* between sizes as measured_rates_of_the_optimizer_and_of_links has it: 2 of 1 ... 4 GB/s */
    cr_expect_float_eq(collective_time_s(&system, ALL_GATHER, (struct rank_group){2, 1}, 4e6),
                       1e-3 + 2e6 / (3 * 2e9), 1e-12);
}

/* Elsewhere they are what they are made of. */
Test(collectives, exchanges_of_other_links_are_collectives)
{
    cr_expect_eq(seconds(PASS, 16, 1, 1e8), seconds(SEND, 16, 1, 1e8));
    cr_expect_eq(seconds(SUM_WHOLE, 16, 1, 1e9), seconds(ALL_REDUCE, 16, 1, 1e9));
    cr_expect_eq(seconds(SUM_PART, 16, 1, 1e9), seconds(REDUCE_SCATTER, 16, 1, 1e9));
    cr_expect_eq(seconds(GATHER_HERE, 16, 1, 1e9), seconds(ALL_GATHER, 16, 1, 1e9));
}

Test(collectives, alone_is_free_and_so_is_nothing)
{
    for (int c = 0; c < COLLECTIVES; c++) {
        cr_expect_eq(seconds((enum collective)c, 1, 1, 1e9), 0);
        cr_expect_eq(seconds((enum collective)c, 8, 1, 0), 0);
    }
}

Test(collectives, a_tier_without_link_takes_the_figures_of_the_network)
{
    struct rk_network old = {.bandwidth_Bps = 1e9, .efficiency = 0.5, .latency_s = 1e-3, .size = 8};
    const struct rk_system system = {.networks = 1, .network = &old};
    cr_expect_float_eq(collective_time_s(&system, ALL_GATHER, (struct rank_group){2, 1}, 1e9),
                       1e-3 + 1, 1e-12);
}

/* ---- what must hold for every system of the catalog ---- */

static struct rk_system loaded(const char *id)
{
    struct rk_system system = {.memories = 0};
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_system_load(id, &system, &error), RK_OK, "%s", formatted(&error));
    return system;
}

static const char *const some[] = {"a100-sxm4-80g", "h100-sxm5-80g", "gb200-nvl72",
                                   "mi300x",        "tpu-v5p",       "h100-80g"};
enum { SOME = sizeof some / sizeof *some };

static void check_group(struct rk_system *system, struct rank_group group, double bytes)
{
    double times[COLLECTIVES];
    for (int c = 0; c < COLLECTIVES; c++) {
        times[c] = collective_time_s(system, (enum collective)c, group, bytes);
        cr_expect(isfinite(times[c]) && times[c] > 0);
        cr_expect_geq(collective_time_s(system, (enum collective)c, group, 2 * bytes), times[c]);
    }
    cr_expect_eq(times[ALL_GATHER], times[REDUCE_SCATTER]);
    if (bytes >= 1e9) cr_expect_geq(times[ALL_REDUCE], times[REDUCE_SCATTER] * 0.999);
    for (int tier = 0; tier < system->networks; tier++) {
        const double before = system->network[tier].bandwidth_Bps;
        system->network[tier].bandwidth_Bps = 2 * before;
        for (int c = 0; c < COLLECTIVES; c++)
            cr_expect_leq(collective_time_s(system, (enum collective)c, group, bytes),
                          times[c] * (1 + 1e-12));
        system->network[tier].bandwidth_Bps = before;
    }
}

Test(collectives, more_bytes_never_faster_more_bandwidth_never_slower)
{
    for (int i = 0; i < SOME; i++) {
        struct rk_system system = loaded(some[i]);
        for (double ranks = 2; ranks <= 4096; ranks *= 2)
            for (double stride = 1; stride * ranks <= 16384; stride *= 4)
                for (double bytes = 1; bytes < 1e11; bytes *= 97)
                    check_group(&system, (struct rank_group){ranks, stride}, bytes);
        rk_system_release(&system);
    }
}

/* ---- against published measurements ---- */

struct measured {
    enum collective collective;
    double bytes, us;
};

/* NCCL on eight of a node, half precision, sizes doubled from counts [aiconfigurator2026]. */
static const struct measured on_h100[] = {
    {ALL_GATHER, 1048576, 17.13},      {ALL_GATHER, 16777216, 68.86},
    {ALL_GATHER, 268435456, 728.79},   {ALL_TO_ALL, 4194304, 26.2},
    {ALL_TO_ALL, 67108864, 221.29},    {REDUCE_SCATTER, 1048576, 14.64},
    {REDUCE_SCATTER, 16777216, 69.67}, {REDUCE_SCATTER, 268435456, 721.72},
    {ALL_REDUCE, 4194304, 50.49},      {ALL_REDUCE, 67108864, 324.53},
};
static const struct measured on_a100[] = {
    {ALL_GATHER, 1048576, 26.79},      {ALL_GATHER, 16777216, 135},
    {ALL_GATHER, 268435456, 1216.8},   {ALL_TO_ALL, 4194304, 64.34},
    {ALL_TO_ALL, 67108864, 347.6},     {REDUCE_SCATTER, 1048576, 23.43},
    {REDUCE_SCATTER, 16777216, 123.4}, {REDUCE_SCATTER, 268435456, 1149.5},
    {ALL_REDUCE, 4194304, 77.31},      {ALL_REDUCE, 67108864, 595.3},
};
enum { MEASURED = sizeof on_h100 / sizeof *on_h100 };

static void check_measured(const char *id, const struct measured cases[MEASURED], double mean,
                           double worst)
{
    struct rk_system system = loaded(id);
    double sum = 0;
    for (int i = 0; i < MEASURED; i++) {
        const double time_s = collective_time_s(&system, cases[i].collective,
                                                (struct rank_group){8, 1}, cases[i].bytes);
        const double error = fabs(time_s * 1e6 / cases[i].us - 1);
        cr_expect_leq(error, worst, "%s: case %d: %g us", id, i, time_s * 1e6);
        sum += error / MEASURED;
    }
    cr_expect_leq(mean, 1);
    cr_expect_leq(sum, mean, "%s: mean %g", id, sum);
    rk_system_release(&system);
}

Test(collectives, measured_in_a_node)
{
    check_measured("h100-sxm5-80g", on_h100, 0.12, 0.35);
    check_measured("a100-sxm4-80g", on_a100, 0.15, 0.35);
}

/* Bus bandwidth of all-reduces of 1, 4 and 16 GiB over four nodes of eight B200 with 400 Gb/s each:
 * 362, 377 and 382 GB/s [bekman2026]. */
Test(collectives, measured_across_nodes)
{
    struct rk_system system = loaded("b200-sxm-180g");
    const double gib[] = {1, 4, 16}, busbw_GBps[] = {361.99, 377.34, 381.80};
    for (int i = 0; i < 3; i++) {
        const double bytes = gib[i] * 1073741824.0;
        const double time_s =
            collective_time_s(&system, ALL_REDUCE, (struct rank_group){32, 1}, bytes);
        cr_expect_float_eq(2 * 31.0 / 32 * bytes / time_s / 1e9 / busbw_GBps[i], 1, 0.1);
    }
    rk_system_release(&system);
}

/* A network without a limit takes its steps alone, whatever is sent. */
Test(collectives, all_to_all_without_a_limit)
{
    struct rk_system system = loaded("h100-sxm5-80g");
    system.network[1].bandwidth_Bps = INFINITY;
    const double time_s = collective_time_s(&system, ALL_TO_ALL, (struct rank_group){64, 1}, 1e9);
    cr_expect(time_s > 0 && time_s < 1e-2, "%g s", time_s);
    rk_system_release(&system);
}

/* NCCL over EFA, 400 Gb/s for each H100: all-to-alls of 64 MiB and 1 GiB, in GB/s of the bytes that
 * a rank holds [chang2025]. */
Test(collectives, all_to_all_measured_across_nodes)
{
    static const struct {
        double ranks, rate_GBps[2];
    } cases[] = {{16, {66.30, 82.91}},
                 {32, {44.53, 55.49}},
                 {64, {35.24, 49.08}},
                 {128, {26.29, 42.70}},
                 {256, {23.01, 38.83}}};
    struct rk_system system = loaded("h100-sxm5-80g");
    double sum = 0;
    for (int i = 0; i < 5; i++)
        for (int large = 0; large < 2; large++) {
            const double bytes = large ? 1073741824 : 67108864;
            const double time_s = collective_time_s(&system, ALL_TO_ALL,
                                                    (struct rank_group){cases[i].ranks, 1}, bytes);
            const double error = bytes / time_s / 1e9 / cases[i].rate_GBps[large] - 1;
            cr_expect_leq(fabs(error), 0.12, "%g ranks: %g", cases[i].ranks, error);
            sum += fabs(error) / 10;
        }
    cr_expect_leq(sum, 0.06, "mean %g", sum);
    rk_system_release(&system);
}

/* Sends between two nodes of H100 with 400 Gb/s each, in seconds [agrawal2024]. */
Test(collectives, measured_sends)
{
    struct rk_system system = loaded("h100-sxm5-80g");
    const double bytes[] = {2048, 10813440, 67108864}, measured_s[] = {17e-6, 313e-6, 1871e-6};
    const double within[] = {0.8, 0.35, 0.1}; /* one base for sends and collectives */
    for (int i = 0; i < 3; i++) {
        const double time_s = collective_time_s(&system, SEND, (struct rank_group){2, 8}, bytes[i]);
        cr_expect_float_eq(time_s / measured_s[i], 1, within[i], "%g", time_s);
    }
    rk_system_release(&system);
}
