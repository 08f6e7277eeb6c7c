/* collectives.c - sums and gathers of reals over groups of ranks; they give up on failure. */
#include "run/real/engine.h"

#include <string.h>

static void add_reals(void *y, const void *x, size_t bytes)
{
    add_to(bytes / sizeof(real), x, y);
}

void add_doubles(void *y, const void *x, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(double); i++)
        ((double *)y)[i] += ((const double *)x)[i];
}

/* Of 16 bits: what goes within layers, but not gradients of weights. */
static bool is_narrow(const struct engine *e)
{
    return e->narrow && e->part == PART_COMM;
}

void reduce_all(struct engine *e, const struct comm_group *g, const char *what, real *x, size_t n)
{
    if (g->ranks == 1) return;
    real *scratch = take(e, n / (size_t)g->ranks + 1);
    const struct stretch begin = talk_begin(e);
    if (is_narrow(e))
        reduce_all_16(e, g, what, x, n);
    else if (!comm_all_reduce(e->comm, g, what, x, n * sizeof *x, sizeof *x, scratch, add_reals))
        give_up(e);
    stretch_end(e, begin);
    give(e, scratch);
}

void reduce_part(struct engine *e, const struct comm_group *g, const char *what, const real *all,
                 real *part, size_t n)
{
    const struct stretch begin = talk_begin(e);
    if (is_narrow(e))
        reduce_16(e, g, what, all, part, n);
    else if (!comm_reduce_scatter(e->comm, g, what, all, part, n * sizeof *all, add_reals))
        give_up(e);
    stretch_end(e, begin);
}

void gather_all(struct engine *e, const struct comm_group *g, const char *what, const real *part,
                real *all, size_t n)
{
    const struct stretch begin = talk_begin(e);
    if (is_narrow(e))
        gather_16(e, g, what, part, all, n);
    else if (!comm_all_gather(e->comm, g, what, part, all, n * sizeof *all))
        give_up(e);
    stretch_end(e, begin);
}

/* ---- parts of rank and rank ---- */

static struct parts room_for_parts(struct engine *e, size_t ranks)
{
    size_t *room = SCRATCH(e, size_t, 2 * ranks);
    return (struct parts){room, room + ranks, 0};
}

struct parts parts_of_rows(struct engine *e, size_t ranks, const size_t *rows, size_t bytes)
{
    struct parts p = room_for_parts(e, ranks);
    for (size_t r = 0; r < ranks; p.total += p.bytes[r++]) {
        p.at[r] = p.total;
        p.bytes[r] = rows[r] * bytes;
    }
    return p;
}

struct parts even_parts(struct engine *e, size_t ranks, size_t bytes)
{
    struct parts p = room_for_parts(e, ranks);
    for (size_t r = 0; r < ranks; r++)
        p.at[r] = r * (p.bytes[r] = bytes);
    p.total = ranks * bytes;
    return p;
}

struct parts same_part(struct engine *e, size_t ranks, size_t bytes)
{
    struct parts p = even_parts(e, ranks, bytes);
    memset(p.at, 0, ranks * sizeof *p.at);
    return p;
}

void exchange_parts(struct engine *e, const struct comm_group *g, const char *what,
                    const void *from, struct parts out, void *to, struct parts in)
{
    if (!comm_all_to_all(e->comm, g, what, from, out.at, out.bytes, to, in.at, in.bytes))
        give_up(e);
}

/* ---- in halves ---- */

void begin_over_shards(struct engine *e, struct store *s, struct comm_begun *begun,
                       const char *what, const void *from, size_t bytes, bool parts)
{
    const uint32_t tag = COMM_BEGUN + 2 * (uint32_t)(s - e->store) + parts;
    const struct stretch begin = talk_begin(e);
    if (!comm_begin(e->comm, begun, s->shards, tag, what, from, bytes, parts)) give_up(e);
    stretch_end(e, begin);
}

void end_sum(struct engine *e, struct comm_begun *begun, real *part)
{
    const struct stretch begin = talk_begin(e);
    if (!comm_end_reduce_scatter(e->comm, begun, part, add_reals)) give_up(e);
    stretch_end(e, begin);
}

void end_gather(struct engine *e, struct comm_begun *begun, void *all)
{
    const struct stretch begin = talk_begin(e);
    if (!comm_end_gather(e->comm, begun, all)) give_up(e);
    stretch_end(e, begin);
}
