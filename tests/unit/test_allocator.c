/* PyTorch's caching allocator, simulated: by hand, and by what holds for any trace. */
#include <criterion/criterion.h>
#include <reckon/allocator.h>
#include <stdio.h>

#define KiB UINT64_C(1024)
#define MiB (1024 * KiB)

static struct rk_allocator_result run(const struct rk_buffer *b, size_t n, bool expandable,
                                      uint64_t capacity, uint64_t *address)
{
    const struct rk_allocator_options options = {expandable, capacity};
    struct rk_allocator_result r;
    struct rk_error error;
    cr_assert_eq(rk_allocator_run(b, n, &options, address, &r, &error), RK_OK, "%s", error.text);
    return r;
}

Test(allocator, rounds_and_segments)
{
    /* 1 byte takes 512 in a segment of 2 MiB; 1.5 MiB one of 20 MiB; 10 MiB + 1 one of 12 MiB, of
     * which the rest, 2 MiB - 512, is split off. */
    const struct rk_buffer small[] = {{0, 1, 1, 1}}, middle[] = {{0, 1, 1536 * KiB, 1}},
                           large[] = {{0, 1, 10 * MiB + 1, 1}}, odd[] = {{0, 1, 11 * MiB + 1, 1}};
    struct rk_allocator_result r = run(small, 1, false, 0, NULL);
    cr_expect(r.allocated == 512 && r.reserved == 2 * MiB && r.segments == 1);
    r = run(middle, 1, false, 0, NULL);
    cr_expect(r.allocated == 1536 * KiB && r.reserved == 20 * MiB);
    r = run(large, 1, false, 0, NULL);
    cr_expect(r.allocated == 10 * MiB + 512 && r.reserved == 12 * MiB);
    r = run(odd, 1, false, 0, NULL); /* 1 MiB - 512 left: not split, and so in use */
    cr_expect(r.allocated == 12 * MiB && r.reserved == 12 * MiB);
    r = run(odd, 1, true, 0, NULL); /* grows by 20 MiB, always split */
    cr_expect(r.allocated == 11 * MiB + 512 && r.reserved == 20 * MiB);
}

/* Two blocks of 30 MiB are freed; one of 60 fits into neither, but into both as one range. */
Test(allocator, fragments_between_segments)
{
    const struct rk_buffer b[] = {{0, 2, 30 * MiB, 1}, {1, 2, 30 * MiB, 1}, {3, 4, 60 * MiB, 1}};
    const struct rk_allocator_result fixed = run(b, 3, false, 0, NULL);
    cr_expect(fixed.allocated == 60 * MiB && fixed.reserved == 120 * MiB);
    const struct rk_allocator_result range = run(b, 3, true, 0, NULL);
    cr_expect(range.allocated == 60 * MiB && range.reserved == 60 * MiB);
    /* with room for 100 MiB alone, the free segments are given back first */
    const struct rk_allocator_result tight = run(b, 3, false, 100 * MiB, NULL);
    cr_expect(tight.retries == 1 && tight.reserved == 60 * MiB && tight.failed == INT64_MIN);
    /* with one of them in use there is nothing to give back but the other */
    const struct rk_buffer kept[] = {{0, 9, 30 * MiB, 1}, {1, 2, 30 * MiB, 1}, {3, 4, 60 * MiB, 1}};
    const struct rk_allocator_result fails = run(kept, 3, false, 80 * MiB, NULL);
    cr_expect(fails.retries == 1 && fails.failed == 3);
}

/* The smallest block that is large enough, the lowest of those; what is freed grows together. */
Test(allocator, best_fit_and_merge)
{
    const struct rk_buffer b[] = {{0, 9, 4 * MiB, 1}, {1, 5, 4 * MiB, 1},
                                  {2, 9, 4 * MiB, 1},  /* of one segment of 20 MiB */
                                  {6, 9, 3 * MiB, 1},  /* the hole at 4 MiB */
                                  {7, 8, 5 * MiB, 1},  /* behind them, at 12 */
                                  {8, 9, 8 * MiB, 1}}; /* 12 to 20 again */
    uint64_t at[6];
    const struct rk_allocator_result r = run(b, 6, false, 0, at);
    cr_expect(at[0] == 0 && at[1] == 4 * MiB && at[2] == 8 * MiB);
    cr_expect(at[3] == 4 * MiB && at[4] == 12 * MiB && at[5] == 12 * MiB);
    cr_expect_eq(r.reserved, 20 * MiB);
}

static uint64_t state = 99;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

Test(allocator, holds_for_any_trace)
{
    static struct rk_buffer b[200];
    static uint64_t at[200];
    size_t first, second;
    for (int trial = 0; trial < 300; trial++) {
        const size_t n = 1 + draw(200);
        for (size_t i = 0; i < n; i++) {
            b[i].start = (int64_t)draw(300);
            b[i].end = b[i].start + 1 + (int64_t)draw(60);
            b[i].size = 1 + draw(draw(2) ? 40 * MiB : 2 * MiB);
            b[i].alignment = 512;
        }
        for (int expandable = 0; expandable < 2; expandable++) {
            const struct rk_allocator_result r = run(b, n, expandable, 0, at);
            cr_assert_eq(rk_place_check(b, n, at, 0, &first, &second), RK_PLACE_SOUND);
            cr_assert_geq(r.allocated, rk_place_live(b, n));
            cr_assert_geq(r.reserved, r.allocated);
            cr_assert_geq(r.reserved, r.at_peak);
            cr_assert_eq(r.failed, INT64_MIN);
            /* exactly as much as it took: no retry; far less: it fails */
            cr_assert_eq(run(b, n, expandable, r.reserved, NULL).retries, 0);
            cr_assert_neq(run(b, n, expandable, rk_place_live(b, n) / 2 + 1, NULL).failed,
                          INT64_MIN);
        }
    }
}
