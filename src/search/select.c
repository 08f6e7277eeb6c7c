#include <reckon/select.h>

#include "search/expression.h"
#include "search/networks.h"
#include "search/plan.h"
#include "search/topk.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked ---- */

enum { OBJECTIVES = 8 };

struct question {
    const struct rk_space *space;
    bool has_where, frontier;
    struct expression where;
    int objectives; /* 1 without a frontier */
    struct expression objective[OBJECTIVES];
    bool needs_estimate;
};

static enum rk_status compile_objective(struct question *q, const char *text, size_t length,
                                        size_t first, struct rk_error *error)
{
    if (q->objectives == OBJECTIVES)
        return rk_fail(error, RK_USAGE, NULL, 0, (int)first + 1,
                       "a frontier has at most %d objectives", OBJECTIVES);
    struct expression *e = &q->objective[q->objectives++];
    const enum rk_status status = expression_compile(e, text, length, first, error);
    q->needs_estimate |= status == RK_OK && e->needs_estimate;
    return status;
}

static enum rk_status question_open(struct question *q, const struct rk_space *space,
                                    const struct rk_query *query, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    *q = (struct question){
        .space = space, .has_where = query->where != NULL, .frontier = query->pareto != NULL};
    if (q->has_where) {
        status = expression_compile(&q->where, query->where, strlen(query->where), 0, error);
        q->needs_estimate = status == RK_OK && q->where.needs_estimate;
    }
    if (!q->frontier && status == RK_OK) {
        const char *sort = query->sort ? query->sort : "samples_per_s";
        return compile_objective(q, sort, strlen(sort), 0, error);
    }
    const char *start = query->pareto;
    while (status == RK_OK && start) {
        const char *comma = strchr(start, ',');
        const size_t length = comma ? (size_t)(comma - start) : strlen(start);
        status = compile_objective(q, start, length, (size_t)(start - query->pareto), error);
        start = comma ? comma + 1 : NULL;
    }
    return status;
}

/* ---- frontiers: points none of which is at least as good as another everywhere ---- */

struct point {
    double objective[OBJECTIVES];
    uint64_t index;
};

struct frontier {
    size_t count, room;
    struct point *point;
};

/* Is a at least as good as b in everything? Of equal points the first one counts. */
static bool covers(const struct point *a, const struct point *b, int objectives)
{
    bool equal = true;
    for (int i = 0; i < objectives; i++) {
        if (!(a->objective[i] <= b->objective[i])) return false;
        equal = equal && a->objective[i] == b->objective[i];
    }
    return !equal || a->index <= b->index;
}

/* False when there is no memory. */
static bool frontier_offer(struct frontier *f, const struct point *point, int objectives)
{
    for (size_t i = 0; i < f->count; i++)
        if (covers(&f->point[i], point, objectives)) {
            if (i > 0) { /* what covers one point covers the next ones too */
                const struct point kept = f->point[i];
                f->point[i] = f->point[i / 2];
                f->point[i / 2] = kept;
            }
            return true;
        }
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++)
        if (!covers(point, &f->point[i], objectives)) f->point[kept++] = f->point[i];
    f->count = kept;
    if (f->count == f->room) {
        const size_t room = 2 * f->room + 256;
        struct point *grown = realloc(f->point, room * sizeof *grown);
        if (!grown) return false;
        f->point = grown;
        f->room = room;
    }
    f->point[f->count++] = *point;
    return true;
}

