#include "clusters/simulate.h"

#include "clusters/plan.h"

#include <math.h>

enum { HELD_ALWAYS, HELD_ACTIVATIONS };

static struct timeline_duration lasting(double again_s, double seconds)
{
    return (struct timeline_duration){
        .recompute_s = again_s, .compute_s = seconds, .total_s = again_s + seconds};
}

/* `before`: the chunk in front; NULL: none. */
static void fill_chunk(const struct timeline_plan *timeline, const struct clusters_chunk *from,
                       const struct clusters_chunk *before, bool waits,
                       struct timeline_chunk *chunk)
{
    const double message_s = waits ? (from->message_s + from->wait_s) / 2 : 0;
    const double again_s = from->again_s;
    const double backward_s = from->backward_s - again_s + message_s;
    *chunk = (struct timeline_chunk){.blocks = from->layers, .held = 1.0 / timeline->chunks};
    if (!waits) {
        chunk->send_s[0] = from->message_s / 2;
        chunk->send_s[1] = before ? before->message_s / 2 : 0;
    }
    chunk->pass[PASS_FORWARD] = lasting(0, from->forward_s + message_s);
    if (pipeline_splits(&timeline->pipeline)) {
        chunk->pass[PASS_INPUT_GRAD] = lasting(again_s, backward_s - from->weights_s);
        chunk->pass[PASS_WEIGHT_GRAD] = lasting(0, from->weights_s);
    } else {
        chunk->pass[PASS_BACKWARD] = lasting(again_s, backward_s);
    }
}

static void fill_bytes(struct timeline_plan *timeline, const struct clusters_stage *stage, int i)
{
    const double moving = stage->memory.total_bytes - stage->memory.static_bytes;
    const double flight = stage->in_flight > 0 ? moving / stage->in_flight : 0;
    struct timeline_bytes *bytes = &timeline->tier[0].bytes[(size_t)i * TIMELINE_CATEGORIES];
    bytes[HELD_ALWAYS].fixed = stage->memory.static_bytes;
    bytes[HELD_ACTIVATIONS].in_flight = flight;
}

enum rk_status clusters_timeline(const struct clusters_plan *plan, struct timeline_plan *timeline,
                                 struct rk_error *error)
{
    *timeline = (struct timeline_plan){
        .pipeline = {plan->schedule, (uint32_t)plan->stages, (uint32_t)plan->chunks,
                     plan->microbatches, false},
        .messages = TIMELINE_BESIDE,
        .in_flight = "microbatches",
        .schedule = plan->chunks > 1 ? "interleaved" : rk_schedule_name(plan->schedule),
        .category = {[HELD_ALWAYS] = "state", [HELD_ACTIVATIONS] = "activations"},
        .tiers = 1,
        .tier = {{.name = "HBM"}},
    };
    const enum rk_status status = timeline_plan_open(timeline, error);
    if (status != RK_OK) return status;
    for (int i = 0; i < plan->stages; i++) {
        for (int k = 0; k < plan->chunks; k++) {
            const struct clusters_chunk *from = &plan->chunk[k * plan->stages + i];
            fill_chunk(timeline, from, k + i ? from - 1 : NULL, clusters_waits(plan),
                       &timeline->chunk[i * plan->chunks + k]);
        }
        timeline->end[i].optimizer_s = plan->stage[i].sync_s;
        timeline->tier[0].capacity_bytes[i] = plan->stage[i].capacity_bytes;
        fill_bytes(timeline, &plan->stage[i], i);
    }
    return RK_OK;
}

double clusters_simulate(const struct clusters_plan *plan)
{
    struct timeline_plan timeline = {.tiers = 0};
    struct timeline result = {.stages = 0};
    struct rk_error error;
    double step_s = INFINITY;
    if (clusters_timeline(plan, &timeline, &error) == RK_OK &&
        timeline_simulate(&timeline, &result, &error) == RK_OK)
        step_s = result.step_s;
    timeline_release(&result);
    timeline_plan_release(&timeline);
    return step_s;
}
