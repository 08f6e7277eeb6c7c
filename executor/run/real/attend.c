/* attend.c - attention of one rank, alone and with the others of its context: keys gathered
 * [dubey2024], in a ring [liu2023], heads exchanged for tokens [jacobs2023], or both. */
#include "run/real/engine.h"

#include <math.h>
#include <string.h>

/* Heads of attention itself, when Ulysses' ranks have exchanged them for tokens. */
struct shape {
    size_t ranks;           /* that exchange */
    size_t heads, kv_heads; /* each has of them */
    size_t width;           /* of a row of queries, keys and values */
    size_t rows;
};

static struct shape shape_of(const struct engine *e, const struct at_layer *l)
{
    const size_t u = (size_t)e->ulysses.ranks;
    const size_t heads = l->heads / u, kv = l->kv_heads > u ? l->kv_heads / u
                                            : u > 1         ? 1
                                                            : l->kv_heads;
    return (struct shape){u, heads, kv, (heads + kv) * l->d + kv * l->value, e->rows * u};
}

static bool across(const struct engine *e)
{
    return e->ulysses.ranks > 1;
}

/* ---- where a context rank's tokens stand ---- */

/* Runs of a sample's tokens on context rank `c`; returns how many. */
int REAL(context_spans)(const struct local_part *part, uint64_t sequence, uint32_t c,
                        struct run_span span[2])
{
    const struct rk_plan *plan = &part->plan;
    const uint32_t ranks = (uint32_t)plan->context, s = (uint32_t)sequence, local = s / ranks;
    const uint32_t inner = (uint32_t)part->map.group[RANKS_OF_ULYSSES].ranks;
    const bool pure = plan->context_kind == RK_ULYSSES;
    const uint32_t u = pure ? c : plan->context_kind == RK_RING_ULYSSES ? c % inner : 0;
    const uint32_t i = pure ? 0 : plan->context_kind == RK_RING_ULYSSES ? c / inner : c;
    const uint32_t many = pure ? ranks : plan->context_kind == RK_RING_ULYSSES ? inner : 1;
    const uint32_t rings = ranks / many;
    if (ranks == 1 || pure || plan->context_contiguous) {
        span[0] = (struct run_span){0, local, i * (s / rings) + u * local};
        return 1;
    }
    const uint32_t half = local / 2, chunk = s / (2 * rings);
    span[0] = (struct run_span){0, half, i * chunk + u * half};
    span[1] = (struct run_span){half, half, (2 * rings - 1 - i) * chunk + u * half};
    return 2;
}

enum { SPANS_OF_RANK = 2 };

/* Spans of sample `n` in an array that holds the rows of `count` context ranks in order; `spans`
 * has room for SPANS_OF_RANK of each. */
static size_t spans_of(const struct engine *e, const uint32_t *ranks, size_t count, size_t n,
                       struct run_span *spans)
{
    size_t found = 0;
    for (size_t r = 0; r < count; r++) {
        struct run_span own[SPANS_OF_RANK];
        const bool alone = e->context.ranks == 1; /* then a sample may be shorter */
        const int parts =
            alone ? 1 : REAL(context_spans)(&e->job->local[e->at], e->job->sequence, ranks[r], own);
        if (alone) own[0] = e->span[0];
        for (int i = 0; i < parts; i++) {
            own[i].at += (uint32_t)((r * e->batch + n) * e->local);
            struct run_span *last = found ? &spans[found - 1] : NULL;
            if (last && last->at + last->rows == own[i].at &&
                last->position + last->rows == own[i].position)
                last->rows += own[i].rows;
            else
                spans[found++] = own[i];
        }
    }
    return found;
}

/* Context ranks that exchange heads with each other at place `ring` of the ring. */
static size_t ranks_at(const struct engine *e, size_t ring, uint32_t *ranks)
{
    const size_t u = (size_t)e->ulysses.ranks;
    for (size_t i = 0; i < u; i++)
        ranks[i] = (uint32_t)(ring * u + i);
    return u;
}

static uint32_t *room_for_ranks(struct engine *e)
{
    return SCRATCH(e, uint32_t, e->context.ranks);
}

static struct run_span *room_for_spans(struct engine *e, size_t ranks)
{
    return SCRATCH(e, struct run_span, SPANS_OF_RANK * ranks);
}

static size_t ring_ranks(const struct engine *e)
{
    return (size_t)e->context.ranks / (size_t)e->ulysses.ranks;
}