static int compare_points(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    for (int i = 0; i < OBJECTIVES; i++)
        if (x->objective[i] != y->objective[i]) return x->objective[i] < y->objective[i] ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* ---- workers ---- */

enum { LOCAL_TOP = 4096 };

struct selector {
    struct visitor visitor; /* first: the callback gets back to the selector */
    const struct question *question;
    struct scratch *scratch;
    struct topk local, *shared;
    struct frontier frontier;
    struct rk_estimate estimate;
    uint64_t matches;
    struct rk_search_counts counts;
    struct rk_search_explain explain;
    uint64_t decided; /* of finished units; others read it for the progress */
    bool failed;
};

static void flush(struct selector *s)
{
#pragma omp critical(reckon_select)
    for (uint64_t i = 0; i < s->local.count; i++)
        topk_offer(s->shared, s->local.heap[i]);
    topk_clear(&s->local);
}

/* The figures of one lane: those that batches carry, or all of them. */
static void fill_figures(struct selector *s, const struct batch *batch, int lane,
                         const struct rk_strategy *strategy)
{
    const struct rk_problem *p = &s->question->space->problem;
    if (s->question->needs_estimate) {
        rk_estimate(p->model, p->system, strategy, &s->estimate);
        return;
    }
    s->estimate.step_s = batch->step_s[lane];
    s->estimate.hbm_bytes = batch->hbm_bytes[lane];
    s->estimate.offload_bytes = batch->lower_bytes[lane];
    s->estimate.samples_per_s = (double)strategy->batch / batch->step_s[lane];
    s->estimate.tokens_per_s = s->estimate.samples_per_s * (double)p->model->sequence;
}

static double objective_value(const struct selector *s, int i, const struct rk_strategy *strategy)
{
    const struct expression *e = &s->question->objective[i];
    const double value = expression_value(e, strategy, &s->estimate);
    return e->more_is_better ? -value : value;
}

static void offer(struct selector *s, uint64_t index, const struct rk_strategy *strategy)
{
    const struct question *q = s->question;
    if (!q->frontier) {
        const double key = objective_value(s, 0, strategy);
        if (s->local.count == s->local.room) flush(s);
        topk_offer(&s->local, (struct rk_candidate){.samples_per_s = isnan(key) ? -INFINITY : -key,
                                                    .index = index});
        return;
    }
    struct point point = {.index = index};
    for (int i = 0; i < q->objectives; i++)
        point.objective[i] = objective_value(s, i, strategy);
    s->failed |= !frontier_offer(&s->frontier, &point, q->objectives);
}

static void selector_batch(struct visitor *visitor, const struct batch *batch, int hits)
{
    struct selector *s = (struct selector *)visitor;
    for (int lane = 0; lane < batch->lanes && hits > 0; lane++) {
        if (isinf(batch->step_s[lane])) continue;
        hits--;
        const uint64_t index = batch->index(batch, lane);
        struct rk_strategy strategy;
        rk_space_strategy(s->question->space, index, &strategy);
        fill_figures(s, batch, lane, &strategy);
        if (s->question->has_where &&
            expression_value(&s->question->where, &strategy, &s->estimate) == 0)
            continue;
        s->matches++;
        offer(s, index, &strategy);
    }
}

static bool selector_open(struct selector *s, const struct question *q, struct topk *shared)
{
    s->visitor = (struct visitor){
        .needs = true, .batch = selector_batch, .counts = &s->counts, .explain = &s->explain};
    s->question = q;
    s->shared = shared;
    s->scratch = scratch_open(q->space);
    return s->scratch && topk_init(&s->local, LOCAL_TOP);
}

static void selector_close(struct selector *s)
{
    scratch_close(s->scratch);
    topk_release(&s->local);
    free(s->frontier.point);
}

/* ---- all units ---- */

struct selecting {
    const struct rk_query *query;
    struct plan plan;
    int threads;
    struct selector *selector; /* (threads) */
    struct topk best;
    bool stopped;
};

static void show_progress(struct selecting *s)
{
    uint64_t decided = 0;
    if (!s->query->progress) return;
    for (int i = 0; i < s->threads; i++) {
        uint64_t more;
#pragma omp atomic read
        more = s->selector[i].decided;
        decided += more;
    }
    if (!s->query->progress(s->query->context, decided, s->plan.space->count)) {
#pragma omp atomic write
        s->stopped = true;
    }
}

static bool select_part(struct selecting *s, int part)
{
    if (!plan_begin_part(&s->plan, part)) return false;
    const int jobs = plan_fold_jobs(&s->plan);
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads)
    for (int i = 0; i < jobs; i++)
        plan_fold(&s->plan, i);
    if (!plan_list_units(&s->plan)) return false;
    bool failed = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads)
    for (int i = 0; i < s->plan.units; i++) {
        bool stopped;
        struct selector *mine = &s->selector[omp_get_thread_num()];
#pragma omp atomic read
        stopped = s->stopped;
        if (stopped || mine->failed) continue;
        unit_run(s->plan.space, &s->plan.unit[i], mine->scratch, &mine->visitor);
        flush(mine);
        const struct rk_search_explain *e = &mine->explain;
#pragma omp atomic write
        mine->decided = e->refused + e->refused_by_memory + e->timed;
        if (omp_get_thread_num() == 0) show_progress(s);
    }
    for (int i = 0; i < s->threads; i++)
        failed |= s->selector[i].failed;
    return !failed;
}

