#include "optimize/stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- labels of one stage ---- */

struct label {
    double bytes, time_s, end_s; /* without what is there for a moment */
    double hope_s;               /* see keep_hopeful */
    int moment;                  /* which of the problem's, by size */
    int choice, parent;          /* of the last layer; in the labels of one layer less */
};

struct set {
    bool known;
    int count;
    struct label *label; /* (count) */
};

struct point { /* what an interval can be run with: no other is better for every pace */
    double time_s, end_s;
    int label;
};

struct front {
    bool known;
    int count;
    struct point *point; /* (count) */
};

struct engine {
    const struct stages_problem *problem;
    int *same; /* (layers, layers + 1) [i][n]: the first start with the kinds of i ... i + n - 1 */
    double *least_s; /* (layers + 1) of the layers from here on, each at its fastest */
    double *moment;  /* (moments) sizes of what is there for a moment, rising */
    int moments;
    int *group;          /* (stages, choices) choices that change to and from others alike */
    struct set *set;     /* (stages, layers, layers + 1) */
    struct front *front; /* likewise */
    int longest;         /* layers of a stage that are looked at */
    double enough_s;     /* a value that is reached: what is above is left out */
    size_t limit;        /* of labels in a set; 0: none */
    bool cut;            /* a set was cut at it */
    bool failed;         /* no memory */
    uint64_t labels;
    struct label *room; /* candidates */
    size_t room_size;
    double *stair; /* (moments, choices) for dominance: see keep_best */

    /* the relaxation, over layers of kinds that there are several of */
    bool *single;     /* (kinds) there is one layer of it at most */
    int plural;       /* layers of the others */
    int *plural_from; /* (layers + 1) of these from here on */
    struct hull {
        int count;
        double moment;          /* the least that is there for a moment */
        double *bytes, *time_s; /* (count) rising, falling; convex */
    } * hull;                   /* (stages) */
    int *least;                 /* (stages) plural layers that a stage has at least */
    bool *usable;               /* (stages, kinds, choices) may be part of what is enough */
    double bound_pace_s;        /* no way has a faster pace */
    double pace_s;              /* no stage takes longer in a step that is enough */
};

static const struct stage_choice *choice_of(const struct engine *e, int stage, int kind, int choice)
{
    return &e->problem->place[stage].choice[kind * e->problem->choices + choice];
}

/* Of a layer. On a single stage what is behind the last microbatch is a share of each. */
static double time_of(const struct engine *e, const struct stage_choice *choice)
{
    return choice->time_s +
           (e->problem->stages == 1 ? choice->end_s / e->problem->microbatches : 0);
}

static double change_s(const struct engine *e, int stage, int from, int to)
{
    return e->problem->place[stage].change_s[from * e->problem->choices + to];
}

static size_t at(const struct engine *e, int stage, int first, int count)
{
    const size_t layers = (size_t)e->problem->layers;
    return ((size_t)stage * layers + (size_t)first) * (layers + 1) + (size_t)count;
}

static int same_of(const struct engine *e, int first, int count)
{
    return e->same[(size_t)first * (size_t)(e->problem->layers + 1) + (size_t)count];
}

/* ---- opening ---- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool list_moments(struct engine *e)
{
    const struct stages_problem *p = e->problem;
    const size_t rows = (size_t)p->kinds * (size_t)p->choices;
    e->moment = calloc((size_t)p->stages * rows + 1, sizeof *e->moment);
    if (!e->moment) return false;
    size_t count = 1; /* none */
    for (int k = 0; k < p->stages; k++)
        for (size_t i = 0; i < rows; i++)
            e->moment[count++] = p->place[k].choice[i].moment_bytes;
    qsort(e->moment, count, sizeof *e->moment, compare_doubles);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || e->moment[i] > e->moment[e->moments - 1])
            e->moment[e->moments++] = e->moment[i];
    return true;
}

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

static bool change_alike(const struct engine *e, int stage, int a, int b)
{
    for (int other = 0; other < e->problem->choices; other++)
        if (change_s(e, stage, a, other) != change_s(e, stage, b, other) ||
            change_s(e, stage, other, a) != change_s(e, stage, other, b))
            return false;
    return true;
}

