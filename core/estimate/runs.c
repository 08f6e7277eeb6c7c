#include "estimate/runs.h"
#include "plan/habits.h"
#include "workload/layers.h"

#include <math.h>
#include <string.h>

/* ---- local parts ---- */

struct rk_plan run_plan(const struct rk_plan *plan, int local)
{
    return plan_of_local(plan, local);
}

/* ---- layouts ---- */

struct run_part run_part_of(const struct rk_plan *plan, uint64_t rank)
{
    const uint64_t t = plan->tensor, c = plan->context, d = rk_plan_data(plan);
    const uint64_t tokens = c * (plan->sequence_parallel ? t : 1);
    const uint64_t token =
        plan->sequence_parallel ? rank % (t * c) / t * t + rank % t : rank % (t * c) / t;
    const uint64_t sample = rank / (t * c);
    return (struct run_part){
        {(double)sample / (double)d, (double)(sample + 1) / (double)d},
        {(double)token / (double)tokens, (double)(token + 1) / (double)tokens}};
}

static double length(const double range[2])
{
    return range[1] - range[0];
}

static double common(const double a[2], const double b[2])
{
    return fmax(0, fmin(a[1], b[1]) - fmax(a[0], b[0]));
}

double relayout_bytes(const struct rk_model *model, const struct rk_plan *from,
                      const struct rk_plan *to, double *ranks)
{
    const uint64_t a = split_of(from), b = split_of(to), group = a > b ? a : b;
    const double element = from->precision == RK_FP32 || from->precision == RK_TF32 ? 4 : 2;
    const double all = (double)(rk_plan_data(from) * from->microbatch) *
                       rk_tokens_of_sample(model, from) * (double)model->hidden * element;
    double most = 0;
    *ranks = (double)group;
    if (same_layout(from, to)) return 0;
    for (uint64_t rank = 0; rank < group; rank++) { /* all groups are alike */
        const struct run_part has = run_part_of(from, rank), needs = run_part_of(to, rank);
        const double share = length(needs.sample) * length(needs.token) -
                             common(needs.sample, has.sample) * common(needs.token, has.token);
        most = fmax(most, share);
    }
    return all * most;
}

/* All-to-all among the ranks of a group, of whose buffers 1/ranks stays. */
double relayout_s(const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *from, const struct rk_plan *to)
{
    double ranks;
    const double bytes = relayout_bytes(model, from, to, &ranks);
    if (ranks <= 1 || bytes <= 0) return 0;
    return collective_time_s(system, ALL_TO_ALL, (struct rank_group){ranks, 1},
                             bytes * ranks / (ranks - 1));
}

/* ---- stages ---- */

static void join_segments(struct runs *runs, const struct rk_plan *plan)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    runs->segments = 0;
    for (int i = 0; i < layout->segments; i++) {
        const uint16_t local = (uint16_t)plan_same_local(plan, layout->segment[i].local);
        struct rk_segment *last = runs->segments ? &runs->segment[runs->segments - 1] : NULL;
        if (last && last->local == local)
            last->layers = (uint16_t)(last->layers + layout->segment[i].layers);
        else
            runs->segment[runs->segments++] = (struct rk_segment){layout->segment[i].layers, local};
    }
}

void runs_of(struct runs *runs, const struct rk_model *model, const struct rk_system *system,
             const struct rk_plan *plan)
{
    runs->locals = rk_plan_layout(plan)->others + 1;
    join_segments(runs, plan);
    for (int i = 0; i < runs->locals; i++) {
        struct run_local *local = &runs->local[i];
        local->plan = run_plan(plan, i);
        fold_layers(&local->fold, model, system, &local->plan);
        local->sharing = sharing_of(&local->plan);
        local->rule = memory_rule_of(&local->fold, &local->sharing, &local->plan);
    }
}

double runs_message_bytes(const struct runs *runs)
{
    double most = 0;
    for (int i = 0; i < runs->locals; i++)
        most = fmax(most, runs->local[i].fold.message_bytes);
    return most;
}

double runs_send_s(const struct runs *runs, const struct rk_system *system)
{
    double most = 0;
    for (int i = 0; i < runs->locals; i++)
        most = fmax(most, send_s_of(&runs->local[i].fold, system, &runs->local[i].plan));
    return most;
}

