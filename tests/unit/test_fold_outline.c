/* The outline that the search folds is that of the fold, and plans with equal keys have equal
 * layers: on random plans of random problems. */
#include "plans_cases.h"

#include "estimate/fold.h"
#include "estimate/plan_check.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

enum { CASES = 60, PLANS = 60, DETAILS_AT = offsetof(struct layer_fold, spent_s) };

static size_t outline_bytes(const struct rk_plan *plan)
{
    return plan->recompute_rest ? DETAILS_AT : offsetof(struct layer_fold, swap);
}

static void check_same(const struct layer_folds *a, const struct layer_folds *b, size_t bytes,
                       uint64_t seed)
{
    cr_assert_eq(a->message_bytes, b->message_bytes);
    cr_assert_eq(a->blocks, b->blocks);
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        for (int i = 0; i < TREATMENTS && a->present[kind]; i++)
            cr_assert_eq(memcmp(&a->layer[kind][i], &b->layer[kind][i], bytes), 0,
                         "seed %" PRIu64 ": kind %d, treatment %d", seed, kind, i);
}

/* The members of a plan that change its layers beside those of the key. */
static bool same_width(const struct rk_plan *a, const struct rk_plan *b)
{
    for (int axis = RK_PLAN_SEQUENCE_PARALLEL; axis <= RK_PLAN_RECOMPUTE; axis++)
        if (rk_plan_axis_get(a, (enum rk_plan_axis)axis) !=
            rk_plan_axis_get(b, (enum rk_plan_axis)axis))
            return false;
    return true;
}

static struct timed_layers timed;
static struct known_product known[KNOWN_PRODUCTS];
static struct layer_folds fold[PLANS], outline;
static struct rk_plan plan[PLANS];

static void check_pairs(const struct plans_case *c, int plans, uint64_t seed)
{
    for (int a = 0; a < plans; a++)
        for (int b = 0; b < a; b++) {
            uint64_t key[2][LAYER_KEY];
            layer_key(key[0], &c->model, &c->system, &plan[a]);
            layer_key(key[1], &c->model, &c->system, &plan[b]);
            if (memcmp(key[0], key[1], sizeof key[0]) == 0 && same_width(&plan[a], &plan[b]))
                check_same(&fold[a], &fold[b], DETAILS_AT, seed);
        }
}

static void check_case(uint64_t seed)
{
    struct plans_case c;
    struct random r = {seed};
    int plans = 0;
    draw_case(&c, seed, 4000);
    struct rk_space *space = rk_plans_open(&c.problem, NULL);
    const uint64_t count = rk_space_count(space);
    memset(known, 0, sizeof known);
    timed.known = known;
    for (int i = 0; i < PLANS && count > 0; i++) {
        struct rk_plan *p = &plan[plans];
        struct rk_reason reason;
        rk_plans_plan(space, below(&r, count), p);
        plan_check(&c.model, &c.system, p, &reason);
        if (reason.verdict != RK_FITS) continue;
        fold_layers(&fold[plans], &c.model, &c.system, p);
        time_layers(&timed, &c.model, &c.system, p);
        fold_outline(&outline, &timed, &c.system, p);
        check_same(&fold[plans++], &outline, outline_bytes(p), seed);
    }
    check_pairs(&c, plans, seed);
    rk_space_close(space);
    rk_system_release(&c.system);
}

Test(fold_outline, is_that_of_the_fold)
{
    for (uint64_t seed = 1; seed <= CASES; seed++)
        check_case(seed);
}
