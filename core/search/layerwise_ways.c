#include "base/memory.h"
#include "search/layerwise_shape.h"

#include "estimate/plan_check.h"
#include "search/plans_axes.h"

#include <math.h>
#include <stdlib.h>

enum { OFFLOAD_STEPS = 4, MOST_SAMPLES = 16 };

static bool pinned_to(const struct rk_plans_problem *problem, enum rk_plan_axis axis,
                      uint64_t value)
{
    if (!problem->pinned[axis].count) return true;
    for (int i = 0; i < problem->pinned[axis].count; i++)
        if (value >= problem->pinned[axis].value[i] &&
            value <= fmax(problem->pinned[axis].to[i], problem->pinned[axis].value[i]))
            return true;
    return false;
}

/* The largest value that is offered, of yes and no or an overlap. */
static uint64_t most_offered(const struct rk_plans_problem *problem, enum rk_plan_axis axis,
                             const struct rk_plan *plan)
{
    struct offered offered;
    uint64_t most = 0;
    plan_axis_offer(&offered, problem, axis, plan);
    for (int i = 0; i < offered.count; i++)
        if (offered.value[i] > most) most = offered.value[i];
    return most;
}

/* What goes with a tensor degree. */
static void set_width(struct rk_plan *plan, const struct rk_plans_problem *problem,
                      const struct rk_plan *base)
{
    plan->sequence_parallel =
        plan->tensor > 1 && most_offered(problem, RK_PLAN_SEQUENCE_PARALLEL, plan) > 0;
    plan->tensor_overlap =
        plan->tensor == 1 ? RK_OVERLAP_NONE
        : base->tensor > 1
            ? base->tensor_overlap
            : (enum rk_tensor_overlap)most_offered(problem, RK_PLAN_TENSOR_OVERLAP, plan);
    if (plan->tensor_overlap > RK_OVERLAP_RING) plan->tensor_overlap = RK_OVERLAP_RING;
}

static bool can_run(const struct shape *s, const struct rk_plan *plan)
{
    struct rk_reason reason;
    plan_check(s->model, s->system, plan, &reason);
    return reason.verdict == RK_FITS;
}

/* May embedding and head be run so? What a framework asks of a plan it asks of them. */
static bool can_be_end(const struct shape *s, const struct rk_plan *plan)
{
    struct rk_reason reason;
    const unsigned start = s->problem->unstartable ? 0 : 1u << CHECK_START;
    return rk_plan_offloaded(plan, RK_SHARE_ATTENTION) <= 0 &&
           plan_check_parts(s->model, s->system, plan, start, &reason) == PLAN_CHECKS;
}

static void add_way(struct shape *s, const struct rk_plan *plan)
{
    if (s->failed || !can_run(s, plan)) return;
    if (!ARRAY_ROOM(s->way, s->ways)) {
        s->failed = true;
        return;
    }
    s->way[s->ways++] = (struct way){.local = plan->local, .end = can_be_end(s, plan)};
}

/* ZeRO, recomputation and offload of a layout in which matrices are multiplied in one precision. */
static void add_manners(struct shape *s, const struct rk_plans_problem *problem,
                        const struct rk_plan *layout)
{
    struct offered zero, again;
    const bool offloads = most_offered(problem, RK_PLAN_ACTIVATION_OFFLOAD, layout) > 0;
    struct rk_plan plan = *layout;
    plan_axis_offer(&zero, problem, RK_PLAN_ZERO, layout);
    plan_axis_offer(&again, problem, RK_PLAN_RECOMPUTE, layout);
    for (int r = 0; r < again.count; r++)
        for (int z = 0; z < zero.count; z++)
            for (int part = 0; part <= (offloads ? OFFLOAD_STEPS : 0); part++) {
                rk_plan_axis_set(&plan, RK_PLAN_ZERO, zero.value[z]);
                rk_plan_axis_set(&plan, RK_PLAN_RECOMPUTE, again.value[r]);
                const bool little = plan.sequence_chunks <= 1; /* is left to offload */
                if (plan.recompute == RK_WHOLE && little && part) continue;
                rk_plan_offload_activations(&plan, (double)part / OFFLOAD_STEPS);
                add_way(s, &plan);
            }
}

/* Precisions and kinds of context parallelism, of which Ulysses is one. */
static void add_kinds(struct shape *s, const struct rk_plans_problem *problem,
                      const struct rk_plan *layout)
{
    struct offered kind, ulysses, precision;
    struct rk_plan plan = *layout;
    plan_axis_offer(&kind, problem, RK_PLAN_CONTEXT_KIND, &plan);
    plan_axis_offer(&precision, problem, RK_PLAN_PRECISION, &plan);
    for (int k = 0; k < kind.count; k++) {
        rk_plan_axis_set(&plan, RK_PLAN_CONTEXT_KIND, kind.value[k]);
        plan_axis_offer(&ulysses, problem, RK_PLAN_ULYSSES, &plan);
        for (int u = 0; u < ulysses.count; u++) {
            rk_plan_axis_set(&plan, RK_PLAN_ULYSSES, ulysses.value[u]);
            for (int p = 0; p < precision.count; p++) {
                rk_plan_axis_set(&plan, RK_PLAN_PRECISION, precision.value[p]);
                add_manners(s, problem, &plan);
            }
        }
    }
}

void shape_find_ways(struct shape *s, const struct rk_plans_problem *problem)
{
    const uint64_t group = s->base.ranks / s->base.pipeline;
    struct offered tensor, context;
    struct rk_plan plan = s->base;
    plan.layout = NULL;
    plan_axis_offer(&tensor, problem, RK_PLAN_TENSOR, &plan);
    for (int t = 0; t < tensor.count; t++) {
        plan.tensor = tensor.value[t];
        plan_axis_offer(&context, problem, RK_PLAN_CONTEXT, &plan);
        for (int c = 0; c < context.count; c++) {
            const uint64_t split = tensor.value[t] * context.value[c];
            plan.context = context.value[c];
            if (group % split || s->samples * split % group) continue;
            plan.microbatch = s->samples * split / group;
            if (plan.microbatch > MOST_SAMPLES ||
                !pinned_to(problem, RK_PLAN_MICROBATCH, plan.microbatch))
                continue;
            set_width(&plan, problem, &s->base);
            add_kinds(s, problem, &plan);
        }
        plan.context = 1;
    }
}
