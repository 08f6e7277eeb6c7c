/* ends.c - embedding before the blocks; norm, logits and loss after them. */
#include "run/real/engine.h"
#include "run/real/lanes.h"

#include <math.h>
#include <string.h>

/* ---- embedding ---- */

static void shard_of_words(const struct engine *e, const struct store *s, enum weight_role role,
                           uint32_t *first, uint32_t *count, size_t *box)
{
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        if (w->role != role) continue;
        const uint64_t words = e->job->model.vocabulary;
        *first = (uint32_t)w->row0;
        *count = (uint32_t)(w->row0 >= words                ? 0
                            : words - w->row0 < w->box_rows ? words - w->row0
                                                            : w->box_rows);
        *box = w->box_rows;
    }
}

/* As lookup_forward, in a table of 16 bits, or one that lies in a file. */
static void look_up_rows(struct engine *e, const uint32_t *token, uint32_t first, uint32_t count,
                         struct matrix table, real *y)
{
    for (size_t i = 0; i < e->rows; i++)
        if (token[i] - first < count)
            look_up(e, table, token[i] - first, y + i * e->hidden);
        else
            clear_bytes(y + i * e->hidden, e->hidden * sizeof *y);
}

/* Of a microbatch, those of the layer's depth. */
static const uint32_t *tokens_of(const struct engine *e, const struct at_layer *l, size_t mb)
{
    const size_t all = e->job->microbatches * e->rows;
    return (l->depth ? e->ahead + 2 * (size_t)(l->depth - 1) * all : e->token) + mb * e->rows;
}

static const uint32_t *targets_of(const struct engine *e, const struct at_layer *l, size_t mb)
{
    const size_t all = e->job->microbatches * e->rows;
    return l->depth ? tokens_of(e, l, mb) + all : e->target + mb * e->rows;
}

void REAL(embed)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    uint32_t first = 0, count = 0;
    size_t box = 0;
    shard_of_words(e, l->table, WEIGHT_TABLE, &first, &count, &box);
    const struct matrix table = matrix_of(e, l->table, WEIGHT_TABLE);
    const uint32_t *token = tokens_of(e, l, mb);
    real *y = make(e, f, SLOT_OUT_2, e->rows * e->hidden);
    if (table.plain)
        lookup_forward(e->rows, e->hidden, token, first, count, table.plain, y);
    else
        look_up_rows(e, token, first, count, table, y);
    const double scale = e->job->settings.arithmetic.embedding_scale;
    if (scale > 0) scale_by(e->rows * e->hidden, scale, y);
}

void REAL(embed_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    uint32_t first = 0, count = 0;
    size_t box = 0;
    const real *dy = whole_gradient(e, f, SLOT_DX, SLOT_DWHOLE_OUT_2, "embedding reduce");
    shard_of_words(e, l->table, WEIGHT_TABLE, &first, &count, &box);
    const double scale = e->job->settings.arithmetic.embedding_scale;
    if (scale > 0) { /* nobody else reads it */
        real *own = f->slot[f->slot[SLOT_DWHOLE_OUT_2] ? SLOT_DWHOLE_OUT_2 : SLOT_DX];
        scale_by(e->rows * e->hidden, scale, own);
    }
    lookup_backward(e->rows, e->hidden, tokens_of(e, l, mb), first, count, dy,
                    gradient(e, l->table, WEIGHT_TABLE));
    drop(e, f, SLOT_DWHOLE_OUT_2);
    drop(e, f, SLOT_DX);
    if (l->depth) move(e, f, SLOT_DSTREAM, SLOT_DX);
}

void REAL(embed_reduce)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    reduce_forward(e, f, SLOT_OUT_2, "embedding reduce");
}

/* Tokens of this tensor rank's shard. */
static const uint32_t *own_positions(const struct engine *e, size_t mb)
{
    const size_t first = sequence_parallel(e) ? (size_t)e->tensor.me * e->share : 0;
    return e->position + mb * e->rows + first;
}

void REAL(positions)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    const uint32_t *position = own_positions(e, mb);
    const real *table = weight(e, l->dense, WEIGHT_POSITIONS) +
                        e->job->settings.arithmetic.first_position * e->hidden;
    for (size_t i = 0; i < e->share; i++)
        add_to(e->hidden, table + position[i] * e->hidden, f->slot[SLOT_OUT_2] + i * e->hidden);
}

