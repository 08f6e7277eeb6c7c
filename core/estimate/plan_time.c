/* plan_time.c - what a stage takes besides its layers: communication and transfers next to them,
 * for each microbatch and after the last one. docs/prediction.md has the formulas. */
#include "base/extremes.h"
#include "estimate/experts.h"
#include "estimate/stages.h"
#include "machine/busy.h"
#include "machine/part.h"
#include "plan/habits.h"

#include <math.h>
#include <reckon/offload.h>

/* ---- communication that overlaps with computation ---- */

static double layers_of(const struct waited *w)
{
    return w->layers > 1 ? w->layers : 1;
}

/* What remains when its work is done. */
static double left_over_s(const struct waited *w)
{
    return w->overlap ? larger(0, w->comm_s - w->work_s) : 0;
}

/* Of computation, during it. */
static double engine_share(const struct waited *w)
{
    return w->engine_s > 0 && w->comm_s > 0 ? smaller(1, w->engine_s / w->comm_s) : 0;
}

static inline double excess_s(const struct waited *w)
{
    if (!w->overlap) return w->comm_s;
    return left_over_s(w) + engine_share(w) * smaller(w->comm_s, w->work_s);
}

double waited_excess_s(const struct waited *w)
{
    return excess_s(w);
}

double waited_one_s(const struct waited *w)
{
    return w->overlap ? smaller(w->comm_s, w->work_s) / layers_of(w) : 0;
}

/* The exposed part of communication that overlaps with work layer by layer. */
static double beside(const struct waited *w)
{
    return excess_s(w) + waited_one_s(w);
}

/* Parameters of a message, where a plan does not say. */
static double usual_bucket(const struct rk_plan *plan)
{
    const struct habits *habits = habits_of(plan);
    const double ranks = rk_plan_data(plan) * (double)plan->context;
    return larger(habits->bucket, habits->bucket_of_rank * ranks);
}

/* Messages of a bucket, which closes with a whole matrix: a block has two norms and four linear
 * layers. */
static double buckets_of(const struct stage_sum *sum, double bucket)
{
    const double parameters = sum->parameters + sum->expert_parameters;
    return larger(1, smaller(parameters / bucket, 6 * sum->blocks));
}

/* Collectives that one stage's weights are moved in: ZeRO-3 moves each block on its own, DeepSpeed
 * each module with weights of it (two norms, four linear layers). Below, usual buckets are so large
 * that their number does not matter; smaller ones count as so many times as many. The executor,
 * whose optimizer was measured, moves each block's weights, its experts' and those of each
 * operation of the ends in a buffer of their own (weights.h). */
static double pieces_of(const struct stage_sum *sum, const struct rk_system *system,
                        const struct rk_plan *plan, bool expert)
{
    if (optimizer_is_measured(system))
        return larger(1, sum->blocks + (expert ? 0 : sum->end_groups));
    if (plan->zero < 3 && plan->bucket)
        return larger(1,
                      buckets_of(sum, (double)plan->bucket) / buckets_of(sum, usual_bucket(plan)));
    return plan->zero < 3 || sum->blocks < 1 ? 1 : sum->blocks * habits_of(plan)->modules;
}

/* So many of the same collective. */
static void add_collective(struct sent *sent, const struct rk_system *system,
                           enum collective collective, struct rank_group group, double bytes,
                           double times)
{
    sent->time_s += times * collective_time_s(system, collective, group, bytes);
    sent->engine_s += times * engine_s(system, collective, group, bytes);
}

/* Reduces gradients to shards, and the shards over their copies; or the whole of them. */
static void add_reductions(struct sent *sent, const struct rk_system *system,
                           const struct sharing *sharing, bool expert, double bytes, bool whole,
                           double times)
{
    const struct rank_group shards = sharing->shards[expert];
    add_collective(sent, system, whole ? SUM_WHOLE : SUM_PART, shards, bytes, times);
    add_collective(sent, system, SUM_WHOLE, sharing->copies[expert],
                   whole ? bytes : bytes / shards.ranks, times);
}

