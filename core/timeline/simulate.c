/* simulate.c - the simulation: stages that wait for each other's messages. */
#include "timeline/simulation.h"
#include "timeline/timeline.h"

#include "schedule/flight.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ---- messages ---- */

/* Which way a pass takes its input: NO_INBOX for the first ones of a microbatch, in forward and
 * backward, and for weight gradients. */
static inline int source_of(const struct timeline_plan *plan, uint32_t stage,
                            const struct order_pass *pass)
{
    const uint64_t last = pipeline_parts(&plan->pipeline) - 1;
    const uint64_t part = pipeline_part(&plan->pipeline, stage, pass->chunk);
    if (pass->pass == PASS_FORWARD) return part == 0 ? NO_INBOX : TO_NEXT;
    return pass->pass != PASS_WEIGHT_GRAD && part < last ? TO_PREVIOUS : NO_INBOX;
}

/* Where its result goes: the same, the other way round. */
static inline int target_of(const struct timeline_plan *plan, uint32_t stage,
                            const struct order_pass *pass)
{
    const uint64_t last = pipeline_parts(&plan->pipeline) - 1;
    const uint64_t part = pipeline_part(&plan->pipeline, stage, pass->chunk);
    if (pass->pass == PASS_FORWARD) return part == last ? NO_INBOX : TO_NEXT;
    return pass->pass != PASS_WEIGHT_GRAD && part > 0 ? TO_PREVIOUS : NO_INBOX;
}

static inline int inbox_of(const struct timeline_plan *plan, uint32_t chunk, int direction)
{
    return direction + (simulation_goes_both_ways(plan) ? DIRECTIONS * (int)chunk : 0);
}

static inline uint32_t neighbour(const struct timeline_plan *plan, uint32_t stage, uint32_t chunk,
                                 int direction)
{
    return pipeline_neighbour(&plan->pipeline, stage, chunk, direction == TO_NEXT);
}

/* One number for each message: where in the pipeline it starts, which way, which microbatch. */
static uint64_t flow_of(const struct timeline_plan *plan, uint64_t sender, int direction,
                        uint32_t microbatch)
{
    return ((sender * DIRECTIONS + (uint64_t)direction) * plan->microbatches) + microbatch + 1;
}

static void give_send(const struct simulation *sim, const struct worker *w, const struct run *run,
                      int direction, double start_s, double end_s)
{
    const struct timeline_plan *plan = sim->plan;
    struct timeline_event event = simulation_event_of(sim, w, run);
    if (direction == NO_INBOX) {
        simulation_give_span(sim, &event, TIMELINE_EVENT_CHARGE, start_s, end_s, 0);
        return;
    }
    const uint64_t part = pipeline_part(&plan->pipeline, w->stage, run->order.chunk);
    event.kind = TIMELINE_EVENT_SEND;
    event.peer = neighbour(plan, w->stage, run->order.chunk, direction);
    event.flow = flow_of(plan, part, direction, run->order.microbatch);
    event.start_s = start_s;
    event.end_s = end_s;
    event.bytes = plan->message_bytes[direction];
    simulation_give(sim, &event);
}

static void give_receive(const struct simulation *sim, const struct worker *w,
                         const struct run *run, int direction, double arrival_s)
{
    const struct timeline_plan *plan = sim->plan;
    const uint64_t part = pipeline_part(&plan->pipeline, w->stage, run->order.chunk);
    struct timeline_event event = simulation_event_of(sim, w, run);
    event.kind = TIMELINE_EVENT_RECEIVE;
    event.peer =
        neighbour(plan, w->stage, run->order.chunk, direction == TO_NEXT ? TO_PREVIOUS : TO_NEXT);
    if (event.peer == w->stage) return;
    event.flow =
        flow_of(plan, direction == TO_NEXT ? part - 1 : part + 1, direction, run->order.microbatch);
    event.start_s = arrival_s;
    event.end_s = run->start_s;
    event.bytes = plan->message_bytes[direction];
    simulation_give(sim, &event);
}

static inline void post(struct simulation *sim, uint32_t stage, int box, double arrival_s)
{
    struct worker *w = &sim->worker[stage];
    struct inbox *inbox = &w->inbox[box];
    assert(inbox->sent - inbox->taken <= sim->mask);
    inbox->arrival[inbox->sent++ & sim->mask] = arrival_s;
    if (w->waits == box) {
        w->waits = NO_INBOX;
        sim->ready[sim->ready_count++] = stage;
    }
}

