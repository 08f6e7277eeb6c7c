#include "clusters/kept.h"

#include "base/memory.h"

#include <stdlib.h>
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
                a->recompute == b->recompute && a->zero == b->zero &&
                a->expert_overlap == b->expert_overlap &&
                a->activations_away == b->activations_away &&
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

/* As many samples at a time, and stages on the same clusters. */
static bool same_outline(const struct clusters_plan *a, const struct clusters_plan *b)
{
    bool same = a->round == b->round && a->stages == b->stages;
    for (int i = 0; same && i < a->stages; i++)
        same = a->stage[i].cluster == b->stage[i].cluster;
    return same;
}

/* The plan that runs like it; `count`: none does. */
static int place_of(const struct clusters_kept *kept, const struct clusters_plan *plan)
{
    bool (*same)(const struct clusters_plan *, const struct clusters_plan *) =
        kept->of_outlines ? same_outline : clusters_same;
    int at = 0;
    while (at < kept->count && !same(kept->plan[at], plan))
        at++;
    return at;
}

/* Makes room at `at` by moving those before `end`, which is free. */
static void move_up(struct clusters_kept *kept, int at, int end)
{
    memmove(&kept->plan[at + 1], &kept->plan[at], (size_t)(end - at) * sizeof(void *));
}

bool clusters_keep(struct clusters_kept *kept, const struct clusters_plan *plan)
{
    int at = kept->count, end = place_of(kept, plan);
    if (end < kept->count && kept->plan[end]->simulated_s <= plan->simulated_s) return true;
    while (at > 0 && kept->plan[at - 1]->simulated_s > plan->simulated_s)
        at--;
    kept->dropped |= end == kept->most;
    if (at == kept->most) return true;
    struct clusters_plan *own = NULL;
    if (end == kept->most)
        own = kept->plan[--end]; /* the slowest goes */
    else if (end < kept->count)
        own = kept->plan[end];
    else if (!ARRAY_ROOM(kept->plan, end) || !(own = malloc(sizeof *own)))
        return false;
    else
        kept->count++;
    move_up(kept, at, end);
    *own = *plan;
    kept->plan[at] = own;
    return true;
}

void clusters_kept_release(struct clusters_kept *kept)
{
    for (int i = 0; i < kept->count; i++)
        free(kept->plan[i]);
    free(kept->plan);
    *kept = (struct clusters_kept){.most = kept->most};
}
