/* The space of plans as a list: what is in it, what restrictions leave, and names of values. */
#include "drawn.h"
#include "plans_cases.h"

#include <inttypes.h>
#include <stdlib.h>

static struct rk_space *space_of(const struct rk_plans_problem *problem)
{
    struct rk_space *plans = rk_plans_open(problem, NULL);
    cr_assert_not_null(plans);
    return plans;
}

static void load(struct plans_case *c, const char *model, const char *system, uint64_t ranks,
                 uint64_t batch)
{
    struct rk_error error;
    cr_assert_eq(rk_model_load(model, &c->model, &error), RK_OK, "%s", error.text);
    cr_assert_eq(rk_system_load(system, &c->system, &error), RK_OK, "%s", error.text);
    rk_plans_problem_init(&c->problem, &c->model, &c->system, RK_MEGATRON, ranks, batch, 0);
}

static void only(struct rk_plans_problem *p, enum rk_plan_axis axis, uint64_t value)
{
    p->pinned[axis].count = 1;
    p->pinned[axis].value[0] = p->pinned[axis].to[0] = value;
}

static bool has_text(const struct rk_space *plans, const char *text)
{
    char words[RK_PLAN_TEXT];
    for (uint64_t i = 0; i < rk_space_count(plans); i++) {
        struct rk_plan plan;
        rk_plans_plan(plans, i, &plan);
        rk_plan_text(&plan, words, sizeof words);
        if (strcmp(words, text) == 0) return true;
    }
    return false;
}

/* By hand: 4 ranks and all degrees but tensor are 1: tensor 1, 2, 4; gpt2 has 12 heads, so all are
 * possible. Batch 4: microbatches are the divisors of 4 / data = 1, 2, 4, so 1, 2 and 3 of them.
 * One recomputation, ZeRO 0. With tensor 2 and 4 sequence parallelism is off, or on with messages
 * overlapped or not: 1*1 + 2*3 + 3*3. */
Test(plans_space, count_by_hand)
{
    struct plans_case c;
    load(&c, "gpt2-124m", "h100-sxm5-80g", 4, 4);
    only(&c.problem, RK_PLAN_PIPELINE, 1);
    only(&c.problem, RK_PLAN_CONTEXT, 1);
    only(&c.problem, RK_PLAN_RECOMPUTE, RK_RECOMPUTE_VALUE(RK_KEEP, 0));
    only(&c.problem, RK_PLAN_ZERO, 0);
    struct rk_space *plans = space_of(&c.problem);
    cr_expect_eq(rk_space_count(plans), 16, "%" PRIu64, rk_space_count(plans));
    rk_space_close(plans);
    rk_system_release(&c.system);
}

/* What the big runs of the last years did is in the usual space of their model, size and batch:
 * Llama 3.1 405B on 8,192 and DeepSeek-V3 on 2,048 GPUs, as their reports say. */
Test(plans_space, published_plans_are_in_it)
{
    struct plans_case c;
    load(&c, "llama3.1-405b", "h100-sxm5-80g", 8192, 2048);
    only(&c.problem, RK_PLAN_TENSOR, 8);
    only(&c.problem, RK_PLAN_PIPELINE, 16);
    only(&c.problem, RK_PLAN_CHUNKS, 8);
    only(&c.problem, RK_PLAN_ZERO, 1);
    struct rk_space *plans = space_of(&c.problem);
    cr_expect(has_text(plans,
                       "dp64 tp8 pp16 vpp8 gbs2048 embedding-counts head-counts sp tp-overlap "
                       "zero1 grad-overlap weight-overlap"));
    rk_space_close(plans);
    rk_system_release(&c.system);

    load(&c, "deepseek-v3", "h800-sxm5-80g", 2048, 15360);
    only(&c.problem, RK_PLAN_TENSOR, 1);
    only(&c.problem, RK_PLAN_PIPELINE, 16);
    only(&c.problem, RK_PLAN_CONTEXT, 1);
    only(&c.problem, RK_PLAN_EXPERT, 64);
    only(&c.problem, RK_PLAN_ZERO, 1);
    only(&c.problem, RK_PLAN_MICROBATCH, 1);
    only(&c.problem, RK_PLAN_SCHEDULE, RK_DUALPIPE);
    only(&c.problem, RK_PLAN_SPLIT, RK_SPLIT_EVEN);
    plans = space_of(&c.problem);
    cr_expect(has_text(plans, "dp128 pp16 ep64 etp1 gbs15360 schedule=dualpipe zero1 grad-overlap "
                              "weight-overlap recompute=selective:moe_act+layernorm+mla_up_proj"));
    rk_space_close(plans);
    rk_system_release(&c.system);
}

