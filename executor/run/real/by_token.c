/* by_token.c - dispatchers that send tokens and not their copies: to all ranks (allgather), or to
 * each that has one of a token's experts (deepep) [deepseek2024v3].
 *
 * With each token goes its route: its experts and their weights. Where it arrives it is copied for
 * the experts that are there; their weighted sum goes back, and those of all ranks are added in
 * the order of ranks. Backward the gradient of the sum goes out, that of the token comes back, and
 * that of its weights with it.
 */
#include "run/real/mixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct route {
    real weight;
    uint32_t expert;
};

/* Tokens that are on their way. */
struct by_token {
    size_t *goes, *comes;   /* (ranks): tokens to each, from each */
    size_t *shared;         /* (tensor): tokens of each that shares the experts */
    size_t sent, here, all; /* to all ranks; from all; ... of all that share the experts */
    struct route *route;    /* (all, k) */
    uint32_t *row;          /* (all, k): among the sorted copies; NO_ROW: not here */
    real *dweight;          /* (all, k) */
};

void REAL(by_token_free)(struct mixture_state *m)
{
    struct by_token *t = m->by_token;
    if (!t) return;
    free(t->goes);
    free(t->route);
    free(t->row);
    free(t->dweight);
    free(t);
    m->by_token = NULL;
}

static void *reserve(struct engine *e, size_t n, size_t size)
{
    void *data = calloc(n + 1, size);
    if (!data) give_up(e);
    return data;
}

static void resize(struct engine *e, void *at, size_t n, size_t size)
{
    void **data = at;
    free(*data);
    *data = NULL;
    *data = reserve(e, n, size);
}

/* ---- who gets a token ---- */

static bool goes_everywhere(const struct engine *e)
{
    return e->plan->dispatcher == RK_ALL_GATHER_TOKENS;
}

static bool goes_to(const struct engine *e, const struct mixture_state *m, size_t token,
                    size_t rank)
{
    if (goes_everywhere(e)) return true;
    for (size_t i = token * m->k; i < (token + 1) * m->k; i++)
        if (m->row[i] != NO_ROW && m->expert[i] / m->local == rank) return true;
    return false;
}

/* ---- where memory is counted ---- */

/* How likely it is that one of the k experts of a token is on a given rank; they are chosen from
 * the model's best groups. */
static double reach(const struct engine *e, const struct mixture_state *m)
{
    const struct rk_model *model = &e->job->model;
    const double groups = model->active_groups ? (double)model->expert_groups : 1;
    const double best = model->active_groups ? (double)model->active_groups : 1;
    const double all = (double)m->experts, local = (double)m->local;
    const double pool = fmax(local, all * best / groups);
    double none = 1;
    for (size_t i = 0; i < m->k; i++)
        none *= fmax(0, pool - local - (double)i) / fmax(1, pool - (double)i);
    return (1 - none) * pool / all;
}

/* Tokens that come from rank `r` to one of those that share the experts: those below the capacity,
 * with all of their experts. */
static size_t count_tokens(const struct engine *e, const struct mixture_state *m, size_t sharer,
                           size_t r)
{
    const double tokens = (double)m->others[sharer * m->ranks + r] / (double)m->k;
    return goes_everywhere(e) ? m->n : (size_t)ceil(reach(e, m) * ceil(tokens));
}

/* Their copies for the experts that are here are this rank's share of all. */
static void count_routes(const struct engine *e, const struct mixture_state *m)
{
    const struct by_token *t = m->by_token;
    size_t kept = 0, here = 0;
    for (size_t i = 0; i < m->tensor * m->ranks; i++)
        kept += m->others[i];
    const double copies = crowding(e) * (double)kept / (double)m->ranks;
    const double share = t->all ? fmin(1, copies / (double)(t->all * m->k)) : 0;
    const size_t first = (size_t)e->experts.me * m->local;
    for (size_t i = 0; i < t->all * m->k; i++) {
        const bool is_here = (double)here < share * (double)(i + 1);
        t->route[i].expert = is_here ? (uint32_t)(first + here++ % m->local) : UINT32_MAX;
    }
}

/* ---- how many come ---- */

