/* pace.c against a simulation of the schedules, event by event, and against the papers'
 * formulas. */
#include "machine/busy.h"
#include "schedule/pace.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

enum { STAGES = 16, MICROBATCHES = 96 };

static const struct messages no_messages;

static uint64_t state;

static double uniform(void) /* 0 .. 1, splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static int below(int n)
{
    return (int)(uniform() * n);
}

struct run {
    const struct stage_times *stages;
    int count, microbatches;
    int warmup[STAGES], forward[STAGES], backward[STAGES]; /* done so far */
    double busy_until[STAGES];
    double forward_end[STAGES][MICROBATCHES], backward_end[STAGES][MICROBATCHES];
};

static bool forward_is_next(const struct run *r, int s)
{
    if (r->forward[s] == r->microbatches) return false;
    return r->forward[s] < r->warmup[s] || r->forward[s] - r->warmup[s] == r->backward[s];
}

/* Runs what stage s has next; false when that is not ready, or nothing is left. */
static bool step(struct run *r, int s)
{
    const bool forward = forward_is_next(r, s);
    const int i = forward ? r->forward[s] : r->backward[s];
    double ready = 0;
    if (!forward && i == r->microbatches) return false;
    if (forward && s > 0) {
        if (r->forward[s - 1] <= i) return false;
        ready = r->forward_end[s - 1][i];
    }
    if (!forward && s < r->count - 1) {
        if (r->backward[s + 1] <= i) return false;
        ready = r->backward_end[s + 1][i];
    }
    const double start = ready > r->busy_until[s] ? ready : r->busy_until[s];
    r->busy_until[s] = start + (forward ? r->stages[s].forward_s : r->stages[s].backward_s);
    (forward ? r->forward_end : r->backward_end)[s][i] = r->busy_until[s];
    (forward ? r->forward : r->backward)[s]++;
    return true;
}

static struct run r; /* the last one that was simulated */

static double simulate(const struct stage_times *stages, int count, int microbatches, bool gpipe)
{
    double end = 0;
    r = (struct run){.stages = stages, .count = count, .microbatches = microbatches};
    for (int s = 0; s < count; s++) {
        const int ahead = gpipe ? microbatches : count - s - 1;
        r.warmup[s] = ahead < microbatches ? ahead : microbatches;
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (int s = 0; s < count; s++)
            while (step(&r, s))
                moved = true;
    }
    for (int s = 0; s < count; s++) {
        cr_assert(r.backward[s] == microbatches);
        end = fmax(end, r.busy_until[s]);
    }
    return end;
}

static double predicted(enum rk_schedule schedule, const struct stage_times *stages, int count,
                        uint64_t chunks, int microbatches)
{
    const struct pipeline pipeline = {
        schedule, (uint64_t)count, chunks, (uint64_t)microbatches, false, 0};
    const struct pace pace = pipeline_pace(&pipeline, stages, no_messages);
    return microbatches * (stages[pace.stage].forward_s + stages[pace.stage].backward_s) +
           pace.wait_s;
}

static int draw(struct stage_times *stages, double unequal)
{
    const int count = 1 + below(STAGES);
    for (int i = 0; i < count; i++) {
        stages[i].forward_s = 1 + unequal * uniform();
        stages[i].backward_s = stages[i].forward_s * (2 + 0.2 * uniform());
    }
    return count;
}

/* Stages of like duration, as plans have them: the formula is the simulation's result, but for
 * fewer microbatches than stages. */
Test(pace, one_forward_one_backward_is_what_a_simulation_gives)
{
    struct stage_times stages[STAGES];
    for (state = 1; state < 2000000000; state += 1999999) {
        const int count = draw(stages, 0.3);
        const int microbatches = 1 + below(MICROBATCHES - 1);
        const double real = simulate(stages, count, microbatches, false);
        const double ours = predicted(RK_1F1B, stages, count, 1, microbatches);
        const double above = microbatches < count ? 0.1 : 1e-9;
        cr_assert(ours <= real * (1 + above), "%g above %g", ours, real);
        cr_assert(ours >= real * 0.995, "%g for %g, %d stages", ours, real, count);
    }
}

Test(pace, very_unequal_stages_are_within_five_percent)
{
    struct stage_times stages[STAGES];
    for (state = 7; state < 1000000000; state += 1999999) {
        const int count = draw(stages, 2);
        const int microbatches = count * (2 + below(4));
        const double real = simulate(stages, count, microbatches, false);
        const double ours = predicted(RK_1F1B, stages, count, 1, microbatches);
        cr_assert(ours <= real * (1 + 1e-9) && ours >= real * 0.95, "%g for %g", ours, real);
    }
}

