#include "calculon/estimate.h"

#include "calculon/block.h"
#include "calculon/check.h"
#include "calculon/layer.h"
#include "calculon/offload.h"
#include "calculon/step.h"
#include "schedule/flight.h"

#include <string.h>

/* Everything that one estimate computes on the way, on the stack of rk_estimate. */
struct plan {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_strategy *strategy;
    struct block block;
    struct block_cost work;
    struct recompute_cost recompute;
    struct comm_cost comm;
    struct optimizer_cost optimizer;
    struct layer_cost layer;
    struct offload offload;
    double blocks, missing, bases, microbatches, pipeline, interleaving; /* as doubles */
    double message_bytes[2], message_s[2];                               /* forward, backward */
};

static struct block_split split_of(const struct rk_strategy *s)
{
    return (struct block_split){
        .tensor = (double)s->tensor,
        .microbatch = (double)s->microbatch,
        .element_bytes = rk_datatype_bytes(s->datatype),
        .sequence_parallel = s->tensor_comm == RK_COMM_RS_AG,
        .overlapped = s->tensor_overlap != RK_OVERLAP_NONE,
        .fused_activation = s->fused_activation,
    };
}

static struct comm_choice comm_choice_of(const struct rk_system *system,
                                         const struct rk_strategy *s)
{
    return (struct comm_choice){
        .network = &system->network[s->tensor_network],
        .ranks = (double)s->tensor,
        .type = s->tensor_comm,
        .overlap = s->tensor_overlap,
    };
}

static unsigned conditions_of_strategy(const struct rk_strategy *s)
{
    return s->training ? conditions_of(s->recompute, s->redo_all_gather) : 0;
}

static double optimizer_shards(const struct rk_strategy *s)
{
    return s->optimizer_sharding ? (double)s->data : 1;
}

static void plan_fold(struct plan *p)
{
    const struct rk_strategy *s = p->strategy;
    const struct block_split split = split_of(s);
    const struct comm_choice choice = comm_choice_of(p->system, s);
    block_build(&p->block, p->model, &split);
    block_cost_fold(&p->work, &p->block, p->system, s->datatype);
    p->work.upstream = s->upstream;
    recompute_fold(&p->recompute, &p->work, s->recompute, s->redo_all_gather, s->training);
    struct comm_op_cost ops[MAX_COMM_OPS];
    for (int i = 0; i < p->work.comm_ops; i++)
        comm_op_fold(&ops[i], &p->work, p->work.comm_op[i], &choice);
    comm_sum(&p->comm, &p->work, ops, conditions_of_strategy(s));
    if (s->training) optimizer_fold(&p->optimizer, &p->work, optimizer_shards(s));
    layer_join(&p->layer, &p->work, &p->recompute, &p->comm, s->training);
}

/* Pipeline messages: the residual stream, scattered over tensor parallelism where its
 * communication is. A single stage sends nothing, but its edge blocks keep the latency. */
static void plan_messages(struct plan *p)
{
    const struct rk_strategy *s = p->strategy;
    const struct rk_network *network = &p->system->network[s->pipeline_network];
    const double elements =
        s->tensor_comm == RK_COMM_ALL_REDUCE ? p->block.activation : p->block.activation_shard;
    const double bytes = s->pipeline > 1 ? elements * rk_datatype_bytes(s->datatype) : 0;
    p->message_bytes[0] = bytes;
    p->message_bytes[1] = s->training ? bytes : 0;
    for (int pass = 0; pass < 2; pass++)
        p->message_s[pass] = network_time_s(network, RK_POINT_TO_POINT, 2, p->message_bytes[pass]);
}

