#include "search/plans_split.h"

#include "base/extremes.h"
#include "estimate/plan_check.h"

#include <math.h>
#include <string.h>

/* ---- sums of items in a row ---- */

/* Items are added in model order, MAX_ITEMS at most. Costs are at least 0. */
static void dealing_open(struct dealing *d, double head, double tail)
{
    d->head = head;
    d->tail = tail;
    d->items = d->runs = 0;
    d->all = head + tail;
    d->largest = 0;
    d->from_head[0] = head;
}

static void dealing_add(struct dealing *d, double cost, int count)
{
    const double before = d->from_head[d->items];
    d->run[d->runs++] = (struct run_of_items){.cost = cost, .first = d->items, .count = count};
    for (int i = 1; i <= count; i++)
        d->from_head[d->items + i] = before + i * cost;
    d->items += count;
    d->all += count * cost;
    d->largest = larger(d->largest, cost);
}

/* The most items, `room` at most, that make `sum` no more than `most`; at least 0. */
static int fitting(double sum, double cost, int room, double most)
{
    const double guess = (most - sum) / cost;
    int count = guess < room ? (int)guess : room;
    while (count < room && sum + (count + 1) * cost <= most)
        count++;
    while (count > 0 && sum + count * cost > most)
        count--;
    return count;
}

static int run_at(const struct dealing *d, int run, int item)
{
    while (run < d->runs - 1 && item >= d->run[run + 1].first)
        run++;
    return run;
}

static int room_in(const struct run_of_items *run, int item)
{
    return run->first + run->count - item;
}

/* ---- the slowest stage of the best split ---- */

struct greedy { /* stages that are filled from the front, each up to `most` */
    const struct dealing *d;
    int stages, stage, at, run;
    double most, next; /* the least that would let a stage take one more */
};

static void note_next(struct greedy *g, double sum)
{
    if (sum > g->most && sum < g->next) g->next = sum;
}

/* One stage, item by item. */
static void fill_stage(struct greedy *g, double sum)
{
    const struct dealing *d = g->d;
    note_next(g, sum);
    while (g->at < d->items) {
        g->run = run_at(d, g->run, g->at);
        const double more = sum + d->run[g->run].cost;
        note_next(g, more);
        if (more > g->most) break;
        sum = more;
        g->at++;
    }
    g->stage++;
}

static void fill_first(struct greedy *g)
{
    const struct dealing *d = g->d;
    const struct run_of_items *run = &d->run[0];
    note_next(g, d->head);
    if (d->head <= g->most) g->at = fitting(d->head, run->cost, run->count, g->most);
    while (g->at >= run->count && g->at < d->items && d->from_head[g->at + 1] <= g->most)
        g->at++;
    if (g->at < d->items) note_next(g, d->from_head[g->at + 1]);
    g->stage++;
}

/* Stages between first and last one that lie within a run all take as many; where the run ends, a
 * stage takes of the next one too. */
static void fill_between(struct greedy *g)
{
    const struct dealing *d = g->d;
    g->run = run_at(d, g->run, g->at);
    const struct run_of_items *run = &d->run[g->run];
    const int room = room_in(run, g->at), count = fitting(0, run->cost, room, g->most);
    const int left = g->stages - 1 - g->stage;
    if (count == room) {
        fill_stage(g, 0);
        return;
    }
    const int alike = count == 0 || (room - 1) / count > left ? left : (room - 1) / count;
    note_next(g, (count + 1) * run->cost);
    g->at += alike * count;
    g->stage += alike;
}

static void fill_last(struct greedy *g)
{
    const struct dealing *d = g->d;
    const struct run_of_items *last = &d->run[d->runs - 1];
    if (g->stages == 1 || g->at < last->first) {
        fill_stage(g, g->stages == 1 ? d->head + d->tail : d->tail);
        return;
    }
    const int room = room_in(last, g->at);
    const int count = fitting(d->tail, last->cost, room, g->most);
    g->at += count;
    if (count < room) note_next(g, d->tail + (count + 1) * last->cost);
}

