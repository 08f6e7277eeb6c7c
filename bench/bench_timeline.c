/* The simulation of the longest pipelines: 256 stages, 4,096 microbatches, on one core. */
#include "bench.h"

#include "timeline/timeline.h"

#include <math.h>

enum { STAGES = 256, MICROBATCHES = 4096, RUNS = 5 };

static const double forward_s = 1, agrad_s = 1.25, wgrad_s = 0.75, message_s = 0.125;

static void set_pass(struct timeline_plan *plan, enum timeline_pass pass, double compute_s)
{
    struct timeline_duration *duration = &plan->chunk[TIMELINE_FULL].pass[pass];
    duration->compute_s = duration->total_s = compute_s;
}

static struct timeline_plan plan_of(enum timeline_schedule schedule, uint32_t chunks)
{
    struct timeline_plan plan = {.schedule = schedule,
                                 .training = true,
                                 .split = schedule == TIMELINE_ZB_H1,
                                 .stages = STAGES,
                                 .chunks = chunks,
                                 .microbatches = MICROBATCHES,
                                 .message_s = {message_s, message_s},
                                 .tiers = 1,
                                 .chunk[TIMELINE_FULL].blocks = 1};
    plan.tier[0].capacity_bytes = 1;
    plan.tier[0].category[RK_ACTIVATIONS].in_flight = 1;
    set_pass(&plan, TIMELINE_FORWARD, forward_s);
    set_pass(&plan, TIMELINE_BACKWARD, plan.split ? agrad_s : agrad_s + wgrad_s);
    set_pass(&plan, TIMELINE_WEIGHT_GRAD, plan.split ? wgrad_s : 0);
    return plan;
}

/* Work of a stage, and what it sits through: stages - 1 passes of a chunk; zb-h1 fills them with
 * weight gradients. */
static double expected_s(const struct timeline_plan *plan)
{
    const double chunk_s = forward_s + agrad_s + wgrad_s + 2 * message_s;
    const double filled_s = plan->split ? 2 * wgrad_s : 0;
    return (double)plan->chunks * MICROBATCHES * chunk_s + (STAGES - 1) * (chunk_s - filled_s);
}

static void measure(enum timeline_schedule schedule, uint32_t chunks)
{
    const struct timeline_plan plan = plan_of(schedule, chunks);
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
           timeline_schedule_names[schedule], STAGES, MICROBATCHES, chunks,
           (unsigned long long)passes, best_s, best_s / (double)passes * 1e9);
}

int main(void)
{
    measure(TIMELINE_GPIPE, 1);
    measure(TIMELINE_1F1B, 1);
    measure(TIMELINE_ZB_H1, 1);
    for (uint32_t chunks = 2; chunks <= 16; chunks *= 2)
        measure(TIMELINE_INTERLEAVED, chunks);
    return 0;
}
