/* order.h - in which order a stage runs its passes, under each schedule.
 *
 * A stage runs each of its `chunks` once per microbatch and kind of pass: forward, backward, and
 * weight gradient where the schedule splits backward. The passes of a kind follow one walk over
 * rounds of `stages` microbatches: in a round each chunk runs all of them before the next chunk
 * does [narayanan2021, fig. 4]; backward takes the chunks from the last one on. A schedule says
 * how the walks are interleaved:
 *
 *     gpipe        all forward, then all backward                                 [huang2019]
 *     1f1b         stages-1-stage forward first, then one forward, one backward   [narayanan2019]
 *     interleaved  2(stages-1-stage) + (chunks-1)stages forward first, the same   [narayanan2021]
 *     zb-h1        1f1b with backward split: stage s runs the weight gradient of
 *                  a microbatch s backwards later, the last s ones at the end         [qi2023]
 *
 * Microbatches that the last round of an interleaved schedule lacks are left out of the order of
 * a full round. The order is made on the way, by a cursor: no list is kept. Pure.
 */
#ifndef RECKON_TIMELINE_ORDER_H
#define RECKON_TIMELINE_ORDER_H

#include "timeline/timeline.h"

#include <stdbool.h>
#include <stdint.h>

struct order_pass {
    enum timeline_pass pass;
    uint32_t chunk, microbatch;
};

/* The next pass of one kind; `done` counts the missing microbatches, too. */
struct order_walk {
    uint64_t done;
    uint32_t first, chunk, member; /* microbatch = first + member */
};

struct order_cursor {
    struct order_walk walk[TIMELINE_PASSES];
    uint64_t total;  /* passes of a kind, with those that the last round lacks */
    uint64_t warmup; /* forward passes before the first backward */
    uint64_t delay;  /* backward passes that a weight gradient waits for */
    uint32_t stages, chunks, microbatches;
    bool backward, split;
};

/* Passes of a kind that a stage runs, with those that the last round lacks. */
static inline uint64_t order_total(const struct timeline_plan *plan)
{
    const uint64_t rounds = (plan->microbatches - 1) / plan->stages + 1;
    return rounds * plan->stages * plan->chunks;
}

/* Forward passes before the first backward. */
static inline uint64_t order_warmup(const struct timeline_plan *plan, uint32_t stage)
{
    const uint64_t total = order_total(plan), later = plan->stages - 1 - stage;
    uint64_t warmup = later;
    if (!plan->training || plan->schedule == TIMELINE_GPIPE) warmup = total;
    if (plan->schedule == TIMELINE_INTERLEAVED)
        warmup = 2 * later + (uint64_t)(plan->chunks - 1) * plan->stages;
    return warmup < total ? warmup : total;
}

/* No more forward passes than these are without their (last) backward at any time. */
static inline uint64_t order_in_flight(const struct timeline_plan *plan, uint32_t stage)
{
    const uint64_t total = order_total(plan), delay = plan->split ? stage : 0;
    const uint64_t most = order_warmup(plan, stage) + 1 + delay;
    return plan->training && most < total ? most : total;
}

static inline struct order_cursor order_open(const struct timeline_plan *plan, uint32_t stage)
{
    return (struct order_cursor){
        .total = order_total(plan),
        .warmup = order_warmup(plan, stage),
        .delay = stage,
        .stages = plan->stages,
        .chunks = plan->chunks,
        .microbatches = plan->microbatches,
        .backward = plan->training,
        .split = plan->split,
    };
}

static inline struct order_pass order_take(struct order_cursor *cursor, enum timeline_pass pass)
{
    struct order_walk *walk = &cursor->walk[pass];
    const uint32_t chunk =
        pass == TIMELINE_FORWARD ? walk->chunk : cursor->chunks - 1 - walk->chunk;
    const struct order_pass taken = {pass, chunk, walk->first + walk->member};
    walk->done++;
    if (++walk->member == cursor->stages) {
        walk->member = 0;
        if (++walk->chunk == cursor->chunks) {
            walk->chunk = 0;
            walk->first += cursor->stages;
        }
    }
    return taken;
}

/* Which kind of pass is next; TIMELINE_PASSES at the end. */
static inline enum timeline_pass order_kind(const struct order_cursor *cursor)
{
    const uint64_t forward = cursor->walk[TIMELINE_FORWARD].done;
    const uint64_t backward = cursor->walk[TIMELINE_BACKWARD].done;
    const uint64_t weight = cursor->walk[TIMELINE_WEIGHT_GRAD].done;
    if (cursor->split && backward - weight > (backward < cursor->total ? cursor->delay : 0))
        return TIMELINE_WEIGHT_GRAD;
    if (forward < cursor->total &&
        (!cursor->backward || forward < cursor->warmup || forward == cursor->warmup + backward))
        return TIMELINE_FORWARD;
    return cursor->backward && backward < cursor->total ? TIMELINE_BACKWARD : TIMELINE_PASSES;
}

/* The next pass of the stage; false at the end. */
static inline bool order_next(struct order_cursor *cursor, struct order_pass *pass)
{
    do {
        const enum timeline_pass kind = order_kind(cursor);
        if (kind == TIMELINE_PASSES) return false;
        *pass = order_take(cursor, kind);
    } while (pass->microbatch >= cursor->microbatches);
    return true;
}

#endif
