#include "estimate/chunks.h"

#include <math.h>

static double wait_s(double copy_s, double pair_s)
{
    return fmax(0, copy_s - pair_s);
}

double chunks_computing_s(const struct chunk_times *t)
{
    const double u = t->chunks;
    return u * t->on + u * (u - 1) / 2 * t->below;
}

/* Each chunk is written beside the first pair of its row. Row i loads chunks 1 ... i - 1 beside
 * those before them, and chunk 0 of the next row beside its last pair. */
double chunks_forward_wait_s(const struct chunk_times *t)
{
    const double u = t->chunks, both = fmax(t->load, t->returned);
    const double below = wait_s(t->load, t->below), on = wait_s(t->load, t->on);
    double sum = wait_s(t->returned, t->on);
    if (u > 1) sum += wait_s(t->returned, t->below);
    if (u > 2) sum += (u - 2) * (wait_s(both, t->below) + on) + (u - 2) * (u - 3) / 2 * below;
    return sum;
}

/* The gradient that a pair adds to goes back beside the next pair. Column j loads each chunk behind
 * j beside the one before it, and the first of the next column beside its last; that of the last
 * column is still there. */
double chunks_backward_wait_s(const struct chunk_times *t)
{
    const double u = t->chunks, both = fmax(t->load, t->returned);
    double sum = 0;
    if (u < 2) return 0;
    sum += wait_s(t->load, t->on) + (u - 2) * wait_s(both, t->on) + wait_s(t->returned, t->on);
    sum += (u * (u - 1) / 2 - 1) * wait_s(both, t->below) + wait_s(t->returned, t->below);
    return sum;
}
