/* log.c - events and memory samples as arrays, and windows to ask for. */
#include "base/memory.h"
#include "timeline/timeline.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
const struct timeline_kind_info timeline_kinds[TIMELINE_KIND_COUNT] = {
    /*                              name          track */
    [TIMELINE_EVENT_FORWARD]     = {"forward",    TIMELINE_COMPUTE},
    [TIMELINE_EVENT_RECOMPUTE]   = {"recompute",  TIMELINE_COMPUTE},
    [TIMELINE_EVENT_BACKWARD]    = {"backward",   TIMELINE_COMPUTE},
    [TIMELINE_EVENT_AGRAD]       = {"agrad",      TIMELINE_COMPUTE},
    [TIMELINE_EVENT_WGRAD]       = {"wgrad",      TIMELINE_COMPUTE},
    [TIMELINE_EVENT_DATA_WAIT]   = {"data wait",  TIMELINE_COMPUTE},
    [TIMELINE_EVENT_WAIT]        = {"wait",       TIMELINE_COMPUTE},
    [TIMELINE_EVENT_OPTIMIZER]   = {"optimizer",  TIMELINE_COMPUTE},
    [TIMELINE_EVENT_TENSOR_COMM] = {"tensor comm", TIMELINE_TENSOR},
    [TIMELINE_EVENT_CONTEXT_COMM] = {"context comm", TIMELINE_CONTEXT},
    [TIMELINE_EVENT_EXPERT_COMM] = {"expert comm", TIMELINE_EXPERT},
    [TIMELINE_EVENT_SEND]        = {"send",       TIMELINE_SENDS},
    [TIMELINE_EVENT_CHARGE]      = {"charge",     TIMELINE_SENDS},
    [TIMELINE_EVENT_RECEIVE]     = {"receive",    TIMELINE_RECEIVES},
    [TIMELINE_EVENT_REDUCE]      = {"reduce",     TIMELINE_DATA},
    [TIMELINE_EVENT_GATHER]      = {"gather",     TIMELINE_DATA},
    [TIMELINE_EVENT_IN]          = {"in",         TIMELINE_OFFLOAD_IN},
    [TIMELINE_EVENT_OUT]         = {"out",        TIMELINE_OFFLOAD_OUT},
    [TIMELINE_EVENT_CHUNKS_IN]   = {"chunks in",  TIMELINE_OFFLOAD_IN},
    [TIMELINE_EVENT_CHUNKS_OUT]  = {"chunks out", TIMELINE_OFFLOAD_OUT},
};
const char *const timeline_tracks[TIMELINE_TRACKS] = {
    [TIMELINE_COMPUTE]       = "compute",
    [TIMELINE_TENSOR]        = "TP comm",
    [TIMELINE_SENDS]         = "PP send",
    [TIMELINE_SENDS_BACK]    = "PP send back",
    [TIMELINE_RECEIVES]      = "PP recv",
    [TIMELINE_RECEIVES_BACK] = "PP recv back",
    [TIMELINE_DATA]          = "DP comm",
    [TIMELINE_OFFLOAD_IN]    = "offload in",
    [TIMELINE_OFFLOAD_OUT]   = "offload out",
    [TIMELINE_CONTEXT]       = "CP comm",
    [TIMELINE_EXPERT]        = "EP comm",
};
/* clang-format on */

/* ---- windows ---- */

struct timeline_window timeline_everything(void)
{
    return (struct timeline_window){0, INFINITY, 0, UINT32_MAX};
}

/* Recompute, waits and transfers come with some passes only. */
static uint64_t pass_events(const struct timeline_plan *plan, const struct timeline_duration *d,
                            enum pass pass)
{
    const uint64_t messages = plan->stages > 1 && pass != PASS_WEIGHT_GRAD ? 2 : 0;
    uint64_t events = 1 + (d->recompute_s > 0) + (d->data_s > 0) + (d->wait_s > 0) +
                      (d->recompute_link_s > 0) + (d->in_s > 0) + (d->out_s > 0) +
                      (d->chunks_in_s > 0) + (d->chunks_out_s > 0) + messages;
    for (int link = 0; link < TIMELINE_LINKS; link++)
        events += d->compute_link_s[link] > 0;
    return events;
}

/* As if all chunks were like the first one. */
uint64_t timeline_event_estimate(const struct timeline_plan *plan)
{
    const struct pipeline *p = &plan->pipeline;
    const uint64_t each = (uint64_t)plan->stages * plan->chunks * pipeline_microbatches(p);
    const struct timeline_chunk *chunk = &plan->chunk[0];
    uint64_t events = plan->stages * (1 + (plan->reduces ? timeline_blocks(plan, 0) : 0));
    for (int pass = 0; pass < PASSES; pass++) {
        const bool half = pass == PASS_INPUT_GRAD || pass == PASS_WEIGHT_GRAD;
        const bool runs = pass == PASS_FORWARD || (!p->forward_only && half == pipeline_splits(p));
        if (runs) events += each * pass_events(plan, &chunk->pass[pass], (enum pass)pass);
    }
    return events;
}

struct timeline_window timeline_middle(const struct timeline_plan *plan,
                                       const struct timeline *timeline, uint64_t events)
{
    struct timeline_window window = timeline_everything();
    const double share = (double)events / (double)timeline_event_estimate(plan);
    if (share >= 1) return window;
    window.from_s = timeline->step_s * (1 - share) / 2;
    window.to_s = timeline->step_s * (1 + share) / 2;
    return window;
}

/* ---- arrays ---- */

struct growing {
    struct timeline_log *log;
    bool failed;
};

static void add_event(void *context, const struct timeline_event *event)
{
    struct growing *g = context;
    struct timeline_log *log = g->log;
    g->failed |= !ARRAY_ROOM(log->events, log->event_count);
    if (!g->failed) log->events[log->event_count++] = *event;
}

static void add_sample(void *context, const struct timeline_sample *sample)
{
    struct growing *g = context;
    struct timeline_log *log = g->log;
    g->failed |= !ARRAY_ROOM(log->samples, log->sample_count);
    if (!g->failed) log->samples[log->sample_count++] = *sample;
}

enum rk_status timeline_log_open(const struct timeline_plan *plan,
                                 const struct timeline_window *window, struct timeline_log *log,
                                 struct rk_error *error)
{
    struct growing growing = {.log = log};
    const struct timeline_visitor visitor = {&growing, add_event, add_sample};
    *log = (struct timeline_log){.event_count = 0};
    enum rk_status status = timeline_visit(plan, window, &visitor, error);
    if (status == RK_OK && growing.failed)
        status = rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "out of memory for %zu events",
                         log->event_count);
    if (status != RK_OK) timeline_log_release(log);
    return status;
}

void timeline_log_release(struct timeline_log *log)
{
    free(log->events);
    free(log->samples);
    *log = (struct timeline_log){.event_count = 0};
}
