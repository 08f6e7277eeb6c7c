/* mixture.c - a mixture of experts [shazeer2017], dropless; tokens that travel narrowed [jin2025].
 *
 * Each tensor rank routes its own n tokens. Their k copies are sorted by expert (ties by token), go
 * to the ranks of their experts, come together over the ranks that share an expert, and are sorted
 * by expert once more; back the same way. `places` says where each run of copies lies.
 */
#include "run/real/engine.h"

#include "workload/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct mixture_state {
    size_t n, k, experts, ranks, tensor, local, width;
    uint32_t *expert; /* (n, k) */
    uint32_t *row;    /* (n, k): of the copy among the sorted ones */
    size_t *counts;   /* (experts): copies of this rank for each */
    size_t *came;     /* (ranks, local): copies from each rank for each expert here */
    size_t *all;      /* (tensor, ranks, local): those of the ranks that share the experts */
    size_t rows, all_rows;
};

void REAL(mixture_free)(struct frame *f)
{
    struct mixture_state *m = f->mixture;
    if (!m) return;
    free(m->expert);
    free(m->counts);
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
    m->counts = calloc(m->experts * (2 + m->tensor), sizeof *m->counts);
    if (!m->expert || !m->counts) give_up(e);
    m->row = m->expert + m->n * m->k;
    m->came = m->counts + m->experts;
    m->all = m->came + m->experts;
    return m;
}

static bool cut_by_sequence(const struct engine *e)
{
    return e->plan->sequence_parallel && e->tensor.ranks > 1;
}

/* Where this rank's tokens begin among the rows that are here. */
static size_t first_routed(const struct engine *e, const struct mixture_state *m)
{
    return cut_by_sequence(e) ? 0 : (size_t)e->tensor.me * m->n;
}

static const real *routed(const struct engine *e, const struct frame *f, enum slot slot)
{
    return f->slot[slot] + first_routed(e, f->mixture) * e->hidden;
}

/* ---- router ---- */

void REAL(router)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    struct mixture_state *m = mixture_open(e, f);
    matrix_forward(e->threads, m->n, m->experts, e->hidden, routed(e, f, SLOT_N_2),
                   weight(e, l->dense, WEIGHT_ROUTER), NULL,
                   make(e, f, SLOT_ROUTES, m->n * m->experts));
}

static void soften(size_t n, real *x)
{
    real most = x[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (size_t i = 0; i < n; i++)
        sum += x[i] = (real)exp((double)(x[i] - most));
    for (size_t i = 0; i < n; i++)
        x[i] /= sum;
}

/* The k largest, ties by index. */
static void choose(const struct mixture_state *m, const real *p, uint32_t *chosen)
{
    for (size_t k = 0; k < m->k; k++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < m->experts; i++) {
            bool taken = false;
            for (size_t j = 0; j < k; j++)
                taken |= chosen[j] == i;
            if (!taken && (best == UINT32_MAX || p[i] > p[best])) best = i;
        }
        chosen[k] = best;
    }
}

/* Probabilities of all experts, the k largest of them, and where copies go when sorted by expert.
 */
void REAL(routing)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    struct mixture_state *m = f->mixture;
    real *weights = make(e, f, SLOT_WEIGHTS, m->n * m->k);
    for (size_t i = 0; i < m->n; i++) {
        real *p = f->slot[SLOT_ROUTES] + i * m->experts, sum = 0;
        soften(m->experts, p);
        choose(m, p, m->expert + i * m->k);
        for (size_t k = 0; k < m->k; k++)
            sum += weights[i * m->k + k] = p[m->expert[i * m->k + k]];
        for (size_t k = 0; k < m->k && e->job->settings.renormalise; k++)
            weights[i * m->k + k] /= sum;
    }
    memset(m->counts, 0, m->experts * sizeof *m->counts);
    for (size_t i = 0; i < m->n * m->k; i++)
        m->counts[m->expert[i]]++;
    size_t next[m->experts];
    for (size_t x = 0, at = 0; x < m->experts; at += m->counts[x++])
        next[x] = at;
    for (size_t i = 0; i < m->n * m->k; i++)
        m->row[i] = (uint32_t)next[m->expert[i]]++;
}