static size_t ring_place(const struct engine *e)
{
    return (size_t)e->context_rank / (size_t)e->ulysses.ranks;
}

/* ---- heads for tokens ---- */

/* Columns of one rank's heads within a row of all: queries, keys, values. */
static void copy_heads(const struct engine *e, const struct at_layer *l, size_t u, const real *row,
                       real *narrow)
{
    const struct shape x = shape_of(e, l);
    const size_t kv = l->kv_heads >= x.ranks ? u * x.kv_heads : u * l->kv_heads / x.ranks;
    const real *k = row + l->heads * l->d, *v = k + l->kv_heads * l->d;
    copy_bytes(narrow, row + u * x.heads * l->d, x.heads * l->d * sizeof *row);
    copy_bytes(narrow + x.heads * l->d, k + kv * l->d, x.kv_heads * l->d * sizeof *row);
    copy_bytes(narrow + (x.heads + x.kv_heads) * l->d, v + kv * l->value,
               x.kv_heads * l->value * sizeof *row);
}

static void add_heads(const struct engine *e, const struct at_layer *l, size_t u,
                      const real *narrow, real *row)
{
    const struct shape x = shape_of(e, l);
    const size_t kv = l->kv_heads >= x.ranks ? u * x.kv_heads : u * l->kv_heads / x.ranks;
    real *k = row + l->heads * l->d, *v = k + l->kv_heads * l->d;
    add_to(x.heads * l->d, narrow, row + u * x.heads * l->d);
    add_to(x.kv_heads * l->d, narrow + x.heads * l->d, k + kv * l->d);
    add_to(x.kv_heads * l->value, narrow + (x.heads + x.kv_heads) * l->d, v + kv * l->value);
}

/* `each` elements to and from every rank. */
static void exchange(struct engine *e, const char *what, const real *from, real *to, size_t each)
{
    const struct parts all = even_parts(e, (size_t)e->ulysses.ranks, each * sizeof *from);
    exchange_parts(e, &e->ulysses, what, from, all, to, all);
}

void REAL(across_forward)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct shape x = shape_of(e, l);
    const size_t whole = (l->heads + l->kv_heads) * l->d + l->kv_heads * l->value;
    real *packed = take(e, x.rows * x.width);
    for (size_t u = 0; u < x.ranks; u++)
        for (size_t i = 0; i < e->rows; i++)
            copy_heads(e, l, u, f->slot[SLOT_QKV] + i * whole,
                       packed + (u * e->rows + i) * x.width);
    exchange(e, "query, key, value all-to-all", packed,
             make(e, f, SLOT_QKV_ACROSS, x.rows * x.width), e->rows * x.width);
    give(e, packed);
    drop(e, f, SLOT_QKV);
}

void REAL(across_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct shape x = shape_of(e, l);
    const size_t whole = (l->heads + l->kv_heads) * l->d + l->kv_heads * l->value;
    real *packed = take(e, x.rows * x.width);
    exchange(e, "query, key, value all-to-all", f->slot[SLOT_DQKV_ACROSS], packed,
             e->rows * x.width);
    f->slot[SLOT_DQKV] = take_zeros(e, e->rows * whole);
    for (size_t u = 0; u < x.ranks; u++)
        for (size_t i = 0; i < e->rows; i++)
            add_heads(e, l, u, packed + (u * e->rows + i) * x.width,
                      f->slot[SLOT_DQKV] + i * whole);
    give(e, packed);
    drop(e, f, SLOT_DQKV_ACROSS);
    drop(e, f, SLOT_QKV_ACROSS);
}

/* Blocks of columns of each rank's heads <-> rows in the order of ranks. */
static void columns_to_ranks(const struct engine *e, const struct at_layer *l, const real *rows,
                             real *parts)
{
    const struct shape x = shape_of(e, l);
    const size_t w = x.heads * l->value;
    for (size_t u = 0; u < x.ranks; u++)
        for (size_t i = 0; i < e->rows; i++)
            copy_bytes(parts + (u * e->rows + i) * w, rows + (i * x.ranks + u) * w,
                       w * sizeof *rows);
}

static void ranks_to_columns(const struct engine *e, const struct at_layer *l, const real *parts,
                             real *rows)
{
    const struct shape x = shape_of(e, l);
    const size_t w = x.heads * l->value;
    for (size_t u = 0; u < x.ranks; u++)
        for (size_t i = 0; i < e->rows; i++)
            copy_bytes(rows + (i * x.ranks + u) * w, parts + (u * e->rows + i) * w,
                       w * sizeof *rows);
}