/* Megatron-LM has an optimizer of the experts' parameters and one of all others; each gathers all
 * weights when it has stepped (step_with_ready_grads in distrib_optimizer.py), unless forward
 * does. */
static double gathers_of(const struct stage_sum *sum, const struct rk_system *system,
                         const struct rk_plan *plan)
{
    const bool two = habits_of(plan)->two_optimizers && sum->expert_parameters > 0;
    const bool each = (plan->zero == 1 || plan->zero == 2) && !plan->weight_overlap;
    return two && each && !optimizer_is_measured(system) ? 2 : 1;
}

/* Of weights that data parallelism gathers: those of blocks as the base keeps them. */
static double gathered_once(const struct stage_sum *sum, const struct sharing *sharing,
                            const struct rk_plan *plan, bool expert)
{
    const struct element_bytes *bytes = &sharing->bytes;
    const double all = expert ? sum->expert_parameters : sum->parameters;
    const double narrow = expert ? all : sum->narrow_parameters - sum->expert_parameters;
    const bool freezes = rk_plan_freezes(plan);
    if (freezes && plan->zero >= 3)
        return all * bytes->sent_weight + narrow * (bytes->base - bytes->sent_weight) +
               next_to_frozen_of(sum, bytes, expert).weights;
    return all * bytes->sent_weight +
           (plan->zero > 0 ? next_to_frozen_of(sum, bytes, expert).weights : 0);
}

/* Both groups of weights, each over its own ranks. */
struct exchange exchange_of(const struct stage_sum *sum, const struct rk_system *system,
                            const struct sharing *sharing, const struct rk_plan *plan)
{
    const bool whole = plan->whole_gradients && plan->zero == 1;
    struct exchange exchange = {.copied = copied_between(system, sharing->shards[false])};
    for (int expert = 0; expert < 2; expert++) {
        const double n = pieces_of(sum, system, plan, expert);
        const double each = (expert ? sum->expert_parameters : sum->parameters) / n;
        const double gradient = each * sharing->bytes.sent_gradient +
                                next_to_frozen_of(sum, &sharing->bytes, expert).gradients / n;
        const double weight = gathered_once(sum, sharing, plan, expert) / n;
        /* of ZeRO-3 to a buffer for a while, and not to where they are kept */
        const enum collective gather = plan->zero >= 3 ? ALL_GATHER : GATHER_HERE;
        add_reductions(&exchange.reduce, system, sharing, expert, gradient, whole, n);
        add_collective(&exchange.gather, system, gather, sharing->shards[expert], weight,
                       n * gathers_of(sum, system, plan));
    }
    return exchange;
}

/* ---- for each microbatch ---- */

double backward_s(const struct stage_sum *sum)
{
    return sum->pass_s[FOLD_AGRAD] + sum->pass_s[FOLD_WGRAD] + sum->pass_s[FOLD_RECOMPUTE];
}

int first_tier_of(const struct rk_plan *plan)
{
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
        if (plan->share[RK_SHARE_ATTENTION][tier] > 0) return tier;
    return 0;
}

/* Tiers work at the same time; transfers through the host share tier 1's link. */
static double transfer_time_s(const struct rk_system *system, const struct rk_plan *plan,
                              const struct transfer *t, bool out)
{
    double slowest_s = 0, host_bytes = t->weights_bytes * plan->share[RK_SHARE_WEIGHTS][0];
    for (int tier = 0; tier < RK_SHARE_TIERS && tier + 1 < system->memories; tier++) {
        const struct rk_memory part = memory_part(&system->memory[tier + 1], plan->ranks);
        const struct rk_memory *memory = &part;
        const double rate = out ? rk_memory_write_Bps(memory) : rk_memory_read_Bps(memory);
        double bytes = t->activations_bytes * plan->share[RK_SHARE_ATTENTION][tier];
        if (tier == first_tier_of(plan)) bytes += t->always_bytes;
        if (tier == 0) host_bytes += bytes;
        const double read = t->weights_bytes * plan->share[RK_SHARE_WEIGHTS][tier];
        if (tier == 0 || !(bytes + read > 0)) continue;
        host_bytes += (bytes + read) * memory->through_host;
        slowest_s = larger(slowest_s, bytes / rate + read / rk_memory_read_Bps(memory) +
                                          t->requests * memory->latency_s);
    }
    if (!(host_bytes > 0)) return slowest_s;
    const struct rk_memory part = memory_part(&system->memory[1], plan->ranks), *host = &part;
    const double rate = out ? rk_memory_write_Bps(host) : rk_memory_read_Bps(host);
    return larger(slowest_s, host_bytes / rate + t->requests * host->latency_s + t->copied_s);
}

