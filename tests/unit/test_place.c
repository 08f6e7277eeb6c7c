/* Addresses of buffers: against every order of lowest-fit placement, of which some is optimal, and
 * against a checker of pairs. */
#include "logs/buffers.h"

#include <criterion/criterion.h>
#include <reckon/place.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 20240717;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static bool overlap(const struct rk_buffer *b, const uint64_t *at, size_t i, size_t j)
{
    return b[i].size && b[j].size && b[i].start < b[j].end && b[j].start < b[i].end &&
           at[i] < at[j] + b[j].size && at[j] < at[i] + b[i].size;
}

static bool pairs_are_sound(const struct rk_buffer *b, size_t n, const uint64_t *at)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (overlap(b, at, i, j)) return false;
    return true;
}

/* ---- the oracle ---- */

static uint64_t lowest(const struct rk_buffer *b, size_t n, const bool *placed, uint64_t *at,
                       size_t i)
{
    const uint64_t step = b[i].alignment ? b[i].alignment : 1;
    for (at[i] = 0;; at[i] += step) {
        bool free = true;
        for (size_t j = 0; free && j < n; j++)
            free = !placed[j] || !overlap(b, at, i, j);
        if (free) return at[i] + b[i].size;
    }
}

static void try_orders(const struct rk_buffer *b, size_t n, bool *placed, uint64_t *at,
                       uint64_t peak, uint64_t *best)
{
    bool all = true;
    if (peak >= *best) return;
    for (size_t i = 0; i < n; i++) {
        if (placed[i]) continue;
        all = false;
        const uint64_t end = lowest(b, n, placed, at, i);
        placed[i] = true;
        try_orders(b, n, placed, at, end > peak ? end : peak, best);
        placed[i] = false;
    }
    if (all) *best = peak;
}

static uint64_t optimum(const struct rk_buffer *b, size_t n)
{
    bool placed[16] = {false};
    uint64_t at[16], best = UINT64_MAX;
    try_orders(b, n, placed, at, 0, &best);
    return best;
}

static struct rk_placement place(const struct rk_buffer *b, size_t n, uint64_t capacity)
{
    const struct rk_place_options options = {.capacity = capacity};
    uint64_t at[1024];
    size_t first, second;
    struct rk_placement p;
    struct rk_error error;
    cr_assert_eq(rk_place(b, n, &options, at, &p, &error), RK_OK, "%s", error.text);
    cr_assert(pairs_are_sound(b, n, at));
    cr_assert_eq(rk_place_check(b, n, at, p.peak, &first, &second), RK_PLACE_SOUND);
    cr_assert_leq(p.bound, p.peak);
    cr_assert_leq(p.live, p.bound);
    return p;
}

static void random_buffers(struct rk_buffer *b, size_t n, bool align)
{
    for (size_t i = 0; i < n; i++) {
        b[i].start = (int64_t)draw(8) - 3;
        b[i].end = b[i].start + 1 + (int64_t)draw(4);
        b[i].size = draw(20) ? 1 + draw(6) : 0;
        b[i].alignment = align ? (uint64_t)1 << draw(3) : 1;
    }
}

Test(place, is_the_best_of_all_orders)
{
    struct rk_buffer b[7];
    int above_live = 0;
    for (int trial = 0; trial < 1500; trial++) {
        const size_t n = 1 + draw(7);
        random_buffers(b, n, trial % 2);
        const struct rk_placement p = place(b, n, 0);
        cr_assert(p.optimal, "trial %d", trial);
        cr_assert_eq(p.peak, optimum(b, n), "trial %d", trial);
        above_live += p.peak > p.live;
    }
    cr_assert_gt(above_live, 20); /* where the search has something to prove */
}

Test(place, has_the_properties)
{
    struct rk_buffer b[12], other[12];
    for (int trial = 0; trial < 300; trial++) {
        const size_t n = 2 + draw(11);
        random_buffers(b, n, false);
        const uint64_t peak = place(b, n, 0).peak;
        cr_assert_eq(place(b, n, peak).peak <= peak, true);
        memcpy(other, b, sizeof b); /* a buffer less */
        cr_assert_leq(place(other, n - 1, 0).peak, peak);
        for (size_t i = 0; i < n; i++)
            other[i].size *= 7;
        cr_assert_eq(place(other, n, 0).peak, 7 * peak);
        for (size_t i = 0; i < n; i++) /* another order, backwards in time */
            other[i] =
                (struct rk_buffer){-b[n - 1 - i].end, -b[n - 1 - i].start, b[n - 1 - i].size, 1};
        cr_assert_eq(place(other, n, 0).peak, peak);
    }
}

/* Cut a rectangle of time and bytes in two, again and again: the pieces can be put back together.
 */
