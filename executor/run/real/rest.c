/* rest.c - layers through two buffers [zhao2025memo]: the input of each layer and the output of
 * attention are offloaded whole. Of all other activations a share of the tokens is offloaded, from
 * the first one on, as the plan says; the rest is recomputed from these two, by token.
 *
 * With sequence parallelism the first tokens are counted in each rank's shard of the rows; in a
 * mixture, among the tokens that each tensor rank routes. Copies of a token for experts follow the
 * token; results of experts are offloaded whole, too. The offloaded rows of a slot are packed at
 * its front, so that a tier sees one piece. To recompute the last rows, the engine uses a frame of
 * these rows alone, in which operations find fewer rows and known routes.
 */
#include "run/real/mixture.h"

#include <stdlib.h>
#include <string.h>

enum rows_of { GOES_WHOLE, OF_SHARD, OF_ALL, OF_ROUTED, OF_COPIES };

static const uint8_t rows_of[SLOTS] = {
    [SLOT_N_1] = OF_SHARD,      [SLOT_STATS_1] = OF_SHARD,   [SLOT_CQ] = OF_SHARD,
    [SLOT_STATS_CQ] = OF_SHARD, [SLOT_CQN] = OF_SHARD,       [SLOT_Q] = OF_ALL,
    [SLOT_CKV] = OF_SHARD,      [SLOT_STATS_CKV] = OF_SHARD, [SLOT_CKVN] = OF_SHARD,
    [SLOT_KVU] = OF_ALL,        [SLOT_QKV] = OF_ALL,         [SLOT_RAW] = OF_ALL,
    [SLOT_STATS_QK] = OF_ALL,   [SLOT_R] = OF_SHARD,         [SLOT_STATS_2] = OF_SHARD,
    [SLOT_N_2] = OF_SHARD,      [SLOT_IN] = OF_ALL,          [SLOT_ACT] = OF_ALL,
    [SLOT_ROUTES] = OF_ROUTED,  [SLOT_WEIGHTS] = OF_ROUTED,  [SLOT_NARROW] = OF_ROUTED,
    [SLOT_SORTED] = OF_COPIES,  [SLOT_SUM] = OF_ROUTED,      [SLOT_SHARED_IN] = OF_ALL,
    [SLOT_SHARED_ACT] = OF_ALL, [SLOT_SHARED] = OF_SHARD,    [SLOT_GATES] = OF_SHARD,
};

static enum rows_of kind_of(const struct frame *f, int slot)
{
    const bool experts = f->mixture && (slot == SLOT_IN || slot == SLOT_ACT);
    return experts ? OF_COPIES : (enum rows_of)rows_of[slot];
}

/* ---- rows ----
 *
 * The rows of a slot are runs: parts of the tokens, or the copies that one rank has sent to one
 * expert. Of each run the first ones leave. */

struct run {
    size_t rows, first;
};

/* Into so many parts the tokens of this rank and its tensor ranks are cut: each has, or routes, one
 * of them. */
static size_t parts_of(const struct engine *e)
{
    return sequence_parallel(e) || e->job->model.experts ? (size_t)e->tensor.ranks : 1;
}

static struct run part_of(const struct engine *e)
{
    const size_t part = e->rows / parts_of(e);
    const double away = rk_plan_activations_away(e->plan) * (double)part;
    return (struct run){part, away >= (double)part ? part : (size_t)away};
}

static size_t runs_of(const struct engine *e, const struct frame *f, enum rows_of kind)
{
    if (kind == OF_COPIES) return f->mixture->local * f->mixture->tensor * f->mixture->ranks;
    if (kind == OF_ROUTED) return 1;
    return kind == OF_ALL || !sequence_parallel(e) ? parts_of(e) : 1;
}

/* Copies lie by expert, and those of one by the ranks that they come from. */
static struct run run_at(const struct engine *e, const struct frame *f, enum rows_of kind, size_t i)
{
    const struct mixture_state *m = f->mixture;
    if (kind != OF_COPIES) return part_of(e);
    const size_t ranks = m->tensor * m->ranks, at = i % ranks * m->local + i / ranks;
    return (struct run){m->all[at], m->first_all[at]};
}

static struct run all_of(const struct engine *e, const struct frame *f, enum rows_of kind)
{
    struct run all = {0, 0};
    for (size_t i = 0; i < runs_of(e, f, kind); i++) {
        const struct run run = run_at(e, f, kind, i);
        all.rows += run.rows;
        all.first += run.first;
    }
    return all;
}

/* Elements of a row. */
static size_t width_of(const struct engine *e, const struct frame *f, int slot, enum rows_of kind)
{
    const size_t rows = all_of(e, f, kind).rows;
    if (slot == SLOT_X || slot == SLOT_R || slot == SLOT_SHARED) return e->hidden;
    if (slot == SLOT_SORTED) return f->mixture->width;
    const size_t count = f->count[slot] - (kind == OF_COPIES); /* experts.c takes one more */
    return rows ? count / rows : 0;
}

/* Bytes of a row, as they lie in the slot. */
static size_t row_bytes(const struct engine *e, const struct frame *f, int slot, enum rows_of kind)
{
    return width_of(e, f, slot, kind) * (f->packed[slot] ? sizeof(uint16_t) : sizeof(real));
}

size_t rest_pack(struct engine *e, struct frame *f, int slot)
{
    const enum rows_of kind = kind_of(f, slot);
    if (kind == GOES_WHOLE || !f->rest) return SIZE_MAX;
    const size_t row = row_bytes(e, f, slot, kind);
    char *from = (char *)f->slot[slot], *to = from;
    for (size_t i = 0; i < runs_of(e, f, kind); i++) {
        const struct run run = run_at(e, f, kind, i);
        copy_bytes(to, from, run.first * row);
        to += run.first * row;
        from += run.rows * row;
    }
    return (size_t)(to - (char *)f->slot[slot]);
}

