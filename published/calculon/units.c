#include "calculon/units.h"

#include "base/memory.h"
#include "base/number.h"
#include "calculon/networks.h"

#include <stdlib.h>

/* ---- folios: layer tables, as many at a time as fit the budget ---- */

enum { FOLIO_BUDGET = 16 << 20 }; /* bytes of layer costs held at once */

/* The distinct microbatch sizes of those of the groups [first, end) that a network admits,
 * ascending; the caller frees them. */
static uint64_t *distinct_microbatches(const struct strategies *space, int first, int end,
                                       int *count)
{
    size_t all = 0, kept = 0;
    for (int g = first; g < end; g++)
        if (group_allowed_networks(&space->problem, &space->group[g]) > 0)
            all += (size_t)space->group[g].microbatches;
    uint64_t *value = malloc((all + 1) * sizeof *value);
    if (!value) return NULL;
    all = 0;
    for (int g = first; g < end; g++)
        if (group_allowed_networks(&space->problem, &space->group[g]) > 0)
            for (int i = 0; i < space->group[g].microbatches; i++)
                value[all++] = space->group[g].microbatch[i];
    if (all > 0) qsort(value, all, sizeof *value, by_count);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || value[i] != value[i - 1]) value[kept++] = value[i];
    *count = (int)kept;
    return value;
}

static const struct rows *rows_of(const struct strategy_units *s, uint64_t tensor)
{
    return &s->rows[tensor > 1];
}

static bool make_degrees(struct strategy_units *s)
{
    const struct strategies *space = s->space;
    s->degree = calloc((size_t)space->groups + 1, sizeof *s->degree);
    if (!s->degree) return false;
    for (int first = 0; first < space->groups;) {
        struct degree *d = &s->degree[s->degrees];
        int end = first;
        while (end < space->groups && space->group[end].tensor == space->group[first].tensor)
            end++;
        *d = (struct degree){.first = first, .end = end};
        d->microbatch = distinct_microbatches(space, first, end, &d->microbatches);
        if (!d->microbatch) return false;
        s->degrees++;
        first = end;
    }
    return true;
}

static bool add_portion(struct strategy_units *s, struct portion portion, size_t *held, size_t each)
{
    const size_t bytes = each * (size_t)portion.count;
    if (*held > 0 && *held + bytes > FOLIO_BUDGET) {
        s->head.parts++;
        *held = 0;
    }
    *held += bytes;
    portion.part = s->head.parts;
    if (!ARRAY_ROOM(s->portion, s->portions)) return false;
    s->portion[s->portions++] = portion;
    return true;
}

static bool make_portions(struct strategy_units *s)
{
    size_t held = 0;
    for (int i = 0; i < s->degrees; i++) {
        const struct degree *d = &s->degree[i];
        const uint64_t tensor = s->space->group[d->first].tensor;
        const size_t each = folio_bytes(s->space, rows_of(s, tensor), tensor);
        const int most = each < FOLIO_BUDGET ? (int)(FOLIO_BUDGET / each) : 1;
        for (int first = 0; first < d->microbatches; first += most) {
            const int left = d->microbatches - first;
            const struct portion portion = {d, first, left < most ? left : most, 0};
            if (!add_portion(s, portion, &held, each)) return false;
        }
    }
    s->head.parts++;
    return true;
}

static struct strategy_units *own(struct units *units)
{
    return (struct strategy_units *)units;
}

static void release_folios(struct strategy_units *s)
{
    for (int i = 0; i < s->folios; i++) {
        free(s->folio[i].layer);
        free(s->folio[i].weights);
    }
    s->folios = 0;
}

void strategy_units_close(struct units *units)
{
    struct strategy_units *s = own(units);
    release_folios(s);
    for (int i = 0; i < s->degrees; i++)
        free(s->degree[i].microbatch);
    free(s->folio);
    free(s->unit);
    free(s->degree);
    free(s->portion);
    free(s);
}

struct units *strategy_units_open(const struct rk_space *space)
{
    struct strategy_units *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->space = strategies_of(space);
    rows_open(&s->rows[0], s->space, false);
    rows_open(&s->rows[1], s->space, true);
    if (make_degrees(s) && make_portions(s)) return &s->head;
    strategy_units_close(&s->head);
    return NULL;
}

/* ---- units of a part ---- */

static bool add_unit(struct strategy_units *s, struct unit unit)
{
    if (!ARRAY_ROOM(s->unit, s->head.count)) return false;
    s->unit[s->head.count++] = unit;
    return true;
}

