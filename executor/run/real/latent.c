/* latent.c - latent attention [deepseek2024]: queries, keys and values come from narrow vectors,
 * and one part of each key, which has the position, is the same for all heads.
 *
 * Vectors are brought down on shards of the sequence, by weights that all tensor ranks have; they
 * are gathered in front of the products that bring the heads of each rank up. */
#include "run/real/engine.h"

#include <string.h>

struct widths {
    size_t queries, latent, rope, nope, both; /* q_rank, kv_rank; of a head; nope + value */
};

static struct widths widths_of(const struct engine *e, const struct at_layer *l)
{
    const struct rk_model *m = &e->job->model;
    return (struct widths){m->q_rank, m->kv_rank, m->rope_dim, m->head_dim, m->head_dim + l->value};
}

static bool is_cut(const struct engine *e)
{
    return e->plan->sequence_parallel && e->tensor.ranks > 1;
}

/* ---- products and norms of any width ---- */

static const real *whole(struct engine *e, struct frame *f, enum slot shard, enum slot all,
                         size_t width, const char *what)
{
    if (!is_cut(e)) return f->slot[shard];
    if (!f->slot[all])
        gather_all(e, &e->tensor, what, f->slot[shard], make(e, f, all, e->rows * width),
                   e->share * width);
    return f->slot[all];
}

static void sum_back(struct engine *e, struct frame *f, enum slot slot, size_t width,
                     const char *what)
{
    if (e->tensor.ranks == 1) return;
    if (!is_cut(e)) {
        reduce_all(e, &e->tensor, what, f->slot[slot], e->rows * width);
        return;
    }
    real *part = take(e, e->share * width);
    reduce_part(e, &e->tensor, what, f->slot[slot], part, e->share * width);
    drop(e, f, slot);
    f->slot[slot] = part;
}

static struct REAL(norm) latent_norm(struct engine *e, struct at_layer *l, enum weight_role role)
{
    return (struct REAL(norm)){.rms = e->job->model.norm == RK_RMS_NORM,
                               .eps = e->job->settings.norm_eps,
                               .w = weight(e, l->dense, role),
                               .b = weight(e, l->dense, (enum weight_role)(role + 1))};
}

/* ---- queries ---- */

void REAL(query)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t n = l->heads * l->d;
    product_forward(e, e->rows, n, e->hidden,
                    whole(e, f, SLOT_N_1, SLOT_WHOLE_1, e->hidden, "attention gather"),
                    matrix_of(e, l->dense, WEIGHT_Q), NULL, make(e, f, SLOT_Q, e->rows * n));
    drop(e, f, SLOT_WHOLE_1);
}

void REAL(query_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    product_input(e, e->rows, l->heads * l->d, e->hidden, f->slot[SLOT_DQ],
                  matrix_of(e, l->dense, WEIGHT_Q), make(e, f, SLOT_DN_1, e->rows * e->hidden));
    read_once(e, f, SLOT_DQ);
}

void REAL(query_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    product_weight(e, e->rows, l->heads * l->d, e->hidden, f->slot[SLOT_DQ],
                   whole(e, f, SLOT_N_1, SLOT_WHOLE_1, e->hidden, "attention gather"),
                   gradient_at(l->dense, WEIGHT_Q));
    drop(e, f, SLOT_WHOLE_1);
    drop(e, f, SLOT_N_1);
    read_once(e, f, SLOT_DQ);
}

void REAL(query_down)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t q = widths_of(e, l).queries;
    product_forward(e, e->share, q, e->hidden, f->slot[SLOT_N_1],
                    matrix_of(e, l->dense, WEIGHT_Q_DOWN), NULL, make(e, f, SLOT_CQ, e->share * q));
}

void REAL(query_down_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    product_input(e, e->share, widths_of(e, l).queries, e->hidden, f->slot[SLOT_DCQ],
                  matrix_of(e, l->dense, WEIGHT_Q_DOWN),
                  make(e, f, SLOT_DN_1, e->share * e->hidden));
    read_once(e, f, SLOT_DCQ);
}

void REAL(query_down_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    product_weight(e, e->share, widths_of(e, l).queries, e->hidden, f->slot[SLOT_DCQ],
                   f->slot[SLOT_N_1], gradient_at(l->dense, WEIGHT_Q_DOWN));
    drop(e, f, SLOT_N_1);
    read_once(e, f, SLOT_DCQ);
}

void REAL(query_norm)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t q = widths_of(e, l).queries;
    const struct REAL(norm) norm = latent_norm(e, l, WEIGHT_Q_DOWN_NORM);
    norm_forward(e->threads, &norm, e->share, q, f->slot[SLOT_CQ], q,
                 make(e, f, SLOT_CQN, e->share * q), q, make(e, f, SLOT_STATS_CQ, 2 * e->share));
}

