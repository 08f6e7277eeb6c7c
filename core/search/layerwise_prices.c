#include "search/layerwise_floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- of one way ---- */

/* What stage_sum, what it moves and what it holds make of some blocks. */
struct bill {
    double time_s, end_s, fixed_bytes, flight_bytes, moment_bytes, constant_bytes;
    struct stage_lower lower;
};

static struct stage_lower lower_of(const struct meter *m, const struct stage_sum *sum)
{
    struct stage_lower lower = {{0}, {0}};
    for (int t = 0; t < m->shape->watched; t++) {
        const int tier = m->shape->tier[t];
        lower.fixed_bytes[t] = lowered_bytes(&m->rule, sum, 0, tier);
        lower.flight_bytes[t] = lowered_bytes(&m->rule, sum, 1, tier) - lower.fixed_bytes[t];
    }
    return lower;
}

/* (b - a) / n */
static struct stage_lower lower_each(const struct stage_lower *a, const struct stage_lower *b,
                                     double n)
{
    struct stage_lower each;
    for (int t = 0; t < STAGES_TIERS; t++) {
        each.fixed_bytes[t] = (b->fixed_bytes[t] - a->fixed_bytes[t]) / n;
        each.flight_bytes[t] = (b->flight_bytes[t] - a->flight_bytes[t]) / n;
    }
    return each;
}

static struct bill measure(const struct meter *m, const struct stage_blocks *blocks)
{
    struct stage_sum sum;
    stage_sum(&sum, m->fold, m->model, m->plan, blocks);
    const struct exchange exchange = exchange_of(&sum, m->system, &m->sharing, m->plan);
    stage_moves(&sum, &exchange, m->system, &m->sharing, m->plan);
    const struct stage_end end = stage_end_of(&sum, &exchange, m->system, &m->sharing, m->plan);
    const struct stage_demand demand = stage_demand_by(&m->rule, &sum);
    const double lost = 1 + m->system->kernels.fragmentation;
    double ends = 0, time_s = 0;
    for (int i = 0; i < ENDS; i++)
        ends += sum.ends_total_bytes[i] * m->rule.ends_in_flight[i] * m->rule.kept_here;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        time_s += sum.pass_s[pass] + sum.data_s[pass];
    const double placeholders =
        (sum.block_shapes + sum.end_shapes) * m->rule.placeholder_bytes + sum.buffer_bytes;
    return (struct bill){
        .time_s = time_s,
        .end_s = end.data_s + end.optimizer_work_s,
        /* as if of gradients that come late none met any activations */
        .fixed_bytes = demand.static_bytes - placeholders + lost * (ends - demand.late_bytes),
        .flight_bytes = lost * demand.flight_bytes,
        .moment_bytes =
            lost * (demand.fixed_bytes - m->rule.messages_bytes - ends + demand.away_bytes),
        .constant_bytes = placeholders + lost * m->rule.messages_bytes + demand.outside_bytes +
                          demanded_workspaces(&demand, m->system) +
                          m->system->kernels.reserve_bytes,
        .lower = lower_of(m, &sum),
    };
}

/* Of one block more among as many as a stage has: those of n and of 2n differ by n of them; what n
 * of them take beyond that is the first one's. */
static struct stage_choice price_block(struct shape *s, const struct meter *m, enum layer_kind kind,
                                       struct stage_lower *lower)
{
    const double n = fmax(1, floor((double)s->model->layers / (double)s->base.pipeline));
    const enum treatment treatment = m->plan->recompute == RK_KEEP ? AS_IT_IS : RECOMPUTED;
    struct stage_blocks one = {.all = n}, two = {.all = 2 * n};
    one.counts[treatment][kind] = n;
    two.counts[treatment][kind] = 2 * n;
    const struct bill a = measure(m, &one), b = measure(m, &two);
    const double each_s = (b.time_s - a.time_s) / n;
    s->constant_bytes = fmin(s->constant_bytes, a.constant_bytes);
    *lower = lower_each(&a.lower, &b.lower, n);
    for (int t = 0; t < s->watched; t++)
        s->lower_constant_bytes[t] =
            fmax(s->lower_constant_bytes[t], a.lower.fixed_bytes[t] - n * lower->fixed_bytes[t]);
    return (struct stage_choice){
        .fixed_bytes = (b.fixed_bytes - a.fixed_bytes) / n,
        .flight_bytes = (b.flight_bytes - a.flight_bytes) / n,
        .moment_bytes = a.moment_bytes + a.constant_bytes,
        .time_s = each_s,
        .first_s = fmax(0, a.time_s - n * each_s),
        .end_s = (b.end_s - a.end_s) / n,
    };
}