static void find_groups(struct engine *e)
{
    const int choices = e->problem->choices;
    for (int k = 0; k < e->problem->stages; k++)
        for (int s = 0; s < choices; s++) {
            int *group = &e->group[k * choices + s];
            *group = s;
            for (int other = 0; other < s && *group == s; other++)
                if (change_alike(e, k, other, s)) *group = other;
        }
}

/* Starts whose next layers are of the same kinds, longest first. */
static void find_same(struct engine *e)
{
    const struct stages_problem *p = e->problem;
    const int layers = p->layers;
    for (int i = 0; i < layers; i++)
        for (int n = 0; n <= layers - i; n++)
            e->same[(size_t)i * (size_t)(layers + 1) + (size_t)n] = i;
    for (int i = 0; i < layers; i++)
        for (int before = i - 1; before >= 0; before--) {
            int common = 0;
            while (i + common < layers && p->kind[before + common] == p->kind[i + common])
                common++;
            for (int n = 0; n <= common; n++)
                e->same[(size_t)i * (size_t)(layers + 1) + (size_t)n] = before;
        }
}

static double fastest_s(const struct engine *e, int kind)
{
    double least = INFINITY;
    for (int k = 0; k < e->problem->stages; k++)
        for (int s = 0; s < e->problem->choices; s++)
            least = fmin(least, time_of(e, choice_of(e, k, kind, s)));
    return least;
}

/* ---- the relaxation ---- */