void REAL(query_norm_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t q = widths_of(e, l).queries;
    const struct REAL(norm) norm = latent_norm(e, l, WEIGHT_Q_DOWN_NORM);
    norm_backward(e->threads, &norm, e->share, q, f->slot[SLOT_CQ], q, f->slot[SLOT_STATS_CQ],
                  f->slot[SLOT_DCQ], q, NULL, f->slot[SLOT_DCQ], q,
                  gradient(e, l->dense, WEIGHT_Q_DOWN_NORM),
                  gradient(e, l->dense, WEIGHT_Q_DOWN_NORM_BIAS));
    drop(e, f, SLOT_CQ);
    drop(e, f, SLOT_STATS_CQ);
}

void REAL(query_gather)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    whole(e, f, SLOT_CQN, SLOT_WHOLE_CQ, widths_of(e, l).queries, "query gather");
}

void REAL(query_gather_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    sum_back(e, f, SLOT_DCQ, widths_of(e, l).queries, "query gather");
}

void REAL(query_up)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t q = widths_of(e, l).queries, n = l->heads * l->d;
    product_forward(e, e->rows, n, q, whole(e, f, SLOT_CQN, SLOT_WHOLE_CQ, q, "query gather"),
                    matrix_of(e, l->dense, WEIGHT_Q_UP), NULL, make(e, f, SLOT_Q, e->rows * n));
    drop(e, f, SLOT_WHOLE_CQ);
}

void REAL(query_up_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t q = widths_of(e, l).queries;
    product_input(e, e->rows, l->heads * l->d, q, f->slot[SLOT_DQ],
                  matrix_of(e, l->dense, WEIGHT_Q_UP), make(e, f, SLOT_DCQ, e->rows * q));
    read_once(e, f, SLOT_DQ);
}

void REAL(query_up_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const size_t q = widths_of(e, l).queries;
    product_weight(e, e->rows, l->heads * l->d, q, f->slot[SLOT_DQ],
                   whole(e, f, SLOT_CQN, SLOT_WHOLE_CQ, q, "query gather"),
                   gradient_at(l->dense, WEIGHT_Q_UP));
    drop(e, f, SLOT_WHOLE_CQ);
    drop(e, f, SLOT_CQN);
    read_once(e, f, SLOT_DQ);
}

/* ---- keys and values ---- */

void REAL(kv_down)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct widths w = widths_of(e, l);
    const size_t n = w.latent + w.rope;
    product_forward(e, e->share, n, e->hidden, f->slot[SLOT_N_1],
                    matrix_of(e, l->dense, WEIGHT_KV_DOWN), NULL,
                    make(e, f, SLOT_CKV, e->share * n));
}

/* The gradient waits for that of the queries (norm_1_input). */
void REAL(kv_down_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct widths w = widths_of(e, l);
    product_input(e, e->share, w.latent + w.rope, e->hidden, f->slot[SLOT_DCKV],
                  matrix_of(e, l->dense, WEIGHT_KV_DOWN),
                  make(e, f, SLOT_DLATENT, e->share * e->hidden));
    read_once(e, f, SLOT_DCKV);
}

void REAL(kv_down_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct widths w = widths_of(e, l);
    product_weight(e, e->share, w.latent + w.rope, e->hidden, f->slot[SLOT_DCKV], f->slot[SLOT_N_1],
                   gradient_at(l->dense, WEIGHT_KV_DOWN));
    read_once(e, f, SLOT_DCKV);
}

/* The part with the position passes by. */
void REAL(kv_norm)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct widths w = widths_of(e, l);
    const size_t n = w.latent + w.rope;
    const struct REAL(norm) norm = latent_norm(e, l, WEIGHT_KV_DOWN_NORM);
    real *y = make(e, f, SLOT_CKVN, e->share * n);
    copy_bytes(y, f->slot[SLOT_CKV], e->share * n * sizeof *y);
    norm_forward(e->threads, &norm, e->share, w.latent, f->slot[SLOT_CKV], n, y, n,
                 make(e, f, SLOT_STATS_CKV, 2 * e->share));
}

void REAL(kv_norm_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct widths w = widths_of(e, l);
    const size_t n = w.latent + w.rope;
    const struct REAL(norm) norm = latent_norm(e, l, WEIGHT_KV_DOWN_NORM);
    norm_backward(e->threads, &norm, e->share, w.latent, f->slot[SLOT_CKV], n,
                  f->slot[SLOT_STATS_CKV], f->slot[SLOT_DCKV], n, NULL, f->slot[SLOT_DCKV], n,
                  gradient(e, l->dense, WEIGHT_KV_DOWN_NORM),
                  gradient(e, l->dense, WEIGHT_KV_DOWN_NORM_BIAS));
    drop(e, f, SLOT_CKV);
    drop(e, f, SLOT_STATS_CKV);
}

static const real *whole_latent(struct engine *e, struct at_layer *l, struct frame *f)
{
    const struct widths w = widths_of(e, l);
    return whole(e, f, SLOT_CKVN, SLOT_WHOLE_CKV, w.latent + w.rope, "key, value gather");
}

void REAL(kv_gather)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    whole_latent(e, l, f);
}

void REAL(kv_gather_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct widths w = widths_of(e, l);
    sum_back(e, f, SLOT_DCKV, w.latent + w.rope, "key, value gather");
}