Test(pace, gpipe_is_what_a_simulation_gives)
{
    struct stage_times stages[STAGES];
    for (state = 3; state < 1000000000; state += 1999999) {
        const int count = draw(stages, 1);
        const int microbatches = 1 + below(MICROBATCHES - 1);
        const double real = simulate(stages, count, microbatches, true);
        const double ours = predicted(RK_GPIPE, stages, count, 1, microbatches);
        cr_assert(fabs(ours - real) <= real * 1e-9, "%g for %g", ours, real);
    }
}

/* How long stages a and b work at the same time. */
static double together(int a, int b)
{
    double sum = 0;
    for (int i = 0; i < 2 * r.microbatches; i++)
        for (int j = 0; j < 2 * r.microbatches; j++) {
            const bool ib = i >= r.microbatches, jb = j >= r.microbatches;
            const double x = (ib ? r.backward_end : r.forward_end)[a][i % r.microbatches];
            const double y = (jb ? r.backward_end : r.forward_end)[b][j % r.microbatches];
            const double long_x = ib ? r.stages[a].backward_s : r.stages[a].forward_s,
                         long_y = jb ? r.stages[b].backward_s : r.stages[b].forward_s;
            sum += fmax(0, fmin(x, y) - fmax(x - long_x, y - long_y));
        }
    return sum;
}

/* Equal stages work beside each other as long as a simulation has it; of two stages and eight
 * microbatches, 7/8 of the time. */
Test(pace, equal_stages_are_beside_each_other_as_a_simulation_says)
{
    struct stage_times stages[STAGES];
    cr_expect_float_eq(stages_beside(2, 8), 7.0 / 8, 1e-12);
    for (state = 5; state < 1000000000; state += 1999999) {
        const int count = 2 + below(STAGES - 1);
        const bool gpipe = below(2);
        const int microbatches =
            gpipe ? 1 + below(MICROBATCHES - 1) : count + below(MICROBATCHES - count);
        const double forward_s = 0.5 + uniform(), backward_s = 0.5 + 2 * uniform();
        double sum = 0;
        for (int i = 0; i < count; i++)
            stages[i] = (struct stage_times){forward_s, backward_s, 0};
        simulate(stages, count, microbatches, gpipe);
        for (int a = 0; a < count; a++)
            for (int b = 0; b < a; b++)
                sum += together(a, b);
        const double work = microbatches * (forward_s + backward_s);
        const double real = sum / (work * count * (count - 1) / 2);
        cr_assert_float_eq(stages_beside((uint64_t)count, microbatches), real, 1e-9,
                           "%d stages, %d microbatches", count, microbatches);
    }
}

static double waited(enum rk_schedule schedule, const struct stage_times *stages, uint64_t chunks)
{
    const struct pipeline pipeline = {schedule, 8, chunks, 32, false, 0};
    return pipeline_pace(&pipeline, stages, no_messages).wait_s;
}

/* Of p equal stages: (p-1)(f+b) for 1F1B, over v interleaved [narayanan2021]; (p-1)(f+b-2w) for
 * ZB-H1, (p-1)(f+b-3w) for ZB-H2 [qi2023]; (p/2-1)(f+b + b - 3w) for DualPipe [deepseek2024v3,
 * table 2]. f 1, b 2, w 0.9. */
Test(pace, equal_stages_wait_as_the_papers_say)
{
    struct stage_times stages[8];
    for (int i = 0; i < 8; i++)
        stages[i] = (struct stage_times){1, 2, 0.9};
    cr_expect_float_eq(waited(RK_1F1B, stages, 1), 21, 1e-12);
    cr_expect_float_eq(waited(RK_1F1B, stages, 3), 7, 1e-12);
    cr_expect_float_eq(waited(RK_ZERO_BUBBLE, stages, 1), 7 * 1.2, 1e-12);
    cr_expect_float_eq(waited(RK_ZERO_BUBBLE_2P, stages, 1), 7 * 0.3, 1e-12);
    cr_expect_float_eq(waited(RK_DUALPIPE, stages, 1), 3 * 2.3, 1e-12);
}

/* DualPipe: a rank has half of the microbatches of two stages, so a last stage of three times the
 * others' work makes a pair of twice: stage 0 and 7 are one, as each other's. */
