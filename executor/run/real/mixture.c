/* mixture.c - a mixture of experts [shazeer2017]; tokens that travel narrowed [jin2025]. Which
 * experts a token goes to is route.c's.
 *
 * Each tensor rank routes its own n tokens. Their k copies are sorted by expert (ties by token), go
 * to the ranks of their experts, come together over the ranks that share an expert, and are sorted
 * by expert once more; back the same way. `places` says where each run of copies lies.
 */
#include "run/real/mixture.h"

#include <stdlib.h>
#include <string.h>

void REAL(mixture_free)(struct frame *f)
{
    struct mixture_state *m = f->mixture;
    if (!m) return;
    REAL(by_token_free)(m);
    free(m->expert);
    free(m->counts);
    free(m->first_all);
    free(m->load);
    free(m);
    f->mixture = NULL;
}

static struct mixture_state *mixture_open(struct engine *e, struct frame *f)
{
    const struct rk_model *model = &e->job->model;
    struct mixture_state *m = calloc(1, sizeof *m);
    if (!m) give_up(e);
    REAL(mixture_free)(f);
    f->mixture = m;
    m->n = e->rows / (size_t)e->tensor.ranks;
    m->k = model->active_experts;
    m->experts = model->experts;
    m->ranks = (size_t)e->experts.ranks;
    m->tensor = (size_t)e->expert_tensor.ranks;
    m->local = m->experts / m->ranks;
    m->width = model->expert_hidden ? model->expert_hidden : e->hidden;
    m->expert = calloc(2 * m->n * m->k, sizeof *m->expert);
    m->counts =
        calloc(m->experts * (2 + m->tensor) + COUNTS * m->tensor * m->ranks, sizeof *m->counts);
    if (!m->expert || !m->counts) give_up(e);
    m->row = m->expert + m->n * m->k;
    m->came = m->counts + m->experts;
    m->all = m->came + m->experts;
    if (COUNTS) m->others = m->all + m->experts * m->tensor;
    return m;
}

/* ---- router ---- */

void REAL(router)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    struct mixture_state *m = mixture_open(e, f);
    matrix_forward(e->threads, m->n, m->experts, e->hidden, routed(e, f, SLOT_N_2),
                   weight(e, l->dense, WEIGHT_ROUTER), weight(e, l->dense, WEIGHT_ROUTER_ADD),
                   make(e, f, SLOT_ROUTES, m->n * m->experts));
}

void REAL(router_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    matrix_weight(e->threads, m->n, m->experts, e->hidden, f->slot[SLOT_DROUTES],
                  routed(e, f, SLOT_N_2), gradient(e, l->dense, WEIGHT_ROUTER), true);
    if (has(l->dense, WEIGHT_ROUTER_ADD))
        column_sums(m->n, m->experts, f->slot[SLOT_DROUTES],
                    gradient(e, l->dense, WEIGHT_ROUTER_ADD));
    REAL(count_choices)(m, gradient(e, l->dense, WEIGHT_ROUTER_BIAS));
    read_once(e, f, SLOT_DROUTES);
    drop(e, f, SLOT_N_2); /* the last that reads it */
}

/* All that comes back to the norm's output: from scores, tokens, shared experts and their gate. */
void REAL(router_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const bool gathers = e->tensor.ranks > 1 && !sequence_parallel(e);
    const size_t rows = gathers ? e->rows : m->n, own = m->n * e->hidden;
    real *dx = make(e, f, SLOT_DN_2, rows * e->hidden), *part = dx + first_routed(e, m) * e->hidden;
    copy_bytes(part, f->slot[SLOT_DNARROW], own * sizeof *part);
    matrix_input(e->threads, m->n, m->experts, e->hidden, f->slot[SLOT_DROUTES],
                 weight(e, l->dense, WEIGHT_ROUTER), part, true);
    if (gathers) {
        real *mine = take(e, own);
        copy_bytes(mine, part, own * sizeof *mine);
        gather_all(e, &e->tensor, "tokens gather", mine, dx, own);
        give(e, mine);
    }
    if (f->slot[SLOT_DSHARED]) add_to(rows * e->hidden, f->slot[SLOT_DSHARED], dx);
    const real *gate = weight(e, l->dense, WEIGHT_SHARED_WEIGH);
    for (size_t i = 0; !COUNTS && gate && i < e->share; i++)
        for (size_t j = 0; j < e->hidden; j++)
            dx[i * e->hidden + j] += f->slot[SLOT_DGATES][i] * gate[j];
    read_once(e, f, SLOT_DROUTES);
    drop(e, f, SLOT_DNARROW);
    drop(e, f, SLOT_DSHARED);
    drop(e, f, SLOT_DGATES);
}

/* ---- BigMac's way in and out ---- */

void REAL(descend)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    product_forward(e, m->n, m->width, e->hidden, routed(e, f, SLOT_N_2),
                    matrix_of(e, l->dense, WEIGHT_DESCEND),
                    weight(e, l->dense, WEIGHT_DESCEND_BIAS),
                    make(e, f, SLOT_NARROW, m->n * m->width));
}

/* SLOT_DSUM keeps the narrow gradient for the weight gradients, which are computed later. */
void REAL(descend_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    drop(e, f, SLOT_DSUM);
    move(e, f, SLOT_DNARROW, SLOT_DSUM);
    product_input(e, m->n, m->width, e->hidden, f->slot[SLOT_DSUM],
                  matrix_of(e, l->dense, WEIGHT_DESCEND),
                  make(e, f, SLOT_DNARROW, m->n * e->hidden));
}

