/* The published space asked as a space of plans of framework calculon: the same plans, counts,
 * best and frontiers as of strategies. */
#include "calculon/strategies.h"
#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <reckon/plans.h>
#include <string.h>

static struct rk_model model;
static struct rk_system system_;

static void load(void)
{
    cr_assert_eq(rk_model_load("gpt3-175b", &model, NULL), RK_OK);
    cr_assert_eq(rk_system_load("a100-80g-nvl8", &system_, NULL), RK_OK);
}

static void release(void)
{
    rk_system_release(&system_);
}

static struct rk_answer ask(const struct rk_space *space, struct rk_query query)
{
    struct rk_answer answer;
    struct rk_error error;
    cr_assert_eq(rk_ask(space, &query, &answer, &error), RK_OK, "%s", error.text);
    return answer;
}

static void check_same(const struct rk_space *strategies, const struct rk_space *plans,
                       struct rk_query of_strategies, struct rk_query of_plans)
{
    struct rk_answer a = ask(strategies, of_strategies), b = ask(plans, of_plans);
    cr_assert_eq(rk_space_count(strategies), rk_space_count(plans));
    cr_expect_eq(memcmp(&a.counts, &b.counts, sizeof a.counts), 0);
    cr_expect_eq(a.matches, b.matches);
    cr_expect_gt(a.found, 0);
    cr_assert_eq(a.found, b.found);
    for (uint64_t i = 0; i < a.found; i++) {
        struct rk_strategy s;
        struct rk_plan plan;
        struct rk_prediction p;
        cr_expect_eq(a.best[i].index, b.best[i].index);
        cr_expect_eq(a.best[i].step_s, b.best[i].step_s);
        rk_space_strategy(strategies, a.best[i].index, &s);
        cr_expect(rk_plans_plan(plans, b.best[i].index, &plan));
        cr_expect_eq(s.tensor, plan.tensor);
        cr_expect_eq(s.interleaving, plan.chunks);
        cr_expect_eq(rk_predict(&model, &system_, &plan, &p), RK_FITS);
        cr_expect_eq(p.step_s, a.best[i].step_s);
    }
    rk_answer_release(&a);
    rk_answer_release(&b);
}

Test(published_search, the_same_answers, .init = load, .fini = release)
{
    struct rk_problem problem;
    struct rk_plans_problem asked;
    rk_problem_init(&problem, &model, &system_, 64, 96, RK_BFLOAT16);
    rk_plans_problem_init(&asked, &model, &system_, RK_CALCULON, 64, 96, 0);
    struct rk_space *strategies = rk_space_open(&problem, NULL);
    struct rk_space *plans = rk_plans_open(&asked, NULL);
    cr_assert(strategies && plans);
    check_same(strategies, plans, (struct rk_query){.top = 50}, (struct rk_query){.top = 50});
    check_same(strategies, plans,
               (struct rk_query){.top = 20, .where = "chunks > 1 and recompute == core_attn"},
               (struct rk_query){.top = 20, .where = "chunks > 1 and recompute == core_attn"});
    check_same(strategies, plans, (struct rk_query){.top = 20, .where = "zero == 0"},
               (struct rk_query){.top = 20, .where = "zero == 0 and fused == yes"});
    check_same(strategies, plans, (struct rk_query){.top = 1, .pareto = "time,hbm,mem2"},
               (struct rk_query){.top = 1, .pareto = "time,hbm,mem2"});
    rk_space_close(strategies);
    rk_space_close(plans);
}

static void pin(struct rk_plans_problem *p, enum rk_plan_axis axis, const char *text)
{
    p->pinned[axis].count = 1;
    cr_assert(rk_plan_axis_parse(axis, text, &p->pinned[axis].value[0]), "%s", text);
    p->pinned[axis].to[0] = p->pinned[axis].value[0];
}

Test(published_search, restrictions, .init = load, .fini = release)
{
    struct rk_problem problem;
    struct rk_plans_problem asked;
    struct rk_error error;
    rk_problem_init(&problem, &model, &system_, 64, 96, RK_FLOAT16);
    problem.pinned[RK_AXIS_RECOMPUTE].count = 1;
    problem.pinned[RK_AXIS_RECOMPUTE].value[0] = RK_RECOMPUTE_ATTENTION;
    problem.pinned[RK_AXIS_TENSOR_COMM].count = 1;
    problem.pinned[RK_AXIS_TENSOR_COMM].value[0] = RK_COMM_RS_AG;
    rk_plans_problem_init(&asked, &model, &system_, RK_CALCULON, 64, 96, 0);
    pin(&asked, RK_PLAN_RECOMPUTE, "attention");
    pin(&asked, RK_PLAN_TENSOR_COMM, "rs_ag");
    pin(&asked, RK_PLAN_PRECISION, "fp16");
    struct rk_space *strategies = rk_space_open(&problem, NULL);
    struct rk_space *plans = rk_plans_open(&asked, &error);
    cr_assert(strategies && plans, "%s", error.text);
    check_same(strategies, plans, (struct rk_query){.top = 5}, (struct rk_query){.top = 5});
    rk_space_close(strategies);
    rk_space_close(plans);

    pin(&asked, RK_PLAN_ZERO, "2");
    cr_assert_null(rk_plans_open(&asked, &error));
    cr_expect_str_eq(error.text,
                     "framework calculon has no zero 2: leave it out, or choose another framework");
    asked.pinned[RK_PLAN_ZERO].count = 0;
    pin(&asked, RK_PLAN_CONTEXT, "2");
    cr_assert_null(rk_plans_open(&asked, &error));
}
