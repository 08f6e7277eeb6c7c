/* mixture.h - what a layer's mixture of experts knows of a microbatch (mixture.c). */
#ifndef RECKON_RUN_REAL_MIXTURE_H
#define RECKON_RUN_REAL_MIXTURE_H

#include "run/real/engine.h"

struct mixture_state {
    size_t n, k, experts, ranks, tensor, local, width;
    uint32_t *expert; /* (n, k) */
    uint32_t *row;    /* (n, k): of the copy among the sorted ones */
    size_t *counts;   /* (experts): copies of this rank for each */
    size_t *came;     /* (ranks, local): copies from each rank for each expert here */
    size_t *all;      /* (tensor, ranks, local): those of the ranks that share the experts */
    size_t rows, all_rows;
};

/* Where this rank's tokens begin among the rows that are here. */
static inline size_t first_routed(const struct engine *e, const struct mixture_state *m)
{
    return sequence_parallel(e) ? 0 : (size_t)e->tensor.me * m->n;
}

static inline const real *routed(const struct engine *e, const struct frame *f, enum slot slot)
{
    return f->slot[slot] + first_routed(e, f->mixture) * e->hidden;
}

static inline bool travels(const struct mixture_state *m)
{
    return m->ranks > 1;
}

#endif
