/* groups.c - who talks to whom: the ranks of each parallelism in the order of plan.h. */
#include "estimate/fold.h"

static bool pipeline_inside(const struct rk_plan *plan)
{
    return plan->order == RK_ORDER_TP_CP_PP_DP;
}

struct rank_group group_of_tensor(const struct rk_plan *plan)
{
    return (struct rank_group){(double)plan->tensor, 1};
}

struct rank_group group_of_context(const struct rk_plan *plan)
{
    return (struct rank_group){(double)plan->context, (double)plan->tensor};
}

struct rank_group group_of_pipeline(const struct rk_plan *plan)
{
    const uint64_t inner = plan->tensor * plan->context;
    const uint64_t stride = pipeline_inside(plan) ? inner : inner * rk_plan_data(plan);
    return (struct rank_group){(double)plan->pipeline, (double)stride};
}

struct rank_group group_of_expert_tensor(const struct rk_plan *plan)
{
    return (struct rank_group){(double)rk_plan_expert_tensor(plan), 1};
}

struct rank_group group_of_expert(const struct rk_plan *plan)
{
    return (struct rank_group){(double)plan->expert, (double)rk_plan_expert_tensor(plan)};
}

/* Innermost rank distance of the data-parallel ranks, context among them. With the pipeline inside,
 * context ranks are nearer than data ranks: the distance of most of them counts. */
static double data_stride(const struct rk_plan *plan, bool expert)
{
    const uint64_t width = expert ? rk_plan_expert_tensor(plan) * plan->expert : plan->tensor;
    const bool apart = pipeline_inside(plan) && (expert || plan->context == 1);
    return (double)(width * (apart ? plan->pipeline : 1));
}

struct rank_group group_of_shards(const struct rk_plan *plan, bool expert)
{
    const uint64_t ranks = expert ? rk_plan_expert_shards(plan) : rk_plan_shards(plan);
    return (struct rank_group){(double)ranks, data_stride(plan, expert)};
}

struct rank_group group_of_copies(const struct rk_plan *plan, bool expert)
{
    const struct rank_group shards = group_of_shards(plan, expert);
    const uint64_t all = expert ? rk_plan_expert_data(plan) : rk_plan_data(plan) * plan->context;
    return (struct rank_group){(double)all / shards.ranks, shards.stride * shards.ranks};
}
