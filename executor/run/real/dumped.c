/* dumped.c - what of a step is dumped (run/dump.h), and which box of the whole a rank has. */
#include "run/checkpoint_parts.h"
#include "run/dump.h"
#include "run/real/engine.h"
#include "run/real/mixture.h"
#include "run/real/offload.h"

#include <stdio.h>
#include <stdlib.h>

/* How a slot is cut among tensor ranks: rows of the stream, of which each has a share with sequence
 * parallelism; all rows, of which each has a part of the sum; columns of its heads or neurons. */
enum cut { CUT_SHARE, CUT_SUM, CUT_QKV, CUT_HEADS, CUT_GATED, CUT_INNER };

/* What an operation brings forward, and what its way back brings. Experts' rows have no order of
 * their own, and are left out: what the router decides, and what their layer brings, is there. */
static const struct shown {
    enum slot forward; /* 0: nothing; SLOT_X is no operation's result */
    enum cut cut;
    enum slot back;
    enum cut back_cut;
} shown[OPS] = {
    [OP_EMBEDDING] = {SLOT_OUT_2, CUT_SUM, 0, 0},
    [OP_EMBEDDING_REDUCE] = {SLOT_OUT_2, CUT_SHARE, 0, 0},
    [OP_POSITIONS] = {SLOT_OUT_2, CUT_SHARE, 0, 0},
    [OP_EMBEDDING_NORM] = {SLOT_OUT_2, CUT_SHARE, 0, 0},
    [OP_ATTENTION_NORM] = {SLOT_N_1, CUT_SHARE, SLOT_DX, CUT_SHARE},
    [OP_ATTENTION_GATHER] = {0, 0, SLOT_DN_1, CUT_SHARE},
    [OP_QKV] = {SLOT_QKV, CUT_QKV, SLOT_DN_1, CUT_SUM},
    [OP_QK_NORM] = {SLOT_QKV, CUT_QKV, SLOT_DQKV, CUT_QKV},
    [OP_ROTARY] = {SLOT_QKV, CUT_QKV, SLOT_DQKV, CUT_QKV},
    [OP_ROTARY_LATENT] = {SLOT_QKV, CUT_QKV, 0, 0},
    [OP_ATTENTION] = {SLOT_ATT, CUT_HEADS, SLOT_DQKV, CUT_QKV},
    [OP_VALUES_SUM] = {SLOT_ATT, CUT_HEADS, 0, 0},
    [OP_ATTENTION_BACK] = {SLOT_ATT, CUT_HEADS, 0, 0},
    [OP_ATTENTION_OUT] = {SLOT_OUT_1, CUT_SUM, SLOT_DATT, CUT_HEADS},
    [OP_ATTENTION_REDUCE] = {SLOT_OUT_1, CUT_SHARE, 0, 0},
    [OP_ATTENTION_RESIDUAL] = {SLOT_R, CUT_SHARE, 0, 0},
    [OP_MLP_NORM] = {SLOT_N_2, CUT_SHARE, SLOT_DX, CUT_SHARE},
    [OP_MLP_GATHER] = {0, 0, SLOT_DN_2, CUT_SHARE},
    [OP_MLP_IN] = {SLOT_IN, CUT_GATED, SLOT_DN_2, CUT_SUM},
    [OP_ACTIVATION] = {SLOT_ACT, CUT_INNER, SLOT_DIN, CUT_GATED},
    [OP_MLP_OUT] = {SLOT_OUT_2, CUT_SUM, SLOT_DACT, CUT_INNER},
    [OP_MLP_REDUCE] = {SLOT_OUT_2, CUT_SHARE, 0, 0},
    [OP_MLP_RESIDUAL] = {SLOT_OUT_2, CUT_SHARE, 0, 0},
    [OP_SHARED_OUT] = {SLOT_SHARED, CUT_SUM, 0, 0},
    [OP_SHARED_REDUCE] = {SLOT_SHARED, CUT_SHARE, 0, 0},
    [OP_SHARED_GATE] = {SLOT_SHARED, CUT_SHARE, 0, 0},
    [OP_FINAL_NORM] = {SLOT_N_1, CUT_SHARE, SLOT_DX, CUT_SHARE},
    [OP_LOGITS_GATHER] = {0, 0, SLOT_DN_1, CUT_SHARE},
};

/* ---- columns ---- */

struct columns {
    struct piece {
        size_t here, at, count; /* in a row of this rank; of the whole */
    } piece[3];
    int pieces;
    size_t width, whole;
};

static void add_run(struct columns *c, size_t at, size_t count)
{
    c->piece[c->pieces++] = (struct piece){c->width, at, count};
    c->width += count;
}

