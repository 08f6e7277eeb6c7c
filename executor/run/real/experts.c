/* experts.c - the experts of this rank: products, activation, gradients. */
#include "run/real/mixture.h"

static size_t rows_of_expert(const struct mixture_state *m, size_t x)
{
    size_t rows = 0;
    for (size_t s = 0; s < m->tensor * m->ranks; s++)
        rows += m->all[s * m->local + x];
    return rows;
}

static size_t inner(const struct engine *e)
{
    return e->job->model.expert_feedforward / (size_t)e->expert_tensor.ranks;
}

static const real *of_expert(const struct store *s, const real *first, size_t x)
{
    return first ? first + x * s->group->stride : NULL;
}

static struct matrix matrix_of_expert(const struct store *s, struct matrix first, size_t x)
{
    if (first.low) first.low += x * s->group->stride;
    first.at += x * s->group->stride;
    first.plain = of_expert(s, first.plain, x);
    return first;
}

static enum run_activation expert_activation_of(const struct job *job)
{
    return job->settings.arithmetic.gate_limit > 0 ? RUN_OSS : activation_of(job);
}

/* Gates and what they open are cut, as their products come; gradients of what was cut are 0. */
static void limit(const struct engine *e, size_t rows, size_t width, real *x)
{
    const real most = (real)e->job->settings.arithmetic.gate_limit;
    if (!(most > 0) || COUNTS) return;
    for (size_t i = 0; i < rows; i++, x += 2 * width)
        for (size_t j = 0; j < 2 * width; j++)
            x[j] = x[j] > most ? most : x[j] < -most && j >= width ? -most : x[j];
}

static void limit_back(const struct engine *e, size_t rows, size_t width, const real *x, real *dx)
{
    const real most = (real)e->job->settings.arithmetic.gate_limit;
    if (!(most > 0) || COUNTS) return;
    for (size_t i = 0; i < rows; i++, x += 2 * width, dx += 2 * width)
        for (size_t j = 0; j < 2 * width; j++)
            if (x[j] >= most || (x[j] <= -most && j >= width)) dx[j] = 0;
}

void REAL(experts_in)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const size_t n = wide(e, inner(e));
    const struct matrix w = matrix_of(e, l->experts, first_of(e, WEIGHT_EXPERT_GATE));
    const real *b = weight(e, l->experts, first_of(e, WEIGHT_EXPERT_GATE_BIAS));
    real *out = make(e, f, SLOT_IN, m->all_rows * n + 1);
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        product_forward(e, rows, n, m->width, f->slot[SLOT_SORTED] + at * m->width,
                        matrix_of_expert(l->experts, w, x), of_expert(l->experts, b, x),
                        out + at * n);
        at += rows;
    }
    limit(e, m->all_rows, inner(e), out);
    comm_clock_amount(e->comm, (double)m->all_rows);
}

void REAL(experts_in_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const size_t n = wide(e, inner(e));
    const struct matrix w = matrix_of(e, l->experts, first_of(e, WEIGHT_EXPERT_GATE));
    real *dx = make(e, f, SLOT_DSORTED, m->all_rows * m->width + 1);
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        product_input(e, rows, n, m->width, f->slot[SLOT_DIN] + at * n,
                      matrix_of_expert(l->experts, w, x), dx + at * m->width);
        at += rows;
    }
    comm_clock_amount(e->comm, (double)m->all_rows);
    read_once(e, f, SLOT_DIN);
}

void REAL(experts_in_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const size_t n = wide(e, inner(e));
    struct gradient_at dw = gradient_at(l->experts, first_of(e, WEIGHT_EXPERT_GATE));
    real *db = gradient(e, l->experts, first_of(e, WEIGHT_EXPERT_GATE_BIAS));
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        const real *dy = f->slot[SLOT_DIN] + at * n;
        product_weight(e, rows, n, m->width, dy, f->slot[SLOT_SORTED] + at * m->width, dw);
        dw.at += l->experts->group->stride;
        if (db) column_sums(rows, n, dy, db + x * l->experts->group->stride);
        at += rows;
    }
    comm_clock_amount(e->comm, (double)m->all_rows);
    read_once(e, f, SLOT_DIN);
    drop(e, f, SLOT_SORTED);
}

