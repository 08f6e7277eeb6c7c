#include "optimize/chain_engine.h"

#include <math.h>
#include <stdlib.h>

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

double chain_find_pace(struct engine *e)
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

double chain_prepare(struct engine *e, double limit_s)
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
