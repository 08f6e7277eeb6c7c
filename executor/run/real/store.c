/* store.c - the storage of a group of weights: from its begin to checkpoints. */
#include "run/real/engine.h"

#include "run/philox.h"
#include "run/real/offload.h"

#include <stdlib.h>
#include <string.h>

/* ---- begin ---- */

/* Elements of a weight that follow each other in the numbers of the seed: from `i` on, in the box.
 */
static size_t run_length(const struct weight *w, size_t i)
{
    const size_t end = w->at + w->box_rows * w->box_cols;
    return w->box_cols == w->cols ? end - i : w->box_cols - (i - w->at) % w->box_cols;
}

/* Starts elements [from, to) of the group, all of one weight, from the seed. */
static void start_piece(const struct engine *e, const struct weight *w, size_t from, size_t to,
                        real *at)
{
    enum { PIECE = 4096 };
    double piece[PIECE];
    const uint64_t rows = w->row0 < w->rows ? w->rows - w->row0 : 0;
    const size_t pads = w->at + rows * w->box_cols; /* from here on */
    for (size_t i = from, n; i < to; i += n, at += n) {
        const size_t run = run_length(w, i), left = to - i < run ? to - i : run;
        const uint64_t row = w->row0 + (i - w->at) / w->box_cols,
                       col = w->col0 + (i - w->at) % w->box_cols;
        n = left < PIECE ? left : PIECE;
        if (w->spread > 0)
            philox_normals(e->job->settings.seed, w->stream, row * w->cols + col, w->spread, n,
                           piece);
        for (size_t j = 0; j < n; j++)
            at[j] = (real)(w->spread > 0 ? piece[j] : w->start);
        if (i + n > pads) {
            const size_t first = i < pads ? pads - i : 0;
            clear_bytes(at + first, (n - first) * sizeof *at);
        }
    }
}

/* Starts a weight, or the part [from, to) of the group that it is in; each element's number is its
 * own, so that threads change no bit. */
static void start_weight(const struct engine *e, const struct weight *w, size_t from, size_t to,
                         real *at)
{
    enum { SHARE = 1 << 16 };
#pragma omp parallel for num_threads(e->threads) schedule(static) if (e->threads > 1)
    for (size_t i = from; i < to; i += SHARE)
        start_piece(e, w, i, to - i < SHARE ? to : i + SHARE, at + (i - from));
}

real *room(size_t n)
{
    real *data = n ? aligned_alloc(64, (n * sizeof *data + 63) / 64 * 64) : NULL;
    if (data) clear_bytes(data, n * sizeof *data);
    return data;
}

/* The part [begin, begin + count) of a group from the seed. */
static void start_weights(const struct engine *e, const struct weight_group *g, size_t begin,
                          size_t count, real *at)
{
    for (int i = 0; !COUNTS && i < g->count; i++) {
        const struct weight *w = &e->weights.weight[g->first + i];
        const size_t from = w->at > begin ? w->at : begin, end = w->at + w->box_rows * w->box_cols;
        const size_t to = end < begin + count ? end : begin + count;
        if (from < to) start_weight(e, w, from, to, at + (from - begin));
    }
}

/* Elements of the weights of 16 bits that are here, and where they begin in the group. */
static size_t low_count(const struct store *s)
{
    return s->gathers ? s->share : s->group->size;
}

static size_t low_begin(const struct store *s)
{
    return s->gathers ? s->begin : 0;
}

/* `all`: the 32 bits of the same elements; NULL where they are elsewhere, and start once more here.
 */
static bool start_low(struct engine *e, struct store *s, const real *all)
{
    enum { PIECE = 1 << 16 };
    const size_t each = sizeof(real) / sizeof(uint16_t), n = low_count(s);
    s->is_low = true;
    if (!flat_open(e, &s->lows, RK_SHARE_WEIGHTS, (n + each - 1) / each)) return false;
    uint16_t *low = (uint16_t *)flat_use(e, &s->lows);
    real *piece = all ? NULL : take(e, PIECE);
    for (size_t at = 0, count; piece && at < n; at += count) {
        count = n - at < PIECE ? n - at : PIECE;
        clear_bytes(piece, count * sizeof *piece);
        if (!e->job->loads) start_weights(e, s->group, low_begin(s) + at, count, piece);
        pack_16(e, count, piece, low + at);
    }
    if (piece)
        give(e, piece);
    else
        pack_16(e, n, all, low);
    flat_go(e, &s->lows);
    flat_leave(e, &s->lows);
    return true;
}

