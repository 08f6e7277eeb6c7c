/* The simulation of the longest pipelines: 256 stages, 4,096 microbatches, on one core. */
#include "bench.h"

#include "timeline/timeline.h"

#include <math.h>

enum { STAGES = 256, MICROBATCHES = 4096, RUNS = 5 };

static const double forward_s = 1, agrad_s = 1.25, wgrad_s = 0.75, message_s = 0.125;

static struct timeline_duration lasts(double compute_s)
{
    return (struct timeline_duration){.compute_s = compute_s, .total_s = compute_s};
}

static struct timeline_plan plan_of(enum rk_schedule schedule, uint32_t chunks)
{
    struct timeline_plan plan = {.pipeline = {schedule, STAGES, chunks, MICROBATCHES, false},
                                 .message_s = {message_s, message_s},
                                 .category = {"activations"},
                                 .tiers = 1};
    check(timeline_plan_open(&plan, NULL) == RK_OK, "there is memory");
    for (uint32_t i = 0; i < plan.stages * plan.chunks; i++)
        plan.chunk[i] = (struct timeline_chunk){
            .blocks = 1,
            .held = 1,
            .pass = {lasts(forward_s), lasts(agrad_s + wgrad_s), lasts(agrad_s), lasts(wgrad_s)}};
    timeline_set_capacity(&plan, 0, 1);
    for (int i = 0; i < STAGES; i++)
        plan.tier[0].bytes[i * TIMELINE_CATEGORIES].in_flight = 1;
    return plan;
}

/* Work of a stage, and what it sits through: stages - 1 passes of a chunk; zero-bubble fills them
 * with weight gradients. */
static double expected_s(const struct timeline_plan *plan)
{
    const double chunk_s = forward_s + agrad_s + wgrad_s + 2 * message_s;
    const double filled_s = pipeline_splits(&plan->pipeline) ? 2 * wgrad_s : 0;
    return (double)plan->chunks * MICROBATCHES * chunk_s + (STAGES - 1) * (chunk_s - filled_s);
}

static void measure(enum rk_schedule schedule, uint32_t chunks)
{
    struct timeline_plan plan = plan_of(schedule, chunks);
    double best_s = INFINITY;
    uint64_t passes = 0;
    for (int run = 0; run < RUNS; run++) {
        struct timeline timeline;
        const double start_s = now_s();
        check(timeline_simulate(&plan, &timeline, NULL) == RK_OK, "the simulation runs");
        best_s = fmin(best_s, now_s() - start_s);
        check(fabs(timeline.step_s / expected_s(&plan) - 1) < 1e-9, "the step by hand");
        passes = timeline.passes;
        timeline_release(&timeline);
    }
    printf("{\"bench\": \"timeline\", \"schedule\": \"%s\", \"stages\": %d, \"microbatches\": %d, "
           "\"chunks\": %u, \"passes\": %llu, \"best_s\": %.3f, \"pass_ns\": %.1f}\n",
           rk_schedule_name(schedule), STAGES, MICROBATCHES, chunks, (unsigned long long)passes,
           best_s, best_s / (double)passes * 1e9);
    timeline_plan_release(&plan);
}

int main(void)
{
    measure(RK_GPIPE, 1);
    measure(RK_1F1B, 1);
    measure(RK_ZERO_BUBBLE, 1);
    for (uint32_t chunks = 2; chunks <= 16; chunks *= 2)
        measure(RK_1F1B, chunks);
    return 0;
}
