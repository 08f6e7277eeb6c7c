/* The search of a way for each layer: never slower than layers that are alike, and what it says is
 * what is predicted. */
#include "catalog_cases.h"
#include "search/layerwise.h"

#include <math.h>
#include <reckon/catalog.h>

static struct rk_model model;
static struct rk_system machine;
static struct layerwise_answer answer;

static void ask(const char *name, const char *system, uint64_t gpus, uint64_t batch, double memory)
{
    struct rk_plans_problem problem;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_model_load(name, &model, &error), RK_OK);
    cr_assert_eq(rk_system_load(system, &machine, &error), RK_OK);
    machine.memory[0].capacity_bytes *= memory;
    rk_plans_problem_init(&problem, &model, &machine, RK_MEGATRON, gpus, batch, 0);
    const struct layerwise_query query = {.problem = &problem};
    cr_assert_eq(layerwise_search(&query, &answer, &error), RK_OK, "%s", error.text);
}

static void check(const char *what)
{
    struct rk_prediction p;
    struct rk_plan parsed;
    struct rk_error error;
    char words[16384];
    cr_expect_eq(rk_predict(&model, &machine, &answer.plan, &p), RK_FITS, "%s", what);
    cr_expect_eq(p.step_s, answer.prediction.step_s, "%s", what);
    if (answer.uniform_s > 0) cr_expect_leq(p.step_s, answer.uniform_s, "%s", what);
    cr_expect_leq(answer.bound_s, answer.value_s);
    if (answer.value_s > 0) /* messages are not in it */
        cr_expect_float_eq(answer.value_s, p.step_s - p.pipeline_s, 0.03 * p.step_s, "%s: %g, %g",
                           what, answer.value_s, p.step_s);
    rk_plan_text(&answer.plan, words, sizeof words);
    cr_assert_eq(rk_plan_parse(words, &parsed, &error), RK_OK, "%s: %s", words, error.text);
    rk_predict(&model, &machine, &parsed, &p);
    cr_expect_float_eq(p.step_s, answer.prediction.step_s, 1e-12, "%s", words);
    rk_system_release(&machine);
}

Test(layerwise, a_mix_that_pays)
{
    ask("gpt3-175b", "h100-sxm5-80g", 128, 256, 1);
    check("gpt3-175b");
    cr_expect_gt(answer.plan.segments, 0);
    cr_expect_lt(answer.prediction.step_s, 0.995 * answer.uniform_s);
}

Test(layerwise, layers_of_several_kinds_on_a_pipeline)
{
    ask("deepseek-v3", "h100-sxm5-80g", 1024, 4096, 1);
    check("deepseek-v3");
}

/* Less memory is no faster, and something fits where nothing does whose layers are alike. */
Test(layerwise, memory_only_helps)
{
    double before_s = 0;
    for (int i = 10; i >= 6; i -= 2) {
        ask("llama3.1-8b", "h100-sxm5-80g", 8, 64, i / 10.0);
        check("llama3.1-8b");
        cr_expect_geq(answer.prediction.step_s, before_s * (1 - 1e-3), "%d", i);
        before_s = answer.prediction.step_s;
    }
}

Test(layerwise, restrictions_hold)
{
    struct rk_plans_problem problem;
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_model_load("llama3.1-8b", &model, &error), RK_OK);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &machine, &error), RK_OK);
    rk_plans_problem_init(&problem, &model, &machine, RK_MEGATRON, 8, 64, 0);
    problem.pinned[RK_PLAN_TENSOR].count = 1;
    problem.pinned[RK_PLAN_TENSOR].value[0] = problem.pinned[RK_PLAN_TENSOR].to[0] = 2;
    problem.pinned[RK_PLAN_PIPELINE].count = 1;
    problem.pinned[RK_PLAN_PIPELINE].value[0] = problem.pinned[RK_PLAN_PIPELINE].to[0] = 4;
    const struct layerwise_query query = {.problem = &problem};
    cr_assert_eq(layerwise_search(&query, &answer, &error), RK_OK, "%s", error.text);
    cr_expect_eq(answer.plan.pipeline, 4);
    cr_expect_eq(answer.plan.tensor, 2);
    for (int i = 0; i < answer.plan.others; i++)
        cr_expect_eq(answer.plan.other[i].tensor, 2);
    problem.base.framework = RK_CALCULON;
    cr_expect_eq(layerwise_search(&query, &answer, &error), RK_USAGE);
    rk_system_release(&machine);
}
