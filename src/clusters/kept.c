#include "clusters/kept.h"

#include <string.h>

static bool same_home(const struct clusters_home *a, const struct clusters_home *b)
{
    return a->cluster == b->cluster && a->gpus == b->gpus;
}

static bool same_stage(const struct clusters_stage *a, const struct clusters_stage *b)
{
    bool same = a->cluster == b->cluster && a->gpus == b->gpus && a->tensor == b->tensor &&
                a->context == b->context && a->expert == b->expert &&
                a->expert_tensor == b->expert_tensor && a->data == b->data &&
                a->recompute == b->recompute && a->activations_away == b->activations_away &&
                a->optimizer_away == b->optimizer_away && a->homes == b->homes;
    for (int i = 0; same && i < a->homes; i++)
        same = same_home(&a->home[i], &b->home[i]);
    return same;
}

bool clusters_same(const struct clusters_plan *a, const struct clusters_plan *b)
{
    bool same = a->round == b->round && a->stages == b->stages && a->chunks == b->chunks;
    for (int i = 0; same && i < a->stages * a->chunks; i++)
        same = a->chunk[i].layers == b->chunk[i].layers;
    for (int i = 0; same && i < a->stages; i++)
        same = same_stage(&a->stage[i], &b->stage[i]);
    return same;
}

void clusters_keep(struct clusters_kept *kept, const struct clusters_plan *plan)
{
    const size_t size = sizeof *plan;
    int at = kept->count, end = kept->count;
    for (int i = 0; i < kept->count && end == kept->count; i++)
        if (clusters_same(&kept->plan[i], plan)) end = i;
    if (end < kept->count && kept->plan[end].simulated_s <= plan->simulated_s) return;
    while (at > 0 && kept->plan[at - 1].simulated_s > plan->simulated_s)
        at--;
    if (at == kept->most) return;
    if (end == kept->count && end < kept->most) kept->count++; /* else the last one goes */
    if (end == kept->most) end--;
    memmove(&kept->plan[at + 1], &kept->plan[at], (size_t)(end - at) * size);
    kept->plan[at] = *plan;
}
