/* Of the best plan: more of what a machine has never makes it slower; and the balanced split
 * against all splits there are. */
#include "drawn.h"
#include "plans_cases.h"
#include "search/plans_split.h"

#include <inttypes.h>

/* ---- more is never slower ---- */

/* Stages balanced for one machine are other stages than those balanced for another: which of them
 * fit is another matter. The property is of plans that both machines have. */
static double best_rate(const struct plans_case *c)
{
    struct rk_plans_problem problem = c->problem;
    struct rk_prediction p;
    problem.pinned[RK_PLAN_SPLIT].count = 1;
    problem.pinned[RK_PLAN_SPLIT].value[0] = RK_SPLIT_EVEN;
    problem.pinned[RK_PLAN_SPLIT].to[0] = RK_SPLIT_ENDS;
    return rk_plans_best(&problem, NULL, &p, NULL) == RK_OK ? p.samples_per_s : 0;
}

static void more_memory(struct rk_system *s, double factor)
{
    s->memory[0].capacity_bytes *= factor;
}

static void more_memory_bandwidth(struct rk_system *s, double factor)
{
    s->memory[0].bandwidth_Bps *= factor;
    rk_curve_set_peak(&s->memory[0].curve, s->memory[0].bandwidth_Bps);
}

static void more_network_bandwidth(struct rk_system *s, double factor)
{
    for (int i = 0; i < s->networks; i++)
        s->network[i].bandwidth_Bps *= factor;
}

static void less_latency(struct rk_system *s, double factor)
{
    for (int i = 0; i < s->networks; i++)
        s->network[i].latency_s /= factor;
}

static void more_flops(struct rk_system *s, double factor)
{
    for (int i = 0; i < RK_DATATYPES; i++) {
        s->matrix[i].peak_flops *= factor;
        s->vector[i].peak_flops *= factor;
        rk_curve_set_peak(&s->matrix[i].curve, s->matrix[i].peak_flops);
        rk_curve_set_peak(&s->vector[i].curve, s->vector[i].peak_flops);
    }
}

static const struct {
    const char *name;
    void (*more)(struct rk_system *, double);
} improvements[] = {
    {"memory", more_memory},
    {"memory bandwidth", more_memory_bandwidth},
    {"network bandwidth", more_network_bandwidth},
    {"latency", less_latency},
    {"FLOP rate", more_flops},
};

Test(plans_best, more_is_never_slower)
{
    int compared = 0;
    const struct drawn cases = drawn_cases(DRAWN(150), 3000);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct plans_case c;
        draw_case(&c, seed, 3000);
        const double before = best_rate(&c);
        for (size_t i = 0; i < sizeof improvements / sizeof *improvements; i++) {
            struct rk_system kept = c.system, better;
            cr_assert_eq(rk_system_copy(&better, &c.system, NULL), RK_OK);
            improvements[i].more(&better, 1.5);
            c.system = better;
            const double after = best_rate(&c);
            c.system = kept;
            rk_system_release(&better);
            cr_expect(after >= before * (1 - 1e-9), "seed %" PRIu64 ": more %s: %.17g after %.17g",
                      seed, improvements[i].name, after, before);
            compared += before > 0;
        }
        rk_system_release(&c.system);
    }
    cr_expect(drawn_enough(compared > 100), "%d problems had a plan", compared / 5);
}

/* ---- balanced splits ---- */

enum { ITEMS = 9, STAGES = 5 };

/* The slowest stage of the best of all splits, by trying them. */
static double by_trying(int stages, const double *cost, int items, double head, double tail)
{
    double best = INFINITY;
    for (int first = 0; first <= items; first++) {
        double sum = head + (stages == 1 ? tail : 0);
        for (int i = 0; i < first; i++)
            sum += cost[i];
        if (stages == 1 && first < items) continue;
        const double rest =
            stages == 1 ? 0 : by_trying(stages - 1, cost + first, items - first, 0, tail);
        best = fmin(best, fmax(sum, rest));
    }
    return best;
}

static double slowest_of(const uint16_t *split, int stages, const double *cost, double head,
                         double tail)
{
    double slowest = 0;
    int at = 0;
    for (int stage = 0; stage < stages; stage++) {
        double sum = (stage == 0 ? head : 0) + (stage == stages - 1 ? tail : 0);
        for (int i = 0; i < split[stage]; i++)
            sum += cost[at++];
        slowest = fmax(slowest, sum);
    }
    return slowest;
}

Test(plans_best, balanced_split_is_the_best_of_all_splits)
{
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct random r = {seed};
        double cost[ITEMS];
        uint16_t split[STAGES];
        const int items = 1 + (int)below(&r, ITEMS), stages = 1 + (int)below(&r, STAGES);
        const double head = below(&r, 3) * between(&r, 0, 2), tail = between(&r, 0, 3);
        const bool alike = one_in(&r, 3);
        for (int i = 0; i < items; i++)
            cost[i] = alike ? 1 : between(&r, 0.1, 2);
        const double found = split_balanced(split, stages, cost, items, head, tail);
        const double best = by_trying(stages, cost, items, head, tail);
        int sum = 0;
        for (int i = 0; i < stages; i++) {
            sum += split[i];
            cr_assert(split[i] > 0 || i == 0 || i == stages - 1 || items < stages - 2,
                      "seed %" PRIu64 ": stage %d of %d has nothing", seed, i, stages);
        }
        cr_assert_eq(sum, items, "seed %" PRIu64, seed);
        cr_assert_float_eq(found, best, 1e-9, "seed %" PRIu64 ": %g, not %g", seed, found, best);
        cr_assert_float_eq(slowest_of(split, stages, cost, head, tail), best, 1e-9, "seed %" PRIu64,
                           seed);
    }
}

/* By hand: 8 equal blocks on 4 stages, the head as long as 1.5 of them. Three stages of 2 leave 2
 * and the head, 3.5; with a stage of 3 the last one has 1 block, 2.5: 3 is the least. 2, 2, 3, 1
 * and its like are all as fast. */
Test(plans_best, head_takes_the_place_of_blocks)
{
    const double cost[] = {1, 1, 1, 1, 1, 1, 1, 1};
    uint16_t split[4];
    cr_expect_float_eq(split_balanced(split, 4, cost, 8, 0, 1.5), 3, 1e-12);
    cr_expect_eq(split[3], 1);
    cr_expect_eq(split[0] + split[1] + split[2], 7);
}
