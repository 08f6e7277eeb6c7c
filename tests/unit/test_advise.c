/* Limits, changes and sensitivities of today's plans, mixtures and context parallelism included:
 * compared with a walk through all plans, and with the same search on the changed machine. */
#include "search/conjuncts.h"
#include "search/plans_split.h"

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/reckon.h>
#include <stdio.h>
#include <string.h>

static struct rk_model model;

#define MACHINE                                                                                    \
    "matrix.bfloat16=300TFLOP/s vector.bfloat16=80TFLOP/s net0=300GB/s,size=4 "                    \
    "net1=25GB/s,size=65536 "

struct fixture {
    struct rk_system system;
    struct rk_plans_problem problem;
};

static void pin(struct fixture *f, enum rk_plan_axis axis, uint64_t value, uint64_t to)
{
    f->problem.pinned[axis].count = 1;
    f->problem.pinned[axis].value[0] = value;
    f->problem.pinned[axis].to[0] = to;
}

/* A mixture of `experts` experts (0: dense), few enough plans to walk through. */
static void set(struct fixture *f, uint64_t experts, const char *machine,
                enum rk_framework framework, uint64_t ranks, uint64_t batch)
{
    struct rk_error error;
    model = (struct rk_model){.id = "test",
                              .layers = 8,
                              .hidden = 2048,
                              .feedforward = 8192,
                              .heads = 16,
                              .head_dim = 128,
                              .vocabulary = 32000,
                              .sequence = 4096};
    if (experts) {
        model.experts = experts;
        model.active_experts = 2;
        model.expert_feedforward = 4096;
    }
    *f = (struct fixture){.system = {.memories = 0}};
    cr_assert_eq(rk_system_load(machine, &f->system, &error), RK_OK, "%s", error.text);
    rk_plans_problem_init(&f->problem, &model, &f->system, framework, ranks, batch, 0);
    pin(f, RK_PLAN_SCHEDULE, RK_1F1B, RK_1F1B);
    pin(f, RK_PLAN_SPLIT, RK_SPLIT_EVEN, RK_SPLIT_EVEN);
    pin(f, RK_PLAN_CHUNKS, 1, 1);
    pin(f, RK_PLAN_MICROBATCH, 1, 2);
}

static bool fits(const struct fixture *f)
{
    struct rk_error error;
    return rk_plans_best(&f->problem, NULL, NULL, &error) == RK_OK;
}

/* The least that any plan needs of memory tier 0, one at a time. */
static double least_need(const struct fixture *f)
{
    double least = INFINITY;
    struct rk_prediction p;
    struct rk_plan plan;
    struct rk_error error;
    struct rk_space *space = rk_plans_open(&f->problem, &error);
    for (uint64_t i = 0; i < rk_space_count(space); i++) {
        struct rk_reason reason;
        if (!rk_plans_plan(space, i, &plan) || plans_refuse(&f->problem, &plan, &reason)) continue;
        rk_predict(&model, &f->system, &plan, &p);
        if (p.timed) least = fmin(least, p.hbm_bytes);
    }
    rk_space_close(space);
    return least;
}

struct taken {
    int count;
    struct rk_change change[64];
};

static void take(void *context, const struct rk_change *change)
{
    struct taken *taken = context;
    taken->change[taken->count++] = *change;
}

static const struct rk_change *find(const struct taken *taken, enum rk_change_kind kind)
{
    for (int i = 0; i < taken->count; i++)
        if (taken->change[i].kind == kind) return &taken->change[i];
    cr_assert(false, "no change %s", rk_change_name(kind));
    return NULL;
}

static const struct rk_aim any = {.threads = 2};
static struct taken taken;

/* The memory that would do is exactly what the plan that needs least does; one byte less does not.
 */
