/* order_v.c - the orders of V-shaped schedules: each rank r of p has virtual stages r and 2p-1-r.
 *
 * Capitals are passes of the first chunk, small letters of the second: forward F f, input gradient
 * B b, weight gradient W w.
 */
#include "schedule/flight.h"

#include <stdint.h>

static struct order_pass take(struct order_cursor *c, uint32_t chunk, enum pass pass)
{
    static const int walks[PASSES] = {0, 1, 1, 2};
    return (struct order_pass){pass, chunk, (uint32_t)c->done[chunk][walks[pass]]++};
}

/* ---- v-zero: ZB-V as PyTorch has it [qi2023, section 6; ScheduleZBVZeroBubble] ---- */

enum { V_ROWS = 9 };
/* clang-format off */
static const struct v_row {
    int once, stages, rank, microbatches; /* how often: the sum of these times 1, p, r, m */
    const char *passes;
} v_rows[V_ROWS] = {
    /* 1   p   r   m */
    { -1,  2, -2,  0,  "F" },
    {  0,  0,  1,  0,  "fF" },
    {  0,  1, -1,  0,  "fbw" },
    {  1, -2,  1,  1,  "FBWfbw" },
    { -1,  1, -1,  0,  "BWfbw" },
    {  0,  0,  1,  0,  "Bb" },
    {  0,  1, -1,  0,  "BW" },
    {  0,  0,  1,  0,  "w" },
    {  0,  0,  1,  0,  "W" },
};
/* clang-format on */

/* Fewer microbatches than 2p-1 run in the order of so many, without those that lack. */
static int64_t times_of(const struct v_row *row, const struct order_cursor *c)
{
    const int64_t p = c->pipeline.stages, m = (int64_t)c->pipeline.microbatches;
    return row->once + row->stages * p + row->rank * c->rank +
           row->microbatches * (m < 2 * p - 1 ? 2 * p - 1 : m);
}

static struct order_pass read_letter(struct order_cursor *c, char letter)
{
    const uint32_t chunk = letter >= 'a';
    switch (letter) {
    case 'F':
    case 'f':
        return take(c, chunk, PASS_FORWARD);
    case 'B':
    case 'b':
        return take(c, chunk, PASS_INPUT_GRAD);
    default:
        return take(c, chunk, PASS_WEIGHT_GRAD);
    }
}

static bool next_of_rows(struct order_cursor *c, struct order_pass *pass)
{
    do {
        while (c->row < V_ROWS && (int64_t)c->repeat >= times_of(&v_rows[c->row], c)) {
            c->row++;
            c->repeat = 0;
        }
        if (c->row == V_ROWS) return false;
        const char *passes = v_rows[c->row].passes;
        *pass = read_letter(c, passes[c->letter]);
        if (!passes[++c->letter]) {
            c->letter = 0;
            c->repeat++;
        }
    } while (pass->microbatch >= c->pipeline.microbatches);
    return true;
}

/* ---- v-half and v-min: a building block, repeated [qi2024, section 3] ---- */

/* When a pass begins, if each takes 1 and messages nothing: the sum of these times p, r, the gap
 * that keeps blocks from colliding, 1, and the microbatch. The block has two chunks of three passes
 * and so begins again every 6. Of the block's time the start of a step allows an earlier one, no
 * earlier than a microbatch can get there, and the end, where no block follows, one that counts
 * back from the last microbatch; that is the paper's "squeezing", in closed form. All three grow
 * from each pass to those that need it, so that no rank waits for ever. */
struct v_line {
    int stages, rank, gap, once, microbatch;
};

enum { V_PASSES = 4 };
static const char v_passes[V_PASSES] = {'F', 'f', 'b', 'B'};

