/* prediction.c - what a simulation needs to know of a plan's prediction. */
#include "base/memory.h"
#include "machine/part.h"
#include "timeline/reasons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum category {
    HELD_WEIGHTS,
    HELD_GRADIENTS,
    HELD_OPTIMIZER,
    HELD_GATHERED,
    HELD_ACTIVATIONS,
    HELD_WORKING,
    HELD_COMMUNICATION,
    HELD_CONTEXT,
    HELD_FRAGMENTATION,
    HELD_BELOW, /* in memory tier 1 */
    HELD_CATEGORIES
};
_Static_assert(HELD_CATEGORIES <= (int)TIMELINE_CATEGORIES, "room for all");

/* clang-format off */
static const struct {
    const char *name;
    int holding; /* that does not change within a step; -1: activations */
} categories[HELD_CATEGORIES] = {
    [HELD_WEIGHTS]       = {"weights",       RK_HOLD_weights},
    [HELD_GRADIENTS]     = {"gradients",     RK_HOLD_gradients},
    [HELD_OPTIMIZER]     = {"optimizer",     RK_HOLD_optimizer},
    [HELD_GATHERED]      = {"gathered",      RK_HOLD_gathered},
    [HELD_ACTIVATIONS]   = {"activations",   -1},
    [HELD_WORKING]       = {"working",       RK_HOLD_working},
    [HELD_COMMUNICATION] = {"communication", RK_HOLD_communication},
    [HELD_CONTEXT]       = {"context",       RK_HOLD_context},
    [HELD_FRAGMENTATION] = {"fragmentation", RK_HOLD_fragmentation},
    [HELD_BELOW]         = {"offloaded",     -1},
};
/* clang-format on */

static const char *schedule_name(const struct pipeline *p)
{
    return p->schedule == RK_1F1B && p->chunks > 1 ? "interleaved" : rk_schedule_name(p->schedule);
}

/* ---- durations ---- */

static void set_links(struct timeline_duration *d, const struct rk_chunk *part, enum rk_way way)
{
    d->compute_link_s[TIMELINE_BY_TENSOR] = part->tensor_s[way];
    d->compute_link_s[TIMELINE_BY_CONTEXT] = part->context_s[way];
    d->compute_link_s[TIMELINE_BY_EXPERT] = part->expert_s[way];
}

/* Transfers end with the pass, whose wait is the part that computation does not cover. Where
 * backward is split, part of them overlaps with the weight gradients but is drawn with the input
 * gradients. */
static void set_transfers(struct timeline_duration *d, const struct rk_chunk *part, enum rk_way way)
{
    const bool back = way == RK_WAY_BACKWARD;
    d->out_s = back ? 0 : fmin(part->out_s, d->total_s);
    d->out_bytes = back ? 0 : part->out_bytes;
    d->in_s = fmin((back ? part->back_s : 0) + part->weights_s, d->total_s);
    d->in_bytes = (back ? part->out_bytes : 0) + part->weights_bytes;
    d->chunks_in_s = fmin(part->chunks_in_s[way], d->total_s - d->in_s);
    d->chunks_in_bytes = part->chunks_in_bytes[way];
    d->chunks_out_s = fmin(part->chunks_out_s[way], d->total_s - d->out_s);
    d->chunks_out_bytes = part->chunks_out_bytes[way];
}

static struct timeline_duration duration_of(const struct rk_chunk *part, enum rk_way way,
                                            double compute_s)
{
    struct timeline_duration d = {.recompute_s = way == RK_WAY_BACKWARD ? part->recompute_s : 0,
                                  .compute_s = compute_s,
                                  .data_s = part->data_s[way],
                                  .wait_s = part->offload_s[way]};
    set_links(&d, part, way);
    timeline_sum_up(&d);
    set_transfers(&d, part, way);
    return d;
}