/* Adds up what adds up, and keeps the largest of the rest. */
static void add_sum(struct stage_sum *to, const struct stage_sum *one)
{
    to->blocks += one->blocks;
    add_copies(to->copied, one->copied, 1);
    for (int pass = 0; pass < FOLD_PASSES; pass++) {
        to->pass_s[pass] += one->pass_s[pass];
        to->data_s[pass] += one->data_s[pass];
        for (int i = 0; i < SPENDINGS; i++)
            to->spent_s[pass][i] += one->spent_s[pass][i];
    }
    for (int i = 0; i < LINKS; i++) {
        to->link_s[i] += one->link_s[i];
        to->link_bytes[i] += one->link_bytes[i];
    }
    to->data_link_s += one->data_link_s;
    to->for_experts_s += one->for_experts_s;
    to->beside_experts_s += one->beside_experts_s;
    to->parameters += one->parameters;
    to->expert_parameters += one->expert_parameters;
    to->narrow_parameters += one->narrow_parameters;
    for (int i = 0; i < 2; i++) {
        to->adapter_parameters[i] += one->adapter_parameters[i];
        to->whole_parameters[i] += one->whole_parameters[i];
    }
    to->long_sides += one->long_sides;
    to->short_sides += one->short_sides;
    to->ends_parameters += one->ends_parameters;
    to->embedding_parameters += one->embedding_parameters;
    to->copied_parameters += one->copied_parameters;
    to->saved_total_bytes += one->saved_total_bytes;
    for (int end = 0; end < ENDS; end++)
        to->ends_total_bytes[end] += one->ends_total_bytes[end];
    to->largest_end = fmax(to->largest_end, one->largest_end);
    to->largest_parameters = fmax(to->largest_parameters, one->largest_parameters);
    to->working_bytes = fmax(to->working_bytes, one->working_bytes);
    to->buffer_bytes = fmax(to->buffer_bytes, one->buffer_bytes);
    to->useful_flop += one->useful_flop;
    to->again_flop += one->again_flop;
    to->masked_flop += one->masked_flop;
    to->megatron_flop += one->megatron_flop;
    to->again_masked_flop += one->again_masked_flop;
    to->kernel_flop += one->kernel_flop;
}

struct tally { /* of the memory of a stage's runs */
    struct stage_demand demand;
    double buffers, transient, messages, communication;
    double freed;      /* gradients, between steps */
    double late_bytes; /* gradients of the runs so far that are not there when backward begins */
    struct rk_stage largest; /* the run that needs most for a moment */
    int shapes;              /* degrees of the runs so far: each has weights of other shapes */
    uint64_t shape[RK_MAX_LOCALS + 1];
};

/* Runs whose matrices are split alike share what there is one of for each shape. */
static bool new_shape(struct tally *tally, const struct rk_plan *plan)
{
    const uint64_t shape = (plan->tensor * 65536 + plan->expert) * 65536 + plan->expert_tensor;
    for (int i = 0; i < tally->shapes; i++)
        if (tally->shape[i] == shape) return false;
    if (tally->shapes <= RK_MAX_LOCALS) tally->shape[tally->shapes++] = shape;
    return true;
}

/* Backward begins at the last run. When it gets to a run, later ones have gradients and no
 * activations left, the others activations and no gradients yet; what is absent is least at the
 * border of two runs: demand.late_bytes, of all runs so far. */
static void add_late(struct tally *tally, const struct stage_demand *demand, double in_flight)
{
    struct stage_demand *all = &tally->demand;
    tally->late_bytes += demand->late_bytes;
    all->late_bytes = fmin(all->late_bytes + demand->flight_bytes * in_flight, tally->late_bytes);
}