static void plan_open(struct plan *p, const struct rk_model *model, const struct rk_system *system,
                      const struct rk_strategy *s)
{
    p->model = model;
    p->system = system;
    p->strategy = s;
    const uint64_t blocks = (model->layers - 1) / s->pipeline + 1;
    p->blocks = (double)blocks;
    p->missing = (double)(s->pipeline * blocks - model->layers);
    p->bases = (double)(blocks / s->interleaving - 1);
    const uint64_t microbatches = s->batch / s->data / s->microbatch;
    p->microbatches = microbatches ? (double)microbatches : 1; /* 0: judged, not timed */
    p->pipeline = (double)s->pipeline;
    p->interleaving = (double)s->interleaving;
    memset(&p->optimizer, 0, sizeof p->optimizer);
    plan_fold(p);
    plan_messages(p);
    const double kept =
        s->recompute == RK_RECOMPUTE_FULL ? p->layer.checkpoint_bytes : p->layer.stored_bytes;
    p->offload = (struct offload){
        .tier = {s->weight_offload, s->activation_offload, s->optimizer_offload},
        .bytes = {p->layer.weight_bytes, kept, p->optimizer.state_bytes},
    };
}

/* ---- time ---- */

/* [2]: base block, edge block; with messages and offload waits. */
struct block_times {
    double forward_s[2], backward_s[2], forward_wait_s[2], backward_wait_s[2];
};

static struct block_times block_times_of(const struct plan *p)
{
    const struct layer_cost *l = &p->layer;
    const bool training = p->strategy->training;
    const double forward_s = offload_forward_s(&p->offload, p->system);
    const double backward_s = training ? offload_backward_s(&p->offload, p->system) : 0;
    struct block_times t;
    for (int edge = 0; edge < 2; edge++) {
        const double out_s = edge ? p->message_s[0] : 0, back_s = edge ? p->message_s[1] : 0;
        t.forward_s[edge] = l->forward_s[edge] + out_s;
        t.backward_s[edge] = l->backward_s[edge] + back_s;
        t.forward_wait_s[edge] = offload_wait_s(forward_s, l->forward_access_s, t.forward_s[edge]);
        t.backward_wait_s[edge] =
            offload_wait_s(backward_s, l->backward_access_s, t.backward_s[edge]);
        t.forward_s[edge] += t.forward_wait_s[edge];
        t.backward_s[edge] += t.backward_wait_s[edge];
    }
    return t;
}

static double reduce_time_s(const struct plan *p)
{
    const struct rk_strategy *s = p->strategy;
    if (!s->training) return 0;
    return gradient_time_s(&p->system->network[s->data_network], s->optimizer_sharding,
                           (double)s->data, p->layer.weight_bytes);
}

/* An unsharded optimizer step can run while gradients are reduced. */
static struct hiding hiding_of(const struct plan *p, const struct block_times *t)
{
    const struct rk_strategy *s = p->strategy;
    const struct layer_cost *l = &p->layer;
    const struct pass_cost *o = &p->optimizer.pass;
    const double access_s = l->backward_access_s + l->recompute_access_s;
    const double step_s = s->optimizer_sharding ? 0 : o->time_s - o->access_s;
    const bool shared = s->data_network == s->tensor_network;
    const double base_s =
        hiding_s(t->backward_s[0], access_s, step_s, shared ? l->backward_link_s[0] : 0);
    const double edge_s =
        hiding_s(t->backward_s[1], access_s, step_s, shared ? l->backward_link_s[1] : 0);
    struct hiding h;
    h.block_compute_s = l->backward_flop_s + (s->optimizer_sharding ? 0 : o->flop_s);
    h.chunk_compute_s = (p->bases + 1) * h.block_compute_s;
    h.chunk_s = chunk_of(base_s, edge_s, p->bases);
    h.tail_s =
        tail_of(h.chunk_s, p->message_s[1], t->backward_s[0], t->backward_s[1], step_s, p->bases);
    return h;
}

/* Bandwidth that would hide data parallelism, of all chunks but the last, and of the last. */
static void data_requirements(const struct plan *p, const struct hiding *h, double reduce_s,
                              struct rk_estimate *e)
{
    const struct rk_strategy *s = p->strategy;
    const struct rk_network *n = &p->system->network[s->data_network];
    const double usage = n->processor_usage;
    const double scale = s->optimizer_sharding ? n->collective[RK_REDUCE_SCATTER].scale +
                                                     n->collective[RK_ALL_GATHER].scale
                                               : n->collective[RK_ALL_REDUCE].scale;
    const double bytes = (p->bases + 1) * p->layer.weight_bytes * scale;
    const bool shared = s->data_network == s->pipeline_network;
    const double chunk_s = (p->interleaving - 1) *
                           (p->pipeline * h->chunk_s + p->pipeline * h->chunk_compute_s * usage -
                            (shared ? p->message_s[1] : 0));
    const double tail_s = h->tail_s + p->bases * reduce_s * usage;
    e->data_chunk_required_Bps = chunk_s > 0 ? bytes / chunk_s : 0;
    e->data_tail_required_Bps = tail_s > 0 ? bytes / tail_s : 0;
}

