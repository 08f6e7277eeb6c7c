/* rest.c - layers through two buffers [zhao2025memo]: the input of each, and what attention
 * brought, leave whole; of all else the first tokens, as many as the plan's share says, and what is
 * left is computed again from these two, by token.
 *
 * With sequence parallelism each rank's shard of the rows has first ones. What leaves of a slot is
 * moved together at its front, so that a tier sees one piece. To compute the last rows again, the
 * engine takes a step aside: a frame of these rows alone, in which operations find fewer rows.
 */
#include "run/real/engine.h"

#include <stdlib.h>
#include <string.h>

enum rows_of { GOES_WHOLE, OF_SHARD, OF_ALL };

static const uint8_t rows_of[SLOTS] = {
    [SLOT_N_1] = OF_SHARD,      [SLOT_STATS_1] = OF_SHARD,   [SLOT_CQ] = OF_SHARD,
    [SLOT_STATS_CQ] = OF_SHARD, [SLOT_CQN] = OF_SHARD,       [SLOT_Q] = OF_ALL,
    [SLOT_CKV] = OF_SHARD,      [SLOT_STATS_CKV] = OF_SHARD, [SLOT_CKVN] = OF_SHARD,
    [SLOT_KVU] = OF_ALL,        [SLOT_QKV] = OF_ALL,         [SLOT_RAW] = OF_ALL,
    [SLOT_STATS_QK] = OF_ALL,   [SLOT_R] = OF_SHARD,         [SLOT_STATS_2] = OF_SHARD,
    [SLOT_N_2] = OF_SHARD,      [SLOT_IN] = OF_ALL,          [SLOT_ACT] = OF_ALL,
};

/* ---- rows ---- */

static size_t first_rows(const struct engine *e)
{
    const double away = rk_plan_activations_away(e->plan) * (double)e->share;
    return away >= (double)e->share ? e->share : (size_t)away;
}

/* Shards of the rows of a slot, and elements of a row. */
static size_t shards_of(const struct engine *e, enum rows_of kind)
{
    return kind == OF_ALL && sequence_parallel(e) ? (size_t)e->tensor.ranks : 1;
}

static size_t width_of(const struct engine *e, const struct frame *f, int slot, enum rows_of kind)
{
    if (slot == SLOT_X || slot == SLOT_R) return e->hidden;
    return f->count[slot] / (kind == OF_ALL ? e->rows : e->share);
}

size_t rest_pack(struct engine *e, struct frame *f, int slot)
{
    const enum rows_of kind = (enum rows_of)rows_of[slot];
    if (kind == GOES_WHOLE) return SIZE_MAX;
    const size_t first = first_rows(e), w = width_of(e, f, slot, kind), t = shards_of(e, kind);
    if (first == e->share) return SIZE_MAX;
    for (size_t r = 1; r < t; r++)
        copy_bytes(f->slot[slot] + r * first * w, f->slot[slot] + r * e->share * w,
                   first * w * sizeof(real));
    f->rest = true;
    return t * first * w;
}

void rest_unpack(struct engine *e, struct frame *f, int slot)
{
    const enum rows_of kind = (enum rows_of)rows_of[slot];
    const size_t first = first_rows(e), w = width_of(e, f, slot, kind), t = shards_of(e, kind);
    for (size_t r = t; r-- > 1;)
        copy_bytes(f->slot[slot] + r * e->share * w, f->slot[slot] + r * first * w,
                   first * w * sizeof(real));
}

/* The last rows of each shard, between a slot and the frame of these rows. */
static void copy_rows(struct engine *e, struct frame *f, int slot, enum rows_of kind, real *rows,
                      bool back)
{
    const size_t first = first_rows(e), last = e->share - first, w = width_of(e, f, slot, kind);
    for (size_t r = 0; r < shards_of(e, kind); r++) {
        real *there = f->slot[slot] + (r * e->share + first) * w, *here = rows + r * last * w;
        copy_bytes(back ? there : here, back ? here : there, last * w * sizeof(real));
    }
}

/* ---- again ---- */

static void begin_rest(struct engine *e, struct frame *f)
{
    static const enum rows_of kinds[] = {OF_SHARD, OF_ALL};
    static const enum slot from[] = {SLOT_X, SLOT_ATT};
    const size_t last = e->share - first_rows(e);
    if (!e->rest && !(e->rest = calloc(1, sizeof *e->rest))) give_up(e);
    for (int i = 0; i < 2; i++) {
        if (!f->slot[from[i]]) continue;
        const size_t n = shards_of(e, kinds[i]) * last * width_of(e, f, from[i], kinds[i]);
        copy_rows(e, f, from[i], kinds[i], make(e, e->rest, from[i], n), false);
    }
    e->resting = f;
}

/* Operations find the last rows alone, and their positions. */
static void step_aside(struct engine *e, size_t microbatch, uint32_t *position)
{
    const size_t share = e->share, rows = e->rows, first = first_rows(e), last = share - first;
    const size_t t = rows / share;
    for (size_t r = 0; r < t; r++)
        memcpy(position + r * last, e->position + microbatch * rows + r * share + first,
               last * sizeof *position);
    e->share = last;
    e->rows = t * last;
    e->position = position;
}

static bool is_of_context(const struct kernels *k)
{
    return k->forward == REAL(across_forward) || k->forward == REAL(keys_gather_forward) ||
           k->forward == REAL(back_across_forward);
}

void rest_again(struct engine *e, const struct instruction *i)
{
    const struct kernels *k = &kernel_table[i->operation];
    struct at_layer *l = &e->layer[i->layer];
    struct frame *f = &l->frame[i->microbatch];
    if (!f->rest || !k->forward || is_of_context(k)) return;
    if (!e->resting) begin_rest(e, f);
    uint32_t *position = malloc(e->rows * sizeof *position);
    if (!position) give_up(e);
    step_aside(e, i->microbatch, position);
    k->forward(e, l, e->rest, 0);
    e->here = e->place[e->at];
    free(position);
}

void rest_join(struct engine *e)
{
    struct frame *f = e->resting;
    if (!f) return;
    for (int s = 0; s < SLOTS; s++) {
        if (!e->rest->slot[s]) continue;
        if (rows_of[s] && f->slot[s])
            copy_rows(e, f, s, (enum rows_of)rows_of[s], e->rest->slot[s], true);
        drop(e, e->rest, (enum slot)s);
    }
    f->rest = false;
    e->resting = NULL;
}
