/* On random problems, pruned and exhaustive search give the same bytes as one plan at a time
 * through rk_predict: counts, best K, ties, with any number of threads. RECKON_SEED=N repeats one
 * case. */
#include "drawn.h"
#include "plans_cases.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CASES = DRAWN(150), MOST_PLANS = 4000 };

static struct rk_answer run(const struct rk_space *plans, enum rk_search_mode mode, int threads,
                            uint64_t top)
{
    const struct rk_query options = {.mode = mode, .threads = threads, .top = top};
    struct rk_answer result;
    cr_assert_eq(rk_ask(plans, &options, &result, NULL), RK_OK);
    return result;
}

static void check_sums(const struct rk_answer *r, uint64_t seed)
{
    uint64_t sum = r->counts.repeated;
    for (int i = 0; i < RK_VERDICTS; i++)
        sum += rk_search_count(&r->counts, (enum rk_verdict)i);
    const struct rk_search_explain *e = &r->explain;
    cr_assert_eq(sum, r->counts.total, "seed %" PRIu64, seed);
    cr_assert_eq(e->refused + e->refused_by_memory + e->bounded + e->timed, r->counts.total,
                 "seed %" PRIu64, seed);
    cr_assert_eq(e->bounded + e->timed, r->counts.verdict[RK_FITS][0], "seed %" PRIu64, seed);
}

static void check_same(const struct rk_answer *a, const struct rk_answer *b, uint64_t seed,
                       const char *name)
{
    for (int i = 0; i < RK_VERDICTS; i++)
        for (int tier = 0; tier < RK_MAX_TIERS; tier++)
            cr_assert_eq(a->counts.verdict[i][tier], b->counts.verdict[i][tier],
                         "seed %" PRIu64 ", %s: %s of tier %d %" PRIu64 ", not %" PRIu64, seed,
                         name, rk_verdict_name((enum rk_verdict)i), tier,
                         b->counts.verdict[i][tier], a->counts.verdict[i][tier]);
    cr_assert_eq(a->counts.repeated, b->counts.repeated, "seed %" PRIu64 ", %s", seed, name);
    cr_assert_eq(a->found, b->found, "seed %" PRIu64 ", %s", seed, name);
    for (uint64_t i = 0; i < a->found; i++) {
        const struct rk_candidate *x = &a->best[i], *y = &b->best[i];
        cr_assert(x->index == y->index && x->step_s == y->step_s &&
                      x->samples_per_s == y->samples_per_s,
                  "seed %" PRIu64 ", %s: best %" PRIu64 " is plan %" PRIu64
                  " in %.17g s, not %" PRIu64 " in %.17g s",
                  seed, name, i, y->index, y->step_s, x->index, x->step_s);
    }
}

/* Among the plans of some cases are V-shaped ones, beside 1F1B. */
static void ask_for_v(struct rk_plans_problem *p, uint64_t seed)
{
    if (seed % 4 || p->model->tied_embeddings || p->model->predict_layers) return;
    p->pinned[RK_PLAN_SCHEDULE].count = 2;
    p->pinned[RK_PLAN_SCHEDULE].value[0] = p->pinned[RK_PLAN_SCHEDULE].to[0] = RK_1F1B;
    p->pinned[RK_PLAN_SCHEDULE].value[1] = RK_V_ZERO;
    p->pinned[RK_PLAN_SCHEDULE].to[1] = RK_V_MIN;
}

static void check_case(uint64_t seed)
{
    struct plans_case c;
    struct random r = {seed};
    draw_case(&c, seed, MOST_PLANS);
    ask_for_v(&c.problem, seed);
    struct rk_space *plans = rk_plans_open(&c.problem, NULL);
    const uint64_t top = 1 + below(&r, one_in(&r, 2) ? 10 : 200);
    struct rk_answer twin = run(plans, RK_SEARCH_TWIN, 1, top),
                     fast[4] = {run(plans, RK_SEARCH_EXHAUSTIVE, 1, top),
                                run(plans, RK_SEARCH_EXHAUSTIVE, 3, top),
                                run(plans, RK_SEARCH_PRUNED, 1, top),
                                run(plans, RK_SEARCH_PRUNED, 4, top)};
    static const char *const names[] = {"exhaustive", "exhaustive, 3 threads", "pruned",
                                        "pruned, 4 threads"};
    check_sums(&twin, seed);
    for (int i = 0; i < 4; i++) {
        check_sums(&fast[i], seed);
        check_same(&twin, &fast[i], seed, names[i]);
    }
    cr_assert_eq(memcmp(&fast[2].explain, &fast[3].explain, sizeof fast[2].explain), 0,
                 "seed %" PRIu64 ": what is pruned depends on threads", seed);
    for (int i = 0; i < 4; i++)
        rk_answer_release(&fast[i]);
    rk_answer_release(&twin);
    rk_space_close(plans);
    rk_system_release(&c.system);
}

/* Cases that once differed, and not among those of every day. */
static const uint64_t once[] = {
    202667, /* gradients come late under some shardings alone */
};

Test(plans_twin, all_ways_give_the_same_bytes)
{
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        check_case(once[i]);
    const struct drawn cases = drawn_cases(CASES, 20 * CASES);
    for (uint64_t seed = cases.first; seed < cases.end; seed++)
        check_case(seed);
}