/* Embedding or head: what it adds to the blocks of a stage. */
static struct stage_choice price_end(struct shape *s, const struct meter *m, bool head,
                                     struct stage_lower *lower)
{
    const double n = fmax(1, floor((double)s->model->layers / (double)s->base.pipeline));
    const enum treatment treatment = m->plan->recompute == RK_KEEP ? AS_IT_IS : RECOMPUTED;
    struct stage_blocks blocks = {.all = n};
    blocks.counts[treatment][s->kind_of[0]] = n;
    const struct bill without = measure(m, &blocks);
    blocks.first = !head;
    blocks.last = head;
    const struct bill with = measure(m, &blocks);
    s->constant_bytes = fmin(s->constant_bytes, with.constant_bytes);
    *lower = lower_each(&without.lower, &with.lower, 1);
    return (struct stage_choice){
        .fixed_bytes = with.fixed_bytes - without.fixed_bytes,
        .flight_bytes = with.flight_bytes - without.flight_bytes,
        .moment_bytes = with.moment_bytes + with.constant_bytes,
        .time_s = fmax(0, with.time_s - without.time_s),
        .end_s = with.end_s - without.end_s,
    };
}

/* Alike but for what is sharded, and where activations are held. */
static bool same_fold(const struct rk_local *a, const struct rk_local *b)
{
    struct rk_local own = *a;
    own.zero = b->zero;
    memcpy(own.share, b->share, sizeof own.share);
    return memcmp(&own, b, sizeof own) == 0;
}

/* Are the layers timed alike, apart from recomputation? */
static bool same_times(const struct rk_local *a, const struct rk_local *b)
{
    struct rk_local again = *a;
    again.recompute = b->recompute;
    again.recompute_parts = b->recompute_parts;
    return same_fold(&again, b);
}

static void price_way(struct shape *s, struct floors *floors, const struct layer_folds *fold, int i)
{
    const struct rk_plan plan = shape_plan(s, i);
    struct meter m = {s, s->model, s->system, &plan, fold, sharing_of(&plan), {.zero = 0}};
    m.rule = memory_rule_of(fold, &m.sharing, &plan);
    for (int kind = 0; kind < s->kinds - 2; kind++) {
        const int row = kind * s->ways + i;
        s->price[row] = price_block(s, &m, s->kind_of[kind], &s->lower[row]);
    }
    for (int head = 0; head < 2; head++) {
        const int row = (s->kinds - 2 + head) * s->ways + i;
        struct stage_choice *price = &s->price[row];
        *price = s->way[i].end ? price_end(s, &m, head, &s->lower[row])
                               : (struct stage_choice){.time_s = INFINITY};
        if (!head) price->first_s = s->price[i].first_s; /* the adjacent blocks wait as well */
    }
    s->send_s = fmin(s->send_s, send_s_of(fold, s->system, &plan));
    floor_of_way(floors, &m, i);
}

/* What a stage has whatever its layers is the least of all ways; of what a way has beyond that the
 * largest of a stage's counts. */
static void part_constants(struct shape *s)
{
    for (int row = 0; row < s->kinds * s->ways; row++)
        s->price[row].moment_bytes = fmax(0, s->price[row].moment_bytes - s->constant_bytes);
}

/* Ways whose layers are timed, and folded, alike are neighbours. */
static bool price_ways(struct shape *s)
{
    struct timed_layers *timed = calloc(1, sizeof *timed);
    struct layer_folds *fold = calloc(1, sizeof *fold);
    struct floors floors = {.constant_bytes = INFINITY, .send_s = INFINITY};
    floors.of = calloc((size_t)(s->kinds * s->ways) + 1, sizeof *floors.of);
    bool done = timed && fold && floors.of;
    s->constant_bytes = s->send_s = s->ways ? INFINITY : 0;
    for (int i = 0; done && i < s->ways; i++) {
        const struct rk_local *own = &s->way[i].local;
        const struct rk_plan plan = shape_plan(s, i);
        if (i == 0 || !same_times(own, &s->way[i - 1].local))
            time_layers(timed, s->model, s->system, &plan);
        if (i == 0 || !same_fold(own, &s->way[i - 1].local))
            fold_timed(fold, timed, s->system, &plan);
        price_way(s, &floors, fold, i);
    }
    if (done) part_constants(s);
    if (done && s->ways) s->floor_s = floors_step_s(&floors, s);
    free(timed);
    free(fold);
    free(floors.of);
    return done && !isnan(s->floor_s);
}