bool store_open(struct engine *e, struct store *s, const struct weight_group *g)
{
    enter(e, g->local);
    const int zero = e->plan->zero;
    const struct rk_model *m = &e->job->model;
    const bool table = g->id == GROUP_TABLE, tied = table && m->tied_embeddings;
    *s = (struct store){
        .group = g,
        .place = g->local,
        .shards = g->expert ? &e->place[g->local].expert_shards : &e->place[g->local].shards,
        .copies = g->expert ? &e->place[g->local].expert_copies : &e->place[g->local].copies,
        .gathers = zero == 3};
    s->share = g->size / (size_t)s->shards->ranks;
    s->begin = s->share * (size_t)s->shards->me;
    const bool forward = e->job->forward;
    const size_t gradients = zero >= 2 ? s->share : g->size;
    const size_t state = forward ? 0 : zero ? s->share : g->size;
    const bool part = e->narrow ? zero > 0 : s->gathers;
    const size_t begin = part ? s->begin : 0, count = part ? s->share : g->size;
    const bool heads = tied && e->heads && !forward;
    const bool both = tied || (table && m->predict_layers); /* both ends of the pipeline have it */
    s->tied = both && !rk_plan_joins_ends(&e->job->plan) && !e->dual;
    if (!forward && !(s->gradient = gradients_open(e, gradients))) return false;
    if (heads && !(s->head = gradients_open(e, gradients))) return false;
    if (!forward && !(s->stale = calloc(2 * (size_t)g->count, sizeof *s->stale))) return false;
    const bool muon = !forward && REAL(is_muon)(e, g);
    if (muon && !REAL(smalls_open)(e, s, zero ? s->begin : 0, state)) return false;
    if (!flat_open(e, &s->moment[0], RK_SHARE_OPTIMIZER, state) ||
        !flat_open(e, &s->moment[1], RK_SHARE_OPTIMIZER, muon ? 0 : state) ||
        !flat_open(e, &s->weights, e->narrow ? RK_SHARE_OPTIMIZER : RK_SHARE_WEIGHTS, count))
        return false;
    real *all = flat_use(e, &s->weights);
    if (!e->job->loads) start_weights(e, g, begin, count, all);
    const bool same = begin == low_begin(s) && count == low_count(s);
    if (e->narrow && !start_low(e, s, same ? all : NULL)) return false;
    flat_go(e, &s->weights);
    flat_leave(e, &s->weights);
    if (!s->gathers && !s->is_low) s->whole = s->weights.all;
    return true;
}

void store_close(struct engine *e, struct store *s)
{
    comm_begun_release(e->comm, &s->sum);
    comm_begun_release(e->comm, &s->gather);
    flat_close(&s->weights);
    flat_close(&s->moment[0]);
    flat_close(&s->moment[1]);
    flat_close(&s->lows);
    free(s->small);
    free(s->stale);
    free(s->gradient);
    free(s->head);
}

/* ---- use ---- */

/* To reals, but for what products read as it is. */
static void widen(struct engine *e, struct store *s, const uint16_t *low)
{
    for (int i = 0; e->bf16 && i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        if (!stays_low(e, w))
            unpack_16(e, w->box_rows * w->box_cols, low + w->at, s->whole + w->at);
    }
    if (!e->bf16) unpack_16(e, s->group->size, low, s->whole);
}

/* All weights of 16 bits, gathered or fetched, for a pass. */
static void come_low(struct engine *e, struct store *s)
{
    s->low = take_16(e, s->group->size);
    if (!s->gathers) {
        copy_bytes(s->low, low_of(s), s->group->size * sizeof *s->low);
        return;
    }
    const struct stretch begin = stretch_begin(e, PART_DATA);
    if (s->gather.open)
        end_gather(e, &s->gather, s->low);
    else if (!comm_all_gather(e->comm, s->shards, "weights", low_of(s), s->low,
                              s->share * sizeof *s->low))
        give_up(e);
    stretch_end(e, begin);
}

static void drop_low(struct engine *e, struct store *s)
{
    if (s->low) give(e, (real *)s->low);
    s->low = NULL;
}