/* Cuts rows [first, end) x microbatches into units of at most LANES lanes. */
static bool add_lanes(struct strategy_units *s, struct unit unit, int first, int end,
                      int microbatches)
{
    const int wide = microbatches < LANES ? microbatches : LANES;
    const int tall = LANES / wide;
    for (int b = 0; b < microbatches; b += wide)
        for (int row = first; row < end; row += tall) {
            struct unit piece = unit;
            piece.first_row = row;
            piece.rows = end - row < tall ? end - row : tall;
            piece.first_microbatch += b;
            piece.folio_microbatch += b;
            piece.microbatches = microbatches - b < wide ? microbatches - b : wide;
            if (!add_unit(s, piece)) return false;
        }
    return true;
}

/* Runs of the group's microbatch sizes that are neighbours in the folio's list too. */
static bool add_group(struct strategy_units *s, const struct group *g, const struct folio *f)
{
    int at = 0;
    for (int b = 0; b < g->microbatches;) {
        while (at < f->microbatches && f->microbatch[at] < g->microbatch[b])
            at++;
        if (at == f->microbatches) break;
        if (f->microbatch[at] != g->microbatch[b]) {
            b++;
            continue;
        }
        int run = 1;
        while (b + run < g->microbatches && at + run < f->microbatches &&
               g->microbatch[b + run] == f->microbatch[at + run])
            run++;
        const struct unit unit = {
            .group = g, .folio = f, .first_microbatch = b, .folio_microbatch = at};
        if (!add_lanes(s, unit, 0, f->rows->full, run) ||
            !add_lanes(s, unit, f->rows->full, f->rows->count, run))
            return false;
        b += run;
        at += run;
    }
    return true;
}

static bool folio_open(struct folio *f, const struct strategy_units *s, const struct portion *p)
{
    const uint64_t tensor = s->space->group[p->degree->first].tensor;
    const struct rows *rows = rows_of(s, tensor);
    *f = (struct folio){
        .tensor = tensor,
        .rows = rows,
        .microbatches = p->count,
        .microbatch = p->degree->microbatch + p->first,
        .networks = tensor > 1 ? s->space->problem.system->networks : 1,
    };
    f->layer = aligned_alloc(64, folio_bytes(s->space, rows, tensor) * (size_t)p->count + 64);
    f->weights = malloc(2 * sizeof *f->weights);
    return f->layer && f->weights;
}

/* A job is a microbatch size of a folio. */
void strategy_units_prepare(struct units *units, int job)
{
    struct strategy_units *s = own(units);
    int f = 0;
    while (job >= s->folio[f].microbatches)
        job -= s->folio[f++].microbatches;
    if (job == 0) folio_fold_weights(&s->folio[f], &s->space->problem);
    folio_fold(&s->folio[f], &s->space->problem, job);
}

static int compare_units(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    if (x->bound_s != y->bound_s) return x->bound_s < y->bound_s ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

void strategy_unit_bound(struct units *units, int unit)
{
    struct strategy_units *s = own(units);
    s->unit[unit].bound_s = unit_bound_s(s->space, &s->unit[unit]);
}

/* Work of a unit, as far as its size tells. */
static int size_of(const struct unit *unit)
{
    return unit->rows * unit->microbatches * unit->group->interleavings;
}

static int compare_sizes(const void *a, const void *b)
{
    const int x = size_of(a), y = size_of(b);
    return x != y ? (x < y) - (x > y) : compare_units(a, b);
}

void strategy_units_sort_round(struct units *units, int first, int count)
{
    if (count > 0)
        qsort(own(units)->unit + first, (size_t)count, sizeof(struct unit), compare_sizes);
}

void strategy_units_sort(struct units *units)
{
    if (units->count > 0)
        qsort(own(units)->unit, (size_t)units->count, sizeof(struct unit), compare_units);
}

bool strategy_units_begin(struct units *units, int part)
{
    struct strategy_units *s = own(units);
    release_folios(s);
    s->part = part;
    units->jobs = units->count = 0;
    struct folio *grown = realloc(s->folio, ((size_t)s->portions + 1) * sizeof *grown);
    if (!grown) return false;
    s->folio = grown;
    for (int i = 0; i < s->portions; i++) {
        if (s->portion[i].part != part) continue;
        if (!folio_open(&s->folio[s->folios++], s, &s->portion[i])) return false;
        units->jobs += s->portion[i].count;
    }
    return true;
}

bool strategy_units_list(struct units *units)
{
    struct strategy_units *s = own(units);
    for (int i = 0, f = 0; i < s->portions; i++) {
        if (s->portion[i].part != s->part) continue;
        const struct degree *d = s->portion[i].degree;
        for (int g = d->first; g < d->end; g++) {
            const struct group *group = &s->space->group[g];
            if (group_allowed_networks(&s->space->problem, group) == 0) continue;
            if (!add_group(s, group, &s->folio[f])) return false;
        }
        f++;
    }
    return true;
}

void strategy_unit_run(const struct units *units, int unit, void *scratch, struct visitor *visitor)
{
    const struct strategy_units *s = (const struct strategy_units *)units;
    unit_run(s->space, &s->unit[unit], scratch, visitor);
}
