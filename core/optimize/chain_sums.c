#include "base/memory.h"
#include "base/number.h"
#include "optimize/chain_engine.h"

#include <math.h>
#include <stdlib.h>

/* ---- memory for what is in flight ---- */

static bool list_levels(struct engine *e)
{
    const struct chain_problem *p = e->problem;
    const size_t most = (size_t)p->most_stages;
    size_t count = 0;
    e->flight = calloc(most * (most + 1) / 2 + 1, sizeof *e->flight);
    if (!e->flight) return false;
    for (int stages = 1; stages <= p->most_stages; stages++)
        for (int k = p->in_flight ? 1 : stages; k <= stages; k++)
            e->flight[count++] = flight_of(p, stages, k);
    qsort(e->flight, count, sizeof *e->flight, by_number);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || e->flight[i] > e->flight[e->levels - 1])
            e->flight[e->levels++] = e->flight[i];
    return true;
}

bool chain_open_flights(struct engine *e)
{
    const struct chain_problem *p = e->problem;
    if (!list_levels(e)) return false;
    e->places = calloc((size_t)(p->most_stages + 1) * (size_t)e->levels, sizeof *e->places);
    for (int k = 1; e->places && k <= p->most_stages; k++)
        for (int level = 0; level < e->levels; level++) {
            const bool any = flight_of(p, p->most_stages, k) <= e->flight[level];
            int stages = any ? p->most_stages + 1 : k;
            while (stages <= p->most_stages && flight_of(p, stages, k) <= e->flight[level])
                stages++;
            e->places[k * e->levels + level] = stages > p->most_stages ? CHAIN_ANY : stages - 1 - k;
        }
    return e->places;
}

/* ---- no pace below is possible ---- */