void rest_unpack(struct engine *e, struct frame *f, int slot)
{
    const enum rows_of kind = kind_of(f, slot);
    const size_t row = row_bytes(e, f, slot, kind);
    const struct run all = all_of(e, f, kind);
    char *to = (char *)f->slot[slot] + all.rows * row;
    const char *from = (char *)f->slot[slot] + all.first * row;
    for (size_t i = runs_of(e, f, kind); i-- > 0;) {
        const struct run run = run_at(e, f, kind, i);
        from -= run.first * row;
        to -= run.rows * row;
        copy_bytes(to, from, run.first * row);
    }
}

/* The last rows of each run, between a slot and the frame of these rows. */
static void copy_rows(struct engine *e, struct frame *f, int slot, enum rows_of kind, real *rows,
                      bool back)
{
    const size_t w = width_of(e, f, slot, kind);
    real *there = f->slot[slot];
    for (size_t i = 0; i < runs_of(e, f, kind); i++) {
        const struct run run = run_at(e, f, kind, i);
        const size_t last = (run.rows - run.first) * w;
        there += run.first * w;
        copy_bytes(back ? there : rows, back ? rows : there, last * sizeof(real));
        there += last;
        rows += last;
    }
}

/* ---- leaving ---- */

/* Of the copies that are here, how many are of first tokens: as dispatch.c learns how many come. */
static void count_first(struct engine *e, struct mixture_state *m)
{
    const size_t first = part_of(e).first;
    if (m->first_all) return;
    m->first_all = calloc(m->experts * (2 + m->tensor), sizeof *m->first_all);
    if (!m->first_all) give_up(e);
    size_t *own = m->first_all + m->experts * m->tensor, *came = own + m->experts;
    for (size_t i = 0; i < first * m->k; i++)
        own[m->expert[i]] += m->row[i] != NO_ROW;
    const struct parts each = even_parts(e, m->ranks, m->local * sizeof *own);
    exchange_parts(e, &e->experts, "dispatch", own, each, came, each);
    if (!comm_all_gather(e->comm, &e->expert_tensor, "expert gather", came, m->first_all,
                         m->experts * sizeof *came))
        give_up(e);
    for (size_t i = 0; COUNTS && i < m->experts * m->tensor; i++)
        m->first_all[i] = m->all[i] * first / part_of(e).rows;
}

void rest_leave(struct engine *e, struct frame *f, enum half half)
{
    const struct run part = part_of(e);
    if (!e->job->plan.recompute_rest || part.first == part.rows) return;
    f->rest = true;
    if (f->mixture && half != HALF_FIRST) count_first(e, f->mixture);
}

/* ---- again ---- */

static void begin_rest(struct engine *e, struct frame *f)
{
    static const enum rows_of kinds[] = {OF_SHARD, OF_ALL};
    static const enum slot from[] = {SLOT_X, SLOT_ATT};
    if (!e->rest && !(e->rest = calloc(1, sizeof *e->rest))) give_up(e);
    for (int i = 0; i < 2; i++) {
        if (!f->slot[from[i]]) continue;
        const struct run all = all_of(e, f, kinds[i]);
        const size_t n = (all.rows - all.first) * width_of(e, f, from[i], kinds[i]);
        copy_rows(e, f, from[i], kinds[i], make(e, e->rest, from[i], n), false);
    }
    e->resting = f;
}

/* Operations find the last rows alone, and their positions. */
static void step_aside(struct engine *e, size_t microbatch, uint32_t *position)
{
    const size_t parts = parts_of(e);
    const struct run part = part_of(e);
    const size_t last = part.rows - part.first;
    for (size_t r = 0; r < parts; r++)
        memcpy(position + r * last, e->position + microbatch * e->rows + r * part.rows + part.first,
               last * sizeof *position);
    e->share = e->share == e->rows ? parts * last : last;
    e->rows = parts * last;
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
    unpack_frame(e, f);
    if (!e->resting) begin_rest(e, f);
    uint32_t *position = malloc(e->rows * sizeof *position);
    if (!position) give_up(e);
    step_aside(e, i->microbatch, position);
    k->forward(e, l, e->rest, 0);
    if (e->narrow) narrow_slots(e, e->rest, k->part);
    e->here = e->place[e->at];
    free(position);
}

const uint32_t *rest_routes(const struct engine *e)
{
    const struct mixture_state *m = e->resting ? e->resting->mixture : NULL;
    return m ? m->expert + (m->n - e->rest->mixture->n) * m->k : NULL;
}

/* Have its first rows left alone? Copies of a unit that stayed were not told apart. */
static bool may_be_apart(const struct frame *f, int slot)
{
    const enum rows_of kind = kind_of(f, slot);
    return kind == OF_COPIES ? f->mixture->first_all != NULL : kind != GOES_WHOLE;
}

void rest_join(struct engine *e)
{
    struct frame *f = e->resting;
    if (!f) return;
    for (int s = 0; s < SLOTS; s++) {
        if (!e->rest->slot[s]) continue;
        if (f->slot[s] && may_be_apart(f, s))
            copy_rows(e, f, s, kind_of(f, s), e->rest->slot[s], true);
        drop(e, e->rest, (enum slot)s);
    }
    REAL(mixture_free)(e->rest);
    f->rest = false;
    e->resting = NULL;
}
