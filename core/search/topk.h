/* topk.h - the best K candidates of many: by key, more is better, then index. */
#ifndef RECKON_SEARCH_TOPK_H
#define RECKON_SEARCH_TOPK_H

#include <reckon/search.h>

struct topk {
    uint64_t room, count;
    struct rk_candidate *heap; /* (room) the worst at [0] */
};

static inline bool candidate_before(const struct rk_candidate *a, const struct rk_candidate *b)
{
    return a->key > b->key || (a->key == b->key && a->index < b->index);
}

/* False when there is no memory. */
bool topk_init(struct topk *topk, uint64_t room);
void topk_release(struct topk *topk);
void topk_offer(struct topk *topk, struct rk_candidate candidate);

/* All of `from`, which is cleared. */
void topk_move(struct topk *to, struct topk *from);

/* Candidates with a smaller key are not wanted; 0 while there is room. */
double topk_least(const struct topk *topk);

/* Sorts the heap from best to worst; it takes no more offers then. */
void topk_sort(struct topk *topk);

#endif