void REAL(back_across_forward)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t n = e->rows * l->heads * l->value;
    real *parts = take(e, n);
    exchange(e, "attention output all-to-all", f->slot[SLOT_ATT_ACROSS], parts,
             n / (size_t)e->ulysses.ranks);
    ranks_to_columns(e, l, parts, make(e, f, SLOT_ATT, n));
    give(e, parts);
}

void REAL(back_across_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t n = e->rows * l->heads * l->value;
    real *parts = take(e, n);
    columns_to_ranks(e, l, f->slot[SLOT_DATT], parts);
    exchange(e, "attention output all-to-all", parts, make(e, f, SLOT_DATT_ACROSS, n),
             n / (size_t)e->ulysses.ranks);
    give(e, parts);
    drop(e, f, SLOT_DATT);
    if (f->done[SLOT_ATT]) drop(e, f, SLOT_ATT); /* of two readers only the weight's is left */
    f->done[SLOT_ATT] = !f->done[SLOT_ATT];
}

/* ---- keys and values of this rank, side by side ---- */

static size_t keys_width(const struct shape *x, const struct at_layer *l)
{
    return x->kv_heads * (l->d + l->value);
}

static real *pack_keys(struct engine *e, const struct at_layer *l, const real *qkv)
{
    const struct shape x = shape_of(e, l);
    const size_t w = keys_width(&x, l);
    real *packed = take(e, x.rows * w);
    for (size_t i = 0; i < x.rows; i++)
        copy_bytes(packed + i * w, qkv + i * x.width + x.heads * l->d, w * sizeof *packed);
    return packed;
}

static void unpack_keys(struct engine *e, const struct at_layer *l, const real *packed, real *dqkv)
{
    const struct shape x = shape_of(e, l);
    const size_t w = keys_width(&x, l);
    for (size_t i = 0; i < x.rows; i++)
        add_to(w, packed + i * w, dqkv + i * x.width + x.heads * l->d);
}

static bool gathers(const struct engine *e)
{
    return e->context.ranks > 1 && e->plan->context_kind == RK_GATHER;
}

static bool rings(const struct engine *e)
{
    return !gathers(e) && ring_ranks(e) > 1;
}

void REAL(keys_gather_forward)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct shape x = shape_of(e, l);
    const size_t n = x.rows * keys_width(&x, l);
    if (f->slot[SLOT_KV]) return;
    real *packed = pack_keys(e, l, f->slot[SLOT_QKV]);
    gather_all(e, &e->context, "key, value all-gather", packed,
               make(e, f, SLOT_KV, n * (size_t)e->context.ranks), n);
    give(e, packed);
}

void REAL(keys_gather_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct shape x = shape_of(e, l);
    const size_t n = x.rows * keys_width(&x, l);
    real *part = take(e, n);
    reduce_part(e, &e->context, "key, value all-gather", f->slot[SLOT_DKV], part, n);
    unpack_keys(e, l, part, f->slot[SLOT_DQKV]);
    give(e, part);
    drop(e, f, SLOT_DKV);
}

/* ---- attention ---- */

static struct REAL(attend) attend_of(struct engine *e, const struct at_layer *l, struct frame *f)
{
    const struct shape x = shape_of(e, l);
    const real *qkv = f->slot[across(e) ? SLOT_QKV_ACROSS : SLOT_QKV];
    const double softmax = e->job->settings.rotary_stretch.softmax;
    const struct rk_arithmetic *has = &e->job->settings.arithmetic;
    const double usual = (softmax > 0 ? softmax : 1) / sqrt((double)l->d);
    const size_t head = (size_t)e->ulysses.me * x.heads; /* of those of this tensor rank */
    const size_t first = (size_t)e->tensor.me * l->heads + head;
    const real *sinks = weight(e, l->dense, WEIGHT_SINKS);
    return (struct REAL(attend)){
        .heads = x.heads,
        .kv_heads = x.kv_heads,
        .d = l->d,
        .value = l->value,
        .scale = has->attention_scale > 0 ? has->attention_scale : usual,
        .cap = has->attention_cap,
        .mask = l->mask,
        .first_head = (uint32_t)first,
        .slopes = e->slopes ? e->slopes + first : NULL,
        .sinks = sinks ? sinks + head : NULL,
        .q = qkv,
        .k = qkv + x.heads * l->d,
        .v = qkv + (x.heads + x.kv_heads) * l->d,
        .ldq = x.width,
        .ldk = x.width,
        .out = f->slot[across(e) ? SLOT_ATT_ACROSS : SLOT_ATT],
        .most = f->slot[SLOT_LOG],
    };
}