bool backward_returns(const struct rk_plan *plan)
{
    return plan->chunks == 1 && (plan->schedule != RK_GPIPE || microbatches_of(plan) <= 1);
}

double swapped_layers(const struct stage_sum *sum, bool returns)
{
    return sum->last && returns ? larger(0, sum->blocks - 2) : sum->blocks;
}

double blocks_bytes(const struct stage_sum *sum)
{
    double bytes = sum->saved_total_bytes;
    for (int end = 0; end < ENDS; end++)
        bytes -= sum->ends_total_bytes[end];
    return bytes;
}

double swapped_bytes(const struct stage_sum *sum, const struct rk_plan *plan)
{
    if (sum->blocks <= 0) return 0;
    const double always = sum->swap.always_bytes, rest = blocks_bytes(sum) - always;
    const double bytes = always + rk_plan_activations_away(plan) * rest;
    return swapped_layers(sum, backward_returns(plan)) / sum->blocks * bytes;
}

struct stage_transfers stage_transfers(const struct stage_sum *sum, const struct rk_system *system,
                                       const struct sharing *sharing, const struct rk_plan *plan)
{
    const bool swaps = plan->recompute_rest;
    const double blocks = sum->blocks,
                 layers = swaps ? swapped_layers(sum, backward_returns(plan)) : 1;
    if (blocks <= 0) return (struct stage_transfers){0};
    const struct transfer layer = {
        .activations_bytes = (blocks_bytes(sum) - sum->swap.always_bytes) / blocks,
        .always_bytes = sum->swap.always_bytes / blocks,
        .requests = 1,
    };
    const struct transfer all = {.activations_bytes = sum->saved_total_bytes, .requests = blocks};
    const struct transfer *moved = swaps ? &layer : &all;
    const struct transfer weights = {
        .weights_bytes = (sum->parameters + sum->expert_parameters) * sharing->bytes.weight,
        .requests = blocks,
    };
    return (struct stage_transfers){
        .out_s = layers * transfer_time_s(system, plan, moved, true),
        .back_s = layers * transfer_time_s(system, plan, moved, false),
        .weights_s = transfer_time_s(system, plan, &weights, false),
        .activations_bytes = swaps ? swapped_bytes(sum, plan)
                                   : rk_plan_activations_away(plan) * sum->saved_total_bytes,
        .weights_bytes = weights.weights_bytes * share_away(plan, RK_SHARE_WEIGHTS),
    };
}

