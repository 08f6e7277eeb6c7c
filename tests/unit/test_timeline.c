/* Schedules by hand and by chance: pipelines of given durations. RECKON_SEED=N starts there. */
#include "drawn.h"
#include "draws.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/pace.h"
#include "timeline/timeline.h"

enum { CASES = DRAWN(1500) };

/* ---- plans of given durations ---- */

struct given {
    enum rk_schedule schedule;
    uint32_t stages, chunks, microbatches;
    double forward_s, agrad_s, wgrad_s, message_s;
    enum timeline_messages messages;
};

/* Of the plan at hand. */
enum { STAGES = 16, CHUNKS = 8 };
static struct timeline_chunk chunks[STAGES * CHUNKS];
static struct timeline_end ends[STAGES];
static double capacity[STAGES];
static struct timeline_bytes bytes[STAGES * TIMELINE_CATEGORIES];

static struct timeline_duration lasts(double compute_s)
{
    return (struct timeline_duration){.compute_s = compute_s, .total_s = compute_s};
}

/* One block in a chunk; a byte of activations for each block in flight. */
static struct timeline_plan plan_of(const struct given *g)
{
    const struct pipeline p = {g->schedule, g->stages, g->chunks, g->microbatches, false, 0};
    struct timeline_plan plan = {.pipeline = p,
                                 .schedule = "given",
                                 .messages = g->messages,
                                 .stages = g->stages,
                                 .chunks = pipeline_chunks(&p),
                                 .microbatches = g->microbatches,
                                 .chunk = chunks,
                                 .end = ends,
                                 .message_s = {g->message_s, g->message_s},
                                 .message_bytes = {1, 1},
                                 .category = {"activations"},
                                 .tiers = 1};
    if (g->stages == 1) plan.message_s[0] = plan.message_s[1] = 0;
    for (int i = 0; i < STAGES * CHUNKS; i++)
        chunks[i] =
            (struct timeline_chunk){.blocks = 1,
                                    .held = 1,
                                    .pass = {lasts(g->forward_s), lasts(g->agrad_s + g->wgrad_s),
                                             lasts(g->agrad_s), lasts(g->wgrad_s)}};
    memset(ends, 0, sizeof ends);
    memset(bytes, 0, sizeof bytes);
    for (int i = 0; i < STAGES; i++)
        bytes[i * TIMELINE_CATEGORIES].in_flight = 1;
    for (int i = 0; i < STAGES; i++)
        capacity[i] = 1000;
    plan.tier[0] = (struct timeline_tier){.capacity_bytes = capacity, .bytes = bytes};
    return plan;
}

static double step_of_given(const struct given *g)
{
    const struct timeline_plan plan = plan_of(g);
    struct timeline timeline;
    cr_assert_eq(timeline_simulate(&plan, &timeline, NULL), RK_OK);
    const double step_s = timeline.step_s;
    timeline_release(&timeline);
    return step_s;
}

/* ---- steps by hand ---- */

/* p = 2, m = 2, forward 1 s, backward 2 s: stage 0 runs F0 0-1, F1 1-2, stage 1 F0 1-2, B0 2-4,
 * F1 4-5, B1 5-7; stage 0 B0 4-6, B1 7-9. */