static void check_others(const struct rk_space *plans, const struct rk_space *fewer,
                         enum rk_plan_axis axis, uint64_t value, uint64_t seed)
{
    struct rk_plan plan, other;
    uint64_t at = 0;
    for (uint64_t i = 0; i < rk_space_count(fewer); i++) {
        rk_plans_plan(fewer, i, &other);
        if (rk_plan_axis_get(&other, axis) == value) continue;
        for (bool same = false; !same; at++) {
            cr_assert(at < rk_space_count(plans), "seed %" PRIu64 ": %s brings another value", seed,
                      rk_plan_axis_info(axis)->name);
            rk_plans_plan(plans, at, &plan);
            same = memcmp(&plan, &other, sizeof plan) == 0;
        }
    }
}

/* A restricted space has all plans with that value, in the same order; beside them those for which
 * the axis means nothing, and plans that are unusual unless they are asked for, which have the
 * value too. */
static void check_restricted(const struct rk_plans_problem *all, uint64_t seed)
{
    struct random r = {seed};
    struct rk_plans_problem restricted = *all;
    struct rk_space *plans = space_of(all);
    const uint64_t count = rk_space_count(plans);
    const enum rk_plan_axis axis = (enum rk_plan_axis)below(&r, RK_PLAN_AXES);
    struct rk_plan plan, other;
    const bool ours = rk_plan_axis_info(axis)->by & RK_BY_RECKON;
    if (count == 0 || !ours || axis == RK_PLAN_SPLIT || all->pinned[axis].count) {
        rk_space_close(plans);
        return;
    }
    rk_plans_plan(plans, below(&r, count), &plan);
    const uint64_t value = rk_plan_axis_get(&plan, axis);
    only(&restricted, axis, value);
    struct rk_space *fewer = space_of(&restricted);
    uint64_t at = 0, with = 0;
    for (uint64_t i = 0; i < count; i++) {
        rk_plans_plan(plans, i, &plan);
        if (rk_plan_axis_get(&plan, axis) != value) continue;
        for (bool same = false; !same; at++) {
            cr_assert(at < rk_space_count(fewer),
                      "seed %" PRIu64 ": %s leaves out a plan with its value", seed,
                      rk_plan_axis_info(axis)->name);
            rk_plans_plan(fewer, at, &other);
            same = memcmp(&plan, &other, sizeof plan) == 0;
        }
        with++;
    }
    cr_expect(with > 0);
    check_others(plans, fewer, axis, value, seed);
    rk_space_close(fewer);
    rk_space_close(plans);
}

Test(plans_space, restricted_has_all_with_the_value)
{
    const struct drawn cases = drawn_cases(DRAWN(200), 4000);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct plans_case c;
        draw_case(&c, seed, 3000);
        check_restricted(&c.problem, seed);
        rk_system_release(&c.system);
    }
}

/* Every plan uses all ranks and the whole batch; no two of them are the same. */
Test(plans_space, plans_are_whole_and_different)
{
    const struct drawn cases = drawn_cases(DRAWN(100), 2000);
    for (uint64_t seed = cases.first; seed < cases.end; seed++) {
        struct plans_case c;
        draw_case(&c, seed, 800);
        struct rk_space *plans = space_of(&c.problem);
        const uint64_t count = rk_space_count(plans);
        struct rk_plan *plan = calloc(count + 1, sizeof *plan);
        for (uint64_t i = 0; i < count; i++) {
            const bool repeated = !rk_plans_plan(plans, i, &plan[i]);
            const struct rk_plan *p = &plan[i];
            cr_assert_eq(p->tensor * p->context * p->pipeline * rk_plan_data(p), p->ranks);
            cr_assert_eq(p->batch % (rk_plan_data(p) * p->microbatch), 0);
            for (uint64_t k = 0; k < i && !repeated; k++)
                cr_assert(
                    memcmp(&plan[k], p, sizeof *p) != 0 ||
                        (rk_plan_layout(p)->splits == 0 && rk_plan_layout(&plan[k])->splits == 0),
                    "seed %" PRIu64 ": plans %" PRIu64 " and %" PRIu64 " are the same", seed, k, i);
        }
        free(plan);
        rk_space_close(plans);
        rk_system_release(&c.system);
    }
}