/* How many items that leaves. */
static int fill_stages(struct greedy *g)
{
    const struct dealing *d = g->d;
    g->stage = g->at = g->run = 0;
    g->next = INFINITY;
    if (g->stages > 1) fill_first(g);
    while (g->stage < g->stages - 1 && g->at < d->items)
        fill_between(g);
    fill_last(g);
    return d->items - g->at;
}

static double least_possible(const struct dealing *d, int stages)
{
    const double ends = stages == 1 ? d->head + d->tail : larger(d->head, d->tail);
    return larger(larger(ends, d->largest), d->all / stages * (1 - 1e-12));
}

/* A split with a smaller slowest stage than `next` would leave the same items. */
static double slowest_of_best(const struct dealing *d, int stages)
{
    struct greedy g = {.d = d, .stages = stages, .most = least_possible(d, stages)};
    while (fill_stages(&g) > 0)
        g.most = g.next;
    return g.most;
}

/* ---- the best split ---- */

/* The first item of a stage that ends before `at`, which is in `run`, item by item. */
static int begin_before(const struct dealing *d, int run, int at, double sum, double most)
{
    while (at > 0) {
        while (d->run[run].first >= at)
            run--;
        sum += d->run[run].cost;
        if (sum > most) break;
        at--;
    }
    return at;
}

/* from[k]: the first item that the last k stages can begin with. These sums run from the last item
 * backwards and others from the first item forwards, so comparisons leave room for rounding. */
static void deal_backwards(const struct dealing *d, int stages, double most, int *from)
{
    int run = d->runs - 1, usual = -1; /* as many as a stage takes that lies within the run */
    from[0] = d->items;
    for (int k = 1; k < stages; k++) {
        const int at = from[k - 1];
        while (run > 0 && d->run[run].first >= at) {
            run--;
            usual = -1;
        }
        const struct run_of_items *r = &d->run[run];
        const int room = at - r->first;
        if (k > 1 && usual < 0) usual = fitting(0, r->cost, r->count, most);
        const int count = k == 1 ? fitting(d->tail, r->cost, room, most) : usual;
        from[k] = count < room ? at - count : begin_before(d, run, at, k == 1 ? d->tail : 0, most);
        for (; k > 1 && k + 1 < stages && from[k] - r->first > usual; k++)
            from[k + 1] = from[k] - usual;
    }
}

struct even { /* stages that are filled from the front, each up to its share of what is left */
    const struct dealing *d;
    int at, run;
    bool each;     /* stages between the first and the last one have an item at least */
    int must, may; /* the stage at hand ends there at least; at most */
    double most, share;
};

/* `from` is from deal_backwards(); `others` stages follow this one. */
static void bound_stage(struct even *e, bool between, int others, const int *from)
{
    const int least = e->each && between ? e->at + 1 : 0;
    e->must = from[others] > least ? from[others] : least;
    e->may = e->each ? e->d->items - (others - 1) : e->d->items;
}

static bool takes(const struct even *e, double sum, double cost)
{
    return sum + cost <= e->most && sum + cost / 2 <= e->share;
}

/* Stages between first and last one: `usual` is what the one before took. Returns the sum. */
static double take_between(struct even *e, int usual)
{
    const struct dealing *d = e->d;
    e->run = run_at(d, e->run, e->at);
    const struct run_of_items *run = &d->run[e->run];
    const int left = room_in(run, e->at), room = left < e->may - e->at ? left : e->may - e->at;
    int count = usual < room ? usual : room;
    while (count < room && takes(e, count * run->cost, run->cost))
        count++;
    while (count > 0 && !takes(e, (count - 1) * run->cost, run->cost))
        count--;
    if (count < e->must - e->at) count = e->must - e->at < room ? e->must - e->at : room;
    e->at += count;
    return count * run->cost;
}