Test(timeline, two_stages_two_microbatches)
{
    static const struct {
        uint32_t stage;
        enum timeline_kind kind;
        uint32_t microbatch;
        double start_s, end_s;
    } expected[] = {
        {0, TIMELINE_EVENT_FORWARD, 0, 0, 1},  {0, TIMELINE_EVENT_FORWARD, 1, 1, 2},
        {0, TIMELINE_EVENT_BACKWARD, 0, 4, 6}, {0, TIMELINE_EVENT_BACKWARD, 1, 7, 9},
        {1, TIMELINE_EVENT_FORWARD, 0, 1, 2},  {1, TIMELINE_EVENT_BACKWARD, 0, 2, 4},
        {1, TIMELINE_EVENT_FORWARD, 1, 4, 5},  {1, TIMELINE_EVENT_BACKWARD, 1, 5, 7},
    };
    const struct given g = {RK_1F1B, 2, 1, 2, 1, 1, 1, 0, TIMELINE_CHARGED};
    const struct timeline_plan plan = plan_of(&g);
    const struct timeline_window everything = timeline_everything();
    struct timeline_log log;
    cr_assert_eq(timeline_log_open(&plan, &everything, &log, NULL), RK_OK);
    size_t found = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        for (size_t k = 0; k < log.event_count; k++) {
            const struct timeline_event *e = &log.events[k];
            if (e->stage == expected[i].stage && e->kind == expected[i].kind &&
                e->microbatch == expected[i].microbatch) {
                cr_expect_float_eq(e->start_s, expected[i].start_s, 1e-12);
                cr_expect_float_eq(e->end_s, expected[i].end_s, 1e-12);
                found++;
            }
        }
    cr_assert_eq(found, 8);
    timeline_log_release(&log);
}

Test(timeline, four_stages_eight_microbatches)
{
    const double work = 3, m = 8, p = 4; /* forward 1 s, backward 2 s */
    struct given g = {RK_1F1B, 4, 1, 8, 1, 1, 1, 0, TIMELINE_CHARGED};
    cr_expect_float_eq(step_of_given(&g), (m + p - 1) * work, 1e-12); /* 33 s */
    g.schedule = RK_GPIPE;
    cr_expect_float_eq(step_of_given(&g), (m + p - 1) * work, 1e-12);
    g.schedule = RK_ZERO_BUBBLE; /* the bubble is (p-1)(forward + agrad - wgrad) */
    cr_expect_float_eq(step_of_given(&g), m * work + (p - 1) * 1, 1e-12); /* 27 s */
    for (uint32_t v = 2; v <= 4; v *= 2) { /* chunks of 1/v of the work: bubble / v */
        const struct given cut = {RK_1F1B, 4, v, 8, 1.0 / v, 1.0 / v, 1.0 / v, 0, TIMELINE_CHARGED};
        cr_expect_float_eq(step_of_given(&cut), m * work + (p - 1) * work / v, 1e-12);
    }
}

/* p = 2, m = 1, message 1/2 s: F0 0-1, message, F0 1.5-2.5; charged: a message to nowhere up to 3,
 * B0 3-5, message, B0 5.5-7.5, and one to nowhere up to 8. Others: B0 2.5-4.5, B0 5-7. */
Test(timeline, messages)
{
    struct given g = {RK_1F1B, 2, 1, 1, 1, 1, 1, 0.5, TIMELINE_CHARGED};
    cr_expect_float_eq(step_of_given(&g), 8, 1e-12);
    g.messages = TIMELINE_BLOCKING;
    cr_expect_float_eq(step_of_given(&g), 7, 1e-12);
    g.messages = TIMELINE_BESIDE;
    cr_expect_float_eq(step_of_given(&g), 7, 1e-12);
    g.microbatches = 2;
    g.messages = TIMELINE_BESIDE; /* stage 1: F0 1.5-2.5, B0 -4.5, F1 -5.5, B1 -7.5; B1 8-10 */
    cr_expect_float_eq(step_of_given(&g), 10, 1e-12);
    g.messages = TIMELINE_BLOCKING; /* B0 -4.5, message -5, F1 -6, B1 -8; B1 8.5-10.5 */
    cr_expect_float_eq(step_of_given(&g), 10.5, 1e-12);
}

/* A link carries one message at a time: three passes of 0.25 s with messages of 1 s leave at 0.25,
 * 1.25, 2.25 and are there at 3.25. */
Test(timeline, a_link_is_a_queue)
{
    const struct given g = {RK_GPIPE, 2, 1, 3, 0.25, 0.125, 0.125, 1, TIMELINE_BESIDE};
    /* stage 1: F2 3.25-3.5, then B0 -3.75, B1 -4, B2 -4.25; messages there at 4.75, 5.75, 6.75 */
    cr_expect_float_eq(step_of_given(&g), 7, 1e-12);
}

/* ---- memory by hand ---- */

