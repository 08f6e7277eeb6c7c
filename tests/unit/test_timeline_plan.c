/* The simulation against the estimate, on random plans. */
#include "drawn.h"
#include "draws.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calculon/timeline.h"

enum { CASES = DRAWN(3000) };

/* ---- random plans ---- */

static struct rk_memory memory[3];
static struct rk_network network[2];

static void flat_curve(struct rk_curve *curve, double rate)
{
    *curve = (struct rk_curve){.steps = 1, .step[0] = {.efficiency = 0.8}};
    rk_curve_set_peak(curve, rate);
}

/* A made-up machine: HBM, two lower tiers, two networks. */
static struct rk_system draw_system(void)
{
    struct rk_system system = {.id = "made up", .memories = 3, .networks = 2};
    system.memory = memory;
    system.network = network;
    system.processing = coin() ? RK_NO_OVERLAP : RK_ROOFLINE;
    system.matrix[RK_FLOAT16].peak_flops = system.vector[RK_FLOAT16].peak_flops = 3e14;
    flat_curve(&system.matrix[RK_FLOAT16].curve, 3e14);
    flat_curve(&system.vector[RK_FLOAT16].curve, 8e13);
    for (int tier = 0; tier < 3; tier++) {
        memory[tier] = (struct rk_memory){.capacity_bytes = 0x1p80};
        snprintf(memory[tier].name, sizeof memory[tier].name, "tier %d", tier);
        flat_curve(&memory[tier].curve, tier ? between(1e10, 4e11) : 2e12);
    }
    for (int tier = 0; tier < 2; tier++) {
        network[tier] = (struct rk_network){.bandwidth_Bps = between(5e9, 5e11),
                                            .efficiency = 0.8,
                                            .latency_s = between(0, 5e-5),
                                            .size = UINT64_C(1) << 40,
                                            .processor_usage = between(0, 0.1)};
        for (int op = 0; op < RK_COLLECTIVES; op++)
            network[tier].collective[op].scale = op == RK_ALL_REDUCE ? 2 : 1;
        for (int op = 1; op < RK_COLLECTIVES; op++)
            network[tier].collective[op].offset = -1;
    }
    return system;
}

static struct rk_model draw_model(void)
{
    return (struct rk_model){.id = "random",
                             .layers = 1 + below(64),
                             .hidden = 1024 * (1 + below(8)),
                             .feedforward = 4096 * (1 + below(8)),
                             .heads = 32,
                             .head_dim = 32 * (1 + below(4)),
                             .sequence = 512 * (1 + below(8))};
}

static uint64_t draw_divisor(uint64_t number)
{
    for (;;) {
        const uint64_t divisor = 1 + below(number);
        if (number % divisor == 0) return divisor;
    }
}

static struct rk_strategy draw_strategy(const struct rk_model *model)
{
    struct rk_strategy s = {.tensor = UINT64_C(1) << below(4),
                            .pipeline = 1 + below(model->layers < 16 ? model->layers : 16),
                            .data = 1 + below(8),
                            .microbatch = 1 + below(2),
                            .datatype = RK_FLOAT16,
                            .training = below(10) != 0,
                            .fused_activation = coin(),
                            .tensor_comm = below(RK_TENSOR_COMMS)};
    const uint64_t blocks = (model->layers - 1) / s.pipeline + 1;
    s.interleaving = s.pipeline > 1 && coin() ? draw_divisor(blocks) : 1;
    s.ranks = s.tensor * s.pipeline * s.data;
    s.batch = s.data * s.microbatch * (coin() ? s.pipeline * (1 + below(4)) : 1 + below(40));
    s.recompute = s.training ? below(RK_RECOMPUTES) : RK_RECOMPUTE_NONE;
    s.optimizer_sharding = s.data > 1 && coin();
    s.data_overlap = s.data > 1 && s.training && coin();
    s.tensor_overlap = s.tensor > 1 ? below(RK_TENSOR_OVERLAPS) : RK_OVERLAP_NONE;
    s.redo_all_gather =
        s.tensor_comm == RK_COMM_RS_AG && s.recompute != RK_RECOMPUTE_FULL && coin();
    if (blocks >= 3 && coin()) {
        s.weight_offload = (int)below(3);
        s.activation_offload = (int)below(3);
        s.optimizer_offload = s.training ? (int)below(3) : 0;
    }
    s.pipeline_network = s.data_network = 1;
    return s;
}

