/* products.c - products of activations and weights: of reals; or of bf16, where the processor
 * multiplies them (run/bf16.h), with weights as they are kept and operands rounded. */
#include "run/bf16.h"
#include "run/real/decode.h"
#include "run/real/engine.h"

#include <stdlib.h>
#include <string.h>

/* What products alone read, but for the table, whose rows are looked up as well. Routers are not
 * here: their scores are of 32 bits, as frameworks have them. */
static const bool multiplied[WEIGHT_ROLES] = {
    [WEIGHT_TABLE] = true,      [WEIGHT_Q] = true,           [WEIGHT_K] = true,
    [WEIGHT_V] = true,          [WEIGHT_Q_DOWN] = true,      [WEIGHT_Q_UP] = true,
    [WEIGHT_KV_DOWN] = true,    [WEIGHT_KV_UP] = true,       [WEIGHT_OUT] = true,
    [WEIGHT_GATE] = true,       [WEIGHT_UP] = true,          [WEIGHT_DOWN] = true,
    [WEIGHT_DESCEND] = true,    [WEIGHT_ASCEND] = true,      [WEIGHT_SHARED_GATE] = true,
    [WEIGHT_SHARED_UP] = true,  [WEIGHT_SHARED_DOWN] = true, [WEIGHT_EXPERT_GATE] = true,
    [WEIGHT_EXPERT_UP] = true,  [WEIGHT_EXPERT_DOWN] = true, [WEIGHT_HEAD] = true,
    [WEIGHT_PREDICT_IN] = true,
};

bool is_multiplied(enum weight_role role)
{
    return multiplied[role];
}

bool stays_low(const struct engine *e, const struct weight *w)
{
    return e->bf16 && multiplied[w->role] && bf16_multiplies(w->box_rows, w->box_cols);
}

struct matrix matrix_of(struct engine *e, struct store *s, enum weight_role role)
{
    const struct matrix m = {.plain = weight(e, s, role)};
    if (m.plain && e->mapped && multiplied[role])
        return (struct matrix){.store = s, .at = (size_t)s->group->at[role]};
    if (!m.plain || !e->bf16) return m;
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        if (w->role != role) continue;
        if (!stays_low(e, w)) return m;
        return (struct matrix){.low = low_here(s) + s->group->at[role]};
    }
    return m;
}

/* ---- operands ---- */

static uint16_t *operand(struct engine *e, size_t n, const real *x)
{
    uint16_t *low = take_16(e, n);
    pack_16(e, n, x, low);
    return low;
}

/* Columns that a thread multiplies at a time. */
static void run_slices(struct engine *e, struct bf16_product all, size_t high, size_t wide)
{
    bool ok = true;
    if (COUNTS) return;
#pragma omp parallel for collapse(2) num_threads(e->threads) schedule(dynamic) reduction(&& : ok) if (e->threads > 1)
    for (size_t i = 0; i < all.m; i += high)
        for (size_t j = 0; j < all.n; j += wide) {
            struct bf16_product one = all;
            one.m = all.m - i < high ? all.m - i : high;
            one.n = all.n - j < wide ? all.n - j : wide;
            one.a = all.a + i * all.a_row;
            one.b = all.b + j * all.b_col;
            one.c = all.c + i * all.c_row + j;
            ok = bf16_product(&one) && ok;
        }
    if (!ok) give_up(e);
}

/* ---- weights that lie in files ---- */

static struct mapped mapped_of(const struct engine *e, const struct store *s,
                               const struct weight *w)
{
    const struct mapped *m = &e->mapped[w - e->weights.weight];
    return m->data ? *m : (struct mapped){s->whole + w->at, MAPPED_REAL, w->box_cols, 1};
}

bool REAL(engine_map)(struct engine *e, const struct weight *w, const struct mapped *mapped)
{
    const bool wanted = e->job->texts && multiplied[w->role];
    if (!mapped || !wanted || (mapped->col != 1 && w->role == WEIGHT_TABLE))
        return wanted && !mapped;
    if (!e->mapped) e->mapped = calloc((size_t)e->weights.weights, sizeof *e->mapped);
    if (!e->mapped) return false;
    e->mapped[w - e->weights.weight] = *mapped;
    return true;
}