static void check_memory(uint64_t experts, enum rk_framework framework)
{
    struct fixture f;
    struct rk_miss missed[RK_MISSES];
    set(&f, experts, MACHINE "hbm=1GiB@2TB/s", framework, 8, 16);
    cr_assert_not(fits(&f));
    const double least = least_need(&f);
    cr_assert_gt(rk_misses(&f.problem, &any, RK_LIMIT_MEMORY, 0, missed), 0);
    cr_expect_eq(missed[0].need, least, "%.17g, not %.17g", missed[0].need, least);
    cr_expect_eq(missed[0].have, 0x1p30);
    taken.count = 0;
    rk_changes(&f.problem, &any, take, &taken);
    const struct rk_change *more = find(&taken, RK_CHANGE_MEMORY);
    cr_assert(more->helps);
    cr_expect_eq(more->to, least);
    f.system.memory[0].capacity_bytes = least;
    cr_expect(fits(&f));
    f.system.memory[0].capacity_bytes = floor(least) - 1;
    cr_expect_not(fits(&f));
    rk_system_release(&f.system);
}

Test(advise, memory_of_a_dense_model)
{
    check_memory(0, RK_MEGATRON);
    check_memory(0, RK_FSDP);
}

Test(advise, memory_of_a_mixture)
{
    check_memory(8, RK_MEGATRON);
    check_memory(8, RK_DEEPSPEED);
}

/* Every change that is said to help does, and has the time that is said. */
Test(advise, changes_are_searches)
{
    struct fixture f;
    set(&f, 8, MACHINE "hbm=3GiB@2TB/s", RK_MEGATRON, 8, 16);
    pin(&f, RK_PLAN_ZERO, 0, 0);
    cr_assert_not(fits(&f));
    taken.count = 0;
    rk_changes(&f.problem, &any, take, &taken);
    int helped = 0;
    for (int i = 0; i < taken.count; i++) {
        const struct rk_change *c = &taken.change[i];
        struct fixture with = f;
        struct rk_prediction p;
        struct rk_error error;
        if (!c->helps || c->kind == RK_CHANGE_MEMORY || c->kind == RK_CHANGE_ADDED_MEMORY) continue;
        if (c->kind == RK_CHANGE_START) with.problem.unstartable = true;
        if (c->kind == RK_CHANGE_RESTRICTION) with.problem.pinned[c->axis].count = 0;
        if (c->kind == RK_CHANGE_MORE_GPUS || c->kind == RK_CHANGE_FEWER_GPUS)
            with.problem.base.ranks = (uint64_t)c->to;
        if (c->kind == RK_CHANGE_SMALLER_BATCH || c->kind == RK_CHANGE_LARGER_BATCH)
            with.problem.base.batch = (uint64_t)c->to;
        cr_assert_eq(rk_plans_best(&with.problem, NULL, &p, &error), RK_OK, "%s",
                     rk_change_name(c->kind));
        cr_expect_eq(p.step_s, c->found.outcome.step_s, "%s", rk_change_name(c->kind));
        helped++;
    }
    cr_expect_geq(helped, 1);
    cr_expect(find(&taken, RK_CHANGE_MORE_GPUS)->helps);
    rk_system_release(&f.system);
}

/* The second memory that is found holds what its plan offloads, and none of the plans that count
 * offloads less. */
Test(advise, memory_that_is_not_there)
{
    struct fixture f;
    set(&f, 8, MACHINE "hbm=4GiB@2TB/s", RK_MEGATRON, 8, 16);
    cr_assert_not(fits(&f));
    taken.count = 0;
    rk_changes(&f.problem, &any, take, &taken);
    const struct rk_change *added = find(&taken, RK_CHANGE_ADDED_MEMORY);
    cr_assert(added->helps);
    cr_expect_gt(added->to, 0);
    cr_expect_leq(added->found.outcome.offload_bytes, added->to);
    rk_system_release(&f.system);
}