struct sample {
    uint64_t seed;
    struct rk_model model;
    struct rk_system system;
    struct rk_strategy strategy;
    struct rk_estimate estimate;
    struct timeline_plan plan;
    struct timeline timeline;
};

/* False when the plan is refused. */
static bool sample_open(struct sample *s, uint64_t seed, const struct timeline_options *options)
{
    struct rk_error error;
    random_state = seed;
    *s = (struct sample){.seed = seed, .system = draw_system(), .model = draw_model()};
    s->strategy = draw_strategy(&s->model);
    rk_estimate(&s->model, &s->system, &s->strategy, &s->estimate);
    if (!s->estimate.timed) return false;
    const struct timeline_options usual = timeline_options_of(&s->strategy);
    cr_assert_eq(timeline_plan_of(&s->plan, &s->model, &s->system, &s->strategy, &s->estimate,
                                  options ? options : &usual, &error),
                 RK_OK, "seed %" PRIu64 ": %s", seed, error.text);
    cr_assert_eq(timeline_simulate(&s->plan, &s->timeline, &error), RK_OK);
    return true;
}

static uint64_t first_seed(void)
{
    return drawn_cases(CASES, CASES).first;
}

/* ---- what must hold ---- */

/* Equal stages, no reduction beside backward, full rounds: the formula is exact. */
static bool is_even(const struct sample *s)
{
    return s->model.layers % s->strategy.pipeline == 0;
}

static void sample_close(struct sample *s)
{
    timeline_release(&s->timeline);
    timeline_plan_release(&s->plan);
}

static bool time_is_exact(const struct sample *s)
{
    return is_even(s) && !s->plan.reduce_beside && s->strategy.training &&
           (s->plan.chunks == 1 || s->plan.microbatches % s->plan.stages == 0);
}

Test(timeline_plan, the_step_is_the_estimate_s)
{
    int exact = 0, all = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + CASES; seed++) {
        struct sample s;
        if (!sample_open(&s, seed, NULL)) continue;
        const double difference = s.timeline.step_s / s.estimate.step_s - 1;
        all++;
        if (time_is_exact(&s)) {
            exact++;
            cr_assert(fabs(difference) < 1e-9, "seed %" PRIu64 ": %g", seed, difference);
        }
        if (fabs(difference) > 1e-9) /* never without a reason */
            cr_assert(s.plan.time_reasons != 0, "seed %" PRIu64 ": %g", seed, difference);
        sample_close(&s);
    }
    cr_assert(drawn_enough(exact > CASES / 8));
    cr_assert(drawn_enough(all > CASES / 2));
}

/* The parts of the step are those of the estimate, too. */
Test(timeline_plan, the_parts_are_the_estimate_s)
{
    for (uint64_t seed = first_seed(); seed < first_seed() + CASES; seed++) {
        struct sample s;
        if (!sample_open(&s, seed, NULL)) continue;
        if (time_is_exact(&s)) {
            const struct rk_estimate *e = &s.estimate;
            const struct timeline_stage *stage = &s.timeline.stage[0];
            const double limit_s = 1e-9 * e->step_s;
            cr_assert_float_eq(stage->idle_s, e->bubble_s, limit_s, "seed %" PRIu64, seed);
            cr_assert_float_eq(stage->message_s, e->pipeline_comm_exposed_s, limit_s);
            cr_assert_float_eq(stage->reduce_s, e->data_comm_exposed_s, limit_s);
            cr_assert_float_eq(stage->optimizer_s, e->optimizer_s, limit_s);
            cr_assert_float_eq(stage->offload_s,
                               e->forward_offload_exposed_s + e->backward_offload_exposed_s,
                               limit_s, "seed %" PRIu64, seed);
            cr_assert_float_eq(stage->compute_s,
                               e->forward_s + e->backward_s + e->recompute_s +
                                   e->recompute_comm_exposed_s + e->tensor_comm_exposed_s,
                               limit_s, "seed %" PRIu64, seed);
        }
        sample_close(&s);
    }
}

