#include "search/layerwise.h"

#include "plan/layers.h"

/* Layers of virtual stage `part`: those of its stage as evenly as it goes, the first ones longer.
 */
static uint64_t layers_of(const struct rk_plan *plan, const struct rk_model *model, uint64_t chunks,
                          uint64_t part)
{
    const uint64_t all = rk_plan_split(plan, model, part % plan->pipeline);
    return all / chunks + (part / plan->pipeline < all % chunks);
}

/* The layer `skip` layers after the first one of a stage. */
static struct plan_layers layer_at(const struct rk_plan *plan, const struct rk_model *model,
                                   uint64_t stage, uint64_t skip)
{
    struct plan_layers at = {.plan = plan, .model = model};
    for (uint64_t i = 0; i < stage; i++)
        skip += rk_plan_split(plan, model, i);
    while (skip--)
        plan_layers_next(&at);
    return at;
}

bool layerwise_interleave(const struct rk_plan *plan, const struct rk_model *model, uint64_t chunks,
                          struct rk_plan *to, struct rk_layout *layout)
{
    const uint64_t parts = plan->pipeline * chunks;
    uint64_t taken[RK_MAX_STAGES] = {0};
    if (plan->chunks != 1 || plan->pipeline == 1 || parts > RK_MAX_CHUNKS) return false;
    *layout = (struct rk_layout){.splits = (int)parts};
    *to = *plan;
    to->schedule = RK_1F1B;
    to->chunks = chunks;
    to->recompute_layers = 0;
    for (uint64_t part = 0; part < parts; part++) {
        const uint64_t stage = part % plan->pipeline, layers = layers_of(plan, model, chunks, part);
        struct plan_layers at = layer_at(plan, model, stage, taken[stage]);
        if (!layers) return false; /* nobody launches a virtual stage without */
        layout->split[part] = (uint16_t)layers;
        taken[stage] += layers;
        for (uint64_t i = 0; i < layers; i++, plan_layers_next(&at)) {
            const struct rk_local local = plan_layer(&at);
            if (!layout_add_layer(layout, to, &local)) return false;
        }
    }
    if (!layout->others) layout->segments = 0;
    to->layout = layout;
    return true;
}