/* Layers through two buffers: the recurrence over as many as a chunk has, all of them the mean. */
static void swap_transfers(struct stage_sum *sum, const struct rk_system *system,
                           const struct sharing *sharing, const struct rk_plan *plan)
{
    const double blocks = sum->blocks, chunks = (double)plan->chunks;
    if (blocks <= 0) return;
    const double dropped = 1 - rk_plan_activations_away(plan);
    const double swapped = swapped_layers(sum, backward_returns(plan));
    const int layers = (int)larger(1, round(blocks / chunks));
    const double parameters = sum->parameters + sum->expert_parameters - sum->ends_parameters;
    const struct transfer transfer = {
        .activations_bytes = (blocks_bytes(sum) - sum->swap.always_bytes) / blocks,
        .always_bytes = sum->swap.always_bytes / blocks,
        .weights_bytes = parameters / blocks * sharing->bytes.weight,
        .requests = 1,
    };
    const struct rk_swap_layer layer = {.forward_s = sum->swap.forward_s / blocks,
                                        .backward_s = sum->swap.backward_s / blocks,
                                        .again_s = dropped * sum->swap.again_s / blocks,
                                        .bytes = 1};
    const struct rk_swap_time time =
        rk_swap_time_alike(&layer, layers, 1 / transfer_time_s(system, plan, &transfer, true),
                           1 / transfer_time_s(system, plan, &transfer, false), swapped == blocks);
    const double parts = blocks / layers;
    sum->spent_s[FOLD_FORWARD][SPENT_OFFLOAD] += parts * time.forward_wait_s;
    sum->pass_s[FOLD_FORWARD] += parts * time.forward_wait_s;
    sum->spent_s[FOLD_AGRAD][SPENT_OFFLOAD] += parts * time.backward_wait_s;
    sum->pass_s[FOLD_AGRAD] += parts * time.backward_wait_s;
    sum->pass_s[FOLD_RECOMPUTE] += swapped * layer.again_s;
    const double again = dropped * swapped / blocks;
    sum->again_flop += again * sum->swap.again_flop;
    sum->kernel_flop += again * sum->swap.again_kernel_flop;
    for (int i = 0; i < LINKS; i++) {
        sum->link_s[i] += again * sum->swap.link_s[i];
        sum->link_bytes[i] += again * sum->swap.link_bytes[i];
    }
}

/* The exposed part of a transfer when sequence chunks are on the same link: at least what both take
 * beyond computation. Chunks are exposed in their own layer, and otherwise overlap with its
 * work. */
static double beside_chunks(const struct waited *moved, const struct transfer *transfer,
                            const struct rk_system *system, const struct rk_plan *plan,
                            double copied_s, bool out)
{
    struct transfer both = *transfer;
    both.copied_s = copied_s;
    return larger(beside(moved), transfer_time_s(system, plan, &both, out) - moved->work_s);
}

/* Activations go out in forward and come back in backward; weights come twice. */
static void offload_transfers(struct stage_sum *sum, const struct rk_system *system,
                              const struct sharing *sharing, const struct rk_plan *plan)
{
    if (plan->recompute_rest) {
        swap_transfers(sum, system, sharing, plan);
        return;
    }
    if (rk_plan_activations_away(plan) <= 0 && share_away(plan, RK_SHARE_WEIGHTS) <= 0) return;
    const double weights = (sum->parameters + sum->expert_parameters) * sharing->bytes.weight;
    const struct transfer transfer = {.activations_bytes = sum->saved_total_bytes,
                                      .weights_bytes = weights,
                                      .requests = sum->blocks};
    const struct waited out = {transfer_time_s(system, plan, &transfer, true),
                               sum->pass_s[FOLD_FORWARD], sum->blocks, true, 0};
    const struct waited back = {transfer_time_s(system, plan, &transfer, false), backward_s(sum),
                                sum->blocks, true, 0};
    const double out_s =
        beside_chunks(&out, &transfer, system, plan, sum->copied[RK_WAY_FORWARD].out_s, true);
    const double back_s =
        beside_chunks(&back, &transfer, system, plan, sum->copied[RK_WAY_BACKWARD].in_s, false);
    sum->spent_s[FOLD_FORWARD][SPENT_OFFLOAD] += out_s;
    sum->pass_s[FOLD_FORWARD] += out_s;
    sum->spent_s[FOLD_AGRAD][SPENT_OFFLOAD] += back_s;
    sum->pass_s[FOLD_AGRAD] += back_s;
}

/* A pass over memory while the node's other ranks make theirs. */
static double pass_s(double (*time_s)(const struct rk_system *, double),
                     const struct rk_system *system, const struct rk_plan *plan, double bytes)
{
    const double share = busy_share_of(system, plan), alone_s = time_s(system, bytes);
    if (!(share > 0)) return alone_s;
    const struct rk_system busy = busy_system(system);
    return busy_between(alone_s, time_s(&busy, bytes), share);
}