/* ---- of all ---- */

static bool no_worse(const struct shape *s, int i, int j)
{
    const struct stage_choice *a = &s->price[i], *b = &s->price[j];
    const struct stage_lower *x = &s->lower[i], *y = &s->lower[j];
    for (int t = 0; t < s->watched; t++)
        if (x->fixed_bytes[t] > y->fixed_bytes[t] || x->flight_bytes[t] > y->flight_bytes[t])
            return false;
    return a->fixed_bytes <= b->fixed_bytes && a->flight_bytes <= b->flight_bytes &&
           a->moment_bytes <= b->moment_bytes && a->time_s <= b->time_s &&
           a->first_s <= b->first_s && a->end_s <= b->end_s;
}

/* Is `j` in no kind of layer better than `i`, where activations lie alike? */
static bool is_worse(const struct shape *s, int j, int i)
{
    if (i == j || s->way[i].layout != s->way[j].layout || (s->way[j].end && !s->way[i].end))
        return false;
    bool equal = true;
    for (int kind = 0; kind < s->kinds; kind++) {
        const int a = kind * s->ways + i, b = kind * s->ways + j;
        if (!no_worse(s, a, b)) return false;
        equal &= no_worse(s, b, a);
    }
    return !equal || i < j;
}

/* Leaves out ways that another is in no way worse than. */
static bool drop_worse(struct shape *s)
{
    bool *keep = calloc((size_t)s->ways + 1, sizeof *keep);
    int kept = 0;
    if (!keep) return false;
    for (int j = 0; j < s->ways; j++) {
        keep[j] = true;
        for (int i = 0; i < s->ways && keep[j]; i++)
            keep[j] = !is_worse(s, j, i);
    }
    for (int i = 0; i < s->ways; i++)
        kept += keep[i];
    for (int kind = 0; kind < s->kinds; kind++)
        for (int i = 0, to = 0; i < s->ways; i++) {
            if (!keep[i]) continue;
            s->lower[kind * kept + to] = s->lower[kind * s->ways + i];
            s->price[kind * kept + to++] = s->price[kind * s->ways + i];
        }
    for (int i = 0, to = 0; i < s->ways; i++)
        if (keep[i]) s->way[to++] = s->way[i];
    s->ways = kept;
    free(keep);
    return true;
}

/* Layouts by the number of the first way that has them; those of one are neighbours. */
static void number_layouts(struct shape *s)
{
    for (int i = 0; i < s->ways; i++) {
        const struct rk_local *own = &s->way[i].local, *before = i ? &s->way[i - 1].local : NULL;
        s->way[i].layout = before && before->tensor == own->tensor &&
                                   before->context == own->context &&
                                   before->sequence_parallel == own->sequence_parallel
                               ? s->way[i - 1].layout
                               : i;
    }
}

static void price_changes(struct shape *s)
{
    for (int from = 0; from < s->ways; from++)
        for (int to = 0; to < s->ways; to++) {
            const int a = s->way[from].layout, b = s->way[to].layout;
            double *change = &s->change_s[from * s->ways + to];
            *change = 0;
            if (a == from && b == to && a != b) {
                const struct rk_plan one = shape_plan(s, a), two = shape_plan(s, b);
                *change = (relayout_s(s->model, s->system, &one, &two) +
                           relayout_s(s->model, s->system, &two, &one)) /
                          (double)s->base.chunks;
            } else if (a != b) {
                *change = s->change_s[a * s->ways + b]; /* a <= from, b <= to */
            }
        }
}

bool shape_price(struct shape *s)
{
    const size_t rows = (size_t)LAYER_KINDS * ((size_t)s->ways + 1);
    s->price = calloc(rows, sizeof *s->price);
    s->lower = calloc(rows, sizeof *s->lower);
    number_layouts(s);
    if (!s->price || !s->lower || !price_ways(s) || !drop_worse(s)) return false;
    number_layouts(s);
    s->choice = calloc(rows, sizeof *s->choice);
    s->change_s = calloc((size_t)s->ways * (size_t)s->ways + 1, sizeof *s->change_s);
    if (!s->choice || !s->change_s) return false;
    price_changes(s);
    return true;
}