/* Keys and values in a buffer of their own. */
static void use_keys(struct REAL(attend) * a, const real *packed)
{
    a->k = packed;
    a->v = packed + a->kv_heads * a->d;
    a->ldk = a->kv_heads * (a->d + a->value);
}

/* All samples: their queries against the keys of context ranks `ranks`. */
static void attend_all(struct engine *e, const struct REAL(attend) * a, const uint32_t *ranks,
                       size_t count, bool fresh, bool back)
{
    const struct scratch_mark mark = scratch_mark(&e->comm->scratch);
    uint32_t *own = room_for_ranks(e);
    const size_t here = ranks_at(e, ring_place(e), own);
    struct run_span *q = room_for_spans(e, here), *k = room_for_spans(e, count);
    for (size_t n = 0; n < e->batch; n++) {
        const size_t queries = spans_of(e, own, here, n, q), keys = spans_of(e, ranks, count, n, k);
        for (size_t i = 0; i < queries; i++)
            if (back)
                attention_backward(e->threads, a, q[i], k, keys);
            else
                attention_forward(e->threads, a, q[i], k, keys, fresh);
    }
    scratch_back(&e->comm->scratch, mark);
}

static void pass_on(struct engine *e, real **buffer, size_t n)
{
    real *next = take(e, n);
    const struct stretch begin = talk_begin(e);
    if (!comm_pass_on(e->comm, &e->ring, "key, value ring", *buffer, next, n * sizeof *next))
        give_up(e);
    stretch_end(e, begin);
    give(e, *buffer);
    *buffer = next;
}

static void ring_forward(struct engine *e, struct at_layer *l, struct REAL(attend) * a,
                         const real *qkv)
{
    const struct shape x = shape_of(e, l);
    const size_t n = x.rows * keys_width(&x, l), count = ring_ranks(e);
    real *keys = pack_keys(e, l, qkv);
    uint32_t *ranks = room_for_ranks(e);
    for (size_t step = 0; step < count; step++) {
        const size_t of = ranks_at(e, (ring_place(e) + count - step) % count, ranks);
        use_keys(a, keys);
        attend_all(e, a, ranks, of, step == 0, false);
        if (step + 1 < count) pass_on(e, &keys, n);
    }
    give(e, keys);
}

/* ---- texts that continue: keys and values of what came before are kept ---- */

static void attend_cached(struct engine *e, struct at_layer *l, struct REAL(attend) * a,
                          const real *qkv)
{
    const struct run_rows *r = e->going;
    const struct shape x = shape_of(e, l);
    const size_t w = keys_width(&x, l), room = e->job->cached;
    for (size_t i = 0; i < r->rows; i++)
        copy_bytes(l->cache + (r->text[i] * room + r->position[i]) * w,
                   qkv + i * x.width + x.heads * l->d, w * sizeof *qkv);
    use_keys(a, l->cache);
    for (size_t i = 0, n; i < r->rows; i += n) {
        for (n = 1; i + n < r->rows && r->text[i + n] == r->text[i];)
            n++;
        const struct run_span q = {(uint32_t)i, (uint32_t)n, r->position[i]};
        const struct run_span k = {(uint32_t)(r->text[i] * room), r->position[i] + (uint32_t)n, 0};
        attention_forward(e->threads, a, q, &k, 1, true);
    }
}

static void all_ranks(const struct engine *e, uint32_t *ranks)
{
    for (int i = 0; i < e->context.ranks; i++)
        ranks[i] = (uint32_t)i;
}

void REAL(attention_run)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    const struct shape x = shape_of(e, l);
    uint32_t *ranks = room_for_ranks(e);
    make(e, f, across(e) ? SLOT_ATT_ACROSS : SLOT_ATT, x.rows * x.heads * l->value);
    make(e, f, SLOT_LOG, x.rows * x.heads);
    struct REAL(attend) a = attend_of(e, l, f);
    a.sum = take(e, x.rows * x.heads);
    if (l->cache) {
        attend_cached(e, l, &a, a.q);
    } else if (rings(e)) {
        ring_forward(e, l, &a, a.q);
    } else if (gathers(e)) {
        REAL(keys_gather_forward)(e, l, f, mb);
        use_keys(&a, f->slot[SLOT_KV]);
        all_ranks(e, ranks);
        attend_all(e, &a, ranks, (size_t)e->context.ranks, true, false);
        drop(e, f, SLOT_KV);
    } else {
        attend_all(e, &a, ranks, ranks_at(e, ring_place(e), ranks), true, false);
    }
    attention_finish(&a, (struct run_span){0, (uint32_t)x.rows, 0});
    give(e, a.sum);
}