static double data_exposed_s(const struct plan *p, const struct block_times *t, double reduce_s,
                             struct rk_estimate *e)
{
    const struct rk_strategy *s = p->strategy;
    e->data_chunk_required_Bps = e->data_tail_required_Bps = 0;
    if (s->data == 1 || !s->training) return 0;
    if (!s->data_overlap) return p->blocks * reduce_s;
    const struct hiding h = hiding_of(p, t);
    const double usage = p->system->network[s->data_network].processor_usage;
    const double chunk_reduce_s = (p->bases + 1) * reduce_s;
    const double tail_reduce_s = p->bases * reduce_s;
    double collided_s = 0;
    if (s->data_network == s->pipeline_network)
        collided_s =
            collisions_of(chunk_reduce_s, chunk_of(t->backward_s[0], t->backward_s[1], p->bases),
                          last_round_of(p->microbatches, p->pipeline)) *
            p->message_s[1];
    const double excess_s = chunks_excess_of(chunk_reduce_s, p->pipeline, h.chunk_s, collided_s,
                                             h.chunk_compute_s, usage);
    const double tail_excess_s = tail_excess_of(tail_reduce_s, h.block_compute_s, usage, h.tail_s);
    data_requirements(p, &h, reduce_s, e);
    return data_exposed_of(reduce_s, visible_of(excess_s, chunk_reduce_s, usage),
                           visible_of(tail_excess_s, tail_reduce_s, usage), p->interleaving);
}

static void fill_comm(const struct plan *p, struct rk_estimate *e)
{
    const struct comm_cost *c = &p->comm;
    const double all = p->microbatches * p->interleaving;
    const double messages = p->pipeline > 1 ? all : 0;
    e->recompute_comm_exposed_s =
        all * chunk_of(c->exposed_s[RK_WGRAD][0], c->exposed_s[RK_WGRAD][1], p->bases);
    e->recompute_comm_link_s =
        all * chunk_of(c->link_s[RK_WGRAD][0], c->link_s[RK_WGRAD][1], p->bases);
    e->tensor_comm_exposed_s =
        all * chunk_of(c->exposed_s[RK_FORWARD][0], c->exposed_s[RK_FORWARD][1], p->bases);
    e->tensor_comm_link_s =
        all * chunk_of(c->link_s[RK_FORWARD][0], c->link_s[RK_FORWARD][1], p->bases);
    if (p->strategy->training) {
        e->tensor_comm_exposed_s +=
            all * chunk_of(c->exposed_s[RK_AGRAD][0], c->exposed_s[RK_AGRAD][1], p->bases);
        e->tensor_comm_link_s +=
            all * chunk_of(c->link_s[RK_AGRAD][0], c->link_s[RK_AGRAD][1], p->bases);
    }
    e->pipeline_comm_link_s =
        messages * p->message_s[0] + (p->strategy->training ? messages * p->message_s[1] : 0);
    e->pipeline_comm_exposed_s = e->pipeline_comm_link_s;
}

