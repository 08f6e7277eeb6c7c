#include "estimate/chunks.h"

#include <math.h>

static double wait_s(double copy_s, double pair_s)
{
    return fmax(0, copy_s - pair_s);
}

static double pairs_below(const struct chunk_times *t)
{
    return t->chunks * t->back - t->back * (t->back + 1) / 2;
}

double chunks_computing_s(const struct chunk_times *t)
{
    return t->chunks * t->on + pairs_below(t) * t->below;
}

/* Each chunk is written back during the first pair of its row. A row loads all chunks but its first
 * one and its own, each during the previous pair, and during its last pair the first chunk of the
 * next row, unless that is the current chunk. */
double chunks_forward_wait_s(const struct chunk_times *t)
{
    const double u = t->chunks, d = t->back, both = fmax(t->load, t->returned);
    const double below = wait_s(t->load, t->below), on = wait_s(t->load, t->on);
    if (d < 1) return u * wait_s(t->returned, t->on);
    if (d < 2) return wait_s(t->returned, t->on) + (u - 1) * wait_s(t->returned, t->below);
    const double between = (d - 1) * (d - 2) / 2 + (u - 1 - d) * (d - 2);
    return wait_s(t->returned, t->on) + wait_s(t->returned, t->below) +
           (u - 2) * (wait_s(both, t->below) + on) + between * below;
}

/* The second row needs the first chunk alone, which is at hand. */
struct chunk_copies chunks_forward_copies(const struct chunk_times *t)
{
    return (struct chunk_copies){.loads = t->back < 2 ? 0 : pairs_below(t) - 1,
                                 .returns = t->chunks};
}

/* Last pairs of a column that load nothing. */
static double pairs_alone(const struct chunk_times *t)
{
    if (t->back < 1) return 0;
    return t->back < 2 ? t->chunks - 1 : 1;
}

struct chunk_copies chunks_backward_copies(const struct chunk_times *t)
{
    const double pairs = t->chunks + pairs_below(t);
    return (struct chunk_copies){pairs - pairs_alone(t), t->chunks, pairs};
}

/* The gradient that a pair adds to is returned during the next pair. Column j loads each chunk
 * after j during the previous pair, and during its last pair the first chunk of the next column, if
 * that is another one. */
double chunks_backward_wait_s(const struct chunk_times *t)
{
    const double u = t->chunks, both = fmax(t->load, t->returned);
    const double there = pairs_alone(t);
    if (u < 2) return 0;
    return wait_s(t->load, t->on) + (u - 2) * wait_s(both, t->on) + wait_s(t->returned, t->on) +
           (pairs_below(t) - there) * wait_s(both, t->below) +
           there * wait_s(t->returned, t->below);
}