void REAL(positions_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    lookup_backward(e->share, e->hidden, own_positions(e, mb), 0, UINT32_MAX, f->slot[SLOT_DX],
                    gradient(e, l->dense, WEIGHT_POSITIONS) +
                        e->job->settings.arithmetic.first_position * e->hidden);
}

void REAL(embed_norm)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    move(e, f, SLOT_OUT_2, SLOT_X);
    norm_run(e, l->dense, WEIGHT_EMBEDDING_NORM, f, SLOT_X, SLOT_OUT_2, SLOT_STATS_1);
}

void REAL(embed_norm_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    move(e, f, SLOT_DX, SLOT_DN_1);
    norm_back(e, l->dense, WEIGHT_EMBEDDING_NORM, f, SLOT_X, SLOT_DN_1, SLOT_STATS_1, SLOTS);
    drop(e, f, SLOT_X);
}

/* ---- head ---- */

void REAL(final_norm)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const bool read_on = l + 1 < e->layer + e->layers && l[1].depth && !e->forward_only;
    norm_run(e, l->dense, WEIGHT_FINAL_NORM, f, SLOT_X, SLOT_N_1, SLOT_STATS_1);
    if (read_on)
        copy_bytes(make(e, f, SLOT_OUT_2, e->share * e->hidden), f->slot[SLOT_N_1],
                   e->share * e->hidden * sizeof(real));
}

void REAL(final_norm_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    if (f->slot[SLOT_DX]) /* of the prediction layer that has read it */
        add_to(e->share * e->hidden, f->slot[SLOT_DX], f->slot[SLOT_DN_1]);
    norm_back(e, l->dense, WEIGHT_FINAL_NORM, f, SLOT_X, SLOT_DN_1, SLOT_STATS_1, SLOTS);
    drop(e, f, SLOT_X);
}

void REAL(head_gather)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    whole_input(e, f, SLOT_N_1, SLOT_WHOLE_1, "logits gather");
}

void REAL(head_gather_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    gather_back(e, f, SLOT_DN_1, "logits gather");
}

enum { LOGIT_ROWS = 256 };

/* Of each row, from all shards of the vocabulary in order: the largest logit, the sum of the
 * exponentials, the wanted logit. parts (shards, 3, rows); state (3, rows). */
static void join_parts(size_t shards, size_t rows, const real *parts, real *state)
{
    for (size_t i = 0; !COUNTS && i < rows; i++) {
        real top = parts[i], total = 0, found = 0;
        for (size_t r = 1; r < shards; r++)
            top = parts[3 * rows * r + i] > top ? parts[3 * rows * r + i] : top;
        for (size_t r = 0; r < shards; r++) {
            const real *part = parts + 3 * rows * r;
            total += part[rows + i] * (real)exp((double)(part[i] - top));
            found += part[2 * rows + i];
        }
        state[i] = top;
        state[rows + i] = total;
        state[2 * rows + i] = found;
    }
}

/* Each tensor rank knows its shard's. */
static void join_loss(struct engine *e, size_t rows, real *state)
{
    const size_t t = (size_t)e->tensor.ranks;
    if (t == 1) return;
    real *all = take(e, 3 * rows * t);
    gather_all(e, &e->tensor, "loss reduce", state, all, 3 * rows);
    join_parts(t, rows, all, state);
    give(e, all);
}

/* ---- logits of some rows: of this rank's shard of the words, or of all shards ---- */

struct logits {
    size_t shards, rows, box;
    uint32_t first, count; /* words of one shard */
    real *all, *own;       /* (shards, rows, box); of this rank's shard */
};

static void gather_logits(struct engine *e, struct logits *x)
{
    const size_t n = x->rows * x->box;
    if (!e->plan->whole_logits || e->tensor.ranks == 1) return;
    x->shards = (size_t)e->tensor.ranks;
    x->all = take(e, x->shards * n);
    gather_all(e, &e->tensor, "logits all-gather", x->own, x->all, n);
    give(e, x->own);
    x->own = x->all + (size_t)e->tensor.me * n;
}

