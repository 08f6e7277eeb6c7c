/* Time of work on an engine, in a memory, on a network: by hand, and what must hold for any. */
#include "machine/work.h"

#include <criterion/criterion.h>
#include <math.h>

/* 100 per second from 8 on, 50 from 2 on, 10 below. */
static const struct rk_curve curve = {
    .steps = 3,
    .step = {{.from = 8, .rate = 100}, {.from = 2, .rate = 50}, {.from = 0, .rate = 10}}};

Test(work, a_step_starts_at_its_own_threshold)
{
    cr_assert_eq(curve_time_s(&curve, 8), 0.08);
    cr_assert_eq(curve_time_s(&curve, nextafter(8, 0)), nextafter(8, 0) / 50);
    cr_assert_eq(curve_time_s(&curve, 2), 0.04);
    cr_assert_eq(curve_time_s(&curve, 1), 0.1);
    cr_assert_eq(curve_time_s(&curve, 0), 0);
}

Test(work, an_operation_waits_for_both_or_for_the_longer)
{
    cr_assert_eq(processing_time_s(RK_NO_OVERLAP, 3, 5), 8);
    cr_assert_eq(processing_time_s(RK_ROOFLINE, 3, 5), 5);
    cr_assert_eq(processing_time_s(RK_ROOFLINE, 5, 3), 5);
}

/* 4 ranks, 800 bytes, 100 B/s of which half is reached, 1 s of latency. */
Test(work, collectives_by_hand)
{
    const struct rk_network network = {.bandwidth_Bps = 100,
                                       .efficiency = 0.5,
                                       .latency_s = 1,
                                       .collective = {[RK_POINT_TO_POINT] = {1, 0},
                                                      [RK_REDUCE_SCATTER] = {1, -1},
                                                      [RK_ALL_GATHER] = {1.5, 0},
                                                      [RK_ALL_REDUCE] = {2, -1}}};
    cr_assert_eq(network_time_s(&network, RK_POINT_TO_POINT, 2, 800), 17); /* 1 + 800 / 50 */
    cr_assert_eq(network_time_s(&network, RK_REDUCE_SCATTER, 4, 800), 13); /* 1 + 600 / 50 */
    cr_assert_eq(network_time_s(&network, RK_ALL_GATHER, 4, 800), 25);     /* 1 + 1200 / 50 */
    cr_assert_eq(network_time_s(&network, RK_ALL_REDUCE, 4, 800), 25);     /* 1 + 1200 / 50 */
    cr_assert_eq(network_time_s(&network, RK_ALL_REDUCE, 4, 0), 1);
}
