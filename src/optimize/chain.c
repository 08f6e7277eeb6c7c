#include "optimize/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A way to run a stage of so many layers, below the limit. */
struct entry {
    int choice, layers, units, width;
    double time_s, backward_s, sync_s, in_flight;
};

struct entries {
    int count, room;
    struct entry *entry; /* (room) by rising layers */
};

struct label {
    double sum_s, wait_s; /* S, W */
    double time_s;        /* c of the foremost stage */
    int parent, next;     /* labels; -1: none. `next` of the same place */
    int cluster, choice, layers, width;
    int placed, left; /* layers so far, units of the cluster that are left */
    bool dropped;
};

struct engine {
    const struct chain_problem *problem;
    struct entries *entries; /* (clusters, lists): by place, or with `ways` by where they end */
    int lists;
    int *widest;         /* (largest units + 1) most layers by units, scratch */
    int *reach;          /* (largest units + 1) scratch */
    double **rest_s;     /* (clusters) (units + 1, layers + 1) least sum in front */
    double *cheapest;    /* (largest units + 1, layers + 1) least c by units and layers, scratch */
    double *least_out_s; /* (widths) the cheapest boundary */
    struct label *label;
    int labels, room;
    int generation; /* the first label of as many stages as those that are being made */
    int *bucket;    /* (clusters, layers + 1, largest units + 1, widths) head of labels, or -1 */
    int units;      /* largest of a cluster */
    double floor_s; /* plans that are looked for have no smaller largest c */
    double best_s;
    struct chain_answer *answer;
    bool failed;
};

static const struct chain_cost *cost_of(const struct chain_problem *p, int cluster, int choice,
                                        enum chain_place place, int layers)
{
    return &p->cluster[cluster].choice[choice].cost[(int)place * (p->layers + 1) + layers];
}

static double boundary_of(const struct chain_problem *p, int from, int to)
{
    return p->boundary_s[from * p->widths + to];
}

/* Those that a stage of `cluster` can be behind which `end` layers lie in front. */
static struct entries *entries_of(const struct engine *e, int cluster, enum chain_place place,
                                  int end)
{
    return &e->entries[cluster * e->lists + (e->problem->ways ? end : (int)place)];
}

/* ---- the value of a plan ---- */

static enum chain_place place_of(int i, int stages)
{
    if (stages == 1) return CHAIN_ALONE;
    return i == 0 ? CHAIN_FIRST : i + 1 == stages ? CHAIN_LAST : CHAIN_INNER;
}

double chain_value(const struct chain_problem *p, const struct chain_stage *stage, int stages)
{
    double sum_s = 0, slowest_s = 0, wait_s = 0, before_s = 0;
    for (int i = 0, first = 0, count; i < stages; first += stage[i++].layers) {
        const struct chain_stage *s = &stage[i];
        const struct chain_cost *cost =
            p->ways ? p->ways(p->context, s->cluster, first, first + s->layers, &count) + s->choice
                    : cost_of(p, s->cluster, s->choice, place_of(i, stages), s->layers);
        double time_s = cost->time_s;
        if (i + 1 < stages && !p->ways)
            time_s +=
                boundary_of(p, p->cluster[s->cluster].choice[s->choice].width,
                            p->cluster[stage[i + 1].cluster].choice[stage[i + 1].choice].width);
        if (isinf(time_s) || cost->in_flight < fmin(stages - i, p->microbatches)) return INFINITY;
        sum_s += time_s;
        slowest_s = fmax(slowest_s, time_s);
        wait_s = fmax(wait_s, cost->sync_s + (i == 0 ? p->closing_s : 0) - before_s);
        before_s += cost->backward_s;
    }
    return sum_s + (p->microbatches - 1) * slowest_s + wait_s;
}

/* ---- no pace below is possible ---- */