Test(pace, two_stages_of_a_rank_set_the_pace_together)
{
    struct stage_times stages[8];
    for (int i = 0; i < 8; i++)
        stages[i] = (struct stage_times){1, 2, 0.9};
    stages[7] = (struct stage_times){3, 6, 2.7};
    const struct pipeline pipeline = {RK_DUALPIPE, 8, 1, 32, false, 0};
    const struct pace pace = pipeline_pace(&pipeline, stages, no_messages);
    cr_expect_eq(pace.stage, 0);
    cr_expect_float_eq(pace.wait_s, 3.0 / 7 * (6 * 2.3 + 2 * 2.3), 1e-12);
}

/* Two stages, three microbatches; the first, of 1 + 9 s, sets the pace. The second, 3 + 3 s, has
 * the first microbatch's gradient after 7 s while the first one stopped after two forward passes at
 * 2 s: backward 7 to 16, forward 17, backward 26, 35. So 3 * 10 and 5 s of waiting. */
Test(pace, the_first_stage_runs_ahead_by_one)
{
    const struct stage_times stages[] = {{1, 9, 0}, {3, 3, 0}};
    const struct pipeline pipeline = {RK_1F1B, 2, 1, 3, false, 0};
    const struct pace pace = pipeline_pace(&pipeline, stages, no_messages);
    cr_expect_eq(pace.stage, 0);
    cr_expect_float_eq(pace.wait_s, 5, 1e-12);
    cr_expect_float_eq(simulate(stages, 2, 3, false), 35, 1e-12);
}

/* ---- V-shaped schedules ---- */

static double bubble(enum rk_schedule schedule, uint32_t p, uint64_t m, double f, double b,
                     double w)
{
    struct stage_times stages[V_MAX_STAGES];
    for (uint32_t i = 0; i < p; i++)
        stages[i] = (struct stage_times){2 * f, 2 * (b + w), 2 * w}; /* two chunks */
    const struct pipeline pipeline = {schedule, p, 2, m, false, 0};
    return pipeline_pace(&pipeline, stages, no_messages).wait_s;
}

/* Passes of 1, two chunks: v-zero waits p - 1 of them, where 1F1B waits 6 (p - 1), the bubble of
 * "ZBV-formatted" in Primus' table, (p - 1) / (6 m + p - 1). The authors of [qi2024] give bubbles
 * of about p / 2m for v-half and 2p / 3m for v-min, so 3p and 4p passes. */
Test(pace, a_v_waits_as_is_published)
{
    for (uint32_t p = 2; p <= V_MAX_STAGES; p++) {
        const uint64_t m = 2 * p + p % 3;
        cr_expect_float_eq(bubble(RK_V_ZERO, p, m, 1, 1, 1), p - 1, 1e-9);
        cr_expect_float_eq(bubble(RK_V_MIN, p, m, 1, 1, 1), 4.0 * p - 5, 1e-9);
        const double half = bubble(RK_V_HALF, p, m, 1, 1, 1);
        cr_expect(half <= 3.25 * p - 3.5 && half >= 2.5 * p - 4, "p %d: %g", (int)p, half);
    }
}

/* No bubble grows with the batch while W + 2B >= 2F and W + 2F >= 2B (v-half), or all passes take
 * alike (v-min); v-zero's never does [qi2024, section 3.3 and appendix]. Else each microbatch of
 * v-half takes 2(f+b+w) and what the condition lacks, of v-min six times the longest of f and b. */
Test(pace, a_v_holds_its_pace_where_the_paper_says)
{
    static const struct {
        double f, b, w, half, min; /* more for each microbatch */
    } cases[] = {{1, 1, 1, 0, 0}, {1.2, 1, 1, 0, 0.8}, {1, 1.5, 1, 0, 2}, {1, 1.4, 0.8, 0, 2},
                 {2, 1, 1, 1, 4}, {1, 2, 1, 1, 4},     {1, 1, 1.5, 0, 0}, {1, 1, 0.5, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t p = 4; p <= 12; p += 4) {
            const double f = cases[i].f, b = cases[i].b, w = cases[i].w;
            const double more[] = {0, cases[i].half, cases[i].min};
            for (int k = 0; k < 3; k++) {
                const enum rk_schedule v = RK_V_ZERO + k;
                const double grown = bubble(v, p, 12 * p, f, b, w) - bubble(v, p, 8 * p, f, b, w);
                cr_expect_float_eq(grown, 4 * p * more[k], 1e-9, "schedule %d of %d, case %zu: %g",
                                   k, (int)p, i, grown);
            }
        }
}
