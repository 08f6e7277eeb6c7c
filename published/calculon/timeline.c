/* strategy.c - what a simulation needs to know of a strategy's estimate: durations of passes,
 * sizes, tiers. */
#include "timeline/reasons.h"

#include "calculon/offload.h"
#include "calculon/plan.h"
#include "calculon/step.h"
#include "calculon/timeline.h"
#include "machine/work.h"

#include <string.h>

static const char *const schedule_names[] = {"gpipe", "1f1b", "interleaved", "zb-h1"};

static void find_reasons(struct timeline_plan *plan, bool unequal)
{
    const struct pipeline *p = &plan->pipeline;
    const bool interleaved = p->chunks > 1, rounds = p->microbatches % p->stages == 0;
    const uint64_t most = (uint64_t)p->stages * p->chunks + p->stages - 1;
    plan->time_reasons =
        reason_if(pipeline_splits(p), REASON_SPLIT) | reason_if(unequal, REASON_UNEQUAL) |
        reason_if(interleaved && !rounds, REASON_LAST_ROUND) |
        reason_if(plan->reduce_beside, REASON_REDUCE_BESIDE) |
        reason_if(p->stages > 1 && plan->messages != TIMELINE_CHARGED, REASON_MESSAGES) |
        reason_if(p->forward_only && p->stages > 1, REASON_INFERENCE);
    plan->memory_reasons =
        reason_if(p->schedule == RK_GPIPE && p->microbatches > p->stages, REASON_GPIPE_MEMORY) |
        reason_if(interleaved && (!rounds || p->microbatches * p->chunks < most),
                  REASON_ROUNDED_MEMORY);
}

/* ---- durations ---- */

/* [2]: base block, edge block */
struct block_times {
    double forward_s[2], recompute_s[2], agrad_s[2], wgrad_s, forward_wait_s[2], backward_wait_s[2];
};

static struct block_times block_times_of(const struct rk_estimate *e)
{
    return (struct block_times){
        .forward_s = {e->block_forward_s + e->base_forward_comm_exposed_s,
                      e->block_forward_s + e->edge_forward_comm_exposed_s},
        .recompute_s = {e->block_recompute_s + e->base_redo_comm_exposed_s,
                        e->block_recompute_s + e->edge_redo_comm_exposed_s},
        .agrad_s = {e->block_agrad_s + e->base_backward_comm_exposed_s,
                    e->block_agrad_s + e->edge_backward_comm_exposed_s},
        .wgrad_s = e->block_wgrad_s,
    };
}

/* An edge block's message is time to transfer in, too. */
static void add_waits(struct block_times *t, const struct timeline_plan *plan,
                      const struct rk_estimate *e, double forward_s, double backward_s)
{
    const double backward_access_s = e->block_agrad_access_s + e->block_wgrad_access_s;
    for (int edge = 0; edge < 2; edge++) {
        const double pass_s = t->recompute_s[edge] + t->agrad_s[edge] + t->wgrad_s;
        t->forward_wait_s[edge] =
            offload_wait_s(forward_s, e->block_forward_access_s,
                           t->forward_s[edge] + (edge ? plan->message_s[0] : 0));
        t->backward_wait_s[edge] =
            offload_wait_s(backward_s, backward_access_s, pass_s + (edge ? plan->message_s[1] : 0));
    }
}

static double chunk_sum(uint64_t blocks, double base, double edge)
{
    return blocks ? chunk_of(base, edge, (double)(blocks - 1)) : 0;
}

static double time_of(const struct rk_system *system, int tier, double bytes)
{
    return tier ? curve_time_s(&system->memory[tier].curve, bytes) : 0;
}

static struct offload offload_of(const struct rk_strategy *s, const struct rk_estimate *e)
{
    const bool full = s->recompute == RK_RECOMPUTE_FULL;
    return (struct offload){
        .tier = {s->weight_offload, s->activation_offload, s->optimizer_offload},
        .bytes = {e->block_weight_bytes, full ? e->block_checkpoint_bytes : e->block_stored_bytes,
                  e->block_optimizer_bytes},
    };
}