/* The latent part alone, row by row. */
static real *pack_latent(struct engine *e, struct at_layer *l, struct frame *f)
{
    const struct widths w = widths_of(e, l);
    const real *x = whole_latent(e, l, f);
    real *packed = take(e, e->rows * w.latent);
    for (size_t i = 0; i < e->rows; i++)
        copy_bytes(packed + i * w.latent, x + i * (w.latent + w.rope), w.latent * sizeof *x);
    return packed;
}

void REAL(kv_up)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct widths w = widths_of(e, l);
    const size_t n = l->heads * w.both;
    real *x = pack_latent(e, l, f);
    product_forward(e, e->rows, n, w.latent, x, matrix_of(e, l->dense, WEIGHT_KV_UP), NULL,
                    make(e, f, SLOT_KVU, e->rows * n));
    give(e, x);
}

void REAL(kv_up_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct widths w = widths_of(e, l);
    const size_t n = w.latent + w.rope;
    real *narrow = take(e, e->rows * w.latent), *dx = make(e, f, SLOT_DCKV, e->rows * n);
    product_input(e, e->rows, l->heads * w.both, w.latent, f->slot[SLOT_DKVU],
                  matrix_of(e, l->dense, WEIGHT_KV_UP), narrow);
    for (size_t i = 0; i < e->rows; i++) {
        copy_bytes(dx + i * n, narrow + i * w.latent, w.latent * sizeof *dx);
        copy_bytes(dx + i * n + w.latent, f->slot[SLOT_DROPE] + i * w.rope, w.rope * sizeof *dx);
    }
    give(e, narrow);
    drop(e, f, SLOT_DROPE);
    read_once(e, f, SLOT_DKVU);
}

void REAL(kv_up_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct widths w = widths_of(e, l);
    real *x = pack_latent(e, l, f);
    product_weight(e, e->rows, l->heads * w.both, w.latent, f->slot[SLOT_DKVU], x,
                   gradient_at(l->dense, WEIGHT_KV_UP));
    give(e, x);
    drop(e, f, SLOT_WHOLE_CKV);
    drop(e, f, SLOT_CKVN);
    read_once(e, f, SLOT_DKVU);
}

/* ---- put together for attention: queries, keys, values ---- */

void REAL(latent_rotary)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    const struct widths w = widths_of(e, l);
    const size_t a = l->heads, d = l->d, n = a * (2 * d + l->value), each = w.latent + w.rope;
    const real *latent = whole_latent(e, l, f);
    real *qkv = make(e, f, SLOT_QKV, e->rows * n);
    for (size_t i = 0; i < e->rows; i++) {
        const uint32_t *position = e->position + mb * e->rows + i;
        real *q = qkv + i * n, *k = q + a * d, *v = k + a * d;
        copy_bytes(q, f->slot[SLOT_Q] + i * a * d, a * d * sizeof *q);
        for (size_t h = 0; h < a; h++) {
            const real *up = f->slot[SLOT_KVU] + (i * a + h) * w.both;
            copy_bytes(k + h * d, up, w.nope * sizeof *k);
            copy_bytes(k + h * d + w.nope, latent + i * each + w.latent, w.rope * sizeof *k);
            copy_bytes(v + h * l->value, up + w.nope, l->value * sizeof *v);
            rotary(1, 1, 1, w.rope, w.rope, position, e->turn, false, q + h * d + w.nope, n);
            rotary(1, 1, 1, w.rope, w.rope, position, e->turn, false, k + h * d + w.nope, n);
        }
    }
    drop(e, f, SLOT_WHOLE_CKV);
    if (e->drops[(l - e->layer) * SLOTS + SLOT_QKV])
        return; /* this runs again, perhaps not the queries */
    drop(e, f, SLOT_Q);
    drop(e, f, SLOT_KVU);
}

void REAL(latent_rotary_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    const struct widths w = widths_of(e, l);
    const size_t a = l->heads, d = l->d, n = a * (2 * d + l->value);
    real *dq = make(e, f, SLOT_DQ, e->rows * a * d),
         *dup = make(e, f, SLOT_DKVU, e->rows * a * w.both);
    real *drope = f->slot[SLOT_DROPE] = take_zeros(e, e->rows * w.rope);
    for (size_t i = 0; i < e->rows; i++) {
        const uint32_t *position = e->position + mb * e->rows + i;
        real *q = f->slot[SLOT_DQKV] + i * n, *k = q + a * d, *v = k + a * d;
        for (size_t h = 0; h < a; h++) {
            real *up = dup + (i * a + h) * w.both;
            rotary(1, 1, 1, w.rope, w.rope, position, e->turn, true, q + h * d + w.nope, n);
            rotary(1, 1, 1, w.rope, w.rope, position, e->turn, true, k + h * d + w.nope, n);
            copy_bytes(up, k + h * d, w.nope * sizeof *up);
            copy_bytes(up + w.nope, v + h * l->value, l->value * sizeof *up);
            add_to(w.rope, k + h * d + w.nope, drope + i * w.rope);
        }
        copy_bytes(dq + i * a * d, q, a * d * sizeof *q);
    }
    drop(e, f, SLOT_DQKV);
}