/* Work after a forward or backward pass. Sets when the stage is free. */
static inline void send(struct simulation *sim, struct worker *w, struct run *run)
{
    const struct timeline_plan *plan = sim->plan;
    const int direction = run->order.pass == PASS_FORWARD ? TO_NEXT : TO_PREVIOUS;
    const int target = target_of(plan, w->stage, &run->order);
    const uint32_t chunk = run->order.chunk;
    const double message_s = plan->message_s[direction] + run->chunk->send_s[direction];
    double start_s = run->end_s;
    run->free_s = run->end_s;
    if (target == NO_INBOX && plan->messages != TIMELINE_CHARGED) return;
    if (target != NO_INBOX && neighbour(plan, w->stage, chunk, target) == w->stage) {
        post(sim, w->stage, inbox_of(plan, 1 - chunk, target), start_s); /* the tip of a V */
        return;
    }
    if (plan->messages == TIMELINE_BESIDE) {
        double *free_s = &w->link_free_s[simulation_goes_down(sim, &run->order)];
        if (*free_s > start_s) start_s = *free_s;
        *free_s = start_s + message_s;
    } else {
        run->free_s = start_s + message_s;
        w->sums.message_s += message_s;
    }
    if (sim->visitor) give_send(sim, w, run, target, start_s, start_s + message_s);
    if (target != NO_INBOX)
        post(sim, neighbour(plan, w->stage, chunk, target), inbox_of(plan, chunk, target),
             start_s + message_s);
}

/* ---- data-parallel reduction that overlaps with backward ---- */

/* Reduces the pieces of a chunk whose gradients are complete, each when its part of the pass is
 * done. Returns for how long computation overlapped with a reduction. */
static double reduce_chunk(const struct simulation *sim, struct worker *w, const struct run *run)
{
    const struct timeline_chunk *chunk = run->chunk;
    const uint64_t pieces = chunk->reduce_s > 0 ? timeline_pieces(chunk) : 0;
    const double piece_s = (run->end_s - run->start_s) / (double)timeline_pieces(chunk);
    double beside_s = 0;
    for (uint64_t i = 0; i < pieces; i++) {
        const double done_s = run->start_s + (double)(i + 1) * piece_s;
        const double start_s = done_s > w->reduce_free_s ? done_s : w->reduce_free_s;
        const double end_s = start_s + chunk->reduce_s;
        struct timeline_event event = simulation_event_of(sim, w, run);
        event.blocks = chunk->blocks > 0;
        w->reduce_free_s = end_s;
        if (start_s < run->end_s) beside_s += fmin(end_s, run->end_s) - start_s;
        if (sim->visitor)
            simulation_give_span(sim, &event, TIMELINE_EVENT_REDUCE, start_s, end_s,
                                 chunk->reduce_bytes);
    }
    return beside_s;
}

static inline bool completes_gradients(const struct timeline_plan *plan,
                                       const struct order_pass *pass)
{
    const uint64_t each = pipeline_microbatches(&plan->pipeline);
    const bool dual = plan->pipeline.schedule == RK_DUALPIPE;
    return pass->microbatch + 1 == (dual ? pass->chunk + 1 : 1) * each &&
           (pass->pass == PASS_BACKWARD || pass->pass == PASS_WEIGHT_GRAD);
}

/* ---- one pass ---- */

/* How long a pass keeps the links to lower tiers busy. */
static inline double in_of(const struct timeline_duration *d)
{
    return d->in_s + d->chunks_in_s;
}

static inline double out_of(const struct timeline_duration *d)
{
    return d->out_s + d->chunks_out_s;
}