static void expect_peaks(const struct given *g, const double *expected)
{
    const struct timeline_plan plan = plan_of(g);
    struct timeline timeline;
    cr_assert_eq(timeline_simulate(&plan, &timeline, NULL), RK_OK);
    for (uint32_t stage = 0; stage < g->stages; stage++)
        cr_expect_float_eq(timeline.stage[stage].peak_bytes[0], expected[stage], 1e-12,
                           "stage %u: %g, expected %g", stage, timeline.stage[stage].peak_bytes[0],
                           expected[stage]);
    cr_expect_eq(timeline.tightest_stage, 0);
    timeline_release(&timeline);
}

Test(timeline, peaks)
{
    struct given g = {RK_1F1B, 4, 1, 8, 1, 1, 1, 0, TIMELINE_CHARGED};
    expect_peaks(&g, (const double[]){4, 3, 2, 1});
    g.schedule = RK_GPIPE;
    expect_peaks(&g, (const double[]){8, 8, 8, 8});
    g.schedule = RK_ZERO_BUBBLE; /* as much as the first stage of 1F1B, everywhere */
    expect_peaks(&g, (const double[]){4, 4, 4, 4});
    g.schedule = RK_1F1B; /* p v + p - 1 chunks, two less from stage to stage */
    g.chunks = 2;
    expect_peaks(&g, (const double[]){11, 9, 7, 5});
}

/* Data-parallel reduction: 2 stages, 1 microbatch, forward 1 s, backward 2 s, one chunk of two
 * blocks. Beside backward, the first block of stage 0 is reduced 5-6.5, the second behind it
 * although it is done at 6: 6.5-8; then the optimizer, 0.25 s a block. */
Test(timeline, reductions)
{
    const struct given g = {RK_1F1B, 2, 1, 1, 1, 1, 1, 0, TIMELINE_CHARGED};
    struct timeline_plan plan = plan_of(&g);
    struct timeline timeline;
    plan.reduces = true;
    for (int i = 0; i < 2; i++) {
        chunks[i].blocks = 2;
        chunks[i].reduce_s = 1.5;
        ends[i].optimizer_s = 2 * 0.25;
    }
    cr_assert_eq(timeline_simulate(&plan, &timeline, NULL), RK_OK);
    cr_expect_float_eq(timeline.step_s, 6 + 2 * 1.5 + 2 * 0.25, 1e-12);
    cr_expect_float_eq(timeline.stage[0].reduce_s, 3, 1e-12);
    timeline_release(&timeline);
    plan.reduce_beside = true;
    cr_assert_eq(timeline_simulate(&plan, &timeline, NULL), RK_OK);
    cr_expect_float_eq(timeline.step_s, 8 + 2 * 0.25, 1e-12);
    cr_expect_float_eq(timeline.stage[0].reduce_s, 2, 1e-12);
    timeline_release(&timeline);
    plan.processor_usage = 0.5; /* 5-6 beside computing: 0.5 s longer, the reduction unchanged */
    cr_assert_eq(timeline_simulate(&plan, &timeline, NULL), RK_OK);
    cr_expect_float_eq(timeline.stage[0].reduce_s, 1.5, 1e-12);
    timeline_release(&timeline);
}

/* One stage, two chunks: F0 0-1, F1 1-2, B1 2-4, its reduction 4-8; B0 beside it takes half as long
 * again, 4-7, its reduction 8-12. */
Test(timeline, reductions_slow_what_runs_beside_them)
{
    const struct given g = {RK_1F1B, 1, 2, 1, 1, 1, 1, 0, TIMELINE_CHARGED};
    struct timeline_plan plan = plan_of(&g);
    struct timeline timeline;
    plan.reduces = plan.reduce_beside = true;
    chunks[0].reduce_s = chunks[1].reduce_s = 4;
    plan.processor_usage = 0.5;
    cr_assert_eq(timeline_simulate(&plan, &timeline, NULL), RK_OK);
    cr_expect_float_eq(timeline.stage[0].compute_s, 7, 1e-12);
    cr_expect_float_eq(timeline.stage[0].reduce_s, 5, 1e-12);
    cr_expect_float_eq(timeline.step_s, 12, 1e-12);
    timeline_release(&timeline);
}

