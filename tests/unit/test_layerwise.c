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

/* Virtual stages are mixed as well: faster than any plan whose layers are alike, and deals the
 * layers of each stage to its virtual stages. */
Test(layerwise, interleaved)
{
    ask("gpt3-175b", "a100-sxm4-80g", 128, 256, 1);
    check("interleaved");
    cr_expect_gt(answer.plan.chunks, 1);
    cr_expect_lt(answer.prediction.step_s, 0.99 * answer.any_s);
    struct rk_plan again;
    cr_assert(layerwise_interleave(&answer.dealt, &model, answer.plan.chunks, &again));
    cr_expect_eq(again.segments, answer.plan.segments);
    for (uint64_t k = 0; k < answer.plan.pipeline; k++) {
        uint64_t layers = 0;
        for (uint64_t v = 0; v < answer.plan.chunks; v++)
            layers += answer.plan.split[v * answer.plan.pipeline + k];
        cr_expect_eq(layers, answer.dealt.split[k]);
    }
}

/* Less memory is no faster, and something fits where nothing does whose layers are alike. */
Test(layerwise, memory_only_helps)
{
    double before_s = 0;
    for (int i = 10; i >= 5; i -= 5) {
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

static struct rk_plans_problem problem;

static void pin(enum rk_plan_axis axis, int count, const uint64_t *value)
{
    problem.pinned[axis].count = count;
    for (int i = 0; i < count; i++)
        problem.pinned[axis].value[i] = problem.pinned[axis].to[i] = value[i];
}

static void open_problem(const char *name, const char *system, uint64_t gpus, uint64_t batch)
{
    struct rk_error error;
    use_source_catalog();
    cr_assert_eq(rk_model_load(name, &model, &error), RK_OK);
    cr_assert_eq(rk_system_load(system, &machine, &error), RK_OK);
    rk_plans_problem_init(&problem, &model, &machine, RK_MEGATRON, gpus, batch, 0);
}

static int layers_of(const struct rk_plan *plan, bool (*is)(const struct rk_local *local))
{
    int layers = 0;
    for (int i = 0; i < plan->segments; i++) {
        const int local = plan->segment[i].local;
        if (is(local ? &plan->other[local - 1] : &plan->local)) layers += plan->segment[i].layers;
    }
    return layers;
}

static bool is_ulysses(const struct rk_local *local)
{
    return local->context_kind == RK_ULYSSES;
}

static bool is_narrow(const struct rk_local *local)
{
    return local->precision == RK_FP8_DELAYED;
}

/* Long samples: all-to-all for all layers, ZeRO-2 where embedding and head have ZeRO-1. */
Test(layerwise, ulysses_of_layers)
{
    struct rk_error error;
    open_problem("llama3.1-8b", "a100-sxm4-80g", 64, 64);
    static const uint64_t one[] = {1};
    problem.base.sequence = 65536;
    pin(RK_PLAN_PIPELINE, 1, one);
    pin(RK_PLAN_TENSOR, 1, one);
    const struct layerwise_query query = {.problem = &problem};
    cr_assert_eq(layerwise_search(&query, &answer, &error), RK_OK, "%s", error.text);
    cr_expect_eq(layers_of(&answer.plan, is_ulysses), 32);
    cr_expect_leq(answer.prediction.step_s, answer.uniform_s);
    check("ulysses");
}

/* In chunks of the sequence degrees, ZeRO and what goes to the host are chosen, and every layer is
 * computed again. Less memory is never faster. */
Test(layerwise, chunks_of_the_sequence)
{
    static const uint64_t parts[] = {16}, ulysses[] = {RK_ULYSSES}, offload[] = {0, 1};
    static const uint64_t tensor[] = {1, 2};
    double before_s = 0;
    for (int i = 0; i < 2; i++) {
        struct rk_error error;
        open_problem("llama3.1-8b", "a100-sxm4-80g mem2=250GB@20GB/s", 8, 8);
        machine.memory[0].capacity_bytes *= 1 - 0.5 * i;
        problem.base.framework = RK_DEEPSPEED;
        problem.base.sequence = 262144;
        problem.base.loss_in_chunks = true;
        pin(RK_PLAN_SEQUENCE_CHUNKS, 1, parts);
        pin(RK_PLAN_CONTEXT_KIND, 1, ulysses);
        pin(RK_PLAN_TENSOR, 2, tensor);
        pin(RK_PLAN_ACTIVATION_OFFLOAD, 2, offload);
        const struct layerwise_query query = {.problem = &problem};
        cr_assert_eq(layerwise_search(&query, &answer, &error), RK_OK, "%s", error.text);
        cr_expect_eq(answer.plan.sequence_chunks, 16);
        cr_expect_eq(answer.plan.recompute, RK_WHOLE);
        for (int k = 0; k < answer.plan.others; k++)
            cr_expect_eq(answer.plan.other[k].recompute, RK_WHOLE);
        cr_expect_geq(answer.prediction.step_s, before_s * (1 - 1e-12));
        before_s = answer.prediction.step_s;
        check("chunks");
    }
}

/* With two precisions it is no slower than with either, but for what the start of two collectives
 * more takes from computing: blocks in 8 bits, embedding and head in 16, of which there are no
 * copies.
 */
Test(layerwise, precision_of_layers)
{
    static const uint64_t both[] = {RK_BF16, RK_FP8_DELAYED};
    double step_s[3];
    int narrow = 0;
    for (int i = 0; i < 3; i++) {
        struct rk_error error;
        open_problem("llama3.1-8b", "h100-sxm5-80g", 4, 64);
        machine.memory[0].capacity_bytes *= 50.0 / 80;
        pin(RK_PLAN_PRECISION, i < 2 ? 1 : 2, i < 2 ? &both[i] : both);
        const struct layerwise_query query = {.problem = &problem};
        step_s[i] = layerwise_search(&query, &answer, &error) == RK_OK ? answer.prediction.step_s
                                                                       : INFINITY;
        narrow = layers_of(&answer.plan, is_narrow);
        if (i < 2) rk_system_release(&machine); /* check() needs the last one */
    }
    check("precision");
    cr_expect_leq(step_s[2], fmin(step_s[0], step_s[1]) * (1 + 1e-6), "%g, %g: %g", step_s[0],
                  step_s[1], step_s[2]);
    cr_expect_eq(narrow, 32);
    cr_expect_eq(answer.plan.precision, RK_BF16, "embedding and head");
}

static int points;
static double before_bytes, before_s;

static void look(void *context, const struct layerwise_point *point)
{
    int *stage = context, layers = 0;
    for (int i = 0; i < point->parts; i++)
        layers += point->part[i].layers;
    cr_expect_eq(layers, (int)answer.prediction.stage[point->stage].blocks);
    if (point->stage == *stage) {
        cr_expect_gt(point->bytes, before_bytes);
        cr_expect_lt(point->time_s, before_s);
    }
    cr_expect_leq(point->bytes, machine.memory[0].capacity_bytes);
    *stage = point->stage;
    before_bytes = point->bytes;
    before_s = point->time_s;
    points++;
}

/* Less memory is more time, and nothing that is shown needs more than there is. */
Test(layerwise, fronts_fall)
{
    struct rk_error error;
    int stage = -1;
    open_problem("llama3.1-70b", "h100-sxm5-80g", 32, 128);
    static const uint64_t stages[] = {4};
    pin(RK_PLAN_PIPELINE, 1, stages);
    const struct layerwise_query query = {.problem = &problem};
    cr_assert_eq(layerwise_search(&query, &answer, &error), RK_OK, "%s", error.text);
    cr_assert_eq(
        layerwise_fronts(&problem, &answer.dealt, answer.plan.chunks, 12, look, &stage, &error),
        RK_OK);
    cr_expect_eq(stage, 3);
    cr_expect_geq(points, 4 * 6);
    rk_system_release(&machine);
}

/* A lower memory of which mixes would use more than there is: what is found fits. */
Test(layerwise, lower_memories_hold)
{
    static const uint64_t one[] = {1}, tensor[] = {4}, offload[] = {0, 1};
    struct rk_error error;
    open_problem("llama3.1-8b", "a100-sxm4-80g mem2=14GiB@20GB/s", 4, 16);
    machine.memory[0].capacity_bytes *= 0.75;
    problem.base.sequence = 65536;
    pin(RK_PLAN_PIPELINE, 1, one);
    pin(RK_PLAN_TENSOR, 1, tensor);
    pin(RK_PLAN_CONTEXT, 1, one);
    pin(RK_PLAN_ACTIVATION_OFFLOAD, 2, offload);
    const struct layerwise_query query = {.problem = &problem};
    cr_assert_eq(layerwise_search(&query, &answer, &error), RK_OK, "%s", error.text);
    cr_expect_leq(answer.prediction.stage[0].away_bytes[0], machine.memory[1].capacity_bytes);
    cr_expect(answer.value_s > 0 || answer.unsettled);
    check("lower memory");
}