/* Of a stage that two ranks have, each reduces and steps half. */
static void fill_chunk(struct timeline_chunk *chunk, const struct timeline_plan *plan,
                       const struct rk_chunk *part, double stage_bytes)
{
    const bool dual = plan->pipeline.schedule == RK_DUALPIPE;
    chunk->blocks = part->blocks;
    chunk->held = stage_bytes > 0 ? part->held_bytes / stage_bytes : 0;
    chunk->released = stage_bytes > 0 ? part->released_bytes / stage_bytes : 0;
    chunk->reduce_s = part->reduce_s / (double)timeline_pieces(chunk) / (dual ? 2 : 1);
    chunk->pass[PASS_FORWARD] = duration_of(part, RK_WAY_FORWARD, part->forward_s);
    chunk->pass[PASS_BACKWARD] = duration_of(part, RK_WAY_BACKWARD, part->input_s + part->weight_s);
    if (!dual && !pipeline_splits(&plan->pipeline)) return;
    chunk->pass[PASS_INPUT_GRAD] = duration_of(part, RK_WAY_BACKWARD, part->input_s);
    chunk->pass[PASS_WEIGHT_GRAD] =
        (struct timeline_duration){.compute_s = part->weight_s, .total_s = part->weight_s};
    if (!dual) chunk->pass[PASS_BACKWARD] = (struct timeline_duration){.total_s = 0};
}

/* ---- a stage ---- */

static const struct rk_chunk *part_of(const struct timeline_plan *plan,
                                      const struct rk_passes *passes, uint32_t stage,
                                      uint32_t chunk)
{
    return &passes->chunk[pipeline_part(&plan->pipeline, stage, chunk)];
}

static void fill_bytes(struct timeline_plan *plan, const struct rk_stage *stage, uint32_t i,
                       double in_flight_bytes, double moving_bytes)
{
    struct timeline_bytes *bytes = &plan->tier[0].bytes[(size_t)i * TIMELINE_CATEGORIES];
    for (int k = 0; k < HELD_CATEGORIES; k++)
        if (categories[k].holding >= 0) bytes[k].fixed = stage->holds[categories[k].holding];
    bytes[HELD_ACTIVATIONS] =
        (struct timeline_bytes){.fixed = moving_bytes, .in_flight = in_flight_bytes};
    if (plan->tiers > 1)
        plan->tier[1].bytes[(size_t)i * TIMELINE_CATEGORIES + HELD_BELOW].fixed =
            stage->offloaded_bytes;
}

static void fill_stage(struct timeline_plan *plan, const struct rk_passes *passes,
                       const struct rk_prediction *prediction, uint32_t i)
{
    const bool dual = plan->pipeline.schedule == RK_DUALPIPE;
    const double stages = dual ? 2 : 1;
    double held_bytes = 0, moving_bytes = 0;
    for (uint32_t k = 0; k < plan->chunks; k++) {
        held_bytes += part_of(plan, passes, i, k)->held_bytes / stages;
        moving_bytes += part_of(plan, passes, i, k)->moving_bytes / (stages * stages);
    }
    for (uint32_t k = 0; k < plan->chunks; k++) {
        const struct rk_chunk *part = part_of(plan, passes, i, k);
        fill_chunk(&plan->chunk[(size_t)i * plan->chunks + k], plan, part, held_bytes);
        plan->reduces |= part->reduce_s > 0;
    }
    const uint32_t other = dual ? plan->stages - 1 - i : i;
    plan->end[i] = (struct timeline_end){
        .optimizer_s = (passes->end[i].optimizer_s + passes->end[other].optimizer_s) / 2,
        .gather_s = (passes->end[i].gather_s + passes->end[other].gather_s) / 2,
    };
    fill_bytes(plan, &prediction->stage[i], i, held_bytes, moving_bytes);
}

/* ---- why it may differ from the prediction ---- */

static bool differ(double a, double b)
{
    return fabs(a - b) > 1e-9 * (fabs(a) + fabs(b));
}

static bool alike(const struct rk_chunk *a, const struct rk_chunk *b)
{
    return !differ(a->forward_s, b->forward_s) && !differ(a->input_s, b->input_s) &&
           !differ(a->weight_s, b->weight_s) && !differ(a->recompute_s, b->recompute_s);
}

