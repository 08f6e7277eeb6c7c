/* muon.c - the momentum of each matrix of a block, made orthogonal, moves it [jordan2024]; the
 * other weights of a block, and the tables, are AdamW's.
 *
 * A matrix is made orthogonal whole. Ranks that share the optimizer's state (ZeRO-1) have parts of
 * it, so matrices are dealt to them: each brings its parts to the one that works on it, and gets
 * them back. Tensor ranks gather the matrix and do all the same, as the prediction has it.
 */
#include "run/real/engine.h"

#include <math.h>

bool REAL(is_muon)(const struct engine *e, const struct weight_group *g)
{
    const struct job *job = e->job;
    return job->plan.optimizer == RK_MUON && g->id >= GROUP_BLOCKS &&
           g->id < group_of_final_norm(&job->model);
}

static bool is_matrix(const struct weight *w)
{
    return w->decays;
}

/* ---- second moments, of what is no matrix ---- */

/* Elements of this kind in front of `end` of the part of the group that begins at `begin`. */
static size_t smalls_until(const struct engine *e, const struct store *s, size_t begin, size_t end)
{
    size_t n = 0;
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        const size_t last = w->at + w->box_rows * w->box_cols;
        const size_t from = w->at > begin ? w->at : begin, to = last < end ? last : end;
        if (!is_matrix(w) && to > from) n += to - from;
    }
    return n;
}

bool REAL(smalls_open)(struct engine *e, struct store *s, size_t begin, size_t n)
{
    s->smalls = smalls_until(e, s, begin, begin + n);
    s->small = room(s->smalls + 1);
    return s->small != NULL;
}

real *REAL(small_at)(struct engine *e, struct store *s, size_t begin, size_t at)
{
    return s->small + smalls_until(e, s, begin, at);
}

void REAL(smalls_copy)(struct engine *e, struct store *s, size_t begin, size_t n, real *all,
                       bool back)
{
    real *next = s->small;
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        const size_t last = w->at + w->box_rows * w->box_cols, end = begin + n;
        const size_t from = w->at > begin ? w->at : begin, to = last < end ? last : end;
        if (is_matrix(w) || to <= from) continue;
        real *there = all + (from - begin);
        copy_bytes(back ? next : there, back ? there : next, (to - from) * sizeof *next);
        next += to - from;
    }
}

/* ---- one matrix ---- */

/* From the box that is here (in place) to the matrix of all tensor ranks, and back. Those that
 * share a key head have the same rows. */
struct boxes {
    const struct weight *w;
    const struct comm_group *ranks;
    size_t box, copies;
    bool by_rows;
};

static struct boxes boxes_of(const struct engine *e, const struct store *s, const struct weight *w)
{
    const struct comm_group *ranks = s->group->expert ? &e->expert_tensor : &e->tensor;
    const bool by_rows = w->box_rows < w->rows;
    const size_t parts = by_rows ? w->rows / w->box_rows : w->cols / w->box_cols;
    return (struct boxes){.w = w,
                          .ranks = ranks,
                          .box = w->box_rows * w->box_cols,
                          .copies = parts > 1 ? (size_t)ranks->ranks / parts : 0,
                          .by_rows = by_rows};
}

static void place_box(const struct boxes *b, const real *from, size_t rank, real *matrix)
{
    const size_t row0 = b->by_rows ? rank / b->copies * b->w->box_rows : 0;
    const size_t col0 = b->by_rows ? 0 : rank / b->copies * b->w->box_cols;
    for (size_t i = 0; i < b->w->box_rows; i++)
        copy_bytes(matrix + (row0 + i) * b->w->cols + col0, from + i * b->w->box_cols,
                   b->w->box_cols * sizeof *from);
}

static void take_box(const struct boxes *b, const real *matrix, real *box)
{
    for (size_t i = 0; i < b->w->box_rows; i++)
        copy_bytes(box + i * b->w->box_cols, matrix + (b->w->row0 + i) * b->w->cols + b->w->col0,
                   b->w->box_cols * sizeof *box);
}

