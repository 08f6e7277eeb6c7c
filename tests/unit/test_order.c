/* The orders of passes: by hand, and replayed over all small pipelines. */
#include "schedule/flight.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { STAGES = 8, CHUNKS = 4, MICROBATCHES = 20, PARTS = STAGES * CHUNKS };

/* "F0.0 B0.0 ...": pass, chunk.microbatch of the first passes of a rank. */
static void expect_order(const struct pipeline *pipeline, uint64_t rank, const char *expected)
{
    struct order_cursor cursor = order_open(pipeline, rank);
    struct order_pass pass;
    char text[1024] = "";
    size_t used = 0;
    while (used < strlen(expected) && order_next(&cursor, &pass))
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%c%u.%u", used ? " " : "",
                                 "FBIW"[pass.pass], pass.chunk, pass.microbatch);
    cr_expect_str_eq(text, expected, "rank %d: %s, expected %s", (int)rank, text, expected);
}

Test(order, one_forward_one_backward)
{
    const struct pipeline p = {RK_1F1B, 4, 1, 5, false, 0};
    expect_order(&p, 0, "F0.0 F0.1 F0.2 F0.3 B0.0 F0.4 B0.1 B0.2 B0.3 B0.4");
    expect_order(&p, 2, "F0.0 F0.1 B0.0 F0.2 B0.1 F0.3 B0.2 F0.4 B0.3 B0.4");
    expect_order(&p, 3, "F0.0 B0.0 F0.1 B0.1 F0.2 B0.2 F0.3 B0.3 F0.4 B0.4");
}

Test(order, gpipe)
{
    const struct pipeline p = {RK_GPIPE, 2, 1, 3, false, 0};
    expect_order(&p, 0, "F0.0 F0.1 F0.2 B0.0 B0.1 B0.2");
    expect_order(&p, 1, "F0.0 F0.1 F0.2 B0.0 B0.1 B0.2");
}

Test(order, inference)
{
    const struct pipeline p = {RK_1F1B, 2, 2, 3, true, 0};
    expect_order(&p, 0, "F0.0 F0.1 F1.0 F1.1 F0.2 F1.2");
}

/* Megatron-LM, 2 stages, 2 chunks: 2(2-1-stage) + (2-1)2 forward passes, then one and one. */
Test(order, interleaved)
{
    const struct pipeline p = {RK_1F1B, 2, 2, 4, false, 0};
    expect_order(&p, 0,
                 "F0.0 F0.1 F1.0 F1.1 F0.2 B1.0 F0.3 B1.1 F1.2 B0.0 F1.3 B0.1 B1.2 B1.3 B0.2 B0.3");
    expect_order(&p, 1,
                 "F0.0 F0.1 F1.0 B1.0 F1.1 B1.1 F0.2 B0.0 F0.3 B0.1 F1.2 B1.2 F1.3 B1.3 B0.2 B0.3");
}

/* The last round lacks a microbatch: the order of 4 without the last one. */
Test(order, interleaved_with_a_short_round)
{
    const struct pipeline p = {RK_1F1B, 2, 2, 3, false, 0};
    expect_order(&p, 1, "F0.0 F0.1 F1.0 B1.0 F1.1 B1.1 F0.2 B0.0 B0.1 F1.2 B1.2 B0.2");
}

/* Stage s runs a weight gradient s backwards later. */
Test(order, zero_bubble)
{
    const struct pipeline p = {RK_ZERO_BUBBLE, 3, 1, 4, false, 0};
    expect_order(&p, 0, "F0.0 F0.1 F0.2 I0.0 W0.0 F0.3 I0.1 W0.1 I0.2 W0.2 I0.3 W0.3");
    expect_order(&p, 1, "F0.0 F0.1 I0.0 F0.2 I0.1 W0.0 F0.3 I0.2 W0.1 I0.3 W0.2 W0.3");
    expect_order(&p, 2, "F0.0 I0.0 F0.1 I0.1 F0.2 I0.2 W0.0 F0.3 I0.3 W0.1 W0.2 W0.3");
}