/* Contiguous weights, such as q, k and v, are multiplied one by one. */
static void mapped_forward(struct engine *e, size_t m, size_t n, size_t k, const real *x,
                           struct matrix w, const real *bias, real *y)
{
    const struct store *s = w.store;
    bool ok = true;
    for (int i = 0; i < s->group->count && ok; i++) {
        const struct weight *one = &e->weights.weight[s->group->first + i];
        if (one->at < w.at || one->at >= w.at + n * k) continue;
        const size_t j = (one->at - w.at) / k, rows = n - j < one->box_rows ? n - j : one->box_rows;
        const struct mapped from = mapped_of(e, s, one);
        ok = mapped_product(e->threads, m, rows, k, x, &from, y + j, n);
    }
    if (!ok) give_up(e);
    if (bias) add_bias(m, n, bias, y);
}

void look_up(struct engine *e, struct matrix table, size_t row, real *to)
{
    if (table.low) {
        unpack_16(e, e->hidden, table.low + row * e->hidden, to);
        return;
    }
    const struct store *s = table.store;
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        const struct mapped from = mapped_of(e, s, w);
        if (w->at == table.at) mapped_row(&from, row, e->hidden, to);
    }
}

void product_forward(struct engine *e, size_t m, size_t n, size_t k, const real *x, struct matrix w,
                     const real *bias, real *y)
{
    if (w.store) {
        mapped_forward(e, m, n, k, x, w, bias, y);
        return;
    }
    if (!w.low) {
        matrix_forward(e->threads, m, n, k, x, w.plain, bias, y);
        return;
    }
    uint16_t *a = operand(e, m * k, x);
    for (size_t i = 0; bias && i < m; i++)
        copy_bytes(y + i * n, bias, n * sizeof *y);
    struct bf16_product all = bf16_forward(m, n, k);
    all.a = a;
    all.b = w.low;
    all.c = (float *)y;
    all.add = bias != NULL;
    run_slices(e, all, PRODUCT_ROWS, product_slice(n));
    give(e, (real *)a);
}

void product_input(struct engine *e, size_t m, size_t n, size_t k, const real *dy, struct matrix w,
                   real *dx)
{
    if (!w.low) {
        matrix_input(e->threads, m, n, k, dy, w.plain, dx, false);
        return;
    }
    uint16_t *a = operand(e, m * n, dy);
    run_slices(e,
               (struct bf16_product){.m = m,
                                     .n = k,
                                     .k = n,
                                     .a_row = n,
                                     .a_col = 1,
                                     .b_row = k,
                                     .b_col = 1,
                                     .c_row = k,
                                     .a = a,
                                     .b = w.low,
                                     .c = (float *)dx},
               PRODUCT_ROWS, product_slice(k));
    give(e, (real *)a);
}

void product_weight(struct engine *e, size_t m, size_t n, size_t k, const real *dy, const real *x,
                    struct gradient_at to)
{
    bool add;
    if (!m) return;
    real *dw = REAL(gradient_of_product)(e, to, n * k, &add);
    if (!e->bf16 || !bf16_multiplies(n, k)) {
        matrix_weight(e->threads, m, n, k, dy, x, dw, add);
        return;
    }
    uint16_t *a = operand(e, m * n, dy), *b = operand(e, m * k, x);
    run_slices(e,
               (struct bf16_product){.m = n,
                                     .n = k,
                                     .k = m,
                                     .a_row = 1,
                                     .a_col = n,
                                     .b_row = k,
                                     .b_col = 1,
                                     .c_row = k,
                                     .a = a,
                                     .b = b,
                                     .c = (float *)dw,
                                     .add = add},
               gradient_slice(n), k);
    give(e, (real *)b);
    give(e, (real *)a);
}
