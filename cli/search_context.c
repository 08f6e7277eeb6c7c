#include "cli/search_context.h"

#include "base/units.h"
#include "cli/verdict.h"
#include "plan/habits.h"

#include <inttypes.h>

bool search_is_of_data(const struct rk_plans_problem *problem)
{
    return !problem->unstartable && !problem->system->machine && problem->base.ranks > 1 &&
           !problem->pinned[RK_PLAN_CONTEXT].count && !problem->pinned[RK_PLAN_TENSOR].count &&
           habits_of(&problem->base)->libraries && rk_plan_is_torchs(&problem->base);
}

const char *search_context_text(struct report *report, const struct rk_plans_problem *problem,
                                double room)
{
    static const enum rk_plan_axis offloads[] = {RK_PLAN_ACTIVATION_OFFLOAD,
                                                 RK_PLAN_OPTIMIZER_OFFLOAD, RK_PLAN_WEIGHT_OFFLOAD};
    struct rk_plans_problem wider = *problem;
    struct rk_found found;
    char step[QUANTITY_TEXT];
    if (!search_is_of_data(problem)) return NULL;
    wider.pinned[RK_PLAN_CONTEXT].count = 1;
    wider.pinned[RK_PLAN_CONTEXT].value[0] = 2;
    wider.pinned[RK_PLAN_CONTEXT].to[0] = problem->base.ranks;
    for (size_t i = 0; i < sizeof offloads / sizeof *offloads; i++) {
        wider.pinned[offloads[i]].count = 1;
        wider.pinned[offloads[i]].value[0] = wider.pinned[offloads[i]].to[0] = 0;
    }
    if (!rk_find(&wider, &(struct rk_aim){.room = room}, &found)) return NULL;
    const double chance =
        rk_fit_chance(problem->model, problem->system, &found.plan, found.outcome.hbm_bytes);
    return report_text(
        report, "  not in the default space: cp%" PRIu64 " fits without offload, %s per step, %s",
        found.plan.context, quantity_format(step, QUANTITY_SECONDS, found.outcome.step_s),
        verdict_chance(report, chance));
}