/* More ranks than the outermost network joins: only that limit is named. */
Test(advise, network)
{
    struct fixture f;
    struct rk_miss missed[RK_MISSES];
    set(&f, 8,
        "matrix.bfloat16=300TFLOP/s vector.bfloat16=80TFLOP/s hbm=80GiB@2TB/s net0=300GB/s,size=4",
        RK_MEGATRON, 8, 16);
    cr_assert_not(fits(&f));
    cr_expect_eq(rk_misses(&f.problem, &any, RK_LIMIT_MEMORY, 0, missed), 0);
    cr_assert_gt(rk_misses(&f.problem, &any, RK_LIMIT_NETWORK, 0, missed), 0);
    cr_expect(missed[0].need == 8 && missed[0].have == 4);
    taken.count = 0;
    rk_changes(&f.problem, &any, take, &taken);
    cr_expect_eq(find(&taken, RK_CHANGE_NETWORK)->to, 8);
    cr_expect(find(&taken, RK_CHANGE_FEWER_GPUS)->helps);
    rk_system_release(&f.system);
}

/* What would be faster is named; it is faster by what the aim asks for, and satisfies `where`. */
Test(advise, better)
{
    struct fixture f;
    struct rk_found best;
    struct rk_aim aim = {.where = "context == 2", .threads = 2};
    set(&f, 8, MACHINE "hbm=12GiB@2TB/s", RK_MEGATRON, 8, 16);
    cr_assert(rk_find(&f.problem, &aim, &best));
    cr_expect_eq(best.plan.context, 2);
    aim.samples_per_s = 1.01 * best.outcome.samples_per_s;
    taken.count = 0;
    rk_changes(&f.problem, &aim, take, &taken);
    for (int i = 0; i < taken.count; i++) {
        const struct rk_change *c = &taken.change[i];
        if (!c->helps) continue;
        cr_expect_gt(c->found.outcome.samples_per_s, aim.samples_per_s);
        cr_expect_eq(c->found.plan.context, 2);
    }
    rk_system_release(&f.system);
}

/* Each effect against the searches that it stands for. */
Test(advise, sensitivity)
{
    struct fixture f;
    struct rk_effects effects;
    struct rk_error error;
    int checked = 0;
    set(&f, 8, MACHINE "hbm=16GiB@2TB/s", RK_MEGATRON, 8, 16);
    cr_assert_eq(rk_effects_find(&f.problem, &any, &effects, &error), RK_OK, "%s", error.text);
    for (int i = 0; i < effects.count; i++) {
        const struct rk_effect *e = &effects.effect[i];
        struct rk_prediction p;
        cr_expect(i == 0 || fabs(e->sensitivity) <= fabs(effects.effect[i - 1].sensitivity));
        if (strcmp(e->parameter, "bandwidth_Bps") != 0 || strcmp(e->part, "network") != 0) continue;
        double *bandwidth = &f.system.network[e->tier].bandwidth_Bps;
        const double now = *bandwidth;
        cr_expect_eq(now, e->value);
        *bandwidth = now * 0.9;
        cr_assert_eq(rk_plans_best(&f.problem, NULL, &p, &error), RK_OK);
        cr_expect_float_eq(p.step_s, e->less_s, 1e-12 * p.step_s);
        cr_expect_geq(e->less_s, effects.now_s);
        *bandwidth = now;
        checked++;
    }
    cr_expect_eq(checked, 2);
    rk_effects_release(&effects);
    rk_system_release(&f.system);
}

/* ---- calculon: any number of memories and networks ---- */

static void set_published(struct fixture *f, const char *machine, uint64_t ranks, uint64_t batch)
{
    struct rk_error error;
    model = (struct rk_model){.id = "test",
                              .layers = 24,
                              .hidden = 4096,
                              .feedforward = 16384,
                              .heads = 32,
                              .head_dim = 128,
                              .sequence = 2048};
    *f = (struct fixture){.system = {.memories = 0}};
    cr_assert_eq(rk_system_load(machine, &f->system, &error), RK_OK, "%s", error.text);
    rk_plans_problem_init(&f->problem, &model, &f->system, RK_CALCULON, ranks, batch, 0);
    f->problem.base.precision = RK_FP16;
}