static void give_transfers(const struct simulation *sim, const struct worker *w,
                           const struct run *run)
{
    const struct timeline_duration *d = run->duration;
    const double in_s = run->start_s + d->in_s, out_s = run->start_s + d->out_s;
    struct timeline_event event = simulation_event_of(sim, w, run);
    simulation_give_span(sim, &event, TIMELINE_EVENT_IN, run->start_s, in_s, d->in_bytes);
    simulation_give_span(sim, &event, TIMELINE_EVENT_CHUNKS_IN, in_s, in_s + d->chunks_in_s,
                         d->chunks_in_bytes);
    simulation_give_span(sim, &event, TIMELINE_EVENT_OUT, run->start_s, out_s, d->out_bytes);
    simulation_give_span(sim, &event, TIMELINE_EVENT_CHUNKS_OUT, out_s, out_s + d->chunks_out_s,
                         d->chunks_out_bytes);
}

/* Transfers overlap with their pass and follow those of earlier passes. */
static inline void transfer(const struct simulation *sim, struct worker *w, const struct run *run)
{
    const double in_s = in_of(run->duration), out_s = out_of(run->duration);
    if (in_s <= 0 && out_s <= 0) return;
    if (in_s > 0) w->in_free_s = run->start_s + in_s;
    if (out_s > 0) w->out_free_s = run->start_s + out_s;
    if (sim->visitor) give_transfers(sim, w, run);
}

/* When the pass starts: the stage is free, its message is there, and so are earlier transfers if
 * it has some of its own. */
static inline double start_of(const struct worker *w, const struct timeline_duration *d,
                              double arrival_s)
{
    double start_s = w->free_s > arrival_s ? w->free_s : arrival_s;
    if (in_of(d) > 0 && w->in_free_s > start_s) start_s = w->in_free_s;
    if (out_of(d) > 0 && w->out_free_s > start_s) start_s = w->out_free_s;
    return start_s;
}

/* Computation takes longer while a reduction uses the processor. */
static inline double slowed(const struct worker *w, const struct timeline_plan *plan,
                            double start_s, double duration_s)
{
    const double beside_s = w->reduce_free_s - start_s;
    if (!plan->reduce_beside || beside_s <= 0) return 0;
    return plan->processor_usage * (beside_s < duration_s ? beside_s : duration_s);
}

static inline void enter(const struct simulation *sim, struct worker *w, const struct run *run)
{
    const bool forward = run->order.pass == PASS_FORWARD;
    if (run->start_s > w->computed_s) simulation_set_memory(sim, w, w->computed_s, TIMELINE_IDLE);
    if (forward && !sim->plan->pipeline.forward_only) w->held += run->chunk->held;
    simulation_set_memory(sim, w, run->start_s,
                          forward ? TIMELINE_IN_FORWARD : TIMELINE_IN_BACKWARD);
}

static inline void leave(struct worker *w, const struct run *run)
{
    const struct timeline_chunk *chunk = run->chunk;
    const double freed[PASSES] = {0, chunk->held, chunk->released, chunk->held - chunk->released};
    w->held -= freed[run->order.pass];
    w->computed_s = run->end_s;
    w->free_s = run->free_s;
}

static inline void run_pass(struct simulation *sim, struct worker *w, int source)
{
    const struct timeline_plan *plan = sim->plan;
    struct inbox *inbox = &w->inbox[source == NO_INBOX ? 0 : inbox_of(plan, w->next.chunk, source)];
    const double arrival_s = source == NO_INBOX ? 0 : inbox->arrival[inbox->taken++ & sim->mask];
    struct run run = {.order = w->next, .chunk = timeline_chunk_of(plan, w->stage, w->next.chunk)};
    run.duration = &run.chunk->pass[run.order.pass];
    run.start_s = start_of(w, run.duration, arrival_s);
    run.end_s =
        run.start_s + run.duration->total_s + slowed(w, plan, run.start_s, run.duration->total_s);
    enter(sim, w, &run);
    if (plan->reduce_beside && completes_gradients(plan, &run.order))
        run.end_s += plan->processor_usage * reduce_chunk(sim, w, &run);
    if (sim->visitor && source != NO_INBOX) give_receive(sim, w, &run, source, arrival_s);
    if (sim->visitor) simulation_give_compute(sim, w, &run);
    transfer(sim, w, &run);
    if (run.order.pass == PASS_WEIGHT_GRAD)
        run.free_s = run.end_s;
    else
        send(sim, w, &run);
    w->sums.compute_s += run.end_s - run.start_s - run.duration->wait_s - run.duration->data_s;
    w->sums.reduce_s += run.duration->data_s;
    w->sums.offload_s += run.duration->wait_s;
    leave(w, &run);
}

