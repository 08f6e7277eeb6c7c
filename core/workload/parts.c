#include "workload/parts.h"
#include "plan/habits.h"
#include "workload/pattern.h"

static unsigned parts_of_model(const struct rk_model *model)
{
    const bool dense = has_dense_mlps(model);
    return ATTENTION | ACTIVATION | NORM | (model->kv_rank ? UP_PROJECTION : 0) |
           (dense ? MLP : 0) | (model->experts ? MIXTURE : 0) |
           (model->shared_experts || model->shared_feedforward ? SHARED : 0);
}

unsigned plan_parts(const struct rk_model *model, const struct rk_plan *plan)
{
    const unsigned parts = parts_of_model(model);
    if (!habits_of(plan)->parts_by_kernels) return parts;
    if (plan->precision == RK_FP8_DELAYED) return parts & ~(unsigned)(ACTIVATION | NORM);
    return model->experts && plan->grouped ? parts : parts & ~(unsigned)ACTIVATION;
}

bool parts_start(enum rk_framework framework, unsigned parts)
{
    const struct habits *h = &habits_of_framework[framework];
    return h->one_selection ? parts == (NORM | ACTIVATION) : !h->no_selection;
}
