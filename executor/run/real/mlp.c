/* mlp.c - the second half of a block, and the end of one whose halves are parallel. */
#include "run/real/halves.h"

size_t wide(const struct engine *e, size_t feedforward)
{
    return e->job->model.gated_mlp ? 2 * feedforward : feedforward;
}

enum weight_role first_of(const struct engine *e, enum weight_role gate)
{
    return e->job->model.gated_mlp ? gate : (enum weight_role)(gate + 1);
}

enum run_activation activation_of(const struct job *job)
{
    static const enum run_activation kinds[] = {[RK_GELU] = RUN_GELU,
                                                [RK_SILU] = RUN_SILU,
                                                [RK_SQUARED_RELU] = RUN_SQUARED_RELU,
                                                [RK_RELU] = RUN_RELU};
    if (job->settings.exact_gelu && job->model.activation == RK_GELU) return RUN_GELU_EXACT;
    return kinds[job->model.activation];
}

/* The norm's output that the MLP reads, and all rows of it. */
static enum slot normed_of(const struct engine *e)
{
    return shares_norm(e) ? SLOT_N_1 : SLOT_N_2;
}

static enum slot whole_of(const struct engine *e)
{
    return shares_norm(e) ? SLOT_WHOLE_1 : SLOT_WHOLE_2;
}

void REAL(mlp_in)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t n = wide(e, l->feedforward);
    const struct product p = {.n = n,
                              .k = e->hidden,
                              .from = tiled_input(e, f, normed_of(e), whole_of(e), "mlp gather"),
                              .w = matrix_of(e, l->dense, first_of(e, WEIGHT_GATE)),
                              .bias = weight(e, l->dense, first_of(e, WEIGHT_GATE_BIAS)),
                              .to = make(e, f, SLOT_IN, e->rows * n)};
    product_of_gathered(e, &p);
    drop(e, f, whole_of(e));
}

void REAL(mlp_in_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct product p = {.n = wide(e, l->feedforward),
                              .k = e->hidden,
                              .from = f->slot[SLOT_DIN],
                              .w = matrix_of(e, l->dense, first_of(e, WEIGHT_GATE)),
                              .to = make(e, f, SLOT_DN_2, e->rows * e->hidden),
                              .back = true};
    if (shares_norm(e)) /* attention's is added first */
        product_of_gathered(e, &p);
    else
        product_to_sum(e, &p, "mlp gather");
    read_once(e, f, SLOT_DIN);
}

void REAL(mlp_in_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t n = wide(e, l->feedforward);
    const enum weight_role bias = first_of(e, WEIGHT_GATE_BIAS);
    const real *x = whole_input(e, f, normed_of(e), whole_of(e), "mlp gather");
    product_weight(e, e->rows, n, e->hidden, f->slot[SLOT_DIN], x,
                   gradient_at(l->dense, first_of(e, WEIGHT_GATE)));
    if (has(l->dense, bias))
        column_sums(e->rows, n, f->slot[SLOT_DIN], gradient(e, l->dense, bias));
    drop(e, f, whole_of(e));
    read_normed(e, f, normed_of(e));
    read_once(e, f, SLOT_DIN);
}

void REAL(activate)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    activation_forward(e->threads, activation_of(e->job), e->job->model.gated_mlp, e->rows,
                       l->feedforward, f->slot[SLOT_IN],
                       make(e, f, SLOT_ACT, e->rows * l->feedforward));
}

void REAL(activate_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    activation_backward(e->threads, activation_of(e->job), e->job->model.gated_mlp, e->rows,
                        l->feedforward, f->slot[SLOT_IN], f->slot[SLOT_DACT],
                        make(e, f, SLOT_DIN, e->rows * wide(e, l->feedforward)));
    drop(e, f, SLOT_DACT);
    drop(e, f, SLOT_IN);
}

void REAL(mlp_out)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct product p = {.n = e->hidden,
                              .k = l->feedforward,
                              .from = f->slot[SLOT_ACT],
                              .w = matrix_of(e, l->dense, WEIGHT_DOWN),
                              .to = make(e, f, SLOT_OUT_2, e->rows * e->hidden),
                              .plus = is_parallel(e) ? f->slot[SLOT_OUT_1] : NULL};
    product_to_sum(e, &p, "mlp reduce");
    if (is_parallel(e)) drop(e, f, SLOT_OUT_1);
}

void REAL(mlp_out_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const enum slot dy = gradient_slot(e, SLOT_DOUT_2, SLOT_DWHOLE_OUT_2);
    const struct product p = {.n = e->hidden,
                              .k = l->feedforward,
                              .from = f->slot[dy],
                              .w = matrix_of(e, l->dense, WEIGHT_DOWN),
                              .to = make(e, f, SLOT_DACT, e->rows * l->feedforward),
                              .back = true};
    product_of_gathered(e, &p);
    if (dy != SLOT_DOUT_2) read_once(e, f, dy);
}

void REAL(mlp_out_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const enum slot dy = gradient_slot(e, SLOT_DOUT_2, SLOT_DWHOLE_OUT_2);
    tiles_settle(e);
    product_weight(e, e->rows, e->hidden, l->feedforward, f->slot[dy], f->slot[SLOT_ACT],
                   gradient_at(l->dense, WEIGHT_DOWN));
    read_once(e, f, dy);
    drop(e, f, SLOT_ACT);
}

void REAL(residual_2)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    join(e, l->dense, WEIGHT_DOWN_BIAS, f, SLOT_R, SLOT_OUT_2);
}

void REAL(residual_2_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    if (!has_norms_after(e)) drop(e, f, SLOT_OUT_2); /* of a forward that ran again */
    const bool mixture = l->experts != NULL;         /* reads copies, as do products over shards */
    join_back(e, f, SLOT_DOUT_2, sequence_parallel(e) || mixture);
    if (has(l->dense, WEIGHT_DOWN_BIAS))
        column_sums(e->share, e->hidden, f->slot[SLOT_DOUT_2],
                    gradient(e, l->dense, WEIGHT_DOWN_BIAS));
}

/* ---- the end of a parallel block ---- */

void REAL(residual_both)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const real *b = weight(e, l->dense, WEIGHT_OUT_BIAS);
    if (b) add_bias(e->share, e->hidden, b, f->slot[SLOT_OUT_2]);
    join(e, l->dense, WEIGHT_DOWN_BIAS, f, SLOT_X, SLOT_OUT_2);
}

/* The MLP's and attention's gradients are copies of the stream's; with sequence parallelism that of
 * attention is made where all rows are. */
void REAL(residual_both_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const bool copied = sequence_parallel(e);
    drop(e, f, SLOT_OUT_2); /* of a forward that ran again */
    join_back(e, f, SLOT_DOUT_2, copied);
    static const enum weight_role biases[] = {WEIGHT_OUT_BIAS, WEIGHT_DOWN_BIAS};
    for (int i = 0; i < 2; i++)
        if (has(l->dense, biases[i]))
            column_sums(e->share, e->hidden, f->slot[SLOT_DOUT_2],
                        gradient(e, l->dense, biases[i]));
    if (copied) return;
    copy_bytes(make(e, f, SLOT_DOUT_1, e->share * e->hidden), f->slot[SLOT_DOUT_2],
               e->share * e->hidden * sizeof(real));
    f->done[SLOT_DOUT_1] = true;
}
