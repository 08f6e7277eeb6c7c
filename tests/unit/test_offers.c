/* What is proposed can be launched: plans of random problems, judged by the rules of
 * `reckon check` and by the memory that is to be left. Seeds are in the messages; RECKON_SLOW=1
 * draws twenty times as many. */
#include "drawn.h"
#include "plans_cases.h"

#include <inttypes.h>
#include <reckon/check.h>
#include <stdlib.h>

static struct rk_findings findings; /* large */

/* As `reckon check WORDS` does; "" when nothing is wrong. */
static const char *wrong_with(const struct plans_case *c, const struct rk_plan *plan)
{
    static char text[RK_PLAN_TEXT];
    struct rk_error error;
    rk_plan_text(plan, text, sizeof text);
    const struct rk_check_input input = {.format = "words",
                                         .path = "",
                                         .text = text,
                                         .size = strlen(text),
                                         .model = &c->model,
                                         .system = &c->system,
                                         .gpus = plan->ranks,
                                         .launch = {.exact_memory = true}};
    findings.count = 0;
    if (rk_check_text(&input, &findings, &error) != RK_OK) return "cannot be read";
    for (int i = 0; i < findings.count; i++)
        if (findings.finding[i].severity == RK_ERROR) return findings.finding[i].rule;
    return "";
}

static void expect_launchable(const struct plans_case *c, const struct rk_plan *plan, uint64_t seed)
{
    char words[RK_PLAN_TEXT];
    const char *wrong = wrong_with(c, plan);
    if (!*wrong) return;
    rk_plan_text(plan, words, sizeof words);
    cr_expect(false, "seed %" PRIu64 ": %s %s: %s: %s", seed, rk_framework_name(plan->framework),
              words, wrong, findings.finding[0].need);
}

/* The best few, and some of all. */
Test(offers, what_a_search_finds_passes_check)
{
    enum { MOST = 4000, BEST = 5, STEP = 37 };
    uint64_t judged = 0;
    const struct drawn cases = drawn_cases(DRAWN(100), 2000);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct plans_case c;
        struct rk_error error;
        struct rk_answer answer = {.found = 0};
        const struct rk_query query = {.mode = RK_SEARCH_EXHAUSTIVE, .top = 1u << 20, .threads = 1};
        draw_case(&c, seed, MOST);
        c.problem.unstartable = false;
        struct rk_space *space = rk_plans_open(&c.problem, &error);
        cr_assert_eq(rk_ask(space, &query, &answer, &error), RK_OK, "%s", error.text);
        for (uint64_t i = 0; i < answer.found; i += i < BEST ? 1 : STEP, judged++) {
            struct rk_plan plan;
            rk_plans_plan(space, answer.best[i].index, &plan);
            expect_launchable(&c, &plan, seed);
        }
        rk_answer_release(&answer);
        rk_space_close(space);
        rk_system_release(&c.system);
    }
    cr_expect(drawn_enough(judged > 500), "%" PRIu64, judged);
}

/* A tenth to a whole of the memory that the best takes, or a little more. */
static double draw_room(const struct plans_case *c, uint64_t seed)
{
    struct random r = {seed * 31337};
    struct rk_prediction best;
    const double capacity = c->system.memory[0].capacity_bytes;
    if (rk_plans_best(&c->problem, NULL, &best, NULL) != RK_OK) return 0.9;
    return fmin(0.99, between(&r, 0.1, 1.1) * best.hbm_bytes / capacity);
}

/* The best of all by hand: every plan of the space, predicted as the space does. */
static bool best_by_hand(const struct plans_case *c, double most_bytes, double *samples_per_s)
{
    struct rk_space *space = rk_plans_open(&c->problem, NULL);
    *samples_per_s = 0;
    for (uint64_t i = 0; i < rk_space_count(space); i++) {
        struct rk_plan plan;
        struct rk_prediction p;
        if (!rk_plans_plan(space, i, &plan)) continue;
        if (rk_plans_predict(&c->problem, &plan, &p) != RK_FITS || p.hbm_bytes > most_bytes)
            continue;
        if (*wrong_with(c, &plan)) continue;
        *samples_per_s = fmax(*samples_per_s, p.samples_per_s);
    }
    rk_space_close(space);
    return *samples_per_s > 0;
}