/* What a plan needs of a memory tier, as the reason for its refusal says when there is none. */
static double need_of(const struct fixture *f, const struct rk_plan *plan, int tier)
{
    struct rk_system system = {0};
    struct rk_prediction p;
    double need = 0;
    cr_assert_eq(rk_system_copy(&system, &f->system, NULL), RK_OK);
    for (int i = 0; i < system.memories; i++)
        system.memory[i].capacity_bytes = i == tier ? 0 : INFINITY;
    rk_predict(&model, &system, plan, &p);
    for (int i = 0; i < p.reasons; i++)
        if (p.reason[i].tier == tier) need = p.reason[i].need;
    rk_system_release(&system);
    return need;
}

/* The least that a plan which only this memory tier refuses needs of it: one at a time. */
static double least_of_tier(const struct fixture *f, int tier)
{
    double least = INFINITY;
    struct rk_plan plan;
    struct rk_prediction p;
    struct rk_system system = {0};
    struct rk_space *space = rk_plans_open(&f->problem, NULL);
    cr_assert_eq(rk_system_copy(&system, &f->system, NULL), RK_OK);
    system.memory[tier].capacity_bytes = INFINITY;
    for (uint64_t i = 0; i < rk_space_count(space); i++) {
        rk_plans_plan(space, i, &plan);
        if (rk_predict(&model, &system, &plan, &p) == RK_FITS)
            least = fmin(least, need_of(f, &plan, tier));
    }
    rk_space_close(space);
    rk_system_release(&system);
    return least;
}

static void check_tier(struct fixture *f, int tier)
{
    const struct rk_change *change = NULL;
    const double least = least_of_tier(f, tier);
    for (int i = 0; i < taken.count; i++)
        if (taken.change[i].kind == RK_CHANGE_MEMORY && taken.change[i].tier == tier)
            change = &taken.change[i];
    cr_assert_not_null(change);
    cr_assert_eq(change->helps, isfinite(least), "tier %d", tier);
    if (!isfinite(least)) return;
    cr_assert_eq(change->to, least, "tier %d: %.17g, not %.17g", tier, change->to, least);
    double *capacity = &f->system.memory[tier].capacity_bytes;
    const double now = *capacity;
    *capacity = least;
    cr_assert(fits(f));
    *capacity = least - 1;
    cr_assert_not(fits(f));
    *capacity = now;
}

#define ENGINES  "matrix.float16=300TFLOP/s vector.float16=80TFLOP/s "
#define NETWORKS " net0=300GB/s,size=4 net1=25GB/s,size=65536"

static void check_machine(const char *machine, uint64_t ranks, uint64_t batch)
{
    struct fixture f;
    set_published(&f, machine, ranks, batch);
    cr_assert_not(fits(&f), "%s: something fits", machine);
    taken.count = 0;
    rk_changes(&f.problem, &any, take, &taken);
    for (int tier = 0; tier < f.system.memories; tier++)
        check_tier(&f, tier);
    rk_system_release(&f.system);
}

Test(advise_published, memories)
{
    check_machine(ENGINES "hbm=3GiB@2TB/s" NETWORKS, 8, 16);
    check_machine(ENGINES "hbm=2GiB@2TB/s mem2=6GiB@100GB/s" NETWORKS, 8, 8);
    check_machine(ENGINES "hbm=1GiB@2TB/s mem2=2GiB@100GB/s mem3=4GiB@10GB/s" NETWORKS, 4, 4);
}

/* A single memory: the second one that would do is found; a byte less does not do. */
Test(advise_published, memory_that_is_not_there)
{
    struct fixture f;
    set_published(&f, ENGINES "hbm=3GiB@2TB/s" NETWORKS, 8, 16);
    taken.count = 0;
    rk_changes(&f.problem, &any, take, &taken);
    const double to = find(&taken, RK_CHANGE_ADDED_MEMORY)->to;
    rk_system_release(&f.system);
    for (int less = 0; less < 2; less++) {
        char machine[256];
        snprintf(machine, sizeof machine, ENGINES "hbm=3GiB@2TB/s mem2=%.0fB@100GB/s" NETWORKS,
                 to - less);
        set_published(&f, machine, 8, 16);
        cr_expect_eq(fits(&f), !less, "%s", machine);
        rk_system_release(&f.system);
    }
}