static int compare_points(const void *a, const void *b)
{
    const struct stage_point *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

/* Of the points (bytes, time) of a stage's choices the lower left hull. */
static void make_hull(struct engine *e, int stage, struct stage_point *point)
{
    const struct stages_problem *p = e->problem;
    const struct stage_place *place = &p->place[stage];
    struct hull *hull = &e->hull[stage];
    size_t count = 0;
    for (int kind = 0; kind < p->kinds; kind++)
        for (int s = 0; s < p->choices; s++) {
            const struct stage_choice *choice = choice_of(e, stage, kind, s);
            if (e->single[kind] || isinf(choice->time_s)) continue;
            hull->moment = count ? fmin(hull->moment, choice->moment_bytes) : choice->moment_bytes;
            point[count++] = (struct stage_point){
                choice->fixed_bytes + place->in_flight * choice->flight_bytes, time_of(e, choice)};
        }
    qsort(point, count, sizeof *point, compare_points);
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

/* Plural layers that a stage runs within a pace, at most. */
static int most_layers(const struct engine *e, int stage, double pace_s)
{
    const double bytes = e->problem->place[stage].capacity_bytes - e->hull[stage].moment;
    int low = 0, high = e->plural;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (hull_s(&e->hull[stage], middle, bytes) <= pace_s)
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
    for (int stage = 0; stage < e->problem->stages; stage++)
        if (e->hull[stage].count)
            high = fmax(high, 1.000001 * e->plural * e->hull[stage].time_s[0]);
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
        if (other == s || e->group[stage * p->choices + other] != e->group[stage * p->choices + s])
            continue;
        if (a_bytes > bytes || a->moment_bytes > b->moment_bytes || a->time_s > b->time_s ||
            a->first_s > b->first_s || a->end_s > b->end_s)
            continue;
        const bool equal = a_bytes == bytes && a->moment_bytes == b->moment_bytes &&
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
                const double left = p->place[stage].capacity_bytes - choice->fixed_bytes -
                                    p->place[stage].in_flight * choice->flight_bytes -
                                    choice->moment_bytes;
                const int rest = e->least[stage] - !e->single[kind];
                e->usable[(stage * p->kinds + kind) * p->choices + s] =
                    !isinf(choice->time_s) && left >= 0 &&
                    time_of(e, choice) + hull_s(&e->hull[stage], rest, left) <= e->pace_s &&
                    !is_outdone(e, stage, kind, s);
            }
}

/* From a value that is enough, how many layers each stage has at least, and how long it takes. */
static void set_enough(struct engine *e, double enough_s)
{
    const struct stages_problem *p = e->problem;
    int all = 0;
    e->enough_s = enough_s;
    e->pace_s = p->stages == 1 || p->microbatches == 1
                    ? enough_s / p->microbatches
                    : (enough_s - e->least_s[0]) / (p->microbatches - 1);
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

static bool relax(struct engine *e)
{
    const struct stages_problem *p = e->problem;
    const size_t rows = (size_t)p->kinds * (size_t)p->choices;
    struct stage_point *point = calloc(rows + 1, sizeof *point);
    e->single = calloc((size_t)p->kinds, sizeof *e->single);
    e->plural_from = calloc((size_t)p->layers + 1, sizeof *e->plural_from);
    e->hull = calloc((size_t)p->stages, sizeof *e->hull);
    e->least = calloc((size_t)p->stages, sizeof *e->least);
    e->usable = calloc((size_t)p->stages * rows, sizeof *e->usable);
    bool done = point && e->single && e->plural_from && e->hull && e->least && e->usable;
    for (int kind = 0; done && kind < p->kinds; kind++) {
        int layers = 0;
        for (int i = 0; i < p->layers; i++)
            layers += p->kind[i] == kind;
        e->single[kind] = layers < 2;
    }
    for (int i = p->layers - 1; done && i >= 0; i--)
        e->plural_from[i] = e->plural_from[i + 1] + !e->single[p->kind[i]];
    if (done) e->plural = e->plural_from[0];
    for (int stage = 0; done && stage < p->stages; stage++) {
        e->hull[stage].bytes = calloc(2 * rows + 2, sizeof(double));
        done = e->hull[stage].bytes;
        if (!done) break;
        e->hull[stage].time_s = e->hull[stage].bytes + rows + 1;
        make_hull(e, stage, point);
    }
    free(point);
    if (done) e->bound_pace_s = least_pace(e);
    if (done) set_enough(e, e->enough_s);
    return done;
}

static bool engine_open(struct engine *e, const struct stages_problem *problem)
{
    const size_t layers = (size_t)problem->layers, stages = (size_t)problem->stages,
                 choices = (size_t)problem->choices;
    *e = (struct engine){.problem = problem,
                         .enough_s = problem->enough_s > 0 ? problem->enough_s : INFINITY};
    e->same = calloc(layers * (layers + 1), sizeof *e->same);
    e->least_s = calloc(layers + 1, sizeof *e->least_s);
    e->group = calloc(stages * choices, sizeof *e->group);
    e->set = calloc(stages * layers * (layers + 1), sizeof *e->set);
    e->front = calloc(stages * layers * (layers + 1), sizeof *e->front);
    if (!e->same || !e->least_s || !e->group || !e->set || !e->front || !list_moments(e))
        return false;
    e->stair = calloc((size_t)e->moments * choices, sizeof *e->stair);
    if (!e->stair) return false;
    find_groups(e);
    find_same(e);
    for (int i = problem->layers - 1; i >= 0; i--)
        e->least_s[i] = e->least_s[i + 1] + fastest_s(e, problem->kind[i]);
    return relax(e);
}

static void engine_close(struct engine *e)
{
    const size_t layers = (size_t)e->problem->layers;
    const size_t sets = (size_t)e->problem->stages * layers * (layers + 1);
    for (size_t i = 0; i < sets; i++) {
        if (e->set) free(e->set[i].label);
        if (e->front) free(e->front[i].point);
    }
    free(e->same);
    free(e->least_s);
    free(e->moment);
    free(e->group);
    free(e->set);
    free(e->front);
    free(e->room);
    free(e->stair);
    for (int k = 0; e->hull && k < e->problem->stages; k++)
        free(e->hull[k].bytes);
    free(e->hull);
    free(e->single);
    free(e->plural_from);
    free(e->least);
    free(e->usable);
}

/* ---- extending labels by a layer ---- */

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

/* Is one that is kept, of the same group, nowhere worse? In the order of bytes. The stair has the
 * least fast value of each moment and group: above all of them nothing needs a closer look. */
static bool is_dominated(const struct engine *e, const struct label *kept, int count, int stage,
                         const struct label *x)
{
    const int choices = e->problem->choices, group = e->group[stage * choices + x->choice];
    const double fast = fast_value(x), slow = slow_value(e, x);
    bool may = false;
    for (int moment = 0; moment <= x->moment && !may; moment++)
        may = e->stair[moment * choices + group] <= fast;
    if (!may) return false;
    for (int i = count - 1; i >= 0; i--)
        if (kept[i].moment <= x->moment && e->group[stage * choices + kept[i].choice] == group &&
            fast_value(&kept[i]) <= fast && slow_value(e, &kept[i]) <= slow)
            return true;
    return false;
}

/* Keeps of `count` candidates in room those that none dominates, at its front. */
static int keep_best(struct engine *e, int stage, int count)
{
    const int choices = e->problem->choices;
    int kept = 0;
    qsort(e->room, (size_t)count, sizeof *e->room, compare_labels);
    for (int i = 0; i < e->moments * choices; i++)
        e->stair[i] = INFINITY;
    for (int i = 0; i < count; i++) {
        const struct label x = e->room[i];
        if (is_dominated(e, e->room, kept, stage, &x)) continue;
        double *stair = &e->stair[x.moment * choices + e->group[stage * choices + x.choice]];
        *stair = fmin(*stair, fast_value(&x));
        e->room[kept++] = x;
    }
    return kept;
}

static int compare_hopes(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    return x->hope_s != y->hope_s ? (x->hope_s > y->hope_s) - (x->hope_s < y->hope_s)
                                  : compare_labels(a, b);
}

/* Of `count` in room those that the relaxation says are fastest in the end, in order of bytes. */
static int keep_hopeful(struct engine *e, int stage, int count, int layers)
{
    const struct stages_problem *p = e->problem;
    const int even = (e->plural + p->stages - 1) / p->stages;
    const int all = e->least[stage] > even ? e->least[stage] : even;
    for (int i = 0; i < count; i++) {
        struct label *x = &e->room[i];
        const double left = p->place[stage].capacity_bytes - x->bytes - e->moment[x->moment];
        x->hope_s = x->time_s + hull_s(&e->hull[stage], all - layers, left);
    }
    qsort(e->room, (size_t)count, sizeof *e->room, compare_hopes);
    qsort(e->room, e->limit, sizeof *e->room, compare_labels);
    return (int)e->limit;
}

static bool reserve_room(struct engine *e, size_t count)
{
    if (count <= e->room_size) return true;
    struct label *grown = realloc(e->room, 2 * count * sizeof *grown);
    if (!grown) return false;
    e->room = grown;
    e->room_size = 2 * count;
    return true;
}

/* A label can still be of use: its stage fits, and is not too slow, with the fewest layers that it
 * can have; `layers` are the plural ones so far. */
static bool is_useful(const struct engine *e, int stage, const struct label *x, int layers)
{
    const double left = e->problem->place[stage].capacity_bytes - x->bytes - e->moment[x->moment];
    if (left < 0) return false;
    if (isinf(e->enough_s)) return true;
    return x->time_s + hull_s(&e->hull[stage], e->least[stage] - layers, left) <= e->pace_s;
}

static int extend(struct engine *e, int stage, int kind, const struct set *before, int layers)
{
    const struct stages_problem *p = e->problem;
    const struct stage_place *place = &p->place[stage];
    const struct label none = {.choice = -1, .parent = -1};
    const bool first = !before;
    const int labels = first ? 1 : before->count;
    int count = 0;
    if (!reserve_room(e, (size_t)labels * (size_t)p->choices + 1)) {
        e->failed = true;
        return 0;
    }
    for (int s = 0; s < p->choices; s++) {
        const struct stage_choice *choice = choice_of(e, stage, kind, s);
        const int moment = moment_of(e, choice->moment_bytes);
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
            if (is_useful(e, stage, &next, layers)) e->room[count++] = next;
        }
    }
    return keep_best(e, stage, count);
}

/* The labels of layers first ... first + count - 1; NULL when there is no memory. */
static const struct set *set_of(struct engine *e, int stage, int first, int count)
{
    const int start = same_of(e, first, count);
    struct set *set = &e->set[at(e, stage, start, count)];
    if (set->known || e->failed) return set;
    const struct set *before = count > 1 ? set_of(e, stage, start, count - 1) : NULL;
    const int layers = e->plural_from[start] - e->plural_from[start + count];
    int kept = 0;
    if (count == 1 || before->count)
        kept = extend(e, stage, e->problem->kind[start + count - 1], before, layers);
    if (e->limit && (size_t)kept > e->limit) {
        kept = keep_hopeful(e, stage, kept, layers);
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
static const struct front *front_of(struct engine *e, int stage, int first, int count)
{
    const int start = same_of(e, first, count);
    struct front *front = &e->front[at(e, stage, start, count)];
    if (front->known) return front;
    const struct set *set = set_of(e, stage, start, count);
    front->known = true;
    if (!set->count) return front;
    front->point = malloc((size_t)set->count * sizeof *front->point);
    if (!front->point) {
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
        if (!worse) front->point[front->count++] = (struct point){x->time_s, x->end_s, i};
    }
    return front;
}

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

static double value_of(const struct engine *e, double sum_s, double most_s)
{
    return sum_s + (e->problem->microbatches - 1) * most_s;
}

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

static bool may_cut(const struct stages_problem *p, int before)
{
    return before == 0 || before == p->layers || !p->cut || p->cut[before];
}

/* All ways from those that end before layer `first` by stage `stage` up to before `end`. */
static void join(struct engine *e, struct ways *to, const struct ways *from, int stage, int first,
                 int end)
{
    const struct front *front = front_of(e, stage, first, end - first);
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
                if (!set_of(e, stage, first, end - first)->count) break; /* longer: no less */
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

/* The choices of one stage, from its labels. */
static void trace_stage(const struct engine *e, int stage, int first, int end, int point,
                        int *choice)
{
    int n = end - first, start = same_of(e, first, n);
    int label = e->front[at(e, stage, start, n)].point[point].label;
    for (; n > 0; n--) {
        start = same_of(e, start, n);
        const struct label *x = &e->set[at(e, stage, start, n)].label[label];
        choice[first + n - 1] = x->choice;
        label = x->parent;
    }
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
        trace_stage(e, stage, way->first, end, way->point, answer->choice);
        end = way->first;
        best = way->parent;
    }
    return true;
}

/* ---- how long a stage can be ---- */

/* The longest run of layers that may be one stage of a step that is enough. */
static int longest_stage(const struct engine *e)
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
        time_s += fastest_s(e, p->kind[i]);
    }
    return p->microbatches *
           (time_s +
            hull_s(&e->hull[0], e->plural, p->place[0].capacity_bytes - e->hull[0].moment - bytes));
}

/* No way takes less. */
static double whole_bound(const struct engine *e)
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
    const double bound_s = engine_open(&e, problem) ? whole_bound(&e) : NAN;
    engine_close(&e);
    return bound_s;
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

static bool answer_open(struct stages_answer *answer, const struct stages_problem *p)
{
    *answer = (struct stages_answer){.value_s = INFINITY, .bound_s = INFINITY};
    answer->first = calloc((size_t)p->stages + 1, sizeof *answer->first);
    answer->choice = calloc((size_t)p->layers, sizeof *answer->choice);
    answer->stage_s = calloc((size_t)p->stages, sizeof *answer->stage_s);
    answer->stage_bytes = calloc((size_t)p->stages, sizeof *answer->stage_bytes);
    return answer->first && answer->choice && answer->stage_s && answer->stage_bytes;
}

void stages_answer_release(struct stages_answer *answer)
{
    free(answer->first);
    free(answer->choice);
    free(answer->stage_s);
    free(answer->stage_bytes);
    *answer = (struct stages_answer){.found = false};
}

/* Sets and fronts begin again. */
static void forget(struct engine *e)
{
    const size_t layers = (size_t)e->problem->layers;
    const size_t sets = (size_t)e->problem->stages * layers * (layers + 1);
    for (size_t i = 0; i < sets; i++) {
        free(e->set[i].label);
        free(e->front[i].point);
    }
    memset(e->set, 0, sets * sizeof *e->set);
    memset(e->front, 0, sets * sizeof *e->front);
    e->cut = false;
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
            set_enough(e, fmin(e->enough_s, answer->value_s * (1 + 1e-12)));
        }
        int needed = isinf(e->enough_s) ? most : longest_stage(e);
        if (needed > most) needed = most;
        if (e->failed || needed <= e->longest) break;
        e->longest = answer->found || 2 * e->longest >= needed ? needed : 2 * e->longest;
    }
}

