#include "optimize/stages_engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the pipeline ---- */

struct way { /* to run the first layers on the first stages */
    double sum_s, most_s;
    int first, point; /* layer that the last of the stages begins with; of its front */
    int parent;       /* in the ways of one stage less that end there */
};

struct ways {
    int count, room;
    struct way *way;
};

/* No completion takes less: the rest at its fastest, evenly on the stages that are left. */
static double bound_of(const struct engine *e, const struct way *way, int stages_left, int next)
{
    const double rest_s = e->least_s[next];
    const double even_s = stages_left ? rest_s / stages_left : 0;
    return value_of(e, way->sum_s + rest_s, fmax(e->bound_pace_s, fmax(way->most_s, even_s)));
}

static bool add_way(struct ways *ways, const struct way *way)
{
    int kept = 0;
    for (int i = 0; i < ways->count; i++)
        if (ways->way[i].sum_s <= way->sum_s && ways->way[i].most_s <= way->most_s) return true;
    for (int i = 0; i < ways->count; i++)
        if (!(way->sum_s <= ways->way[i].sum_s && way->most_s <= ways->way[i].most_s))
            ways->way[kept++] = ways->way[i];
    ways->count = kept;
    if (ways->count == ways->room) {
        const int room = 2 * ways->room + 4;
        struct way *grown = realloc(ways->way, (size_t)room * sizeof *grown);
        if (!grown) return false;
        ways->way = grown;
        ways->room = room;
    }
    ways->way[ways->count++] = *way;
    return true;
}

/* All ways from those that end before layer `first` by stage `stage` up to before `end`. */
static void join(struct engine *e, struct ways *to, const struct ways *from, int stage, int first,
                 int end)
{
    const struct front *front = engine_front(e, stage, first, end - first);
    const int left = e->problem->stages - stage - 1;
    for (int w = 0; w < (from ? from->count : 1); w++)
        for (int i = 0; i < front->count; i++) {
            const struct point *point = &front->point[i];
            const struct way way = {
                .sum_s = (from ? from->way[w].sum_s : 0) + point->time_s + point->end_s,
                .most_s = fmax(from ? from->way[w].most_s : 0, point->time_s),
                .first = first,
                .point = i,
                .parent = from ? w : -1,
            };
            if (bound_of(e, &way, left, end) > e->enough_s) continue;
            if (!add_way(to, &way)) e->failed = true;
        }
}

/* Fills ways (stages, layers + 1) [stage][end]. */
static void find_ways(struct engine *e, struct ways *ways)
{
    const struct stages_problem *p = e->problem;
    const int layers = p->layers;
    for (int stage = 0; stage < p->stages && !e->failed; stage++) {
        const bool last = stage == p->stages - 1;
        for (int end = last ? layers : stage + 1; end <= layers - (p->stages - stage - 1); end++) {
            struct ways *to = &ways[stage * (layers + 1) + end];
            if (!may_cut(p, end)) continue;
            for (int first = end - 1; first >= stage && end - first <= e->longest; first--) {
                if ((stage == 0) != (first == 0) || !may_cut(p, first)) continue;
                const struct ways *from = stage ? &ways[(stage - 1) * (layers + 1) + first] : NULL;
                if (from && !from->count) continue;
                join(e, to, from, stage, first, end);
                if (!engine_set(e, stage, first, end - first)->count) break; /* longer: no less */
            }
        }
    }
}

static void free_ways(const struct engine *e, struct ways *ways)
{
    if (!ways) return;
    for (int i = 0; i < e->problem->stages * (e->problem->layers + 1); i++)
        free(ways[i].way);
    free(ways);
}

static bool trace(const struct engine *e, const struct ways *ways, struct stages_answer *answer)
{
    const struct stages_problem *p = e->problem;
    const struct ways *last = &ways[(p->stages - 1) * (p->layers + 1) + p->layers];
    double least_s = answer->value_s;
    int best = -1, end = p->layers;
    for (int i = 0; i < last->count; i++) {
        const double value_s = value_of(e, last->way[i].sum_s, last->way[i].most_s);
        if (value_s >= least_s) continue;
        best = i;
        least_s = value_s;
    }
    if (best < 0) return false;
    answer->value_s = least_s;
    answer->first[p->stages] = p->layers;
    for (int stage = p->stages - 1; stage >= 0; stage--) {
        const struct way *way = &ways[stage * (p->layers + 1) + end].way[best];
        answer->first[stage] = way->first;
        engine_trace(e, stage, way->first, end, way->point, answer->choice);
        end = way->first;
        best = way->parent;
    }
    return true;
}

static bool try_longest(struct engine *e, struct stages_answer *answer)
{
    const size_t all = (size_t)e->problem->stages * (size_t)(e->problem->layers + 1);
    struct ways *ways = calloc(all, sizeof *ways);
    if (!ways) e->failed = true;
    if (ways) find_ways(e, ways);
    const bool found = ways && !e->failed && trace(e, ways, answer);
    free_ways(e, ways);
    return found;
}