static void ring_backward(struct engine *e, struct at_layer *l, struct REAL(attend) * a,
                          const real *qkv, real *dqkv)
{
    const struct shape x = shape_of(e, l);
    const size_t n = x.rows * keys_width(&x, l), count = ring_ranks(e);
    real *keys = pack_keys(e, l, qkv), *slopes = take_zeros(e, n);
    uint32_t *ranks = room_for_ranks(e);
    for (size_t step = 0; step < count; step++) {
        const size_t of = ranks_at(e, (ring_place(e) + count - step) % count, ranks);
        use_keys(a, keys);
        a->dk = slopes;
        a->dv = slopes + a->kv_heads * a->d;
        attend_all(e, a, ranks, of, false, true);
        if (step + 1 < count) pass_on(e, &keys, n);
        pass_on(e, &slopes, n); /* the last time they come home */
    }
    unpack_keys(e, l, slopes, dqkv);
    give(e, keys);
    give(e, slopes);
}

void REAL(attention_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    const struct shape x = shape_of(e, l);
    const enum slot dslot = across(e) ? SLOT_DQKV_ACROSS : SLOT_DQKV;
    uint32_t *ranks = room_for_ranks(e);
    struct REAL(attend) a = attend_of(e, l, f);
    real *delta = take(e, x.rows * x.heads),
         *dqkv = f->slot[dslot] = take_zeros(e, x.rows * x.width);
    a.dout = f->slot[across(e) ? SLOT_DATT_ACROSS : SLOT_DATT];
    if (a.sinks) a.dsinks = gradient(e, l->dense, WEIGHT_SINKS) + (size_t)e->ulysses.me * x.heads;
    attention_deltas(&a, (struct run_span){0, (uint32_t)x.rows, 0}, delta);
    a.delta = delta;
    a.dq = dqkv;
    if (rings(e)) {
        ring_backward(e, l, &a, a.q, dqkv);
    } else if (gathers(e)) {
        REAL(keys_gather_forward)(e, l, f, mb);
        const size_t n = x.rows * keys_width(&x, l) * (size_t)e->context.ranks;
        f->slot[SLOT_DKV] = take_zeros(e, n);
        use_keys(&a, f->slot[SLOT_KV]);
        a.dk = f->slot[SLOT_DKV];
        a.dv = a.dk + a.kv_heads * a.d;
        all_ranks(e, ranks);
        attend_all(e, &a, ranks, (size_t)e->context.ranks, false, true);
        drop(e, f, SLOT_KV);
    } else {
        a.dk = dqkv + x.heads * l->d;
        a.dv = dqkv + (x.heads + x.kv_heads) * l->d;
        attend_all(e, &a, ranks, ranks_at(e, ring_place(e), ranks), false, true);
    }
    give(e, delta);
    drop(e, f, SLOT_LOG);
    drop(e, f, SLOT_DATT);
    drop(e, f, SLOT_DATT_ACROSS);
    drop(e, f, SLOT_ATT_ACROSS);
    if (across(e)) return;
    drop(e, f, SLOT_QKV);
    if (f->done[SLOT_ATT]) drop(e, f, SLOT_ATT);
    f->done[SLOT_ATT] = !f->done[SLOT_ATT];
}

/* ---- scores in memory: a kernel for each product, and for the softmax ---- */

/* Attention over the keys of all ranks that there are; backward with room for what it brings. */
static struct REAL(attend)
    whole_attend(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    const struct shape x = shape_of(e, l);
    struct REAL(attend) a = attend_of(e, l, f);
    real *dqkv = f->slot[across(e) ? SLOT_DQKV_ACROSS : SLOT_DQKV];
    a.dout = f->slot[across(e) ? SLOT_DATT_ACROSS : SLOT_DATT];
    a.dq = a.dk = a.dv = dqkv;
    if (dqkv) {
        a.dk = dqkv + x.heads * l->d;
        a.dv = dqkv + (x.heads + x.kv_heads) * l->d;
    }
    if (!gathers(e)) return a;
    REAL(keys_gather_forward)(e, l, f, mb);
    use_keys(&a, f->slot[SLOT_KV]);
    a.dk = f->slot[SLOT_DKV];
    if (a.dk) a.dv = a.dk + a.kv_heads * a.d;
    return a;
}