/* Transfers run beside passes; one of the same direction waits for those before it, and the step
 * for the last ones. */
Test(timeline, transfers_are_a_queue)
{
    const struct given g = {RK_1F1B, 1, 1, 2, 1, 1, 1, 0, TIMELINE_CHARGED};
    struct timeline_plan plan = plan_of(&g);
    struct timeline timeline;
    chunks[0].pass[PASS_FORWARD].in_s = 5;
    chunks[0].pass[PASS_BACKWARD].out_s = 6;
    /* F0 0-1, in 0-5; B0 1-3, out 1-7; F1 5-6, in 5-10; B1 7-9, out 7-13 */
    cr_assert_eq(timeline_simulate(&plan, &timeline, NULL), RK_OK);
    cr_expect_float_eq(timeline.step_s, 13, 1e-12);
    cr_expect_float_eq(timeline.stage[0].idle_s, 13 - 6, 1e-12);
    timeline_release(&timeline);
}

/* The first stage of two_stages_two_microbatches. */
Test(timeline, memory_follows_the_passes)
{
    static const struct {
        double time_s;
        enum timeline_phase phase;
        double held;
    } expected[] = {
        {0, TIMELINE_IN_FORWARD, 1},  {1, TIMELINE_IN_FORWARD, 2}, {2, TIMELINE_IDLE, 2},
        {4, TIMELINE_IN_BACKWARD, 2}, {6, TIMELINE_IDLE, 1},       {7, TIMELINE_IN_BACKWARD, 1},
        {9, TIMELINE_IDLE, 0},
    };
    const struct given g = {RK_1F1B, 2, 1, 2, 1, 1, 1, 0, TIMELINE_CHARGED};
    const struct timeline_plan plan = plan_of(&g);
    const struct timeline_window first = {0, INFINITY, 0, 0};
    struct timeline_log log;
    cr_assert_eq(timeline_log_open(&plan, &first, &log, NULL), RK_OK);
    cr_assert_eq(log.sample_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < log.sample_count; i++) {
        cr_expect_float_eq(log.samples[i].time_s, expected[i].time_s, 1e-12);
        cr_expect_eq(log.samples[i].phase, expected[i].phase, "sample %zu", i);
        cr_expect_eq(log.samples[i].held, expected[i].held, "sample %zu", i);
    }
    timeline_log_release(&log);
}

/* ---- by chance ---- */

static struct given draw_given(void)
{
    struct given g = {.schedule = below(RK_SCHEDULES),
                      .stages = 1 + (uint32_t)below(12),
                      .chunks = 1,
                      .microbatches = 1 + (uint32_t)below(40),
                      .forward_s = between(0.1, 2),
                      .agrad_s = between(0.1, 2),
                      .wgrad_s = between(0.1, 2),
                      .message_s = between(0, 0.5),
                      .messages = (uint32_t)below(TIMELINE_MESSAGES)};
    if (g.schedule == RK_1F1B && below(2)) {
        g.stages++;
        g.chunks = 2 + (uint32_t)below(4);
    }
    if (rk_schedule_folds(g.schedule)) {
        g.stages++;
        g.chunks = 2;
    }
    if (g.schedule == RK_DUALPIPE) {
        g.stages += g.stages % 2;
        g.microbatches = 2 * (g.stages + (uint32_t)below(10));
    }
    return g;
}

static double work_of(const struct given *g)
{
    const double message_s = g->stages > 1 ? 2 * g->message_s : 0;
    return g->forward_s + g->agrad_s + g->wgrad_s + message_s;
}

