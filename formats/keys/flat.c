#include "keys/flat.h"

#include "catalog/plan_compare.h"
#include "catalog/plan_stages.h"
#include "plan/layers.h"

#include <stdio.h>
#include <string.h>

static const struct rk_local *local_of(const struct rk_plan *plan, int segment)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    const int local = layout->segment[segment].local;
    return local ? &layout->other[local - 1] : &plan->local;
}

/* The plan as all its layers would be run in one way; the samples of all ranks stay. */
static struct rk_plan all_as(const struct rk_plan *plan, const struct rk_local *local)
{
    struct rk_plan flat = plan_alike(plan);
    const uint64_t samples = rk_plan_data(plan) * plan->microbatch;
    flat.local = *local;
    const uint64_t data = rk_plan_data(&flat);
    flat.microbatch = data && samples % data == 0 ? samples / data : local->microbatch;
    return flat;
}

/* The segment whose way most layers are run in. */
static int usual_segment(const struct rk_layout *layout)
{
    int best = 0;
    uint64_t most = 0;
    for (int i = 0; i < layout->segments; i++) {
        uint64_t layers = 0;
        for (int j = 0; j < layout->segments; j++)
            if (layout->segment[j].local == layout->segment[i].local)
                layers += layout->segment[j].layers;
        if (layers <= most) continue;
        most = layers;
        best = i;
    }
    return best;
}

/* The largest number of layers that a stage recomputes whole; `all`: does every stage recompute all
 * of its layers? */
static uint64_t most_recomputed(const struct rk_model *model, const struct rk_plan *plan, bool *all)
{
    struct plan_layers at = {.plan = plan, .model = model};
    uint64_t most = 0, again = 0;
    *all = true;
    for (uint64_t i = 0; i < model->layers; i++, plan_layers_next(&at)) {
        if (at.of_stage == 0) again = 0;
        if (plan_layer(&at).recompute == RK_WHOLE)
            again++;
        else
            *all = false;
        if (again > most) most = again;
    }
    return most;
}

struct rk_plan flat_plan(const struct rk_model *model, const struct rk_plan *plan)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    if (!layout->segments) return *plan;
    bool all;
    const struct rk_local *usual = local_of(plan, usual_segment(layout));
    const uint64_t most = most_recomputed(model, plan, &all);
    struct rk_plan flat = all_as(plan, usual);
    if (most == 0) return flat;
    flat.recompute = RK_WHOLE;
    flat.recompute_parts = 0;
    flat.recompute_layers = all ? 0 : most;
    return flat;
}

/* ---- what is lost ---- */

struct loss {
    const struct rk_model *model;
    const struct rk_plan *plan;
    const char *tool;
    struct notes *notes;
};

static void compare_locals(const struct loss *loss, const char *what, const struct rk_local *local,
                           const struct rk_local *run)
{
    struct plan_difference list[PLAN_MAX_FIELDS];
    struct rk_plan have = all_as(loss->plan, local), get = all_as(loss->plan, run);
    have.recompute_layers = get.recompute_layers = 0;
    have = plan_canonical(loss->model, &have);
    get = plan_canonical(loss->model, &get);
    const int count = plan_compare(&have, &get, list);
    for (int i = 0; i < count; i++) {
        const struct field *field = &plan_fields[list[i].row];
        if (!plan_is_local(field) || strcmp(field->key, "microbatch") == 0) continue;
        char key[64];
        snprintf(key, sizeof key, "%s: %s", what, field->key);
        notes_add(loss->notes, NOTE_WARNING, 0, 0, key, list[i].a,
                  "cannot be expressed in %s: the run has %s", loss->tool, list[i].b);
    }
}

void layers_compare(const struct rk_model *model, const struct rk_plan *plan,
                    const struct rk_plan *run, const char *tool, struct notes *notes)
{
    const struct loss loss = {model, plan, tool, notes};
    struct plan_layers a = {.plan = plan, .model = model}, b = {.plan = run, .model = model};
    for (uint64_t first = 0, next; first < model->layers; first = next) {
        const struct rk_local have = plan_layer(&a), get = plan_layer(&b);
        char what[40];
        for (next = first; next < model->layers; next++) {
            const struct rk_local x = plan_layer(&a), y = plan_layer(&b);
            if (memcmp(&x, &have, sizeof x) != 0 || memcmp(&y, &get, sizeof y) != 0) break;
            plan_layers_next(&a);
            plan_layers_next(&b);
        }
        snprintf(what, sizeof what, next - first > 1 ? "layers %ju-%ju" : "layer %ju",
                 (uintmax_t)first, (uintmax_t)(next - 1));
        compare_locals(&loss, what, &have, &get);
    }
    struct rk_local ends = plan->local; /* they are not recomputed */
    ends.recompute = run->recompute;
    ends.recompute_parts = run->recompute_parts;
    compare_locals(&loss, "embedding and head", &ends, &run->local);
}