static double take_stage(struct even *e, double sum)
{
    const struct dealing *d = e->d;
    while (e->at < e->may) {
        e->run = run_at(d, e->run, e->at);
        const double cost = d->run[e->run].cost;
        if (e->at >= e->must && !takes(e, sum, cost)) break;
        sum += cost;
        e->at++;
    }
    return sum;
}

/* Stages from `stage` on, but for the last one, that take as many as the one before, and lie within
 * its run: returns the first one that may not. */
static int take_alike(struct even *e, int stage, int stages, const int *from, uint16_t *split,
                      double *left)
{
    const struct dealing *d = e->d;
    const struct run_of_items *run = &d->run[e->run];
    const int count = split[stage - 1], end = run->first + run->count;
    const double sum = count * run->cost;
    const bool within = count > 0 && e->at >= run->first && end - run->first > count;
    if (!within || sum > e->most) return stage;
    const double least = sum - run->cost / 2;
    const double enough = sum + run->cost <= e->most ? sum + run->cost / 2 : INFINITY;
    for (; stage < stages - 1 && end - e->at > count; stage++) {
        const int others = stages - stage - 1;
        const double share = *left / (others + 1);
        bound_stage(e, true, others, from);
        if (least > share || enough <= share || e->at + count < e->must || e->at + count > e->may)
            break;
        e->at += count;
        *left -= sum;
        split[stage] = (uint16_t)count;
    }
    return stage;
}

/* As even as the slowest stage allows: each stage takes what comes nearest to its share of what is
 * left, but no more than `most`, and enough for the others to manage. That no stage between the
 * first and the last one is empty makes none slower: no item takes longer than `most`. */
static void deal_evenly(const struct dealing *d, int stages, double most, uint16_t *split)
{
    int from[RK_MAX_CHUNKS + 1];
    struct even e = {.d = d, .most = most, .each = d->items >= stages - 2};
    double left = d->all;
    deal_backwards(d, stages, most, from);
    for (int stage = 0; stage < stages; stage++) {
        if (stage > 1) stage = take_alike(&e, stage, stages, from, split, &left);
        const int others = stages - stage - 1, first = e.at;
        const bool between = stage > 0 && others > 0;
        double sum = (stage == 0 ? d->head : 0) + (others == 0 ? d->tail : 0);
        e.share = left / (others + 1);
        bound_stage(&e, between, others, from);
        if (between && e.at < d->items) sum = take_between(&e, split[stage - 1]);
        /* the rest, after the end of a run */
        if (others == 0)
            e.at = d->items;
        else if (!between || e.at == d->run[e.run].first + d->run[e.run].count)
            sum = take_stage(&e, sum);
        split[stage] = (uint16_t)(e.at - first);
        left -= sum;
    }
}

double dealing_split(const struct dealing *d, int stages, uint16_t *split)
{
    if (d->items == 0) {
        memset(split, 0, (size_t)stages * sizeof *split);
        return larger(d->head, d->tail);
    }
    const double most = slowest_of_best(d, stages);
    deal_evenly(d, stages, most * (1 + 1e-12), split);
    return most;
}

/* ---- is a split the best one? ---- */

/* Sums are made in another order than where stages are dealt: what is closer than `sure` is not
 * decided, but for what is the same but for rounding. */
static const double sure = 1e-9, the_same = 1e-11;

/* What the stages before one that begins at `at` take. */
static double before(const struct dealing *d, int stage, int at)
{
    return stage > 0 ? d->from_head[at] : 0;
}

/* The cost of the slowest stage; 0 when the split is none of these items, or leaves a stage between
 * the first and the last one empty. */
