/* mixture.h - what a layer's mixture of experts knows of a microbatch (mixture.c). */
#ifndef RECKON_RUN_REAL_MIXTURE_H
#define RECKON_RUN_REAL_MIXTURE_H

#include "base/memory.h"
#include "run/real/engine.h"

#include <math.h>

#define NO_ROW UINT32_MAX /* of a copy that is not here */

struct mixture_state {
    size_t n, k, experts, ranks, tensor, local, width;
    uint32_t *expert;  /* (n, k) */
    uint32_t *row;     /* (n, k): of the copy among the sorted ones */
    size_t *counts;    /* (experts): copies of this rank for each */
    size_t *came;      /* (ranks, local): copies from each rank for each expert here */
    size_t *all;       /* (tensor, ranks, local): those of the ranks that share the experts */
    size_t *first_all; /* of `all`, those of first tokens (rest.c); NULL: nobody has asked */
    size_t kept;       /* copies of this rank's tokens; without those over the capacity */
    size_t *others; /* (tensor, ranks): where memory is counted, `kept` of all whose tokens come to
                       the ranks that share the experts (route.c); NULL */
    size_t rows, all_rows;
    double *load; /* (samples, experts): of the tokens of a sample those that chose an expert, over
                     the mean (route.c); NULL: nobody asks */
    struct by_token *by_token; /* tokens that travel whole (by_token.c); NULL */
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

/* Where memory is counted, copies that come to this rank, the plan's busiest, over the mean. */
static inline double crowding(const struct engine *e)
{
    const double busiest = fmax(1, e->plan->imbalance), most = e->plan->capacity_factor;
    return most > 0 ? fmin(busiest, fmax(1, most)) : busiest;
}

/* Tokens, not their copies, go to other ranks. */
static inline bool goes_by_token(const struct engine *e)
{
    return e->experts.ranks > 1 && e->plan->dispatcher != RK_ALL_TO_ALL;
}

/* Room for the choice of one token's experts. */
struct REAL(choosing) {
    real *value;    /* (experts) */
    real *worth;    /* (groups) */
    uint32_t *best; /* (groups) */
};

/* The experts of a token with scores `p` (experts); `bias` (experts) or NULL. */
void REAL(choose_experts)(const struct rk_model *model, const real *p, const real *bias,
                          const struct REAL(choosing) * room, uint32_t *chosen);
#define choose_experts REAL(choose_experts)
/* Tokens of this rank that chose each expert, added to `gradient` (experts) of its bias; NULL. */
void REAL(count_choices)(const struct mixture_state *m, real *gradient);

/* Copies that came to this rank, over those that its own tokens have. */
static inline void note_share(struct engine *e, const struct mixture_state *m, size_t came)
{
    if (e->forward_only) return; /* nobody asks, and no step begins anew */
    const double share = (double)came / (double)(m->n * m->k);
    if (!e->most_came || share < e->least_came) e->least_came = share;
    if (share > e->most_came) e->most_came = share;
    if (ARRAY_RESERVE(e->came, e->room_to_come, e->comes + 1)) e->came[e->comes++] = share;
}

/* The gradient of what the routed experts bring for this rank's tokens (mixture.c). */
const real *REAL(routed_gradient)(struct engine *e, struct frame *f);
#define routed_gradient REAL(routed_gradient)

/* Among the ranks that share experts (dispatch.c): each one's rows of a slot to all, `own` of them
 * this rank's, rows[t] rank t's; and sums of what all have for the rows of each. */
void REAL(share_rows)(struct engine *e, const struct mixture_state *m, const char *what,
                      struct frame *f, enum slot slot, size_t own, const size_t *rows);
void REAL(sum_rows)(struct engine *e, const struct mixture_state *m, const char *what,
                    struct frame *f, enum slot slot, size_t own, const size_t *rows);
#define share_rows REAL(share_rows)
#define sum_rows   REAL(sum_rows)

void REAL(by_token_free)(struct mixture_state *m);
void REAL(by_token_dispatch)(struct engine *e, struct frame *f);
void REAL(by_token_dispatch_input)(struct engine *e, struct frame *f);
void REAL(by_token_gather)(struct engine *e, struct frame *f);
void REAL(by_token_gather_input)(struct engine *e, struct frame *f);
void REAL(by_token_sort)(struct engine *e, struct frame *f);
void REAL(by_token_sort_input)(struct engine *e, struct frame *f);
void REAL(by_token_unsort)(struct engine *e, struct frame *f);
void REAL(by_token_unsort_input)(struct engine *e, struct frame *f);
void REAL(by_token_reduce)(struct engine *e, struct frame *f);
void REAL(by_token_reduce_input)(struct engine *e, struct frame *f);
void REAL(by_token_combine)(struct engine *e, struct at_layer *l, struct frame *f);
void REAL(by_token_combine_input)(struct engine *e, struct at_layer *l, struct frame *f);

#endif
