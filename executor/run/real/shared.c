/* shared.c - experts that every token goes through: an MLP over tensor ranks. */
#include "run/real/mixture.h"

#include <math.h>
#include <string.h>

/* The gradient of what the shared experts bring, on all rows. */
static const real *shared_gradient(struct engine *e, struct frame *f)
{
    const size_t n = e->share * e->hidden;
    const real *gates = f->slot[SLOT_GATES];
    if (!f->slot[SLOT_DSHARED_OUT]) {
        real *d = make(e, f, SLOT_DSHARED_OUT, n);
        copy_bytes(d, f->slot[SLOT_DOUT_2], n * sizeof *d);
        for (size_t i = 0; !COUNTS && gates && i < e->share; i++)
            scale_by(e->hidden, (double)gates[i], d + i * e->hidden);
    }
    return whole_input(e, f, SLOT_DSHARED_OUT, SLOT_DSHARED_WHOLE, "shared reduce");
}

static size_t shared_inner(const struct engine *e)
{
    return (size_t)shared_width(&e->job->model) / (size_t)e->tensor.ranks;
}

void REAL(shared_gather)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    whole_input(e, f, SLOT_N_2, SLOT_WHOLE_2, "shared gather");
}

void REAL(shared_gather_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    gather_back(e, f, SLOT_DSHARED, "shared gather");
}

void REAL(shared_in)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t n = wide(e, shared_inner(e));
    product_forward(e, e->rows, n, e->hidden,
                    whole_input(e, f, SLOT_N_2, SLOT_WHOLE_2, "shared gather"),
                    matrix_of(e, l->dense, first_of(e, WEIGHT_SHARED_GATE)), NULL,
                    make(e, f, SLOT_SHARED_IN, e->rows * n));
    drop(e, f, SLOT_WHOLE_2);
}

void REAL(shared_in_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    product_input(e, e->rows, wide(e, shared_inner(e)), e->hidden, f->slot[SLOT_DSHARED_IN],
                  matrix_of(e, l->dense, first_of(e, WEIGHT_SHARED_GATE)),
                  make(e, f, SLOT_DSHARED, e->rows * e->hidden));
    read_once(e, f, SLOT_DSHARED_IN);
}

void REAL(shared_in_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    product_weight(e, e->rows, wide(e, shared_inner(e)), e->hidden, f->slot[SLOT_DSHARED_IN],
                   whole_input(e, f, SLOT_N_2, SLOT_WHOLE_2, "shared gather"),
                   gradient_at(l->dense, first_of(e, WEIGHT_SHARED_GATE)));
    drop(e, f, SLOT_WHOLE_2);
    read_once(e, f, SLOT_DSHARED_IN);
}

void REAL(shared_activation)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    activation_forward(e->threads, activation_of(e->job), e->job->model.gated_mlp, e->rows,
                       shared_inner(e), f->slot[SLOT_SHARED_IN],
                       make(e, f, SLOT_SHARED_ACT, e->rows * shared_inner(e)));
}

void REAL(shared_activation_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    activation_backward(e->threads, activation_of(e->job), e->job->model.gated_mlp, e->rows,
                        shared_inner(e), f->slot[SLOT_SHARED_IN], f->slot[SLOT_DSHARED_ACT],
                        make(e, f, SLOT_DSHARED_IN, e->rows * wide(e, shared_inner(e))));
    drop(e, f, SLOT_DSHARED_ACT);
    drop(e, f, SLOT_SHARED_IN);
}

void REAL(shared_out)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    product_forward(e, e->rows, e->hidden, shared_inner(e), f->slot[SLOT_SHARED_ACT],
                    matrix_of(e, l->dense, WEIGHT_SHARED_DOWN), NULL,
                    make(e, f, SLOT_SHARED, e->rows * e->hidden));
}

void REAL(shared_out_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    product_input(e, e->rows, e->hidden, shared_inner(e), shared_gradient(e, f),
                  matrix_of(e, l->dense, WEIGHT_SHARED_DOWN),
                  make(e, f, SLOT_DSHARED_ACT, e->rows * shared_inner(e)));
}

void REAL(shared_out_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    product_weight(e, e->rows, e->hidden, shared_inner(e), shared_gradient(e, f),
                   f->slot[SLOT_SHARED_ACT], gradient_at(l->dense, WEIGHT_SHARED_DOWN));
    drop(e, f, SLOT_DSHARED_OUT);
    drop(e, f, SLOT_DSHARED_WHOLE);
    drop(e, f, SLOT_SHARED_ACT);
}

void REAL(shared_reduce)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    gather_back(e, f, SLOT_SHARED, "shared reduce");
}

void REAL(shared_reduce_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    shared_gradient(e, f);
}

/* One value a token, a sigmoid of a product, weighs what the shared experts bring. */
void REAL(shared_gate)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    real *gates = make(e, f, SLOT_GATES, e->share);
    matrix_forward(1, e->share, 1, e->hidden, f->slot[SLOT_N_2],
                   weight(e, l->dense, WEIGHT_SHARED_WEIGH), NULL, gates);
    for (size_t i = 0; !COUNTS && i < e->share; i++)
        gates[i] = (real)(1 / (1 + exp(-(double)gates[i])));
}

void REAL(shared_gate_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    real *dgates = make(e, f, SLOT_DGATES, e->share);
    for (size_t i = 0; !COUNTS && i < e->share; i++) {
        const real *d = f->slot[SLOT_DOUT_2] + i * e->hidden,
                   *y = f->slot[SLOT_SHARED] + i * e->hidden;
        const real gate = f->slot[SLOT_GATES][i];
        real along = 0;
        for (size_t j = 0; j < e->hidden; j++)
            along += d[j] * y[j];
        dgates[i] = along * gate * (1 - gate);
    }
    matrix_weight(1, e->share, 1, e->hidden, dgates, f->slot[SLOT_N_2],
                  gradient(e, l->dense, WEIGHT_SHARED_WEIGH), true);
    drop(e, f, SLOT_SHARED);
}

void REAL(shared_sum)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    real *out = f->slot[SLOT_OUT_2];
    const real *y = f->slot[SLOT_SHARED], *gates = f->slot[SLOT_GATES];
    for (size_t i = 0; !COUNTS && i < e->share; i++)
        for (size_t j = 0; j < e->hidden; j++)
            out[i * e->hidden + j] +=
                gates ? gates[i] * y[i * e->hidden + j] : y[i * e->hidden + j];
    if (!gates) drop(e, f, SLOT_SHARED);
}

/* A sum's gradient is that of each part: shared_gradient() makes it when it is first read. */
void REAL(shared_sum_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)e, (void)l, (void)f, (void)mb;
}