static double slowest_of(const struct dealing *d, int stages, const uint16_t *split,
                         const uint16_t *more)
{
    double most = 0;
    int at = 0;
    for (int stage = 0; stage < stages; stage += 1 + more[stage]) {
        const int end = at + split[stage];
        if (end > d->items || (split[stage] == 0 && stage > 0 && stage < stages - 1)) return 0;
        const double sum = d->from_head[end] - before(d, stage, at);
        most = larger(most, stage == stages - 1 ? sum + d->tail : sum);
        at = end + more[stage] * split[stage];
    }
    return at == d->items ? most : 0;
}

/* Can no split do with less than `most`? */
static bool is_least(const struct dealing *d, int stages, double most)
{
    const double least = least_possible(d, stages);
    struct greedy g = {.d = d, .stages = stages, .most = most * (1 - sure)};
    if (least >= g.most) return least >= most * (1 - the_same);
    return fill_stages(&g) > 0 && g.next >= most * (1 - the_same);
}

/* Does the stage, which begins at `at`, take as many as in deal_evenly()? */
static bool takes_evenly(const struct dealing *d, int stages, int stage, int at, int count,
                         double most)
{
    const int end = at + count;
    const double close = most * sure, sum = d->from_head[end] - before(d, stage, at);
    const double share = (d->all - before(d, stage, at)) / (stages - stage);
    const double last = count > 0 ? d->from_head[end] - d->from_head[end - 1] : 0;
    const double next = end < d->items ? d->from_head[end + 1] - d->from_head[end] : INFINITY;
    if (count > 0 && sum - last / 2 > share - close) return false;
    return sum + next > most + close || sum + next / 2 > share + close;
}

/* What is left for a stage goes up or down from one of those that are alike to the next one: the
 * first and the last of them decide. */
static bool is_even(const struct dealing *d, int stages, double most, const uint16_t *split,
                    const uint16_t *more)
{
    int at = 0;
    for (int stage = 0; stage + 1 < stages; stage += 1 + more[stage]) {
        const int count = split[stage], last = stage + more[stage];
        if (!takes_evenly(d, stages, stage, at, count, most)) return false;
        at += more[stage] * count;
        if (last > stage && !takes_evenly(d, stages, last, at, count, most)) return false;
        at += count;
    }
    return true;
}

bool dealing_gives(const struct dealing *d, int stages, const uint16_t *split, const uint16_t *more)
{
    const double most = slowest_of(d, stages, split, more);
    return most > 0 && is_least(d, stages, most) && is_even(d, stages, most, split, more);
}

void dealing_alike(const struct dealing *d, int stages, const uint16_t *split, uint16_t *more)
{
    int run = 0, at = 0, first = 0;
    memset(more, 0, (size_t)stages * sizeof *more);
    for (int stage = 0; stage + 1 < stages; at += split[stage++]) {
        const int end = at + split[stage];
        while (run < d->runs && at >= d->run[run].first + d->run[run].count)
            run++;
        const bool within = run < d->runs && end < d->run[run].first + d->run[run].count;
        const bool alike = first > 0 && within && at - split[first] >= d->run[run].first &&
                           split[stage] == split[first];
        if (alike)
            more[first]++;
        else
            first = within && at > 0 ? stage : 0;
    }
}

double split_balanced(uint16_t *split, int stages, const double *cost, int items, double head,
                      double tail)
{
    struct dealing d;
    dealing_open(&d, head, tail);
    for (int i = 0, end; i < items; i = end) {
        for (end = i + 1; end < items && cost[end] == cost[i];)
            end++;
        dealing_add(&d, cost[i], end - i);
    }
    return dealing_split(&d, stages, split);
}

/* ---- of a plan ---- */

static double cost_of(const struct layer_fold *layer)
{
    double sum = 0;
    for (int pass = 0; pass < FOLD_PASSES; pass++)
        sum += layer->pass_s[pass];
    return sum;
}

