#include "search/plans_units.h"

#include "search/plans_unit.h"

#include <stdlib.h>

struct plan_units {
    struct units head; /* first */
    const struct rk_plans *plans;
    struct stage_sets *sets;
    struct plan_groups groups;
    struct plan_layers *layers; /* of all units, one after the other */
    struct plan_unit *unit;     /* (head.count) */
};

static struct plan_units *own(struct units *units)
{
    return (struct plan_units *)units;
}

void plan_units_close(struct units *units)
{
    struct plan_units *u = own(units);
    stage_sets_close(u->sets);
    plan_groups_close(&u->groups);
    free(u->layers);
    free(u->unit);
    free(u);
}

struct units *plan_units_open(const struct rk_space *space)
{
    struct plan_units *u = calloc(1, sizeof *u);
    if (!u) return NULL;
    u->head.parts = 1;
    u->plans = plans_of(space);
    u->sets = stage_sets_open(u->plans);
    if (u->sets) return &u->head;
    plan_units_close(&u->head);
    return NULL;
}

bool plan_units_begin(struct units *units, int part)
{
    (void)part;
    units->jobs = (int)own(units)->sets->count;
    return true;
}

/* A job is a set of stages. */
void plan_units_prepare(struct units *units, int job)
{
    stage_set_fill(&own(units)->sets->set[job], own(units)->plans);
}

static uint64_t mixed(uint64_t hash, uint64_t number) /* splitmix64 */
{
    uint64_t z = hash ^ (number + UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Of what decides how much layers hold: nearly all, and the same work can be recalled for, that
 * split matrices alike and have as many tokens. */
static uint64_t hash_of(const struct plan_layers *layers)
{
    const struct plan_group *group = layers->group;
    const struct plan_member *first = &group->member[0];
    const struct choices *microbatch = first->layout->choices[BUNDLE_MICROBATCH];
    const uint64_t *degree = first->layout->value;
    const uint64_t samples = choice_value(microbatch, first->microbatch, RK_PLAN_MICROBATCH);
    uint64_t hash = mixed(layers->kernels, degree[RK_PLAN_TENSOR]);
    hash = mixed(hash, degree[RK_PLAN_EXPERT_TENSOR]);
    hash = mixed(hash, degree[RK_PLAN_EXPERT]);
    hash = mixed(hash, (samples << 20) / degree[RK_PLAN_CONTEXT]);
    return mixed(hash, choice_value(group->width, layers->width, RK_PLAN_SEQUENCE_PARALLEL));
}

static int compare_layers(const void *a, const void *b)
{
    const struct plan_layers *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->width != y->width) return x->width < y->width ? -1 : 1;
    return (x->kernels > y->kernels) - (x->kernels < y->kernels);
}

/* By hash, an order that has nothing to do with the space: the first rounds then sample all of it,
 * and find a good plan early. The order is the same each time. */
static uint64_t list_layers(struct plan_units *u)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < u->groups.count; i++) {
        const struct plan_group *group = &u->groups.group[i];
        for (uint64_t w = 0; w < group->width->count; w++)
            for (uint64_t k = 0; k < group->kernels->count; k++) {
                struct plan_layers *layers = &u->layers[count++];
                *layers = (struct plan_layers){.group = group, .width = w, .kernels = k};
                layers->hash = hash_of(layers);
            }
    }
    qsort(u->layers, count, sizeof *u->layers, compare_layers);
    return count;
}

/* Units of threads that end a round together are not too large. */
enum { LAYERS_JOINED = 8 };

static void list_units(struct plan_units *u, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const struct plan_layers *layers = &u->layers[i];
        struct plan_unit *last = u->unit + u->head.count - (i > 0);
        const bool joins = i > 0 && layers->hash == layers[-1].hash && last->count < LAYERS_JOINED;
        if (!joins) *(last = &u->unit[u->head.count++]) = (struct plan_unit){.layers = layers};
        last->count++;
        last->plans += plan_layers_count(layers);
    }
}

bool plan_units_list(struct units *units)
{
    struct plan_units *u = own(units);
    uint64_t count = 0;
    if (!stage_sets_filled(u->sets) || !plan_groups_open(&u->groups, u->plans, u->sets))
        return false;
    for (uint64_t i = 0; i < u->groups.count; i++)
        count += u->groups.group[i].width->count * u->groups.group[i].kernels->count;
    u->layers = malloc((count + 1) * sizeof *u->layers);
    u->unit = malloc((count + 1) * sizeof *u->unit);
    if (!u->layers || !u->unit || count > INT32_MAX) return false;
    list_units(u, list_layers(u));
    return true;
}

void plan_unit_bound(struct units *units, int unit)
{
    (void)units;
    (void)unit;
}

void plan_units_sort(struct units *units)
{
    (void)units;
}

static int compare_sizes(const void *a, const void *b)
{
    const struct plan_unit *x = a, *y = b;
    if (x->plans != y->plans) return x->plans > y->plans ? -1 : 1;
    return (x->layers > y->layers) - (x->layers < y->layers);
}

void plan_units_sort_round(struct units *units, int first, int count)
{
    if (count > 0)
        qsort(own(units)->unit + first, (size_t)count, sizeof(struct plan_unit), compare_sizes);
}

void plan_unit_of_units_run(const struct units *units, int unit, void *scratch,
                            struct visitor *visitor)
{
    plan_unit_run(scratch, &((const struct plan_units *)units)->unit[unit], visitor);
}