/* The plan fits only on a larger domain, or without the restriction. */
Test(advise_published, network_and_restriction)
{
    struct fixture f;
    struct rk_miss missed[RK_MISSES];
    set_published(&f, ENGINES "hbm=80GiB@2TB/s" NETWORKS, 32, 32);
    pin(&f, RK_PLAN_TENSOR, 16, 16);
    pin(&f, RK_PLAN_TENSOR_NETWORK, 0, 0);
    cr_assert_not(fits(&f));
    taken.count = 0;
    rk_changes(&f.problem, &any, take, &taken);
    cr_expect_eq(find(&taken, RK_CHANGE_NETWORK)->to, 16);
    cr_expect(find(&taken, RK_CHANGE_RESTRICTION)->helps);
    cr_expect_not(find(&taken, RK_CHANGE_MEMORY)->helps);
    cr_assert_gt(rk_misses(&f.problem, &any, RK_LIMIT_NETWORK, 0, missed), 0);
    cr_expect(missed[0].need == 16 && missed[0].have == 4);
    rk_system_release(&f.system);
}

/* A batch whose activations do not fit: the largest that does is found. */
Test(advise_published, smaller_batch)
{
    struct fixture f;
    set_published(&f, ENGINES "hbm=17GiB@2TB/s" NETWORKS, 8, 64);
    pin(&f, RK_PLAN_TENSOR, 1, 1);
    pin(&f, RK_PLAN_PIPELINE, 8, 8);
    pin(&f, RK_PLAN_RECOMPUTE, RK_RECOMPUTE_VALUE(RK_KEEP, 0), RK_RECOMPUTE_VALUE(RK_KEEP, 0));
    pin(&f, RK_PLAN_CHUNKS, 1, 1);
    cr_assert_not(fits(&f));
    taken.count = 0;
    rk_changes(&f.problem, &any, take, &taken);
    const struct rk_change *smaller = find(&taken, RK_CHANGE_SMALLER_BATCH);
    cr_assert(smaller->helps);
    for (uint64_t more = 0; more < 2; more++) {
        f.problem.base.batch = (uint64_t)smaller->to + more;
        cr_expect_eq(fits(&f), !more, "batch %d", (int)f.problem.base.batch);
    }
    rk_system_release(&f.system);
}

static double sensitivity(const struct rk_effects *effects, const char *part, const char *parameter)
{
    for (int i = 0; i < effects->count; i++)
        if (strcmp(effects->effect[i].part, part) == 0 &&
            strcmp(effects->effect[i].parameter, parameter) == 0)
            return effects->effect[i].sensitivity;
    cr_assert(false, "no %s %s", part, parameter);
    return 0;
}

/* One GPU, no memory to spare time on: a step is work over rates, so that the sensitivities of the
 * rates add up to that of 1/x, which central differences of 10 % give as -1/(1 - 0.01). */
Test(advise_published, rates_add_up)
{
    struct fixture f;
    struct rk_effects effects;
    struct rk_error error;
    set_published(&f, ENGINES "hbm=unlimited@2TB/s processing=no_overlap" NETWORKS, 1, 8);
    pin(&f, RK_PLAN_MICROBATCH, 1, 1);
    pin(&f, RK_PLAN_RECOMPUTE, RK_RECOMPUTE_VALUE(RK_KEEP, 0), RK_RECOMPUTE_VALUE(RK_KEEP, 0));
    cr_assert_eq(rk_effects_find(&f.problem, &any, &effects, &error), RK_OK, "%s", error.text);
    const double matrix = sensitivity(&effects, "matrix", "peak_FLOPps");
    const double vector = sensitivity(&effects, "vector", "peak_FLOPps");
    const double memory = sensitivity(&effects, "memory", "bandwidth_Bps");
    cr_expect(matrix < 0 && vector < 0 && memory < 0);
    cr_expect_float_eq(matrix + vector + memory, -1 / 0.99, 1e-9, "%g + %g + %g", matrix, vector,
                       memory);
    rk_effects_release(&effects);
    rk_system_release(&f.system);
}

