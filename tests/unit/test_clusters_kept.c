/* The best of many plans over clusters, against all of them sorted; and a search that is stopped
 * anywhere goes on to the same answer. */
#include "clusters/kept.h"
#include "clusters/search.h"

#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 60, MOST = 20 };

static struct clusters_plan plans[MANY];

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
        struct clusters_kept kept = {.most = 1 + trial % MOST};
        int order[MANY];
        fill(&seed);
        const int count = twin(order);
        for (int i = 0; i < MANY; i++)
            cr_assert(clusters_keep(&kept, &plans[i]));
        cr_assert_eq(kept.count, count < kept.most ? count : kept.most);
        for (int i = 0; i < kept.count; i++) {
            cr_assert_eq(kept.plan[i]->simulated_s, plans[order[i]].simulated_s);
            cr_assert(i == 0 || !clusters_same(kept.plan[i], kept.plan[i - 1]));
        }
        cr_assert(clusters_same(kept.plan[0], &plans[order[0]]));
        cr_assert_eq(kept.dropped, count > kept.most);
        clusters_kept_release(&kept);
    }
}

/* ---- a search that goes on ---- */

/* What a search has given after so many problems. */
struct tape {
    int wanted, at;
    void *bytes;
    size_t count;
};

static bool record(void *context, const void *progress, size_t bytes)
{
    struct tape *tape = context;
    if (tape->at++ != tape->wanted) return true;
    cr_assert(clusters_progress_fits(progress, bytes, 3));
    tape->bytes = malloc(bytes);
    tape->count = bytes;
    memcpy(tape->bytes, progress, bytes);
    return false; /* the process dies here */
}

static void search(struct clusters_question *q, struct clusters_answer *answer,
                   struct clusters_kept *kept)
{
    clusters_kept_release(kept);
    cr_assert(clusters_search_top(q, answer, kept));
}

static bool same_plan(const struct clusters_plan *a, const struct clusters_plan *b)
{
    return clusters_same(a, b) && a->simulated_s == b->simulated_s && a->value_s == b->value_s;
}

Test(clusters_kept, a_search_goes_on_from_anywhere)
{
    static struct clusters_answer whole, other;
    struct clusters_kept all = {.most = 3}, some = {.most = 3};
    struct rk_model model;
    struct rk_machine machine;
    struct rk_error error;
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(
        rk_machine_load("h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s@50us", &machine, &error),
        RK_OK);
    struct clusters_question q = {.model = &model, .machine = &machine, .words = rk_plan_default()};
    q.words.batch = 16;
    q.words.zero = 1;
    q.words.tensor = 4;
    q.tensor = true;
    search(&q, &whole, &all);
    cr_assert_eq(all.count, 3);
    int stopped = 0;
    for (struct tape tape = {.wanted = 0};; tape.wanted++) {
        tape = (struct tape){.wanted = tape.wanted};
        q.keep = record;
        q.keeper = &tape;
        search(&q, &other, &some);
        q.keep = NULL;
        if (!tape.bytes) break;
        stopped++;
        cr_assert(other.stopped);
        q.progress = tape.bytes;
        search(&q, &other, &some);
        q.progress = NULL;
        free(tape.bytes);
        cr_assert(same_plan(&other.best, &whole.best), "%d", tape.wanted);
        cr_assert(same_plan(&other.proved, &whole.proved), "%d", tape.wanted);
        cr_assert_eq(other.labels, whole.labels);
        cr_assert_eq(other.problems, whole.problems);
        cr_assert_eq(other.simulated, whole.simulated);
        cr_assert_eq(other.floor_s, whole.floor_s);
        cr_assert_eq(other.straight_s, whole.straight_s);
        cr_assert_arr_eq(other.alone_s, whole.alone_s, sizeof whole.alone_s);
        cr_assert_eq(some.count, all.count);
        for (int i = 0; i < all.count; i++)
            cr_assert(same_plan(some.plan[i], all.plan[i]), "%d: %d", tape.wanted, i);
    }
    cr_expect_geq(stopped, 20);
    rk_machine_release(&machine);
    clusters_kept_release(&all);
    clusters_kept_release(&some);
}