static struct by_token *open(struct engine *e, struct mixture_state *m)
{
    REAL(by_token_free)(m);
    struct by_token *t = m->by_token = reserve(e, 1, sizeof *t);
    t->goes = reserve(e, 2 * m->ranks + m->tensor, sizeof *t->goes);
    t->comes = t->goes + m->ranks;
    t->shared = t->comes + m->ranks;
    for (size_t r = 0; r < m->ranks; r++) {
        for (size_t i = 0; !COUNTS && i < m->n; i++)
            t->goes[r] += goes_to(e, m, i, r);
        if (COUNTS)
            t->goes[r] = count_tokens(e, m, (size_t)e->expert_tensor.me, (size_t)e->experts.me);
        t->sent += t->goes[r];
    }
    return t;
}

/* ---- messages ---- */

/* Rows of so many bytes, rank by rank: those that go out, or that are here and go back. */
static void exchange(struct engine *e, const struct mixture_state *m, const char *what,
                     const void *from, void *to, size_t bytes, bool back)
{
    const struct by_token *t = m->by_token;
    const struct parts goes = parts_of_rows(e, m->ranks, t->goes, bytes),
                       comes = parts_of_rows(e, m->ranks, t->comes, bytes);
    exchange_parts(e, &e->experts, what, from, back ? comes : goes, to, back ? goes : comes);
}

/* Rows of tokens in the order in which they go. */
static void spread(const struct engine *e, const struct mixture_state *m, const void *tokens,
                   size_t bytes, void *sent)
{
    const char *from = tokens;
    char *to = sent;
    for (size_t r = 0; r < m->ranks; r++)
        for (size_t i = 0; i < m->n; i++)
            if (goes_to(e, m, i, r)) {
                copy_bytes(to, from + i * bytes, bytes);
                to += bytes;
            }
}

/* Back: sums of what has come of each token. */
static void collect(const struct engine *e, const struct mixture_state *m, const real *came,
                    size_t width, real *tokens)
{
    clear_bytes(tokens, m->n * width * sizeof *tokens);
    for (size_t r = 0; r < m->ranks; r++)
        for (size_t i = 0; i < m->n; i++)
            if (goes_to(e, m, i, r)) {
                add_to(width, came, tokens + i * width);
                came += width;
            }
}

/* Rows of this rank's tokens (n, width) to where they go. */
static real *send_out(struct engine *e, const struct mixture_state *m, const char *what,
                      const real *tokens)
{
    const struct by_token *t = m->by_token;
    real *sent = take(e, t->sent * m->width), *here = take(e, t->here * m->width);
    spread(e, m, tokens, m->width * sizeof *tokens, sent);
    exchange(e, m, what, sent, here, m->width * sizeof *sent, false);
    give(e, sent);
    return here;
}

/* ... and sums of what comes back, to `tokens`. */
static void send_back(struct engine *e, const struct mixture_state *m, const char *what,
                      const real *here, size_t width, real *tokens)
{
    real *came = take(e, m->by_token->sent * width);
    exchange(e, m, what, here, came, width * sizeof *here, true);
    collect(e, m, came, width, tokens);
    give(e, came);
}

static void replace(struct engine *e, struct frame *f, enum slot slot, real *data)
{
    drop(e, f, slot);
    f->slot[slot] = data;
}

/* ---- to the ranks of the experts, and back ---- */

static void send_routes(struct engine *e, struct mixture_state *m, const real *weights)
{
    struct by_token *t = m->by_token;
    const size_t bytes = m->k * sizeof *t->route;
    const size_t reals = (sizeof *t->route + sizeof(real) - 1) / sizeof(real);
    struct route *own = (struct route *)take_zeros(e, (m->n + t->sent) * m->k * reals);
    struct route *sent = own + m->n * m->k;
    for (size_t i = 0; !COUNTS && i < m->n * m->k; i++) {
        own[i].expert = m->row[i] == NO_ROW ? UINT32_MAX : m->expert[i];
        own[i].weight = weights[i];
    }
    spread(e, m, own, bytes, sent);
    t->route = reserve(e, t->here * m->k, sizeof *t->route);
    exchange(e, m, "dispatch", sent, t->route, bytes, false);
    give(e, (real *)own);
}

