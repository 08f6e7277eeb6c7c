/* plan.c - what a simulation needs to know of an estimate: durations of passes, sizes, tiers. */
#include "timeline/timeline.h"

#include "estimate/offload.h"
#include "estimate/step.h"
#include "machine/work.h"

#include <string.h>

const char *const timeline_schedule_names[] = {"gpipe", "1f1b", "interleaved", "zb-h1", NULL};
const char *const timeline_messages_names[] = {"charged", "blocking", "beside", NULL};

/* ---- why a simulation may differ from the estimate ---- */

enum reason {
    REASON_SPLIT,
    REASON_UNEQUAL,
    REASON_LAST_ROUND,
    REASON_REDUCE_BESIDE,
    REASON_MESSAGES,
    REASON_INFERENCE,
    REASON_GPIPE_MEMORY,
    REASON_ROUNDED_MEMORY,
    REASON_COUNT
};

/* clang-format off */
static const char *const reasons[TIMELINE_REASONS] = {
    [REASON_SPLIT]          = "zb-h1 fills the bubble with weight gradients; the estimate has the bubble of 1F1B",
    [REASON_UNEQUAL]        = "some stages have a block less; the estimate takes half a block's time for each off the bubble",
    [REASON_LAST_ROUND]     = "the stages do not divide the microbatches; the estimate lets all chunks wait for a full last round",
    [REASON_REDUCE_BESIDE]  = "gradients are reduced block by block beside backward; the estimate's windows leave out memory accesses, the tensor network and messages that collide",
    [REASON_MESSAGES]       = "messages are not counted as the estimate does (--messages charged): one behind every pass of a chunk",
    [REASON_INFERENCE]      = "the estimate keeps a message's latency in the bubble of forward passes",
    [REASON_GPIPE_MEMORY]   = "gpipe has all microbatches in flight; the estimate no more than there are stages",
    [REASON_ROUNDED_MEMORY] = "few microbatches: fewer chunks are in flight than the estimate's factor for interleaving says",
};
/* clang-format on */

_Static_assert(REASON_COUNT <= (int)TIMELINE_REASONS, "a bit for each reason");

const char *timeline_reason(unsigned bit)
{
    return bit < TIMELINE_REASONS ? reasons[bit] : NULL;
}

static unsigned reason_if(bool holds, enum reason reason)
{
    return holds ? 1u << reason : 0;
}