static size_t cut(struct rk_buffer *b, size_t n, size_t most, int64_t time, int64_t end,
                  uint64_t size)
{
    const bool wide = end - time > 1, high = size > 1;
    if (n + 1 >= most || (!wide && !high) || draw(12) == 0) {
        b[n] = (struct rk_buffer){time, end, size, 1};
        return n + 1;
    }
    if (wide && (!high || draw(2))) {
        const int64_t middle = time + 1 + (int64_t)draw((uint64_t)(end - time - 1));
        n = cut(b, n, most - 1, time, middle, size);
        return cut(b, n, most, middle, end, size);
    }
    const uint64_t part = 1 + draw(size - 1);
    n = cut(b, n, most - 1, time, end, part);
    return cut(b, n, most, time, end, size - part);
}

Test(place, puts_cut_rectangles_together)
{
    static struct rk_buffer b[64];
    for (int trial = 0; trial < 60; trial++) {
        const size_t n = cut(b, 0, 40, 0, 100, 1000);
        for (size_t i = n; i > 1; i--) {
            const size_t j = draw(i);
            const struct rk_buffer swap = b[i - 1];
            b[i - 1] = b[j];
            b[j] = swap;
        }
        const struct rk_placement p = place(b, n, 0);
        cr_assert_eq(p.live, 1000);
        cr_assert_eq(p.peak, 1000, "trial %d: %zu pieces", trial, n);
    }
}

/* Exactly n pieces: a piece in two, the largest every other time, until there are enough. */
static void cut_into(struct rk_buffer *b, size_t n, int64_t end)
{
    size_t pieces = 1;
    b[0] = (struct rk_buffer){0, end, 1000, 1};
    while (pieces < n) {
        size_t at = draw(pieces);
        for (size_t i = 0; draw(2) && i < pieces; i++)
            if ((b[i].end - b[i].start) * (int64_t)b[i].size >
                (b[at].end - b[at].start) * (int64_t)b[at].size)
                at = i;
        struct rk_buffer *from = &b[at], *to = &b[pieces];
        const bool wide = from->end - from->start > 1, high = from->size > 1;
        if (!wide && !high) continue;
        *to = *from;
        if (wide && (!high || draw(2))) {
            to->start = from->end =
                from->start + 1 + (int64_t)draw((uint64_t)(from->end - from->start - 1));
        } else {
            to->size = 1 + draw(from->size - 1);
            from->size -= to->size;
        }
        pieces++;
    }
}

/* Up to 160 pieces, whose complete search does not end: the beam is close, mostly exact. */
Test(place, puts_many_pieces_together)
{
    static struct rk_buffer b[160];
    static const size_t sizes[] = {20, 60, 80, 120, 160};
    int missed = 0, trials = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int trial = 0; trial < 4; trial++, trials++) {
            cut_into(b, sizes[k], trial % 2 ? 100 : 400);
            const struct rk_placement p = place(b, sizes[k], 0);
            cr_assert_eq(p.live, 1000);
            cr_expect_leq(p.peak, 1030, "%zu pieces: %llu", sizes[k], (unsigned long long)p.peak);
            missed += p.peak > 1000;
        }
    cr_expect_leq(missed, 2, "%d of %d", missed, trials);
}

/* ---- known instances ---- */

Test(place, tiny_instances)
{
    /* tests/golden/allocation: two whose optimum is above what is alive, or lost in two levels. */
    const struct rk_buffer above[] = {{3, 5, 2, 1}, {7, 8, 2, 1}, {3, 4, 2, 1}, {4, 7, 1, 1},
                                      {6, 8, 2, 1}, {5, 7, 1, 1}, {4, 6, 1, 1}};
    const struct rk_placement p = place(above, 7, 0);
    cr_assert(p.live == 4 && p.peak == 5 && p.bound == 5 && p.optimal);
    const struct rk_placement none = place(above, 7, 4);
    cr_assert(none.peak > 4 && none.bound == 5); /* proved */
    const struct rk_buffer memo_forward[] = {
        {0, 4, 128, 1}, {1, 2, 128, 1}, {6, 9, 128, 1}, {7, 11, 128, 1}, {8, 10, 256, 1}};
    cr_assert_eq(place(memo_forward, 5, 0).peak, 512);
    const struct rk_buffer memo_backward[] = {
        {0, 1, 512, 1}, {2, 7, 1024, 1}, {3, 8, 256, 1}, {5, 9, 128, 1}, {6, 10, 512, 1}};
    cr_assert_eq(place(memo_backward, 5, 0).peak, 1920);
    const struct rk_buffer example[] = {
        {0, 3, 4, 1}, {3, 9, 4, 1}, {0, 9, 4, 1}, {9, 21, 4, 1}, {0, 21, 4, 1}};
    cr_assert_eq(place(example, 5, 0).peak, 12);
}

static const char *const folder = RECKON_TEST_SOURCE "/tests/golden/allocation/";