/* Of the plans that `reckon check` passes the best that leaves room; where none does, of all. */
Test(offers, the_best_that_may_be_proposed)
{
    enum { MOST = 300 };
    int found[2] = {0, 0};
    const struct drawn cases = drawn_cases(DRAWN(60), 1200);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct plans_case c;
        struct rk_offer offer;
        double roomy, edge;
        draw_case(&c, seed, MOST);
        c.problem.unstartable = false;
        const double capacity = c.system.memory[0].capacity_bytes, room = draw_room(&c, seed);
        const struct rk_aim aim = {.threads = 1, .room = room};
        const bool leaves = best_by_hand(&c, room * capacity, &roomy);
        const bool any = best_by_hand(&c, INFINITY, &edge);
        cr_assert_eq(rk_offer(&c.problem, &aim, &offer), any, "seed %" PRIu64, seed);
        if (any) {
            const struct rk_outcome *o = &offer.found.outcome;
            cr_expect_eq(offer.leaves_room, leaves, "seed %" PRIu64, seed);
            cr_expect_eq(o->samples_per_s, leaves ? roomy : edge, "seed %" PRIu64, seed);
            cr_expect(!leaves || o->hbm_bytes <= room * capacity, "seed %" PRIu64, seed);
            expect_launchable(&c, &offer.found.plan, seed);
            found[leaves]++;
        }
        rk_system_release(&c.system);
    }
    cr_expect(drawn_enough(found[0] > 0 && found[1] > 5), "%d %d", found[0], found[1]);
}

static void expect_helps(void *context, const struct rk_change *change)
{
    const struct rk_aim *aim = context;
    cr_expect(!change->helps || change->found.outcome.samples_per_s > aim->samples_per_s);
    if (change->helps && change->kind == RK_CHANGE_MEMORY && change->tier == 0)
        cr_expect_leq(change->found.outcome.hbm_bytes, change->to * aim->room);
}

/* Sensitivity and single changes are those of the plan that is proposed, not of one up to the edge.
 */
Test(offers, questions_are_about_the_plan_proposed)
{
    enum { MOST = 300 };
    int asked = 0;
    const struct drawn cases = drawn_cases(DRAWN(25), 500);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct plans_case c;
        struct rk_effects effects;
        struct rk_offer offer;
        struct rk_miss missed[RK_MISSES];
        struct rk_error error;
        draw_case(&c, seed, MOST);
        c.problem.unstartable = false;
        struct rk_aim aim = {.threads = 1, .room = draw_room(&c, seed)};
        if (rk_offer(&c.problem, &aim, &offer) && offer.leaves_room) {
            const enum rk_status status = rk_effects_find(&c.problem, &aim, &effects, &error);
            cr_assert_eq(status, RK_OK, "%s", error.text);
            cr_expect_eq(effects.now_s,
                         (double)c.problem.base.batch / offer.found.outcome.samples_per_s,
                         "seed %" PRIu64, seed);
            rk_effects_release(&effects);
            aim.samples_per_s = offer.found.outcome.samples_per_s;
            rk_changes(&c.problem, &aim, expect_helps, &aim);
            const int count = rk_misses(&c.problem, &aim, RK_LIMIT_MEMORY, 0, missed);
            for (int i = 0; i < count; i++) {
                cr_expect_gt(missed[i].need, missed[i].have - missed[i].free, "seed %" PRIu64,
                             seed);
                cr_expect_eq(missed[i].need, missed[i].found.outcome.hbm_bytes);
            }
            asked++;
        }
        rk_system_release(&c.system);
    }
    cr_expect(drawn_enough(asked > 5), "%d", asked);
}