static void add_gradients(struct stage_sum *sum, const struct rk_system *system,
                          const struct sharing *sharing, const struct rk_plan *plan)
{
    const double parameters = sum->parameters + sum->expert_parameters;
    const double time_s = pass_s(memory_time_s, system, plan, parameters * sharing->bytes.added);
    sum->spent_s[FOLD_AGRAD][SPENT_MEMORY] += time_s;
    sum->pass_s[FOLD_AGRAD] += time_s;
}

static struct sent both_sent(const struct sent *a, const struct sent *b)
{
    return (struct sent){a->time_s + b->time_s, a->engine_s + b->engine_s};
}

/* Messages that the weights of a chunk go in, one after the other: of a layer each, or as long as a
 * bucket, which Megatron Core fills before it sends (param_and_grad_buffer.py). */
static double messages_of(const struct stage_sum *sum, const struct rk_plan *plan)
{
    const double bucket = plan->bucket ? (double)plan->bucket : usual_bucket(plan);
    const double chunks = (double)plan->chunks, layers = sum->blocks / chunks;
    const double parameters = sum->parameters + sum->expert_parameters;
    return bucket > 0 ? smaller(layers, larger(1, parameters / chunks / bucket)) : layers;
}

bool in_buckets(const struct stage_sum *sum, const struct rk_plan *plan)
{
    return messages_of(sum, plan) < sum->blocks / (double)plan->chunks;
}

/* A microbatch's forward and another one's backward run in turns while experts exchange: of what
 * they wait for, which backward has, forward has what hides nothing there. */
static double left_for_forward_s(const struct waited *back, double waited_s)
{
    struct waited without = *back;
    if (!(waited_s > 0)) return 0;
    without.work_s -= waited_s;
    return larger(0, waited_s - larger(0, beside(&without) - beside(back)));
}

/* Those of each microbatch. */
static void waits_of_microbatch(struct waited waits[WAITS], const struct stage_sum *sum,
                                const struct exchange *exchange, const struct rk_plan *plan)
{
    const double forward_s = sum->pass_s[FOLD_FORWARD], back_s = backward_s(sum);
    const double blocks = sum->blocks;
    const struct sent none = {0}, here = plan->zero >= 3 ? exchange->gather : none;
    const struct sent again = plan->keep_gathered ? none : here, *reduced = &exchange->reduce;
    const bool reduces_beside = plan->gradient_overlap && !exchange->copied;
    const bool gathers_beside = plan->weight_overlap && !exchange->copied;
    const bool each = plan->zero >= 2, either = reduces_beside || gathers_beside;
    const struct sent back = each ? both_sent(&again, reduced) : none;
    waits[WAIT_FORWARD] =
        (struct waited){here.time_s, forward_s, blocks, gathers_beside, here.engine_s};
    waits[WAIT_BACKWARD] = (struct waited){back.time_s, back_s, blocks, either, back.engine_s};
    waits[WAIT_FORWARD].work_s += left_for_forward_s(&waits[WAIT_BACKWARD], sum->for_experts_s);
}

/* Those after the last one. */
static void waits_at_end(struct waited waits[WAITS], const struct stage_sum *sum,
                         const struct exchange *exchange, const struct rk_plan *plan)
{
    const double forward_s = sum->pass_s[FOLD_FORWARD], back_s = backward_s(sum);
    const double layers = messages_of(sum, plan);
    const double reduce_s = plan->zero >= 2 ? 0 : exchange->reduce.time_s;
    const bool reduces_beside = plan->gradient_overlap && !exchange->copied;
    const bool gathers_beside = plan->weight_overlap && !exchange->copied;
    const struct sent none = {0};
    const struct sent behind = plan->zero == 1 || plan->zero == 2 ? exchange->gather : none;
    waits[WAIT_REDUCE] = (struct waited){reduce_s, back_s, layers, reduces_beside, 0};
    waits[WAIT_GATHER] =
        (struct waited){behind.time_s, forward_s, layers, gathers_beside, behind.engine_s};
    waits[WAIT_GATHER].work_s += left_for_forward_s(&waits[WAIT_REDUCE], sum->for_experts_s);
}