static void add_memory(struct tally *tally, struct rk_stage *stage, const struct stage_sum *sum,
                       const struct run_local *local, const struct rk_system *system,
                       uint64_t index)
{
    struct rk_stage own;
    const struct memory_rule *rule = &local->rule;
    const struct stage_demand demand = stage_demand_by(rule, sum);
    double ends = 0;
    for (int end = 0; end < ENDS; end++)
        ends += sum->ends_total_bytes[end] * rule->ends_in_flight[end] * rule->kept_here;
    const double transient = demand.fixed_bytes - rule->messages_bytes - ends;
    stage_memory(&own, sum, &local->fold, system, &local->sharing, &local->plan, index);
    for (int i = 0; i < RK_HOLD_working; i++)
        if (i != RK_HOLD_gathered) stage->holds[i] += own.holds[i];
    const double shared = sum->block_shapes > 0 && !new_shape(tally, &local->plan)
                              ? sum->block_shapes * rule->placeholder_bytes
                              : 0;
    tally->communication += own.holds[RK_HOLD_communication] - rule->messages_bytes -
                            sum->buffer_bytes - demand.outside_bytes - shared;
    stage->offloaded_bytes += own.offloaded_bytes;
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++) {
        stage->away_bytes[tier] += own.away_bytes[tier];
        stage->written_bytes[tier] += own.written_bytes[tier];
    }
    stage->parameters += own.parameters;
    stage->blocks += own.blocks;
    stage->in_flight = own.in_flight;
    const double absent = absent_bytes(&demand, own.in_flight);
    const double gradients = own.holds[RK_HOLD_gradients] + absent;
    const double freed = habits_of(&local->plan)->frees_gradients ? gradients : 0;
    const double remembered = own.static_bytes + freed - demand.static_bytes -
                              demanded_workspaces(&demand, system) - demand.between_bytes;
    stage->holds[RK_HOLD_gradients] += absent;
    tally->freed += freed;
    stage->static_bytes = fmax(stage->static_bytes, remembered);

    struct stage_demand *all = &tally->demand;
    all->static_bytes += demand.static_bytes - sum->buffer_bytes - shared;
    all->between_bytes += demand.between_bytes;
    all->step_bytes += demand.step_bytes;
    all->fixed_bytes += ends;
    add_late(tally, &demand, own.in_flight);
    all->flight_bytes += demand.flight_bytes;
    all->away_bytes += demand.away_bytes;
    all->handles = fmax(all->handles, demand.handles);
    all->engines = fmax(all->engines, demand.engines);
    all->outside_bytes = fmax(all->outside_bytes, demand.outside_bytes);
    /* what runs before the head's run has lost when these run backward */
    const double gone = fmin(sum->loss_bytes, tally->largest.holds[RK_HOLD_working]);
    tally->transient -= gone;
    tally->largest.holds[RK_HOLD_working] -= gone;
    tally->buffers = fmax(tally->buffers, sum->buffer_bytes);
    tally->messages = fmax(tally->messages, rule->messages_bytes);
    if (transient < tally->transient) {
        all->beside_bytes = 0;
        return;
    }
    all->beside_bytes = fmin(demand.beside_bytes, transient - tally->transient);
    tally->transient = transient;
    tally->largest.holds[RK_HOLD_gathered] = transient - sum->working_bytes;
    tally->largest.holds[RK_HOLD_working] = sum->working_bytes;
}

/* The whole stage's figures, as stage_memory has them of one run. */
static void sum_memory(struct rk_stage *stage, struct tally *tally, const struct rk_system *system)
{
    struct stage_demand *all = &tally->demand;
    all->static_bytes += tally->buffers;
    all->fixed_bytes += tally->transient + tally->messages;
    const double absent = absent_bytes(all, stage->in_flight);
    const double kept =
        all->fixed_bytes + all->flight_bytes * stage->in_flight + all->away_bytes - absent;
    const double activations = demanded_activations(all, stage->in_flight);
    const double lasting = all->static_bytes + demanded_workspaces(all, system);
    stage->holds[RK_HOLD_gathered] = tally->largest.holds[RK_HOLD_gathered];
    stage->holds[RK_HOLD_working] = tally->largest.holds[RK_HOLD_working] +
                                    fmax(0, fmax(all->between_bytes, all->step_bytes) - kept);
    stage->holds[RK_HOLD_communication] =
        tally->communication + tally->messages + tally->buffers + all->outside_bytes;
    stage->holds[RK_HOLD_context] =
        system->kernels.reserve_bytes + demanded_workspaces(all, system);
    stage->holds[RK_HOLD_fragmentation] = system->kernels.fragmentation * activations;
    stage->holds[RK_HOLD_gradients] -= absent;
    stage->static_bytes += lasting - tally->freed + all->between_bytes;
    stage->allocated_bytes = lasting + activations;
    stage->total_bytes = demanded_bytes(all, system, stage->in_flight);
}

