/* The search of a way for each layer, in what ways may differ in: kinds of context parallelism,
 * chunks, precisions, lower memories. */
#include "layerwise_cases.h"

static int layers_of(const struct rk_plan *plan, bool (*is)(const struct rk_local *local))
{
    int layers = 0;
    for (int i = 0; i < rk_plan_layout(plan)->segments; i++) {
        const int local = rk_plan_layout(plan)->segment[i].local;
        if (is(local ? &rk_plan_layout(plan)->other[local - 1] : &plan->local))
            layers += rk_plan_layout(plan)->segment[i].layers;
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
Test(layerwise_ways, ulysses_of_layers)
{
    open_problem("llama3.1-8b", "a100-sxm4-80g", 64, 64);
    static const uint64_t one[] = {1};
    problem.base.sequence = 65536;
    pin(RK_PLAN_PIPELINE, 1, one);
    pin(RK_PLAN_TENSOR, 1, one);
    cr_assert(search());
    cr_expect_eq(layers_of(&answer.plan, is_ulysses), 32);
    cr_expect_leq(answer.prediction.step_s, answer.uniform_s);
    check("ulysses");
    rk_system_release(&machine);
}

/* In chunks of the sequence degrees, ZeRO and what goes to the host are chosen, and every layer is
 * computed again. Less memory is never faster. */
Test(layerwise_ways, chunks_of_the_sequence)
{
    static const uint64_t parts[] = {16}, ulysses[] = {RK_ULYSSES}, offload[] = {0, 1};
    static const uint64_t tensor[] = {1, 2};
    double before_s = 0;
    for (int i = 0; i < 2; i++) {
        open_problem("llama3.1-8b", "a100-sxm4-80g mem2=250GB@20GB/s", 8, 8);
        machine.memory[0].capacity_bytes *= 1 - 0.5 * i;
        problem.base.framework = RK_DEEPSPEED;
        problem.base.sequence = 262144;
        problem.base.loss_in_chunks = true;
        pin(RK_PLAN_SEQUENCE_CHUNKS, 1, parts);
        pin(RK_PLAN_CONTEXT_KIND, 1, ulysses);
        pin(RK_PLAN_TENSOR, 2, tensor);
        pin(RK_PLAN_ACTIVATION_OFFLOAD, 2, offload);
        cr_assert(search());
        cr_expect_eq(answer.plan.sequence_chunks, 16);
        cr_expect_eq(answer.plan.recompute, RK_WHOLE);
        for (int k = 0; k < rk_plan_layout(&answer.plan)->others; k++)
            cr_expect_eq(rk_plan_layout(&answer.plan)->other[k].recompute, RK_WHOLE);
        cr_expect_geq(answer.prediction.step_s, before_s * (1 - 1e-12));
        before_s = answer.prediction.step_s;
        check("chunks");
        rk_system_release(&machine);
    }
}

/* With two precisions it is no slower than with either, but for what the start of two collectives
 * more takes from computing: blocks in 8 bits, embedding and head in 16, of which there are no
 * copies.
 */
Test(layerwise_ways, precision_of_layers)
{
    static const uint64_t both[] = {RK_BF16, RK_FP8_DELAYED};
    double step_s[3];
    int narrow = 0;
    for (int i = 0; i < 3; i++) {
        open_problem("llama3.1-8b", "h100-sxm5-80g", 4, 64);
        machine.memory[0].capacity_bytes *= 50.0 / 80;
        pin(RK_PLAN_PRECISION, i < 2 ? 1 : 2, i < 2 ? &both[i] : both);
        step_s[i] = search() ? answer.prediction.step_s : INFINITY;
        narrow = layers_of(&answer.plan, is_narrow);
        if (i < 2) rk_system_release(&machine); /* check() needs the last one */
    }
    check("precision");
    cr_expect_leq(step_s[2], fmin(step_s[0], step_s[1]) * (1 + 1e-6), "%g, %g: %g", step_s[0],
                  step_s[1], step_s[2]);
    cr_expect_eq(narrow, 32);
    rk_system_release(&machine);
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
Test(layerwise_ways, fronts_fall)
{
    struct rk_error error;
    int stage = -1;
    open_problem("llama3.1-70b", "h100-sxm5-80g", 32, 128);
    static const uint64_t stages[] = {4};
    pin(RK_PLAN_PIPELINE, 1, stages);
    cr_assert(search());
    cr_assert_eq(
        layerwise_fronts(&problem, &answer.dealt, answer.plan.chunks, 12, look, &stage, &error),
        RK_OK);
    cr_expect_eq(stage, 3);
    cr_expect_geq(points, 4 * 6);
    rk_system_release(&machine);
}

/* A lower memory of which mixes would use more than there is: what is found fits. */
Test(layerwise_ways, lower_memories_hold)
{
    static const uint64_t one[] = {1}, tensor[] = {4}, offload[] = {0, 1};
    open_problem("llama3.1-8b", "a100-sxm4-80g mem2=14GiB@20GB/s", 4, 16);
    machine.memory[0].capacity_bytes *= 0.75;
    problem.base.sequence = 65536;
    pin(RK_PLAN_PIPELINE, 1, one);
    pin(RK_PLAN_TENSOR, 1, tensor);
    pin(RK_PLAN_CONTEXT, 1, one);
    pin(RK_PLAN_ACTIVATION_OFFLOAD, 2, offload);
    cr_assert(search());
    cr_expect_leq(answer.prediction.stage[0].away_bytes[0], machine.memory[1].capacity_bytes);
    check("lower memory");
    rk_system_release(&machine);
}
