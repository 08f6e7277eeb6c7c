/* The best K of many, against sorting all of them. */
#include "search/topk.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { MANY = 500 };

static int best_first(const void *a, const void *b)
{
    const struct rk_candidate *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Few different rates, so that ties are cut: of these the first plans stay. */
Test(topk, the_best_of_many_with_ties)
{
    for (uint64_t room = 1; room <= 64; room *= 2)
        for (uint64_t seed = 1; seed <= 50; seed++) {
            struct rk_candidate all[MANY];
            struct topk topk;
            cr_assert(topk_init(&topk, room));
            for (uint64_t i = 0; i < MANY; i++) {
                const uint64_t order = i * 263 % MANY; /* not in the order of their index */
                all[i] = (struct rk_candidate){.key = (double)(1 + order * seed * 7919 % 23),
                                               .index = order};
                topk_offer(&topk, all[i]);
                cr_assert_eq(topk_least(&topk) > 0, i + 1 >= room && topk.heap[0].key > 0);
            }
            topk_sort(&topk);
            qsort(all, MANY, sizeof *all, best_first);
            cr_assert_eq(topk.count, room);
            for (uint64_t i = 0; i < room; i++)
                cr_assert_eq(topk.heap[i].index, all[i].index, "%d of %d", (int)i, (int)room);
            topk_release(&topk);
        }
}