/* All eleven fit into 1 MiB; what is alive at most, from its instances.csv. */
Test(place, challenging_instances_at_their_capacity)
{
    static const struct {
        char name;
        size_t buffers;
        uint64_t live;
    } instances[] = {
        {'A', 154, 1048576}, {'B', 170, 1048576}, {'C', 203, 1039360}, {'D', 213, 986112},
        {'E', 215, 1048576}, {'F', 296, 1048576}, {'G', 308, 1048576}, {'H', 316, 1048576},
        {'I', 374, 1048576}, {'J', 409, 989184},  {'K', 454, 1048576},
    };
    for (size_t i = 0; i < sizeof instances / sizeof *instances; i++) {
        char path[512];
        struct buffers b;
        struct rk_error error;
        snprintf(path, sizeof path, "%s%c.1048576.csv", folder, instances[i].name);
        cr_assert_eq(buffers_load(path, &b, &error), RK_OK, "%s", error.text);
        cr_assert_eq(b.count, instances[i].buffers);
        const struct rk_placement p = place(b.buffer, b.count, 1048576);
        cr_assert_eq(p.live, instances[i].live, "%c", instances[i].name);
        cr_assert_leq(p.peak, 1048576, "%c", instances[i].name);
        buffers_release(&b);
    }
}

Test(place, the_third_instance_is_proved_optimal)
{
    struct buffers b;
    char path[512];
    snprintf(path, sizeof path, "%sC.1048576.csv", folder);
    cr_assert_eq(buffers_load(path, &b, NULL), RK_OK);
    const struct rk_placement p = place(b.buffer, b.count, 0);
    cr_assert(p.peak == 1039360 && p.optimal);
    buffers_release(&b);
}

/* ---- two levels ---- */

Test(place, two_levels_can_lose)
{
    const struct rk_buffer b[] = {{0, 2, 2, 1}, {2, 4, 6, 1}, {-1, 2, 4, 1}};
    const int pass[] = {0, 0, -1};
    uint64_t at[3];
    struct rk_placement p;
    cr_assert_eq(rk_place_two_levels(b, pass, 3, NULL, at, &p, NULL), RK_OK);
    cr_assert(p.peak == 10 && p.live == 6 && !p.optimal);
    cr_assert_eq(place(b, 3, 0).peak, 6);
}

Test(place, two_levels_are_sound_and_never_lower)
{
    struct rk_buffer b[10];
    int pass[10];
    uint64_t at[10];
    for (int trial = 0; trial < 300; trial++) {
        const size_t n = 2 + draw(9);
        random_buffers(b, n, trial % 2);
        for (size_t i = 0; i < n; i++)
            pass[i] = (int)draw(4) - 1;
        struct rk_placement p;
        size_t first, second;
        cr_assert_eq(rk_place_two_levels(b, pass, n, NULL, at, &p, NULL), RK_OK);
        cr_assert_eq(rk_place_check(b, n, at, p.peak, &first, &second), RK_PLACE_SOUND);
        cr_assert_geq(p.peak, place(b, n, 0).peak);
    }
}

/* ---- the checker, and what is refused ---- */

Test(place, the_checker_finds_what_is_wrong)
{
    const struct rk_buffer b[] = {{0, 4, 8, 8}, {2, 6, 8, 8}, {4, 6, 8, 8}};
    size_t first, second;
    cr_assert_eq(rk_place_check(b, 3, (uint64_t[]){0, 8, 0}, 16, &first, &second), RK_PLACE_SOUND);
    cr_assert_eq(rk_place_check(b, 3, (uint64_t[]){0, 8, 8}, 16, &first, &second),
                 RK_PLACE_OVERLAP);
    cr_assert(first + second == 3);
    cr_assert_eq(rk_place_check(b, 3, (uint64_t[]){0, 8, 0}, 15, &first, &second),
                 RK_PLACE_TOO_HIGH);
    cr_assert_eq(first, 1);
    cr_assert_eq(rk_place_check(b, 3, (uint64_t[]){0, 8, 4}, 0, &first, &second),
                 RK_PLACE_UNALIGNED);
    cr_assert_eq(first, 2);
    for (int trial = 0; trial < 2000; trial++) { /* the same as pair by pair */
        struct rk_buffer r[6];
        uint64_t at[6];
        random_buffers(r, 6, false);
        for (int i = 0; i < 6; i++)
            at[i] = draw(12);
        cr_assert_eq(rk_place_check(r, 6, at, 0, &first, &second) == RK_PLACE_SOUND,
                     pairs_are_sound(r, 6, at));
    }
}

Test(place, refuses_what_is_no_buffer)
{
    struct rk_placement p;
    struct rk_error error;
    uint64_t at[2];
    cr_assert_eq(rk_place(&(struct rk_buffer){3, 3, 1, 1}, 1, NULL, at, &p, &error), RK_BAD_INPUT);
    cr_assert_eq(rk_place(&(struct rk_buffer){0, 3, 1, 3}, 1, NULL, at, &p, &error), RK_BAD_INPUT);
    cr_assert_eq(rk_place(&(struct rk_buffer){0, 3, UINT64_MAX, 1}, 1, NULL, at, &p, &error),
                 RK_BAD_INPUT);
    cr_assert_eq(rk_place(NULL, 0, NULL, at, &p, &error), RK_OK);
    cr_assert(p.peak == 0 && p.optimal);
}