/* d p = d w of the chosen, through the division by their sum; d scores = p (d p - sum of p d p). */
void REAL(routing_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    struct mixture_state *m = f->mixture;
    real *dscores = make(e, f, SLOT_DROUTES, m->n * m->experts);
    for (size_t i = 0; i < m->n; i++) {
        const real *p = f->slot[SLOT_ROUTES] + i * m->experts,
                   *w = f->slot[SLOT_WEIGHTS] + i * m->k;
        const real *dw = f->slot[SLOT_DWEIGHTS] + i * m->k;
        const uint32_t *chosen = m->expert + i * m->k;
        real dp[m->experts], sum = 0, along = 0, total = 0;
        memset(dp, 0, sizeof dp);
        for (size_t k = 0; k < m->k; k++) {
            sum += p[chosen[k]];
            along += dw[k] * w[k];
        }
        for (size_t k = 0; k < m->k; k++)
            dp[chosen[k]] = e->job->settings.renormalise ? (dw[k] - along) / sum : dw[k];
        for (size_t x = 0; x < m->experts; x++)
            total += p[x] * dp[x];
        for (size_t x = 0; x < m->experts; x++)
            dscores[i * m->experts + x] = p[x] * (dp[x] - total);
    }
}

void REAL(router_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    matrix_weight(e->threads, m->n, m->experts, e->hidden, f->slot[SLOT_DROUTES],
                  routed(e, f, SLOT_N_2), gradient(e, l->dense, WEIGHT_ROUTER));
}

/* All that comes back to the norm's output: from scores, tokens, shared experts and their gate. */
void REAL(router_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const bool gathers = e->tensor.ranks > 1 && !cut_by_sequence(e);
    const size_t rows = gathers ? e->rows : m->n, own = m->n * e->hidden;
    real *dx = make(e, f, SLOT_DN_2, rows * e->hidden), *part = dx + first_routed(e, m) * e->hidden;
    memcpy(part, f->slot[SLOT_DNARROW], own * sizeof *part);
    matrix_input(e->threads, m->n, m->experts, e->hidden, f->slot[SLOT_DROUTES],
                 weight(e, l->dense, WEIGHT_ROUTER), part, true);
    if (gathers) {
        real *mine = take(e, own);
        memcpy(mine, part, own * sizeof *mine);
        gather_all(e, &e->tensor, "tokens gather", mine, dx, own);
        give(e, mine);
    }
    if (f->slot[SLOT_DSHARED]) add_to(rows * e->hidden, f->slot[SLOT_DSHARED], dx);
    const real *gate = weight(e, l->dense, WEIGHT_SHARED_WEIGH);
    for (size_t i = 0; gate && i < e->share; i++)
        for (size_t j = 0; j < e->hidden; j++)
            dx[i * e->hidden + j] += f->slot[SLOT_DGATES][i] * gate[j];
}

/* ---- BigMac's way in and out ---- */

void REAL(descend)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    matrix_forward(e->threads, m->n, m->width, e->hidden, routed(e, f, SLOT_N_2),
                   weight(e, l->dense, WEIGHT_DESCEND), weight(e, l->dense, WEIGHT_DESCEND_BIAS),
                   make(e, f, SLOT_NARROW, m->n * m->width));
}

/* SLOT_DSUM keeps the narrow gradient for the weights. */
void REAL(descend_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    drop(e, f, SLOT_DSUM);
    move(e, f, SLOT_DNARROW, SLOT_DSUM);
    matrix_input(e->threads, m->n, m->width, e->hidden, f->slot[SLOT_DSUM],
                 weight(e, l->dense, WEIGHT_DESCEND), make(e, f, SLOT_DNARROW, m->n * e->hidden),
                 false);
}