/* Layers of a stage of this choice within the limit, at most, wherever it stands. */
static int most_layers(const struct engine *e, int cluster, int choice, double limit_s)
{
    for (int n = e->problem->layers; n > 0; n--)
        for (int place = 0; place < CHAIN_PLACES; place++) {
            const struct chain_cost *cost =
                cost_of(e->problem, cluster, choice, (enum chain_place)place, n);
            if (cost->time_s <= limit_s && cost->in_flight >= 1) return n;
        }
    return 0;
}

static int reach_of(struct engine *e, int cluster, double limit_s)
{
    const struct chain_cluster *c = &e->problem->cluster[cluster];
    int *most = e->widest, *reach = e->reach;
    for (int u = 0; u <= c->units; u++)
        most[u] = 0;
    for (int i = 0; i < c->choices; i++) {
        if (c->choice[i].units > c->units) continue;
        const int n = most_layers(e, cluster, i, limit_s);
        if (n > most[c->choice[i].units]) most[c->choice[i].units] = n;
    }
    for (int u = 0; u <= c->units; u++) {
        reach[u] = u ? reach[u - 1] : 0;
        for (int used = 1; used <= u; used++)
            if (most[used] && most[used] + reach[u - used] > reach[u])
                reach[u] = most[used] + reach[u - used];
        if (reach[u] > e->problem->layers) return e->problem->layers;
    }
    return reach[c->units];
}

static bool is_possible(struct engine *e, double limit_s)
{
    int layers = 0;
    for (int i = 0; i < e->problem->clusters; i++)
        layers += reach_of(e, i, limit_s);
    return layers >= e->problem->layers;
}

