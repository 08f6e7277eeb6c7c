/* serve.c - the best layout of GPUs for inference: every split, with powers of two of its batch. */
#include "base/limits.h"
#include "base/memory.h"
#include "machine/part.h"

#include <reckon/serve.h>

#include <stdlib.h>

struct layout {
    struct rk_serve_layout found; /* of its best batch; 0: none is within the limits */
    int index;
};

struct layouts {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_serving *serving;
    const struct rk_serve_limits *limits;
    int count;
    struct layout *layout; /* (count) */
    bool no_memory;
};

static bool within(const struct rk_served *served, const struct rk_serve_limits *limits)
{
    return served->verdict == RK_FITS &&
           !(limits->first_s > 0 && served->alone.step_s > limits->first_s) &&
           !(limits->token_s > 0 && served->mean_token_s > limits->token_s);
}

/* Batches of a sequence for each data rank and powers of two of that, while they fit. */
static void best_batch(const struct layouts *all, struct rk_serve_layout *found)
{
    struct rk_serving serving = *all->serving;
    struct rk_served served;
    serving.batch = rk_plan_data(&found->plan);
    do {
        if (!serving.batch) return;
        rk_serve(all->model, all->system, &found->plan, &serving, &served);
        const bool better = within(&served, all->limits) &&
                            (!found->batch || served.tokens_per_s > found->served.tokens_per_s);
        if (better) {
            found->served = served;
            found->batch = serving.batch;
        }
        serving.batch *= 2;
    } while (served.timed && serving.batch <= served.most_batch && serving.batch <= MOST_BATCH);
}

static void add_layout(struct layouts *all, const struct rk_plan *plan)
{
    all->no_memory |= !ARRAY_ROOM(all->layout, all->count);
    if (all->no_memory) return;
    struct layout *layout = &all->layout[all->count];
    *layout = (struct layout){.found = {.plan = *plan}, .index = all->count};
    best_batch(all, &layout->found);
    all->count += layout->found.batch > 0;
}

/* Experts whole on each tensor rank or cut there, shared by all tensor ranks, or by all ranks of a
 * stage. */
static void add_experts(struct layouts *all, struct rk_plan *plan)
{
    const uint64_t tensor = plan->tensor, ranks = tensor * rk_plan_data(plan);
    plan->expert = 1;
    plan->expert_tensor = 0;
    add_layout(all, plan);
    if (!all->model->experts) return;
    plan->expert_tensor = 1;
    plan->expert = tensor;
    if (tensor > 1) add_layout(all, plan);
    plan->expert = ranks;
    if (ranks > tensor) add_layout(all, plan);
}

static void add_splits(struct layouts *all, const struct rk_plan *asked)
{
    struct rk_plan plan = *asked;
    for (uint64_t pipeline = 1; pipeline <= plan.ranks; pipeline *= 2)
        for (uint64_t tensor = 1; tensor * pipeline <= plan.ranks; tensor *= 2) {
            if (plan.ranks % (tensor * pipeline)) continue;
            plan.tensor = tensor;
            plan.pipeline = pipeline;
            add_experts(all, &plan);
        }
}

static int by_rate(const void *a, const void *b)
{
    const struct layout *x = a, *y = b;
    const double p = x->found.served.tokens_per_s, q = y->found.served.tokens_per_s;
    return p != q ? (p < q) - (p > q) : x->index - y->index;
}

/* Copies the best of them. */
static void take(struct layouts *all, struct rk_serve_layouts *out)
{
    const size_t count = (size_t)all->count, top = (size_t)all->limits->top;
    const size_t taken = top && top < count ? top : count;
    out->layout = count ? calloc(taken, sizeof *out->layout) : NULL;
    all->no_memory |= count && !out->layout;
    if (!out->layout) return;
    qsort(all->layout, count, sizeof *all->layout, by_rate);
    for (size_t i = 0; i < taken; i++)
        out->layout[i] = all->layout[i].found;
    out->count = taken;
}

enum rk_status rk_serve_layouts(const struct rk_model *model, const struct rk_system *system,
                                const struct rk_plan *plan, const struct rk_serving *serving,
                                const struct rk_serve_limits *limits, bool search,
                                struct rk_serve_layouts *out, struct rk_error *error)
{
    struct roomy_system roomy;
    struct layouts all = {.model = model, .serving = serving, .limits = limits};
    *out = (struct rk_serve_layouts){.leaves_room = true};
    all.system = search ? system_with_room(&roomy, system, limits->room) : system;
    if (search)
        add_splits(&all, plan);
    else
        add_layout(&all, plan);
    if (!all.count && !all.no_memory && all.system != system) {
        all.system = system;
        out->leaves_room = false;
        add_splits(&all, plan);
    }
    if (!all.no_memory) take(&all, out);
    free(all.layout);
    return all.no_memory ? no_memory(error) : RK_OK;
}

void rk_serve_layouts_release(struct rk_serve_layouts *layouts)
{
    free(layouts->layout);
    *layouts = (struct rk_serve_layouts){.count = 0};
}
