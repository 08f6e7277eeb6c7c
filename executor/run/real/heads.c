/* heads.c - queries, keys and values: their products, norms of heads, RoPE. */
#include "run/real/halves.h"

static size_t qkv_width(const struct at_layer *l)
{
    return (l->heads + l->kv_heads) * l->d + l->kv_heads * l->value;
}

void REAL(qkv)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t n = qkv_width(l);
    const struct product p = {.n = n,
                              .k = e->hidden,
                              .from = tiled_input(e, f, SLOT_N_1, SLOT_WHOLE_1, "attention gather"),
                              .w = matrix_of(e, l->dense, WEIGHT_Q),
                              .bias = weight(e, l->dense, WEIGHT_Q_BIAS),
                              .to = make(e, f, SLOT_QKV, e->rows * n)};
    product_of_gathered(e, &p);
    if (!shares_norm(e)) drop(e, f, SLOT_WHOLE_1);
}

void REAL(qkv_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct product p = {.n = qkv_width(l),
                              .k = e->hidden,
                              .from = f->slot[SLOT_DQKV],
                              .w = matrix_of(e, l->dense, WEIGHT_Q),
                              .to = make(e, f, SLOT_DN_1, e->rows * e->hidden),
                              .plus = shares_norm(e) ? f->slot[SLOT_DN_2] : NULL,
                              .back = true};
    product_to_sum(e, &p, "attention gather");
    if (shares_norm(e)) drop(e, f, SLOT_DN_2);
    read_once(e, f, SLOT_DQKV);
}

/* Gradients of weights have read a norm's output: of two matrices the first or the second. */
void REAL(read_normed)(struct engine *e, struct frame *f, enum slot normed)
{
    if (shares_norm(e))
        read_once(e, f, normed);
    else
        drop(e, f, normed);
}

void REAL(qkv_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t n = qkv_width(l);
    const real *x = whole_input(e, f, SLOT_N_1, SLOT_WHOLE_1, "attention gather");
    product_weight(e, e->rows, n, e->hidden, f->slot[SLOT_DQKV], x,
                   gradient_at(l->dense, WEIGHT_Q));
    if (has(l->dense, WEIGHT_Q_BIAS))
        column_sums(e->rows, n, f->slot[SLOT_DQKV], gradient(e, l->dense, WEIGHT_Q_BIAS));
    drop(e, f, SLOT_WHOLE_1);
    read_normed(e, f, SLOT_N_1);
    read_once(e, f, SLOT_DQKV);
}

/* Norms of queries or of keys of a token: of each head, with weights for all heads or for each, or
 * over all heads together. */
struct head_norms {
    struct REAL(norm) norm;
    size_t count, width, step; /* norms, and elements of weights from one to the next */
    size_t at;                 /* in the row */
    enum weight_role role;
};

static struct head_norms head_norms_of(struct engine *e, struct at_layer *l, bool keys)
{
    const size_t heads = keys ? l->kv_heads : l->heads;
    const bool all = e->job->settings.arithmetic.wide_norms;
    const enum weight_role role = keys ? WEIGHT_K_NORM : WEIGHT_Q_NORM;
    return (struct head_norms){.norm = norm_of(e, l->dense, role),
                               .count = all ? 1 : heads,
                               .width = all ? heads * l->d : l->d,
                               .step = e->job->model.qk_norm_wide ? l->d : 0,
                               .at = keys ? l->heads * l->d : 0,
                               .role = role};
}

/* Those of head `i`. */
static struct REAL(norm) norm_of_head(const struct head_norms *h, size_t i)
{
    struct REAL(norm) norm = h->norm;
    norm.w = norm.w ? norm.w + i * h->step : NULL;
    return norm;
}

static void norm_heads(const struct head_norms *h, const real *row, real *x, real *stats)
{
    const size_t together = h->step ? 1 : h->count; /* with the same weights */
    for (size_t i = 0; i < h->count; i += together) {
        const struct REAL(norm) norm = norm_of_head(h, i);
        const size_t at = h->at + i * h->width;
        norm_forward(1, &norm, together, h->width, row + at, h->width, x + at, h->width,
                     stats + 2 * i);
    }
}

static void norm_heads_back(struct engine *e, struct store *s, const struct head_norms *h,
                            const real *row, const real *stats, real *dx)
{
    const size_t together = h->step ? 1 : h->count;
    real *dw = gradient(e, s, h->role), *db = bias_gradient(e, s, h->role);
    for (size_t i = 0; i < h->count; i += together) {
        const struct REAL(norm) norm = norm_of_head(h, i);
        const size_t at = h->at + i * h->width;
        norm_backward(1, &norm, together, h->width, row + at, h->width, stats + 2 * i, dx + at,
                      h->width, NULL, dx + at, h->width, dw ? dw + i * h->step : NULL, db);
    }
}

/* Queries, then keys, which are contiguous. */
void REAL(head_norms)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t d = l->d, heads = l->heads + l->kv_heads, n = qkv_width(l);
    const struct head_norms q = head_norms_of(e, l, false), k = head_norms_of(e, l, true);
    real *raw = make(e, f, SLOT_RAW, e->rows * heads * d), *x = f->slot[SLOT_QKV];
    real *stats = make(e, f, SLOT_STATS_QK, e->rows * heads * 2);
    for (size_t i = 0; i < e->rows; i++) {
        real *row = raw + i * heads * d, *s = stats + i * heads * 2;
        copy_bytes(row, x + i * n, heads * d * sizeof *x);
        norm_heads(&q, row, x + i * n, s);
        norm_heads(&k, row, x + i * n, s + 2 * l->heads);
    }
}

void REAL(head_norms_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t d = l->d, heads = l->heads + l->kv_heads, n = qkv_width(l);
    const struct head_norms q = head_norms_of(e, l, false), k = head_norms_of(e, l, true);
    real *dx = f->slot[SLOT_DQKV];
    for (size_t i = 0; i < e->rows; i++) {
        const real *row = f->slot[SLOT_RAW] + i * heads * d,
                   *s = f->slot[SLOT_STATS_QK] + i * heads * 2;
        norm_heads_back(e, l->dense, &q, row, s, dx + i * n);
        norm_heads_back(e, l->dense, &k, row, s + 2 * l->heads, dx + i * n);
    }
    drop(e, f, SLOT_RAW);
    drop(e, f, SLOT_STATS_QK);
}

static void turn(struct engine *e, struct at_layer *l, size_t mb, bool back, real *x)
{
    if (l->turn)
        rotary(e->threads, e->rows, l->heads + l->kv_heads, l->d, e->turned,
               e->position + mb * e->rows, l->turn, back, x, qkv_width(l));
}

void REAL(rotary_forward)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    if (e->job->model.kv_rank) {
        REAL(latent_rotary)(e, l, f, mb);
        return;
    }
    turn(e, l, mb, false, f->slot[SLOT_QKV]);
}

void REAL(rotary_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    if (e->job->model.kv_rank) {
        REAL(latent_rotary_input)(e, l, f, mb);
        return;
    }
    turn(e, l, mb, true, f->slot[SLOT_DQKV]);
}