static void fill_time(const struct plan *p, struct rk_estimate *e)
{
    const struct block_times t = block_times_of(p);
    const bool alone = p->pipeline == 1; /* a single stage sends no messages */
    const double out_s = alone ? p->message_s[0] : 0, back_s = alone ? p->message_s[1] : 0;
    const double base_s = t.forward_s[0] + t.backward_s[0];
    const double edge_s = (t.forward_s[1] - out_s) + (t.backward_s[1] - back_s);
    const double chunk_s = chunk_of(base_s, edge_s, p->bases);
    const double idle =
        idle_chunks_of(p->pipeline, p->interleaving, shortage_of(p->microbatches, p->pipeline));
    const double missing_s = missing_of(p->missing, base_s, edge_s, p->bases);
    const double all = p->microbatches * p->interleaving;
    const double every = p->microbatches * p->blocks;
    const double reduce_s = reduce_time_s(p);

    fill_comm(p, e);
    e->forward_s = every * (p->work.pass[RK_FORWARD].time_s + p->comm.time_s[RK_FORWARD]);
    e->backward_s = every * ((p->work.pass[RK_AGRAD].time_s + p->comm.time_s[RK_AGRAD]) +
                             (p->work.pass[RK_WGRAD].time_s + p->comm.time_s[RK_WGRAD]));
    if (!p->strategy->training) e->backward_s = 0;
    e->optimizer_s = p->blocks * p->optimizer.pass.time_s;
    e->recompute_s = every * (p->recompute.pass.time_s + p->comm.recompute_s);
    e->bubble_s = idle * chunk_s - missing_s;
    e->data_comm_exposed_s = data_exposed_s(p, &t, reduce_s, e);
    e->data_comm_link_s = p->blocks * reduce_s;
    e->forward_offload_exposed_s =
        all * chunk_of(t.forward_wait_s[0], t.forward_wait_s[1], p->bases);
    e->backward_offload_exposed_s =
        all * chunk_of(t.backward_wait_s[0], t.backward_wait_s[1], p->bases);
    e->step_s = step_of(all + idle, chunk_s, missing_s, e->optimizer_s, e->data_comm_exposed_s);
    if (!p->strategy->training && !alone)
        e->step_s -= all * p->message_s[1]; /* nothing goes back */
}

/* ---- memory ---- */

static void fill_memory(const struct plan *p, struct rk_estimate *e)
{
    const struct rk_strategy *s = p->strategy;
    const struct layer_cost *l = &p->layer;
    const struct optimizer_cost *o = &p->optimizer;
    const double in_flight = flight_published(p->microbatches, p->pipeline, p->interleaving);
    const bool training = s->training, full = s->recompute == RK_RECOMPUTE_FULL;
    e->weight_bytes = p->blocks * l->weight_bytes;
    e->activation_bytes =
        training ? activations_of(l->working_bytes, l->stored_bytes, p->blocks, in_flight)
                 : l->working_bytes;
    e->checkpoint_bytes = checkpoints_of(l->checkpoint_bytes, p->blocks, in_flight);
    e->activation_grad_bytes = l->activation_grad_bytes;
    e->weight_grad_bytes =
        training ? weight_grads_of(o->grad_full_bytes, o->grad_bytes, p->blocks) : 0;
    e->weight_grad_reduced_bytes = p->blocks * o->grad_bytes;
    e->optimizer_bytes = p->blocks * o->state_bytes;

    e->weight_min_bytes = 2 * l->weight_bytes;
    e->activation_min_bytes = l->working_bytes + (full ? 0 : l->stored_bytes);
    e->checkpoint_min_bytes = 2 * l->checkpoint_bytes;
    e->activation_grad_min_bytes = l->activation_grad_bytes;
    e->weight_grad_min_bytes = o->grad_full_bytes + o->grad_bytes;
    e->optimizer_min_bytes = 2 * o->state_bytes;
}

static double lower_bytes(const struct rk_estimate *e, const struct rk_strategy *s, int tier,
                          enum rk_category category)
{
    switch (category) {
    case RK_WEIGHTS:
        return s->weight_offload == tier ? e->weight_bytes : 0;
    case RK_ACTIVATIONS:
        return s->activation_offload == tier && e->checkpoint_bytes == 0 ? e->activation_bytes : 0;
    case RK_CHECKPOINTS:
        return s->activation_offload == tier ? e->checkpoint_bytes : 0;
    case RK_WEIGHT_GRADS:
        return s->optimizer_offload == tier ? e->weight_grad_reduced_bytes : 0;
    case RK_OPTIMIZER:
        return s->optimizer_offload == tier ? e->optimizer_bytes : 0;
    default:
        return 0;
    }
}