Test(plans_space, impossible_problems_have_no_plans)
{
    struct plans_case c;
    load(&c, "gpt2-124m", "h100-sxm5-80g", 8, 4);
    only(&c.problem, RK_PLAN_TENSOR, 3); /* no divisor of 8 */
    struct rk_space *plans = space_of(&c.problem);
    cr_expect_eq(rk_space_count(plans), 0);
    for (int mode = 0; mode <= RK_SEARCH_TWIN; mode++) {
        const struct rk_query options = {.mode = (enum rk_search_mode)mode, .top = 3};
        struct rk_answer result;
        cr_assert_eq(rk_ask(plans, &options, &result, NULL), RK_OK);
        cr_expect(result.found == 0 && result.complete && result.counts.total == 0);
        rk_answer_release(&result);
    }
    rk_space_close(plans);
    struct rk_error error;
    cr_expect_eq(rk_plans_best(&c.problem, NULL, NULL, &error), RK_NOTHING_FITS);
    rk_system_release(&c.system);
}

Test(plans_space, texts_of_values_are_read_back)
{
    char text[RK_PLAN_AXIS_TEXT];
    uint64_t value;
    for (int axis = 0; axis < RK_PLAN_AXES; axis++) {
        const struct rk_plan_axis_info *info = rk_plan_axis_info((enum rk_plan_axis)axis);
        for (uint64_t v = 0; v < 2 || (info->choices && v < 9 && info->choices[v]); v++) {
            if (info->type == RK_PLAN_PARTS && v == RK_SELECTIVE) continue;
            rk_plan_axis_text((enum rk_plan_axis)axis, v, text);
            cr_assert(rk_plan_axis_parse((enum rk_plan_axis)axis, text, &value), "%s", text);
            cr_expect_eq(value, v, "%s: %s", info->name, text);
        }
        cr_expect_not(rk_plan_axis_parse((enum rk_plan_axis)axis, "nonsense", &value));
        cr_expect_not(rk_plan_axis_parse((enum rk_plan_axis)axis, "", &value));
    }
    static const struct {
        const char *text;
        uint64_t value;
        double tier1, tier2;
    } shares[] = {{"0.25", RK_OFFLOAD_VALUE(1, 250), 0.25, 0},
                  {"1.5", RK_OFFLOAD_VALUE(2, 500), 0, 0.5},
                  {"0.007", RK_OFFLOAD_VALUE(1, 7), 0.007, 0},
                  {"2", RK_OFFLOAD_VALUE(2, 1000), 0, 1}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct rk_plan plan = rk_plan_default();
        cr_assert(rk_plan_axis_parse(RK_PLAN_ACTIVATION_OFFLOAD, shares[i].text, &value));
        cr_expect_eq(value, shares[i].value, "%s", shares[i].text);
        cr_expect_str_eq(rk_plan_axis_text(RK_PLAN_ACTIVATION_OFFLOAD, value, text),
                         shares[i].text);
        rk_plan_axis_set(&plan, RK_PLAN_ACTIVATION_OFFLOAD, value);
        cr_expect_eq(plan.share[RK_SHARE_MLP][0], shares[i].tier1);
        cr_expect_eq(plan.share[RK_SHARE_ATTENTION][1], shares[i].tier2);
        cr_expect_eq(rk_plan_axis_get(&plan, RK_PLAN_ACTIVATION_OFFLOAD), value);
    }
    cr_expect(rk_plan_axis_parse(RK_PLAN_ACTIVATION_OFFLOAD, "1.0", &value) && value == 1);
    cr_expect_not(rk_plan_axis_parse(RK_PLAN_ACTIVATION_OFFLOAD, "0.2505", &value));
    cr_expect_not(rk_plan_axis_parse(RK_PLAN_ACTIVATION_OFFLOAD, "0.", &value));
    cr_expect_not(rk_plan_axis_parse(RK_PLAN_ACTIVATION_OFFLOAD, ".5", &value));
    const uint64_t parts = RK_RECOMPUTE_VALUE(RK_SELECTIVE, 1u << RK_PART_NORM | 1u << RK_PART_MLP |
                                                                1u << RK_PART_UP_PROJECTION);
    rk_plan_axis_text(RK_PLAN_RECOMPUTE, parts, text);
    cr_expect_str_eq(text, "layernorm+mla_up_proj+mlp");
    cr_expect(rk_plan_axis_parse(RK_PLAN_RECOMPUTE, text, &value) && value == parts);
    cr_expect(rk_plan_axis_parse(RK_PLAN_RECOMPUTE, "full", &value) && value == RK_WHOLE);
    cr_expect_not(rk_plan_axis_parse(RK_PLAN_RECOMPUTE, "mlp+", &value));
}