/* The words of a shard; and its logits. */
static real *shard_of(const struct engine *e, const struct logits *x, size_t shard, uint32_t *first,
                      uint32_t *count)
{
    const size_t words = e->job->model.vocabulary, begin = shard * x->box;
    *first = x->first;
    *count = x->count;
    if (x->shards == 1) return x->own;
    *first = (uint32_t)begin;
    *count = (uint32_t)(begin >= words ? 0 : words - begin < x->box ? words - begin : x->box);
    return x->all + shard * x->rows * x->box;
}

/* state (3, rows) */
static void loss_state(struct engine *e, const struct logits *x, const uint32_t *target,
                       real *state)
{
    const size_t n = 3 * x->rows;
    real *parts = x->shards > 1 ? take(e, x->shards * n) : state;
    const struct stretch begin = stretch_begin(e, PART_MEMORY);
    for (size_t i = 0; i < x->shards; i++) {
        uint32_t first, count;
        const real *logits = shard_of(e, x, i, &first, &count);
        real *part = parts + i * n;
        loss_part(e->threads, x->rows, count, x->box, logits, target, first, part, part + x->rows,
                  part + 2 * x->rows);
    }
    stretch_end(e, begin);
    if (x->shards == 1) {
        join_loss(e, x->rows, state);
        return;
    }
    join_parts(x->shards, x->rows, parts, state);
    give(e, parts);
}

/* Logits become their gradients. */
static void loss_back(struct engine *e, const struct logits *x, const uint32_t *target,
                      const real *state, double scale)
{
    const struct stretch begin = stretch_begin(e, PART_MEMORY);
    for (size_t i = 0; i < x->shards; i++) {
        uint32_t first, count;
        real *logits = shard_of(e, x, i, &first, &count);
        loss_gradient(e->threads, x->rows, count, x->box, target, first, state, state + x->rows,
                      scale, logits);
    }
    stretch_end(e, begin);
}

static struct store *head_store(const struct engine *e, const struct at_layer *l)
{
    return e->job->model.tied_embeddings ? l->table : l->head;
}

/* From gradients of logits to those of weights and input. */
static void head_back(struct engine *e, struct store *s, enum weight_role role, const real *x,
                      size_t rows, size_t box, const real *dlogits, real *dx)
{
    struct gradient_at dw = gradient_at(s, role);
    dw.head = e->job->model.tied_embeddings;
    product_input(e, rows, box, e->hidden, dlogits, matrix_of(e, s, role), dx);
    product_weight(e, rows, box, e->hidden, dlogits, x, dw);
    if (has(s, WEIGHT_HEAD_BIAS)) column_sums(rows, box, dlogits, gradient(e, s, WEIGHT_HEAD_BIAS));
}

static double loss_of_rows(struct engine *e, size_t rows, const uint32_t *target, const real *state)
{
    double loss = 0;
    for (size_t i = 0; !COUNTS && i < rows; i++) {
        if (target[i] == RK_NO_TARGET) continue;
        const double lost =
            log((double)state[rows + i]) + (double)state[i] - (double)state[2 * rows + i];
        loss += lost;
        if (e->score)
            e->score[target - e->target + (ptrdiff_t)i] =
                (struct rk_token_score){-lost, state[2 * rows + i] >= state[i]};
    }
    return loss;
}

/* ---- logits that are multiplied, or capped ---- */

static void shape_logits(const struct engine *e, size_t n, real *logits)
{
    const struct rk_arithmetic *has = &e->job->settings.arithmetic;
    const real cap = (real)has->logit_cap;
    if (has->logit_scale > 0) scale_by(n, has->logit_scale, logits);
    for (size_t i = 0; !COUNTS && has->logit_cap > 0 && i < n; i++)
        logits[i] = cap * real_tanh(logits[i] / cap);
}

/* What their gradients are multiplied by then, from the logits; NULL: nothing. */
static real *cap_slopes(struct engine *e, size_t n, const real *logits)
{
    const real cap = (real)e->job->settings.arithmetic.logit_cap;
    if (!(cap > 0)) return NULL;
    real *slopes = take(e, n);
    for (size_t i = 0; !COUNTS && i < n; i++)
        slopes[i] = 1 - (logits[i] / cap) * (logits[i] / cap);
    return slopes;
}

static void shape_logits_back(struct engine *e, size_t n, real *slopes, real *dlogits)
{
    const double scale = e->job->settings.arithmetic.logit_scale;
    for (size_t i = 0; !COUNTS && slopes && i < n; i++)
        dlogits[i] *= slopes[i];
    if (scale > 0) scale_by(n, scale, dlogits);
    if (slopes) give(e, slopes);
}