/* Data-parallel transfers are prefetched across runs: a stage waits for the excess of each run, and
 * once for a layer that has nothing to overlap with. An end that is a run of its own overlaps with
 * the adjacent blocks. */
struct queue {
    int runs;
    bool joins; /* the last one was an end: the next run overlaps with it */
    struct waited run[RK_MAX_SEGMENTS + 2][WAITS];
};

static void enqueue(struct queue *queue, const struct waited waits[WAITS], bool joins)
{
    struct waited *to = queue->run[joins ? queue->runs - 1 : queue->runs];
    for (int i = 0; i < WAITS; i++) {
        if (!joins) {
            to[i] = waits[i];
            continue;
        }
        to[i].comm_s += waits[i].comm_s;
        to[i].engine_s += waits[i].engine_s;
        to[i].work_s += waits[i].work_s;
        to[i].layers += waits[i].layers;
    }
    queue->runs += !joins;
}

static double queued_s(const struct queue *queue, enum wait wait)
{
    double excess_s = 0, one_s = 0;
    for (int i = 0; i < queue->runs; i++) {
        excess_s += waited_excess_s(&queue->run[i][wait]);
        one_s = fmax(one_s, waited_one_s(&queue->run[i][wait]));
    }
    return excess_s + one_s;
}

/* One run of a stage. */
static void add_run(struct run_stage *out, struct tally *tally, struct queue *queue,
                    struct rk_stage *stage, const struct run_local *local,
                    const struct stage_blocks *blocks, const struct rk_model *model,
                    const struct rk_system *system, uint64_t index)
{
    const struct rk_plan *plan = &local->plan;
    struct stage_sum sum;
    stage_sum(&sum, &local->fold, model, plan, blocks);
    const struct exchange exchange = exchange_of(&sum, system, &local->sharing, plan);
    const double here = 1 - rk_plan_activations_away(plan);
    add_sum(&out->alone, &sum);
    out->held_bytes += sum.saved_total_bytes * here;
    out->released_bytes += sum.ends_total_bytes[LAST_END] * here;
    if (sum.blocks > 0) out->moving_bytes += 2 / sum.blocks * (1 - here) * sum.saved_total_bytes;
    if (plan->zero < 2) out->reduce_s += exchange.reduce.time_s;
    stage_moves(&sum, &exchange, system, &local->sharing, plan);
    const struct stage_end end = stage_end_of(&sum, &exchange, system, &local->sharing, plan);
    struct waited waits[WAITS];
    stage_waits(waits, &sum, &exchange, plan);
    enqueue(queue, waits, queue->joins || (sum.blocks == 0 && queue->runs > 0));
    queue->joins = sum.blocks == 0;
    add_sum(&out->sum, &sum);
    out->end.data_link_s += end.data_link_s;
    out->end.optimizer_work_s += end.optimizer_work_s;
    out->end.optimizer_host_s = fmax(out->end.optimizer_host_s, end.optimizer_host_s);
    out->end.optimizer_s = fmax(out->end.optimizer_host_s, out->end.optimizer_work_s);
    if (stage) add_memory(tally, stage, &sum, local, system, index);
}

/* Moves the activations forward, and their gradients back. */
static void add_relayout(struct stage_sum *sum, const struct rk_model *model,
                         const struct rk_system *system, const struct run_local *from,
                         const struct run_local *to)
{
    double ranks;
    const double there_s = relayout_s(model, system, &from->plan, &to->plan);
    const double back_s = relayout_s(model, system, &to->plan, &from->plan);
    sum->pass_s[FOLD_FORWARD] += there_s;
    sum->pass_s[FOLD_AGRAD] += back_s;
    sum->spent_s[FOLD_FORWARD][SPENT_TENSOR] += there_s;
    sum->spent_s[FOLD_AGRAD][SPENT_TENSOR] += back_s;
    sum->link_s[LINK_TENSOR] += there_s + back_s;
    sum->link_bytes[LINK_TENSOR] += relayout_bytes(model, &from->plan, &to->plan, &ranks) +
                                    relayout_bytes(model, &to->plan, &from->plan, &ranks);
}

struct walk { /* along the layers of one stage */
    struct run_stage *out;
    struct tally tally;
    struct queue queue;
    struct rk_stage *stage;
    const struct runs *runs;
    const struct rk_model *model;
    const struct rk_system *system;
    uint64_t index;
    int local; /* of the layer before; -1: none */
};