static void fill_transfers(struct timeline_chunk *chunk, const struct rk_system *system,
                           const struct offload *offload, enum pass back)
{
    struct timeline_duration *forward = &chunk->pass[PASS_FORWARD];
    const double blocks = (double)chunk->blocks;
    if (offload->tier[0]) forward->in_bytes = blocks * offload->bytes[0];
    if (offload->tier[1]) forward->out_bytes = blocks * offload->bytes[1];
    forward->in_s = blocks * time_of(system, offload->tier[0], offload->bytes[0]);
    forward->out_s = blocks * time_of(system, offload->tier[1], offload->bytes[1]);
    if (back == PASSES) return;
    struct timeline_duration *backward = &chunk->pass[back];
    for (int i = 0; i < OFFLOADED; i++)
        if (offload->tier[i]) backward->in_bytes += blocks * offload->bytes[i];
    backward->in_s = blocks * offload_backward_s(offload, system);
}

static void fill_chunk(struct timeline_chunk *chunk, const struct timeline_plan *plan,
                       const struct block_times *t, const struct rk_estimate *e)
{
    struct timeline_duration *forward = &chunk->pass[PASS_FORWARD];
    const bool split = pipeline_splits(&plan->pipeline);
    struct timeline_duration *backward = &chunk->pass[split ? PASS_INPUT_GRAD : PASS_BACKWARD];
    const uint64_t n = chunk->blocks;
    forward->compute_s = chunk_sum(n, t->forward_s[0], t->forward_s[1]);
    forward->compute_link_s[TIMELINE_BY_TENSOR] =
        chunk_sum(n, e->base_forward_comm_link_s, e->edge_forward_comm_link_s);
    forward->wait_s = chunk_sum(n, t->forward_wait_s[0], t->forward_wait_s[1]);
    timeline_sum_up(forward);
    if (plan->pipeline.forward_only) return;
    const double wgrad_s = (double)n * t->wgrad_s;
    backward->recompute_s = chunk_sum(n, t->recompute_s[0], t->recompute_s[1]);
    backward->compute_s = chunk_sum(n, t->agrad_s[0], t->agrad_s[1]) + (split ? 0 : wgrad_s);
    backward->recompute_link_s = chunk_sum(n, e->base_redo_comm_link_s, e->edge_redo_comm_link_s);
    backward->compute_link_s[TIMELINE_BY_TENSOR] =
        chunk_sum(n, e->base_backward_comm_link_s, e->edge_backward_comm_link_s);
    backward->wait_s = chunk_sum(n, t->backward_wait_s[0], t->backward_wait_s[1]);
    timeline_sum_up(backward);
    if (split) chunk->pass[PASS_WEIGHT_GRAD].compute_s = wgrad_s;
    timeline_sum_up(&chunk->pass[PASS_WEIGHT_GRAD]);
}

static void fill_durations(struct timeline_plan *plan, const struct rk_model *model,
                           const struct rk_system *system, const struct rk_strategy *s,
                           const struct rk_estimate *e)
{
    const struct rk_network *network = &system->network[s->pipeline_network];
    const struct offload offload = offload_of(s, e);
    const bool training = s->training;
    const enum pass back = !training                          ? PASSES
                           : pipeline_splits(&plan->pipeline) ? PASS_INPUT_GRAD
                                                              : PASS_BACKWARD;
    const uint64_t full = (model->layers - 1) / plan->stages + 1;
    const uint64_t missing = plan->stages * full - model->layers;
    struct block_times times = block_times_of(e);
    plan->message_bytes[0] = e->block_pipeline_forward_bytes;
    plan->message_bytes[1] = e->block_pipeline_backward_bytes;
    for (int pass = 0; pass < 2; pass++)
        plan->message_s[pass] =
            network_time_s(network, RK_POINT_TO_POINT, 2, plan->message_bytes[pass]);
    add_waits(&times, plan, e, offload_forward_s(&offload, system),
              training ? offload_backward_s(&offload, system) : 0);
    for (uint32_t stage = 0; stage < plan->stages; stage++) {
        for (uint32_t i = 0; i < plan->chunks; i++) {
            struct timeline_chunk *chunk = &plan->chunk[(size_t)stage * plan->chunks + i];
            const bool lacks = stage >= plan->stages - missing && i == plan->chunks - 1;
            chunk->blocks = full / plan->chunks - lacks;
            chunk->held = (double)chunk->blocks;
            fill_chunk(chunk, plan, &times, e);
            fill_transfers(chunk, system, &offload, back);
        }
        plan->end[stage].optimizer_s =
            (double)timeline_blocks(plan, stage) * (training ? e->block_optimizer_s : 0);
    }
    if (plan->stages == 1) plan->message_s[0] = plan->message_s[1] = 0;
}

