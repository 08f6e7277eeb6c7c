/* simulate_events.c - what a simulation tells of: memory, passes, links. */
#include "schedule/flight.h"
#include "timeline/simulation.h"
#include "timeline/timeline.h"

static void give_sample(const struct simulation *sim, const struct timeline_sample *sample)
{
    if (sim->visitor->sample) sim->visitor->sample(sim->visitor->context, sample);
}

/* Gives a sample of the window; the one before its begin is given when the next one follows. */
static void report_sample(const struct simulation *sim, struct worker *w,
                          const struct timeline_sample *sample)
{
    const struct timeline_window *window = sim->window;
    const uint32_t stage = sample->stage;
    if (stage < window->first_stage || stage > window->last_stage) return;
    if (w->last.time_s < window->from_s && sample->time_s > window->from_s && w->last.time_s >= 0 &&
        w->last.time_s <= window->to_s) {
        struct timeline_sample begin = w->last;
        begin.time_s = window->from_s;
        give_sample(sim, &begin);
    }
    if (sample->time_s >= window->from_s && sample->time_s <= window->to_s)
        give_sample(sim, sample);
    w->last = *sample;
}

void simulation_set_memory(const struct simulation *sim, struct worker *w, double time_s,
                           enum timeline_phase phase)
{
    const struct timeline_sample sample = {time_s, w->stage, phase, w->held};
    if (w->held > w->most[phase].held || w->most[phase].time_s < 0) w->most[phase] = sample;
    if (sim->visitor) report_sample(sim, w, &sample);
}

/* ---- events ---- */

void simulation_give(const struct simulation *sim, const struct timeline_event *event)
{
    const struct timeline_window *window = sim->window;
    if (!sim->visitor->event || event->stage < window->first_stage ||
        event->stage > window->last_stage || event->end_s < window->from_s ||
        event->start_s > window->to_s)
        return;
    sim->visitor->event(sim->visitor->context, event);
}

void simulation_give_span(const struct simulation *sim, struct timeline_event *event,
                          enum timeline_kind kind, double start_s, double end_s, double bytes)
{
    if (!(end_s > start_s)) return;
    event->kind = kind;
    event->start_s = start_s;
    event->end_s = end_s;
    event->bytes = bytes;
    simulation_give(sim, event);
}

bool simulation_goes_both_ways(const struct timeline_plan *plan)
{
    const enum rk_schedule schedule = plan->pipeline.schedule;
    return schedule == RK_DUALPIPE || rk_schedule_folds(schedule);
}

bool simulation_goes_down(const struct simulation *sim, const struct order_pass *pass)
{
    return (pass->pass != PASS_FORWARD) !=
           (simulation_goes_both_ways(sim->plan) && pass->chunk == 1);
}

struct timeline_event simulation_event_of(const struct simulation *sim, const struct worker *w,
                                          const struct run *run)
{
    return (struct timeline_event){
        .down = simulation_goes_down(sim, &run->order),
        .pass = run->order.pass,
        .stage = w->stage,
        .chunk = run->order.chunk,
        .microbatch = run->order.microbatch,
        .blocks = run->chunk->blocks,
        .peer = w->stage,
    };
}

static const enum timeline_kind compute_kinds[PASSES] = {
    TIMELINE_EVENT_FORWARD, TIMELINE_EVENT_BACKWARD, TIMELINE_EVENT_AGRAD, TIMELINE_EVENT_WGRAD};

/* A network is busy at the end of what it belongs to. Returns from when on. */
static double give_link(const struct simulation *sim, struct timeline_event *event,
                        enum timeline_kind kind, double start_s, double end_s, double link_s)
{
    const double begin_s = end_s - link_s > start_s ? end_s - link_s : start_s;
    if (link_s > 0) simulation_give_span(sim, event, kind, begin_s, end_s, 0);
    return link_s > 0 ? begin_s : end_s;
}

void simulation_give_compute(const struct simulation *sim, const struct worker *w,
                             const struct run *run)
{
    const struct timeline_duration *d = run->duration;
    const double from_s = run->start_s + d->recompute_s, waits_s = run->end_s - d->wait_s;
    const double to_s = waits_s - d->data_s;
    double busy_s = to_s;
    struct timeline_event event = simulation_event_of(sim, w, run);
    simulation_give_span(sim, &event, TIMELINE_EVENT_RECOMPUTE, run->start_s, from_s, 0);
    simulation_give_span(sim, &event, compute_kinds[run->order.pass], from_s, to_s, 0);
    simulation_give_span(sim, &event, TIMELINE_EVENT_DATA_WAIT, to_s, waits_s, 0);
    simulation_give_span(sim, &event, TIMELINE_EVENT_WAIT, waits_s, run->end_s, 0);
    give_link(sim, &event, TIMELINE_EVENT_TENSOR_COMM, run->start_s, from_s, d->recompute_link_s);
    for (int link = 0; link < TIMELINE_LINKS; link++)
        busy_s = give_link(sim, &event, TIMELINE_EVENT_TENSOR_COMM + link, from_s, busy_s,
                           d->compute_link_s[link]);
}