static struct columns columns_of(const struct engine *e, const struct at_layer *l, enum cut cut)
{
    const size_t t = (size_t)e->tensor.ranks, me = (size_t)e->tensor.me;
    const size_t copies = (size_t)e->keys.ranks, kv = l->kv_heads * t / copies, mine = me / copies;
    const size_t ff = l->feedforward, heads = l->heads * t;
    struct columns c = {.whole = e->hidden};
    switch (cut) {
    case CUT_QKV:
        add_run(&c, me * l->heads * l->d, l->heads * l->d);
        add_run(&c, heads * l->d + mine * l->kv_heads * l->d, l->kv_heads * l->d);
        add_run(&c, (heads + kv) * l->d + mine * l->kv_heads * l->value, l->kv_heads * l->value);
        c.whole = (heads + kv) * l->d + kv * l->value;
        return c;
    case CUT_HEADS:
        add_run(&c, me * l->heads * l->value, l->heads * l->value);
        c.whole = heads * l->value;
        return c;
    case CUT_GATED:
    case CUT_INNER:
        add_run(&c, me * ff, ff);
        c.whole = ff * t;
        if (cut == CUT_INNER || !e->job->model.gated_mlp) return c;
        add_run(&c, ff * t + me * ff, ff);
        c.whole *= 2;
        return c;
    default:
        add_run(&c, 0, e->hidden);
        return c;
    }
}

/* ---- activations and their gradients ---- */

static void dump_rows(struct engine *e, size_t mb, size_t first, size_t rows,
                      const struct columns *c, const real *data)
{
    const size_t base = mb * e->rows + first;
    const uint64_t sequence = e->job->sequence, step = e->number[0] / e->job->plan.batch;
    for (size_t i = 0, n; i < rows; i += n) {
        const uint64_t at =
            (e->number[base + i] - step * e->job->plan.batch) * sequence + e->position[base + i];
        for (n = 1; i + n < rows; n++) {
            const uint64_t next = (e->number[base + i + n] - step * e->job->plan.batch) * sequence +
                                  e->position[base + i + n];
            if (next != at + n) break;
        }
        for (int r = 0; r < c->pieces; r++)
            dump_box(e->dump, at, c->piece[r].at, n, c->piece[r].count,
                     data + i * c->width + c->piece[r].here, c->width);
    }
}

/* The how manieth of its layer an operation is. */
static int place_in_layer(const struct engine *e, const struct at_layer *l, enum op op)
{
    const struct layer *layer = &e->job->layer[l->depth ? LAYER_PREDICT : l->kind];
    for (int i = 0; i < layer->operations; i++)
        if (layer->operation[i].op == op) return i;
    return layer->operations;
}

/* The weight of each expert for each token, 0 of those that it does not go to. Each tensor rank
 * routes a share of the tokens. */
static void dump_routing(struct engine *e, const struct frame *f, const char *order,
                         const char *name, size_t mb)
{
    const struct mixture_state *m = f->mixture;
    const real *weights = f->slot[SLOT_WEIGHTS];
    real *dense = calloc(m->n * m->experts, sizeof *dense);
    struct columns c = {.whole = m->experts};
    add_run(&c, 0, m->experts);
    for (size_t i = 0; dense && i < m->n * m->k; i++)
        if (m->row[i] != NO_ROW) dense[i / m->k * m->experts + m->expert[i]] = weights[i];
    dump_name(e->dump, order, name, e->job->plan.batch * e->job->sequence, m->experts, false);
    if (dense) dump_rows(e, mb, (size_t)e->tensor.me * m->n, m->n, &c, dense);
    free(dense);
}

void dump_operation(struct engine *e, const struct instruction *i)
{
    const struct at_layer *l = &e->layer[i->layer];
    const struct frame *f = &l->frame[i->microbatch];
    const struct shown *s = &shown[i->operation];
    const bool back = i->work == WORK_INPUT;
    const enum slot slot = back ? s->back : s->forward;
    const enum cut cut = back ? s->back_cut : s->cut;
    char order[48], name[96];
    const bool routes = i->operation == OP_ROUTING && !back && f->slot[SLOT_WEIGHTS];
    if (!e->dump || (!slot && !routes) || (!back && i->work != WORK_FORWARD)) return;
    if (!routes && (!f->slot[slot] || f->packed[slot])) return;
    const struct rk_model *m = &e->job->model;
    const long long layer = (long long)l->layer,
                    layers = (long long)(m->layers + m->predict_layers);
    snprintf(order, sizeof order, "%d %06lld %04d", back ? 2 : 1, back ? layers - layer : layer + 1,
             back ? 1000 - place_in_layer(e, l, (enum op)i->operation)
                  : place_in_layer(e, l, (enum op)i->operation));
    snprintf(name, sizeof name, "layer.%lld.%s.%s", layer, back ? "gradient" : "forward",
             op_name(i->operation));
    if (layer < 0 || layer == layers)
        snprintf(name, sizeof name, "%s.%s.%s", layer < 0 ? "embedding" : "head",
                 back ? "gradient" : "forward", op_name(i->operation));
    if (routes) {
        dump_routing(e, f, order, name, i->microbatch);
        return;
    }
    const struct columns c = columns_of(e, l, cut);
    const bool share = cut == CUT_SHARE && sequence_parallel(e);
    dump_name(e->dump, order, name, e->job->plan.batch * e->job->sequence, c.whole,
              cut == CUT_SUM && e->tensor.ranks > 1);
    dump_rows(e, i->microbatch, share ? (size_t)e->tensor.me * e->share : 0,
              share ? e->share : e->rows, &c, f->slot[slot]);
}