void REAL(descend_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    matrix_weight(e->threads, m->n, m->width, e->hidden, f->slot[SLOT_DSUM], routed(e, f, SLOT_N_2),
                  gradient(e, l->dense, WEIGHT_DESCEND));
    if (has(l->dense, WEIGHT_DESCEND_BIAS))
        column_sums(m->n, m->width, f->slot[SLOT_DSUM], gradient(e, l->dense, WEIGHT_DESCEND_BIAS));
}

void REAL(ascend)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    matrix_forward(e->threads, m->n, e->hidden, m->width, f->slot[SLOT_SUM],
                   weight(e, l->dense, WEIGHT_ASCEND), weight(e, l->dense, WEIGHT_ASCEND_BIAS),
                   make(e, f, SLOT_OUT_2, m->n * e->hidden));
}

static const real *routed_gradient(struct engine *e, struct frame *f)
{
    const struct mixture_state *m = f->mixture;
    if (!f->slot[SLOT_DOUT_ROUTED])
        memcpy(make(e, f, SLOT_DOUT_ROUTED, m->n * e->hidden), routed(e, f, SLOT_DOUT_2),
               m->n * e->hidden * sizeof(real));
    return f->slot[SLOT_DOUT_ROUTED];
}

void REAL(ascend_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    matrix_input(e->threads, m->n, e->hidden, m->width, routed_gradient(e, f),
                 weight(e, l->dense, WEIGHT_ASCEND), make(e, f, SLOT_DSUM, m->n * m->width), false);
}

void REAL(ascend_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    matrix_weight(e->threads, m->n, e->hidden, m->width, f->slot[SLOT_DOUT_ROUTED],
                  f->slot[SLOT_SUM], gradient(e, l->dense, WEIGHT_ASCEND));
    if (has(l->dense, WEIGHT_ASCEND_BIAS))
        column_sums(m->n, e->hidden, f->slot[SLOT_DOUT_ROUTED],
                    gradient(e, l->dense, WEIGHT_ASCEND_BIAS));
}

/* ---- copies of tokens ---- */

static bool travels(const struct mixture_state *m)
{
    return m->ranks > 1;
}

void REAL(permute)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    struct mixture_state *m = f->mixture;
    const real *x = f->slot[SLOT_NARROW] ? f->slot[SLOT_NARROW] : routed(e, f, SLOT_N_2);
    real *sent = make(e, f, travels(m) ? SLOT_SENT : SLOT_SORTED, m->n * m->k * m->width);
    for (size_t i = 0; i < m->n * m->k; i++)
        memcpy(sent + m->row[i] * m->width, x + i / m->k * m->width, m->width * sizeof *sent);
    memcpy(m->came, m->counts, m->experts * sizeof *m->came); /* unless they travel */
    m->rows = m->all_rows = m->n * m->k;
    memcpy(m->all, m->came, m->experts * sizeof *m->all);
}

