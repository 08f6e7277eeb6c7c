#include "plan/layers.h"

#include <string.h>

struct rk_local plan_layer(const struct plan_layers *at)
{
    const struct rk_plan *plan = at->plan;
    const struct rk_layout *layout = rk_plan_layout(plan);
    const int number = at->segment < layout->segments ? layout->segment[at->segment].local : 0;
    struct rk_local local = number ? layout->other[number - 1] : plan->local;
    if (plan->recompute_layers && at->of_stage >= plan->recompute_layers) local.recompute = RK_KEEP;
    return local;
}

void plan_layers_next(struct plan_layers *at)
{
    const struct rk_plan *plan = at->plan;
    const struct rk_layout *layout = rk_plan_layout(plan);
    if (++at->of_stage == rk_plan_split(plan, at->model, at->stage)) {
        at->of_stage = 0;
        at->stage++;
    }
    if (at->segment < layout->segments && ++at->of_segment == layout->segment[at->segment].layers) {
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

int plan_same_local(const struct rk_plan *plan, int local)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    if (local == 0 || same(&plan->local, &layout->other[local - 1])) return 0;
    int first = 1;
    while (!same(&layout->other[first - 1], &layout->other[local - 1]))
        first++;
    return first;
}

bool plan_is_alike(const struct rk_plan *plan)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    for (int i = 0; i < layout->segments; i++)
        if (plan_same_local(plan, layout->segment[i].local) != 0) return false;
    return true;
}

/* The layout's number of a local part, new or not; -1: there are too many. */
static int number_of(struct rk_layout *layout, const struct rk_plan *plan,
                     const struct rk_local *local)
{
    if (same(&plan->local, local)) return 0;
    for (int i = 0; i < layout->others; i++)
        if (same(&layout->other[i], local)) return i + 1;
    if (layout->others == RK_MAX_LOCALS) return -1;
    layout->other[layout->others] = *local;
    layout->other[layout->others++].microbatch = plan->microbatch;
    return layout->others;
}

bool layout_add_layer(struct rk_layout *layout, const struct rk_plan *plan,
                      const struct rk_local *local)
{
    const int number = number_of(layout, plan, local);
    struct rk_segment *last = layout->segments ? &layout->segment[layout->segments - 1] : NULL;
    if (number < 0) return false;
    if (last && last->local == number) {
        last->layers++;
        return true;
    }
    if (layout->segments == RK_MAX_SEGMENTS) return false;
    layout->segment[layout->segments++] = (struct rk_segment){1, (uint16_t)number};
    return true;
}

struct rk_plan plan_kept(const struct rk_plan *plan)
{
    struct rk_plan kept = *plan;
    kept.layout = rk_layout_keep(rk_plan_layout(plan));
    return kept;
}

void layout_be_alike(struct rk_layout *layout)
{
    layout->segments = layout->others = layout->parts = 0;
    layout->round = 0;
}

struct rk_plan plan_alike(const struct rk_plan *plan)
{
    struct rk_plan alike = *plan;
    if (!rk_plan_layout(plan)->segments) return alike;
    struct rk_layout layout = *plan->layout;
    layout_be_alike(&layout);
    alike.layout = rk_layout_keep(&layout);
    return alike;
}

void plan_set_split(struct rk_plan *plan, const uint16_t *split, int splits)
{
    struct rk_layout layout = *rk_plan_layout(plan);
    layout.splits = splits;
    memcpy(layout.split, split, (size_t)splits * sizeof *split);
    plan->layout = rk_layout_keep(&layout);
}

void plan_be_even(struct rk_plan *plan)
{
    if (rk_plan_layout(plan)->splits) plan_set_split(plan, rk_layout_even.split, 0);
}

struct rk_plan plan_of_local(const struct rk_plan *plan, int local)
{
    struct rk_plan own = plan_alike(plan);
    if (local == 0) return own;
    own.local = rk_plan_layout(plan)->other[local - 1];
    own.microbatch = plan->microbatch * own.tensor * own.context / (plan->tensor * plan->context);
    return own;
}

int plan_local_of(const struct rk_plan *plan, uint64_t block)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    uint64_t end = 0;
    for (int i = 0; i < layout->segments; i++) {
        end += layout->segment[i].layers;
        if (block < end) return layout->segment[i].local;
    }
    return 0;
}