/* Twice as far ahead, and twice as much later: five microbatches are in flight on all stages. */
Test(order, zero_bubble_2p)
{
    const struct pipeline p = {RK_ZERO_BUBBLE_2P, 3, 1, 7, false, 0};
    expect_order(&p, 0,
                 "F0.0 F0.1 F0.2 F0.3 F0.4 I0.0 W0.0 F0.5 I0.1 W0.1 F0.6 I0.2 W0.2 I0.3 W0.3 I0.4 "
                 "W0.4 I0.5 W0.5 I0.6 W0.6");
    expect_order(&p, 2,
                 "F0.0 I0.0 F0.1 I0.1 F0.2 I0.2 F0.3 I0.3 F0.4 I0.4 W0.0 F0.5 I0.5 W0.1 F0.6 I0.6 "
                 "W0.2 W0.3 W0.4 W0.5 W0.6");
}

/* Four ranks, ten microbatches; 0 to 4 enter at the first rank, 5 to 9 at the last one. The first
 * and the last rank do the same with the ends exchanged. Figure 5 of [deepseek2024v3] has eight
 * ranks and twenty. */
Test(order, dualpipe)
{
    const struct pipeline p = {RK_DUALPIPE, 4, 1, 10, false, 0};
    expect_order(&p, 0,
                 "F0.0 F0.1 F0.2 F1.5 I1.5 W1.5 F1.6 F0.3 B1.6 F1.7 B0.0 F0.4 B1.7 F1.8 B0.1 B1.8 "
                 "F1.9 B0.2 B1.9 I0.3 W0.3 I0.4 W0.4");
    expect_order(&p, 3,
                 "F1.5 F1.6 F1.7 F0.0 I0.0 W0.0 F0.1 F1.8 B0.1 F0.2 B1.5 F1.9 B0.2 F0.3 B1.6 B0.3 "
                 "F0.4 B1.7 B0.4 I1.8 W1.8 I1.9 W1.9");
    expect_order(&p, 1,
                 "F0.0 F1.5 F0.1 F1.6 F0.2 B1.5 F1.7 B0.0 F0.3 B1.6 F1.8 B0.1 F0.4 B1.7 F1.9 B0.2 "
                 "B1.8 B0.3 I1.9 I0.4 W1.9 W0.4");
}

/* Two ranks: ZB-V of [qi2023, figure 7] as PyTorch's ScheduleZBVZeroBubble lists it; chunk 1 is the
 * way back. */
Test(order, v_zero)
{
    const struct pipeline p = {RK_V_ZERO, 2, 2, 4, false, 0};
    expect_order(&p, 0,
                 "F0.0 F0.1 F0.2 F1.0 I1.0 W1.0 F1.1 I1.1 W1.1 F0.3 I0.0 W0.0 F1.2 I1.2 W1.2 I0.1 "
                 "W0.1 F1.3 I1.3 W1.3 I0.2 W0.2 I0.3 W0.3");
    expect_order(&p, 1,
                 "F0.0 F1.0 F0.1 F1.1 I1.0 W1.0 F0.2 I0.0 W0.0 F1.2 I1.1 W1.1 F0.3 I0.1 W0.1 F1.3 "
                 "I1.2 W1.2 I0.2 I1.3 I0.3 W0.2 W1.3 W0.3");
}

/* Four ranks. The building block of v-min begins on rank r at r, 7 - r, 8 + r and 15 - r, every 6;
 * weight gradients stand where it leaves a step. */
Test(order, v_min)
{
    const struct pipeline p = {RK_V_MIN, 4, 2, 4, false, 0};
    expect_order(&p, 0,
                 "F0.0 F0.1 F1.0 I1.0 W1.0 F0.2 F1.1 I1.1 I0.0 W1.1 W0.0 F0.3 F1.2 I1.2 I0.1 W1.2 "
                 "W0.1 F1.3 I1.3 I0.2 W1.3 W0.2 I0.3 W0.3");
    expect_order(&p, 3,
                 "F0.0 F1.0 F0.1 F1.1 I1.0 I0.0 W1.0 W0.0 F0.2 F1.2 I1.1 I0.1 W1.1 W0.1 F0.3 F1.3 "
                 "I1.2 I0.2 W1.2 W0.2 I1.3 I0.3 W1.3 W0.3");
}