static void sum_copies(const struct mixture_state *m, const real *copies, const real *weights,
                       real *sums)
{
    memset(sums, 0, m->n * m->width * sizeof *sums);
    for (size_t i = 0; i < m->n * m->k; i++) {
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
    const real *dsum = has(l->dense, WEIGHT_ASCEND) ? f->slot[SLOT_DSUM] : routed_gradient(e, f);
    const real *weights = f->slot[SLOT_WEIGHTS];
    real *dback = make(e, f, SLOT_DBACK, m->n * m->k * m->width);
    real *dweights = make(e, f, SLOT_DWEIGHTS, m->n * m->k);
    for (size_t i = 0; i < m->n * m->k; i++) {
        const real *d = dsum + i / m->k * m->width,
                   *copy = f->slot[SLOT_BACK] + m->row[i] * m->width;
        real *to = dback + m->row[i] * m->width, along = 0;
        for (size_t j = 0; j < m->width; j++) {
            along += d[j] * copy[j];
            to[j] = weights[i] * d[j];
        }
        dweights[i] = along;
    }
}

/* ---- to the ranks of the experts, and back ---- */

/* How many copies come from each rank for each expert here. */
static void exchange_counts(struct engine *e, struct mixture_state *m)
{
    size_t at[m->ranks], bytes[m->ranks];
    for (size_t r = 0; r < m->ranks; r++) {
        bytes[r] = m->local * sizeof *m->counts;
        at[r] = r * bytes[r];
    }
    if (!comm_all_to_all(e->comm, &e->experts, "dispatch", m->counts, at, bytes, m->came, at,
                         bytes))
        give_up(e);
    m->rows = 0;
    for (size_t i = 0; i < m->experts; i++)
        m->rows += m->came[i];
    m->all_rows = m->rows;
    memcpy(m->all, m->came, m->experts * sizeof *m->all);
}

/* Copies in the order of experts <-> those that are here, rank by rank. */
static void travel(struct engine *e, const struct mixture_state *m, const char *what,
                   const real *from, real *to, bool back)
{
    size_t own_at[m->ranks], own[m->ranks], here_at[m->ranks], here[m->ranks], a = 0, b = 0;
    const size_t row = m->width * sizeof *from;
    for (size_t r = 0; r < m->ranks; r++) {
        own_at[r] = a;
        here_at[r] = b;
        own[r] = here[r] = 0;
        for (size_t x = 0; x < m->local; x++) {
            own[r] += m->counts[r * m->local + x] * row;
            here[r] += m->came[r * m->local + x] * row;
        }
        a += own[r];
        b += here[r];
    }
    const bool ok =
        back ? comm_all_to_all(e->comm, &e->experts, what, from, here_at, here, to, own_at, own)
             : comm_all_to_all(e->comm, &e->experts, what, from, own_at, own, to, here_at, here);
    if (!ok) give_up(e);
}

void REAL(dispatch)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    struct mixture_state *m = f->mixture;
    exchange_counts(e, m);
    travel(e, m, "dispatch", f->slot[SLOT_SENT], make(e, f, SLOT_SORTED, m->rows * m->width),
           false);
    drop(e, f, SLOT_SENT);
}

void REAL(dispatch_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct mixture_state *m = f->mixture;
    real *own = take(e, m->n * m->k * m->width);
    travel(e, m, "dispatch", f->slot[SLOT_DSORTED], own, true);
    drop(e, f, SLOT_DSORTED);
    f->slot[SLOT_DSORTED] = own;
}

void REAL(combine)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct mixture_state *m = f->mixture;
    real *own = take(e, m->n * m->k * m->width);
    travel(e, m, "combine", f->slot[SLOT_BACK], own, true);
    drop(e, f, SLOT_BACK);
    f->slot[SLOT_BACK] = own;
}

void REAL(combine_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct mixture_state *m = f->mixture;
    real *here = take(e, m->rows * m->width);
    travel(e, m, "combine", f->slot[SLOT_DBACK], here, false);
    drop(e, f, SLOT_DBACK);
    f->slot[SLOT_DBACK] = here;
}

/* ---- ranks that share experts ---- */

static void rows_of_sharers(const struct mixture_state *m, size_t *rows)
{
    for (size_t t = 0; t < m->tensor; t++) {
        rows[t] = 0;
        for (size_t i = 0; i < m->experts; i++)
            rows[t] += m->all[t * m->experts + i];
    }
}

/* Each one's rows to all. */
static void share_rows(struct engine *e, struct mixture_state *m, const char *what, struct frame *f,
                       enum slot slot)
{
    size_t rows[m->tensor], zero[m->tensor], own[m->tensor], at[m->tensor], bytes[m->tensor],
        total = 0;
    rows_of_sharers(m, rows);
    for (size_t t = 0; t < m->tensor; t++) {
        zero[t] = 0;
        own[t] = m->rows * m->width * sizeof(real);
        bytes[t] = rows[t] * m->width * sizeof(real);
        at[t] = total;
        total += bytes[t];
    }
    real *all = take(e, total / sizeof(real));
    if (!comm_all_to_all(e->comm, &e->expert_tensor, what, f->slot[slot], zero, own, all, at,
                         bytes))
        give_up(e);
    drop(e, f, slot);
    f->slot[slot] = all;
}