void stage_waits(struct waited waits[WAITS], const struct stage_sum *sum,
                 const struct exchange *exchange, const struct rk_plan *plan)
{
    waits_of_microbatch(waits, sum, exchange, plan);
    waits_at_end(waits, sum, exchange, plan);
}

void stage_moves(struct stage_sum *sum, const struct exchange *exchange,
                 const struct rk_system *system, const struct sharing *sharing,
                 const struct rk_plan *plan)
{
    add_gradients(sum, system, sharing, plan);
    experts_alone(sum, sharing);
    offload_transfers(sum, system, sharing, plan);
    if (plan->zero < 2) return;
    struct waited waits[WAITS];
    waits_of_microbatch(waits, sum, exchange, plan);
    sum->data_s[FOLD_FORWARD] = beside(&waits[WAIT_FORWARD]);
    sum->data_s[FOLD_AGRAD] = beside(&waits[WAIT_BACKWARD]);
    sum->data_link_s = waits[WAIT_FORWARD].comm_s + waits[WAIT_BACKWARD].comm_s;
}

/* ---- after the last backward pass ---- */

/* Bytes that an Adam step reads and writes of one parameter: gradient read, master copy and moments
 * read and written; the master copy once more where narrower weights are written from it; the
 * gradient once more for its norm, and read and written where that is clipped. Where it was
 * measured, it is the executor's, which clips on the way. */
static double optimizer_access_bytes(const struct element_bytes *bytes,
                                     const struct rk_system *system)
{
    const bool trained = bytes->optimizer > 0, measured = optimizer_is_measured(system);
    const bool written = bytes->weight < 4 && bytes->master > 0 && !measured; /* from the copy */
    const double copied = written ? 4 + bytes->weight : 2 * bytes->weight;
    return (measured ? 2 : 4) * bytes->gradient + 2 * bytes->optimizer + (trained ? copied : 0);
}

/* Of the host at the end of a step (norms, optimizer, a loss that is read and logged), in starts of
 * a kernel; fitted to 272 functional tests of Megatron-LM, five layers' kernels. */
#define STEP_STARTS 175

/* Megatron-LM's gradients lie in one buffer for good: each step sets it to zero (zero_grad_buffer),
 * looks for NaN (check_grads), and, where several ranks add theirs up, multiplies all of them by
 * 1 / ranks (start_grad_sync in param_and_grad_buffer.py). The others leave gradients to the
 * allocator, and scale the loss, as the executor does whose optimizer's rates were measured: its
 * products write the first gradients of a step, and it sets those of the embedding to zero, or
 * all that are summed apart. `own`: parameters whose state is this rank's. */
static double gradient_buffer_bytes(const struct stage_sum *sum, const struct rk_system *system,
                                    double own, const struct sharing *sharing,
                                    const struct rk_plan *plan)
{
    const double all = sum->parameters + sum->expert_parameters;
    const bool scaled = rk_plan_data(plan) * plan->context > 1;
    const double cleared = plan->zero >= 2 ? own : all;
    if (!habits_of(plan)->one_buffer) return 0;
    if (optimizer_is_measured(system))
        return sharing->bytes.gradient *
               (rk_plan_sums_apart(plan) ? cleared : sum->embedding_parameters);
    return sharing->bytes.gradient * (cleared + all + (scaled ? 2 * all : 0));
}

/* Weights of a rank in the optimizer, of both groups: each group is shared by ranks of its own. */
static double own_part(const struct sharing *sharing, double dense, double expert)
{
    return dense / sharing->shards[0].ranks + expert / sharing->shards[1].ranks;
}

/* Bytes of what a rank steps: gradients and weights, which move, and master copies and moments. */
struct stepped {
    double moved, state;
};