void REAL(descend_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    product_weight(e, m->n, m->width, e->hidden, f->slot[SLOT_DSUM], routed(e, f, SLOT_N_2),
                   gradient_at(l->dense, WEIGHT_DESCEND));
    if (has(l->dense, WEIGHT_DESCEND_BIAS))
        column_sums(m->n, m->width, f->slot[SLOT_DSUM], gradient(e, l->dense, WEIGHT_DESCEND_BIAS));
    drop(e, f, SLOT_DSUM);
}

void REAL(ascend)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    product_forward(e, m->n, e->hidden, m->width, f->slot[SLOT_SUM],
                    matrix_of(e, l->dense, WEIGHT_ASCEND), weight(e, l->dense, WEIGHT_ASCEND_BIAS),
                    make(e, f, SLOT_OUT_2, m->n * e->hidden));
}

const real *routed_gradient(struct engine *e, struct frame *f)
{
    const struct mixture_state *m = f->mixture;
    if (!f->slot[SLOT_DOUT_ROUTED])
        copy_bytes(make(e, f, SLOT_DOUT_ROUTED, m->n * e->hidden), routed(e, f, SLOT_DOUT_2),
                   m->n * e->hidden * sizeof(real));
    return f->slot[SLOT_DOUT_ROUTED];
}

void REAL(ascend_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    product_input(e, m->n, e->hidden, m->width, routed_gradient(e, f),
                  matrix_of(e, l->dense, WEIGHT_ASCEND), make(e, f, SLOT_DSUM, m->n * m->width));
    read_once(e, f, SLOT_DOUT_ROUTED);
}

void REAL(ascend_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    product_weight(e, m->n, e->hidden, m->width, f->slot[SLOT_DOUT_ROUTED], f->slot[SLOT_SUM],
                   gradient_at(l->dense, WEIGHT_ASCEND));
    if (has(l->dense, WEIGHT_ASCEND_BIAS))
        column_sums(m->n, e->hidden, f->slot[SLOT_DOUT_ROUTED],
                    gradient(e, l->dense, WEIGHT_ASCEND_BIAS));
    read_once(e, f, SLOT_DOUT_ROUTED);
    drop(e, f, SLOT_SUM);
}

/* ---- copies of tokens ---- */

void REAL(permute)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    struct mixture_state *m = f->mixture;
    const real *x = f->slot[SLOT_NARROW] ? f->slot[SLOT_NARROW] : routed(e, f, SLOT_N_2);
    real *sent = make(e, f, travels(m) ? SLOT_SENT : SLOT_SORTED, m->kept * m->width);
    for (size_t i = 0; i < m->n * m->k; i++)
        if (m->row[i] != NO_ROW)
            copy_bytes(sent + m->row[i] * m->width, x + i / m->k * m->width,
                       m->width * sizeof *sent);
    memcpy(m->came, m->counts, m->experts * sizeof *m->came); /* unless they travel */
    m->rows = m->all_rows = m->kept;
    memcpy(m->all, m->came, m->experts * sizeof *m->all);
}

static void sum_copies(const struct mixture_state *m, const real *copies, const real *weights,
                       real *sums)
{
    clear_bytes(sums, m->n * m->width * sizeof *sums);
    for (size_t i = 0; !COUNTS && i < m->n * m->k; i++) {
        if (m->row[i] == NO_ROW) continue;
        const real *copy = copies + m->row[i] * m->width, w = weights ? weights[i] : 1;
        real *sum = sums + i / m->k * m->width;
        for (size_t j = 0; j < m->width; j++)
            sum[j] += w * copy[j];
    }
}

void REAL(permute_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct mixture_state *m = f->mixture;
    sum_copies(m, f->slot[SLOT_DSORTED], NULL, make(e, f, SLOT_DNARROW, m->n * m->width));
    drop(e, f, SLOT_DSORTED);
}

void REAL(unpermute)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct mixture_state *m = f->mixture;
    const bool ascends = has(l->dense, WEIGHT_ASCEND);
    sum_copies(m, f->slot[SLOT_BACK], f->slot[SLOT_WEIGHTS],
               make(e, f, ascends ? SLOT_SUM : SLOT_OUT_2, m->n * m->width));
}

void REAL(unpermute_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const bool ascends = has(l->dense, WEIGHT_ASCEND);
    const real *dsum = ascends ? f->slot[SLOT_DSUM] : routed_gradient(e, f);
    const real *weights = f->slot[SLOT_WEIGHTS];
    real *dback = make(e, f, SLOT_DBACK, m->kept * m->width);
    real *dweights = make(e, f, SLOT_DWEIGHTS, m->n * m->k);
    for (size_t i = 0; !COUNTS && i < m->n * m->k; i++) {
        dweights[i] = 0;
        if (m->row[i] == NO_ROW) continue;
        const real *d = dsum + i / m->k * m->width,
                   *copy = f->slot[SLOT_BACK] + m->row[i] * m->width;
        real *to = dback + m->row[i] * m->width, along = 0;
        for (size_t j = 0; j < m->width; j++) {
            along += d[j] * copy[j];
            to[j] = weights[i] * d[j];
        }
        dweights[i] = along;
    }
    drop(e, f, SLOT_BACK);
    drop(e, f, ascends ? SLOT_DSUM : SLOT_DOUT_ROUTED);
}
