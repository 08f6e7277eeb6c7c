#include "base/memory.h"
#include "optimize/stages_engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- extending labels by a layer ---- */

static int moment_of(const struct engine *e, double bytes)
{
    int low = 0, high = e->moments - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (e->moment[middle] < bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a pace m and a pace of 1 make of a label; every pace between lies between. */
static double slow_value(const struct engine *e, const struct label *x)
{
    return e->problem->microbatches * x->time_s + x->end_s;
}

static double fast_value(const struct label *x)
{
    return x->time_s + x->end_s;
}

static int compare_labels(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    if (x->time_s != y->time_s) return x->time_s < y->time_s ? -1 : 1;
    if (x->end_s != y->end_s) return x->end_s < y->end_s ? -1 : 1;
    if (x->moment != y->moment) return x->moment < y->moment ? -1 : 1;
    if (x->choice != y->choice) return x->choice < y->choice ? -1 : 1;
    return x->parent < y->parent ? -1 : x->parent > y->parent;
}

/* The steps of a stair that are no faster at a pace of 1 than `fast` begin here. */
static int first_above(const struct stair *stair, double fast)
{
    int low = 0, high = stair->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (stair->step[middle].fast <= fast)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int group_of(const struct engine *e, int stage, const struct label *x)
{
    return e->group[stage * e->problem->choices + x->choice];
}

static int stair_at(const struct engine *e, int group, int level, int moment)
{
    return (group * e->levels + level) * e->moments + moment;
}

/* How full the fullest lower memory is, or the emptiest one: no label of a level that is rounded up
 * has more in any than one of the same level that is rounded down. */
static int level_above(const struct engine *e, int stage, const struct label *x)
{
    double most = 0;
    for (int t = 0; t < e->problem->tiers; t++)
        most = fmax(most, x->lower[t] / e->problem->place[stage].lower_capacity_bytes[t]);
    return most > 0 ? (int)ceil(fmin(1, most) * (e->levels - 1)) : 0;
}

static int level_below(const struct engine *e, int stage, const struct label *x)
{
    double least = 1;
    for (int t = 0; t < e->problem->tiers; t++)
        least = fmin(least, x->lower[t] / e->problem->place[stage].lower_capacity_bytes[t]);
    return e->levels > 1 && least > 0 ? (int)floor(least * (e->levels - 1)) : 0;
}

/* By the stairs: is one of the same group that was kept, and has no more bytes, nowhere worse? Of
 * what is in lower memories they know levels alone. */
static bool is_below_stairs(const struct engine *e, int stage, const struct label *x)
{
    const double fast = fast_value(x), slow = slow_value(e, x);
    for (int level = level_below(e, stage, x); level >= 0; level--) {
        const struct stair *stair = &e->stair[stair_at(e, group_of(e, stage, x), level, 0)];
        for (int moment = 0; moment <= x->moment; moment++, stair++) {
            const int at = first_above(stair, fast);
            if (at && stair->step[at - 1].slow <= slow) return true;
        }
    }
    return false;
}

static bool no_worse(const struct engine *e, int stage, const struct label *x,
                     const struct label *y)
{
    for (int t = 0; t < e->problem->tiers; t++)
        if (x->lower[t] > y->lower[t]) return false;
    return x->bytes <= y->bytes && x->moment <= y->moment && fast_value(x) <= fast_value(y) &&
           slow_value(e, x) <= slow_value(e, y) && group_of(e, stage, x) == group_of(e, stage, y);
}

enum { NEIGHBOURS = 32 };

/* With lower memories those kept last, which have about as many bytes, are looked at as well. One
 * that nothing is seen to dominate stays, which costs time alone. */
static bool is_dominated(const struct engine *e, int stage, const struct label *x, int first,
                         int kept)
{
    if (is_below_stairs(e, stage, x)) return true;
    for (int i = kept - 1; e->problem->tiers && i >= first && i >= kept - NEIGHBOURS; i--)
        if (no_worse(e, stage, &e->room[i], x)) return true;
    return false;
}

/* A step for a label that no step dominates takes the place of those that it dominates. */
static void add_step(struct engine *e, int stage, const struct label *x)
{
    const struct step step = {fast_value(x), slow_value(e, x)};
    const int where = stair_at(e, group_of(e, stage, x), level_above(e, stage, x), x->moment);
    struct stair *stair = &e->stair[where];
    int at = first_above(stair, step.fast), end = at;
    while (at && stair->step[at - 1].fast >= step.fast)
        at--;
    while (end < stair->count && stair->step[end].slow >= step.slow)
        end++;
    if (at == end && !ARRAY_ROOM(stair->step, stair->count)) {
        e->failed = true;
        return;
    }
    if (!stair->count) e->steep[e->steeps++] = where;
    memmove(stair->step + at + 1, stair->step + end,
            (size_t)(stair->count - end) * sizeof *stair->step);
    stair->step[at] = step;
    stair->count += at + 1 - end;
}

/* Compacts the candidates from first to end, sorted by bytes, to those that none dominates. Returns
 * their new end. */
static int keep_apart(struct engine *e, int stage, int first, int end)
{
    int kept = first;
    for (; e->steeps; e->steeps--)
        e->stair[e->steep[e->steeps - 1]].count = 0;
    for (int i = first; i < end && !e->failed; i++) {
        const struct label x = e->room[i];
        if (is_dominated(e, stage, &x, first, kept)) continue;
        add_step(e, stage, &x);
        e->room[kept++] = x;
    }
    return kept;
}

/* Keeps of `count` candidates in room those that none dominates, at its front. */
static int keep_best(struct engine *e, int stage, int count)
{
    qsort(e->room, (size_t)count, sizeof *e->room, compare_labels);
    return keep_apart(e, stage, 0, count);
}

static int compare_hopes(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    return x->hope_s != y->hope_s ? (x->hope_s > y->hope_s) - (x->hope_s < y->hope_s)
                                  : compare_labels(a, b);
}

static struct room left_by(const struct engine *e, int stage, const struct label *x)
{
    const struct stage_place *place = &e->problem->place[stage];
    struct room left = {.bytes = place->capacity_bytes - x->bytes - e->moment[x->moment]};
    for (int t = 0; t < e->problem->tiers; t++)
        left.lower[t] = place->lower_capacity_bytes[t] - x->lower[t];
    return left;
}

/* Of `count` in room those that the relaxation says are fastest in the end, in order of bytes. */
static int keep_hopeful(struct engine *e, int stage, int count, int layers)
{
    const struct stages_problem *p = e->problem;
    const int even = (e->plural + p->stages - 1) / p->stages;
    const int all = e->least[stage] > even ? e->least[stage] : even;
    for (int i = 0; i < count; i++) {
        struct label *x = &e->room[i];
        const struct room left = left_by(e, stage, x);
        x->hope_s = x->time_s + engine_rest_s(e, stage, all - layers, &left);
    }
    qsort(e->room, (size_t)count, sizeof *e->room, compare_hopes);
    qsort(e->room, e->limit, sizeof *e->room, compare_labels);
    return (int)e->limit;
}

/* Where whatever fits will do, the label that leaves more of the lower memories is better than a
 * faster one. */
static bool is_better(const struct engine *e, const struct label *x, const struct label *y)
{
    for (int t = 0; e->problem->any && t < e->problem->tiers; t++)
        if (x->lower[t] != y->lower[t]) return x->lower[t] < y->lower[t];
    return slow_value(e, x) < slow_value(e, y);
}

/* Of `count` in room, in order of bytes, the fastest of each of as many equal ranges of bytes as
 * there may be labels, and the smallest. */
static int keep_spread(struct engine *e, int count)
{
    const double low = e->room[0].bytes, range = e->room[count - 1].bytes - low;
    const double slots = (double)e->limit - 1;
    int kept = 1, best = -1; /* the smallest stays */
    double slot = -1;
    for (int i = 1; i < count; i++) {
        const struct label *x = &e->room[i];
        const double own = range > 0 ? floor((x->bytes - low) / range * slots * (1 - 1e-12)) : 0;
        if (own > slot) {
            best = kept++;
            slot = own;
        } else if (!is_better(e, x, &e->room[best])) {
            continue;
        }
        e->room[best] = *x;
    }
    return kept;
}

/* A label can still be of use: its stage fits, and is not too slow, with the fewest layers that it
 * can have; `layers` are the plural ones so far. */
static bool is_useful(const struct engine *e, int stage, const struct label *x, int layers)
{
    const struct room left = left_by(e, stage, x);
    if (left.bytes < 0) return false;
    for (int t = 0; t < e->problem->tiers; t++)
        if (left.lower[t] < 0) return false;
    if (isinf(e->enough_s)) return true;
    return x->time_s + engine_rest_s(e, stage, e->least[stage] - layers, &left) <= e->pace_s;
}

static int extend(struct engine *e, int stage, int kind, const struct set *before, int layers)
{
    const struct stages_problem *p = e->problem;
    const struct stage_place *place = &p->place[stage];
    const struct label none = {.choice = -1, .parent = -1};
    const bool first = !before;
    const int labels = first ? 1 : before->count;
    int count = 0;
    if (!ARRAY_RESERVE(e->room, e->room_size, (size_t)labels * (size_t)p->choices + 1)) {
        e->failed = true;
        return 0;
    }
    for (int s = 0; s < p->choices; s++) {
        const struct stage_choice *choice = choice_of(e, stage, kind, s);
        const int moment = moment_of(e, choice->moment_bytes), before_it = count;
        if (!e->usable[(stage * p->kinds + kind) * p->choices + s]) continue;
        for (int i = 0; i < labels; i++) {
            const struct label *x = first ? &none : &before->label[i];
            struct label next = {
                .bytes = x->bytes + choice->fixed_bytes + place->in_flight * choice->flight_bytes,
                .time_s = x->time_s + time_of(e, choice) +
                          (first ? choice->first_s : change_s(e, stage, x->choice, s)),
                .end_s = stage == 0 && p->stages > 1 ? x->end_s + choice->end_s : 0,
                .moment = moment > x->moment ? moment : x->moment,
                .choice = s,
                .parent = first ? -1 : i,
            };
            for (int t = 0; t < p->tiers; t++)
                next.lower[t] = x->lower[t] + lower_of(e, stage, kind, s, t);
            if (is_useful(e, stage, &next, layers)) e->room[count++] = next;
        }
        count = keep_apart(e, stage, before_it, count); /* fewer to sort */
    }
    return keep_best(e, stage, count);
}

/* The labels of layers first ... first + count - 1; NULL when there is no memory. */
const struct set *engine_set(struct engine *e, int stage, int first, int count)
{
    const int start = same_of(e, first, count);
    struct set *set = &e->set[at(e, stage, start, count)];
    if (set->known || e->failed) return set;
    const struct set *before = count > 1 ? engine_set(e, stage, start, count - 1) : NULL;
    const int layers = e->plural_from[start] - e->plural_from[start + count];
    int kept = 0;
    if (count == 1 || before->count)
        kept = extend(e, stage, e->problem->kind[start + count - 1], before, layers);
    if (e->limit && (size_t)kept > e->limit) {
        kept = e->spread ? keep_spread(e, kept) : keep_hopeful(e, stage, kept, layers);
        e->cut = true;
    }
    if (kept) set->label = malloc((size_t)kept * sizeof *set->label);
    if (kept && !set->label) e->failed = true;
    if (set->label) memcpy(set->label, e->room, (size_t)kept * sizeof *set->label);
    set->count = set->label ? kept : 0;
    set->known = true;
    e->labels += (uint64_t)set->count;
    return set;
}

/* Of the labels those that no other is better than at every pace. */
const struct front *engine_front(struct engine *e, int stage, int first, int count)
{
    const int start = same_of(e, first, count);
    struct front *front = &e->front[at(e, stage, start, count)];
    if (front->known) return front;
    const struct set *set = engine_set(e, stage, start, count);
    front->known = true;
    if (!set->count) return front;
    front->point = malloc((size_t)set->count * sizeof *front->point);
    front->cost = malloc((size_t)set->count * sizeof *front->cost);
    if (!front->point || !front->cost) {
        e->failed = true;
        return front;
    }
    for (int i = 0; i < set->count; i++) {
        const struct label *x = &set->label[i];
        bool worse = false;
        for (int j = 0; j < set->count && !worse; j++) {
            const struct label *y = &set->label[j];
            const double fast = fast_value(y) - fast_value(x),
                         slow = slow_value(e, y) - slow_value(e, x);
            worse = fast <= 0 && slow <= 0 && (fast < 0 || slow < 0 || j < i);
        }
        if (worse) continue;
        /* only the first stage waits for work after the last microbatch */
        front->cost[front->count] = (struct chain_cost){x->time_s, x->time_s, x->end_s, INFINITY};
        front->point[front->count++] = (struct point){x->time_s, x->end_s, i};
    }
    return front;
}

void engine_choices(const struct engine *e, int stage, int first, int end, int label, int *choice)
{
    int n = end - first, start = first;
    for (; n > 0; n--) {
        start = same_of(e, start, n);
        const struct label *x = &e->set[at(e, stage, start, n)].label[label];
        choice[n - 1] = x->choice;
        label = x->parent;
    }
}

void engine_trace(const struct engine *e, int stage, int first, int end, int point, int *choice)
{
    const int n = end - first;
    const struct front *front = &e->front[at(e, stage, same_of(e, first, n), n)];
    engine_choices(e, stage, first, end, front->point[point].label, choice + first);
}