/* The prediction runs a V in its own way, of more than 8p microbatches some. */
static void check_v(const struct given *g, double step_s, uint64_t seed)
{
    const struct pipeline p = {g->schedule, g->stages, 2, g->microbatches, false, 0};
    const double back_s = g->agrad_s + g->wgrad_s;
    const double close = g->microbatches <= 8 * g->stages ? 1e-9 : 0.005;
    struct stage_times stages[STAGES];
    for (uint32_t i = 0; i < g->stages; i++)
        stages[i] = (struct stage_times){2 * g->forward_s, 2 * back_s, 2 * g->wgrad_s};
    const double length_s = pipeline_length_v(
        &p, stages, (struct messages){g->message_s, g->messages != TIMELINE_BESIDE});
    if (g->messages != TIMELINE_BLOCKING)
        cr_assert(fabs(step_s / length_s - 1) < close, "seed %" PRIu64 ": %g, predicted %g", seed,
                  step_s, length_s);
}

/* (m v + p - 1) passes of a chunk; no more, with a short last round, than the formula says. */
static void check_step(const struct given *g, double step_s, uint64_t seed)
{
    const double m = g->microbatches, v = g->chunks, p = g->stages;
    if (g->schedule == RK_DUALPIPE) return;
    if (rk_schedule_folds(g->schedule)) {
        check_v(g, step_s, seed);
        return;
    }
    const double shortage = g->microbatches % g->stages ? p - fmod(m, p) : 0;
    const double formula_s = (m * v + p - 1 + (v - 1) * shortage) * work_of(g);
    const double busy_s = m * v * (g->forward_s + g->agrad_s + g->wgrad_s);
    cr_assert(step_s >= busy_s * (1 - 1e-12), "seed %" PRIu64, seed);
    cr_assert(step_s <= formula_s * (1 + 1e-12), "seed %" PRIu64 ": %g, formula %g", seed, step_s,
              formula_s);
    if (g->messages != TIMELINE_CHARGED || zero_bubbles(g->schedule)) return;
    if (shortage > 0 && v > 1) return;
    cr_assert(fabs(step_s / formula_s - 1) < 1e-9, "seed %" PRIu64 ": %g, formula %g", seed, step_s,
              formula_s);
}

/* Chunks in flight on a rank: two for each of p microbatches [qi2023, section 6], of (p + 2) / 2
 * and of (p + 4) / 3 [the table of the authors of qi2024]. */
static double most_of_v(enum rk_schedule schedule, uint32_t p)
{
    return 2 * (schedule == RK_V_ZERO ? p : schedule == RK_V_HALF ? (p + 2) / 2 : (p + 4) / 3);
}

/* Each of a stage's parts fills its step; in flight is what the formula says. */
static void check_stages(const struct given *g, const struct timeline *timeline, uint64_t seed)
{
    const double p = g->stages, v = g->chunks, m = g->microbatches;
    for (uint32_t i = 0; i < g->stages; i++) {
        const struct timeline_stage *s = &timeline->stage[i];
        const double sum =
            s->compute_s + s->offload_s + s->message_s + s->reduce_s + s->optimizer_s + s->idle_s;
        cr_assert(fabs(sum / timeline->step_s - 1) < 1e-9, "seed %" PRIu64, seed);
        cr_assert(s->bubble >= 0 && s->bubble < 1, "seed %" PRIu64, seed);
        if (rk_schedule_folds(g->schedule))
            cr_assert(s->peak_bytes[0] <= most_of_v(g->schedule, g->stages));
        else
            cr_assert(s->peak_bytes[0] <= timeline->stage[0].peak_bytes[0], "seed %" PRIu64, seed);
    }
    const double peak = timeline->stage[0].peak_bytes[0];
    if (g->schedule == RK_GPIPE) cr_assert_eq(peak, m);
    if (g->schedule == RK_DUALPIPE) cr_assert_eq(peak, p + 1);
    if ((g->schedule == RK_1F1B && v == 1) || g->schedule == RK_ZERO_BUBBLE)
        cr_assert_eq(peak, fmin(m, p), "seed %" PRIu64, seed);
    if (g->schedule == RK_ZERO_BUBBLE_2P)
        cr_assert_eq(peak, fmin(m, 2 * p - 1), "seed %" PRIu64, seed);
    if (g->schedule == RK_1F1B && v > 1)
        cr_assert(g->microbatches % g->stages ? peak <= p * v + p - 1
                                              : peak == fmin(m * v, p * v + p - 1),
                  "seed %" PRIu64 ": %g in flight", seed, peak);
}