static void orthogonal_box(struct engine *e, struct store *s, const struct weight *w, real *box)
{
    const struct boxes b = boxes_of(e, s, w);
    const size_t all = w->rows * w->cols;
    real *matrix = b.copies ? take(e, all) : box,
         *scratch = take(e, orthogonal_room(w->rows, w->cols));
    if (b.copies) {
        const size_t ranks = (size_t)b.ranks->ranks;
        real *boxes = take(e, ranks * b.box);
        gather_all(e, b.ranks, "matrices", box, boxes, b.box);
        for (size_t r = 0; r < ranks; r++)
            place_box(&b, boxes + r * b.box, r, matrix);
        give(e, boxes);
    }
    orthogonal(e->threads, w->rows, w->cols, matrix, scratch);
    if (b.copies) take_box(&b, matrix, box);
    give(e, scratch);
    if (b.copies) give(e, matrix);
}

/* ---- matrices that are dealt to the ranks of a group of shards ---- */

struct dealt {
    struct engine *e;
    struct store *s;
    size_t ranks, share;
};

static size_t owner_of(const struct dealt *d, int i)
{
    return (size_t)(i + d->s->group->id) % d->ranks;
}

/* Elements of weight i that rank r has, and where they begin in the group. */
static size_t part_of(const struct dealt *d, int i, size_t r, size_t *from)
{
    const struct weight *w = &d->e->weights.weight[d->s->group->first + i];
    const size_t begin = r * d->share, end = begin + d->share;
    const size_t last = w->at + w->box_rows * w->box_cols, to = last < end ? last : end;
    *from = w->at > begin ? w->at : begin;
    return to > *from ? to - *from : 0;
}

/* Elements of all matrices of `owner` that rank r has. */
static size_t parts_of(const struct dealt *d, size_t owner, size_t r)
{
    size_t n = 0, from;
    for (int i = 0; i < d->s->group->count; i++)
        if (is_matrix(&d->e->weights.weight[d->s->group->first + i]) && owner_of(d, i) == owner)
            n += part_of(d, i, r, &from);
    return n;
}

/* Packs `update`, this rank's part of the group, into contiguous messages to the owners, or
 * back. */
static void pack_parts(const struct dealt *d, real *update, real *out, bool back)
{
    const size_t me = (size_t)d->s->shards->me;
    for (size_t owner = 0; owner < d->ranks; owner++)
        for (int i = 0; i < d->s->group->count; i++) {
            size_t from;
            if (!is_matrix(&d->e->weights.weight[d->s->group->first + i])) continue;
            if (owner_of(d, i) != owner) continue;
            const size_t n = part_of(d, i, me, &from);
            real *here = update + (from - me * d->share);
            if (n) copy_bytes(back ? here : out, back ? out : here, n * sizeof *out);
            out += n;
        }
}

/* Between what came, rank by rank, and the box of matrix i, which this rank owns. */
static void join_parts(const struct dealt *d, int matrix, real *in, real *box, bool back)
{
    const size_t me = (size_t)d->s->shards->me;
    for (size_t r = 0; r < d->ranks; r++)
        for (int i = 0; i < d->s->group->count; i++) {
            size_t from;
            const struct weight *w = &d->e->weights.weight[d->s->group->first + i];
            if (!is_matrix(w) || owner_of(d, i) != me) continue;
            const size_t n = part_of(d, i, r, &from);
            real *there = box + (from - w->at);
            if (n && i == matrix) copy_bytes(back ? in : there, back ? there : in, n * sizeof *in);
            in += n;
        }
}