double rk_tier_bytes(const struct rk_estimate *e, const struct rk_strategy *s, int tier,
                     enum rk_category category)
{
    if (tier > 0) return lower_bytes(e, s, tier, category);
    switch (category) {
    case RK_WEIGHTS:
        return s->weight_offload ? e->weight_min_bytes : e->weight_bytes;
    case RK_ACTIVATIONS:
        return s->activation_offload ? e->activation_min_bytes : e->activation_bytes;
    case RK_CHECKPOINTS:
        return s->activation_offload ? e->checkpoint_min_bytes : e->checkpoint_bytes;
    case RK_ACTIVATION_GRADS:
        return e->activation_grad_bytes;
    case RK_WEIGHT_GRADS:
        return s->optimizer_offload ? e->weight_grad_min_bytes : e->weight_grad_bytes;
    case RK_OPTIMIZER:
        return s->optimizer_offload ? e->optimizer_min_bytes : e->optimizer_bytes;
    default:
        return 0;
    }
}

static double tier_need(const struct rk_estimate *e, const struct rk_strategy *s, int tier)
{
    double c[RK_CATEGORIES];
    for (int i = 0; i < RK_CATEGORIES; i++)
        c[i] = rk_tier_bytes(e, s, tier, (enum rk_category)i);
    return tier_sum(c[RK_WEIGHTS], c[RK_ACTIVATIONS], c[RK_CHECKPOINTS], c[RK_ACTIVATION_GRADS],
                    c[RK_WEIGHT_GRADS], c[RK_OPTIMIZER]);
}

static void check_memory(const struct plan *p, struct rk_estimate *e)
{
    e->hbm_bytes = tier_need(e, p->strategy, 0);
    e->offload_bytes = 0;
    for (int tier = 0; tier < p->system->memories; tier++) {
        const double need = tier ? tier_need(e, p->strategy, tier) : e->hbm_bytes;
        const double have = p->system->memory[tier].capacity_bytes;
        if (tier) e->offload_bytes += need;
        if (need > have) check_add(e, RK_MEMORY_EXCEEDED, "memory", tier, need, have);
    }
}

/* ---- figures of the block, requirements, rates ---- */

static void fill_block(const struct plan *p, struct rk_estimate *e)
{
    const struct pass_cost *f = &p->work.pass[RK_FORWARD], *r = &p->recompute.pass;
    const struct pass_cost *a = &p->work.pass[RK_AGRAD], *w = &p->work.pass[RK_WGRAD];
    const struct pass_cost *o = &p->optimizer.pass, none = {0};
    const double *beside_s = p->comm.time_s;
    if (!p->strategy->training) a = w = &none;
#define FILL_PASS(prefix, cost, more_s)                                                            \
    e->block_##prefix##_flop = (cost)->flop;                                                       \
    e->block_##prefix##_flop_s = (cost)->flop_s;                                                   \
    e->block_##prefix##_access_bytes = (cost)->access_bytes;                                       \
    e->block_##prefix##_access_s = (cost)->access_s;                                               \
    e->block_##prefix##_s = (cost)->time_s + (more_s)
    FILL_PASS(forward, f, beside_s[RK_FORWARD]);
    FILL_PASS(recompute, r, p->comm.recompute_s);
    FILL_PASS(agrad, a, p->strategy->training ? beside_s[RK_AGRAD] : 0);
    FILL_PASS(wgrad, w, p->strategy->training ? beside_s[RK_WGRAD] : 0);
    FILL_PASS(optimizer, o, 0);
#undef FILL_PASS
    e->block_weight_bytes = p->layer.weight_bytes;
    e->block_working_bytes = p->layer.working_bytes;
    e->block_stored_bytes = p->layer.stored_bytes;
    e->block_checkpoint_bytes = p->layer.checkpoint_bytes;
    e->block_weight_grad_bytes = p->optimizer.grad_bytes;
    e->block_weight_grad_full_bytes = p->optimizer.grad_full_bytes;
    e->block_activation_grad_bytes = p->layer.activation_grad_bytes;
    e->block_optimizer_bytes = p->optimizer.state_bytes;
    e->block_pipeline_forward_bytes = p->message_bytes[0];
    e->block_pipeline_backward_bytes = p->message_bytes[1];
    e->block_data_bytes =
        p->strategy->data > 1 && p->strategy->training ? p->layer.weight_bytes : 0;
}