/* Runs the stage until a message is missing or nothing is left. */
static void run_stage(struct simulation *sim, struct worker *w)
{
    for (;;) {
        if (!w->busy && !(w->busy = order_next(&w->cursor, &w->next))) return;
        const int source = source_of(sim->plan, w->stage, &w->next);
        if (source != NO_INBOX) {
            const int box = inbox_of(sim->plan, w->next.chunk, source);
            if (w->inbox[box].sent == w->inbox[box].taken) {
                w->waits = box;
                return;
            }
        }
        run_pass(sim, w, source);
        w->busy = false;
    }
}

/* ---- the end of a step ---- */

/* All that a stage reduces, and its bytes. */
static double reduction_of(const struct timeline_plan *plan, uint32_t stage, double *bytes)
{
    double reduce_s = 0;
    *bytes = 0;
    for (uint32_t i = 0; i < plan->chunks; i++) {
        const struct timeline_chunk *chunk = timeline_chunk_of(plan, stage, i);
        reduce_s += (double)timeline_pieces(chunk) * chunk->reduce_s;
        *bytes += (double)timeline_pieces(chunk) * chunk->reduce_bytes;
    }
    return reduce_s;
}

/* Reduction that did not overlap with backward, optimizer, and the gather of its result. */
static void finish_stage(const struct simulation *sim, struct worker *w)
{
    const struct timeline_plan *plan = sim->plan;
    const struct timeline_end *end = &plan->end[w->stage];
    const double computed_s = fmax(w->free_s, fmax(w->in_free_s, w->out_free_s));
    const struct run run = {.order = {PASS_BACKWARD, 0, plan->microbatches - 1},
                            .chunk = timeline_chunk_of(plan, w->stage, 0)};
    struct timeline_event event = simulation_event_of(sim, w, &run);
    event.blocks = timeline_blocks(plan, w->stage);
    simulation_set_memory(sim, w, w->computed_s, TIMELINE_IDLE);
    if (plan->reduces && !plan->reduce_beside) {
        double bytes;
        w->reduce_free_s = computed_s + reduction_of(plan, w->stage, &bytes);
        if (sim->visitor)
            simulation_give_span(sim, &event, TIMELINE_EVENT_REDUCE, computed_s, w->reduce_free_s,
                                 bytes);
    }
    const double reduced_s = fmax(computed_s, w->reduce_free_s);
    const double stepped_s = reduced_s + end->optimizer_s;
    w->sums.reduce_s += reduced_s - computed_s + end->gather_s;
    w->sums.optimizer_s = end->optimizer_s;
    w->sums.end_s = stepped_s + end->gather_s;
    w->sums.blocks = event.blocks;
    if (!sim->visitor) return;
    simulation_give_span(sim, &event, TIMELINE_EVENT_OPTIMIZER, reduced_s, stepped_s, 0);
    simulation_give_span(sim, &event, TIMELINE_EVENT_GATHER, stepped_s, w->sums.end_s, 0);
}

/* ---- setting up ---- */

static uint64_t power_of_two(uint64_t least)
{
    uint64_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

static enum rk_status simulation_open(struct simulation *sim, const struct timeline_plan *plan,
                                      struct rk_error *error)
{
    const uint64_t room = power_of_two(flight_chunks(&plan->pipeline, 0));
    *sim = (struct simulation){.plan = plan, .mask = room - 1};
    sim->worker = calloc(plan->stages, sizeof *sim->worker);
    sim->ready = calloc(plan->stages, sizeof *sim->ready);
    sim->arrivals = calloc(plan->stages * room, INBOXES * sizeof *sim->arrivals);
    if (!sim->worker || !sim->ready || !sim->arrivals)
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "out of memory for %llu passes",
                       (unsigned long long)timeline_passes(plan));
    for (uint32_t stage = 0; stage < plan->stages; stage++) {
        struct worker *w = &sim->worker[stage];
        w->cursor = order_open(&plan->pipeline, stage);
        w->stage = stage;
        w->waits = NO_INBOX;
        w->last = (struct timeline_sample){.time_s = -1};
        for (int phase = 0; phase < TIMELINE_PHASES; phase++)
            w->most[phase] = (struct timeline_sample){-1, stage, (enum timeline_phase)phase, 0};
        for (int i = 0; i < INBOXES; i++)
            w->inbox[i].arrival = sim->arrivals + (stage * INBOXES + (uint64_t)i) * room;
        sim->ready[plan->stages - 1 - stage] = stage; /* stage 0 goes first */
    }
    sim->ready_count = plan->stages;
    return RK_OK;
}