static struct stepped stepped_of(const struct stage_sum *sum, const struct sharing *sharing,
                                 const struct rk_plan *plan)
{
    const struct element_bytes *bytes = &sharing->bytes;
    const struct next_to_frozen dense = next_to_frozen_of(sum, bytes, false);
    const struct next_to_frozen experts = next_to_frozen_of(sum, bytes, true);
    const double own = own_part(sharing, sum->parameters, sum->expert_parameters);
    if (rk_plan_freezes(plan))
        return (struct stepped){
            own_part(sharing, dense.gradients + dense.weights, experts.gradients + experts.weights),
            own_part(sharing, dense.optimizer, experts.optimizer)};
    return (struct stepped){own * (bytes->gradient + bytes->weight),
                            own * (bytes->optimizer - bytes->step_gradient) +
                                own_part(sharing, tables_bytes(sum, bytes), 0)};
}

/* Gradients go to the host, whose processors read them, read and write the state, and write the
 * weights that come back. State on drives is read and written in addition, one after the other
 * [rajbhandari2021]; tiers and processors work at the same time, and transfers through the host use
 * the link of tier 1 as well. */
static double state_moves_s(const struct stage_sum *sum, const struct rk_system *system,
                            const struct sharing *sharing, const struct rk_plan *plan)
{
    if (!(share_away(plan, RK_SHARE_OPTIMIZER) > 0)) return 0;
    const struct stepped stepped = stepped_of(sum, sharing, plan);
    double host_bytes = 0, slowest_s = 0, away = 0;
    for (int tier = 0; tier < RK_SHARE_TIERS && tier + 1 < system->memories; tier++) {
        const struct rk_memory part = memory_part(&system->memory[tier + 1], plan->ranks);
        const double share = plan->share[RK_SHARE_OPTIMIZER][tier];
        const bool drives = tier > 0 || part.endurance_bytes > 0;
        const double state = drives ? share * stepped.state : 0;
        away += share;
        host_bytes += share * stepped.moved;
        if (tier > 0) host_bytes += 2 * state * part.through_host;
        slowest_s = larger(slowest_s,
                           state / rk_memory_read_Bps(&part) + state / rk_memory_write_Bps(&part));
    }
    if (!(host_bytes > 0)) return slowest_s;
    const struct rk_memory host = memory_part(&system->memory[1], plan->ranks);
    const double rate = host.update_Bps * habits_of(plan)->host_step;
    if (rate > 0) slowest_s = larger(slowest_s, away * (2 * stepped.state + stepped.moved) / rate);
    return larger(slowest_s, host_bytes / host.bandwidth_Bps);
}

/* Muon works on whole matrices: those of one shape are dealt to the ranks that share them, and the
 * rank that has most sets the pace (LayerWiseDistributedOptimizer of Megatron Core;
 * megabatch_base.py of microsoft/dion pads their number to the ranks'). Experts' are many. */
static double dealt_s(const struct stage_sum *sum, const struct sharing *sharing)
{
    if (!(sum->step[0].work_s + sum->step[1].work_s > 0)) return 0;
    const double ranks = sharing->shards[0].ranks, blocks = sum->blocks;
    const double most = blocks > 0 ? ceil(blocks / ranks) / blocks : 0;
    return sum->step[0].work_s * most + sum->step[1].work_s / sharing->shards[1].ranks;
}

/* FSDP has a part of each matrix on each rank: momentum goes to whom the matrix is dealt in bf16,
 * and what is orthogonal comes back (muon_update_megabatch_async). Experts are sharded whole. */
static double muon_moves_s(const struct stage_sum *sum, const struct rk_system *system,
                           const struct sharing *sharing, const struct rk_plan *plan)
{
    const double matrices = sum->parameters - sum->ends_parameters;
    const struct rank_group shards = sharing->shards[0];
    if (plan->optimizer != RK_MUON || plan->zero < 2 || !(matrices > 0)) return 0;
    return 2 * collective_time_s(system, ALL_TO_ALL, shards, 2 * matrices / shards.ranks);
}

/* Out and back, over the host's link; without one nothing is known of it. */
static double paged_s(const struct stage_sum *sum, const struct rk_system *system,
                      const struct sharing *sharing, const struct rk_plan *plan)
{
    if (!plan->optimizer_paged || system->memories < 2) return 0;
    const struct rk_memory host = memory_part(&system->memory[1], plan->ranks);
    return 2 * paged_out_bytes(sum, system, sharing, plan) / host.bandwidth_Bps;
}

