/* The search of a way for each layer: never slower than layers that are alike, and what it says is
 * what is predicted. */
#include "layerwise_cases.h"

Test(layerwise, a_mix_that_pays)
{
    open_problem("gpt3-175b", "h100-sxm5-80g", 128, 256);
    pin_one(RK_PLAN_PIPELINE, 8);
    cr_assert(search());
    check("gpt3-175b");
    cr_expect_gt(rk_plan_layout(&answer.plan)->segments, 0);
    cr_expect_lt(answer.prediction.step_s, 0.995 * answer.uniform_s);
    rk_system_release(&machine);
}

Test(layerwise, layers_of_several_kinds_on_a_pipeline)
{
    open_problem("deepseek-v3", "h100-sxm5-80g", 1024, 4096);
    cr_assert(search());
    check("deepseek-v3");
    rk_system_release(&machine);
}

/* Virtual stages are mixed as well: faster than any plan whose layers are alike, and deals the
 * layers of each stage to its virtual stages. */
Test(layerwise, interleaved)
{
    open_problem("gpt3-175b", "a100-sxm4-80g", 128, 256);
    pin_one(RK_PLAN_PIPELINE, 8);
    cr_assert(search());
    check("interleaved");
    cr_expect_gt(answer.plan.chunks, 1);
    cr_expect_lt(answer.prediction.step_s, 0.995 * answer.any_s);
    struct rk_plan again;
    struct rk_layout layout;
    cr_assert(layerwise_interleave(&answer.dealt, &model, answer.plan.chunks, &again, &layout));
    cr_expect_eq(rk_plan_layout(&again)->segments, rk_plan_layout(&answer.plan)->segments);
    for (uint64_t k = 0; k < answer.plan.pipeline; k++) {
        uint64_t layers = 0;
        for (uint64_t v = 0; v < answer.plan.chunks; v++)
            layers += rk_plan_layout(&answer.plan)->split[v * answer.plan.pipeline + k];
        cr_expect_eq(layers, rk_plan_layout(&answer.dealt)->split[k]);
    }
    rk_system_release(&machine);
}

/* Less memory is no faster, and something fits where nothing does whose layers are alike. */
Test(layerwise, memory_only_helps)
{
    static const uint64_t stages[] = {1, 4};
    double before_s = 0;
    for (int i = 10; i >= 5; i -= 5) {
        open_problem("llama3.1-8b", "h100-sxm5-80g", 8, 64);
        machine.memory[0].capacity_bytes *= i / 10.0;
        pin(RK_PLAN_PIPELINE, 2, stages);
        cr_assert(search());
        check("llama3.1-8b");
        cr_expect_geq(answer.prediction.step_s, before_s * (1 - 1e-9), "%d", i);
        before_s = answer.prediction.step_s;
        rk_system_release(&machine);
    }
}

static bool stop_at_once(void *context)
{
    (void)context;
    return true;
}

/* Asked between shapes, and nothing is searched anew that is not needed for an answer. */
Test(layerwise, stops_soon)
{
    struct rk_error error;
    const struct layerwise_query query = {.problem = &problem, .stop = stop_at_once};
    open_problem("llama3.1-8b", "h100-sxm5-80g", 8, 64);
    cr_assert_eq(layerwise_search(&query, &answer, &error), RK_OK);
    cr_expect(answer.found && !answer.complete);
    cr_expect_eq(answer.counts.shapes, 0);
    cr_expect_eq(answer.counts.judged, 0);
    cr_expect_eq(answer.any_s, 0);
    rk_system_release(&machine);
}

Test(layerwise, restrictions_hold)
{
    struct rk_error error;
    const struct layerwise_query query = {.problem = &problem};
    open_problem("llama3.1-8b", "h100-sxm5-80g", 8, 64);
    pin_one(RK_PLAN_TENSOR, 2);
    pin_one(RK_PLAN_PIPELINE, 4);
    cr_assert(search());
    cr_expect_eq(answer.plan.pipeline, 4);
    cr_expect_eq(answer.plan.tensor, 2);
    for (int i = 0; i < rk_plan_layout(&answer.plan)->others; i++)
        cr_expect_eq(rk_plan_layout(&answer.plan)->other[i].tensor, 2);
    problem.base.framework = RK_CALCULON;
    cr_expect_eq(layerwise_search(&query, &answer, &error), RK_BAD_ARGUMENT);
    rk_system_release(&machine);
}

/* Memory is left free where a plan can leave it, else filled. */
Test(layerwise, memory_is_left)
{
    struct layerwise_query query = {.problem = &problem, .launches = rk_plan_launches};
    struct rk_error error;
    open_problem("llama3.1-8b", "rtx4090", 8, 64);
    const double all = machine.memory[0].capacity_bytes;
    query.usable_bytes = 0.9 * all;
    cr_assert_eq(layerwise_search(&query, &answer, &error), RK_OK, "%s", error.text);
    cr_expect(!answer.fills);
    cr_expect_leq(answer.prediction.hbm_bytes, query.usable_bytes);
    check("left");
    query.usable_bytes = 0.1 * all;
    cr_assert_eq(layerwise_search(&query, &answer, &error), RK_OK, "%s", error.text);
    cr_expect(answer.fills);
    check("filled");
    rk_system_release(&machine);
}
