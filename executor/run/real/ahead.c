/* ahead.c - what a multi-token prediction layer has in front of its block [deepseek2024v3]: norms
 * of the embedding of a token further on and of the stream, and one product of both.
 *
 * The stream is what the head in front of it, the model's or the last prediction layer's, has
 * normed. Tensor ranks have columns of the product; with sequence parallelism its input is gathered
 * and its result is cut again.
 */
#include "run/real/engine.h"

/* ---- norms ---- */

void REAL(next_norm)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    if (f->slot[SLOT_OUT_2]) move(e, f, SLOT_OUT_2, SLOT_OUT_1); /* else it was kept */
    norm_run(e, l->dense, WEIGHT_NEXT_NORM, f, SLOT_OUT_1, SLOT_N_2, SLOT_STATS_2);
}

void REAL(stream_norm)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    norm_run(e, l->dense, WEIGHT_STREAM_NORM, f, SLOT_X, SLOT_N_1, SLOT_STATS_1);
}

void REAL(stream_norm_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    norm_back(e, l->dense, WEIGHT_STREAM_NORM, f, SLOT_X, SLOT_DN_1, SLOT_STATS_1, SLOTS);
    move(e, f, SLOT_DX, SLOT_DSTREAM); /* until the embedding's has gone */
}

void REAL(next_norm_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    norm_back(e, l->dense, WEIGHT_NEXT_NORM, f, SLOT_OUT_1, SLOT_DN_2, SLOT_STATS_2, SLOTS);
}

/* ---- the product ---- */

/* Columns [at, at + count) of rows of `width`: to an array of their own, or back. */
static void copy_columns(size_t rows, size_t width, size_t at, size_t count, real *wide, real *own,
                         bool back)
{
    for (size_t i = 0; i < rows; i++) {
        real *a = wide + i * width + at, *b = own + i * count;
        copy_bytes(back ? a : b, back ? b : a, count * sizeof *a);
    }
}

static size_t width_of(const struct engine *e)
{
    return e->hidden / (size_t)e->tensor.ranks;
}

/* Both inputs, on all rows. */
static const real *both_inputs(struct engine *e, struct frame *f)
{
    const size_t width = 2 * e->hidden;
    if (!sequence_parallel(e)) return f->slot[SLOT_IN];
    if (!f->slot[SLOT_WHOLE_2])
        gather_all(e, &e->tensor, "prediction gather", f->slot[SLOT_IN],
                   make(e, f, SLOT_WHOLE_2, e->rows * width), e->share * width);
    return f->slot[SLOT_WHOLE_2];
}

void REAL(predict_in)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t h = e->hidden, n = width_of(e);
    real *both = make(e, f, SLOT_IN, e->share * 2 * h);
    copy_columns(e->share, 2 * h, 0, h, both, f->slot[SLOT_N_2], true);
    copy_columns(e->share, 2 * h, h, h, both, f->slot[SLOT_N_1], true);
    drop(e, f, SLOT_N_2);
    drop(e, f, SLOT_N_1);
    product_forward(e, e->rows, n, 2 * h, both_inputs(e, f),
                    matrix_of(e, l->dense, WEIGHT_PREDICT_IN), NULL,
                    make(e, f, n < h ? SLOT_ACT : SLOT_OUT_2, e->rows * n));
}

void REAL(predict_in_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t h = e->hidden, n = width_of(e), part = e->share * 2 * h;
    if (n == h) move(e, f, SLOT_DX, SLOT_DACT);
    real *dx = take(e, e->rows * 2 * h);
    product_input(e, e->rows, n, 2 * h, f->slot[SLOT_DACT],
                  matrix_of(e, l->dense, WEIGHT_PREDICT_IN), dx);
    if (sequence_parallel(e)) {
        real *own = take(e, part);
        reduce_part(e, &e->tensor, "prediction gather", dx, own, part);
        give(e, dx);
        dx = own;
    } else if (n < h) {
        reduce_all(e, &e->tensor, "prediction gather", dx, part);
    }
    copy_columns(e->share, 2 * h, 0, h, dx, make(e, f, SLOT_DN_2, e->share * h), false);
    copy_columns(e->share, 2 * h, h, h, dx, make(e, f, SLOT_DN_1, e->share * h), false);
    give(e, dx);
}

void REAL(predict_in_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    product_weight(e, e->rows, width_of(e), 2 * e->hidden, f->slot[SLOT_DACT], both_inputs(e, f),
                   gradient_at(l->dense, WEIGHT_PREDICT_IN));
    drop(e, f, SLOT_WHOLE_2);
}

/* ---- columns of tensor ranks ---- */

void REAL(predict_gather)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const size_t h = e->hidden, n = width_of(e), t = (size_t)e->tensor.ranks;
    const size_t first = sequence_parallel(e) ? (size_t)e->tensor.me * e->share : 0;
    real *all = take(e, e->rows * h), *y = make(e, f, SLOT_OUT_2, e->share * h);
    gather_all(e, &e->tensor, "prediction all-gather", f->slot[SLOT_ACT], all, e->rows * n);
    for (size_t r = 0; r < t; r++)
        copy_columns(e->share, h, r * n, n, y, all + (r * e->rows + first) * n, true);
    give(e, all);
    drop(e, f, SLOT_ACT);
}

void REAL(predict_gather_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const size_t n = width_of(e), at = (size_t)e->tensor.me * n;
    real *all = f->slot[SLOT_DX];
    if (sequence_parallel(e)) {
        all = take(e, e->rows * e->hidden);
        gather_all(e, &e->tensor, "prediction all-gather", f->slot[SLOT_DX], all,
                   e->share * e->hidden);
    }
    copy_columns(e->rows, e->hidden, at, n, all, make(e, f, SLOT_DACT, e->rows * n), false);
    if (all != f->slot[SLOT_DX]) give(e, all);
    drop(e, f, SLOT_DX);
}