static void fill_reduction(struct timeline_plan *plan, const struct rk_system *system,
                           const struct rk_strategy *s, const struct rk_estimate *e)
{
    const struct rk_network *network = &system->network[s->data_network];
    const double ranks = (double)s->data, bytes = e->block_data_bytes;
    plan->reduces = s->training && s->data > 1;
    if (!plan->reduces) return;
    plan->reduce_beside = s->data_overlap;
    plan->processor_usage = network->processor_usage;
    const double reduce_s = s->optimizer_sharding
                                ? network_time_s(network, RK_REDUCE_SCATTER, ranks, bytes) +
                                      network_time_s(network, RK_ALL_GATHER, ranks, bytes)
                                : network_time_s(network, RK_ALL_REDUCE, ranks, bytes);
    for (size_t i = 0; i < (size_t)plan->stages * plan->chunks; i++) {
        plan->chunk[i].reduce_s = plan->chunk[i].blocks ? reduce_s : 0;
        plan->chunk[i].reduce_bytes = bytes;
    }
}

/* ---- memory: the terms of estimate/step.h, for any number of blocks and microbatches ---- */

static void fill_hbm(struct timeline_bytes *c, double blocks, const struct rk_strategy *s,
                     const struct rk_estimate *e)
{
    const double kept =
        s->recompute == RK_RECOMPUTE_FULL || !s->training ? 0 : e->block_stored_bytes;
    c[RK_WEIGHTS].fixed = s->weight_offload ? e->weight_min_bytes : e->block_weight_bytes * blocks;
    c[RK_ACTIVATIONS].computing =
        s->activation_offload ? e->activation_min_bytes : e->block_working_bytes - kept;
    c[RK_ACTIVATIONS].in_flight = s->activation_offload ? 0 : kept;
    c[RK_CHECKPOINTS].computing = s->activation_offload ? e->checkpoint_min_bytes : 0;
    c[RK_CHECKPOINTS].in_flight = s->activation_offload ? 0 : e->block_checkpoint_bytes;
    c[RK_ACTIVATION_GRADS].backward = e->activation_grad_bytes;
    if (!s->training) return;
    if (s->optimizer_offload) {
        c[RK_WEIGHT_GRADS].fixed = e->weight_grad_min_bytes;
        c[RK_OPTIMIZER].fixed = e->optimizer_min_bytes;
    } else {
        c[RK_WEIGHT_GRADS].fixed = e->block_weight_grad_full_bytes - e->block_weight_grad_bytes +
                                   e->block_weight_grad_bytes * blocks;
        c[RK_OPTIMIZER].fixed = e->block_optimizer_bytes * blocks;
    }
}

static void fill_lower(struct timeline_bytes *c, double blocks, int tier,
                       const struct rk_strategy *s, const struct rk_estimate *e)
{
    const bool full = e->block_checkpoint_bytes > 0;
    if (s->weight_offload == tier) c[RK_WEIGHTS].fixed = e->block_weight_bytes * blocks;
    if (s->activation_offload == tier && !full) {
        const double kept = s->training ? e->block_stored_bytes : 0;
        c[RK_ACTIVATIONS].computing = e->block_working_bytes - kept;
        c[RK_ACTIVATIONS].in_flight = kept;
    }
    if (s->activation_offload == tier) c[RK_CHECKPOINTS].in_flight = e->block_checkpoint_bytes;
    if (s->optimizer_offload == tier) {
        c[RK_WEIGHT_GRADS].fixed = e->block_weight_grad_bytes * blocks;
        c[RK_OPTIMIZER].fixed = e->block_optimizer_bytes * blocks;
    }
}

static void add_tier(struct timeline_plan *plan, int tier, const struct rk_system *system,
                     const struct rk_strategy *s, const struct rk_estimate *e)
{
    for (int i = 0; i < plan->tiers; i++)
        if (plan->tier[i].tier == tier) return;
    struct timeline_tier *t = &plan->tier[plan->tiers++];
    t->tier = tier;
    memcpy(t->name, system->memory[tier].name, sizeof t->name);
    for (int i = 0; i < RK_CATEGORIES; i++)
        t->estimate_bytes += rk_tier_bytes(e, s, tier, (enum rk_category)i);
}

static void fill_memory(struct timeline_plan *plan, const struct rk_strategy *s,
                        const struct rk_estimate *e)
{
    for (int tier = 0; tier < plan->tiers; tier++)
        for (uint32_t stage = 0; stage < plan->stages; stage++) {
            const double blocks = (double)timeline_blocks(plan, stage);
            struct timeline_bytes *c = &plan->tier[tier].bytes[(size_t)stage * TIMELINE_CATEGORIES];
            if (plan->tier[tier].tier)
                fill_lower(c, blocks, plan->tier[tier].tier, s, e);
            else
                fill_hbm(c, blocks, s, e);
        }
}