/* Likewise of adapters. */
static double adapter_access_bytes(const struct stage_sum *sum, const struct sharing *sharing)
{
    const struct next_to_frozen dense = next_to_frozen_of(sum, &sharing->bytes, false);
    const struct next_to_frozen experts = next_to_frozen_of(sum, &sharing->bytes, true);
    return own_part(sharing, 4 * dense.gradients + 2 * dense.optimizer + 2 * dense.weights,
                    4 * experts.gradients + 2 * experts.optimizer + 2 * experts.weights);
}

static double optimizer_work_s(const struct stage_sum *sum, const struct rk_system *system,
                               const struct sharing *sharing, const struct rk_plan *plan)
{
    const struct element_bytes *bytes = &sharing->bytes;
    const double own = own_part(sharing, sum->parameters, sum->expert_parameters);
    const double own_tables = own_part(sharing, tables_bytes(sum, bytes), 0);
    const double tables = 2 * own_tables;
    const double away = share_away(plan, RK_SHARE_OPTIMIZER);
    return dealt_s(sum, sharing) + muon_moves_s(sum, system, sharing, plan) +
           pass_s(optimizer_time_s, system, plan,
                  (1 - away) * (own * optimizer_access_bytes(bytes, system) + tables +
                                (rk_plan_freezes(plan) ? adapter_access_bytes(sum, sharing) : 0)) +
                      gradient_buffer_bytes(sum, system, own, sharing, plan)) +
           state_moves_s(sum, system, sharing, plan) + paged_s(sum, system, sharing, plan);
}

/* The executor sums the squares of all gradients over its ranks, one number each: where there are
 * stages, these wait for each other there. */
static double norm_s(const struct rk_system *system, const struct rk_plan *plan)
{
    const struct rank_group all = {(double)plan->ranks, 1};
    if (!optimizer_is_measured(system) || plan->pipeline > 1) return 0;
    return collective_time_s(system, ALL_REDUCE, all, sizeof(double) * all.ranks);
}

struct stage_end stage_end_of(const struct stage_sum *sum, const struct exchange *exchange,
                              const struct rk_system *system, const struct sharing *sharing,
                              const struct rk_plan *plan)
{
    struct waited waits[WAITS];
    waits_at_end(waits, sum, exchange, plan);
    const double starts = own_part(sharing, sum->step[0].starts, sum->step[1].starts);
    struct stage_end end = {
        .put_off_s = put_off_of(plan, sharing->microbatches) * sum->put_off_s,
        .gather_s = beside(&waits[WAIT_GATHER]),
        .reduce_excess_s = left_over_s(&waits[WAIT_REDUCE]),
        .gather_excess_s = left_over_s(&waits[WAIT_GATHER]),
        .gather_share = engine_share(&waits[WAIT_GATHER]),
        .data_link_s = waits[WAIT_REDUCE].comm_s + waits[WAIT_GATHER].comm_s,
        .optimizer_host_s = (STEP_STARTS + starts) * host_start_s(system, plan),
        .optimizer_work_s = optimizer_work_s(sum, system, sharing, plan),
    };
    end.data_s = beside(&waits[WAIT_REDUCE]) + end.gather_s + norm_s(system, plan);
    end.optimizer_s = larger(end.optimizer_host_s, end.optimizer_work_s);
    return end;
}

void stage_sums(struct class_sums *sums, const struct stage_map *map,
                const struct layer_folds *fold, const struct rk_model *model,
                const struct rk_system *system, const struct sharing *sharing,
                const struct rk_plan *plan)
{
    for (int i = 0; i < map->classes; i++) {
        struct stage_sum *sum = &sums->sum[i];
        stage_sum(sum, fold, model, plan, &map->blocks[i]);
        const struct exchange exchange = exchange_of(sum, system, sharing, plan);
        stage_moves(sum, &exchange, system, sharing, plan);
        sums->end[i] = stage_end_of(sum, &exchange, system, sharing, plan);
    }
}