void stages_answer_release(struct stages_answer *answer)
{
    free(answer->first);
    free(answer->choice);
    free(answer->stage_s);
    free(answer->stage_bytes);
    *answer = (struct stages_answer){.found = false};
}

/* Stages nearly even first: their value says how uneven better ones can be at most. */
static void search_all(struct engine *e, struct stages_answer *answer)
{
    const struct stages_problem *p = e->problem;
    const int most = p->layers - p->stages + 1;
    const int even = (p->layers + p->stages - 1) / p->stages;
    for (e->longest = even < most ? even + 1 : most; most > 0;) {
        if (try_longest(e, answer)) {
            answer->found = true;
            engine_enough(e, fmin(e->enough_s, answer->value_s * (1 + 1e-12)));
        }
        int needed = isinf(e->enough_s) ? most : engine_longest(e);
        if (needed > most) needed = most;
        if (e->failed || needed <= e->longest) break;
        e->longest = answer->found || 2 * e->longest >= needed ? needed : 2 * e->longest;
    }
}

enum { FEW_LABELS = 48 };

/* With few labels first: what they find makes most others useless. */
bool stages_solve(const struct stages_problem *problem, struct stages_answer *answer)
{
    struct engine e;
    bool done = stages_answer_open(answer, problem) && engine_open(&e, problem);
    if (!done) {
        if (answer->stage_bytes) engine_close(&e);
        stages_answer_release(answer);
        return false;
    }
    if (engine_bound(&e) <= e.enough_s && !isinf(engine_bound(&e))) {
        e.limit = problem->label_limit && problem->label_limit < FEW_LABELS ? problem->label_limit
                                                                            : FEW_LABELS;
        search_all(&e, answer);
        if (e.cut && e.limit != problem->label_limit) {
            engine_forget(&e);
            e.limit = problem->label_limit;
            search_all(&e, answer);
        }
    }
    answer->labels = e.labels;
    const double bound_s = e.cut ? engine_bound(&e) : INFINITY;
    done = !e.failed;
    engine_close(&e);
    if (done && answer->found) answer->value_s = stages_value(problem, answer);
    answer->bound_s = fmin(bound_s, answer->value_s);
    if (!done) stages_answer_release(answer);
    return done;
}

double stages_value(const struct stages_problem *p, struct stages_answer *answer)
{
    double sum_s = 0, most_s = 0;
    bool fits = true;
    answer->end_s = 0;
    for (int stage = 0; stage < p->stages; stage++) {
        const struct stage_place *place = &p->place[stage];
        double bytes = 0, moment = 0, time_s = 0;
        for (int i = answer->first[stage]; i < answer->first[stage + 1]; i++) {
            const int s = answer->choice[i];
            const struct stage_choice *choice = &place->choice[p->kind[i] * p->choices + s];
            const bool first = i == answer->first[stage];
            bytes += choice->fixed_bytes + place->in_flight * choice->flight_bytes;
            moment = fmax(moment, choice->moment_bytes);
            time_s +=
                choice->time_s +
                (first ? choice->first_s : place->change_s[answer->choice[i - 1] * p->choices + s]);
            if (stage == 0) answer->end_s += choice->end_s;
        }
        answer->stage_s[stage] = time_s;
        answer->stage_bytes[stage] = bytes + moment;
        fits &= bytes + moment <= place->capacity_bytes;
        sum_s += time_s;
        most_s = fmax(most_s, time_s);
    }
    return fits ? sum_s + (p->microbatches - 1) * most_s + answer->end_s : INFINITY;
}

/* ---- the front of one stage ---- */

struct front_point {
    struct stage_point point;
    int label;
};

static int compare_front(const void *a, const void *b)
{
    const struct front_point *x = a, *y = b;
    const int order = stage_points_compare(&x->point, &y->point);
    return order ? order : x->label - y->label;
}

size_t stages_front(const struct stages_problem *problem, int stage, int first, int last,
                    struct stage_point *point, int *choice, size_t room)
{
    struct engine e;
    size_t count = 0;
    if (!engine_open(&e, problem)) {
        engine_close(&e);
        return 0;
    }
    e.limit = problem->label_limit;
    e.spread = true;
    const struct set *set = engine_set(&e, stage, first, last - first);
    struct front_point *all = calloc((size_t)set->count + 1, sizeof *all);
    for (int i = 0; all && i < set->count; i++)
        all[i] = (struct front_point){{set->label[i].bytes + e.moment[set->label[i].moment],
                                       set->label[i].time_s +
                                           set->label[i].end_s / problem->microbatches},
                                      i};
    if (all) qsort(all, (size_t)set->count, sizeof *all, compare_front);
    double least_s = INFINITY;
    for (int i = 0; all && i < set->count; i++) {
        if (all[i].point.time_s >= least_s) continue;
        least_s = all[i].point.time_s;
        if (count < room) {
            point[count] = all[i].point;
            if (choice)
                engine_choices(&e, stage, first, last, all[i].label,
                               choice + count * (size_t)(last - first));
        }
        count++;
    }
    free(all);
    engine_close(&e);
    return count;
}