static void add_counts(struct rk_search_counts *to, const struct rk_search_counts *from)
{
    for (int verdict = 0; verdict < RK_VERDICTS; verdict++)
        for (int tier = 0; tier < RK_MAX_TIERS; tier++)
            to->verdict[verdict][tier] += from->verdict[verdict][tier];
}

static bool finish_frontier(struct selecting *s, const struct question *q,
                            struct rk_selection *selection)
{
    struct frontier *all = &s->selector[0].frontier;
    for (int i = 1; i < s->threads; i++)
        for (size_t k = 0; k < s->selector[i].frontier.count; k++)
            if (!frontier_offer(all, &s->selector[i].frontier.point[k], q->objectives))
                return false;
    if (all->count > 0) qsort(all->point, all->count, sizeof *all->point, compare_points);
    selection->row = calloc(all->count + 1, sizeof *selection->row);
    if (!selection->row) return false;
    selection->found = all->count;
    for (size_t k = 0; k < all->count; k++)
        selection->row[k] = (struct rk_selected){all->point[k].objective[0], all->point[k].index};
    return true;
}

static bool finish_best(struct selecting *s, struct rk_selection *selection)
{
    topk_sort(&s->best);
    selection->row = calloc(s->best.count + 1, sizeof *selection->row);
    if (!selection->row) return false;
    selection->found = s->best.count;
    for (uint64_t k = 0; k < s->best.count; k++)
        selection->row[k] =
            (struct rk_selected){-s->best.heap[k].samples_per_s, s->best.heap[k].index};
    return true;
}

static bool finish(struct selecting *s, const struct question *q, struct rk_selection *selection)
{
    struct rk_search_explain ignored = {0};
    selection->counts.total = q->space->count;
    for (int g = 0; g < q->space->groups; g++)
        group_count_networks(q->space, &q->space->group[g], &selection->counts, &ignored);
    for (int i = 0; i < s->threads; i++) {
        add_counts(&selection->counts, &s->selector[i].counts);
        selection->matches += s->selector[i].matches;
    }
    selection->complete = !s->stopped;
    const bool ok = q->frontier ? finish_frontier(s, q, selection) : finish_best(s, selection);
    if (ok && q->objective[0].more_is_better)
        for (uint64_t k = 0; k < selection->found; k++)
            selection->row[k].key = -selection->row[k].key;
    return ok;
}

enum rk_status rk_select(const struct rk_space *space, const struct rk_query *query,
                         struct rk_selection *selection, struct rk_error *error)
{
    struct question question;
    memset(selection, 0, sizeof *selection);
    const enum rk_status status = question_open(&question, space, query, error);
    if (status != RK_OK) return status;
    struct selecting s = {.query = query};
    const uint64_t top = query->top < space->count ? query->top : space->count;
    s.threads = query->threads > 0 ? query->threads : omp_get_max_threads();
    s.selector = calloc((size_t)s.threads, sizeof *s.selector);
    bool ok = plan_open(&s.plan, space) && s.selector && topk_init(&s.best, top ? top : 1);
    for (int i = 0; ok && i < s.threads; i++)
        ok = selector_open(&s.selector[i], &question, &s.best);
    for (int part = 0; ok && part < s.plan.parts && !s.stopped; part++)
        ok = select_part(&s, part);
    ok = ok && finish(&s, &question, selection);
    for (int i = 0; s.selector && i < s.threads; i++)
        selector_close(&s.selector[i]);
    free(s.selector);
    plan_close(&s.plan);
    topk_release(&s.best);
    if (ok) return RK_OK;
    rk_selection_release(selection);
    return rk_fail(error, RK_IO, NULL, 0, 0, "not enough memory for the selection");
}

void rk_selection_release(struct rk_selection *selection)
{
    free(selection->row);
    *selection = (struct rk_selection){0};
}

/* ---- conditions alone ---- */

struct rk_condition {
    struct expression expression;
};

struct rk_condition *rk_condition_open(const char *text, struct rk_error *error)
{
    struct rk_condition *condition = malloc(sizeof *condition);
    if (!condition) {
        rk_fail(error, RK_IO, NULL, 0, 0, "not enough memory for a condition");
        return NULL;
    }
    if (expression_compile(&condition->expression, text, strlen(text), 0, error) == RK_OK)
        return condition;
    free(condition);
    return NULL;
}

void rk_condition_close(struct rk_condition *condition)
{
    free(condition);
}

bool rk_condition_holds(const struct rk_condition *condition, const struct rk_strategy *strategy,
                        const struct rk_estimate *estimate)
{
    return !condition || expression_value(&condition->expression, strategy, estimate) != 0;
}
