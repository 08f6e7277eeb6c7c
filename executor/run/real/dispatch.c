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
    const struct parts each = even_parts(e, m->ranks, m->local * sizeof *m->counts);
    if (COUNTS)
        count_copies(e, m, (size_t)e->expert_tensor.me, m->came);
    else
        exchange_parts(e, &e->experts, "dispatch", m->counts, each, m->came, each);
    m->rows = 0;
    for (size_t i = 0; i < m->experts; i++)
        m->rows += m->came[i];
    m->all_rows = m->rows;
    memcpy(m->all, m->came, m->experts * sizeof *m->all);
    note_share(e, m, m->rows);
}

/* Bytes of copies of each rank's experts; counts (ranks, local) */
static struct parts parts_of_copies(struct engine *e, const struct mixture_state *m,
                                    const size_t *counts)
{
    size_t *rows = SCRATCH(e, size_t, m->ranks);
    for (size_t r = 0; r < m->ranks; r++) {
        rows[r] = 0;
        for (size_t x = 0; x < m->local; x++)
            rows[r] += counts[r * m->local + x];
    }
    return parts_of_rows(e, m->ranks, rows, m->width * sizeof(real));
}

/* Copies in the order of experts <-> those that are here, rank by rank. */
static void travel(struct engine *e, const struct mixture_state *m, const char *what,
                   const real *from, real *to, bool back)
{
    const struct parts own = parts_of_copies(e, m, m->counts),
                       here = parts_of_copies(e, m, m->came);
    exchange_parts(e, &e->experts, what, from, back ? here : own, to, back ? own : here);
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

static size_t *rows_of_sharers(struct engine *e, const struct mixture_state *m)
{
    size_t *rows = SCRATCH(e, size_t, m->tensor);
    for (size_t t = 0; t < m->tensor; t++) {
        rows[t] = 0;
        for (size_t i = 0; i < m->experts; i++)
            rows[t] += m->all[t * m->experts + i];
    }
    return rows;
}

void share_rows(struct engine *e, const struct mixture_state *m, const char *what, struct frame *f,
                enum slot slot, size_t mine, const size_t *rows)
{
    const size_t row = m->width * sizeof(real);
    const struct parts own = same_part(e, m->tensor, mine * row),
                       there = parts_of_rows(e, m->tensor, rows, row);
    real *all = take(e, there.total / sizeof(real));
    exchange_parts(e, &e->expert_tensor, what, f->slot[slot], own, all, there);
    drop(e, f, slot);
    f->slot[slot] = all;
}

void sum_rows(struct engine *e, const struct mixture_state *m, const char *what, struct frame *f,
              enum slot slot, size_t mine, const size_t *rows)
{
    const size_t own = mine * m->width;
    real *parts = take(e, own * m->tensor), *sum = take(e, own);
    exchange_parts(e, &e->expert_tensor, what, f->slot[slot],
                   parts_of_rows(e, m->tensor, rows, m->width * sizeof(real)), parts,
                   even_parts(e, m->tensor, own * sizeof(real)));
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
    share_rows(e, m, what, f, slot, m->rows, rows_of_sharers(e, m));
}

static void sum_shared(struct engine *e, struct frame *f, const char *what, enum slot slot)
{
    const struct mixture_state *m = f->mixture;
    sum_rows(e, m, what, f, slot, m->rows, rows_of_sharers(e, m));
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
