/* relayout.c - the stream between two layers that lie differently on a stage's ranks: each row goes
 * from a rank that has it to all that need it, its own first. */
#include "run/real/engine.h"

#include <stdlib.h>
#include <string.h>

/* Rows of a microbatch that a rank holds in a place, as numbers sample * sequence + token. */
struct holding {
    uint64_t *row;
    size_t rows;
};

static bool hold(const struct engine *e, int place, int rank, struct holding *h)
{
    const struct local_part *l = &e->job->local[place];
    const uint64_t s = e->job->sequence, r = (uint64_t)rank;
    const uint64_t data = rank_position(&l->map, RANKS_OF_DATA, r);
    const uint64_t tensor = rank_position(&l->map, RANKS_OF_TENSOR, r);
    const size_t rows = e->place[place].rows, local = e->place[place].local;
    struct run_span span[2];
    const int spans =
        REAL(context_spans)(l, s, (uint32_t)rank_position(&l->map, RANKS_OF_CONTEXT, r), span);
    h->rows = e->place[place].share;
    h->row = malloc((rows + 1) * sizeof *h->row);
    if (!h->row) return false;
    for (size_t b = 0; b < l->plan.microbatch; b++)
        for (int i = 0; i < spans; i++)
            for (uint32_t k = 0; k < span[i].rows; k++)
                h->row[b * local + span[i].at + k] =
                    (data * l->plan.microbatch + b) * s + span[i].position + k;
    if (h->rows < rows) memmove(h->row, h->row + tensor * h->rows, h->rows * sizeof *h->row);
    return true;
}

/* Where each row of a microbatch is found: (rows) rank of the stage and place in its array. */
struct finder {
    int32_t *rank;
    uint32_t *at;
};

/* The first rank that has a row serves all that have it not. */
static bool find_rows(const struct engine *e, int place, const struct comm_group *stage,
                      struct finder *f)
{
    const size_t all = e->job->plan.batch / e->job->microbatches * e->job->sequence;
    f->rank = malloc(all * sizeof *f->rank);
    f->at = malloc(all * sizeof *f->at);
    if (!f->rank || !f->at) return false;
    memset(f->rank, 0xff, all * sizeof *f->rank);
    for (int i = 0; i < stage->ranks; i++) {
        struct holding h = {NULL, 0};
        if (!hold(e, place, stage->rank[i], &h)) return false;
        for (size_t k = 0; k < h.rows; k++) {
            if (f->rank[h.row[k]] >= 0) continue;
            f->rank[h.row[k]] = i;
            f->at[h.row[k]] = (uint32_t)k;
        }
        free(h.row);
    }
    return true;
}

/* From whom does rank `i` take a row? Its own, if it has it. `own` is what it holds, by row. */
static int source_of(const struct finder *f, const uint32_t *own, int i, uint64_t row, size_t *at)
{
    const bool has = own[row] != UINT32_MAX;
    *at = has ? own[row] : f->at[row];
    return has ? i : f->rank[row];
}

static bool route(struct engine *e, int from, int to, struct relayout *r)
{
    const struct comm_group *g = &r->stage;
    const size_t all = e->job->plan.batch / e->job->microbatches * e->job->sequence;
    struct finder f = {NULL, NULL};
    uint32_t *own = malloc(all * sizeof *own);
    bool ok = own && find_rows(e, from, g, &f);
    for (int i = 0; ok && i < g->ranks; i++) {
        struct holding has = {NULL, 0}, needs = {NULL, 0};
        ok = hold(e, from, g->rank[i], &has) && hold(e, to, g->rank[i], &needs);
        memset(own, 0xff, all * sizeof *own);
        for (size_t k = 0; ok && k < has.rows; k++)
            own[has.row[k]] = (uint32_t)k;
        for (int source = 0; ok && source < g->ranks; source++)
            for (size_t k = 0; k < needs.rows; k++) {
                size_t at;
                if (source_of(&f, own, i, needs.row[k], &at) != source) continue;
                if (source == g->me) {
                    r->out[r->outs++] = at;
                    r->sends[i]++;
                }
                if (i == g->me) {
                    r->in[r->ins++] = k;
                    r->takes[source]++;
                }
            }
        free(has.row);
        free(needs.row);
    }
    free(own);
    free(f.rank);
    free(f.at);
    return ok;
}

static bool relayout_open(struct engine *e, int from, int to, struct relayout *r)
{
    const uint64_t ranks = e->job->plan.ranks / e->job->plan.pipeline;
    const uint64_t first = (uint64_t)e->rank / ranks * ranks; /* order tp-cp-dp-pp */
    const size_t most = e->place[to].share * (size_t)ranks;
    r->stage = (struct comm_group){(int)ranks, (int)((uint64_t)e->rank - first),
                                   calloc(ranks, sizeof *r->stage.rank)};
    r->out = calloc(most, sizeof *r->out);
    r->in = calloc(e->place[to].share, sizeof *r->in);
    r->sends = calloc(2 * ranks, sizeof *r->sends);
    if (!r->stage.rank || !r->out || !r->in || !r->sends) return false;
    r->takes = r->sends + ranks;
    for (uint64_t i = 0; i < ranks; i++)
        r->stage.rank[i] = (int)(first + i);
    return route(e, from, to, r);
}

static bool same_rows(const struct rk_plan *a, const struct rk_plan *b)
{
    return a->tensor == b->tensor && a->context == b->context &&
           a->context_kind == b->context_kind && a->context_contiguous == b->context_contiguous &&
           a->ulysses == b->ulysses && a->sequence_parallel == b->sequence_parallel;
}

real *relay(struct engine *e, int from, int to, real *data)
{
    struct relayout *r = &e->relayout[from * e->job->locals + to];
    if (from == to || same_rows(e->place[from].plan, e->place[to].plan)) return data;
    if (!r->stage.rank && !relayout_open(e, from, to, r)) {
        struct rk_error error;
        rk_fail(&error, RK_NO_MEMORY, NULL, 0, 0, "rank %d has no memory for another layout",
                e->rank);
        comm_fail(e->comm, &error);
        give_up(e);
    }
    const size_t width = e->hidden, bytes = width * sizeof(real);
    const size_t ranks = (size_t)r->stage.ranks;
    real *sent = take(e, r->outs * width), *came = take(e, r->ins * width);
    for (size_t i = 0; i < r->outs; i++)
        copy_bytes(sent + i * width, data + r->out[i] * width, bytes);
    give(e, data);
    exchange_parts(e, &r->stage, "relayout", sent, parts_of_rows(e, ranks, r->sends, bytes), came,
                   parts_of_rows(e, ranks, r->takes, bytes));
    give(e, sent);
    real *laid = take(e, r->ins * width);
    for (size_t i = 0; i < r->ins; i++)
        copy_bytes(laid + r->in[i] * width, came + i * width, bytes);
    give(e, came);
    return laid;
}

void relayouts_close(struct engine *e)
{
    for (int i = 0; i < e->job->locals * e->job->locals; i++) {
        free(e->relayout[i].stage.rank);
        free(e->relayout[i].out);
        free(e->relayout[i].in);
        free(e->relayout[i].sends);
    }
    free(e->relayout);
}