enum { FEW_LABELS = 48, WALK_LABELS = 200 };

/* With few labels first: what they find makes most others useless. */
bool stages_solve(const struct stages_problem *problem, struct stages_answer *answer)
{
    struct engine e;
    bool done = answer_open(answer, problem) && engine_open(&e, problem);
    if (!done) {
        if (answer->stage_bytes) engine_close(&e);
        stages_answer_release(answer);
        return false;
    }
    if (whole_bound(&e) <= e.enough_s && !isinf(whole_bound(&e))) {
        e.limit = problem->label_limit && problem->label_limit < FEW_LABELS ? problem->label_limit
                                                                            : FEW_LABELS;
        search_all(&e, answer);
        if (e.cut && e.limit != problem->label_limit) {
            forget(&e);
            e.limit = problem->label_limit;
            search_all(&e, answer);
        }
    }
    answer->labels = e.labels;
    const double bound_s = e.cut ? whole_bound(&e) : INFINITY;
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

size_t stages_front(const struct stages_problem *problem, int stage, int first, int last,
                    struct stage_point *point, size_t room)
{
    struct engine e;
    size_t count = 0;
    if (!engine_open(&e, problem)) {
        engine_close(&e);
        return 0;
    }
    const struct set *set = set_of(&e, stage, first, last - first);
    struct stage_point *all = calloc((size_t)set->count + 1, sizeof *all);
    for (int i = 0; all && i < set->count; i++)
        all[i] = (struct stage_point){set->label[i].bytes + e.moment[set->label[i].moment],
                                      set->label[i].time_s};
    if (all) qsort(all, (size_t)set->count, sizeof *all, compare_points);
    double least_s = INFINITY;
    for (int i = 0; all && i < set->count; i++) {
        if (all[i].time_s >= least_s) continue;
        least_s = all[i].time_s;
        if (count < room) point[count] = all[i];
        count++;
    }
    free(all);
    engine_close(&e);
    return count;
}

/* ---- the walk between balanced extremes ---- */

struct split {
    double value_s, most_s, most_bytes;
    bool fits;
};

/* The value of a split, each stage at its best; choices are filled in. */
static struct split split_value(struct engine *e, struct stages_answer *answer)
{
    const struct stages_problem *p = e->problem;
    for (int stage = 0; stage < p->stages; stage++) {
        const int first = answer->first[stage], end = answer->first[stage + 1];
        const struct front *front = front_of(e, stage, first, end - first);
        int best = 0;
        if (!front->count) return (struct split){INFINITY, INFINITY, INFINITY, false};
        for (int i = 1; i < front->count; i++)
            if (p->microbatches * front->point[i].time_s + front->point[i].end_s <
                p->microbatches * front->point[best].time_s + front->point[best].end_s)
                best = i;
        trace_stage(e, stage, first, end, best, answer->choice);
    }
    struct split split = {.value_s = stages_value(p, answer), .fits = true};
    for (int stage = 0; stage < p->stages; stage++) {
        split.most_s = fmax(split.most_s, answer->stage_s[stage]);
        split.most_bytes = fmax(split.most_bytes, answer->stage_bytes[stage]);
    }
    return split;
}

/* Where stages may end behind layer `at`, but for the last one. */
static int cuts_behind(const struct stages_problem *p, int at)
{
    int cuts = 0;
    for (int i = at + 1; i < p->layers; i++)
        cuts += may_cut(p, i);
    return cuts;
}

/* Deals layers so that the largest stage is as small as it can be, by weights that depend on the
 * stage: the most layers that a limit allows, and the least limit that is enough. */
static bool deal(const struct stages_problem *p, const double *weight, double limit, int *first)
{
    int at = 0;
    for (int stage = 0; stage < p->stages; stage++) {
        const int left = p->stages - stage - 1;
        double sum = 0;
        first[stage] = at;
        int end = at;
        for (int i = at; i < p->layers - left; i++) {
            sum += weight[stage * p->layers + i];
            if (sum > limit) break;
            if (may_cut(p, i + 1) && cuts_behind(p, i + 1) >= left - 1) end = i + 1;
        }
        if (end == at) return false;
        at = end;
    }
    first[p->stages] = p->layers;
    return at == p->layers;
}

static bool balance(const struct stages_problem *p, const double *weight, int *first)
{
    double low = 0, high = 0;
    for (int i = 0; i < p->stages * p->layers; i++)
        high += weight[i];
    if (!deal(p, weight, high, first)) return false;
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (deal(p, weight, middle, first))
            high = middle;
        else
            low = middle;
    }
    return deal(p, weight, high, first);
}