/* Microbatches in flight, in whole stages, on the rank that has most: p of v-zero as of 1F1B
 * [qi2023], (p + 2) / 2 of v-half and (p + 4) / 3 of v-min [qi2024]. */
Test(order, a_v_holds_what_is_published)
{
    for (uint32_t p = 2; p <= 64; p++)
        for (uint64_t m = 2 * p; m <= 2 * p + 6; m += 3) {
            const double published[] = {p, (double)((p + 2) / 2), (double)((p + 4) / 3)};
            for (int k = 0; k < 3; k++) {
                const struct pipeline v = {RK_V_ZERO + k, p, 2, m, false, 0};
                double most = 0;
                for (uint64_t rank = 0; rank < p; rank++)
                    if (flight_of_stage(&v, rank) > most) most = flight_of_stage(&v, rank);
                cr_expect_float_eq(most, published[k], 1e-12, "schedule %d, %d stages: %g", k,
                                   (int)p, most);
            }
        }
}

/* ---- all small pipelines ---- */

struct replay {
    struct pipeline pipeline;
    struct order_cursor cursor[STAGES];
    struct order_pass next[STAGES];
    bool more[STAGES];
    int chunks, in_flight[STAGES], most[STAGES], first_in_flight, most_of_first;
    bool done[PASSES][PARTS][MICROBATCHES];
};

static bool was(const struct replay *r, enum pass pass, uint64_t part, uint32_t microbatch)
{
    return r->done[pass][part][microbatch];
}

static bool went_back(const struct replay *r, uint64_t part, uint32_t microbatch)
{
    return was(r, PASS_BACKWARD, part, microbatch) || was(r, PASS_INPUT_GRAD, part, microbatch);
}

static bool ready(const struct replay *r, uint64_t part, const struct order_pass *pass)
{
    const uint32_t i = pass->microbatch;
    if (pass->pass == PASS_FORWARD) return part == 0 || was(r, PASS_FORWARD, part - 1, i);
    if (pass->pass == PASS_WEIGHT_GRAD) return was(r, PASS_INPUT_GRAD, part, i);
    const bool last = part == pipeline_parts(&r->pipeline) - 1;
    return was(r, PASS_FORWARD, part, i) && (last || went_back(r, part + 1, i));
}

static void count(struct replay *r, uint64_t rank, uint64_t part, enum pass pass)
{
    const int change = pass == PASS_FORWARD ? 1 : pass == PASS_INPUT_GRAD ? 0 : -1;
    r->in_flight[rank] += change;
    if (r->in_flight[rank] > r->most[rank]) r->most[rank] = r->in_flight[rank];
    if (rank || part) return;
    r->first_in_flight += change;
    if (r->first_in_flight > r->most_of_first) r->most_of_first = r->first_in_flight;
}

/* Runs what is ready of a rank; false when that is nothing. */
static bool advance(struct replay *r, uint64_t rank)
{
    bool moved = false;
    while (r->more[rank]) {
        const struct order_pass *pass = &r->next[rank];
        const uint64_t part = pipeline_part(&r->pipeline, rank, pass->chunk);
        cr_assert(pass->microbatch < r->pipeline.microbatches && part < PARTS);
        if (!ready(r, part, pass)) break;
        cr_assert(!r->done[pass->pass][part][pass->microbatch], "twice");
        r->done[pass->pass][part][pass->microbatch] = true;
        count(r, rank, part, pass->pass);
        r->more[rank] = order_next(&r->cursor[rank], &r->next[rank]);
        moved = true;
    }
    return moved;
}

/* Every pass once, in an order that no rank waits in for ever; as many in flight as flight.h says.
 * Where the rounds do not divide the microbatches of an interleaved schedule no more than that. */
