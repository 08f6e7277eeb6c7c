/* dispatch.c - copies of tokens go to the ranks of their experts, and back; dispatchers that send
 * tokens instead are in by_token.c. */
#include "run/real/mixture.h"

#include <math.h>
#include <string.h>

/* ---- to the ranks of the experts, and back ---- */

/* Where memory is counted experts take turns, and the rank is the plan's busiest: what comes to
 * those of one rank of those that share them. */
static void count_copies(const struct engine *e, const struct mixture_state *m, size_t sharer,
                         size_t *came)
{
    for (size_t i = 0; i < m->experts; i++) {
        const size_t all = m->others[sharer * m->ranks + i / m->local];
        const size_t x = (size_t)e->experts.me * m->local + i % m->local;
        const size_t even = all * (x + 1) / m->experts - all * x / m->experts;
        came[i] = (size_t)ceil(crowding(e) * (double)even);
    }
}

/* How many copies come from each rank for each expert here. */
static void exchange_counts(struct engine *e, struct mixture_state *m)
{
    size_t at[m->ranks], bytes[m->ranks];
    for (size_t r = 0; r < m->ranks; r++) {
        bytes[r] = m->local * sizeof *m->counts;
        at[r] = r * bytes[r];
    }
    if (COUNTS)
        count_copies(e, m, (size_t)e->expert_tensor.me, m->came);
    else if (!comm_all_to_all(e->comm, &e->experts, "dispatch", m->counts, at, bytes, m->came, at,
                              bytes))
        give_up(e);
    m->rows = 0;
    for (size_t i = 0; i < m->experts; i++)
        m->rows += m->came[i];
    m->all_rows = m->rows;
    memcpy(m->all, m->came, m->experts * sizeof *m->all);
    note_share(e, m, m->rows);
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
    if (goes_by_token(e)) {
        REAL(by_token_dispatch)(e, f);
        return;
    }
    struct mixture_state *m = f->mixture;
    exchange_counts(e, m);
    travel(e, m, "dispatch", f->slot[SLOT_SENT], make(e, f, SLOT_SORTED, m->rows * m->width),
           false);
    drop(e, f, SLOT_SENT);
}

void REAL(dispatch_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_dispatch_input)(e, f);
        return;
    }
    const struct mixture_state *m = f->mixture;
    real *own = take(e, m->kept * m->width);
    travel(e, m, "dispatch", f->slot[SLOT_DSORTED], own, true);
    drop(e, f, SLOT_DSORTED);
    f->slot[SLOT_DSORTED] = own;
}

void REAL(combine)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_combine)(e, l, f);
        return;
    }
    const struct mixture_state *m = f->mixture;
    real *own = take(e, m->kept * m->width);
    travel(e, m, "combine", f->slot[SLOT_BACK], own, true);
    drop(e, f, SLOT_BACK);
    f->slot[SLOT_BACK] = own;
}

void REAL(combine_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_combine_input)(e, l, f);
        return;
    }
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

void share_rows(struct engine *e, const struct mixture_state *m, const char *what, struct frame *f,
                enum slot slot, size_t mine, const size_t *rows)
{
    size_t zero[m->tensor], own[m->tensor], at[m->tensor], bytes[m->tensor], total = 0;
    for (size_t t = 0; t < m->tensor; t++) {
        zero[t] = 0;
        own[t] = mine * m->width * sizeof(real);
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

void sum_rows(struct engine *e, const struct mixture_state *m, const char *what, struct frame *f,
              enum slot slot, size_t mine, const size_t *rows)
{
    size_t at[m->tensor], bytes[m->tensor], in_at[m->tensor], in[m->tensor], total = 0;
    const size_t own = mine * m->width;
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
    copy_bytes(sum, parts, own * sizeof *sum);
    for (size_t t = 1; t < m->tensor; t++)
        add_to(own, parts + t * own, sum);
    give(e, parts);
    drop(e, f, slot);
    f->slot[slot] = sum;
}

static void share_copies(struct engine *e, struct frame *f, const char *what, enum slot slot)
{
    const struct mixture_state *m = f->mixture;
    size_t rows[m->tensor];
    rows_of_sharers(m, rows);
    share_rows(e, m, what, f, slot, m->rows, rows);
}

static void sum_shared(struct engine *e, struct frame *f, const char *what, enum slot slot)
{
    const struct mixture_state *m = f->mixture;
    size_t rows[m->tensor];
    rows_of_sharers(m, rows);
    sum_rows(e, m, what, f, slot, m->rows, rows);
}

void REAL(expert_gather)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_gather)(e, f);
        return;
    }
    struct mixture_state *m = f->mixture;
    if (!comm_all_gather(e->comm, &e->expert_tensor, "expert gather", m->came, m->all,
                         m->experts * sizeof *m->came))
        give_up(e);
    for (size_t t = 0; COUNTS && t < m->tensor; t++)
        count_copies(e, m, t, m->all + t * m->experts);
    m->all_rows = 0;
    for (size_t i = 0; i < m->experts * m->tensor; i++)
        m->all_rows += m->all[i];
    share_copies(e, f, "expert gather", SLOT_SORTED);
}

void REAL(expert_gather_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_gather_input)(e, f);
        return;
    }
    sum_shared(e, f, "expert gather", SLOT_DSORTED);
}

void REAL(expert_reduce)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_reduce)(e, f);
        return;
    }
    sum_shared(e, f, "expert reduce", SLOT_BACK);
}

void REAL(expert_reduce_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_reduce_input)(e, f);
        return;
    }
    share_copies(e, f, "expert reduce", SLOT_DBACK);
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
                    copy_bytes(sort ? to + sorted : to + at, sort ? from + at : from + sorted,
                               count * sizeof *to);
                    sorted += count;
                }
                at += count;
            }
    }
    drop(e, f, slot);
    f->slot[slot] = to;
    comm_clock_amount(e->comm, (double)m->all_rows);
}

void REAL(expert_sort)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_sort)(e, f);
        return;
    }
    sort_rows(e, f->mixture, f, SLOT_SORTED, true);
}

void REAL(expert_sort_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_sort_input)(e, f);
        return;
    }
    sort_rows(e, f->mixture, f, SLOT_DSORTED, false);
}

void REAL(expert_unsort)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_unsort)(e, f);
        return;
    }
    sort_rows(e, f->mixture, f, SLOT_BACK, false);
}

/* The sorted gradient is kept apart: the weights read it. */
void REAL(expert_unsort_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    if (goes_by_token(e)) {
        REAL(by_token_unsort_input)(e, f);
        return;
    }
    sort_rows(e, f->mixture, f, SLOT_DBACK, true);
}
