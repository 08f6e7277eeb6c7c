/* transfers.c - where in the program activations go and come, and weights come.
 *
 * The program is cut into halves at marks: the end of each pass over a layer and, in a block,
 * "attention residual". A unit's forward is the half that ends at a mark, its backward the half
 * that begins at another one.
 *
 *     its forward | next half's | ...           ... | half before | its backward
 *               STORE         STORED            RETURN          RETURNED
 */
#include "run/real/engine.h"
#include "run/real/offload.h"

#include <stdlib.h>

struct unit { /* marks; -1: none */
    int end, begin;
};

struct put { /* an instruction to insert after another one */
    size_t behind;
    struct instruction what;
};

struct cutter {
    struct engine *e;
    const bool *away;
    size_t *mark; /* (marks): the instruction that each mark follows */
    int marks;
    struct unit *unit; /* (layers, microbatches, 2) */
    struct put *put;
    size_t puts;
};

enum { WORTH = 2 }; /* marks between STORED and RETURN: a layer's forward and backward, at least */

static bool is_residual(const struct instruction *i)
{
    return i->what == DO_OPERATION && ends_half(&kernel_table[i->operation]);
}

static bool cuts_behind(const struct instruction *i)
{
    return i->what == DO_LAYER_END || (is_residual(i) && i->work == WORK_FORWARD);
}

static bool cuts_before(const struct instruction *i)
{
    return is_residual(i) && i->work == WORK_INPUT;
}

static struct unit *unit_of(const struct cutter *c, const struct instruction *i, bool second)
{
    const size_t frame = (size_t)i->layer * c->e->job->microbatches + i->microbatch;
    return &c->unit[2 * frame + second];
}

static bool has_halves(const struct cutter *c, const struct instruction *i)
{
    const enum layer_kind kind = c->e->layer[i->layer].kind;
    return kind != LAYER_EMBEDDING && kind != LAYER_HEAD;
}

/* A backward pass begins at the last mark: that of its second half, and with recomputation both. */
static void note_begin(struct cutter *c, const struct instruction *i)
{
    struct unit *second = unit_of(c, i, true), *first = unit_of(c, i, false);
    if (second->begin < 0) second->begin = c->marks - 1;
    if (i->work == WORK_AGAIN && first->begin < 0) first->begin = c->marks - 1;
}

static void find_marks(struct cutter *c)
{
    const struct engine *e = c->e;
    for (size_t n = 0; n < e->instructions; n++) {
        const struct instruction *i = &e->program[n];
        const bool works = i->what == DO_OPERATION || i->what == DO_LAYER_END;
        if (cuts_before(i)) {
            struct unit *first = unit_of(c, i, false);
            c->mark[c->marks++] = n - 1;
            if (first->begin < 0) first->begin = c->marks - 1;
        }
        if (works && (i->work == WORK_AGAIN || i->work == WORK_INPUT)) note_begin(c, i);
        if (!cuts_behind(i)) continue;
        c->mark[c->marks++] = n;
        if (i->work == WORK_FORWARD) unit_of(c, i, i->what == DO_LAYER_END)->end = c->marks - 1;
    }
}

static void put_behind(struct cutter *c, int mark, const struct instruction *like, enum what what,
                       enum half half)
{
    struct instruction i = *like;
    i.what = (uint8_t)what;
    i.half = (uint8_t)half;
    c->put[c->puts++] = (struct put){mark < 0 ? SIZE_MAX : c->mark[mark], i};
}

static void put_unit(struct cutter *c, const struct instruction *i, enum half half)
{
    const struct unit *u = unit_of(c, i, half != HALF_FIRST);
    if (u->end < 0 || u->begin < 0) return;
    if (u->begin - 1 - (u->end + 1) <= WORTH) {
        put_behind(c, u->end, i, DO_HAND, half);
        return;
    }
    put_behind(c, u->end, i, DO_STORE, half);
    put_behind(c, u->end + 1, i, DO_STORED, half);
    put_behind(c, u->begin - 1, i, DO_RETURN, half);
    put_behind(c, u->begin, i, DO_RETURNED, half);
}