void REAL(expert_activation)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct mixture_state *m = f->mixture;
    activation_forward(e->threads, expert_activation_of(e->job), e->job->model.gated_mlp,
                       m->all_rows, inner(e), f->slot[SLOT_IN],
                       make(e, f, SLOT_ACT, m->all_rows * inner(e) + 1));
    comm_clock_amount(e->comm, (double)m->all_rows);
}

void REAL(expert_activation_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct mixture_state *m = f->mixture;
    activation_backward(e->threads, expert_activation_of(e->job), e->job->model.gated_mlp,
                        m->all_rows, inner(e), f->slot[SLOT_IN], f->slot[SLOT_DACT],
                        make(e, f, SLOT_DIN, m->all_rows * wide(e, inner(e)) + 1));
    limit_back(e, m->all_rows, inner(e), f->slot[SLOT_IN], f->slot[SLOT_DIN]);
    drop(e, f, SLOT_DACT);
    drop(e, f, SLOT_IN);
    comm_clock_amount(e->comm, (double)m->all_rows);
}

/* Of the ranks that share an expert the first adds its bias. */
void REAL(experts_out)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const struct matrix w = matrix_of(e, l->experts, WEIGHT_EXPERT_DOWN);
    const real *b = e->expert_tensor.me ? NULL : weight(e, l->experts, WEIGHT_EXPERT_DOWN_BIAS);
    real *out = make(e, f, SLOT_BACK, m->all_rows * m->width + 1);
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        product_forward(e, rows, m->width, inner(e), f->slot[SLOT_ACT] + at * inner(e),
                        matrix_of_expert(l->experts, w, x), of_expert(l->experts, b, x),
                        out + at * m->width);
        at += rows;
    }
    comm_clock_amount(e->comm, (double)m->all_rows);
}

void REAL(experts_out_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const struct matrix w = matrix_of(e, l->experts, WEIGHT_EXPERT_DOWN);
    real *dx = make(e, f, SLOT_DACT, m->all_rows * inner(e) + 1);
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        product_input(e, rows, m->width, inner(e), f->slot[SLOT_DBACK] + at * m->width,
                      matrix_of_expert(l->experts, w, x), dx + at * inner(e));
        at += rows;
    }
    comm_clock_amount(e->comm, (double)m->all_rows);
    read_once(e, f, SLOT_DBACK);
}

void REAL(experts_out_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    struct gradient_at dw = gradient_at(l->experts, WEIGHT_EXPERT_DOWN);
    REAL(gradients_of)(e, l->experts, false); /* ranks sum them, though none here has tokens */
    real *db = gradient(e, l->experts, WEIGHT_EXPERT_DOWN_BIAS);
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        const real *dy = f->slot[SLOT_DBACK] + at * m->width;
        product_weight(e, rows, m->width, inner(e), dy, f->slot[SLOT_ACT] + at * inner(e), dw);
        dw.at += l->experts->group->stride;
        if (db) column_sums(rows, m->width, dy, db + x * l->experts->group->stride);
        at += rows;
    }
    comm_clock_amount(e->comm, (double)m->all_rows);
    read_once(e, f, SLOT_DBACK);
    drop(e, f, SLOT_ACT);
}

/* Without sequence parallelism all tensor ranks have all rows. */
void REAL(tokens_gather)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct mixture_state *m = f->mixture;
    real *all = take(e, e->rows * e->hidden);
    gather_all(e, &e->tensor, "tokens gather", f->slot[SLOT_OUT_2], all, m->n * e->hidden);
    drop(e, f, SLOT_OUT_2);
    f->slot[SLOT_OUT_2] = all;
}

/* The gradient of the output is on all ranks; that of the tokens is gathered after the router's. */
void REAL(tokens_gather_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)e, (void)l, (void)f, (void)mb;
}