/* Passes of a stage by what they are; ends of the pass before on this stage, and of its input. */
struct tally {
    const struct timeline_plan *plan;
    double end_s[16];
    double *done_s; /* (2, stages * chunks, microbatches): forward, backward; ends */
    uint64_t passes, sends, receives;
    bool ordered, caused;
};

static double *done_at(const struct tally *t, int backward, uint64_t position, uint32_t microbatch)
{
    const uint64_t positions = pipeline_parts(&t->plan->pipeline);
    return &t->done_s[((uint64_t)backward * positions + position) * t->plan->microbatches +
                      microbatch];
}

static void tally_event(void *context, const struct timeline_event *e)
{
    struct tally *t = context;
    const struct pipeline *p = &t->plan->pipeline;
    const uint64_t part = pipeline_part(p, e->stage, e->chunk), last = pipeline_parts(p) - 1;
    const bool back = e->pass == PASS_BACKWARD || e->pass == PASS_INPUT_GRAD;
    t->sends += e->kind == TIMELINE_EVENT_SEND;
    t->receives += e->kind == TIMELINE_EVENT_RECEIVE;
    if (timeline_track_of(e) != TIMELINE_COMPUTE) return;
    t->passes++;
    t->ordered &= e->start_s >= t->end_s[e->stage] - 1e-12;
    t->end_s[e->stage] = e->end_s;
    double needs_s = 0;
    const bool tip = rk_schedule_folds(p->schedule) && part == p->stages - back;
    if (e->pass == PASS_FORWARD && part > 0)
        needs_s = *done_at(t, 0, part - 1, e->microbatch) + (tip ? 0 : t->plan->message_s[0]);
    if (back && part < last)
        needs_s = *done_at(t, 1, part + 1, e->microbatch) + (tip ? 0 : t->plan->message_s[1]);
    if (back && part == last) needs_s = *done_at(t, 0, part, e->microbatch);
    if (e->pass == PASS_WEIGHT_GRAD) needs_s = *done_at(t, 1, part, e->microbatch);
    t->caused &= needs_s >= 0 && e->start_s >= needs_s - 1e-12;
    if (e->pass != PASS_WEIGHT_GRAD) *done_at(t, back, part, e->microbatch) = e->end_s;
}

/* Every pass once, none overlaps another of its stage, none starts before its input is there. */
static void check_events(const struct timeline_plan *plan, uint64_t seed)
{
    const uint64_t positions = pipeline_parts(&plan->pipeline);
    const uint64_t slots = 2 * positions * plan->microbatches;
    const struct timeline_window everything = timeline_everything();
    struct tally tally = {.plan = plan, .ordered = true, .caused = true};
    const struct timeline_visitor visitor = {&tally, tally_event, NULL};
    tally.done_s = calloc(slots, sizeof *tally.done_s);
    cr_assert(tally.done_s);
    for (uint64_t i = 0; i < slots; i++)
        tally.done_s[i] = -1e9;
    cr_assert_eq(timeline_visit(plan, &everything, &visitor, NULL), RK_OK);
    cr_assert(tally.ordered, "seed %" PRIu64 ": passes of a stage overlap", seed);
    cr_assert(tally.caused, "seed %" PRIu64 ": a pass starts before its input", seed);
    cr_assert_eq(tally.passes, timeline_passes(plan), "seed %" PRIu64, seed);
    const uint64_t crossed = positions - 1 - rk_schedule_folds(plan->pipeline.schedule);
    cr_assert_eq(tally.sends, plan->stages > 1 ? 2 * crossed * plan->microbatches : 0);
    cr_assert_eq(tally.sends, tally.receives);
    free(tally.done_s);
}