bool gathers_ahead(const struct engine *e, const struct store *s)
{
    return s->gathers && e->place[s->place].plan->weight_overlap && !weights_are_away(s);
}

bool weights_are_away(const struct store *s)
{
    /* a master copy comes for the optimizer alone */
    return flat_is_away(s->is_low ? &s->lows : &s->weights);
}

static bool fetches(const struct engine *e, const struct instruction *i)
{
    const struct at_layer *l = &e->layer[i->layer];
    const struct store *const stores[] = {l->dense, l->experts, l->table, l->head};
    if (l->kind == LAYER_EMBEDDING && i->work != WORK_FORWARD) return false;
    for (size_t s = 0; s < sizeof stores / sizeof *stores; s++)
        if (stores[s] && (weights_are_away(stores[s]) || gathers_ahead(e, stores[s]))) return true;
    return false;
}

/* Weights come while the half before the pass runs. */
static void put_fetch(struct cutter *c, const struct instruction *end, int before)
{
    if (fetches(c->e, end)) put_behind(c, before - 1, end, DO_FETCH, HALF_BOTH);
}

static void put_all(struct cutter *c)
{
    const struct engine *e = c->e;
    for (int m = 0, before = -1; m < c->marks; m++) {
        const struct instruction *i = &e->program[c->mark[m]];
        if (i->what != DO_LAYER_END) continue;
        if (i->work != WORK_WEIGHT) put_fetch(c, i, before);
        before = m;
        if (i->work != WORK_FORWARD) continue;
        if (!c->away[(size_t)i->layer * e->job->microbatches + i->microbatch]) continue;
        if (has_halves(c, i)) put_unit(c, i, HALF_FIRST);
        put_unit(c, i, has_halves(c, i) ? HALF_SECOND : HALF_BOTH);
    }
}

/* Order of instructions that are inserted after the same one: ends of transfers before begins. */
static int by_place(const void *a, const void *b)
{
    static const int rank[] = {[DO_RETURNED] = 0, [DO_STORE] = 1,  [DO_HAND] = 1,
                               [DO_STORED] = 2,   [DO_RETURN] = 3, [DO_FETCH] = 4};
    const struct put *x = a, *y = b;
    const size_t p = x->behind + 1, q = y->behind + 1; /* SIZE_MAX: in front of all */
    if (p != q) return p < q ? -1 : 1;
    if (x->what.what != y->what.what) return rank[x->what.what] - rank[y->what.what];
    if (x->what.layer != y->what.layer) return x->what.layer < y->what.layer ? -1 : 1;
    return (x->what.half > y->what.half) - (x->what.half < y->what.half);
}

static bool merge(struct cutter *c)
{
    struct engine *e = c->e;
    const size_t all = e->instructions + c->puts;
    struct instruction *merged = malloc(all * sizeof *merged);
    if (!merged) return false;
    qsort(c->put, c->puts, sizeof *c->put, by_place);
    size_t to = 0, next = 0;
    while (next < c->puts && c->put[next].behind == SIZE_MAX)
        merged[to++] = c->put[next++].what;
    for (size_t n = 0; n < e->instructions; n++) {
        merged[to++] = e->program[n];
        while (next < c->puts && c->put[next].behind == n)
            merged[to++] = c->put[next++].what;
    }
    free(e->program);
    e->program = merged;
    e->instructions = all; /* the last ones */
    return true;
}

bool transfers_put(struct engine *e, const bool *away)
{
    const size_t units = 2 * (size_t)e->layers * e->job->microbatches;
    struct cutter c = {.e = e, .away = away};
    c.mark = malloc(2 * e->instructions * sizeof *c.mark);
    c.unit = malloc(units * sizeof *c.unit);
    c.put = malloc(8 * (e->instructions + 1) * sizeof *c.put);
    bool ok = c.mark && c.unit && c.put;
    for (size_t i = 0; ok && i < units; i++)
        c.unit[i] = (struct unit){-1, -1};
    if (ok) find_marks(&c);
    if (ok) put_all(&c);
    if (ok && c.puts) ok = merge(&c);
    free(c.mark);
    free(c.unit);
    free(c.put);
    return ok;
}