/* From 16 bits, for a pass. */
static void use_low(struct engine *e, struct store *s)
{
    if (s->whole) return;
    s->whole = take(e, s->group->size);
    flat_use(e, &s->lows);
    if (!s->gathers) weights_settle(e, s);
    if (s->gathers || (e->bf16 && flat_is_away(&s->lows))) come_low(e, s);
    if (s->low) flat_leave(e, &s->lows);
    widen(e, s, low_here(s));
    if (!s->low) flat_leave(e, &s->lows);
    if (!e->bf16) drop_low(e, s);
}

void use_weights(struct engine *e, struct store *s)
{
    if (s->is_low) {
        use_low(e, s);
        return;
    }
    const real *here = flat_use(e, &s->weights);
    if (!s->gathers) {
        weights_settle(e, s);
        s->whole = s->weights.all;
        return;
    }
    s->whole = take(e, s->group->size);
    const struct stretch begin = stretch_begin(e, PART_DATA);
    if (s->gather.open)
        end_gather(e, &s->gather, s->whole);
    else
        gather_all(e, s->shards, "weights", here, s->whole, s->share);
    stretch_end(e, begin);
    flat_leave(e, &s->weights);
}

void weights_begin(struct engine *e, struct store *s)
{
    const struct stretch begin = stretch_begin(e, PART_DATA);
    const size_t at = s->gathers ? 0 : s->begin;
    if (s->is_low)
        begin_over_shards(e, s, &s->gather, "weights", low_of(s) + at, s->share * sizeof(uint16_t),
                          false);
    else
        begin_over_shards(e, s, &s->gather, "weights", s->weights.all + at, s->share * sizeof(real),
                          false);
    stretch_end(e, begin);
}

void weights_settle(struct engine *e, struct store *s)
{
    if (!s->gather.open) return;
    const struct stretch begin = stretch_begin(e, PART_DATA);
    real *none = s->gathers ? take(e, s->group->size) : NULL; /* nobody has asked for them */
    end_gather(e, &s->gather, none ? none : s->is_low ? (void *)low_of(s) : s->weights.all);
    if (none) give(e, none);
    stretch_end(e, begin);
}

void store_finish(struct engine *e, struct store *s, enum work work, bool asked)
{
    if (!s) return;
    gradients_pass(e, s);
    if (asked && work != WORK_WEIGHT && s->users > 0) s->users--;
    if (work == WORK_WEIGHT || s->users > 0) return;
    const bool keeps = s->gathers && e->plan->keep_gathered;
    if (!s->whole || (work == WORK_FORWARD && keeps)) return;
    drop_low(e, s);
    if (s->gathers || s->is_low)
        give(e, s->whole);
    else
        flat_leave(e, &s->weights);
    if (s->gathers || s->is_low || flat_is_away(&s->weights)) s->whole = NULL;
}

/* ---- the optimizer ---- */

void store_come(struct engine *e, struct store *s)
{
    flat_come(e, &s->moment[0]);
    flat_come(e, &s->moment[1]);
    flat_come(e, &s->weights);
    if (s->is_low) flat_come(e, &s->lows);
}

/* AdamW on `n` elements of one weight; its gradients begin `gradient` elements after the first
 * local one. */
static void move_weights(struct engine *e, struct store *s, const struct run_adam *settings,
                         bool decays, size_t gradient, size_t n, real *first, real *second, real *w)
{
    for (size_t at = 0, piece; at < n; at += piece) {
        piece = gradients_piece(e, n - at);
        const real *g = read_gradients(e, s, gradient + at, piece);
        adam(e->threads, piece, settings, decays, g, first + at, second + at, w + at);
        gradients_read(e, g);
    }
}