/* Sums of what all of them have for the rows of each. */
static void sum_rows(struct engine *e, struct mixture_state *m, const char *what, struct frame *f,
                     enum slot slot)
{
    size_t rows[m->tensor], at[m->tensor], bytes[m->tensor], in_at[m->tensor], in[m->tensor],
        total = 0;
    const size_t own = m->rows * m->width;
    rows_of_sharers(m, rows);
    for (size_t t = 0; t < m->tensor; t++) {
        bytes[t] = rows[t] * m->width * sizeof(real);
        at[t] = total;
        total += bytes[t];
        in[t] = own * sizeof(real);
        in_at[t] = t * in[t];
    }
    real *parts = take(e, own * m->tensor), *sum = take(e, own);
    if (!comm_all_to_all(e->comm, &e->expert_tensor, what, f->slot[slot], at, bytes, parts, in_at,
                         in))
        give_up(e);
    memcpy(sum, parts, own * sizeof *sum);
    for (size_t t = 1; t < m->tensor; t++)
        add_to(own, parts + t * own, sum);
    give(e, parts);
    drop(e, f, slot);
    f->slot[slot] = sum;
}

void REAL(expert_gather)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    struct mixture_state *m = f->mixture;
    if (!comm_all_gather(e->comm, &e->expert_tensor, "expert gather", m->came, m->all,
                         m->experts * sizeof *m->came))
        give_up(e);
    m->all_rows = 0;
    for (size_t i = 0; i < m->experts * m->tensor; i++)
        m->all_rows += m->all[i];
    share_rows(e, m, "expert gather", f, SLOT_SORTED);
}

void REAL(expert_gather_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    sum_rows(e, f->mixture, "expert gather", f, SLOT_DSORTED);
}

void REAL(expert_reduce)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    sum_rows(e, f->mixture, "expert reduce", f, SLOT_BACK);
}

void REAL(expert_reduce_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    share_rows(e, f->mixture, "expert reduce", f, SLOT_DBACK);
}

/* By source <-> by expert, sources in order. */
static void sort_rows(struct engine *e, const struct mixture_state *m, struct frame *f,
                      enum slot slot, bool sort)
{
    real *to = take(e, m->all_rows * m->width), *from = f->slot[slot];
    size_t sorted = 0;
    for (size_t x = 0; x < m->local; x++) {
        size_t at = 0;
        for (size_t s = 0; s < m->tensor * m->ranks; s++)
            for (size_t y = 0; y < m->local; y++) {
                const size_t count = m->all[s * m->local + y] * m->width;
                if (y == x) {
                    memcpy(sort ? to + sorted : to + at, sort ? from + at : from + sorted,
                           count * sizeof *to);
                    sorted += count;
                }
                at += count;
            }
    }
    drop(e, f, slot);
    f->slot[slot] = to;
}

void REAL(expert_sort)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    sort_rows(e, f->mixture, f, SLOT_SORTED, true);
}

void REAL(expert_sort_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    sort_rows(e, f->mixture, f, SLOT_DSORTED, false);
}

void REAL(expert_unsort)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    sort_rows(e, f->mixture, f, SLOT_BACK, false);
}

/* The sorted gradient is kept apart: the weights read it. */
void REAL(expert_unsort_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    sort_rows(e, f->mixture, f, SLOT_DBACK, true);
}

/* ---- experts ---- */

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

void REAL(experts_in)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const size_t n = wide(e, inner(e));
    const real *w = weight(e, l->experts, first_of(e, WEIGHT_EXPERT_GATE));
    const real *b = weight(e, l->experts, first_of(e, WEIGHT_EXPERT_GATE_BIAS));
    real *out = make(e, f, SLOT_IN, m->all_rows * n + 1);
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        matrix_forward(e->threads, rows, n, m->width, f->slot[SLOT_SORTED] + at * m->width,
                       of_expert(l->experts, w, x), of_expert(l->experts, b, x), out + at * n);
        at += rows;
    }
}

