#include "optimize/stages.h"
#include "optimize/stages_engine.h"

#include <math.h>
#include <stdlib.h>

/* ---- the relaxation ---- */

int stage_points_compare(const void *a, const void *b)
{
    const struct stage_point *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

/* What all memories together have of a choice, or have left: bytes of a smaller one count more. No
 * way that fits in each has more than fits in all, so this sum bounds as well. */
static double mixed_bytes(const struct engine *e, int stage, double bytes, const double *lower)
{
    const struct stage_place *place = &e->problem->place[stage];
    for (int t = 0; t < e->problem->tiers; t++)
        bytes += lower[t] * place->capacity_bytes / place->lower_capacity_bytes[t];
    return bytes;
}

/* Of the points (bytes, time) of a stage's choices the lower left hull. */
static void make_hull(struct engine *e, int stage, struct stage_point *point, bool mixed)
{
    const struct stages_problem *p = e->problem;
    const struct stage_place *place = &p->place[stage];
    struct hull *hull = mixed ? &e->mixed[stage] : &e->hull[stage];
    size_t count = 0;
    for (int kind = 0; kind < p->kinds; kind++)
        for (int s = 0; s < p->choices; s++) {
            const struct stage_choice *choice = choice_of(e, stage, kind, s);
            if (e->single[kind] || isinf(choice->time_s)) continue;
            hull->moment = count ? fmin(hull->moment, choice->moment_bytes) : choice->moment_bytes;
            double bytes = choice->fixed_bytes + place->in_flight * choice->flight_bytes;
            double lower[STAGES_TIERS] = {0};
            for (int t = 0; t < p->tiers; t++) {
                lower[t] = lower_of(e, stage, kind, s, t);
                hull->lower[t] = count ? fmin(hull->lower[t], lower[t]) : lower[t];
            }
            if (mixed) bytes = mixed_bytes(e, stage, bytes, lower);
            point[count++] = (struct stage_point){bytes, time_of(e, choice)};
        }
    qsort(point, count, sizeof *point, stage_points_compare);
    hull->count = 0;
    for (size_t i = 0; i < count; i++) {
        int n = hull->count;
        if (n && point[i].time_s >= hull->time_s[n - 1]) continue;
        if (n && point[i].bytes <= hull->bytes[n - 1]) n--;
        while (
            n > 1 &&
            (hull->time_s[n - 2] - point[i].time_s) * (hull->bytes[n - 1] - hull->bytes[n - 2]) >=
                (hull->time_s[n - 2] - hull->time_s[n - 1]) * (point[i].bytes - hull->bytes[n - 2]))
            n--;
        hull->bytes[n] = point[i].bytes;
        hull->time_s[n] = point[i].time_s;
        hull->count = n + 1;
    }
}

/* The least time of `layers` plural layers in so many bytes; INFINITY: too few. */
static double hull_s(const struct hull *hull, double layers, double bytes)
{
    if (layers <= 0) return 0;
    const double each = bytes / layers;
    int i = 0;
    if (!hull->count || each < hull->bytes[0]) return INFINITY;
    while (i + 1 < hull->count && hull->bytes[i + 1] <= each)
        i++;
    if (i + 1 == hull->count) return layers * hull->time_s[i];
    const double share = (each - hull->bytes[i]) / (hull->bytes[i + 1] - hull->bytes[i]);
    return layers * (hull->time_s[i] + share * (hull->time_s[i + 1] - hull->time_s[i]));
}

double engine_rest_s(const struct engine *e, int stage, double layers, const struct room *left)
{
    const double rest_s = hull_s(&e->hull[stage], layers, left->bytes);
    if (!e->problem->tiers) return rest_s;
    for (int t = 0; t < e->problem->tiers; t++)
        if (layers > 0 && layers * e->hull[stage].lower[t] > left->lower[t] * (1 + 1e-12))
            return INFINITY;
    return fmax(rest_s,
                hull_s(&e->mixed[stage], layers, mixed_bytes(e, stage, left->bytes, left->lower)));
}

/* All that a stage has, but for what is there for a moment at least. */
static struct room room_of(const struct engine *e, int stage)
{
    const struct stage_place *place = &e->problem->place[stage];
    struct room room = {.bytes = place->capacity_bytes - e->hull[stage].moment};
    for (int t = 0; t < e->problem->tiers; t++)
        room.lower[t] = place->lower_capacity_bytes[t];
    return room;
}

/* Plural layers that a stage runs within a pace, at most. */
static int most_layers(const struct engine *e, int stage, double pace_s)
{
    const struct room room = room_of(e, stage);
    int low = 0, high = e->plural;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (engine_rest_s(e, stage, middle, &room) <= pace_s)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static bool pace_is_possible(const struct engine *e, double pace_s)
{
    int all = 0;
    for (int stage = 0; stage < e->problem->stages; stage++)
        all += most_layers(e, stage, pace_s);
    return all >= e->plural;
}

/* No pace below is possible; INFINITY: none is. */
static double least_pace(const struct engine *e)
{
    double low = 0, high = 0;
    for (int stage = 0; stage < e->problem->stages; stage++) {
        if (!e->hull[stage].count) continue;
        double slowest_s = e->hull[stage].time_s[0];
        if (e->problem->tiers) slowest_s = fmax(slowest_s, e->mixed[stage].time_s[0]);
        high = fmax(high, 1.000001 * e->plural * slowest_s);
    }
    if (!pace_is_possible(e, high)) return INFINITY;
    for (int i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;
        if (pace_is_possible(e, middle))
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Another choice that changes alike is nowhere worse. */
static bool is_outdone(const struct engine *e, int stage, int kind, int s)
{
    const struct stages_problem *p = e->problem;
    const double flight = p->place[stage].in_flight;
    const struct stage_choice *b = choice_of(e, stage, kind, s);
    const double bytes = b->fixed_bytes + flight * b->flight_bytes;
    for (int other = 0; other < p->choices; other++) {
        const struct stage_choice *a = choice_of(e, stage, kind, other);
        const double a_bytes = a->fixed_bytes + flight * a->flight_bytes;
        bool more = false, less = false;
        for (int t = 0; t < p->tiers; t++) {
            const double own = lower_of(e, stage, kind, s, t),
                         its = lower_of(e, stage, kind, other, t);
            more |= its > own;
            less |= its < own;
        }
        if (other == s || e->group[stage * p->choices + other] != e->group[stage * p->choices + s])
            continue;
        if (more || a_bytes > bytes || a->moment_bytes > b->moment_bytes || a->time_s > b->time_s ||
            a->first_s > b->first_s || a->end_s > b->end_s)
            continue;
        const bool equal = !less && a_bytes == bytes && a->moment_bytes == b->moment_bytes &&
                           a->time_s == b->time_s && a->first_s == b->first_s &&
                           a->end_s == b->end_s;
        if (!equal || other < s) return true;
    }
    return false;
}

/* Choices with which a stage is in time, the rest of its layers run at their best. */
static void find_usable(struct engine *e)
{
    const struct stages_problem *p = e->problem;
    for (int stage = 0; stage < p->stages; stage++)
        for (int kind = 0; kind < p->kinds; kind++)
            for (int s = 0; s < p->choices; s++) {
                const struct stage_choice *choice = choice_of(e, stage, kind, s);
                struct room left = {.bytes = p->place[stage].capacity_bytes - choice->fixed_bytes -
                                             p->place[stage].in_flight * choice->flight_bytes -
                                             choice->moment_bytes};
                bool fits = left.bytes >= 0;
                for (int t = 0; t < p->tiers; t++) {
                    left.lower[t] =
                        p->place[stage].lower_capacity_bytes[t] - lower_of(e, stage, kind, s, t);
                    fits &= left.lower[t] >= 0;
                }
                const int rest = e->least[stage] - !e->single[kind];
                e->usable[(stage * p->kinds + kind) * p->choices + s] =
                    !isinf(choice->time_s) && fits &&
                    time_of(e, choice) + engine_rest_s(e, stage, rest, &left) <= e->pace_s &&
                    !is_outdone(e, stage, kind, s);
            }
}

/* From a value that is enough, how many layers each stage has at least, and how long it takes. */
void engine_enough(struct engine *e, double enough_s)
{
    const struct stages_problem *p = e->problem;
    int all = 0;
    e->enough_s = enough_s;
    /* The sum is no less than the largest, and than all layers at their fastest. */
    e->pace_s = enough_s / p->microbatches;
    if (p->microbatches > 1)
        e->pace_s = fmin(e->pace_s, (enough_s - e->least_s[0]) / (p->microbatches - 1));
    for (int stage = 0; stage < p->stages; stage++) {
        e->least[stage] = most_layers(e, stage, e->pace_s);
        all += e->least[stage];
    }
    for (int stage = 0; stage < p->stages; stage++) {
        const int others = all - e->least[stage];
        e->least[stage] = e->plural > others ? e->plural - others : 0;
    }
    find_usable(e);
}

static int layers_of(const struct stages_problem *p, int kind)
{
    int layers = 0;
    for (int i = 0; i < p->layers; i++)
        layers += p->kind[i] == kind;
    return layers;
}

/* Hulls over kinds of so many layers at least. */
static bool open_hulls(struct engine *e, int least_layers)
{
    const struct stages_problem *p = e->problem;
    const size_t rows = (size_t)p->kinds * (size_t)p->choices;
    struct stage_point *point = calloc(rows + 1, sizeof *point);
    e->single = calloc((size_t)p->kinds, sizeof *e->single);
    e->plural_from = calloc((size_t)p->layers + 1, sizeof *e->plural_from);
    e->hull = calloc((size_t)p->stages, sizeof *e->hull);
    bool done = point && e->single && e->plural_from && e->hull;
    for (int kind = 0; done && kind < p->kinds; kind++)
        e->single[kind] = layers_of(p, kind) < least_layers;
    for (int i = p->layers - 1; done && i >= 0; i--)
        e->plural_from[i] = e->plural_from[i + 1] + !e->single[p->kind[i]];
    if (done) e->plural = e->plural_from[0];
    for (int stage = 0; done && stage < p->stages; stage++) {
        e->hull[stage].bytes = calloc(2 * rows + 2, sizeof(double));
        done = e->hull[stage].bytes;
        if (!done) break;
        e->hull[stage].time_s = e->hull[stage].bytes + rows + 1;
        make_hull(e, stage, point, false);
    }
    if (done && p->tiers) {
        e->mixed = calloc((size_t)p->stages, sizeof *e->mixed);
        done = e->mixed != NULL;
    }
    for (int stage = 0; done && e->mixed && stage < p->stages; stage++) {
        e->mixed[stage].bytes = calloc(2 * rows + 2, sizeof(double));
        done = e->mixed[stage].bytes;
        if (!done) break;
        e->mixed[stage].time_s = e->mixed[stage].bytes + rows + 1;
        make_hull(e, stage, point, true);
    }
    free(point);
    return done;
}

bool engine_relax(struct engine *e)
{
    const struct stages_problem *p = e->problem;
    const size_t rows = (size_t)p->kinds * (size_t)p->choices;
    e->least = calloc((size_t)p->stages, sizeof *e->least);
    e->usable = calloc((size_t)p->stages * rows, sizeof *e->usable);
    if (!e->least || !e->usable || !open_hulls(e, 2)) return false;
    e->bound_pace_s = least_pace(e);
    engine_enough(e, e->enough_s);
    return true;
}

/* ---- how long a stage can be ---- */

/* The longest run of layers that may be one stage of a step that is enough. */
int engine_longest(const struct engine *e)
{
    int longest = 0;
    for (int stage = 0; stage < e->problem->stages; stage++) {
        const int most = most_layers(e, stage, e->pace_s);
        longest = most > longest ? most : longest;
    }
    return longest + e->problem->layers - e->plural;
}

/* On a single stage the layers of which there is one take room from the others. */
static double single_bound(const struct engine *e)
{
    const struct stages_problem *p = e->problem;
    double bytes = 0, time_s = 0;
    for (int i = 0; i < p->layers; i++) {
        double least = INFINITY;
        if (!e->single[p->kind[i]]) continue;
        for (int s = 0; s < p->choices; s++) {
            const struct stage_choice *choice = choice_of(e, 0, p->kind[i], s);
            if (isinf(choice->time_s)) continue;
            least = fmin(least, choice->fixed_bytes + p->place[0].in_flight * choice->flight_bytes);
        }
        bytes += least;
        time_s += engine_fastest_s(e, p->kind[i]);
    }
    return p->microbatches *
           (time_s +
            hull_s(&e->hull[0], e->plural, p->place[0].capacity_bytes - e->hull[0].moment - bytes));
}

/* No way takes less. */
double engine_bound(const struct engine *e)
{
    const double least_s = e->least_s[0];
    if (isinf(e->bound_pace_s) || isinf(least_s)) return INFINITY;
    const double bound_s =
        value_of(e, least_s, fmax(e->bound_pace_s, least_s / e->problem->stages));
    return e->problem->stages == 1 ? fmax(bound_s, single_bound(e)) : bound_s;
}

double stages_bound(const struct stages_problem *problem)
{
    struct engine e;
    const double bound_s = engine_open(&e, problem) ? engine_bound(&e) : NAN;
    engine_close(&e);
    return bound_s;
}

/* ---- what stages take at least ---- */

/* Bytes that the first and the last layer take of a stage where they are of kinds of their own. */
static double ends_bytes(const struct engine *e, int stage)
{
    const struct stages_problem *p = e->problem;
    const int ends[] = {0, p->layers - 1}, stages[] = {0, p->stages - 1};
    double bytes = 0;
    for (int i = 0; i < 2; i++) {
        double least = INFINITY;
        if (stage != stages[i] || !e->single[p->kind[ends[i]]]) continue;
        for (int s = 0; s < p->choices; s++) {
            const struct stage_choice *choice = choice_of(e, stage, p->kind[ends[i]], s);
            if (isinf(choice->time_s)) continue;
            least =
                fmin(least, choice->fixed_bytes + p->place[stage].in_flight * choice->flight_bytes);
        }
        bytes += least;
    }
    return bytes;
}

/* Plural layers dealt to stages one by one, each to where it adds the least: times of stages are
 * convex in how many they have. */
static double least_sum(const struct engine *e, int *dealt)
{
    double sum_s = 0;
    for (int i = 0; i < e->plural; i++) {
        double least_s = INFINITY;
        int to = 0;
        for (int stage = 0; stage < e->problem->stages; stage++) {
            struct room room = room_of(e, stage);
            room.bytes -= ends_bytes(e, stage);
            const double more_s = engine_rest_s(e, stage, dealt[stage] + 1, &room) -
                                  engine_rest_s(e, stage, dealt[stage], &room);
            if (!(more_s < least_s)) continue;
            least_s = more_s;
            to = stage;
        }
        sum_s += least_s;
        dealt[to]++;
    }
    return sum_s;
}

/* Raises what is known with hulls over kinds of so many layers at least, others at their fastest.
 */
static bool raise_least(const struct stages_problem *problem, int least_layers, int *dealt,
                        struct stages_least *least)
{
    struct engine e = {.problem = problem};
    const bool done = open_hulls(&e, least_layers);
    if (done) {
        double plural_s = 0, single_s = 0;
        for (int i = 0; i < problem->layers; i++)
            *(e.single[problem->kind[i]] ? &single_s : &plural_s) +=
                engine_fastest_s(&e, problem->kind[i]);
        least->sum_s = fmax(least->sum_s, single_s + fmax(plural_s, least_sum(&e, dealt)));
        least->most_s = fmax(least->most_s, fmax(least_pace(&e), least->sum_s / problem->stages));
    }
    engine_close(&e);
    return done;
}

/* Over all kinds that there are several layers of, which may change places then; and over the one
 * that there are most of alone. */
bool stages_least(const struct stages_problem *problem, struct stages_least *least)
{
    int most = 0, *dealt = calloc(2 * (size_t)problem->stages, sizeof *dealt);
    for (int kind = 0; kind < problem->kinds; kind++)
        if (layers_of(problem, kind) > most) most = layers_of(problem, kind);
    *least = (struct stages_least){0, 0};
    const bool done = dealt && raise_least(problem, 2, dealt, least) &&
                      raise_least(problem, most > 2 ? most : 2, dealt + problem->stages, least);
    free(dealt);
    return done;
}
