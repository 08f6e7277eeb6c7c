#include "plan/layers.h"

#include <string.h>

struct rk_local plan_layer(const struct plan_layers *at)
{
    const struct rk_plan *plan = at->plan;
    const int number = at->segment < plan->segments ? plan->segment[at->segment].local : 0;
    struct rk_local local = number ? plan->other[number - 1] : plan->local;
    if (plan->recompute_layers && at->of_stage >= plan->recompute_layers) local.recompute = RK_KEEP;
    return local;
}

void plan_layers_next(struct plan_layers *at)
{
    const struct rk_plan *plan = at->plan;
    if (++at->of_stage == rk_plan_split(plan, at->model, at->stage)) {
        at->of_stage = 0;
        at->stage++;
    }
    if (at->segment < plan->segments && ++at->of_segment == plan->segment[at->segment].layers) {
        at->of_segment = 0;
        at->segment++;
    }
}

static bool same(const struct rk_local *a, const struct rk_local *b)
{
    struct rk_local x = *a;
    x.microbatch = b->microbatch;
    return memcmp(&x, b, sizeof x) == 0;
}

/* The plan's number of a local part, new or not; -1: there are too many. */
static int number_of(struct rk_plan *plan, const struct rk_local *local)
{
    if (same(&plan->local, local)) return 0;
    for (int i = 0; i < plan->others; i++)
        if (same(&plan->other[i], local)) return i + 1;
    if (plan->others == RK_MAX_LOCALS) return -1;
    plan->other[plan->others] = *local;
    plan->other[plan->others++].microbatch = plan->microbatch;
    return plan->others;
}

bool plan_add_layer(struct rk_plan *plan, const struct rk_local *local)
{
    const int number = number_of(plan, local);
    struct rk_segment *last = plan->segments ? &plan->segment[plan->segments - 1] : NULL;
    if (number < 0) return false;
    if (last && last->local == number) {
        last->layers++;
        return true;
    }
    if (plan->segments == RK_MAX_SEGMENTS) return false;
    plan->segment[plan->segments++] = (struct rk_segment){1, (uint16_t)number};
    return true;
}

struct rk_plan plan_of_local(const struct rk_plan *plan, int local)
{
    struct rk_plan own = *plan;
    own.segments = own.others = 0;
    if (local == 0) return own;
    own.local = plan->other[local - 1];
    own.microbatch = plan->microbatch * own.tensor * own.context / (plan->tensor * plan->context);
    return own;
}

int plan_local_of(const struct rk_plan *plan, uint64_t block)
{
    uint64_t end = 0;
    for (int i = 0; i < plan->segments; i++) {
        end += plan->segment[i].layers;
        if (block < end) return plan->segment[i].local;
    }
    return 0;
}