/* Layers of a stage of this choice within the limit, at most, wherever it stands. */
static int most_layers(const struct engine *e, int cluster, int choice, double limit_s)
{
    int most = 0;
    for (int row = 0; row < e->rows; row++) {
        const struct chain_cost *cost = cost_of(e->problem, cluster, choice, row);
        if (e->row[row].layers > most && cost->time_s <= limit_s && cost->in_flight >= e->flight[0])
            most = e->row[row].layers;
    }
    return most;
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
           a->time_s <= b->time_s && a->sync_s <= b->sync_s && a->level >= b->level &&
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

/* Ways of a row below the limit. */
static void list_row(struct engine *e, int cluster, int row, double limit_s)
{
    const struct chain_cluster *c = &e->problem->cluster[cluster];
    struct entries *entries = &e->entries[cluster];
    struct entries of_row = {0, 0, entries->entry + entries->count, NULL};
    for (int i = 0; i < c->choices; i++) {
        const struct chain_cost *cost = cost_of(e->problem, cluster, i, row);
        const int width = c->choice[i].width;
        const double out_s = e->row[row].last ? 0 : e->least_out_s[width];
        if (c->choice[i].units > c->units || cost->in_flight < e->flight[0]) continue;
        if (!(cost->time_s + out_s < limit_s)) continue;
        const struct entry entry = {
            .choice = i,
            .layers = e->row[row].layers,
            .units = c->choice[i].units,
            .width = width,
            .level = level_of(e, cost->in_flight),
            .time_s = cost->time_s,
            .backward_s = cost->backward_s,
            .sync_s = cost->sync_s + (e->row[row].first ? e->problem->closing_s : 0),
        };
        add_entry(&of_row, &entry);
    }
    entries->count += of_row.count;
}

static void list_entries(struct engine *e, int cluster, double limit_s)
{
    struct entries *entries = &e->entries[cluster];
    entries->count = 0;
    for (int row = 0; row < e->rows && !e->failed; row++) {
        entries->from[row] = entries->count;
        if (!ARRAY_RESERVE(entries->entry, entries->room,
                           (size_t)(entries->count + e->problem->cluster[cluster].choices)))
            e->failed = true;
        if (e->row[row].layers && !e->failed) list_row(e, cluster, row, limit_s);
    }
    entries->from[e->rows] = entries->count;
}

/* The same from the ways of the very layers. */
static void list_ways(struct engine *e, int cluster, int end, double limit_s)
{
    const struct chain_problem *p = e->problem;
    struct entries *entries = &e->entries[cluster];
    bool longer = true; /* stages can be */
    entries->from[end * (p->layers + 1)] = entries->count;
    for (int n = 1; n <= p->layers; n++) {
        int count = 0;
        entries->from[end * (p->layers + 1) + n] = entries->count;
        if (n > end || !longer || e->failed) continue;
        const struct chain_cost *cost = p->ways(p->context, cluster, end - n, end, &count);
        longer = count >= 0;
        if (longer &&
            !ARRAY_RESERVE(entries->entry, entries->room, (size_t)(entries->count + count)))
            e->failed = true;
        struct entries of_row = {0, 0, entries->entry ? entries->entry + entries->count : NULL,
                                 NULL};
        for (int i = 0; i < count && !e->failed; i++) {
            if (!(cost[i].time_s < limit_s) || cost[i].in_flight < e->flight[0]) continue;
            const struct entry entry = {
                .choice = i,
                .layers = n,
                .units = 1,
                .level = level_of(e, cost[i].in_flight),
                .time_s = cost[i].time_s,
                .backward_s = cost[i].backward_s,
                .sync_s = cost[i].sync_s + (n == end ? p->closing_s : 0),
            };
            add_entry(&of_row, &entry);
        }
        entries->count += of_row.count;
    }
    entries->from[e->rows] = entries->count;
}

/* ---- the least sum in front ---- */

/* By units and row. */
static void list_cheapest(struct engine *e, int cluster)
{
    const struct entries *entries = &e->entries[cluster];
    const int units = e->problem->cluster[cluster].units;
    for (int i = 0; i < (units + 1) * e->rows; i++)
        e->cheapest[i] = INFINITY;
    for (int row = 0; row < e->rows; row++)
        for (int i = entries->from[row]; i < entries->from[row + 1]; i++) {
            const struct entry *entry = &entries->entry[i];
            double *least = &e->cheapest[entry->units * e->rows + row];
            *least = fmin(*least, entry->time_s + e->least_out_s[entry->width]);
        }
}

/* The counts of units that stages in front of others take, and how many layers the longest of each
 * has; more than CHAIN_KINDS: too many. */
static int list_kinds(struct engine *e, int cluster, int used[CHAIN_KINDS])
{
    int *longest = e->widest, kinds = 0;
    for (int u = 0; u <= e->problem->cluster[cluster].units; u++) {
        longest[u] = 0;
        for (int row = 0; row < e->rows; row++)
            if (!e->row[row].last && e->row[row].layers > longest[u] &&
                !isinf(e->cheapest[u * e->rows + row]))
                longest[u] = e->row[row].layers;
        if (!longest[u]) continue;
        if (kinds == CHAIN_KINDS) return kinds + 1;
        used[kinds++] = u;
    }
    return kinds;
}

/* Of stages of clusters 0 ... cluster; those of the last one have `units` of it. */
static void fill_rest(struct engine *e, int cluster)
{
    const int layers = e->problem->layers, row = layers + 1;
    const int units = e->problem->cluster[cluster].units;
    int used[CHAIN_KINDS];
    list_cheapest(e, cluster);
    const int kinds = list_kinds(e, cluster, used);
    const bool bounded = kinds <= CHAIN_KINDS;
    for (int l = 0; l <= layers; l++) {
        for (int k = 0; bounded && k < kinds; k++)
            for (int n = 1; n <= l; n++)
                e->ahead[k * row + n] = e->cheapest[used[k] * e->rows + row_of(e, l, n)];
        for (int u = 0; u <= units; u++) {
            double least = l == 0 ? 0
                           : cluster
                               ? *rest_at(e, cluster - 1, e->problem->cluster[cluster - 1].units, l)
                               : INFINITY;
            if (!bounded) least = 0; /* no bound */
            for (int k = 0; l && l < layers && bounded && k < kinds && used[k] <= u; k++) {
                const int longest = e->widest[used[k]], most = longest < l - 1 ? longest : l - 1;
                const double *cost = &e->ahead[k * row],
                             *rest = rest_at(e, cluster, u - used[k], l);
                if (longest >= l) least = lesser(least, cost[l]);
                for (int n = 1; n <= most; n++)
                    least = lesser(least, cost[n] + rest[-n]);
            }
            *rest_at(e, cluster, u, l) = least;
        }
    }
}

/* The same where it counts which layers a stage has; it may also not be there. */
static void fill_rest_of_ways(struct engine *e, int cluster)
{
    for (int end = 0; end <= e->problem->layers; end++) {
        const struct entries *entries = &e->entries[cluster];
        const int row = end * (e->problem->layers + 1);
        const double without = end == 0 ? 0 : cluster ? *rest_at(e, cluster - 1, 1, end) : INFINITY;
        double least = without;
        for (int i = entries->from[row]; i < entries->from[row + end + 1]; i++) {
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

/* As few stages as the entries make, whatever units they take. */
static void fill_fewest(struct engine *e, int cluster)
{
    const int layers = e->problem->layers;
    const struct entries *entries = &e->entries[cluster];
    int *here = &e->fewest[cluster * (layers + 1)];
    const int *before = cluster ? here - (layers + 1) : NULL;
    here[0] = 0;
    for (int end = 1; end <= layers; end++) {
        here[end] = before ? before[end] : CHAIN_ANY;
        for (int n = 1; n <= end; n++) {
            const int row = row_of(e, end, n), left = end - n;
            if (entries->from[row + 1] > entries->from[row])
                here[end] = lower(here[end], 1 + here[left]);
        }
    }
}

double chain_prepare(struct engine *e, double limit_s)
{
    const struct chain_problem *p = e->problem;
    const int last = p->clusters - 1;
    double least_s = INFINITY;
    for (int i = 0; i <= last; i++) {
        if (!p->ways) list_entries(e, i, limit_s);
        if (p->ways) e->entries[i].count = 0;
        for (int end = 0; end <= p->layers && p->ways; end++)
            list_ways(e, i, end, limit_s);
        if (p->ways)
            fill_rest_of_ways(e, i);
        else
            fill_rest(e, i);
        fill_fewest(e, i);
    }
    const struct entries *entries = &e->entries[last];
    for (int n = 1; n <= p->layers; n++) {
        const int row = row_of(e, p->layers, n), left = p->layers - n;
        if (left == 0 && last > 0) continue;
        for (int i = entries->from[row]; i < entries->from[row + 1]; i++) {
            const struct entry *entry = &entries->entry[i];
            const int units = p->cluster[last].units - entry->units;
            const double rest_s = left ? *rest_at(e, last, units, left) : 0;
            least_s = lesser(least_s, entry->time_s + rest_s);
        }
    }
    return least_s;
}
