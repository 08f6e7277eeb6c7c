/* More of what a machine has never makes a plan slower, nor larger. */
#include "more_cases.h"

static struct rk_prediction before, after;

/* Beyond rounding. */
static bool is_worse(double now, double then)
{
    return now > then * (1 + 1e-9);
}

struct given {
    uint64_t seed, tries, worse;
};

static void compare(struct given *g, const struct plans_case *c, const struct rk_plan *plan,
                    const struct more *more, int which, double factor)
{
    struct more_machine m;
    char text[RK_PLAN_TEXT];
    more_copy(&m, &c->system);
    if (!more->give(&m, which, factor)) return;
    rk_predict(&c->model, &m.system, plan, &after);
    g->tries++;
    if (after.timed && !is_worse(after.step_s, before.step_s) &&
        !is_worse(after.hbm_bytes, before.hbm_bytes) &&
        !(before.verdict == RK_FITS && after.verdict != RK_FITS))
        return;
    g->worse++;
    rk_plan_text(plan, text, sizeof text);
    cr_expect_fail("seed %" PRIu64
                   ": more %s %d, by %g: %.12g -> %.12g s, %.12g -> %.12g bytes: %s on %s",
                   g->seed, more->name, which, factor, before.step_s, after.step_s,
                   before.hbm_bytes, after.hbm_bytes, text, c->system.id);
}

static void draw_more_case(struct plans_case *c, uint64_t seed, bool large)
{
    static const uint64_t degrees[] = {1, 2, 3, 4, 8};
    struct random r = {seed * 2654435761};
    draw_model(&r, &c->model);
    draw_machine(&r, &c->system);
    const uint64_t gpus = (large ? UINT64_C(4) << below(&r, 8) : 1) * degrees[below(&r, 5)];
    rk_plans_problem_init(&c->problem, &c->model, &c->system,
                          (enum rk_framework)below(&r, RK_CALCULON), gpus,
                          gpus * (1 + below(&r, 8)), 0);
    if (one_in(&r, 4)) rk_plan_offload_activations(&c->problem.base, 0.5);
}

Test(more, a_fixed_plan_is_never_slower)
{
    static struct plans_case c;
    struct given g = {.seed = more_first_seed()};
    const uint64_t end = g.seed + more_cases(100, 2000);
    uint64_t plans_timed = 0;
    printf("more: seeds from %" PRIu64 "\n", g.seed);
    for (; g.seed < end; g.seed++) {
        struct random r = {g.seed * 7919};
        draw_more_case(&c, g.seed, true);
        struct rk_space *plans = rk_plans_open(&c.problem, NULL);
        const uint64_t count = rk_space_count(plans);
        for (int i = 0; i < 8 && count; i++) {
            struct rk_plan plan;
            rk_plans_plan(plans, below(&r, count), &plan);
            rk_predict(&c.model, &c.system, &plan, &before);
            if (!before.timed) continue;
            plans_timed++;
            for (int k = 0; k < MORES; k++)
                for (int which = 0; which < mores[k].kinds; which++)
                    compare(&g, &c, &plan, &mores[k], which, times(&r, 2) * 2.1);
        }
        rk_space_close(plans);
        rk_system_release(&c.system);
    }
    printf("%" PRIu64 " plans, %" PRIu64 " changes, %" PRIu64 " worse\n", plans_timed, g.tries,
           g.worse);
}