static void exchange(const struct dealt *d, const size_t *out_n, real *out, const size_t *in_n,
                     real *in)
{
    const struct scratch_mark mark = scratch_mark(&d->e->comm->scratch);
    const struct stretch begin = talk_begin(d->e);
    exchange_parts(d->e, d->s->shards, "matrices", out,
                   parts_of_rows(d->e, d->ranks, out_n, sizeof *out), in,
                   parts_of_rows(d->e, d->ranks, in_n, sizeof *in));
    stretch_end(d->e, begin);
    scratch_back(&d->e->comm->scratch, mark);
}

static void orthogonal_dealt(const struct dealt *d, real *update)
{
    struct engine *e = d->e;
    const size_t me = (size_t)d->s->shards->me;
    const struct scratch_mark mark = scratch_mark(&e->comm->scratch);
    size_t *goes = SCRATCH(e, size_t, d->ranks), *comes = SCRATCH(e, size_t, d->ranks);
    size_t out = 0, in = 0;
    for (size_t r = 0; r < d->ranks; r++) {
        out += goes[r] = parts_of(d, r, me);
        in += comes[r] = parts_of(d, me, r);
    }
    real *sent = take(e, out + 1), *came = take(e, in + 1);
    pack_parts(d, update, sent, false);
    exchange(d, goes, sent, comes, came);
    for (int i = 0; i < d->s->group->count; i++) {
        const struct weight *w = &e->weights.weight[d->s->group->first + i];
        if (!is_matrix(w) || owner_of(d, i) != me) continue;
        real *box = take(e, w->box_rows * w->box_cols);
        join_parts(d, i, came, box, false);
        orthogonal_box(e, d->s, w, box);
        join_parts(d, i, came, box, true);
        give(e, box);
    }
    exchange(d, comes, came, goes, sent);
    pack_parts(d, update, sent, true);
    give(e, came);
    give(e, sent);
    scratch_back(&e->comm->scratch, mark);
}

/* ---- a step ---- */

/* An orthogonal matrix of (rows, cols) has a root mean square of 1 / sqrt(max(rows, cols)): times
 * that and 0.2, AdamW's usual one, both take the same learning rate [liu2025muon]. */
static double rate_of(const struct run_adam *settings, const struct weight *w)
{
    return settings->rate * 0.2 * sqrt((double)(w->rows > w->cols ? w->rows : w->cols));
}

/* Of weight i, what is within the `n` elements from `begin` on; 0: none, or it is no matrix. */
static size_t piece_of(const struct engine *e, const struct store *s, int i, size_t begin, size_t n,
                       size_t *at)
{
    const struct weight *w = &e->weights.weight[s->group->first + i];
    const size_t from = w->at > begin ? w->at : begin;
    const size_t end = w->at + w->box_rows * w->box_cols, to = end < begin + n ? end : begin + n;
    *at = from - begin;
    return is_matrix(w) && to > from ? to - from : 0;
}

void REAL(muon_update)(struct engine *e, struct store *s, const struct run_adam *settings,
                       size_t begin, size_t n, const real *g, real *first, real *weights)
{
    const struct weight *all = &e->weights.weight[s->group->first];
    const bool cut = n < s->group->size;
    real *update = take(e, n);
    size_t at;
    for (int i = 0; i < s->group->count; i++) {
        const size_t count = piece_of(e, s, i, begin, n, &at);
        if (!count) continue;
        muon_momentum(e->threads, count, e->job->settings.momentum, settings->gradient_scale,
                      g + at, first + at, update + at);
        if (!cut) orthogonal_box(e, s, &all[i], update + at);
    }
    if (cut) orthogonal_dealt(&(struct dealt){e, s, (size_t)s->shards->ranks, s->share}, update);
    for (int i = 0; i < s->group->count; i++) {
        const size_t count = piece_of(e, s, i, begin, n, &at);
        if (count)
            muon_descend(e->threads, count, rate_of(settings, &all[i]),
                         settings->rate * settings->decay, update + at, weights + at);
    }
    give(e, update);
}