/* The first stage holds what the estimate says, on every tier; with few chunks in flight less. */
Test(timeline_plan, the_peak_is_the_estimate_s)
{
    int exact = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + CASES; seed++) {
        struct sample s;
        if (!sample_open(&s, seed, NULL)) continue;
        double all_bytes = 0;
        for (int tier = 0; tier < s.plan.tiers; tier++) {
            const double peak = s.timeline.stage[0].peak_bytes[tier];
            const double estimate = s.plan.tier[tier].estimate_bytes;
            all_bytes += tier ? estimate : 0;
            cr_assert(peak <= estimate * (1 + 1e-12), "seed %" PRIu64, seed);
            if (s.plan.memory_reasons == 0) {
                exact++;
                cr_assert(fabs(peak - estimate) <= 1e-12 * estimate,
                          "seed %" PRIu64 " tier %d: %.17g, estimate %.17g", seed, tier, peak,
                          estimate);
            }
        }
        cr_assert_float_eq(s.plan.tier[0].estimate_bytes, s.estimate.hbm_bytes,
                           1e-12 * s.estimate.hbm_bytes);
        cr_assert_float_eq(all_bytes, s.estimate.offload_bytes, 1e-12 * all_bytes);
        cr_assert_eq(s.timeline.tightest_stage, 0, "seed %" PRIu64, seed);
        sample_close(&s);
    }
    cr_assert(drawn_enough(exact > CASES / 2));
}

/* Memory goes back to what a stage always holds. */
Test(timeline_plan, every_byte_comes_back)
{
    for (uint64_t seed = first_seed(); seed < first_seed() + CASES / 10; seed++) {
        const struct timeline_window everything = timeline_everything();
        struct timeline_log log;
        struct sample s;
        if (!sample_open(&s, seed, NULL)) continue;
        cr_assert_eq(timeline_log_open(&s.plan, &everything, &log, NULL), RK_OK);
        double most[256] = {0};
        const struct timeline_sample *last[256] = {NULL};
        for (size_t i = 0; i < log.sample_count; i++) {
            const struct timeline_sample *sample = &log.samples[i];
            cr_assert(!last[sample->stage] || last[sample->stage]->time_s <= sample->time_s);
            last[sample->stage] = sample;
            most[sample->stage] =
                fmax(most[sample->stage], timeline_tier_bytes(&s.plan, 0, sample));
        }
        for (uint32_t stage = 0; stage < s.plan.stages; stage++) {
            cr_assert(last[stage] != NULL);
            cr_assert_eq(last[stage]->held, 0, "seed %" PRIu64, seed);
            cr_assert_eq(last[stage]->phase, TIMELINE_IDLE, "seed %" PRIu64, seed);
            cr_assert_eq(most[stage], s.timeline.stage[stage].peak_bytes[0], "seed %" PRIu64, seed);
        }
        timeline_log_release(&log);
        sample_close(&s);
    }
}

/* Every block of the model is on a stage, in one of its chunks. */
Test(timeline_plan, no_block_is_lost)
{
    int unequal = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + CASES / 4; seed++) {
        struct sample s;
        uint64_t blocks = 0;
        if (!sample_open(&s, seed, NULL)) continue;
        unequal += !is_even(&s);
        for (uint32_t stage = 0; stage < s.plan.stages; stage++) {
            uint64_t held = 0;
            for (uint32_t chunk = 0; chunk < s.plan.chunks; chunk++)
                held += timeline_chunk_of(&s.plan, stage, chunk)->blocks;
            cr_assert_eq(held, timeline_blocks(&s.plan, stage), "seed %" PRIu64, seed);
            blocks += held;
        }
        cr_assert_eq(blocks, s.model.layers, "seed %" PRIu64, seed);
        sample_close(&s);
    }
    cr_assert(drawn_enough(unequal > CASES / 40));
}

