#include "search/plans_units.h"

#include "search/plans_unit.h"

#include <stdlib.h>

struct plan_units {
    struct units head; /* first */
    const struct rk_plans *plans;
    struct stage_sets *sets;
    struct plan_groups groups;
    struct plan_unit *unit; /* (head.count) */
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

static uint64_t hash_of(uint64_t z) /* splitmix64 */
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* In an order that has nothing to do with the space: the first rounds then sample all of it, and
 * find a good plan early. The order is the same each time. */
static void mix_order(struct plan_units *u)
{
    for (uint64_t i = (uint64_t)u->head.count; i > 1; i--) {
        const uint64_t other = hash_of(i) % i;
        const struct plan_unit kept = u->unit[i - 1];
        u->unit[i - 1] = u->unit[other];
        u->unit[other] = kept;
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
    u->unit = malloc((count + 1) * sizeof *u->unit);
    if (!u->unit || count > INT32_MAX) return false;
    for (uint64_t i = 0; i < u->groups.count; i++) {
        const struct plan_group *group = &u->groups.group[i];
        for (uint64_t w = 0; w < group->width->count; w++)
            for (uint64_t k = 0; k < group->kernels->count; k++)
                u->unit[u->head.count++] = (struct plan_unit){group, w, k};
    }
    mix_order(u);
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
    const uint64_t m = plan_unit_count(x), n = plan_unit_count(y);
    if (m != n) return m > n ? -1 : 1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->width != y->width) return x->width < y->width ? -1 : 1;
    return (x->kernels > y->kernels) - (x->kernels < y->kernels);
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
