/* published_plans.c - the published space as a space of plans: framework calculon. */
#include "calculon/plans.h"
#include "calculon/plan.h"
#include "calculon/strategies.h"
#include "search/calculon.h"

#include <inttypes.h>

/* ---- restrictions ---- */

static bool number_of(uint64_t value, uint64_t *number)
{
    *number = value;
    return true;
}

static bool sharding_of(uint64_t zero, uint64_t *number)
{
    *number = zero > 0;
    return zero <= 1;
}

static bool recompute_of(uint64_t value, uint64_t *number)
{
    const uint64_t core = RK_RECOMPUTE_VALUE(RK_SELECTIVE, 1 << RK_PART_CORE_ATTENTION);
    *number = value == core                              ? RK_RECOMPUTE_ATTENTION
              : value == RK_RECOMPUTE_VALUE(RK_WHOLE, 0) ? RK_RECOMPUTE_FULL
                                                         : RK_RECOMPUTE_NONE;
    return value == core || value == RK_WHOLE || value == RK_KEEP;
}

/* Axes of strategies by those of plans; what a value is called there. */
static const struct {
    enum rk_plan_axis from;
    enum rk_axis to;
    bool (*convert)(uint64_t value, uint64_t *number);
} axes[] = {
    {RK_PLAN_TENSOR, RK_AXIS_TENSOR, number_of},
    {RK_PLAN_PIPELINE, RK_AXIS_PIPELINE, number_of},
    {RK_PLAN_DATA, RK_AXIS_DATA, number_of},
    {RK_PLAN_CHUNKS, RK_AXIS_INTERLEAVING, number_of},
    {RK_PLAN_RECOMPUTE, RK_AXIS_RECOMPUTE, recompute_of},
    {RK_PLAN_ZERO, RK_AXIS_OPTIMIZER_SHARDING, sharding_of},
    {RK_PLAN_TENSOR_COMM, RK_AXIS_TENSOR_COMM, number_of},
    {RK_PLAN_REGATHER, RK_AXIS_REDO_ALL_GATHER, number_of},
    {RK_PLAN_GRADIENT_OVERLAP, RK_AXIS_DATA_OVERLAP, number_of},
    {RK_PLAN_TENSOR_OVERLAP, RK_AXIS_TENSOR_OVERLAP, number_of},
    {RK_PLAN_WEIGHT_OFFLOAD, RK_AXIS_WEIGHT_OFFLOAD, number_of},
    {RK_PLAN_ACTIVATION_OFFLOAD, RK_AXIS_ACTIVATION_OFFLOAD, number_of},
    {RK_PLAN_OPTIMIZER_OFFLOAD, RK_AXIS_OPTIMIZER_OFFLOAD, number_of},
    {RK_PLAN_FUSED, RK_AXIS_FUSED_ACTIVATION, number_of},
    {RK_PLAN_MICROBATCH, RK_AXIS_MICROBATCH, number_of},
    {RK_PLAN_TENSOR_NETWORK, RK_AXIS_TENSOR_NETWORK, number_of},
    {RK_PLAN_PIPELINE_NETWORK, RK_AXIS_PIPELINE_NETWORK, number_of},
    {RK_PLAN_DATA_NETWORK, RK_AXIS_DATA_NETWORK, number_of},
};

enum { AXES = sizeof axes / sizeof *axes };

static enum rk_status refuse(enum rk_plan_axis axis, uint64_t value, struct rk_error *error)
{
    char text[RK_PLAN_AXIS_TEXT];
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "framework calculon has no %s %s: leave it out, or choose another framework",
                   rk_plan_axis_info(axis)->name, rk_plan_axis_text(axis, value, text));
}

static enum rk_status restrict_axis(const struct rk_plans_problem *plans, int i,
                                    struct rk_problem *problem, struct rk_error *error)
{
    const int count = plans->pinned[axes[i].from].count;
    problem->pinned[axes[i].to].count = count ? count : problem->pinned[axes[i].to].count;
    for (int k = 0; k < count; k++) {
        const uint64_t low = plans->pinned[axes[i].from].value[k];
        const uint64_t high = plans->pinned[axes[i].from].to[k];
        uint64_t *value = &problem->pinned[axes[i].to].value[k];
        uint64_t *to = &problem->pinned[axes[i].to].to[k];
        if (!axes[i].convert(low, value)) return refuse(axes[i].from, low, error);
        if (!axes[i].convert(high > low ? high : low, to)) return refuse(axes[i].from, high, error);
    }
    return RK_OK;
}

static bool is_known(enum rk_plan_axis axis)
{
    for (int i = 0; i < AXES; i++)
        if (axes[i].from == axis) return true;
    return axis == RK_PLAN_PRECISION;
}

/* What all plans have: precision, sequence, and whether anything is asked that there is not. */
static enum rk_status take_base(const struct rk_plans_problem *plans, struct rk_problem *problem,
                                struct rk_error *error)
{
    struct rk_plan base = plans->base;
    struct rk_strategy strategy;
    struct rk_reason reason;
    if (plans->pinned[RK_PLAN_PRECISION].count > 1)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "framework calculon searches one precision at a time: give one");
    if (plans->pinned[RK_PLAN_PRECISION].count)
        base.precision = (enum rk_precision)plans->pinned[RK_PLAN_PRECISION].value[0];
    if (base.sequence == plans->model->sequence) base.sequence = 0;
    if (!strategy_of_plan(&base, plans->system, &strategy, &reason))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "framework calculon has no %s: leave it out", reason.what);
    if (base.sequence)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "framework calculon searches only with the model's sequence of %" PRIu64
                       " tokens: leave sequence out",
                       plans->model->sequence);
    rk_problem_init(problem, plans->model, plans->system, base.ranks, base.batch,
                    strategy.datatype);
    return RK_OK;
}

struct rk_space *published_plans_open(const struct rk_plans_problem *plans, struct rk_error *error)
{
    struct rk_problem problem;
    enum rk_status status = take_base(plans, &problem, error);
    for (int axis = 0; status == RK_OK && axis < RK_PLAN_AXES; axis++)
        if (plans->pinned[axis].count && !is_known((enum rk_plan_axis)axis))
            status = refuse((enum rk_plan_axis)axis, plans->pinned[axis].value[0], error);
    for (int i = 0; status == RK_OK && i < AXES; i++)
        status = restrict_axis(plans, i, &problem, error);
    if (status != RK_OK) return NULL;
    return rk_space_open(&problem, error);
}

/* ---- as the search sees it ---- */

bool published_plan_at(const struct rk_space *space, uint64_t index, struct rk_plan *plan)
{
    struct rk_strategy strategy;
    rk_space_strategy(space, index, &strategy);
    plan_of_strategy(&strategy, plan);
    return true;
}

void published_plan_predict(const struct rk_space *space, const struct rk_plan *plan,
                            struct outcome *to)
{
    struct rk_prediction prediction;
    predict_published(space->model, space->system, plan, &prediction);
    outcome_of(&prediction.outcome, to);
}