/* Of each layer on each stage the least bytes, or the least time. */
static void weigh(const struct engine *e, double *weight, bool bytes)
{
    const struct stages_problem *p = e->problem;
    for (int stage = 0; stage < p->stages; stage++)
        for (int i = 0; i < p->layers; i++) {
            double *least = &weight[stage * p->layers + i];
            *least = INFINITY;
            for (int s = 0; s < p->choices; s++) {
                const struct stage_choice *one = choice_of(e, stage, p->kind[i], s);
                if (isinf(one->time_s)) continue;
                *least = fmin(*least, bytes ? one->fixed_bytes +
                                                  p->place[stage].in_flight * one->flight_bytes
                                            : one->time_s);
            }
        }
}

static int slowest_of(const struct stages_answer *answer, int stages)
{
    int slowest = 0;
    for (int stage = 1; stage < stages; stage++)
        if (answer->stage_s[stage] > answer->stage_s[slowest]) slowest = stage;
    return slowest;
}

/* Moves a boundary of the slowest stage by the layers up to the next cut: side 0 to the stage
 * before, 1 to the one behind. */
static bool move(const struct stages_problem *p, int *first, int stage, int side)
{
    const int at = stage + side, step = side ? -1 : 1;
    if (at == 0 || at == p->stages) return false;
    int to = first[at] + step;
    while (to > first[at - 1] && to < first[at + 1] && !may_cut(p, to))
        to += step;
    if (to <= first[at - 1] || to >= first[at + 1]) return false;
    first[at] = to;
    return true;
}

