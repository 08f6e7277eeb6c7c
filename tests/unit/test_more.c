/* More of what a machine has never makes a plan slower, nor larger. */
#include "drawn.h"
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
    /* What an exchange of experts takes beyond computing counts as backward: faster forward passes
     * move it there, and the ends of a pipeline have more of one than of the other: 8e-6 at most in
     * 717,250 changes. */
    const double room = plan->expert_overlap && plan->pipeline > 1 ? 2e-5 : 0;
    if (after.timed && !is_worse(after.step_s, before.step_s * (1 + room)) &&
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
    const uint64_t nodes = large ? UINT64_C(4) << below(&r, 8) : 1;
    const uint64_t gpus = nodes * degrees[below(&r, 5)], batch = gpus * (1 + below(&r, 8));
    const enum rk_framework framework = (enum rk_framework)below(&r, RK_CALCULON);
    rk_plans_problem_init(&c->problem, &c->model, &c->system, framework, gpus, batch, 0);
    if (one_in(&r, 4)) rk_plan_offload_activations(&c->problem.base, 0.5);
}

Test(more, a_fixed_plan_is_never_slower)
{
    static struct plans_case c;
    const struct drawn cases = drawn_cases(DRAWN(100), 2000);
    struct given g = {.seed = cases.first};
    uint64_t plans_timed = 0;
    printf("more: seeds from %" PRIu64 "\n", g.seed);
    for (; g.seed < cases.end; g.seed++) {
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

/* ---- the best of a search ---- */

struct best {
    double step_s; /* INFINITY: none can run */
    struct rk_plan plan;
};

static struct best best_of(const struct rk_plans_problem *problem)
{
    struct best best = {.step_s = INFINITY};
    if (rk_plans_best(problem, &best.plan, &after, NULL) == RK_OK) best.step_s = after.step_s;
    return best;
}

static void compare_best(struct given *g, const struct plans_case *c, const struct best *then,
                         const struct best *now, const char *more, int which)
{
    char words[RK_PLAN_TEXT], others[RK_PLAN_TEXT];
    g->tries++;
    if (!is_worse(now->step_s, then->step_s)) return;
    g->worse++;
    rk_plan_text(&then->plan, words, sizeof words);
    rk_plan_text(&now->plan, others, sizeof others);
    cr_expect_fail("seed %" PRIu64 ": more %s %d on %s: %.12g -> %.12g s: %s -> %s", g->seed, more,
                   which, c->system.id, then->step_s, now->step_s, words, others);
}

static void search_more(struct given *g, const struct plans_case *c, const struct best *then,
                        const struct more *more, int which, double factor)
{
    struct more_machine m;
    struct rk_plans_problem problem = c->problem;
    more_copy(&m, &c->system);
    if (!more->give(&m, which, factor)) return;
    problem.system = &m.system;
    const struct best now = best_of(&problem);
    compare_best(g, c, then, &now, more->name, which);
}

/* One value of an axis, then a second one beside it: of plans of the space. */
static void search_wider(struct given *g, const struct plans_case *c, struct random *r)
{
    struct rk_plans_problem problem = c->problem;
    struct rk_space *plans = rk_plans_open(&problem, NULL);
    const enum rk_plan_axis axis = (enum rk_plan_axis)below(r, RK_PLAN_TENSOR_COMM);
    uint64_t value[2];
    for (int i = 0; i < 2; i++) {
        struct rk_plan plan;
        rk_plans_plan(plans, below(r, rk_space_count(plans)), &plan);
        value[i] = rk_plan_axis_get(&plan, axis);
        problem.pinned[axis].value[i] = problem.pinned[axis].to[i] = value[i];
    }
    rk_space_close(plans);
    problem.pinned[axis].count = 1;
    const struct best then = best_of(&problem);
    problem.pinned[axis].count = 2;
    const struct best now = best_of(&problem);
    compare_best(g, c, &then, &now, rk_plan_axis_info(axis)->name, (int)value[1]);
}

/* What a search may lose when a machine has more of it: a domain, a tier behind, then anything. */
static void search_case(struct given *g, const struct plans_case *c, struct random *r, int changes)
{
    const struct best then = best_of(&c->problem);
    if (isinf(then.step_s)) return;
    for (int k = 0; k < MORES; k++)
        if (mores[k].give == more_domain || mores[k].give == more_tiers)
            for (int which = 0; which < mores[k].kinds; which++)
                search_more(g, c, &then, &mores[k], which, 1 + times(r, 4));
    for (int i = 0; i < changes; i++) {
        const struct more *more = &mores[below(r, MORES)];
        const double factor = times(r, 2) * 2.1;
        search_more(g, c, &then, more, (int)below(r, (uint64_t)more->kinds), factor);
        search_wider(g, c, r);
    }
}

Test(more, a_search_is_never_slower)
{
    static struct plans_case c;
    const bool slow = getenv("RECKON_SLOW") || getenv("RECKON_SEED");
    const struct drawn cases = drawn_cases(DRAWN(25), 500);
    struct given g = {.seed = cases.first};
    printf("more: searches, seeds from %" PRIu64 "\n", g.seed);
    for (; g.seed < cases.end; g.seed++) {
        struct random r = {g.seed * 104729};
        draw_more_case(&c, g.seed, slow && one_in(&r, 4));
        search_case(&g, &c, &r, slow ? 16 : 2);
        rk_system_release(&c.system);
    }
    printf("%" PRIu64 " changes, %" PRIu64 " worse\n", g.tries, g.worse);
}