static void step_to(struct walk *walk, int local, const struct stage_blocks *blocks)
{
    const struct run_local *next = &walk->runs->local[local];
    add_run(walk->out, &walk->tally, &walk->queue, walk->stage, next, blocks, walk->model,
            walk->system, walk->index);
    if (walk->local >= 0 && walk->local != local) {
        const struct run_local *before = &walk->runs->local[walk->local];
        add_relayout(&walk->out->alone, walk->model, walk->system, before, next);
        add_relayout(&walk->out->sum, walk->model, walk->system, before, next);
    }
    walk->local = local;
}

/* Layers of a virtual stage of the model, which has its ends at the first and the last one. An end
 * is part of an adjacent run that follows the plan, else a run of its own. */
static void walk_part(struct walk *walk, const struct rk_plan *plan, uint64_t part)
{
    const struct runs *runs = walk->runs;
    uint64_t first = 0, at = 0;
    bool begun = part > 0;
    walk->local = -1;
    for (uint64_t i = 0; i < part; i++)
        first += rk_plan_split(plan, walk->model, i);
    const uint64_t end = first + rk_plan_split(plan, walk->model, part);
    const bool last = part + 1 == plan->pipeline * plan->chunks;
    bool closed = !last;
    for (int i = 0; i < runs->segments; at += runs->segment[i++].layers) {
        const uint64_t from = at > first ? at : first, to = at + runs->segment[i].layers;
        const uint64_t until = to < end ? to : end;
        const int local = runs->segment[i].local;
        if (from >= until) continue;
        const bool redone = runs->local[local].plan.recompute != RK_KEEP;
        struct stage_blocks blocks = {.all = (double)(until - from)};
        layer_count(walk->model, from, until - from, blocks.counts[redone ? RECOMPUTED : AS_IT_IS]);
        if (!begun && local != 0) step_to(walk, 0, &(struct stage_blocks){.first = true});
        blocks.first = !begun && local == 0;
        blocks.last = last && until == end && local == 0;
        begun = true;
        closed |= blocks.last;
        step_to(walk, local, &blocks);
    }
    if (!begun || !closed)
        step_to(walk, 0, &(struct stage_blocks){.first = !begun, .last = !closed});
}

static void close_walk(struct walk *walk)
{
    struct run_stage *out = walk->out;
    struct rk_stage *stage = walk->stage;
    out->sum.data_s[FOLD_FORWARD] = queued_s(&walk->queue, WAIT_FORWARD);
    out->sum.data_s[FOLD_AGRAD] = queued_s(&walk->queue, WAIT_BACKWARD);
    out->end.gather_s = queued_s(&walk->queue, WAIT_GATHER);
    out->end.data_s = queued_s(&walk->queue, WAIT_REDUCE) + out->end.gather_s;
    if (!stage) return;
    sum_memory(stage, &walk->tally, walk->system);
    stage->forward_s = out->sum.pass_s[FOLD_FORWARD] + out->sum.data_s[FOLD_FORWARD];
    stage->backward_s = backward_s(&out->sum) + out->sum.data_s[FOLD_AGRAD];
}

void run_stage_of(struct run_stage *out, struct rk_stage *stage, const struct runs *runs,
                  const struct rk_model *model, const struct rk_system *system,
                  const struct rk_plan *plan, uint64_t index)
{
    struct walk walk = {
        .out = out, .stage = stage, .runs = runs, .model = model, .system = system, .index = index};
    memset(out, 0, sizeof *out);
    if (stage) memset(stage, 0, sizeof *stage);
    for (uint64_t chunk = 0; chunk < plan->chunks; chunk++)
        walk_part(&walk, plan, chunk * plan->pipeline + index);
    close_walk(&walk);
}

void run_part_sum(struct run_stage *out, const struct runs *runs, const struct rk_model *model,
                  const struct rk_system *system, const struct rk_plan *plan, uint64_t part)
{
    struct walk walk = {.out = out,
                        .runs = runs,
                        .model = model,
                        .system = system,
                        .index = rk_plan_stage_of(plan, part)};
    memset(out, 0, sizeof *out);
    walk_part(&walk, plan, part);
    close_walk(&walk);
}