/* Some rows from the norm's output to the loss and back, while their logits are at hand. */
static double head_rows(struct engine *e, struct at_layer *l, const real *x, size_t rows,
                        const uint32_t *target, real *dx)
{
    const struct job *job = e->job;
    const enum weight_role role = job->model.tied_embeddings ? WEIGHT_TABLE : WEIGHT_HEAD;
    struct store *s = head_store(e, l);
    struct logits logits = {.shards = 1, .rows = rows};
    double loss = 0;
    shard_of_words(e, s, role, &logits.first, &logits.count, &logits.box);
    const size_t box = logits.box;
    real *state = take(e, 3 * rows);
    logits.own = logits.all = take(e, rows * box);
    const double weight_of_it =
        l->depth ? job->settings.ahead_weight / (double)job->model.predict_layers : 1;
    const double scale = e->scaler.scale / rows_of_loss(job) * weight_of_it;
    product_forward(e, rows, box, e->hidden, x, matrix_of(e, s, role),
                    weight(e, s, WEIGHT_HEAD_BIAS), logits.own);
    shape_logits(e, rows * box, logits.own);
    real *slopes = dx ? cap_slopes(e, rows * box, logits.own) : NULL;
    if (job->functions) {
        loss = task_loss(e, (size_t)(target - e->target), rows, logits.count, box, logits.first,
                         scale, logits.own);
    } else {
        gather_logits(e, &logits);
        loss_state(e, &logits, target, state);
        loss = loss_of_rows(e, rows, target, state);
        if (dx) loss_back(e, &logits, target, state, scale);
        for (size_t i = 0; dx && l->depth && i < rows; i++)
            if (target[i] == RK_NO_TARGET) clear_bytes(logits.own + i * box, box * sizeof(real));
    }
    if (dx) {
        shape_logits_back(e, rows * box, slopes, logits.own);
        head_back(e, s, role, x, rows, box, logits.own, dx);
    }
    give(e, logits.all);
    give(e, state);
    return loss;
}

/* The logits of the last row of each text alone, for generation on one rank. */
static void last_logits(struct engine *e, struct at_layer *l, const real *x)
{
    const bool tied = e->job->model.tied_embeddings;
    struct store *s = head_store(e, l);
    const size_t words = e->job->model.vocabulary;
    real *last = take(e, e->rows * e->hidden);
    size_t texts = 0;
    for (size_t i = 0; i < e->rows; i++)
        if (i + 1 == e->rows || e->going->text[i + 1] != e->going->text[i])
            copy_bytes(last + texts++ * e->hidden, x + i * e->hidden, e->hidden * sizeof *x);
    real *logits = take(e, texts * words);
    product_forward(e, texts, words, e->hidden, last,
                    matrix_of(e, s, tied ? WEIGHT_TABLE : WEIGHT_HEAD),
                    weight(e, s, WEIGHT_HEAD_BIAS), logits);
    shape_logits(e, texts * words, logits);
    for (size_t i = 0; i < texts * words; i++)
        e->wanted[i] = (double)logits[i];
    give(e, logits);
    give(e, last);
}

void REAL(cross_entropy)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    if (e->wanted) {
        last_logits(e, l, f->slot[SLOT_N_1]);
        drop(e, f, SLOT_N_1);
        return;
    }
    const real *x = whole_input(e, f, SLOT_N_1, SLOT_WHOLE_1, "logits gather");
    real *dx = e->forward_only ? NULL : make(e, f, SLOT_DN_1, e->rows * e->hidden);
    /* ranks of a vocabulary talk once, about all rows */
    const bool chunks = (e->plan->loss_in_chunks || e->forward_only) && e->tensor.ranks == 1;
    const size_t step = chunks ? LOGIT_ROWS : e->rows;
    const uint32_t *target = targets_of(e, l, mb);
    double loss = 0;
    for (size_t i = 0; i < e->rows; i += step)
        loss += head_rows(e, l, x + i * e->hidden, e->rows - i < step ? e->rows - i : step,
                          target + i, dx ? dx + i * e->hidden : NULL);
    e->row_loss[l->depth ? e->job->microbatches + mb : mb] += loss;
    drop(e, f, SLOT_WHOLE_1);
    drop(e, f, SLOT_N_1);
}
