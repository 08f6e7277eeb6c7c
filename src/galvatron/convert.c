#include "galvatron/convert.h"

static void set_local(struct rk_local *local, const struct galvatron_strategy *strategy)
{
    local->tensor = (uint64_t)strategy->tensor;
    local->sequence_parallel = strategy->tensor > 1;
    local->context = (uint64_t)strategy->ulysses;
    local->context_kind = strategy->ulysses > 1 ? RK_ULYSSES : RK_RING;
    local->zero = strategy->zero == GALVATRON_ZERO3 ? 3 : strategy->zero == GALVATRON_ZERO2 ? 2 : 0;
    local->recompute = strategy->recompute ? RK_WHOLE : RK_KEEP;
}

/* The local part of a layer; -1: there are too many. */
static int local_of(struct rk_plan *plan, const struct galvatron_strategy *layer,
                    const struct galvatron_strategy *known[RK_MAX_LOCALS + 1])
{
    for (int i = 0; i <= plan->others; i++)
        if (galvatron_same(known[i], layer)) return i;
    if (plan->others == RK_MAX_LOCALS) return -1;
    struct rk_local *local = &plan->other[plan->others++];
    *local = plan->local;
    set_local(local, layer);
    known[plan->others] = layer;
    return plan->others;
}

enum rk_status galvatron_plan_of(const struct galvatron_file *file, struct rk_plan *plan,
                                 struct rk_error *error)
{
    const struct galvatron_strategy *known[RK_MAX_LOCALS + 1] = {&file->embedding};
    const int samples = file->batch / file->chunks;
    *plan = rk_plan_default();
    set_local(&plan->local, &file->embedding);
    plan->ranks = (uint64_t)file->world;
    plan->pipeline = (uint64_t)file->stages;
    plan->batch = (uint64_t)file->batch;
    plan->schedule = file->pipeline == GALVATRON_GPIPE ? RK_GPIPE : RK_1F1B;
    plan->microbatch = (uint64_t)(samples / file->embedding.data);
    plan->gradient_overlap = plan->weight_overlap = true; /* as its cost model has it */
    if (file->stages > RK_MAX_STAGES)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "a plan has at most %d stages",
                       RK_MAX_STAGES);
    plan->splits = file->stages > 1 ? file->stages : 0;
    for (int i = 0; i < plan->splits; i++)
        plan->split[i] = (uint16_t)file->division[i];
    for (int i = -1; i < file->layers; i++) {
        const struct galvatron_strategy *one = i < 0 ? &file->embedding : &file->layer[i];
        if (samples % one->data)
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                           "%s %d: %d samples a chunk do not divide among %d data ranks, which "
                           "Galvatron rounds down: no plan says so",
                           i < 0 ? "embedding, layer" : "layer", i + 1, samples, one->data);
        if (i < 0) continue;
        const int local = local_of(plan, one, known);
        struct rk_segment *last = plan->segments ? &plan->segment[plan->segments - 1] : NULL;
        if (local < 0 || (plan->segments == RK_MAX_SEGMENTS && last->local != local))
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                           "a plan has at most %d kinds of layers beside embedding and head, and "
                           "%d runs of them",
                           RK_MAX_LOCALS, RK_MAX_SEGMENTS);
        if (last && last->local == local)
            last->layers++;
        else
            plan->segment[plan->segments++] = (struct rk_segment){1, (uint16_t)local};
    }
    if (plan->segments == 1 && plan->segment[0].local == 0) plan->segments = 0;
    return RK_OK;
}
