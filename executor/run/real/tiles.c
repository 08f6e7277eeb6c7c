/* tiles.c - products of tensor ranks that overlap with their messages (tensor_overlap of a plan).
 *
 * Rows are cut into tiles, one for each rank. A product of gathered rows begins with the own tile,
 * and takes the others as they come; one whose results are summed posts each tile to its rank as
 * soon as it is computed, and its own last [wang2023]. Rows do not depend on each other, so the
 * bits are those of one product after one collective.
 */
#include "run/real/engine.h"

enum { TAG_GATHER = COMM_BEGUN - 2, TAG_SCATTER = COMM_BEGUN - 1 };

bool tiles_wanted(const struct engine *e)
{
    return !e->narrow && e->plan->tensor_overlap != RK_OVERLAP_NONE && sequence_parallel(e);
}

void tiles_begin(struct engine *e, const real *part, real *all, const char *what)
{
    const size_t n = e->share * e->hidden;
    const struct stretch begin = talk_begin(e);
    copy_bytes(all + (size_t)e->tensor.me * n, part, n * sizeof *all);
    e->tiled = all;
    if (!comm_begin(e->comm, &e->gathering, &e->place[e->at].tensor, TAG_GATHER, what, part,
                    n * sizeof *part, false))
        give_up(e);
    stretch_end(e, begin);
}

void tiles_settle(struct engine *e)
{
    if (!e->gathering.open) return;
    const struct stretch begin = talk_begin(e);
    if (!comm_end_gather(e->comm, &e->gathering, e->tiled)) give_up(e);
    stretch_end(e, begin);
}

/* The tile of the rank `step` before this one is there. */
static size_t next_tile(struct engine *e, int step)
{
    const int t = e->tensor.ranks, from = (e->tensor.me + t - step) % t;
    if (step == 0) return (size_t)from;
    const struct stretch begin = talk_begin(e);
    if (!comm_take_part(e->comm, &e->gathering, from,
                        e->tiled + (size_t)from * e->share * e->hidden))
        give_up(e);
    stretch_end(e, begin);
    return (size_t)from;
}

static void end_tiles(struct engine *e)
{
    const struct stretch begin = talk_begin(e);
    if (!comm_end(e->comm, &e->gathering)) give_up(e);
    stretch_end(e, begin);
}

static void run_product(struct engine *e, const struct product *p, size_t row, size_t rows)
{
    if (p->back)
        product_input(e, rows, p->n, p->k, p->from + row * p->n, p->w, p->to + row * p->k);
    else
        product_forward(e, rows, p->n, p->k, p->from + row * p->k, p->w, p->bias,
                        p->to + row * p->n);
    const size_t width = p->back ? p->k : p->n;
    if (p->plus) add_to(rows * width, p->plus + row * width, p->to + row * width);
}

void product_of_gathered(struct engine *e, const struct product *p)
{
    if (!e->gathering.open) {
        run_product(e, p, 0, e->rows);
        return;
    }
    for (int step = 0; step < e->tensor.ranks; step++)
        run_product(e, p, next_tile(e, step) * e->share, e->share);
    end_tiles(e);
}

void product_to_sum(struct engine *e, const struct product *p, const char *what)
{
    if (!tiles_wanted(e)) {
        run_product(e, p, 0, e->rows);
        return;
    }
    const int t = e->tensor.ranks;
    const size_t bytes = e->share * e->hidden * sizeof *p->to;
    if (!comm_prepare(e->comm, &e->scattering, &e->place[e->at].tensor, TAG_SCATTER, what, p->to,
                      bytes))
        give_up(e);
    for (int step = 1; step <= t; step++) {
        const int to = (e->tensor.me + step) % t;
        run_product(e, p, (size_t)to * e->share, e->share);
        if (to == e->tensor.me) continue;
        const struct stretch begin = talk_begin(e);
        if (!comm_post_part(e->comm, &e->scattering, to, (size_t)to * bytes)) give_up(e);
        stretch_end(e, begin);
    }
}