static void fill_block_comm(const struct plan *p, struct rk_estimate *e)
{
    const struct comm_cost *c = &p->comm;
    const bool training = p->strategy->training;
#define FILL_COMM(prefix, pass, on)                                                                \
    e->base_##prefix##_comm_bytes = (on) ? c->bytes[pass][0] : 0;                                  \
    e->edge_##prefix##_comm_bytes = (on) ? c->bytes[pass][1] : 0;                                  \
    e->base_##prefix##_comm_link_s = (on) ? c->link_s[pass][0] : 0;                                \
    e->edge_##prefix##_comm_link_s = (on) ? c->link_s[pass][1] : 0;                                \
    e->base_##prefix##_comm_exposed_s = (on) ? c->exposed_s[pass][0] : 0;                          \
    e->edge_##prefix##_comm_exposed_s = (on) ? c->exposed_s[pass][1] : 0
    FILL_COMM(forward, RK_FORWARD, true);
    FILL_COMM(backward, RK_AGRAD, training);
    FILL_COMM(redo, RK_WGRAD, training);
#undef FILL_COMM
    e->tensor_required_Bps = c->required_Bps[RK_FORWARD];
    if (training && c->required_Bps[RK_AGRAD] > e->tensor_required_Bps)
        e->tensor_required_Bps = c->required_Bps[RK_AGRAD];
}

static double over(double bytes, double time_s)
{
    return bytes > 0 ? bytes / time_s : 0;
}

/* Offload transfers overlap with computation, except for its memory accesses. */
static void fill_requirements(const struct plan *p, struct rk_estimate *e)
{
    const struct layer_cost *l = &p->layer;
    const double edge_forward_s = l->forward_s[1] + p->message_s[0];
    const double edge_backward_s = l->backward_s[1] + p->message_s[1];
    const double forward_s =
        (l->forward_s[0] < edge_forward_s ? l->forward_s[0] : edge_forward_s) - l->forward_access_s;
    const double backward_s =
        (l->backward_s[0] < edge_backward_s ? l->backward_s[0] : edge_backward_s) -
        l->backward_access_s;
    const bool training = p->strategy->training;
    e->activation_required_Bps = over(p->offload.bytes[1], forward_s);
    e->weight_required_Bps = over(p->offload.bytes[0], forward_s);
    e->optimizer_required_Bps =
        training ? over(p->optimizer.grad_bytes + p->optimizer.state_bytes, backward_s) : 0;
    e->offload_required_Bps = 0;
    for (int i = 0; i < OFFLOADED; i++) {
        const int tier = p->offload.tier[i];
        if (tier == 0) continue;
        const double out = over(offload_forward_bytes(&p->offload, tier), forward_s);
        const double back =
            training ? over(offload_backward_bytes(&p->offload, tier), backward_s) : 0;
        const double need = out > back ? out : back;
        if (need > e->offload_required_Bps) e->offload_required_Bps = need;
    }
}

static void fill_rates(const struct plan *p, struct rk_estimate *e)
{
    const double peak = p->system->matrix[p->strategy->datatype].peak_flops;
    const double computing_s = e->forward_s + e->backward_s + e->optimizer_s;
    e->useful_flop =
        e->block_forward_flop + e->block_agrad_flop + e->block_wgrad_flop + e->block_optimizer_flop;
    e->compute_efficiency = p->blocks * p->microbatches * e->useful_flop / peak / computing_s;
    e->system_efficiency = computing_s / e->step_s;
    e->mfu = e->compute_efficiency * e->system_efficiency;
    e->samples_per_s = (double)p->strategy->batch / e->step_s;
    e->tokens_per_s = e->samples_per_s * (double)p->model->sequence;
}

/* What both predictors have, under the names of both. */
static void fill_shared(struct rk_estimate *e)
{
    e->tensor_s = e->tensor_comm_exposed_s;
    e->pipeline_s = e->pipeline_comm_exposed_s;
    e->data_s = e->data_comm_exposed_s;
    e->offload_s = e->forward_offload_exposed_s + e->backward_offload_exposed_s;
    e->tensor_link_s = e->tensor_comm_link_s;
    e->data_link_s = e->data_comm_link_s;
}