void REAL(experts_in_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const size_t n = wide(e, inner(e));
    const real *w = weight(e, l->experts, first_of(e, WEIGHT_EXPERT_GATE));
    real *dx = make(e, f, SLOT_DSORTED, m->all_rows * m->width + 1);
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        matrix_input(e->threads, rows, n, m->width, f->slot[SLOT_DIN] + at * n,
                     of_expert(l->experts, w, x), dx + at * m->width, false);
        at += rows;
    }
}

void REAL(experts_in_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const size_t n = wide(e, inner(e));
    real *dw = gradient(e, l->experts, first_of(e, WEIGHT_EXPERT_GATE));
    real *db = gradient(e, l->experts, first_of(e, WEIGHT_EXPERT_GATE_BIAS));
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        const real *dy = f->slot[SLOT_DIN] + at * n;
        matrix_weight(e->threads, rows, n, m->width, dy, f->slot[SLOT_SORTED] + at * m->width,
                      dw + x * l->experts->group->stride);
        if (db) column_sums(rows, n, dy, db + x * l->experts->group->stride);
        at += rows;
    }
}

void REAL(expert_activation)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct mixture_state *m = f->mixture;
    activation_forward(e->threads, activation_of(e->job), e->job->model.gated_mlp, m->all_rows,
                       inner(e), f->slot[SLOT_IN],
                       make(e, f, SLOT_ACT, m->all_rows * inner(e) + 1));
}

void REAL(expert_activation_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct mixture_state *m = f->mixture;
    activation_backward(e->threads, activation_of(e->job), e->job->model.gated_mlp, m->all_rows,
                        inner(e), f->slot[SLOT_IN], f->slot[SLOT_DACT],
                        make(e, f, SLOT_DIN, m->all_rows * wide(e, inner(e)) + 1));
    drop(e, f, SLOT_DACT);
    drop(e, f, SLOT_IN);
}

/* Of the ranks that share an expert the first adds its bias. */
void REAL(experts_out)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const real *w = weight(e, l->experts, WEIGHT_EXPERT_DOWN);
    const real *b = e->expert_tensor.me ? NULL : weight(e, l->experts, WEIGHT_EXPERT_DOWN_BIAS);
    real *out = make(e, f, SLOT_BACK, m->all_rows * m->width + 1);
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        matrix_forward(e->threads, rows, m->width, inner(e), f->slot[SLOT_ACT] + at * inner(e),
                       of_expert(l->experts, w, x), of_expert(l->experts, b, x),
                       out + at * m->width);
        at += rows;
    }
}

void REAL(experts_out_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    const real *w = weight(e, l->experts, WEIGHT_EXPERT_DOWN);
    real *dx = make(e, f, SLOT_DACT, m->all_rows * inner(e) + 1);
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        matrix_input(e->threads, rows, m->width, inner(e), f->slot[SLOT_DBACK] + at * m->width,
                     of_expert(l->experts, w, x), dx + at * inner(e), false);
        at += rows;
    }
}

void REAL(experts_out_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    const struct mixture_state *m = f->mixture;
    real *dw = gradient(e, l->experts, WEIGHT_EXPERT_DOWN);
    real *db = gradient(e, l->experts, WEIGHT_EXPERT_DOWN_BIAS);
    for (size_t x = 0, at = 0; x < m->local; x++) {
        const size_t rows = rows_of_expert(m, x);
        const real *dy = f->slot[SLOT_DBACK] + at * m->width;
        matrix_weight(e->threads, rows, m->width, inner(e), dy, f->slot[SLOT_ACT] + at * inner(e),
                      dw + x * l->experts->group->stride);
        if (db) column_sums(rows, m->width, dy, db + x * l->experts->group->stride);
        at += rows;
    }
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

/* Its gradient is on all of them; that of the tokens is gathered behind the router's. */
void REAL(tokens_gather_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)e, (void)l, (void)f, (void)mb;
}

/* ---- shared experts: an MLP over tensor ranks ---- */