void REAL(by_token_dispatch)(struct engine *e, struct frame *f)
{
    struct mixture_state *m = f->mixture;
    struct by_token *t = open(e, m);
    const struct parts one = even_parts(e, m->ranks, sizeof *t->goes);
    for (size_t r = 0; COUNTS && r < m->ranks; r++)
        t->comes[r] = count_tokens(e, m, (size_t)e->expert_tensor.me, r);
    exchange_parts(e, &e->experts, "dispatch", t->goes, one, t->comes, one);
    for (size_t r = 0; r < m->ranks; r++)
        t->here += t->comes[r];
    t->all = t->here;
    send_routes(e, m, f->slot[SLOT_WEIGHTS]);
    const real *x = f->slot[SLOT_NARROW] ? f->slot[SLOT_NARROW] : routed(e, f, SLOT_N_2);
    replace(e, f, SLOT_SORTED, send_out(e, m, "dispatch", x));
}

void REAL(by_token_dispatch_input)(struct engine *e, struct frame *f)
{
    struct mixture_state *m = f->mixture;
    send_back(e, m, "dispatch", f->slot[SLOT_DSORTED], m->width,
              make(e, f, SLOT_DNARROW, m->n * m->width));
    send_back(e, m, "dispatch", m->by_token->dweight, m->k, make(e, f, SLOT_DWEIGHTS, m->n * m->k));
    drop(e, f, SLOT_DSORTED);
}

void REAL(by_token_combine)(struct engine *e, struct at_layer *l, struct frame *f)
{
    struct mixture_state *m = f->mixture;
    send_back(e, m, "combine", f->slot[SLOT_SENT], m->width,
              make(e, f, has(l->dense, WEIGHT_ASCEND) ? SLOT_SUM : SLOT_OUT_2, m->n * m->width));
    drop(e, f, SLOT_SENT);
}

void REAL(by_token_combine_input)(struct engine *e, struct at_layer *l, struct frame *f)
{
    const real *dsum = has(l->dense, WEIGHT_ASCEND) ? f->slot[SLOT_DSUM] : routed_gradient(e, f);
    replace(e, f, SLOT_DBACK, send_out(e, f->mixture, "combine", dsum));
}

/* ---- ranks that share experts ---- */

/* Each one's tokens and routes to all. */
void REAL(by_token_gather)(struct engine *e, struct frame *f)
{
    struct mixture_state *m = f->mixture;
    struct by_token *t = m->by_token;
    if (!comm_all_gather(e->comm, &e->expert_tensor, "expert gather", &t->here, t->shared,
                         sizeof t->here))
        give_up(e);
    const size_t route = m->k * sizeof *t->route;
    t->all = 0;
    for (size_t s = 0; s < m->tensor; s++) {
        if (COUNTS) t->shared[s] = 0;
        for (size_t r = 0; COUNTS && r < m->ranks; r++)
            t->shared[s] += count_tokens(e, m, s, r);
        t->all += t->shared[s];
    }
    const struct parts own = same_part(e, m->tensor, t->here * route),
                       all = parts_of_rows(e, m->tensor, t->shared, route);
    struct route *mine = t->route;
    t->route = reserve(e, t->all * m->k, sizeof *t->route);
    const bool ok = comm_all_to_all(e->comm, &e->expert_tensor, "expert gather", mine, own.at,
                                    own.bytes, t->route, all.at, all.bytes);
    free(mine);
    if (!ok) give_up(e);
    share_rows(e, m, "expert gather", f, SLOT_SORTED, t->here, t->shared);
}

void REAL(by_token_gather_input)(struct engine *e, struct frame *f)
{
    struct mixture_state *m = f->mixture;
    struct by_token *t = m->by_token;
    sum_rows(e, m, "expert gather", f, SLOT_DSORTED, t->here, t->shared);
    const size_t own = t->here * m->k;
    real *came = take(e, own * m->tensor);
    exchange_parts(e, &e->expert_tensor, "expert gather", t->dweight,
                   parts_of_rows(e, m->tensor, t->shared, m->k * sizeof(real)), came,
                   even_parts(e, m->tensor, own * sizeof(real)));
    copy_bytes(t->dweight, came, own * sizeof *came);
    for (size_t s = 1; s < m->tensor; s++)
        add_to(own, came + s * own, t->dweight);
    give(e, came);
}

void REAL(by_token_reduce)(struct engine *e, struct frame *f)
{
    const struct by_token *t = f->mixture->by_token;
    sum_rows(e, f->mixture, "expert reduce", f, SLOT_SENT, t->here, t->shared);
}

void REAL(by_token_reduce_input)(struct engine *e, struct frame *f)
{
    const struct by_token *t = f->mixture->by_token;
    share_rows(e, f->mixture, "expert reduce", f, SLOT_DBACK, t->here, t->shared);
}