Test(timeline, any_pipeline)
{
    const char *given_seed = getenv("RECKON_SEED");
    const uint64_t first = given_seed ? strtoull(given_seed, NULL, 10) : 20260101;
    for (uint64_t seed = first; seed < first + CASES; seed++) {
        random_state = seed;
        const struct given g = draw_given();
        const struct timeline_plan plan = plan_of(&g);
        struct timeline timeline;
        cr_assert_eq(timeline_simulate(&plan, &timeline, NULL), RK_OK);
        check_step(&g, timeline.step_s, seed);
        check_stages(&g, &timeline, seed);
        check_events(&plan, seed);
        timeline_release(&timeline);
    }
}

/* Forward 1 s, backward 2 s, the last stage `last` times that. */
static double formula_of(const struct given *g, double last)
{
    const struct pipeline p = {g->schedule, g->stages, g->chunks, g->microbatches, false, 0};
    const struct messages messages = {g->message_s, g->messages != TIMELINE_BESIDE};
    const double all = g->chunks;
    struct stage_times stages[STAGES];
    for (uint32_t i = 0; i < g->stages; i++) {
        const double longer = all * (i + 1 == g->stages ? last : 1);
        stages[i] = (struct stage_times){longer * g->forward_s, longer * (g->agrad_s + g->wgrad_s),
                                         longer * g->wgrad_s};
    }
    const struct pace pace = pipeline_pace(&p, stages, messages);
    const struct stage_times *slowest = &stages[pace.stage];
    return g->microbatches * (slowest->forward_s + slowest->backward_s) + pace.wait_s +
           pace.messages_s;
}

static double simulated_of(const struct given *g, double last)
{
    const struct timeline_plan plan = plan_of(g);
    const double w = g->wgrad_s, both_s = g->agrad_s + w;
    struct timeline timeline;
    for (uint32_t k = 0; k < plan.chunks; k++) {
        struct timeline_duration *pass = chunks[(g->stages - 1) * plan.chunks + k].pass;
        pass[PASS_FORWARD] = lasts(last * g->forward_s);
        pass[PASS_BACKWARD] = lasts(last * both_s);
        pass[PASS_INPUT_GRAD] = lasts(last * g->agrad_s);
        pass[PASS_WEIGHT_GRAD] = lasts(last * w);
    }
    cr_assert_eq(timeline_simulate(&plan, &timeline, NULL), RK_OK);
    const double step_s = timeline.step_s;
    timeline_release(&timeline);
    return step_s;
}

static void check_formula(const struct given *g, double last, double off)
{
    const double real = simulated_of(g, last), ours = formula_of(g, last);
    cr_assert(fabs(ours / real - 1) < off,
              "schedule %d, chunks %" PRIu32 ", %" PRIu32 " stages, %" PRIu32
              " microbatches, messages of %g, last stage %g: %g, simulated %g",
              g->schedule, g->chunks, g->stages, g->microbatches, g->message_s, last, ours, real);
}

/* From links that hide everything to messages of twenty forward passes: interleaved 1F1B to 6 %,
 * zero bubbles to 8 and 12 %, the others as they are run. Of a V with more than 8p microbatches the
 * rest is extrapolated. */
Test(timeline, the_formula_holds_over_links_of_all_rates)
{
    static const double message_s[] = {0, 0.05, 0.2, 0.5, 0.8, 1.2, 2, 5, 20};
    static const struct {
        enum rk_schedule schedule;
        uint32_t chunks;
        double off;
    } ways[] = {{RK_ZERO_BUBBLE, 1, 0.08}, {RK_ZERO_BUBBLE_2P, 1, 0.12}, {RK_1F1B, 1, 1e-9},
                {RK_GPIPE, 1, 1e-9},       {RK_1F1B, 2, 0.06},           {RK_1F1B, 3, 0.06},
                {RK_1F1B, 8, 0.06},        {RK_GPIPE, 2, 1e-9},          {RK_GPIPE, 4, 1e-9},
                {RK_V_ZERO, 2, 0.02},      {RK_V_HALF, 2, 0.02},         {RK_V_MIN, 2, 0.02}};
    enum { WAYS = sizeof ways / sizeof *ways, RATES = sizeof message_s / sizeof *message_s };
    for (int i = 0; i < WAYS * RATES; i++)
        for (uint32_t p = 2; p <= STAGES; p *= 2) {
            const uint32_t parts = ways[i / RATES].chunks;
            const uint32_t counts[] = {1, p / 2, p, p + 1, 4 * p, 9 * p - 1};
            for (int k = 0; k < 12; k++) {
                const struct given g = {ways[i / RATES].schedule,
                                        p,
                                        parts,
                                        counts[k / 2],
                                        1,
                                        1,
                                        1,
                                        message_s[i % RATES],
                                        parts > 1 ? TIMELINE_BESIDE : TIMELINE_CHARGED};
                check_formula(&g, k % 2 ? 1.5 : 1, ways[i / RATES].off);
            }
        }
}