bool plan_dealing(struct dealing *d, const struct rk_model *model, const struct layer_folds *fold,
                  enum treatment treatment)
{
    double kinds[LAYER_KINDS];
    const double head = cost_of(&fold->layer[LAYER_EMBEDDING][AS_IT_IS]);
    double tail = cost_of(&fold->layer[LAYER_HEAD][AS_IT_IS]);
    if (model->layers > MAX_ITEMS) return false;
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        kinds[kind] = fold->present[kind] ? cost_of(&fold->layer[kind][treatment]) : 0;
    if (model->predict_layers) tail += (double)model->predict_layers * kinds[LAYER_PREDICT];
    dealing_open(d, head, tail);
    for (uint64_t i = 0, count; i < model->layers; i += count) {
        count = layer_run(model, i);
        dealing_add(d, kinds[layer_kind_of(model, i)], (int)count);
    }
    return true;
}

/* The treatment of layers whose cost decides the split. Where the first N layers of each stage are
 * recomputed, recomputation costs every stage the same and does not count. */
static enum treatment plan_dealt(const struct rk_plan *plan)
{
    return plan->recompute != RK_KEEP && !plan->recompute_layers ? RECOMPUTED : AS_IT_IS;
}

void plan_balance(struct rk_plan *plan, const struct rk_model *model,
                  const struct layer_folds *fold)
{
    struct dealing d;
    if (!plan_dealing(&d, model, fold, plan_dealt(plan))) return;
    struct rk_layout layout = {.splits = (int)(plan->pipeline * plan->chunks)};
    dealing_split(&d, layout.splits, layout.split);
    plan->layout = rk_layout_keep(&layout);
}

bool plans_have_split(const struct rk_plans_problem *problem, uint64_t value)
{
    const int count = problem->pinned[RK_PLAN_SPLIT].count;
    for (int i = 0; i < count; i++)
        if (value >= problem->pinned[RK_PLAN_SPLIT].value[i] &&
            (value == problem->pinned[RK_PLAN_SPLIT].value[i] ||
             value <= problem->pinned[RK_PLAN_SPLIT].to[i]))
            return true;
    return count == 0;
}

void plans_fixed_split(uint16_t *split, int stages, const struct rk_model *model, uint64_t value)
{
    struct rk_plan plan = {.pipeline = (uint64_t)stages, .chunks = 1};
    rk_plan_axis_set(&plan, RK_PLAN_SPLIT, value);
    for (int i = 0; i < stages; i++)
        split[i] = (uint16_t)rk_plan_split(&plan, model, (uint64_t)i);
}

/* Is the balanced split of `plan` one of the others, which the problem has too? */
static bool plan_repeats(const struct rk_plan *plan, const struct rk_plans_problem *problem)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    uint16_t other[RK_MAX_CHUNKS];
    for (uint64_t value = 0; value < RK_SPLIT_BALANCED; value++) {
        if (!plans_have_split(problem, value)) continue;
        plans_fixed_split(other, layout->splits, problem->model, value);
        if (memcmp(other, layout->split, (size_t)layout->splits * sizeof *other) == 0) return true;
    }
    return false;
}

unsigned plans_checks(const struct rk_plans_problem *problem)
{
    const unsigned all = (1u << PLAN_CHECKS) - 1;
    return problem->unstartable ? all & ~(unsigned)PLAN_STARTS : all;
}

bool plans_refuse(const struct rk_plans_problem *problem, const struct rk_plan *plan,
                  struct rk_reason *reason)
{
    return plan_check_parts(problem->model, problem->system, plan, plans_checks(problem), reason) !=
           PLAN_CHECKS;
}

bool plans_balance(struct rk_plan *plan, const struct rk_plans_problem *problem)
{
    struct rk_reason reason;
    struct layer_folds fold;
    if (plans_refuse(problem, plan, &reason)) return true;
    fold_layers(&fold, problem->model, problem->system, plan);
    plan_balance(plan, problem->model, &fold);
    return !plan_repeats(plan, problem);
}