/* ---- weights, their gradients and moments ---- */

/* Elements [from, to) of a weight's box: a rest of a row, whole rows, a begin of one. */
static void dump_elements(struct engine *e, const struct weight *w, size_t from, size_t to,
                          const real *data)
{
    const size_t cols = w->box_cols;
    for (size_t i = from, n; i < to; i += n) {
        const size_t row = i / cols, col = i % cols, left = to - i;
        const bool whole = col == 0 && left >= cols;
        n = whole ? left / cols * cols : left < cols - col ? left : cols - col;
        const size_t most = w->rows > w->row0 ? w->rows - w->row0 : 0; /* the others are padding */
        if (w->file_unit && n > cols) n = cols; /* rows lie apart in the file */
        const size_t count = row + n / cols > most ? (most > row ? most - row : 0) : n / cols;
        if (row >= most) return;
        const uint64_t place = w->row0 + row;
        dump_box(e->dump, w->file_unit ? file_row(w, place) : w->file_at + place,
                 w->file_col + w->col0 + col, whole ? count : 1, whole ? cols : n,
                 data + (i - from), cols);
    }
}

/* `n` elements of a group from `begin` on. */
static void dump_group(struct engine *e, const struct store *s, int phase, const char *kind,
                       size_t begin, size_t n, const real *data)
{
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        const size_t from = w->at > begin ? w->at : begin, end = w->at + w->box_rows * w->box_cols,
                     to = end < begin + n ? end : begin + n;
        char order[48], name[160];
        if (from >= to) continue;
        snprintf(order, sizeof order, "%d %06d %04d", phase, s->group->id, (int)w->role);
        snprintf(name, sizeof name, "%s.%s", kind, w->name);
        dump_name(e->dump, order, name, w->file_rows, w->file_cols, false);
        dump_elements(e, w, from - w->at, to - w->at, data + (from - begin));
    }
}

void dump_gradients(struct engine *e)
{
    if (!e->dump) return;
    for (int g = 0; g < e->weights.groups; g++) {
        struct store *s = &e->store[g];
        enter(e, s->place);
        const bool part = e->plan->zero > 0;
        const size_t begin = part ? s->begin : 0, n = part ? s->share : s->group->size;
        const real *data = read_gradients(e, s, shards_gradients(e) ? 0 : begin, n);
        dump_group(e, s, 3, "gradient", begin, n, data);
        gradients_read(e, data);
    }
}

static void dump_flat(struct engine *e, const struct store *s, int phase, const char *kind,
                      struct flat *f, size_t begin, size_t n)
{
    if (!f->count) return;
    const real *all = flat_use(e, f);
    dump_group(e, s, phase, kind, begin, n, f->count == n ? all : all + begin);
    flat_leave(e, f);
}

void dump_state(struct engine *e)
{
    if (!e->dump) return;
    for (int g = 0; g < e->weights.groups; g++) {
        struct store *s = &e->store[g];
        enter(e, s->place);
        const bool part = e->plan->zero > 0;
        const size_t begin = part ? s->begin : 0, n = part ? s->share : s->group->size;
        dump_flat(e, s, 6, "weight", &s->weights, begin, n);
        dump_flat(e, s, 4, "first", &s->moment[0], begin, n);
        if (!s->small) dump_flat(e, s, 5, "second", &s->moment[1], begin, n);
    }
}

/* ---- a step ---- */

bool dump_begin(struct engine *e, uint64_t step)
{
    const struct job *job = e->job;
    struct rk_error error;
    bool wanted = false;
    for (uint64_t i = 0; i < job->dumps; i++)
        wanted |= job->dump_step[i] == step;
    if (!wanted || COUNTS) return true;
    e->dump = dump_open(job->dump, step, e->rank, sizeof(real), &error);
    return e->dump || comm_fail(e->comm, &error);
}

bool dump_end(struct engine *e, double loss)
{
    struct rk_error error;
    const real part = (real)loss;
    if (!e->dump) return true;
    dump_name(e->dump, "1 999999 9999", "loss", 1, 1, true);
    dump_box(e->dump, 0, 0, 1, 1, &part, 1);
    const enum rk_status status = dump_close(e->dump, &error);
    e->dump = NULL;
    return status == RK_OK || comm_fail(e->comm, &error);
}