/* The choices of an axis are the names that plans have for them, all of them. */
Test(plans_space, choices_are_the_names_of_plans)
{
    for (int i = 0; i < RK_SCHEDULES + 1; i++) {
        const char *name = rk_schedule_name((enum rk_schedule)i);
        const char *choice = rk_plan_axis_info(RK_PLAN_SCHEDULE)->choices[i];
        cr_expect(name == choice || strcmp(name, choice) == 0);
    }
    for (int i = 0; i < RK_CONTEXT_KINDS + 1; i++) {
        const char *name = rk_context_kind_name((enum rk_context_kind)i);
        const char *choice = rk_plan_axis_info(RK_PLAN_CONTEXT_KIND)->choices[i];
        cr_expect(name == choice || strcmp(name, choice) == 0);
    }
    for (int i = 0; i < RK_PRECISIONS + 1; i++) {
        const char *name = rk_precision_name((enum rk_precision)i);
        const char *choice = rk_plan_axis_info(RK_PLAN_PRECISION)->choices[i];
        cr_expect(name == choice || strcmp(name, choice) == 0);
    }
    for (int i = 0; i < RK_ATTENTION_KERNELS + 1; i++) {
        const char *name = rk_attention_kernel_name((enum rk_attention_kernel)i);
        const char *choice = rk_plan_axis_info(RK_PLAN_ATTENTION)->choices[i];
        cr_expect(name == choice || strcmp(name, choice) == 0);
    }
    for (int i = 0; i < RK_DISPATCHERS + 1; i++) {
        const char *name = rk_dispatcher_name((enum rk_dispatcher)i);
        const char *choice = rk_plan_axis_info(RK_PLAN_DISPATCHER)->choices[i];
        cr_expect(name == choice || strcmp(name, choice) == 0);
    }
}

/* Nothing is left out in silence. */
Test(plans_space, an_axis_with_too_many_values_is_refused)
{
    struct plans_case c;
    struct rk_error error = {.status = RK_OK};
    draw_case(&c, 1, 100);
    c.model.layers = 600;
    rk_plans_problem_init(&c.problem, &c.model, &c.system, RK_MEGATRON, 1, 1, 0);
    c.problem.pinned[RK_PLAN_RECOMPUTE].count = 1;
    c.problem.pinned[RK_PLAN_RECOMPUTE].value[0] = RK_RECOMPUTE_VALUE(RK_WHOLE, 0);
    c.problem.pinned[RK_PLAN_RECOMPUTE_LAYERS].count = 1;
    c.problem.pinned[RK_PLAN_RECOMPUTE_LAYERS].to[0] = 511;
    struct rk_space *space = rk_plans_open(&c.problem, &error);
    cr_assert_not_null(space, "%s", error.text);
    rk_space_close(space);
    c.problem.pinned[RK_PLAN_RECOMPUTE_LAYERS].to[0] = 512;
    cr_assert_null(rk_plans_open(&c.problem, &error));
    cr_assert_eq(error.status, RK_BAD_ARGUMENT);
    cr_assert(strstr(error.text, "recompute-layers"), "%s", error.text);
    rk_system_release(&c.system);
}