/* ---- copies for the experts that are here ---- */

/* Where each copy goes, sorted by expert, tokens in order; how many each expert has. */
static void sort_copies(struct engine *e, struct mixture_state *m)
{
    struct by_token *t = m->by_token;
    const uint32_t first = (uint32_t)((size_t)e->experts.me * m->local);
    size_t *next = SCRATCH(e, size_t, m->local);
    memset(m->all, 0, m->experts * m->tensor * sizeof *m->all);
    for (size_t i = 0; i < t->all * m->k; i++) {
        const uint32_t x = t->route[i].expert - first; /* of others: wraps */
        if (t->route[i].expert != UINT32_MAX && x < m->local) m->all[x]++;
    }
    for (size_t x = 0, at = 0; x < m->local; at += m->all[x++])
        next[x] = at;
    for (size_t i = 0; i < t->all * m->k; i++) {
        const uint32_t x = t->route[i].expert - first;
        const bool here = t->route[i].expert != UINT32_MAX && x < m->local;
        t->row[i] = here ? (uint32_t)next[x]++ : NO_ROW;
    }
    m->all_rows = 0;
    for (size_t x = 0; x < m->local; x++)
        m->all_rows += m->all[x];
}

/* Rows of tokens -> their copies. */
static real *copy_rows(struct engine *e, const struct mixture_state *m, const real *tokens,
                       bool weighs)
{
    const struct by_token *t = m->by_token;
    real *copies = take(e, m->all_rows * m->width);
    for (size_t i = 0; i < t->all * m->k; i++) {
        if (t->row[i] == NO_ROW) continue;
        real *to = copies + t->row[i] * m->width;
        copy_bytes(to, tokens + i / m->k * m->width, m->width * sizeof *to);
        if (weighs) scale_by(m->width, (double)t->route[i].weight, to);
    }
    return copies;
}

/* Copies -> their sums. */
static real *sum_copies(struct engine *e, const struct mixture_state *m, const real *copies,
                        bool weighs)
{
    const struct by_token *t = m->by_token;
    real *sums = take_zeros(e, t->all * m->width);
    for (size_t i = 0; !COUNTS && i < t->all * m->k; i++) {
        if (t->row[i] == NO_ROW) continue;
        const real *copy = copies + t->row[i] * m->width, w = weighs ? t->route[i].weight : 1;
        real *sum = sums + i / m->k * m->width;
        for (size_t j = 0; j < m->width; j++)
            sum[j] += w * copy[j];
    }
    return sums;
}

void REAL(by_token_sort)(struct engine *e, struct frame *f)
{
    struct mixture_state *m = f->mixture;
    struct by_token *t = m->by_token;
    resize(e, &t->row, t->all * m->k, sizeof *t->row);
    resize(e, &t->dweight, t->all * m->k, sizeof *t->dweight);
    if (COUNTS) count_routes(e, m);
    sort_copies(e, m);
    note_share(e, m, m->all_rows / m->tensor);
    replace(e, f, SLOT_SORTED, copy_rows(e, m, f->slot[SLOT_SORTED], false));
}

void REAL(by_token_sort_input)(struct engine *e, struct frame *f)
{
    replace(e, f, SLOT_DSORTED, sum_copies(e, f->mixture, f->slot[SLOT_DSORTED], false));
}

void REAL(by_token_unsort)(struct engine *e, struct frame *f)
{
    replace(e, f, SLOT_SENT, sum_copies(e, f->mixture, f->slot[SLOT_BACK], true));
}

/* The weights' gradient, too: a part of it on each rank that shares the experts. */
void REAL(by_token_unsort_input)(struct engine *e, struct frame *f)
{
    const struct mixture_state *m = f->mixture;
    struct by_token *t = m->by_token;
    const real *d = f->slot[SLOT_DBACK];
    for (size_t i = 0; !COUNTS && i < t->all * m->k; i++) {
        if (t->row[i] == NO_ROW) continue;
        const real *copy = f->slot[SLOT_BACK] + t->row[i] * m->width;
        real along = 0;
        for (size_t j = 0; j < m->width; j++)
            along += d[i / m->k * m->width + j] * copy[j];
        t->dweight[i] = along;
    }
    replace(e, f, SLOT_DBACK, copy_rows(e, m, d, true));
    drop(e, f, SLOT_BACK);
}