/* Backward in two halves takes as long as in one. */
Test(timeline_plan, a_split_backward_is_the_same_work)
{
    const struct timeline_options split = {TIMELINE_ZB_H1, TIMELINE_CHARGED};
    int found = 0;
    for (uint64_t seed = first_seed(); seed < first_seed() + CASES / 4; seed++) {
        struct sample whole, halves;
        if (!sample_open(&whole, seed, NULL)) continue;
        if (whole.plan.chunks == 1 && !whole.plan.reduce_beside) {
            found++;
            cr_assert(sample_open(&halves, seed, &split));
            cr_assert_float_eq(halves.timeline.stage[0].compute_s,
                               whole.timeline.stage[0].compute_s, 1e-9 * whole.timeline.step_s,
                               "seed %" PRIu64, seed);
            if (is_even(&whole))
                cr_assert(halves.timeline.step_s <= whole.timeline.step_s * (1 + 1e-9),
                          "seed %" PRIu64, seed);
            sample_close(&halves);
        }
        sample_close(&whole);
    }
    cr_assert(drawn_enough(found > CASES / 20));
}

/* Messages that are not charged where nothing is sent, or run beside computing, cost no more. */
Test(timeline_plan, messages_in_order_of_cost)
{
    for (uint64_t seed = first_seed(); seed < first_seed() + CASES / 4; seed++) {
        double step_s[TIMELINE_MESSAGES];
        struct sample s;
        random_state = seed;
        if (!sample_open(&s, seed, NULL)) continue;
        const bool full = s.plan.chunks == 1 || s.plan.microbatches % s.plan.stages == 0;
        const bool beside = s.plan.reduce_beside;
        sample_close(&s);
        for (int messages = 0; messages < TIMELINE_MESSAGES; messages++) {
            struct timeline_options options = timeline_options_of(&s.strategy);
            options.messages = (enum timeline_messages)messages;
            cr_assert(sample_open(&s, seed, &options));
            step_s[messages] = s.timeline.step_s;
            sample_close(&s);
        }
        if (!full || beside) continue;
        cr_assert(step_s[TIMELINE_BLOCKING] <= step_s[TIMELINE_CHARGED] * (1 + 1e-9),
                  "seed %" PRIu64, seed);
    }
}

/* ---- refusals ---- */

static void expect_refusal(enum timeline_schedule schedule, uint64_t interleaving, uint64_t batch,
                           const char *text)
{
    struct rk_error error = {.status = RK_OK};
    struct timeline_plan plan;
    struct rk_estimate estimate;
    const struct rk_model model = {.id = "m",
                                   .layers = 8,
                                   .hidden = 1024,
                                   .feedforward = 4096,
                                   .heads = 16,
                                   .head_dim = 64,
                                   .sequence = 512};
    const struct timeline_options options = {schedule, TIMELINE_CHARGED};
    random_state = 1;
    const struct rk_system system = draw_system();
    const struct rk_strategy strategy = {.ranks = 2,
                                         .tensor = 1,
                                         .pipeline = 2,
                                         .data = 1,
                                         .interleaving = interleaving,
                                         .batch = batch,
                                         .microbatch = 1,
                                         .datatype = RK_FLOAT16,
                                         .training = true,
                                         .recompute = RK_RECOMPUTE_NONE};
    rk_estimate(&model, &system, &strategy, &estimate);
    cr_assert(estimate.timed);
    cr_expect_eq(timeline_plan_of(&plan, &model, &system, &strategy, &estimate, &options, &error),
                 RK_BAD_ARGUMENT);
    cr_expect(strstr(error.text, text), "\"%s\" lacks \"%s\"", error.text, text);
}

Test(timeline_plan, schedules_that_do_not_fit)
{
    expect_refusal(TIMELINE_GPIPE, 2, 8, "only schedule interleaved");
    expect_refusal(TIMELINE_1F1B, 4, 8, "only schedule interleaved");
    expect_refusal(TIMELINE_ZB_H1, 2, 8, "only schedule interleaved");
    expect_refusal(TIMELINE_INTERLEAVED, 1, 8, "interleaving of 2 or more");
    expect_refusal(TIMELINE_1F1B, 1, UINT64_C(1) << 50, "smaller batch");
}

Test(timeline_plan, reasons_are_sentences)
{
    for (unsigned bit = 0; bit < TIMELINE_REASONS; bit++)
        cr_assert(!timeline_reason(bit) || strlen(timeline_reason(bit)) > 20);
    cr_assert_null(timeline_reason(TIMELINE_REASONS));
}
