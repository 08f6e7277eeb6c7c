#include "optimize/chain.h"
#include "base/memory.h"

#include "optimize/chain_engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the value of a plan ---- */

int chain_row(const struct chain_problem *p, int first, int count)
{
    if (p->ways) return (first + count) * (p->layers + 1) + count;
    if (p->row) return p->row[first * (p->layers + 1) + count];
    const bool last = first + count == p->layers;
    const enum chain_place place =
        first == 0 ? (last ? CHAIN_ALONE : CHAIN_FIRST) : (last ? CHAIN_LAST : CHAIN_INNER);
    return (int)place * (p->layers + 1) + count;
}

double chain_value(const struct chain_problem *p, const struct chain_stage *stage, int stages)
{
    double sum_s = 0, slowest_s = 0, wait_s = 0, before_s = 0;
    for (int i = 0, first = 0, count; i < stages; first += stage[i++].layers) {
        const struct chain_stage *s = &stage[i];
        const struct chain_cost *cost =
            p->ways ? p->ways(p->context, s->cluster, first, first + s->layers, &count) + s->choice
                    : cost_of(p, s->cluster, s->choice, chain_row(p, first, s->layers));
        double time_s = cost->time_s;
        if (i + 1 < stages && !p->ways)
            time_s +=
                boundary_of(p, p->cluster[s->cluster].choice[s->choice].width,
                            p->cluster[stage[i + 1].cluster].choice[stage[i + 1].choice].width);
        if (isinf(time_s) || cost->in_flight < flight_of(p, stages, stages - i)) return INFINITY;
        sum_s += time_s;
        slowest_s = fmax(slowest_s, time_s);
        wait_s = fmax(wait_s, cost->sync_s + (i == 0 ? p->closing_s : 0) - before_s);
        before_s += cost->backward_s;
    }
    return sum_s + (p->microbatches - 1) * slowest_s + wait_s;
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

static bool is_no_worse(const struct label *a, const struct label *b)
{
    return a->sum_s <= b->sum_s && a->wait_s <= b->wait_s && a->ahead >= b->ahead;
}

enum { NARROW = 2 };       /* labels of a place, where a few will do */
enum { MOST_LIMITS = 90 }; /* 1.08 to that is 1,000 */

/* Labels of fewer stages stay where they are: what is put in front of them needs less memory. One
 * of more stages that is nowhere better than one of them is not kept. */
static void keep(struct engine *e, const struct label *label)
{
    int *head = bucket_of(e, label), *link = head, others = 0;
    while (*link >= 0) {
        struct label *other = &e->label[*link];
        if (e->problem->narrow && ++others == NARROW && label->placed) return;
        if (is_no_worse(other, label)) return;
        if (is_no_worse(label, other)) {
            if (*link >= e->generation) other->dropped = true;
            *link = other->next;
        } else {
            link = &other->next;
        }
    }
    if (!ARRAY_ROOM(e->label, e->labels)) {
        e->failed = true;
        return;
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
    if (e->fewest[label->cluster * (p->layers + 1) + left] > label->ahead) return false;
    const double rest_s = left ? *rest_at(e, label->cluster, label->left, left) : 0;
    const double least_s = greater(label->sum_s + rest_s, label->wait_s);
    return least_s + (p->microbatches - 1) * e->floor_s < e->best_s;
}

/* The least value of whole plans so far, and its foremost stage. */
struct finding {
    double limit_s, least_s;
    int least;
};

/* A whole plan. */
static void note_whole(struct engine *e, struct label label, struct finding *found)
{
    const double value_s = greater(label.sum_s, label.wait_s);
    const int index = e->labels;
    if (!(value_s < found->least_s)) return;
    label.placed = 0; /* a place of its own: it is not extended */
    label.dropped = true;
    keep(e, &label);
    if (e->failed || e->labels == index) return;
    found->least_s = value_s;
    found->least = index;
}

/* Stages of `count` layers in front of `parent`; -1: the last ones. */
static void place_rows(struct engine *e, int parent, int cluster, int count, int stages,
                       struct finding *found)
{
    const struct chain_problem *p = e->problem;
    const struct label none = {.width = -1, .ahead = CHAIN_ANY};
    const struct label before = parent < 0 ? none : e->label[parent];
    const struct entries *entries = &e->entries[cluster];
    const int units =
        parent >= 0 && before.cluster == cluster ? before.left : p->cluster[cluster].units;
    const int left = p->layers - before.placed, row = row_of(e, left, count);
    const int *ahead = &e->places[stages * e->levels];
    const int more = before.ahead == CHAIN_ANY ? CHAIN_ANY : before.ahead - 1;
    for (int i = entries->from[row]; i < entries->from[row + 1]; i++) {
        const struct entry *entry = &entries->entry[i];
        if (entry->units > units || ahead[entry->level] < 0) continue;
        const double time_s =
            entry->time_s +
            (parent < 0 || p->ways ? 0 : boundary_of(p, entry->width, before.width));
        if (!(time_s < found->limit_s)) continue;
        struct label label = {.sum_s = before.sum_s + time_s,
                              .time_s = time_s,
                              .parent = parent,
                              .cluster = cluster,
                              .choice = entry->choice,
                              .layers = entry->layers,
                              .width = entry->width,
                              .placed = before.placed + entry->layers,
                              .left = units - entry->units,
                              .ahead = lower(more, ahead[entry->level])};
        label.wait_s = greater(label.sum_s + entry->sync_s,
                               parent < 0 ? 0 : before.wait_s + time_s - entry->backward_s);
        if (!is_hopeful(e, &label)) continue;
        if (count < left)
            keep(e, &label);
        else
            note_whole(e, label, found);
    }
}

/* All stages in front of `parent` that leave layers in front of them. */
static void place_stages(struct engine *e, int parent, int cluster, int stages,
                         struct finding *found)
{
    const int left = e->problem->layers - (parent < 0 ? 0 : e->label[parent].placed);
    for (int count = 1; count < left; count++)
        place_rows(e, parent, cluster, count, stages, found);
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

enum { LABELS_ASKED = 512 }; /* one in so many asks whether to stop */

/* The least max(S, W) of plans whose c are all below the limit that was prepared, and that may be
 * better than the best known, noted in the answer; INFINITY: none. */
static double solve_limit(struct engine *e, double limit_s)
{
    const struct chain_problem *p = e->problem;
    const int last = p->clusters - 1;
    struct finding found = {.limit_s = limit_s, .least_s = INFINITY, .least = -1};
    e->answer->limits++;
    e->labels = e->generation = 0;
    if (last == 0) place_rows(e, -1, 0, p->layers, 1, &found);
    int from = e->labels;
    if (p->most_stages > 1) place_stages(e, -1, last, 1, &found);
    for (int stages = 2; stages <= p->most_stages && from < e->labels && !is_over(e); stages++) {
        const int end = e->generation = e->labels;
        for (int i = from; i < end && !is_over(e); i++) {
            if (e->label[i].dropped) continue;
            e->stopped = p->stopped && i % LABELS_ASKED == 0 && p->stopped(p->stopper);
            const int here = e->label[i].cluster;
            for (int cluster = here; cluster >= 0 && cluster >= here - 1; cluster--) {
                place_stages(e, i, cluster, stages, &found);
                if (cluster == 0)
                    place_rows(e, i, cluster, p->layers - e->label[i].placed, stages, &found);
            }
        }
        from = end;
    }
    clear_buckets(e);
    if (e->stopped) return INFINITY;
    if (found.least >= 0) note_plan(e, found.least);
    return e->failed ? INFINITY : found.least_s;
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
    while (high_s > low_s && !is_over(e)) {
        const double sum_s = chain_prepare(e, high_s), left_s = e->best_s - sum_s;
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
    for (int i = 0; i < (int)(sizeof limits / sizeof *limits) && !to->best->found && !is_over(e);
         i++) {
        const double limit_s = isinf(limits[i]) ? INFINITY : pace_s * limits[i];
        if (!(chain_prepare(e, limit_s) + (e->problem->microbatches - 1) * pace_s < e->best_s))
            continue;
        solve_offer(e, limit_s, to);
        if (!isinf(e->best_s)) return;
    }
}

/* Under rising limits, until the pace alone takes too long. */
static void look_around(struct engine *e, double pace_s, const struct offers *to)
{
    const double m = e->problem->microbatches;
    e->floor_s = pace_s;
    double limit_s = pace_s * 1.02;
    for (int i = 0; i < MOST_LIMITS && !is_over(e); i++, limit_s *= 1.08) {
        const double least_s = chain_prepare(e, limit_s) + (m - 1) * limit_s / 1.08;
        if (!(least_s < e->best_s) || limit_s / 1.08 > e->best_s) return;
        solve_offer(e, limit_s, to);
    }
}

/* ---- opening ---- */

/* Which stages are of which row. */
static void fill_rows(struct engine *e)
{
    const struct chain_problem *p = e->problem;
    for (int end = 1; end <= p->layers; end++)
        for (int count = 1; count <= end; count++) {
            const int row = chain_row(p, end - count, count);
            e->row_of[end * (p->layers + 1) + count] = row;
            e->row[row] = (struct row){count, count == end, end == p->layers};
        }
}

static bool open_engine(struct engine *e, const struct chain_problem *p)
{
    const size_t layers = (size_t)p->layers + 1, clusters = (size_t)p->clusters;
    bool good = true;
    for (int i = 0; i < p->clusters; i++)
        if (p->cluster[i].units > e->units) e->units = p->cluster[i].units;
    const size_t units = (size_t)e->units + 1;
    const size_t buckets = clusters * layers * units * (size_t)p->widths;
    e->rows = p->ways  ? (p->layers + 1) * (p->layers + 1)
              : p->row ? p->rows
                       : CHAIN_PLACES * (p->layers + 1);
    const size_t rows = (size_t)e->rows;
    good &= (e->entries = calloc(clusters, sizeof *e->entries)) != NULL;
    good &= (e->row_of = calloc(layers * layers, sizeof *e->row_of)) != NULL;
    good &= (e->row = calloc(rows, sizeof *e->row)) != NULL;
    good &= (e->widest = calloc(units, sizeof *e->widest)) != NULL;
    good &= (e->reach = calloc(units, sizeof *e->reach)) != NULL;
    good &= (e->rest_s = calloc(clusters, sizeof *e->rest_s)) != NULL;
    good &= p->ways || (e->cheapest = calloc(units * rows, sizeof *e->cheapest)) != NULL;
    good &= (e->ahead = calloc(CHAIN_KINDS * layers, sizeof *e->ahead)) != NULL;
    good &= (e->least_out_s = calloc((size_t)p->widths, sizeof *e->least_out_s)) != NULL;
    good &= (e->fewest = calloc(clusters * layers, sizeof *e->fewest)) != NULL;
    good &= chain_open_flights(e);
    good &= (e->bucket = malloc(buckets * sizeof *e->bucket)) != NULL;
    for (size_t i = 0; good && i < clusters; i++) {
        good &= (e->rest_s[i] = calloc(units * layers, sizeof **e->rest_s)) != NULL;
        good &= (e->entries[i].from = calloc(rows + 1, sizeof *e->entries[i].from)) != NULL;
    }
    if (!good) return false;
    fill_rows(e);
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
        if (e->entries) free(e->entries[i].entry);
        if (e->entries) free(e->entries[i].from);
    }
    free(e->entries);
    free(e->row_of);
    free(e->row);
    free(e->widest);
    free(e->reach);
    free(e->rest_s);
    free(e->cheapest);
    free(e->ahead);
    free(e->least_out_s);
    free(e->fewest);
    free(e->flight);
    free(e->places);
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
    const double pace_s = good ? chain_find_pace(&e) : INFINITY;
    if (!isinf(pace_s)) {
        const struct offers offers = {answer, visit, context};
        begin(&e, pace_s, &offers);
        if (p->narrow)
            look_around(&e, pace_s, &offers);
        else if (!isinf(e.best_s))
            examine(&e, pace_s, INFINITY, &offers);
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
    const double pace_s = open_engine(&e, p) ? chain_find_pace(&e) : 0;
    close_engine(&e);
    return pace_s;
}