void store_update(struct engine *e, struct store *s, const struct run_adam *adam_settings)
{
    enter(e, s->place);
    const int zero = e->plan->zero;
    const size_t begin = zero ? s->begin : 0, n = zero ? s->share : s->group->size;
    const size_t gradients = shards_gradients(e) ? 0 : begin; /* where those of `begin` are */
    weights_settle(e, s);
    real *first = flat_use(e, &s->moment[0]), *second = flat_use(e, &s->moment[1]);
    real *all = flat_use(e, &s->weights), *w = s->gathers || s->is_low ? all : all + begin;
    if (s->small) {
        const real *g = read_gradients(e, s, gradients, n);
        REAL(muon_update)(e, s, adam_settings, begin, n, g, first, w);
        gradients_read(e, g);
    }
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *one = &e->weights.weight[s->group->first + i];
        const size_t from = one->at > begin ? one->at : begin;
        const size_t end = one->at + one->box_rows * one->box_cols,
                     to = end < begin + n ? end : begin + n, at = from - begin;
        if (from >= to || (s->small && one->decays)) continue; /* matrices are Muon's */
        if (one->role == WEIGHT_ROUTER_BIAS) {
            const real *g = read_gradients(e, s, gradients + at, to - from);
            REAL(balance_experts)(e, to - from, g, w + at);
            gradients_read(e, g);
            continue;
        }
        move_weights(e, s, adam_settings, one->decays, gradients + at, to - from, first + at,
                     s->small ? REAL(small_at)(e, s, begin, from) : second + at, w + at);
    }
    flat_go(e, &s->moment[0]);
    flat_go(e, &s->moment[1]);
    if (s->is_low) flat_use(e, &s->lows);
    uint16_t *low = s->is_low ? low_of(s) + (s->gathers ? 0 : begin) : NULL;
    if (low) pack_16(e, n, w, low);
    if (zero && !s->gathers) {
        if (e->plan->weight_overlap && !weights_are_away(s))
            weights_begin(e, s);
        else if (!low)
            gather_all(e, s->shards, "weights", w, all, s->share);
        else if (!comm_all_gather(e->comm, s->shards, "weights", low, low_of(s),
                                  s->share * sizeof *low))
            give_up(e);
    }
    flat_go(e, &s->weights);
    if (s->is_low) flat_go(e, &s->lows);
}

void store_leave(struct engine *e, struct store *s)
{
    flat_leave(e, &s->lows);
    flat_leave(e, &s->moment[0]);
    flat_leave(e, &s->moment[1]);
    flat_leave(e, &s->weights);
}

void store_clear(struct engine *e, struct store *s)
{
    enter(e, s->place);
    s->passes_left = s->passes;
    gradients_clear(e, s);
}

/* ---- state, for checkpoints ---- */

static struct flat *state_of(struct store *s, int which)
{
    return which ? &s->moment[which - 1] : &s->weights;
}

/* Muon's second moments, in the layout of others: zeros for matrices. */
static real *all_seconds(struct engine *e, struct store *s)
{
    real *all = take_zeros(e, s->moment[0].count);
    REAL(smalls_copy)(e, s, e->plan->zero ? s->begin : 0, s->moment[0].count, all, false);
    return all;
}

bool REAL(engine_gather)(struct engine *e, int group, int which, void *to)
{
    struct store *s = &e->store[group];
    struct flat *f = state_of(s, which);
    if (setjmp(e->escape)) return false;
    enter(e, s->place);
    if (which == 0) weights_settle(e, s);
    const bool smalls = which == 2 && s->small;
    const size_t count = smalls ? s->moment[0].count : f->count;
    real *part = smalls ? all_seconds(e, s) : flat_use(e, f);
    if (count == s->group->size)
        memcpy(to, part, s->group->size * sizeof(real));
    else
        gather_all(e, s->shards, "state", part, to, s->share);
    if (smalls)
        give(e, part);
    else
        flat_leave(e, f);
    return true;
}

bool REAL(engine_scatter)(struct engine *e, int group, int which, const void *from)
{
    struct store *s = &e->store[group];
    struct flat *f = state_of(s, which);
    const real *all = from;
    if (setjmp(e->escape)) return false;
    enter(e, s->place);
    if (which == 2 && s->small) {
        const size_t begin = e->plan->zero ? s->begin : 0;
        REAL(smalls_copy)(e, s, begin, s->moment[0].count, (real *)(uintptr_t)(all + begin), true);
        return true;
    }
    memcpy(flat_use(e, f), f->count == s->group->size ? all : all + s->begin,
           f->count * sizeof(real));
    flat_go(e, f);
    flat_leave(e, f);
    if (!s->is_low || which != 0) return true;
    pack_16(e, low_count(s), all + low_begin(s), (uint16_t *)flat_use(e, &s->lows));
    flat_go(e, &s->lows);
    flat_leave(e, &s->lows);
    return true;
}

void *REAL(engine_flat)(struct engine *e, int group)
{
    const struct store *s = &e->store[group];
    const bool here = !s->gathers && !s->is_low && !flat_is_away(&s->weights);
    return here && s->weights.count == s->group->size ? s->weights.all : NULL;
}

bool REAL(engine_writes)(const struct engine *e, int group)
{
    const struct store *s = &e->store[group];
    return s->shards->me == 0 && s->copies->me == 0 && !(s->tied && e->stages.me != 0) &&
           !is_second_copy(e);
}