static void find_reasons(struct timeline_plan *plan, const struct rk_passes *passes, bool puts_off)
{
    const struct pipeline *p = &plan->pipeline;
    const bool chunks = p->chunks > 1, dual = p->schedule == RK_DUALPIPE;
    bool equal = true, ends = false;
    for (int i = 1; i < passes->parts; i++)
        equal &= alike(&passes->chunk[0], &passes->chunk[i]);
    for (int i = 0; i < passes->stages; i++)
        ends |= passes->end[i].optimizer_s > 0;
    plan->memory_reasons = reason_if(chunks || dual, REASON_HELD_CHUNKS);
    const bool folds = rk_schedule_folds(p->schedule);
    plan->time_reasons = reason_if(zero_bubbles(p->schedule) || dual, REASON_WEIGHT_GRADIENTS) |
                         reason_if(plan->reduces && passes->reduce_in_buckets, REASON_BUCKETS);
    if (p->stages == 1) return;
    plan->time_reasons |=
        reason_if(!equal && p->schedule == RK_1F1B && !chunks, REASON_UNEQUAL_STAGES) |
        reason_if(chunks && !folds && (!equal || p->microbatches % p->stages),
                  REASON_UNEQUAL_CHUNKS) |
        reason_if(folds && !equal, REASON_UNEQUAL_HALVES) |
        reason_if(plan->messages != TIMELINE_CHARGED || !passes->sends_wait,
                  REASON_MESSAGES_BESIDE) |
        reason_if(chunks && plan->reduces && plan->reduce_beside, REASON_REDUCE_CHUNKS) |
        reason_if(ends, REASON_DRAIN) | reason_if(puts_off, REASON_PUT_OFF) |
        reason_if(dual && !equal, REASON_TWO_STAGES);
}

/* ---- the plan ---- */

static void add_tiers(struct timeline_plan *plan, const struct rk_system *system,
                      const struct rk_prediction *prediction)
{
    double below = 0;
    for (int i = 0; i < prediction->stages; i++)
        below = fmax(below, prediction->stage[i].offloaded_bytes);
    const double needs[] = {prediction->stage[prediction->tightest].total_bytes, below};
    plan->tiers = below > 0 ? 2 : 1;
    for (int tier = 0; tier < plan->tiers; tier++) {
        plan->tier[tier] = (struct timeline_tier){
            .tier = tier,
            .estimate_bytes = needs[tier],
        };
        memcpy(plan->tier[tier].name, system->memory[tier].name, sizeof plan->tier[tier].name);
    }
}

/* Of a stage, when they are neighbours. */
static uint64_t ranks_of_stage(const struct rk_plan *plan)
{
    const char *order = rk_order_name(plan->order);
    return strcmp(order + strlen(order) - 2, "pp") == 0 ? plan->ranks / plan->pipeline : 0;
}

enum rk_status timeline_plan_of_plan(struct timeline_plan *timeline, const struct rk_model *model,
                                     const struct rk_system *system, const struct rk_plan *plan,
                                     const struct rk_prediction *prediction, int messages,
                                     struct rk_error *error)
{
    if (!rk_answerer(plan->framework)->layers)
        return timeline_plan_of_published(timeline, model, system, plan, prediction, messages,
                                          error);
    const uint64_t microbatches = plan->batch / (rk_plan_data(plan) * plan->microbatch);
    *timeline = (struct timeline_plan){.tiers = 0};
    enum rk_status status =
        timeline_check_length(plan->pipeline, plan->chunks, microbatches, error);
    if (status != RK_OK) return status;
    struct rk_passes *passes = malloc(sizeof *passes);
    if (!passes) return no_memory(error);
    rk_predict_passes(model, system, plan, passes);
    *timeline = (struct timeline_plan){
        .pipeline = {plan->schedule, (uint32_t)plan->pipeline, (uint32_t)plan->chunks, microbatches,
                     false, (uint32_t)plan->microbatch_group},
        .message_s = {passes->send_s, passes->send_s},
        .message_bytes = {passes->message_bytes, passes->message_bytes},
        .reduce_beside = passes->reduce_beside,
        .in_flight = "microbatches",
        .estimate_s = prediction->step_s,
        .estimate_bubble_s = prediction->bubble_s,
        .ranks_per_stage = ranks_of_stage(plan),
    };
    timeline->schedule = schedule_name(&timeline->pipeline);
    timeline->messages = messages >= 0        ? (enum timeline_messages)messages
                         : passes->sends_wait ? TIMELINE_CHARGED
                                              : TIMELINE_BESIDE;
    for (int i = 0; i < HELD_CATEGORIES; i++)
        timeline->category[i] = categories[i].name;
    add_tiers(timeline, system, prediction);
    status = timeline_plan_open(timeline, error);
    if (status == RK_OK) {
        for (int tier = 0; tier < timeline->tiers; tier++)
            timeline_set_capacity(timeline, tier,
                                  memory_part_bytes(&system->memory[tier], plan->ranks));
        for (uint32_t i = 0; i < timeline->stages; i++)
            fill_stage(timeline, passes, prediction, i);
        find_reasons(timeline, passes, plan->deferred_wgrad > 0);
    }
    free(passes);
    return status;
}
