/* order.h - in which order each rank of a pipeline runs its passes, under each schedule.
 *
 * A rank runs each of its chunks once per microbatch and kind of pass: forward; backward, or where
 * the schedule splits it the gradient of the input and, later, that of the weights. The passes of a
 * kind follow one walk over rounds of microbatches, usually as many as stages: in a round each
 * chunk runs all of them before the next chunk does [narayanan2021, fig. 4]; backward takes the
 * chunks from the last one on. A schedule says how the walks are interleaved: stage s
 * of p, v chunks:
 *
 *     gpipe        all forward, then all backward                                  [huang2019]
 *     1f1b         p-1-s forward first, then one forward, one backward             [narayanan2019]
 *     ... v > 1    2(p-1-s) + (v-1)g forward first, rounds of g microbatches       [narayanan2021]
 *     zero-bubble  1f1b with backward split: stage s runs the weight gradient of   [qi2023]
 *                  a microbatch s backwards later, the last s ones at the end
 *     ... -2p      2(p-1-s) forward first, weight gradients 2s backwards later     [qi2023]
 *     dualpipe     half of the microbatches from either end: order.c has the table [dualpipe2025]
 *     v-zero       two chunks, the second from the last rank back to the first:    [qi2023]
 *                  order_v.c has the table
 *     v-half, -min the same; order_v.c has the building blocks                     [qi2024]
 *
 * Microbatches that the last round of an interleaved schedule lacks are left out of the order of a
 * full round. The order is made on the way, by a cursor: no list is kept. Pure.
 */
#ifndef RECKON_SCHEDULE_ORDER_H
#define RECKON_SCHEDULE_ORDER_H

#include <reckon/plan.h>

struct pipeline {
    enum rk_schedule schedule;
    uint32_t stages, chunks; /* ranks, and virtual stages of each; with dualpipe 1 */
    uint64_t microbatches;
    bool forward_only; /* inference */
    uint32_t group;    /* microbatches of a round; 0: stages */
};

static inline uint64_t pipeline_round(const struct pipeline *p)
{
    return p->group ? p->group : p->stages;
}

enum pass {
    PASS_FORWARD,
    PASS_BACKWARD, /* both gradients */
    PASS_INPUT_GRAD,
    PASS_WEIGHT_GRAD,
    PASSES
};

struct order_pass {
    enum pass pass;
    uint32_t chunk, microbatch;
};

/* ---- where a chunk of a rank stands in the model ---- */

/* With dualpipe a rank has two stages: its own, and the one as far from the other end. */
static inline uint32_t pipeline_chunks(const struct pipeline *p)
{
    return p->schedule == RK_DUALPIPE ? 2 : p->chunks;
}

/* Parts of the model, in whose order forward passes run. */
static inline uint64_t pipeline_parts(const struct pipeline *p)
{
    return (uint64_t)p->stages * p->chunks;
}

static inline uint64_t pipeline_part(const struct pipeline *p, uint64_t rank, uint64_t chunk)
{
    if (p->schedule == RK_DUALPIPE) return chunk ? p->stages - 1 - rank : rank;
    if (rk_schedule_folds(p->schedule) && chunk) return 2 * p->stages - 1 - rank;
    return chunk * p->stages + rank;
}

/* Messages go from one part of the model to the next or the previous one, so to the next or the
 * previous rank. Microbatches that enter DualPipe at its end go the other way, and so does the way
 * back through a V, whose last rank keeps what its first chunk hands to its second. */
static inline uint32_t pipeline_neighbour(const struct pipeline *p, uint32_t rank, uint32_t chunk,
                                          bool next)
{
    const bool folds = rk_schedule_folds(p->schedule);
    const bool up = next != ((p->schedule == RK_DUALPIPE || folds) && chunk == 1);
    if (folds && up && rank + 1 == p->stages) return rank;
    if (up) return rank + 1 == p->stages ? 0 : rank + 1;
    return rank == 0 ? p->stages - 1 : rank - 1;
}

/* Microbatches that go through a chunk of a rank. */
static inline uint64_t pipeline_microbatches(const struct pipeline *p)
{
    return p->schedule == RK_DUALPIPE ? p->microbatches / 2 : p->microbatches;
}

/* How far ahead a zero-bubble schedule runs, over 1f1b: 1 ZB-H1, 2 ZB-H2; 0 for the others. */
static inline uint64_t zero_bubbles(enum rk_schedule schedule)
{
    return schedule == RK_ZERO_BUBBLE ? 1 : schedule == RK_ZERO_BUBBLE_2P ? 2 : 0;
}

