/* What people run is in the default space, or among what docs/search.md says is left out: plans of
 * the measured runs of Megatron-LM and FSDP that pass the checker. */
#include "facts/facts.h"
#include "facts/judge.h"
#include "search/plans_axes.h"

#include <criterion/criterion.h>
#include <reckon/check.h>
#include <stdlib.h>
#include <string.h>

/* Axes of which the default space leaves out values that somebody ran: the table there. */
static const char *const left_out[] = {"precision",
                                       "attention",
                                       "dispatcher",
                                       "tensor-overlap",
                                       "gradient-overlap",
                                       "weight-overlap",
                                       "zero",
                                       "schedule",
                                       "shard-ranks",
                                       "recompute",
                                       "context",
                                       "recompute-layers",
                                       "context-kind",
                                       "microbatch",
                                       "chunks",
                                       "sequence-parallel",
                                       "activation-offload",
                                       NULL};

static bool listed(const char *name)
{
    for (int i = 0; left_out[i]; i++)
        if (strcmp(left_out[i], name) == 0) return true;
    return false;
}

static bool offered_to(const struct rk_plans_problem *problem, enum rk_plan_axis axis,
                       const struct rk_plan *plan)
{
    const bool of_all = axis == RK_PLAN_PRECISION || axis == RK_PLAN_ATTENTION;
    struct offered offered;
    if (of_all) return rk_plan_axis_get(&problem->base, axis) == rk_plan_axis_get(plan, axis);
    const uint64_t value = rk_plan_axis_get(plan, axis);
    plan_axis_offer(&offered, problem, axis, plan);
    for (int i = 0; i < offered.count; i++)
        if (offered.value[i] == value) return true;
    return false;
}

Test(plans_people, what_they_run_is_there_or_named)
{
    static struct rk_findings findings;
    static struct judgement judgement;
    struct facts facts = {.count = 0};
    struct rules rules;
    struct rk_error error;
    int judged = 0, inside = 0;
    cr_assert_eq(rules_load(RECKON_TEST_SOURCE "/data/measured/rules.json", &rules, &error), RK_OK);
    cr_assert_eq(facts_load(&facts, RECKON_TEST_SOURCE "/data/measured/runs.csv", &rules, &error),
                 RK_OK);
    for (size_t i = 0; i < facts.count; i++) {
        const struct fact *fact = &facts.fact[i];
        const struct rk_launch launch = {.pads = true, .lone_ends = true};
        struct rk_plans_problem problem;
        bool in = true;
        if (*fact->reason || fact->clusters || rk_plan_layout(&fact->plan)->segments) continue;
        if (fact->plan.framework != RK_MEGATRON && fact->plan.framework != RK_FSDP) continue;
        judge(fact, &judgement);
        struct rk_plan *plan = &judgement.plan;
        plan->expert_tensor = fact->model.experts ? rk_plan_expert_tensor(plan) : 0;
        findings.count = 0;
        rk_check_plan(&fact->model, &fact->system, plan, &launch, &findings);
        if (rk_findings_errors(&findings)) continue;
        judged++;
        rk_plans_problem_init(&problem, &fact->model, &fact->system, plan->framework, plan->ranks,
                              plan->batch, plan->sequence);
        for (int axis = 0; axis < RK_PLAN_TENSOR_COMM; axis++)
            if (!offered_to(&problem, (enum rk_plan_axis)axis, plan)) {
                in = false;
                cr_expect(listed(plan_axis_name(axis)), "%s: %s", fact->id, plan_axis_name(axis));
            }
        inside += in;
    }
    cr_expect_gt(judged, 1000, "%d", judged);
    cr_expect_gt(inside, 200, "%d", inside);
    facts_release(&facts);
    rules_release(&rules);
}