static void find_reasons(struct timeline_plan *plan)
{
    const bool interleaved = plan->schedule == TIMELINE_INTERLEAVED;
    const uint64_t most = (uint64_t)plan->stages * plan->chunks + plan->stages - 1;
    plan->time_reasons =
        reason_if(plan->split, REASON_SPLIT) | reason_if(plan->missing > 0, REASON_UNEQUAL) |
        reason_if(interleaved && plan->microbatches % plan->stages != 0, REASON_LAST_ROUND) |
        reason_if(plan->reduce_beside, REASON_REDUCE_BESIDE) |
        reason_if(plan->stages > 1 && plan->messages != TIMELINE_CHARGED, REASON_MESSAGES) |
        reason_if(!plan->training && plan->stages > 1, REASON_INFERENCE);
    plan->memory_reasons =
        reason_if(plan->schedule == TIMELINE_GPIPE && plan->microbatches > plan->stages,
                  REASON_GPIPE_MEMORY) |
        reason_if(interleaved && (plan->microbatches % plan->stages != 0 ||
                                  (uint64_t)plan->microbatches * plan->chunks < most),
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

static void sum_up(struct timeline_duration *d)
{
    d->total_s = d->recompute_s + d->compute_s + d->wait_s;
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
                           const struct offload *offload, bool training)
{
    struct timeline_duration *forward = &chunk->pass[TIMELINE_FORWARD];
    struct timeline_duration *backward = &chunk->pass[TIMELINE_BACKWARD];
    const double blocks = (double)chunk->blocks;
    if (offload->tier[0]) forward->in_bytes = blocks * offload->bytes[0];
    if (offload->tier[1]) forward->out_bytes = blocks * offload->bytes[1];
    forward->in_s = blocks * time_of(system, offload->tier[0], offload->bytes[0]);
    forward->out_s = blocks * time_of(system, offload->tier[1], offload->bytes[1]);
    if (!training) return;
    for (int i = 0; i < OFFLOADED; i++)
        if (offload->tier[i]) backward->in_bytes += blocks * offload->bytes[i];
    backward->in_s = blocks * offload_backward_s(offload, system);
}

static void fill_chunk(struct timeline_chunk *chunk, const struct timeline_plan *plan,
                       const struct block_times *t, const struct rk_estimate *e)
{
    struct timeline_duration *forward = &chunk->pass[TIMELINE_FORWARD];
    struct timeline_duration *backward = &chunk->pass[TIMELINE_BACKWARD];
    const uint64_t n = chunk->blocks;
    forward->compute_s = chunk_sum(n, t->forward_s[0], t->forward_s[1]);
    forward->compute_link_s =
        chunk_sum(n, e->base_forward_comm_link_s, e->edge_forward_comm_link_s);
    forward->wait_s = chunk_sum(n, t->forward_wait_s[0], t->forward_wait_s[1]);
    sum_up(forward);
    if (!plan->training) return;
    const double wgrad_s = (double)n * t->wgrad_s;
    backward->recompute_s = chunk_sum(n, t->recompute_s[0], t->recompute_s[1]);
    backward->compute_s = chunk_sum(n, t->agrad_s[0], t->agrad_s[1]) + (plan->split ? 0 : wgrad_s);
    backward->recompute_link_s = chunk_sum(n, e->base_redo_comm_link_s, e->edge_redo_comm_link_s);
    backward->compute_link_s =
        chunk_sum(n, e->base_backward_comm_link_s, e->edge_backward_comm_link_s);
    backward->wait_s = chunk_sum(n, t->backward_wait_s[0], t->backward_wait_s[1]);
    sum_up(backward);
    if (plan->split) chunk->pass[TIMELINE_WEIGHT_GRAD].compute_s = wgrad_s;
    sum_up(&chunk->pass[TIMELINE_WEIGHT_GRAD]);
}

static void fill_durations(struct timeline_plan *plan, const struct rk_system *system,
                           const struct rk_strategy *s, const struct rk_estimate *e)
{
    const struct rk_network *network = &system->network[s->pipeline_network];
    const struct offload offload = offload_of(s, e);
    struct block_times times = block_times_of(e);
    plan->message_bytes[0] = e->block_pipeline_forward_bytes;
    plan->message_bytes[1] = e->block_pipeline_backward_bytes;
    for (int pass = 0; pass < 2; pass++)
        plan->message_s[pass] =
            network_time_s(network, RK_POINT_TO_POINT, 2, plan->message_bytes[pass]);
    add_waits(&times, plan, e, offload_forward_s(&offload, system),
              plan->training ? offload_backward_s(&offload, system) : 0);
    for (int kind = 0; kind < TIMELINE_KINDS; kind++) {
        fill_chunk(&plan->chunk[kind], plan, &times, e);
        fill_transfers(&plan->chunk[kind], system, &offload, plan->training);
    }
    if (plan->stages == 1) plan->message_s[0] = plan->message_s[1] = 0;
    plan->optimizer_s = plan->training ? e->block_optimizer_s : 0;
}

static void fill_reduction(struct timeline_plan *plan, const struct rk_system *system,
                           const struct rk_strategy *s, const struct rk_estimate *e)
{
    const struct rk_network *network = &system->network[s->data_network];
    const double ranks = (double)s->data, bytes = e->block_data_bytes;
    plan->reduces = s->training && s->data > 1;
    if (!plan->reduces) return;
    plan->reduce_beside = s->data_overlap;
    plan->reduce_bytes = bytes;
    plan->processor_usage = network->processor_usage;
    plan->reduce_s = s->optimizer_sharding
                         ? network_time_s(network, RK_REDUCE_SCATTER, ranks, bytes) +
                               network_time_s(network, RK_ALL_GATHER, ranks, bytes)
                         : network_time_s(network, RK_ALL_REDUCE, ranks, bytes);
}

/* ---- memory: the terms of estimate/step.h, for any number of blocks and microbatches ---- */

static void fill_hbm(struct timeline_bytes *c, const struct rk_strategy *s,
                     const struct rk_estimate *e)
{
    const double kept =
        s->recompute == RK_RECOMPUTE_FULL || !s->training ? 0 : e->block_stored_bytes;
    if (s->weight_offload)
        c[RK_WEIGHTS].fixed = e->weight_min_bytes;
    else
        c[RK_WEIGHTS].stage = e->block_weight_bytes;
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
        c[RK_WEIGHT_GRADS].fixed = e->block_weight_grad_full_bytes - e->block_weight_grad_bytes;
        c[RK_WEIGHT_GRADS].stage = e->block_weight_grad_bytes;
        c[RK_OPTIMIZER].stage = e->block_optimizer_bytes;
    }
}

static void fill_lower(struct timeline_bytes *c, int tier, const struct rk_strategy *s,
                       const struct rk_estimate *e)
{
    const bool full = e->block_checkpoint_bytes > 0;
    if (s->weight_offload == tier) c[RK_WEIGHTS].stage = e->block_weight_bytes;
    if (s->activation_offload == tier && !full) {
        const double kept = s->training ? e->block_stored_bytes : 0;
        c[RK_ACTIVATIONS].computing = e->block_working_bytes - kept;
        c[RK_ACTIVATIONS].in_flight = kept;
    }
    if (s->activation_offload == tier) c[RK_CHECKPOINTS].in_flight = e->block_checkpoint_bytes;
    if (s->optimizer_offload == tier) {
        c[RK_WEIGHT_GRADS].stage = e->block_weight_grad_bytes;
        c[RK_OPTIMIZER].stage = e->block_optimizer_bytes;
    }
}

static void add_tier(struct timeline_plan *plan, int tier, const struct rk_system *system,
                     const struct rk_strategy *s, const struct rk_estimate *e)
{
    for (int i = 0; i < plan->tiers; i++)
        if (plan->tier[i].tier == tier) return;
    struct timeline_tier *t = &plan->tier[plan->tiers++];
    *t =
        (struct timeline_tier){.tier = tier, .capacity_bytes = system->memory[tier].capacity_bytes};
    memcpy(t->name, system->memory[tier].name, sizeof t->name);
    for (int i = 0; i < RK_CATEGORIES; i++)
        t->estimate_bytes += rk_tier_bytes(e, s, tier, (enum rk_category)i);
    if (tier)
        fill_lower(t->category, tier, s, e);
    else
        fill_hbm(t->category, s, e);
}

static void fill_memory(struct timeline_plan *plan, const struct rk_system *system,
                        const struct rk_strategy *s, const struct rk_estimate *e)
{
    add_tier(plan, 0, system, s, e);
    add_tier(plan, s->weight_offload, system, s, e);
    add_tier(plan, s->activation_offload, system, s, e);
    add_tier(plan, s->optimizer_offload, system, s, e);
}

double timeline_category_bytes(const struct timeline_plan *plan, int tier,
                               enum rk_category category, const struct timeline_sample *sample)
{
    const struct timeline_bytes *b = &plan->tier[tier].category[category];
    const double blocks = (double)timeline_blocks(plan, sample->stage);
    return b->fixed + b->stage * blocks + b->in_flight * (double)sample->blocks +
           (sample->phase != TIMELINE_IDLE ? b->computing : 0) +
           (sample->phase == TIMELINE_IN_BACKWARD ? b->backward : 0);
}

double timeline_tier_bytes(const struct timeline_plan *plan, int tier,
                           const struct timeline_sample *sample)
{
    double bytes = 0;
    for (int i = 0; i < RK_CATEGORIES; i++)
        bytes += timeline_category_bytes(plan, tier, (enum rk_category)i, sample);
    return bytes;
}

/* ---- the plan ---- */

uint64_t timeline_blocks(const struct timeline_plan *plan, uint32_t stage)
{
    const uint64_t full = plan->chunk[TIMELINE_FULL].blocks * plan->chunks;
    return full - (stage >= plan->stages - plan->missing);
}

uint64_t timeline_passes(const struct timeline_plan *plan)
{
    const uint64_t kinds = plan->training ? (plan->split ? 3 : 2) : 1;
    return kinds * plan->stages * plan->chunks * plan->microbatches;
}

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
    const double microbatches = (double)(s->batch / s->data / s->microbatch);
    const double passes = 3 * (double)s->pipeline * (double)s->interleaving * microbatches;
    const char *name = timeline_schedule_names[options->schedule];
    if (options->schedule == TIMELINE_INTERLEAVED && s->interleaving == 1)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "schedule interleaved: the strategy has one chunk on a rank: give it an "
                       "interleaving of 2 or more, or choose 1f1b");
    if (options->schedule != TIMELINE_INTERLEAVED && s->interleaving > 1)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "schedule %s: the strategy interleaves %llu chunks on a rank, and only "
                       "schedule interleaved does: choose it, or an interleaving of 1",
                       name, (unsigned long long)s->interleaving);
    if (passes > (double)TIMELINE_MAX_PASSES)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "the schedule has %.3g passes, more than %.3g: give a smaller batch, or "
                       "larger microbatches",
                       passes, (double)TIMELINE_MAX_PASSES);
    return RK_OK;
}