/* ---- the plan ---- */

struct timeline_options timeline_options_of(const struct rk_strategy *strategy)
{
    return (struct timeline_options){
        .schedule = strategy->interleaving > 1 ? TIMELINE_INTERLEAVED : TIMELINE_1F1B,
        .messages = TIMELINE_CHARGED,
    };
}

static enum rk_status check_schedule(const struct rk_strategy *s,
                                     const struct timeline_options *options, struct rk_error *error)
{
    const char *name = schedule_names[options->schedule];
    if (options->schedule == TIMELINE_INTERLEAVED && s->interleaving == 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "schedule interleaved: the strategy has one chunk on a rank: give it an "
                       "interleaving of 2 or more, or choose 1f1b");
    if (options->schedule != TIMELINE_INTERLEAVED && s->interleaving > 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "schedule %s: the strategy interleaves %llu chunks on a rank, and only "
                       "schedule interleaved does: choose it, or an interleaving of 1",
                       name, (unsigned long long)s->interleaving);
    return timeline_check_length(s->pipeline, s->interleaving, s->batch / s->data / s->microbatch,
                                 error);
}

enum rk_status timeline_plan_of(struct timeline_plan *plan, const struct rk_model *model,
                                const struct rk_system *system, const struct rk_strategy *s,
                                const struct rk_estimate *e, const struct timeline_options *options,
                                struct rk_error *error)
{
    static const enum rk_schedule schedules[] = {RK_GPIPE, RK_1F1B, RK_1F1B, RK_ZERO_BUBBLE};
    *plan = (struct timeline_plan){.tiers = 0};
    enum rk_status status = check_schedule(s, options, error);
    if (status != RK_OK) return status;
    *plan = (struct timeline_plan){
        .pipeline = {schedules[options->schedule], (uint32_t)s->pipeline, (uint32_t)s->interleaving,
                     s->batch / s->data / s->microbatch, !s->training},
        .schedule = schedule_names[options->schedule],
        .messages = options->messages,
        .in_flight = "blocks",
        .ranks_per_stage = s->tensor * s->data,
        .estimate_s = e->step_s,
        .estimate_bubble_s = e->bubble_s,
    };
    for (int i = 0; i < RK_CATEGORIES; i++)
        plan->category[i] = rk_category_name((enum rk_category)i);
    add_tier(plan, 0, system, s, e);
    add_tier(plan, s->weight_offload, system, s, e);
    add_tier(plan, s->activation_offload, system, s, e);
    add_tier(plan, s->optimizer_offload, system, s, e);
    status = timeline_plan_open(plan, error);
    if (status != RK_OK) return status;
    for (int i = 0; i < plan->tiers; i++)
        timeline_set_capacity(plan, i, system->memory[plan->tier[i].tier].capacity_bytes);
    fill_durations(plan, model, system, s, e);
    fill_reduction(plan, system, s, e);
    find_reasons(plan, model->layers % s->pipeline != 0);
    fill_memory(plan, s, e);
    return RK_OK;
}

enum rk_status timeline_plan_of_published(struct timeline_plan *timeline,
                                          const struct rk_model *model,
                                          const struct rk_system *system,
                                          const struct rk_plan *plan,
                                          const struct rk_prediction *prediction, int messages,
                                          struct rk_error *error)
{
    static const enum timeline_schedule schedules[RK_SCHEDULES] = {
        [RK_GPIPE] = TIMELINE_GPIPE, [RK_ZERO_BUBBLE] = TIMELINE_ZB_H1};
    struct rk_plan even = *plan;
    struct rk_model asked = *model;
    struct rk_strategy strategy;
    struct rk_reason reason;
    even.schedule = RK_1F1B;
    const bool runs = plan->schedule <= RK_ZERO_BUBBLE; /* as the table has it, and 1f1b */
    if (!runs || !strategy_of_plan(&even, system, &strategy, &reason))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "schedule: calculon's blocks run as gpipe, 1f1b or zero-bubble");
    struct timeline_options options = timeline_options_of(&strategy);
    if (plan->schedule != RK_1F1B) options.schedule = schedules[plan->schedule];
    if (messages >= 0) options.messages = (enum timeline_messages)messages;
    if (plan->sequence) asked.sequence = plan->sequence;
    return timeline_plan_of(timeline, &asked, system, &strategy, &prediction->outcome, &options,
                            error);
}