static double find_pace(struct engine *e)
{
    double low = 0, high = 1;
    if (e->problem->ways) return e->problem->pace_s;
    while (high < 1e12 && !is_possible(e, high))
        low = high, high *= 8;
    if (!is_possible(e, high)) return INFINITY;
    for (int i = 0; i < 60 && high - low > 1e-9 * high; i++) {
        const double middle = (low + high) / 2;
        if (is_possible(e, middle))
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* ---- ways below a limit ---- */

/* No plan with b in the place of a is better: what less of backward makes others wait longer, a
 * takes less itself. */
static bool outdoes(const struct entry *a, const struct entry *b)
{
    return a->layers == b->layers && a->width == b->width && a->units <= b->units &&
           a->time_s <= b->time_s && a->sync_s <= b->sync_s && a->in_flight >= b->in_flight &&
           b->time_s - a->time_s >= b->backward_s - a->backward_s;
}

static void add_entry(struct entries *entries, const struct entry *entry)
{
    int kept = 0;
    for (int i = 0; i < entries->count; i++)
        if (outdoes(&entries->entry[i], entry)) return;
    for (int i = 0; i < entries->count; i++)
        if (!outdoes(entry, &entries->entry[i])) entries->entry[kept++] = entries->entry[i];
    entries->entry[kept++] = *entry;
    entries->count = kept;
}

static void list_entries(struct engine *e, int cluster, enum chain_place place, double limit_s)
{
    const struct chain_cluster *c = &e->problem->cluster[cluster];
    struct entries *entries = entries_of(e, cluster, place, 0);
    const bool sends = place == CHAIN_INNER || place == CHAIN_FIRST;
    entries->count = 0;
    for (int n = 1; n <= e->problem->layers; n++) {
        struct entries of_length = {0, 0, entries->entry + entries->count};
        for (int i = 0; i < c->choices; i++) {
            const struct chain_cost *cost = cost_of(e->problem, cluster, i, place, n);
            const int width = c->choice[i].width;
            const double out_s = sends ? e->least_out_s[width] : 0;
            if (c->choice[i].units > c->units || cost->in_flight < 1) continue;
            if (!(cost->time_s + out_s < limit_s)) continue;
            const struct entry entry = {i,
                                        n,
                                        c->choice[i].units,
                                        width,
                                        cost->time_s,
                                        cost->backward_s,
                                        cost->sync_s + (place == CHAIN_FIRST || place == CHAIN_ALONE
                                                            ? e->problem->closing_s
                                                            : 0),
                                        cost->in_flight};
            add_entry(&of_length, &entry);
        }
        entries->count += of_length.count;
    }
}

static bool reserve(struct entries *entries, int more)
{
    if (entries->count + more <= entries->room) return true;
    const int room = 2 * (entries->count + more);
    struct entry *grown = realloc(entries->entry, (size_t)room * sizeof *grown);
    if (!grown) return false;
    entries->entry = grown;
    entries->room = room;
    return true;
}

/* The same from the ways of the very layers. */
static void list_ways(struct engine *e, int cluster, int end, double limit_s)
{
    const struct chain_problem *p = e->problem;
    struct entries *entries = entries_of(e, cluster, CHAIN_INNER, end);
    entries->count = 0;
    for (int n = 1; n <= end && !e->failed; n++) {
        int count = 0;
        const struct chain_cost *cost = p->ways(p->context, cluster, end - n, end, &count);
        if (count < 0) break;
        if (!reserve(entries, count)) e->failed = true;
        struct entries of_length = {0, 0, entries->entry ? entries->entry + entries->count : NULL};
        for (int i = 0; i < count && !e->failed; i++) {
            if (!(cost[i].time_s < limit_s)) continue;
            const struct entry entry = {
                .choice = i,
                .layers = n,
                .units = 1,
                .time_s = cost[i].time_s,
                .backward_s = cost[i].backward_s,
                .sync_s = cost[i].sync_s + (n == end ? p->closing_s : 0),
                .in_flight = cost[i].in_flight,
            };
            add_entry(&of_length, &entry);
        }
        entries->count += of_length.count;
    }
}

/* ---- the least sum in front ---- */

/* fmin() is a call. */
static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static double *rest_at(const struct engine *e, int cluster, int units, int layers)
{
    return &e->rest_s[cluster][units * (e->problem->layers + 1) + layers];
}

static void list_cheapest(struct engine *e, int cluster, enum chain_place place, double *cheapest)
{
    const struct entries *entries = entries_of(e, cluster, place, 0);
    const int row = e->problem->layers + 1, units = e->problem->cluster[cluster].units;
    for (int i = 0; i < (units + 1) * row; i++)
        cheapest[i] = INFINITY;
    for (int i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->entry[i];
        double *least = &cheapest[entry->units * row + entry->layers];
        *least = fmin(*least, entry->time_s + e->least_out_s[entry->width]);
    }
}

/* Of stages of clusters 0 ... cluster; those of the last one have `units` of it. */
static void fill_rest(struct engine *e, int cluster)
{
    const int layers = e->problem->layers, row = layers + 1;
    const int units = e->problem->cluster[cluster].units;
    double *inner = e->cheapest, *first = e->cheapest + (e->units + 1) * row;
    int used[64], kinds = 0;
    list_cheapest(e, cluster, CHAIN_INNER, inner);
    list_cheapest(e, cluster, CHAIN_FIRST, first);
    int *longest = e->widest; /* by units, 0: no way */
    for (int u = 0; u <= units; u++) {
        longest[u] = 0;
        for (int n = 1; n <= layers; n++)
            if (!isinf(inner[u * row + n]) || !isinf(first[u * row + n])) longest[u] = n;
        if (longest[u] && kinds < 64)
            used[kinds++] = u;
        else if (longest[u])
            kinds = 65;
        if (kinds > 64) break;
    }
    for (int u = 0; u <= units; u++)
        for (int l = 0; l <= layers; l++) {
            double least = l == 0 ? 0
                           : cluster
                               ? *rest_at(e, cluster - 1, e->problem->cluster[cluster - 1].units, l)
                               : INFINITY;
            if (kinds > 64) least = 0; /* no bound */
            for (int k = 0; l && k < kinds && kinds <= 64 && used[k] <= u; k++) {
                const int with = used[k], most = longest[with] < l - 1 ? longest[with] : l - 1;
                const double *cost = &inner[with * row], *rest = rest_at(e, cluster, u - with, l);
                if (longest[with] >= l) least = lesser(least, first[with * row + l]);
                for (int n = 1; n <= most; n++)
                    least = lesser(least, cost[n] + rest[-n]);
            }
            *rest_at(e, cluster, u, l) = least;
        }
}

/* The same where it counts which layers a stage has; it may also not be there. */
static void fill_rest_of_ways(struct engine *e, int cluster)
{
    for (int end = 0; end <= e->problem->layers; end++) {
        const struct entries *entries = entries_of(e, cluster, CHAIN_INNER, end);
        const double without = end == 0 ? 0 : cluster ? *rest_at(e, cluster - 1, 1, end) : INFINITY;
        double least = without;
        for (int i = 0; i < entries->count; i++) {
            const int left = end - entries->entry[i].layers;
            const double rest = left == 0 ? 0
                                : cluster ? *rest_at(e, cluster - 1, 1, left)
                                          : INFINITY;
            least = lesser(least, entries->entry[i].time_s + rest);
        }
        *rest_at(e, cluster, 0, end) = without;
        *rest_at(e, cluster, 1, end) = least;
    }
}

/* ---- labels ---- */

static int *bucket_of(const struct engine *e, const struct label *label)
{
    const struct chain_problem *p = e->problem;
    return &e->bucket[((label->cluster * (p->layers + 1) + label->placed) * (e->units + 1) +
                       label->left) *
                          p->widths +
                      label->width];
}

/* Labels of fewer stages stay where they are: what is put in front of them needs less memory. One
 * of more stages that is nowhere better than one of them is not kept. */
static void keep(struct engine *e, const struct label *label)
{
    int *head = bucket_of(e, label), *link = head;
    while (*link >= 0) {
        struct label *other = &e->label[*link];
        if (other->sum_s <= label->sum_s && other->wait_s <= label->wait_s) return;
        if (label->sum_s <= other->sum_s && label->wait_s <= other->wait_s) {
            if (*link >= e->generation) other->dropped = true;
            *link = other->next;
        } else {
            link = &other->next;
        }
    }
    if (e->labels == e->room) {
        const int room = e->room ? 2 * e->room : 4096;
        struct label *more = realloc(e->label, (size_t)room * sizeof *more);
        if (!more) {
            e->failed = true;
            return;
        }
        e->label = more;
        e->room = room;
    }
    e->label[e->labels] = *label;
    e->label[e->labels].next = *head;
    *head = e->labels++;
    e->answer->labels++;
}

/* Could it be part of a step below the best known? */
static bool is_hopeful(const struct engine *e, const struct label *label)
{
    const struct chain_problem *p = e->problem;
    const int left = p->layers - label->placed;
    const double rest_s = left ? *rest_at(e, label->cluster, label->left, left) : 0;
    const double least_s = greater(label->sum_s + rest_s, label->wait_s);
    return least_s + (p->microbatches - 1) * e->floor_s < e->best_s;
}

/* `parent` -1: it is the last stage. */
static void place_stages(struct engine *e, int parent, int cluster, enum chain_place place,
                         int stages, double limit_s, double *least_s, int *least)
{
    const struct chain_problem *p = e->problem;
    const struct label none = {.width = -1};
    const struct label before = parent < 0 ? none : e->label[parent];
    const struct entries *entries = entries_of(e, cluster, place, p->layers - before.placed);
    const bool ends = place == CHAIN_FIRST || place == CHAIN_ALONE;
    const int units =
        parent >= 0 && before.cluster == cluster ? before.left : p->cluster[cluster].units;
    const int left = p->layers - before.placed;
    for (int i = 0; i < entries->count && entries->entry[i].layers <= left; i++) {
        const struct entry *entry = &entries->entry[i];
        if (entry->units > units || (entry->layers == left) != ends) continue;
        if (entry->in_flight < lesser(stages, p->microbatches)) continue;
        const double time_s =
            entry->time_s +
            (parent < 0 || p->ways ? 0 : boundary_of(p, entry->width, before.width));
        if (!(time_s < limit_s)) continue;
        struct label label = {.sum_s = before.sum_s + time_s,
                              .time_s = time_s,
                              .parent = parent,
                              .cluster = cluster,
                              .choice = entry->choice,
                              .layers = entry->layers,
                              .width = entry->width,
                              .placed = before.placed + entry->layers,
                              .left = units - entry->units};
        label.wait_s = greater(label.sum_s + entry->sync_s,
                               parent < 0 ? 0 : before.wait_s + time_s - entry->backward_s);
        if (!is_hopeful(e, &label)) continue;
        if (!ends) {
            keep(e, &label);
            continue;
        }
        const double value_s = greater(label.sum_s, label.wait_s);
        if (!(value_s < *least_s)) continue;
        label.placed = 0; /* a place of its own: it is not gone on from */
        label.dropped = true;
        const int index = e->labels;
        keep(e, &label);
        if (e->failed || e->labels == index) continue;
        *least_s = value_s;
        *least = index;
    }
}

static void clear_buckets(struct engine *e)
{
    for (int i = 0; i < e->labels; i++)
        *bucket_of(e, &e->label[i]) = -1;
}

static void note_plan(struct engine *e, int label)
{
    const struct chain_problem *p = e->problem;
    struct chain_answer *a = e->answer;
    a->stages = 0;
    a->slowest_s = 0;
    a->sum_s = e->label[label].sum_s;
    for (int i = label; i >= 0; i = e->label[i].parent) {
        const struct label *l = &e->label[i];
        a->slowest_s = fmax(a->slowest_s, l->time_s);
        a->stage[a->stages++] = (struct chain_stage){l->cluster, l->choice, l->layers};
    }
    a->value_s = chain_value(p, a->stage, a->stages);
    a->found = true;
}

/* Ways and sums for a limit. Returns a bound on the sum of c of all plans below it. */
static double prepare(struct engine *e, double limit_s)
{
    const struct chain_problem *p = e->problem;
    const int last = p->clusters - 1;
    double least_s = INFINITY;
    for (int i = 0; i <= last; i++) {
        for (int end = 0; end <= p->layers && p->ways; end++)
            list_ways(e, i, end, limit_s);
        for (int place = 0; place < CHAIN_PLACES && !p->ways; place++)
            list_entries(e, i, (enum chain_place)place, limit_s);
        if (p->ways)
            fill_rest_of_ways(e, i);
        else
            fill_rest(e, i);
    }
    for (int place = CHAIN_LAST; place <= CHAIN_ALONE; place++) {
        const struct entries *entries = entries_of(e, last, (enum chain_place)place, p->layers);
        for (int i = 0; i < entries->count; i++) {
            const struct entry *entry = &entries->entry[i];
            const int left = p->layers - entry->layers;
            if ((place == CHAIN_ALONE) != (left == 0) || (place == CHAIN_ALONE && last > 0))
                continue;
            const int units = p->cluster[last].units - entry->units;
            const double rest_s = left ? *rest_at(e, last, units, left) : 0;
            least_s = lesser(least_s, entry->time_s + rest_s);
        }
    }
    return least_s;
}

/* The least max(S, W) of plans whose c are all below the limit that was prepared, and that may be
 * better than the best known, noted in the answer; INFINITY: none. */
static double solve_limit(struct engine *e, double limit_s)
{
    const struct chain_problem *p = e->problem;
    const int last = p->clusters - 1;
    double least_s = INFINITY;
    int least = -1, from = 0;
    e->answer->limits++;
    e->labels = e->generation = 0;
    if (last == 0) place_stages(e, -1, 0, CHAIN_ALONE, 1, limit_s, &least_s, &least);
    from = e->labels;
    if (p->most_stages > 1) place_stages(e, -1, last, CHAIN_LAST, 1, limit_s, &least_s, &least);
    for (int stages = 2; stages <= p->most_stages && from < e->labels && !e->failed; stages++) {
        const int end = e->generation = e->labels;
        for (int i = from; i < end && !e->failed; i++) {
            if (e->label[i].dropped) continue;
            const int here = e->label[i].cluster;
            for (int cluster = here; cluster >= 0 && cluster >= here - 1; cluster--) {
                place_stages(e, i, cluster, CHAIN_INNER, stages, limit_s, &least_s, &least);
                if (cluster == 0)
                    place_stages(e, i, cluster, CHAIN_FIRST, stages, limit_s, &least_s, &least);
            }
        }
        from = end;
    }
    clear_buckets(e);
    if (least >= 0) note_plan(e, least);
    return e->failed ? INFINITY : least_s;
}

/* ---- limits ---- */

static void offer(struct engine *e, struct chain_answer *best, chain_visit *visit, void *context)
{
    const struct chain_answer *a = e->answer;
    if (visit) visit(context, a);
    if (!(a->value_s < e->best_s)) return;
    e->best_s = best->value_s = a->value_s;
    best->found = true;
    best->slowest_s = a->slowest_s;
    best->sum_s = a->sum_s;
    best->stages = a->stages;
    memcpy(best->stage, a->stage, (size_t)a->stages * sizeof *a->stage);
}

/* Of a step, that the pace may change within what is searched at a time. */
static const double fineness = 0.01;

struct offers {
    struct chain_answer *best;
    chain_visit *visit;
    void *context;
};

static double solve_offer(struct engine *e, double limit_s, const struct offers *to)
{
    const double least_s = solve_limit(e, limit_s);
    if (!isinf(least_s)) offer(e, to->best, to->visit, to->context);
    return least_s;
}

/* Finds all that is better with a largest c from low to high. */
static void examine(struct engine *e, double low_s, double high_s, const struct offers *to)
{
    const double m = e->problem->microbatches;
    while (high_s > low_s && !e->failed) {
        const double sum_s = prepare(e, high_s), left_s = e->best_s - sum_s;
        if (!(left_s > (m - 1) * low_s)) return;
        if (m > 1 && left_s / (m - 1) < high_s * (1 - 1e-3)) { /* the sum grows as limits fall */
            high_s = left_s / (m - 1);
            continue;
        }
        if ((m - 1) * (high_s - low_s) > fineness * e->best_s) {
            const double middle_s = (low_s + high_s) / 2;
            examine(e, low_s, middle_s, to);
            low_s = middle_s;
            continue;
        }
        e->floor_s = low_s;
        const double least_s = solve_offer(e, high_s, to);
        if (isinf(least_s) || m <= 1) return;
        high_s = fmin(e->answer->slowest_s, (e->best_s - least_s) / (m - 1));
    }
}

/* Something to be better than, from limits where there is little to search. */
static void begin(struct engine *e, double pace_s, const struct offers *to)
{
    static const double limits[] = {1.02, 1.1, 1.3, 2, 4, 8, 32, INFINITY};
    e->floor_s = pace_s;
    for (int i = 0; i < (int)(sizeof limits / sizeof *limits) && !to->best->found; i++) {
        const double limit_s = isinf(limits[i]) ? INFINITY : pace_s * limits[i];
        if (!(prepare(e, limit_s) + (e->problem->microbatches - 1) * pace_s < e->best_s)) continue;
        solve_offer(e, limit_s, to);
        if (!isinf(e->best_s)) return;
    }
}

/* ---- opening ---- */

static bool open_engine(struct engine *e, const struct chain_problem *p)
{
    const size_t row = (size_t)p->layers + 1, clusters = (size_t)p->clusters;
    bool good = true;
    for (int i = 0; i < p->clusters; i++)
        if (p->cluster[i].units > e->units) e->units = p->cluster[i].units;
    const size_t units = (size_t)e->units + 1;
    const size_t buckets = clusters * row * units * (size_t)p->widths;
    e->lists = p->ways ? p->layers + 1 : CHAIN_PLACES;
    good &= (e->entries = calloc(clusters * (size_t)e->lists, sizeof *e->entries)) != NULL;
    good &= (e->widest = calloc(units, sizeof *e->widest)) != NULL;
    good &= (e->reach = calloc(units, sizeof *e->reach)) != NULL;
    good &= (e->rest_s = calloc(clusters, sizeof *e->rest_s)) != NULL;
    good &= (e->cheapest = calloc(2 * units * row, sizeof *e->cheapest)) != NULL;
    good &= (e->least_out_s = calloc((size_t)p->widths, sizeof *e->least_out_s)) != NULL;
    good &= (e->bucket = malloc(buckets * sizeof *e->bucket)) != NULL;
    for (size_t i = 0; good && i < clusters; i++) {
        const size_t ways = (size_t)p->cluster[i].choices * row + 1;
        good &= (e->rest_s[i] = calloc(units * row, sizeof **e->rest_s)) != NULL;
        for (size_t k = 0; k < CHAIN_PLACES && !p->ways; k++) {
            struct entries *entries = &e->entries[i * CHAIN_PLACES + k];
            good &= (entries->entry = calloc(ways, sizeof *entries->entry)) != NULL;
        }
    }
    if (!good) return false;
    memset(e->bucket, 0xff, buckets * sizeof *e->bucket); /* -1 */
    for (int from = 0; from < p->widths; from++) {
        e->least_out_s[from] = INFINITY;
        for (int to = 0; to < p->widths && !p->ways; to++)
            e->least_out_s[from] = fmin(e->least_out_s[from], boundary_of(p, from, to));
    }
    return true;
}

static void close_engine(struct engine *e)
{
    for (int i = 0; i < e->problem->clusters; i++) {
        if (e->rest_s) free(e->rest_s[i]);
        for (int k = 0; e->entries && k < e->lists; k++)
            free(e->entries[i * e->lists + k].entry);
    }
    free(e->entries);
    free(e->widest);
    free(e->reach);
    free(e->rest_s);
    free(e->cheapest);
    free(e->least_out_s);
    free(e->bucket);
    free(e->label);
}

void chain_answer_release(struct chain_answer *answer)
{
    free(answer->stage);
    *answer = (struct chain_answer){.found = false};
}

bool chain_solve(const struct chain_problem *p, struct chain_answer *answer, chain_visit *visit,
                 void *context)
{
    struct chain_answer now = {.found = false};
    struct engine e = {.problem = p, .best_s = p->enough_s, .answer = &now};
    *answer = (struct chain_answer){.found = false, .value_s = INFINITY};
    now.stage = calloc((size_t)p->most_stages + 1, sizeof *now.stage);
    answer->stage = calloc((size_t)p->most_stages + 1, sizeof *answer->stage);
    bool good = open_engine(&e, p) && now.stage && answer->stage;
    const double pace_s = good ? find_pace(&e) : INFINITY;
    if (!isinf(pace_s)) {
        const struct offers offers = {answer, visit, context};
        begin(&e, pace_s, &offers);
        if (!isinf(e.best_s)) examine(&e, pace_s, INFINITY, &offers);
    }
    answer->labels = now.labels;
    answer->limits = now.limits;
    good = good && !e.failed;
    close_engine(&e);
    chain_answer_release(&now);
    return good;
}

double chain_pace(const struct chain_problem *p)
{
    struct engine e = {.problem = p};
    const double pace_s = open_engine(&e, p) ? find_pace(&e) : 0;
    close_engine(&e);
    return pace_s;
}