/* The step of 19 s that plan_time has of messages longer than a forward pass. */
Test(timeline, messages_of_interleaved_stages)
{
    const struct given g = {RK_1F1B, 2, 3, 4, 1. / 3, 1. / 3, 1. / 3, 0.5, TIMELINE_BESIDE};
    cr_expect_float_eq(formula_of(&g, 1), 19, 1e-9);
    cr_expect_float_eq(simulated_of(&g, 1), 18 + 2. / 3, 1e-9);
}

/* Less work, shorter messages, a better schedule: never a longer step. */
Test(timeline, zero_bubble_is_never_slower_than_1f1b)
{
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        random_state = seed;
        struct given g = draw_given();
        if (g.chunks > 1 || g.schedule == RK_DUALPIPE) continue;
        g.messages = TIMELINE_CHARGED;
        g.schedule = RK_1F1B;
        const double plain_s = step_of_given(&g);
        g.schedule = RK_ZERO_BUBBLE;
        const double filled_s = step_of_given(&g);
        cr_assert(filled_s <= plain_s * (1 + 1e-12), "seed %" PRIu64, seed);
    }
}

Test(timeline, windows_hold_what_touches_them)
{
    const struct given g = {RK_1F1B, 4, 2, 8, 1, 1, 1, 0.125, TIMELINE_CHARGED};
    const struct timeline_plan plan = plan_of(&g);
    const struct timeline_window everything = timeline_everything();
    const struct timeline_window window = {10, 20, 1, 2};
    struct timeline_log all, some;
    size_t expected = 0;
    cr_assert_eq(timeline_log_open(&plan, &everything, &all, NULL), RK_OK);
    cr_assert_eq(timeline_log_open(&plan, &window, &some, NULL), RK_OK);
    for (size_t i = 0; i < all.event_count; i++) {
        const struct timeline_event *e = &all.events[i];
        expected += e->end_s >= 10 && e->start_s <= 20 && e->stage >= 1 && e->stage <= 2;
    }
    cr_assert_eq(some.event_count, expected);
    cr_assert_lt(expected, all.event_count);
    cr_assert_gt(some.sample_count, 2);
    for (size_t i = 0; i < some.sample_count; i++)
        cr_assert(some.samples[i].time_s >= 10 && some.samples[i].time_s <= 20);
    cr_assert_float_eq(some.samples[0].time_s, 10, 1e-12); /* what was held before */
    timeline_log_release(&all);
    timeline_log_release(&some);
}

Test(timeline, the_middle_has_as_many_events_as_asked_for)
{
    const struct given g = {RK_1F1B, 8, 1, 400, 1, 1, 1, 0.125, TIMELINE_CHARGED};
    const struct timeline_plan plan = plan_of(&g);
    struct timeline timeline;
    struct timeline_log log;
    cr_assert_eq(timeline_simulate(&plan, &timeline, NULL), RK_OK);
    const struct timeline_window window = timeline_middle(&plan, &timeline, 2000);
    cr_assert_float_eq(window.from_s + window.to_s, timeline.step_s, 1e-9);
    cr_assert_eq(timeline_log_open(&plan, &window, &log, NULL), RK_OK);
    cr_assert(log.event_count > 1600 && log.event_count < 2400, "%zu events", log.event_count);
    cr_assert_eq(timeline_middle(&plan, &timeline, 1000000).from_s, 0);
    timeline_log_release(&log);
    timeline_release(&timeline);
}