/* With headroom a plan still needs what it is predicted to; what is kept free is said apart. */
Test(advise, headroom_is_no_need)
{
    struct fixture f;
    struct rk_miss missed[RK_MISSES];
    const struct rk_aim roomy = {.threads = 2, .room = 0.75};
    set(&f, 0, MACHINE "hbm=1GiB@2TB/s", RK_MEGATRON, 8, 16);
    const double least = least_need(&f);
    cr_assert_gt(rk_misses(&f.problem, &roomy, RK_LIMIT_MEMORY, 0, missed), 0);
    cr_expect_eq(missed[0].need, least);
    cr_expect_eq(missed[0].have, 0x1p30);
    cr_expect_eq(missed[0].free, 0x1p28);
    taken.count = 0;
    rk_changes(&f.problem, &roomy, take, &taken);
    cr_expect_float_eq(find(&taken, RK_CHANGE_MEMORY)->to, least / 0.75, 1);
    rk_system_release(&f.system);
}

/* So many tokens in a time: a batch of half the size is allowed half the step. */
static bool at_pace(void *context, const struct rk_plans_problem *changed, char *where, size_t size)
{
    const double *batch_s = context;
    snprintf(where, size, "step_s < %.17g", *batch_s * (double)changed->base.batch);
    return true;
}

/* What a run asks of a step is asked of the size that is tried: a smaller batch, whose step is
 * shorter, does not make the run any faster. */
Test(advise, sizes_answer_the_whole_question)
{
    struct fixture f;
    char where[64];
    struct rk_prediction p;
    struct rk_error error;
    set(&f, 0, MACHINE "hbm=80GiB@2TB/s", RK_MEGATRON, 8, 64);
    cr_assert_eq(rk_plans_best(&f.problem, NULL, &p, &error), RK_OK);
    double batch_s = 0.9 * p.step_s / 64;
    snprintf(where, sizeof where, "step_s < %.17g", batch_s * 64);
    struct rk_aim aim = {.where = where, .threads = 2};
    taken.count = 0;
    rk_changes(&f.problem, &aim, take, &taken);
    cr_expect(find(&taken, RK_CHANGE_SMALLER_BATCH)->helps, "a step by itself");
    aim.where_at = at_pace;
    aim.context = &batch_s;
    taken.count = 0;
    rk_changes(&f.problem, &aim, take, &taken);
    cr_expect_not(find(&taken, RK_CHANGE_SMALLER_BATCH)->helps);
    const struct rk_change *more = find(&taken, RK_CHANGE_MORE_GPUS);
    cr_assert(more->helps);
    f.problem.base.ranks = (uint64_t)more->to;
    cr_assert_eq(rk_plans_best(&f.problem, NULL, &p, &error), RK_OK);
    cr_expect_lt(p.step_s, batch_s * 64);
    rk_system_release(&f.system);
}

Test(advise, longest_step_of_a_condition)
{
    const struct limits some =
        condition_limits("step_s < 5 and tp == 2 and 4s >= time and 20% < mfu", RK_MEGATRON);
    cr_expect_eq(some.longest_s, 4);
    cr_expect_eq(some.least_mfu, 0.2);
    cr_expect_eq(some.most_bytes, INFINITY);
    cr_expect_eq(condition_limits("step_s < 5 or tp == 2", RK_MEGATRON).longest_s, INFINITY);
    cr_expect_eq(condition_limits("not step_s < 5", RK_MEGATRON).longest_s, INFINITY);
    const struct limits other =
        condition_limits("step_s > 5 and hbm < 9GiB and mfu < 1 and hbm_bytes <= 8e9", RK_MEGATRON);
    cr_expect_eq(other.longest_s, INFINITY);
    cr_expect_eq(other.least_mfu, 0);
    cr_expect_eq(other.most_bytes, 8e9);
}
