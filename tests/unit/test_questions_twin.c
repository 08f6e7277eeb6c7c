/* Conditions, orders and frontiers over random problems of both spaces: the engine, on one thread
 * and more, gives the bytes of one plan at a time through its predictor. RECKON_SEED=N repeats one
 * case. */
#include "calculon/strategies.h"
#include "drawn.h"
#include "plans_cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = DRAWN(40), MOST_PLANS = 1500 };

static struct rk_answer ask(const struct rk_space *space, struct rk_query query,
                            enum rk_search_mode mode, int threads)
{
    struct rk_answer answer;
    struct rk_error error;
    query.mode = mode;
    query.threads = threads;
    cr_assert_eq(rk_ask(space, &query, &answer, &error), RK_OK, "%s", error.text);
    return answer;
}

/* Is memory what is ordered by? It is a sum, made in another order where many plans are judged at
 * once: the last bit of that key alone may differ (seed 202683). */
static bool orders_memory(const struct rk_query *query)
{
    const char *first = query->sort ? query->sort : query->pareto;
    return first && strncmp(first, "hbm", 3) == 0;
}

static bool is_same(const struct rk_candidate *a, struct rk_candidate b, bool memory)
{
    if (memory && fabs(b.key - a->key) <= 4e-16 * fabs(a->key)) b.key = a->key;
    return memcmp(a, &b, sizeof b) == 0;
}

static void check_same(const struct rk_answer *a, const struct rk_answer *b, bool memory,
                       uint64_t seed, int at)
{
    cr_assert_eq(memcmp(&a->counts, &b->counts, sizeof a->counts), 0,
                 "seed %" PRIu64 ", %d: counts", seed, at);
    cr_assert_eq(a->matches, b->matches, "seed %" PRIu64 ", %d: %" PRIu64 " match, not %" PRIu64,
                 seed, at, b->matches, a->matches);
    cr_assert_eq(a->found, b->found, "seed %" PRIu64 ", %d: found", seed, at);
    for (uint64_t i = 0; i < a->found; i++)
        cr_assert(is_same(&a->best[i], b->best[i], memory),
                  "seed %" PRIu64 ", %d: plan %" PRIu64 ": %" PRIu64 " with %.17g, not %" PRIu64
                  " with %.17g",
                  seed, at, i, b->best[i].index, b->best[i].key, a->best[i].index, a->best[i].key);
}

/* The frontier is what nothing covers: of two objectives, in the order of the first, the second
 * falls. */
static void check_frontier(const struct rk_answer *a, uint64_t seed)
{
    for (uint64_t i = 1; i < a->found; i++)
        cr_assert(a->best[i].key > a->best[i - 1].key, "seed %" PRIu64, seed);
}

/* Samples per second of the middle one of all that fit; 0: none does. */
static double median_rate(const struct rk_space *space)
{
    struct rk_answer all = ask(space, (struct rk_query){.top = UINT64_MAX}, RK_SEARCH_TWIN, 1);
    const double rate = all.found ? all.best[all.found / 2].samples_per_s : 0;
    rk_answer_release(&all);
    return rate;
}

static uint64_t check_space(const struct rk_space *space, const char *condition, uint64_t seed)
{
    const double least = median_rate(space);
    const struct rk_query queries[] = {
        {.where = "hbm <= 20GiB and microbatch <= 2", .top = 7},
        {.where = "hbm <= 20GiB", .best_only = true, .top = 2},
        {.where = condition, .best_only = true, .least_samples_per_s = least, .top = 3},
        {.where = "hbm <= 20GiB", .least_samples_per_s = least, .sort = "mem2", .top = 3},
        {.least_samples_per_s = least, .best_only = true, .top = 5},
        {.where = condition, .top = 3, .sort = "hbm"},
        {.where = "mem2 == 0 or mem2 > 1GiB", .top = 4, .sort = "mem2"},
        {.sort = "mfu", .top = 5},
        {.where = "hbm <= 20GiB and mfu > 20% and tensor <= 4", .top = 6},
        {.where = "mfu > 20% and bubble_s < 1s and hbm <= 20GiB", .sort = "hfu", .top = 4},
        {.where = "not mfu > 20%", .sort = "2 * hfu - mfu", .best_only = true, .top = 9},
        {.sort = "tensor * 1000s + time", .top = 2000},
        {.pareto = "time, hbm", .top = 1},
        {.pareto = "hbm, mem2, mfu", .where = "pipeline > 1 or data > 1", .top = 1},
    };
    uint64_t matches = 0;
    for (int i = 0; i < (int)(sizeof queries / sizeof *queries); i++) {
        struct rk_answer twin = ask(space, queries[i], RK_SEARCH_TWIN, 1),
                         one = ask(space, queries[i], RK_SEARCH_PRUNED, 1),
                         three = ask(space, queries[i], RK_SEARCH_EXHAUSTIVE, 3);
        check_same(&twin, &one, orders_memory(&queries[i]), seed, i);
        check_same(&twin, &three, orders_memory(&queries[i]), seed, i);
        if (queries[i].pareto && !queries[i].where) check_frontier(&twin, seed);
        matches += twin.matches;
        rk_answer_release(&twin);
        rk_answer_release(&one);
        rk_answer_release(&three);
    }
    return matches;
}