enum rk_status timeline_plan_of(struct timeline_plan *plan, const struct rk_model *model,
                                const struct rk_system *system, const struct rk_strategy *s,
                                const struct rk_estimate *e, const struct timeline_options *options,
                                struct rk_error *error)
{
    const enum rk_status status = check_schedule(s, options, error);
    if (status != RK_OK) return status;
    const uint64_t blocks = (model->layers - 1) / s->pipeline + 1;
    *plan = (struct timeline_plan){
        .schedule = options->schedule,
        .messages = options->messages,
        .training = s->training,
        .split = s->training && options->schedule == TIMELINE_ZB_H1,
        .stages = (uint32_t)s->pipeline,
        .chunks = (uint32_t)s->interleaving,
        .microbatches = (uint32_t)(s->batch / s->data / s->microbatch),
        .missing = (uint32_t)(s->pipeline * blocks - model->layers),
        .ranks_per_stage = s->tensor * s->data,
        .estimate_s = e->step_s,
        .estimate_bubble_s = e->bubble_s,
    };
    plan->chunk[TIMELINE_FULL].blocks = blocks / s->interleaving;
    plan->chunk[TIMELINE_SHORT].blocks = blocks / s->interleaving - 1;
    fill_durations(plan, system, s, e);
    fill_reduction(plan, system, s, e);
    fill_memory(plan, system, s, e);
    find_reasons(plan);
    return RK_OK;
}
