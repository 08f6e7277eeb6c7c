#include "search/plans_groups.h"

#include <stdlib.h>
#include <string.h>

/* What the layers of a group depend on. */
struct group {
    uint64_t key[LAYER_KEY];
    const struct choices *width, *kernels;
    uint64_t members, first;
};

struct grouping {
    struct group *group; /* (groups) in the order of their first members */
    uint64_t groups, slots;
    uint32_t *slot;     /* (slots) 1 + group, 0: empty; a power of two */
    uint32_t *group_of; /* (members) */
    struct plan_member *member;
};

/* Of plans with the precision of any of the kernels. */
static void key_of(struct group *group, const struct rk_model *model,
                   const struct rk_system *system, struct rk_plan *plan,
                   const struct plan_member *member)
{
    const struct layout *layout = member->layout;
    memset(group, 0, sizeof *group);
    group->width = layout->choices[BUNDLE_WIDTH];
    group->kernels = layout->choices[BUNDLE_KERNELS];
    plans_set_layout(plan, layout);
    plans_set_choice(plan, layout->choices[BUNDLE_MICROBATCH], member->microbatch);
    for (uint64_t i = 0; i < group->kernels->count; i++) {
        uint64_t key[LAYER_KEY];
        plans_set_choice(plan, group->kernels, i);
        layer_key(key, model, system, plan);
        for (int k = 0; k < LAYER_KEY; k++)
            if (key[k] > group->key[k]) group->key[k] = key[k];
    }
}

static bool same_layers(const struct group *a, const struct group *b)
{
    return a->width == b->width && a->kernels == b->kernels &&
           memcmp(a->key, b->key, sizeof a->key) == 0;
}

static uint64_t hash_of(const struct group *group)
{
    uint64_t hash = 0;
    for (int i = 0; i < LAYER_KEY; i++)
        hash = (hash ^ group->key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint32_t find_group(struct grouping *g, const struct group *group)
{
    uint64_t at = hash_of(group) & (g->slots - 1);
    while (g->slot[at] && !same_layers(&g->group[g->slot[at] - 1], group))
        at = (at + 1) & (g->slots - 1);
    if (!g->slot[at]) {
        g->group[g->groups] = *group;
        g->slot[at] = (uint32_t)++g->groups;
    }
    return g->slot[at] - 1;
}

static void find_groups(struct grouping *g, const struct rk_plans *plans,
                        const struct stage_sets *sets)
{
    struct rk_plan plan = plans->problem.base;
    uint64_t at = 0;
    for (uint64_t i = 0; i < plans->layouts; i++)
        for (uint64_t k = 0; k < plans->layout[i].choices[BUNDLE_MICROBATCH]->count; k++) {
            struct group group;
            g->member[at] =
                (struct plan_member){&plans->layout[i], &sets->set[sets->of_layout[i]], k};
            key_of(&group, plans->problem.model, plans->problem.system, &plan, &g->member[at]);
            g->group_of[at] = find_group(g, &group);
            g->group[g->group_of[at++]].members++;
        }
}

static bool fill_groups(struct plan_groups *groups, struct grouping *g)
{
    uint64_t first = 0;
    groups->count = g->groups;
    groups->member = malloc((groups->members + 1) * sizeof *groups->member);
    groups->group = malloc((g->groups + 1) * sizeof *groups->group);
    if (!groups->member || !groups->group) return false;
    for (uint64_t i = 0; i < g->groups; i++) {
        struct group *group = &g->group[i];
        groups->group[i] = (struct plan_group){groups->member + first, (uint32_t)group->members,
                                               group->width, group->kernels};
        group->first = first;
        first += group->members;
    }
    for (uint64_t i = 0; i < groups->members; i++)
        groups->member[g->group[g->group_of[i]].first++] = g->member[i];
    return true;
}

bool plan_groups_open(struct plan_groups *groups, const struct rk_plans *plans,
                      const struct stage_sets *sets)
{
    struct grouping g = {.slots = 1};
    uint64_t members = 0;
    for (uint64_t i = 0; i < plans->layouts; i++)
        members += plans->layout[i].choices[BUNDLE_MICROBATCH]->count;
    *groups = (struct plan_groups){.members = members};
    while (g.slots < 2 * members)
        g.slots *= 2;
    g.group = malloc((members + 1) * sizeof *g.group);
    g.slot = calloc(g.slots, sizeof *g.slot);
    g.group_of = malloc((members + 1) * sizeof *g.group_of);
    g.member = malloc((members + 1) * sizeof *g.member);
    bool opened = g.group && g.slot && g.group_of && g.member;
    if (opened) find_groups(&g, plans, sets);
    opened = opened && fill_groups(groups, &g);
    free(g.group);
    free(g.slot);
    free(g.group_of);
    free(g.member);
    return opened;
}

void plan_groups_close(struct plan_groups *groups)
{
    free(groups->member);
    free(groups->group);
}