/* clang-format off */
static const struct v_line alone[V_PASSES] = {
    /*        p   r  gap  1   m */
    /* F */ { 0,  1,  0,  0,  1 },
    /* f */ { 2, -1,  0, -1,  2 },
    /* b */ { 2,  1,  0,  0,  2 },
    /* B */ { 4, -1,  0, -1,  4 },
};
static const struct v_times {
    uint32_t divides, gap; /* the gap, where this number divides p; else 0 */
    struct v_line block[V_PASSES], drained[V_PASSES];
} v_half = {
    2, 3,
    {{-1,  2, -1,  0,  6 },
     { 2, -1, -1, -2,  6 },
     { 2,  2,  0, -1,  6 },
     { 5, -1,  0, -2,  6 }},
    {{ 0,  1, -1, -2,  2 },
     { 2, -1, -1, -2,  2 },
     { 2,  1, -1,  0,  2 },
     { 4, -1, -1, -1,  2 }},
}, v_min = {
    3, 2,
    {{ 0,  1, -1,  0,  6 },
     { 2, -1, -1, -1,  6 },
     { 2,  1,  0,  0,  6 },
     { 4, -1,  0, -1,  6 }},
    {{ 0,  1,  0,  0,  2 },
     { 2, -1,  0,  0,  2 },
     { 2,  1,  0,  2,  2 },
     { 4, -1,  0,  1,  2 }},
};
/* clang-format on */

static int64_t time_of(const struct v_line *line, const struct order_cursor *c, int64_t gap,
                       int64_t microbatch)
{
    return line->stages * (int64_t)c->pipeline.stages + line->rank * c->rank + line->gap * gap +
           line->once + line->microbatch * microbatch;
}

/* When pass `i` of the block begins, of a microbatch. */
static int64_t begins(const struct order_cursor *c, int i, uint64_t microbatch)
{
    const struct v_times *times = c->pipeline.schedule == RK_V_HALF ? &v_half : &v_min;
    const int64_t gap = c->pipeline.stages % times->divides ? 0 : times->gap;
    const int64_t k = (int64_t)microbatch, last = (int64_t)c->pipeline.microbatches - 1;
    const int64_t first = time_of(&alone[i], c, gap, k);
    const int64_t usual = time_of(&times->block[i], c, gap, k);
    const int64_t drained = 6 * last + time_of(&times->drained[i], c, gap, k - last);
    const int64_t begun = first > usual ? first : usual;
    return begun < drained ? begun : drained;
}

/* The earliest of what is left of the block's passes; V_PASSES: nothing is. */
static int next_in_block(const struct order_cursor *c, int64_t *at)
{
    int next = V_PASSES;
    for (int i = 0; i < V_PASSES; i++) {
        const uint64_t done = c->done[v_passes[i] >= 'a'][i >= 2];
        if (done == c->pipeline.microbatches) continue;
        const int64_t time = begins(c, i, done);
        if (next == V_PASSES || time < *at) {
            next = i;
            *at = time;
        }
    }
    return next;
}

/* The chunk whose weight gradient has waited longest; -1: none waits. */
static int waits_longest(const struct order_cursor *c)
{
    const uint64_t *first = c->done[0], *second = c->done[1];
    if (second[2] == second[1]) return first[2] == first[1] ? -1 : 0;
    if (first[2] == first[1]) return 1;
    return begins(c, 3, first[2]) < begins(c, 2, second[2]) ? 0 : 1;
}

/* Weight gradients take the time that the block leaves, the longest waiting first. */
static bool next_of_blocks(struct order_cursor *c, struct order_pass *pass)
{
    int64_t at = 0;
    const int next = next_in_block(c, &at), waits = waits_longest(c);
    if (waits >= 0 && (next == V_PASSES || at > c->time)) {
        *pass = take(c, (uint32_t)waits, PASS_WEIGHT_GRAD);
        c->time++;
        return true;
    }
    if (next == V_PASSES) return false;
    c->time = (at > c->time ? at : c->time) + 1;
    *pass = read_letter(c, v_passes[next]);
    return true;
}

bool order_next_v(struct order_cursor *c, struct order_pass *pass)
{
    return c->pipeline.schedule == RK_V_ZERO ? next_of_rows(c, pass) : next_of_blocks(c, pass);
}

/* ---- in flight ---- */

uint64_t flight_along(const struct pipeline *p, uint64_t stage, uint32_t first, uint32_t last)
{
    struct pipeline some = *p;
    struct order_pass pass;
    uint64_t held = 0, most = 0;
    if (some.microbatches > 4 * some.stages) some.microbatches = 4 * some.stages;
    struct order_cursor cursor = order_open(&some, stage);
    while (order_next(&cursor, &pass)) {
        if (pass.chunk < first || pass.chunk > last) continue;
        if (pass.pass == PASS_FORWARD && ++held > most) most = held;
        if (pass.pass == PASS_WEIGHT_GRAD) held--;
    }
    return most;
}