/* FLOP of a step from the useful share of its time: the model's own definition of MFU. */
static void fill_work(const struct plan *p, struct rk_estimate *e)
{
    const double peak = p->system->matrix[p->strategy->datatype].peak_flops;
    const double again = e->block_recompute_flop / e->useful_flop;
    e->parameters = (double)rk_model_parameters(p->model);
    e->model_flop = e->mfu * peak * (double)p->strategy->ranks * e->step_s;
    e->executed_flop = e->model_flop * (1 + again);
    e->hfu = e->mfu * (1 + again);
}

static void fill_figures(const struct plan *p, struct rk_estimate *e)
{
    fill_block(p, e);
    fill_block_comm(p, e);
    fill_time(p, e);
    fill_requirements(p, e);
    fill_rates(p, e);
    fill_shared(e);
    fill_work(p, e);
}

enum rk_verdict rk_estimate(const struct rk_model *model, const struct rk_system *system,
                            const struct rk_strategy *strategy, struct rk_estimate *estimate)
{
    estimate->reasons = 0;
    const enum soundness soundness = check_strategy(model, system, strategy, estimate);
    estimate->timed = soundness == SOUND;
    if (soundness != SENSELESS) {
        struct plan plan;
        struct rk_strategy judged = *strategy;
        if (soundness == UNSOUND) /* the networks may not be there, and do not matter */
            judged.tensor_network = judged.pipeline_network = judged.data_network = 0;
        plan_open(&plan, model, system, &judged);
        if (estimate->timed) fill_figures(&plan, estimate);
        fill_memory(&plan, estimate);
        check_memory(&plan, estimate);
    }
    estimate->verdict = estimate->reasons ? estimate->reason[0].verdict : RK_FITS;
    return estimate->verdict;
}

/* ---- operations of a block ---- */

static void operation_fill(struct rk_operation *out, const struct plan *p, int i,
                           const struct comm_choice *choice)
{
    const struct op *op = &p->block.op[i];
    const unsigned conditions = conditions_of_strategy(p->strategy);
    struct comm_cost comm = {0};
    struct comm_op_cost alone;
    if (op->comm != COMM_NONE) {
        comm_op_fold(&alone, &p->work, i, choice);
        comm_add(&comm, op, &alone, conditions);
    }
    *out = (struct rk_operation){
        .name = op->name,
        .inputs = op->inputs,
        .outputs = op->outputs,
        .weight_bytes = op->weight_bytes,
        .activation_bytes = op->activation_bytes,
        .activation_grad_bytes = op->activation_grad_bytes,
        .recomputed = holds(conditions, op->recomputed),
        .recommunicated = holds(conditions, op->recommunicated),
        .keeps_input = !p->strategy->training || holds(conditions, op->keeps_input),
        .keeps_output = !p->strategy->training || holds(conditions, op->keeps_output),
        .reuses_buffer = op->reuses_buffer,
    };
    for (int pass = 0; pass < RK_PASSES; pass++) {
        out->flop[pass] = op->flop[pass];
        out->access_bytes[pass] = op->access_bytes[pass];
        out->time_s[pass] = op->comm == COMM_NONE ? p->work.op[i].time_s[pass] : comm.time_s[pass];
        for (int edge = 0; edge < 2; edge++) {
            out->comm_bytes[pass][edge] = comm.bytes[pass][edge];
            out->comm_tile_bytes[pass][edge] = comm.bytes[pass][edge] / op->tiles;
            out->comm_link_s[pass][edge] = comm.link_s[pass][edge];
            out->comm_exposed_s[pass][edge] = comm.exposed_s[pass][edge];
        }
    }
    const struct optimizer_cost o = optimizer_fold_op(&p->work, i, optimizer_shards(p->strategy));
    out->optimizer_flop = o.pass.flop;
    out->optimizer_access_bytes = o.pass.access_bytes;
    out->optimizer_s = o.pass.time_s;
    out->weight_grad_bytes = o.grad_bytes;
    out->optimizer_bytes = o.state_bytes;
}

int rk_block_operations(const struct rk_model *model, const struct rk_system *system,
                        const struct rk_strategy *strategy, struct rk_operation *operations)
{
    struct plan plan;
    plan_open(&plan, model, system, strategy);
    const struct comm_choice choice = comm_choice_of(system, strategy);
    for (int i = 0; i < plan.block.ops; i++)
        operation_fill(&operations[i], &plan, i, &choice);
    return plan.block.ops;
}