static void simulation_release(struct simulation *sim)
{
    free(sim->worker);
    free(sim->ready);
    free(sim->arrivals);
}

static void simulation_run(struct simulation *sim)
{
    while (sim->ready_count > 0)
        run_stage(sim, &sim->worker[sim->ready[--sim->ready_count]]);
    for (uint32_t stage = 0; stage < sim->plan->stages; stage++) {
        assert(!sim->worker[stage].busy); /* no schedule waits for itself */
        finish_stage(sim, &sim->worker[stage]);
    }
}

/* ---- results ---- */

static void find_peaks(const struct timeline_plan *plan, struct worker *w)
{
    for (int tier = 0; tier < plan->tiers; tier++) {
        w->sums.peak_bytes[tier] = -1;
        for (int phase = 0; phase < TIMELINE_PHASES; phase++) {
            const double bytes = timeline_tier_bytes(plan, tier, &w->most[phase]);
            if (w->most[phase].time_s < 0 || bytes <= w->sums.peak_bytes[tier]) continue;
            w->sums.peak_bytes[tier] = bytes;
            w->sums.peak[tier] = w->most[phase];
        }
    }
}

/* A share of capacity; the lower the stage, the earlier it is named. */
static void find_tightest(const struct timeline_plan *plan, struct timeline *timeline)
{
    double most = -1;
    for (int tier = 0; tier < plan->tiers; tier++)
        for (uint32_t stage = 0; stage < plan->stages; stage++) {
            const double share =
                timeline->stage[stage].peak_bytes[tier] / plan->tier[tier].capacity_bytes[stage];
            if (!(share > most)) continue;
            most = share;
            timeline->tightest_stage = stage;
            timeline->tightest_tier = tier;
        }
}

static void fill_result(const struct simulation *sim, struct timeline *timeline)
{
    const struct timeline_plan *plan = sim->plan;
    for (uint32_t stage = 0; stage < plan->stages; stage++) {
        find_peaks(plan, &sim->worker[stage]);
        timeline->stage[stage] = sim->worker[stage].sums;
        timeline->step_s = fmax(timeline->step_s, timeline->stage[stage].end_s);
    }
    for (uint32_t stage = 0; stage < plan->stages; stage++) {
        struct timeline_stage *s = &timeline->stage[stage];
        const double idle_s = timeline->step_s - s->compute_s - s->offload_s - s->message_s -
                              s->reduce_s - s->optimizer_s;
        s->idle_s = idle_s > 1e-12 * timeline->step_s ? idle_s : 0;
        s->bubble = timeline->step_s > 0 ? s->idle_s / timeline->step_s : 0;
    }
    find_tightest(plan, timeline);
}

enum rk_status timeline_simulate(const struct timeline_plan *plan, struct timeline *timeline,
                                 struct rk_error *error)
{
    struct simulation sim;
    *timeline = (struct timeline){.stages = plan->stages, .passes = timeline_passes(plan)};
    enum rk_status status = simulation_open(&sim, plan, error);
    if (status != RK_OK) goto out;
    timeline->stage = calloc(plan->stages, sizeof *timeline->stage);
    if (!timeline->stage) {
        status =
            rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "out of memory for %u stages", plan->stages);
        goto out;
    }
    simulation_run(&sim);
    fill_result(&sim, timeline);
out:
    simulation_release(&sim);
    return status;
}

void timeline_release(struct timeline *timeline)
{
    free(timeline->stage);
    *timeline = (struct timeline){.stages = 0};
}

enum rk_status timeline_visit(const struct timeline_plan *plan,
                              const struct timeline_window *window,
                              const struct timeline_visitor *visitor, struct rk_error *error)
{
    struct simulation sim;
    const enum rk_status status = simulation_open(&sim, plan, error);
    if (status == RK_OK) {
        sim.window = window;
        sim.visitor = visitor;
        simulation_run(&sim);
    }
    simulation_release(&sim);
    return status;
}
