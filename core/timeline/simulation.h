/* simulation.h - a simulation on its way: ranks, inboxes, and whom events are told. */
#ifndef RECKON_TIMELINE_SIMULATION_H
#define RECKON_TIMELINE_SIMULATION_H

#include "timeline/timeline.h"

/* Messages to a stage in the order in which they are sent, which is that in which they are
 * needed: the times at which they arrive. */
struct inbox {
    double *arrival; /* (mask + 1), a ring */
    uint64_t sent, taken;
};

/* To the next part of the model, or back. A stage has an inbox for each direction; with dualpipe
 * and in a V, for each of its chunks: they send in turns that are not those in which they receive.
 */
enum { NO_INBOX = -1, TO_NEXT = 0, TO_PREVIOUS = 1, DIRECTIONS = 2, INBOXES = 4 };

struct worker {
    struct order_cursor cursor;
    struct order_pass next;
    bool busy; /* `next` is there to be run */
    int waits; /* for a message in this inbox, or NO_INBOX */
    uint32_t stage;
    double computed_s;              /* the last pass ended */
    double free_s;                  /* computing is possible from here on */
    double link_free_s[DIRECTIONS]; /* ... sending, while the device computes */
    double in_free_s, out_free_s;   /* ... offload transfers */
    double reduce_free_s;           /* ... reductions */
    struct inbox inbox[INBOXES];
    double held; /* in flight */
    struct timeline_sample most[TIMELINE_PHASES], last;
    struct timeline_stage sums;
};

struct simulation {
    const struct timeline_plan *plan;
    const struct timeline_window *window;
    const struct timeline_visitor *visitor; /* NULL: totals alone */
    uint64_t mask;
    struct worker *worker; /* (stages) */
    uint32_t *ready;       /* (stages) a stack of those that can continue */
    uint32_t ready_count;
    double *arrivals;
};

/* A pass on its way through run_pass. */
struct run {
    struct order_pass order;
    const struct timeline_chunk *chunk;
    const struct timeline_duration *duration;
    double start_s, end_s; /* of computing, with waits */
    double free_s;         /* end_s, and the message if the stage waits for it */
};

void simulation_set_memory(const struct simulation *sim, struct worker *w, double time_s,
                           enum timeline_phase phase);

void simulation_give(const struct simulation *sim, const struct timeline_event *event);

void simulation_give_span(const struct simulation *sim, struct timeline_event *event,
                          enum timeline_kind kind, double start_s, double end_s, double bytes);

/* Does the second chunk of a stage go the other way? */
bool simulation_goes_both_ways(const struct timeline_plan *plan);

/* Does what a pass sends and receives go towards the first stage? */
bool simulation_goes_down(const struct simulation *sim, const struct order_pass *pass);

struct timeline_event simulation_event_of(const struct simulation *sim, const struct worker *w,
                                          const struct run *run);

/* Recompute, compute, data and wait follow each other; a slowdown by reductions counts as
 * computing. */
void simulation_give_compute(const struct simulation *sim, const struct worker *w,
                             const struct run *run);

#endif