/* From the balanced memory, where it fits best, towards balanced time: each move is kept when the
 * pace gets no slower, all stages fit, and none holds more than at balanced time. */
bool stages_walk(const struct stages_problem *problem, struct stages_answer *answer)
{
    struct engine e;
    const size_t boundaries = (size_t)problem->stages + 1;
    const size_t cells = (size_t)problem->stages * (size_t)problem->layers;
    if (!answer_open(answer, problem)) {
        stages_answer_release(answer);
        return false;
    }
    bool done = engine_open(&e, problem);
    e.limit = WALK_LABELS;
    double *weight = calloc(cells, sizeof *weight);
    int *best = calloc(2 * boundaries, sizeof *best), *next = best ? best + boundaries : NULL;
    done = done && weight && best;
    struct split at = {.value_s = INFINITY}, by_time = {.value_s = INFINITY};
    if (done) {
        weigh(&e, weight, false);
        if (balance(problem, weight, answer->first)) by_time = split_value(&e, answer);
        memcpy(best, answer->first, boundaries * sizeof *best);
        weigh(&e, weight, true);
        if (balance(problem, weight, answer->first)) at = split_value(&e, answer);
        if (at.fits) memcpy(best, answer->first, boundaries * sizeof *best);
        if (!at.fits) at = by_time;
    }
    const double most_bytes = by_time.fits ? by_time.most_bytes : INFINITY;
    double least_s = at.value_s;
    memcpy(answer->first, best, best ? boundaries * sizeof *best : 0);
    for (bool moved = done && at.fits; moved;) {
        moved = false;
        for (int side = 0; side < 2 && !moved; side++) {
            split_value(&e, answer);
            memcpy(next, answer->first, boundaries * sizeof *next);
            const int slowest = slowest_of(answer, problem->stages);
            if (!move(problem, answer->first, slowest, side)) continue;
            const struct split tried = split_value(&e, answer);
            moved = tried.fits && tried.most_s < at.most_s && tried.most_bytes <= most_bytes;
            if (!moved) {
                memcpy(answer->first, next, boundaries * sizeof *next);
                continue;
            }
            at = tried;
            if (at.value_s >= least_s) continue;
            least_s = at.value_s;
            memcpy(best, answer->first, boundaries * sizeof *best);
        }
    }
    if (done && by_time.fits && by_time.value_s < least_s) { /* the other extreme */
        weigh(&e, weight, false);
        balance(problem, weight, best);
    }
    if (done) memcpy(answer->first, best, boundaries * sizeof *best);
    const bool any = done && (at.fits || by_time.fits);
    const struct split end = any ? split_value(&e, answer) : (struct split){.value_s = INFINITY};
    answer->found = end.fits;
    answer->value_s = end.value_s;
    answer->bound_s = 0;
    answer->labels = e.labels;
    done = done && !e.failed;
    free(weight);
    free(best);
    engine_close(&e);
    if (!done) stages_answer_release(answer);
    return done;
}