Test(questions_twin, plans)
{
    uint64_t matches = 0;
    const struct drawn cases = drawn_cases(CASES, 20 * CASES);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct plans_case c;
        draw_case(&c, seed, MOST_PLANS);
        struct rk_space *space = rk_plans_open(&c.problem, NULL);
        matches += check_space(
            space, "schedule == zero_bubble or recompute != none and bubble_s / step_s < 0.5",
            seed);
        rk_space_close(space);
        rk_system_release(&c.system);
    }
    cr_assert(drawn_enough(matches > 1000), "only %" PRIu64, matches);
}

Test(questions_twin, strategies)
{
    uint64_t matches = 0;
    const struct drawn cases = drawn_cases(CASES / 8, 20 * CASES / 8);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct random r = {seed};
        struct rk_model model;
        struct rk_system system = {0};
        struct rk_problem problem;
        model = (struct rk_model){.layers = 2 * (1 + below(&r, 6)), .head_dim = 64};
        model.heads = UINT64_C(4) << below(&r, 3);
        model.hidden = model.heads * model.head_dim;
        model.feedforward = 4 * model.hidden;
        model.sequence = UINT64_C(256) << below(&r, 3);
        cr_assert_eq(rk_system_load("h100-80g-nvl8-offload-512g-100", &system, NULL), RK_OK);
        system.memory[0].capacity_bytes = 5e8 * times(&r, 4);
        rk_problem_init(&problem, &model, &system, UINT64_C(1) << below(&r, 4), 8, RK_FLOAT16);
        problem.pinned[RK_AXIS_RECOMPUTE].count = 1;
        problem.pinned[RK_AXIS_RECOMPUTE].value[0] = below(&r, 2) ? 2 : 0;
        problem.pinned[RK_AXIS_TENSOR_OVERLAP].count = 1;
        struct rk_space *space = rk_space_open(&problem, NULL);
        matches += check_space(space, "recompute == none and tensor_comm == rs_ag", seed);
        rk_space_close(space);
        rk_system_release(&system);
    }
    cr_assert(drawn_enough(matches > 1000), "only %" PRIu64, matches);
}

/* What a search has without a prediction is what predictions have: bit for bit. */
Test(questions_twin, a_frontier_of_one_objective_is_the_best)
{
    const struct rk_query best = {.top = 1}, frontier = {.pareto = "rate", .top = 1};
    int compared = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct plans_case c;
        draw_case(&c, seed, MOST_PLANS);
        struct rk_space *space = rk_plans_open(&c.problem, NULL);
        struct rk_answer a = ask(space, best, RK_SEARCH_PRUNED, 1),
                         b = ask(space, frontier, RK_SEARCH_PRUNED, 1);
        cr_assert_eq(a.found, b.found, "seed %" PRIu64, seed);
        if (a.found)
            cr_assert_eq(memcmp(&a.best[0], &b.best[0], sizeof a.best[0]), 0, "seed %" PRIu64,
                         seed);
        compared += a.found == 1;
        rk_answer_release(&a);
        rk_answer_release(&b);
        rk_space_close(space);
        rk_system_release(&c.system);
    }
    cr_assert_geq(compared, 5);
}