/* Keys of a sample, and rows of scores of all samples. */
static size_t whole_keys(const struct engine *e, const struct at_layer *l)
{
    const size_t ranks = gathers(e) ? (size_t)e->context.ranks : 1;
    return ranks * shape_of(e, l).rows / e->batch;
}

static size_t whole_rows(const struct engine *e, const struct at_layer *l)
{
    const struct shape x = shape_of(e, l);
    return x.heads * x.rows;
}

typedef void whole_kernel(int threads, const struct REAL(whole) * w);

static void run_whole(struct engine *e, struct at_layer *l, struct frame *f,
                      const struct REAL(attend) * a, whole_kernel *run)
{
    const size_t each = whole_rows(e, l) / e->batch * whole_keys(e, l);
    uint32_t *own = room_for_ranks(e), *ranks = room_for_ranks(e);
    const size_t here = ranks_at(e, ring_place(e), own);
    const size_t count = gathers(e) ? (size_t)e->context.ranks : here;
    struct run_span *q = room_for_spans(e, here), *k = room_for_spans(e, count);
    memcpy(ranks, own, here * sizeof *own);
    if (gathers(e)) all_ranks(e, ranks);
    for (size_t n = 0; n < e->batch; n++) {
        struct REAL(whole) w = {.a = a, .q = q, .k = k};
        w.queries = spans_of(e, own, here, n, q);
        w.keys = spans_of(e, ranks, count, n, k);
        w.scores = f->slot[SLOT_SCORES] ? f->slot[SLOT_SCORES] + n * each : NULL;
        w.slopes = f->slot[SLOT_DSCORES] ? f->slot[SLOT_DSCORES] + n * each : NULL;
        run(e->threads, &w);
    }
}

void REAL(scores_run)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    const struct REAL(attend) a = whole_attend(e, l, f, mb);
    make(e, f, SLOT_SCORES, whole_rows(e, l) * whole_keys(e, l));
    run_whole(e, l, f, &a, whole_scores);
}

void REAL(softmax_run)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    whole_softmax(e->threads, whole_rows(e, l), whole_keys(e, l), f->slot[SLOT_SCORES]);
}

void REAL(values_run)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    const struct shape x = shape_of(e, l);
    make(e, f, across(e) ? SLOT_ATT_ACROSS : SLOT_ATT, x.rows * x.heads * l->value);
    const struct REAL(attend) a = whole_attend(e, l, f, mb);
    run_whole(e, l, f, &a, whole_values);
    drop(e, f, SLOT_KV);
}

void REAL(values_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    const struct shape x = shape_of(e, l);
    const size_t keys = x.rows * keys_width(&x, l) * (size_t)e->context.ranks;
    f->slot[across(e) ? SLOT_DQKV_ACROSS : SLOT_DQKV] = take_zeros(e, x.rows * x.width);
    if (gathers(e)) f->slot[SLOT_DKV] = take_zeros(e, keys);
    make(e, f, SLOT_DSCORES, whole_rows(e, l) * whole_keys(e, l));
    const struct REAL(attend) a = whole_attend(e, l, f, mb);
    run_whole(e, l, f, &a, whole_values_back);
    drop(e, f, SLOT_DATT);
    drop(e, f, SLOT_DATT_ACROSS);
    drop(e, f, SLOT_ATT_ACROSS);
}

void REAL(softmax_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    whole_softmax_back(e->threads, whole_rows(e, l), whole_keys(e, l), f->slot[SLOT_SCORES],
                       f->slot[SLOT_DSCORES]);
    drop(e, f, SLOT_SCORES);
}

void REAL(scores_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    const struct REAL(attend) a = whole_attend(e, l, f, mb);
    run_whole(e, l, f, &a, whole_scores_back);
    drop(e, f, SLOT_KV);
    drop(e, f, SLOT_DSCORES);
    if (across(e)) return;
    drop(e, f, SLOT_QKV);
    if (f->done[SLOT_ATT]) drop(e, f, SLOT_ATT);
    f->done[SLOT_ATT] = !f->done[SLOT_ATT];
}