/* The gradient of what the shared experts bring, on all rows. */
static const real *shared_gradient(struct engine *e, struct frame *f)
{
    const size_t n = e->share * e->hidden;
    const real *gates = f->slot[SLOT_GATES];
    if (!f->slot[SLOT_DSHARED_OUT]) {
        real *d = make(e, f, SLOT_DSHARED_OUT, n);
        memcpy(d, f->slot[SLOT_DOUT_2], n * sizeof *d);
        for (size_t i = 0; gates && i < e->share; i++)
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
    matrix_forward(e->threads, e->rows, n, e->hidden,
                   whole_input(e, f, SLOT_N_2, SLOT_WHOLE_2, "shared gather"),
                   weight(e, l->dense, first_of(e, WEIGHT_SHARED_GATE)), NULL,
                   make(e, f, SLOT_SHARED_IN, e->rows * n));
    drop(e, f, SLOT_WHOLE_2);
}

void REAL(shared_in_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    matrix_input(e->threads, e->rows, wide(e, shared_inner(e)), e->hidden, f->slot[SLOT_DSHARED_IN],
                 weight(e, l->dense, first_of(e, WEIGHT_SHARED_GATE)),
                 make(e, f, SLOT_DSHARED, e->rows * e->hidden), false);
}

void REAL(shared_in_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    matrix_weight(e->threads, e->rows, wide(e, shared_inner(e)), e->hidden,
                  f->slot[SLOT_DSHARED_IN],
                  whole_input(e, f, SLOT_N_2, SLOT_WHOLE_2, "shared gather"),
                  gradient(e, l->dense, first_of(e, WEIGHT_SHARED_GATE)));
    drop(e, f, SLOT_WHOLE_2);
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
}

void REAL(shared_out)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    matrix_forward(e->threads, e->rows, e->hidden, shared_inner(e), f->slot[SLOT_SHARED_ACT],
                   weight(e, l->dense, WEIGHT_SHARED_DOWN), NULL,
                   make(e, f, SLOT_SHARED, e->rows * e->hidden));
}

void REAL(shared_out_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    matrix_input(e->threads, e->rows, e->hidden, shared_inner(e), shared_gradient(e, f),
                 weight(e, l->dense, WEIGHT_SHARED_DOWN),
                 make(e, f, SLOT_DSHARED_ACT, e->rows * shared_inner(e)), false);
}

void REAL(shared_out_weight)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    matrix_weight(e->threads, e->rows, e->hidden, shared_inner(e), shared_gradient(e, f),
                  f->slot[SLOT_SHARED_ACT], gradient(e, l->dense, WEIGHT_SHARED_DOWN));
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
    for (size_t i = 0; i < e->share; i++)
        gates[i] = (real)(1 / (1 + exp(-(double)gates[i])));
}

void REAL(shared_gate_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)mb;
    real *dgates = make(e, f, SLOT_DGATES, e->share);
    for (size_t i = 0; i < e->share; i++) {
        const real *d = f->slot[SLOT_DOUT_2] + i * e->hidden,
                   *y = f->slot[SLOT_SHARED] + i * e->hidden;
        const real gate = f->slot[SLOT_GATES][i];
        real along = 0;
        for (size_t j = 0; j < e->hidden; j++)
            along += d[j] * y[j];
        dgates[i] = along * gate * (1 - gate);
    }
    matrix_weight(1, e->share, 1, e->hidden, dgates, f->slot[SLOT_N_2],
                  gradient(e, l->dense, WEIGHT_SHARED_WEIGH));
}

void REAL(shared_sum)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    real *out = f->slot[SLOT_OUT_2];
    const real *y = f->slot[SLOT_SHARED], *gates = f->slot[SLOT_GATES];
    for (size_t i = 0; i < e->share; i++)
        for (size_t j = 0; j < e->hidden; j++)
            out[i * e->hidden + j] +=
                gates ? gates[i] * y[i * e->hidden + j] : y[i * e->hidden + j];
}

/* A sum's gradient is that of each part: shared_gradient() makes it when it is first read. */
void REAL(shared_sum_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)e, (void)l, (void)f, (void)mb;
}