/* Is each backward pass split in two? With dualpipe some are. */
static inline bool pipeline_splits(const struct pipeline *p)
{
    return (zero_bubbles(p->schedule) || rk_schedule_folds(p->schedule)) && !p->forward_only;
}

/* ---- what the schedules differ in ---- */

/* Passes of a kind that a rank runs, with those that the last round lacks. */
static inline uint64_t pipeline_total(const struct pipeline *p)
{
    const uint64_t round = pipeline_round(p);
    return ((p->microbatches - 1) / round + 1) * round * p->chunks;
}

/* Forward passes before the first backward, if there are as many. */
static inline uint64_t pipeline_warmup(const struct pipeline *p, uint64_t stage)
{
    const uint64_t later = p->stages - 1 - stage;
    if (p->forward_only || p->schedule == RK_GPIPE) return pipeline_total(p);
    if (p->schedule == RK_DUALPIPE) return p->stages;
    if (p->schedule == RK_ZERO_BUBBLE_2P) return 2 * later;
    return p->chunks == 1 ? later : 2 * later + (p->chunks - 1) * pipeline_round(p);
}

/* Backward passes that a weight gradient waits for. */
static inline uint64_t pipeline_delay(const struct pipeline *p, uint64_t stage)
{
    return zero_bubbles(p->schedule) * stage;
}

/* ---- the order ---- */

/* The next pass of one kind; `done` counts the missing microbatches, too. */
struct order_walk {
    uint64_t done;
    uint32_t first, chunk, member; /* microbatch = first + member */
};

struct order_cursor {
    struct pipeline pipeline;
    struct order_walk walk[3]; /* forward, backward, weight gradient */
    uint64_t total;            /* passes of a kind, with those that the last round lacks */
    uint64_t warmup, delay;
    bool splits;
    /* dualpipe's; [0] of the microbatches that enter at the nearer end, [1] of the others */
    uint64_t row, repeat, letter; /* of its table */
    uint64_t half;                /* ranks between this one and the nearer end */
    bool far;                     /* that end is the last rank */
    uint64_t done[2][3], left[2]; /* passes by walk; weight gradients of those put off */
    /* a V's: row, repeat, letter and done as well, by chunk; the time in its building block */
    int64_t rank, time;
};

struct order_cursor order_open(const struct pipeline *pipeline, uint64_t rank);

/* Dualpipe's, and a V's. */
bool order_next_dual(struct order_cursor *cursor, struct order_pass *pass);
bool order_next_v(struct order_cursor *cursor, struct order_pass *pass);

static inline struct order_pass order_take(struct order_cursor *cursor, enum pass pass)
{
    static const int walks[PASSES] = {0, 1, 1, 2};
    struct order_walk *walk = &cursor->walk[walks[pass]];
    const uint32_t round = (uint32_t)pipeline_round(&cursor->pipeline);
    const uint32_t chunks = cursor->pipeline.chunks;
    const uint32_t chunk = pass == PASS_FORWARD ? walk->chunk : chunks - 1 - walk->chunk;
    const struct order_pass taken = {pass, chunk, walk->first + walk->member};
    walk->done++;
    if (++walk->member == round) {
        walk->member = 0;
        if (++walk->chunk == chunks) {
            walk->chunk = 0;
            walk->first += round;
        }
    }
    return taken;
}

/* Which kind of pass is next; PASSES at the end. */
static inline enum pass order_kind(const struct order_cursor *c)
{
    const uint64_t forward = c->walk[0].done, backward = c->walk[1].done, weight = c->walk[2].done;
    if (c->splits && backward - weight > (backward < c->total ? c->delay : 0))
        return PASS_WEIGHT_GRAD;
    if (forward < c->total &&
        (c->pipeline.forward_only || forward < c->warmup || forward == c->warmup + backward))
        return PASS_FORWARD;
    if (c->pipeline.forward_only || backward >= c->total) return PASSES;
    return c->splits ? PASS_INPUT_GRAD : PASS_BACKWARD;
}

/* The next pass of the rank; false at the end. */
static inline bool order_next(struct order_cursor *cursor, struct order_pass *pass)
{
    if (cursor->pipeline.schedule == RK_DUALPIPE) return order_next_dual(cursor, pass);
    if (cursor->splits && rk_schedule_folds(cursor->pipeline.schedule))
        return order_next_v(cursor, pass);
    do {
        const enum pass kind = order_kind(cursor);
        if (kind == PASSES) return false;
        *pass = order_take(cursor, kind);
    } while (pass->microbatch >= cursor->pipeline.microbatches);
    return true;
}

#endif