static void check(const struct pipeline *pipeline)
{
    static struct replay r;
    const uint64_t p = pipeline->stages, m = pipeline->microbatches;
    memset(&r, 0, sizeof r);
    r.pipeline = *pipeline;
    for (uint64_t rank = 0; rank < p; rank++) {
        r.cursor[rank] = order_open(pipeline, rank);
        r.more[rank] = order_next(&r.cursor[rank], &r.next[rank]);
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (uint64_t rank = 0; rank < p; rank++)
            moved |= advance(&r, rank);
    }
    for (uint64_t part = 0; part < pipeline_parts(pipeline); part++)
        for (uint32_t i = 0; i < m; i++) {
            const bool whole = was(&r, PASS_BACKWARD, part, i);
            const bool halves =
                was(&r, PASS_INPUT_GRAD, part, i) && was(&r, PASS_WEIGHT_GRAD, part, i);
            cr_assert(was(&r, PASS_FORWARD, part, i) && whole != halves,
                      "schedule %d, %d stages, %d chunks, %d microbatches: %d of part %d",
                      (int)pipeline->schedule, (int)p, (int)pipeline->chunks, (int)m, (int)i,
                      (int)part);
        }
    const bool full = pipeline->chunks == 1 || rk_schedule_folds(pipeline->schedule) ||
                      m % pipeline_round(pipeline) == 0;
    for (uint64_t rank = 0; rank < p; rank++) {
        const int says = (int)flight_chunks(pipeline, rank);
        cr_assert(full ? r.most[rank] == says : r.most[rank] <= says,
                  "schedule %d, %d stages, %d chunks, %d microbatches: %d in flight on %d, not %d",
                  (int)pipeline->schedule, (int)p, (int)pipeline->chunks, (int)m, r.most[rank],
                  (int)rank, says);
    }
    if (p > 1) {
        const int says = (int)flight_of_first(pipeline);
        cr_assert(full ? r.most_of_first == says : r.most_of_first <= says,
                  "schedule %d, %d stages, %d chunks, %d microbatches: %d of the first, not %d",
                  (int)pipeline->schedule, (int)p, (int)pipeline->chunks, (int)m, r.most_of_first,
                  says);
    }
}

Test(order, every_pass_once_and_as_many_in_flight_as_is_said)
{
    int checked = 0;
    for (enum rk_schedule schedule = 0; schedule < RK_SCHEDULES; schedule++)
        for (uint64_t p = 1; p <= STAGES; p++)
            for (uint64_t v = 1; v <= CHUNKS; v++)
                for (uint64_t m = 1; m <= MICROBATCHES; m++) {
                    const bool dual = schedule == RK_DUALPIPE, folds = rk_schedule_folds(schedule);
                    if (v > 1 && (dual || zero_bubbles(schedule))) continue;
                    if (folds && (v != 2 || p < 2)) continue;
                    if (dual && (p % 2 || m % 2 || m < 2 * p)) continue;
                    check(&(struct pipeline){schedule, p, v, m, false, 0});
                    checked++;
                    if (v == 1 || p == 1 || folds) continue;
                    for (uint32_t g = (uint32_t)p; g <= m; g++)
                        check(&(struct pipeline){schedule, p, v, m, false, g});
                }
    cr_assert_gt(checked, 1000);
}

/* Three microbatches a round over two ranks of two chunks: 2 * 1 + 1 * 3 forward passes first. */
Test(order, rounds_of_more_microbatches_than_stages)
{
    const struct pipeline p = {RK_1F1B, 2, 2, 3, false, 3};
    expect_order(&p, 0, "F0.0 F0.1 F0.2 F1.0 F1.1 F1.2 B1.0 B1.1 B1.2 B0.0 B0.1 B0.2");
    expect_order(&p, 1, "F0.0 F0.1 F0.2 F1.0 B1.0 F1.1 B1.1 F1.2 B1.2 B0.0 B0.1 B0.2");
}

/* What the published model says of the first stage is the same where the rounds are full. */
Test(order, the_published_flight_is_that_of_full_rounds)
{
    for (uint64_t p = 1; p <= STAGES; p++)
        for (uint64_t v = 1; v <= CHUNKS; v++)
            for (uint64_t m = 2 * p; m <= MICROBATCHES; m += p) {
                const struct pipeline pipeline = {RK_1F1B, p, v, m, false, 0};
                cr_assert_float_eq(flight_of_stage(&pipeline, 0),
                                   flight_published((double)m, (double)p, (double)v), 1e-12);
            }
}
