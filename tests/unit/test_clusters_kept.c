/* The best of many plans over clusters, against all of them sorted. */
#include "clusters/kept.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 60, MOST = 20 };

static struct clusters_plan plans[MANY], kept_plans[MOST];

/* One stage; plans with the same tensor degree run alike. */
static void fill(unsigned *seed)
{
    for (int i = 0; i < MANY; i++) {
        memset(&plans[i], 0, sizeof plans[i]);
        plans[i].stages = plans[i].chunks = 1;
        plans[i].round = 4;
        plans[i].stage[0].tensor = (uint64_t)(rand_r(seed) % 30);
        plans[i].simulated_s = 1 + rand_r(seed) % 40;
    }
}

/* The fastest of each kind so far, of equals the first, by time: O(n^2). */
static int twin(int *order)
{
    int count = 0;
    for (int t = 1; t <= 40; t++)
        for (int i = 0; i < MANY; i++) {
            bool beaten = plans[i].simulated_s != t;
            for (int k = 0; k < MANY && !beaten; k++)
                beaten = plans[k].stage[0].tensor == plans[i].stage[0].tensor &&
                         (plans[k].simulated_s < t || (plans[k].simulated_s == t && k < i));
            if (!beaten) order[count++] = i;
        }
    return count;
}

Test(clusters_kept, are_the_best_each_once)
{
    unsigned seed = 7;
    for (int trial = 0; trial < 60; trial++) {
        struct clusters_kept kept = {1 + trial % MOST, 0, kept_plans};
        int order[MANY];
        fill(&seed);
        const int count = twin(order);
        for (int i = 0; i < MANY; i++)
            clusters_keep(&kept, &plans[i]);
        cr_assert_eq(kept.count, count < kept.most ? count : kept.most);
        for (int i = 0; i < kept.count; i++) {
            cr_assert_eq(kept.plan[i].simulated_s, plans[order[i]].simulated_s);
            cr_assert(i == 0 || !clusters_same(&kept.plan[i], &kept.plan[i - 1]));
        }
        cr_assert(clusters_same(&kept.plan[0], &plans[order[0]]));
    }
}
