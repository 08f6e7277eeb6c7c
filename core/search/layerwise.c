#include "search/layerwise.h"
#include "search/layerwise_quest.h"

#include "base/memory.h"
#include "estimate/plan_check.h"
#include "estimate/runs.h"
#include "machine/part.h"
#include "plan/layers.h"
#include "search/layerwise_climb.h"
#include "search/layerwise_needs.h"
#include "search/layerwise_shape.h"
#include "search/numbers.h"
#include "search/plans_axes.h"
#include "search/plans_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- all shapes ---- */

/* What else than the ways of layers a plan of so many stages has: the best whose layers are alike,
 * on the least memory of these that has one: of the first memory, then of all. */
static bool find_base(const struct rk_plans_problem *problem, struct rk_plan *plan)
{
    static const double factors[] = {1.25, 1.5, 2, 3, 4, 8, 16, 64};
    struct rk_plans_problem roomy = *problem;
    struct rk_system system;
    bool found = false;
    if (rk_system_copy(&system, problem->system, NULL) != RK_OK) return false;
    roomy.system = &system;
    for (size_t i = 0; i < sizeof factors / sizeof *factors && !found; i++) {
        system.memory[0].capacity_bytes = factors[i] * problem->system->memory[0].capacity_bytes;
        found = rk_plans_best(&roomy, plan, NULL, NULL) == RK_OK;
        for (int m = 1; !found && m < system.memories; m++)
            system.memory[m].capacity_bytes =
                factors[i] * problem->system->memory[m].capacity_bytes;
        if (!found && system.memories > 1) found = rk_plans_best(&roomy, plan, NULL, NULL) == RK_OK;
        for (int m = 1; m < system.memories; m++)
            system.memory[m].capacity_bytes = problem->system->memory[m].capacity_bytes;
    }
    rk_system_release(&system);
    return found;
}

/* The best whose layers are alike is the answer until a mix is faster. */
static void take_alike(struct quest *q, const struct rk_plan *plan)
{
    struct layerwise_answer *answer = q->answer;
    const struct rk_prediction *p = &q->prediction;
    if (p->step_s >= q->least_s || !layerwise_launches(q, plan)) return;
    q->least_s = p->step_s;
    answer->found = true;
    answer->plan = answer->dealt = *plan;
    answer->dealt.chunks = 1;
    if (plan->chunks <= 1) return;
    struct rk_layout layout = {.splits = p->stages};
    for (int i = 0; i < layout.splits; i++)
        layout.split[i] = (uint16_t)p->stage[i].blocks;
    answer->dealt.layout = rk_layout_keep(&layout);
}

/* The best plan of `stages` stages whose layers are alike, or one that would be with more memory;
 * false when there is none. */
static bool best_uniform(struct quest *q, uint64_t stages, struct rk_plan *plan)
{
    struct rk_plans_problem problem = *q->query->problem;
    problem.pinned[RK_PLAN_PIPELINE].count = 1;
    problem.pinned[RK_PLAN_PIPELINE].value[0] = problem.pinned[RK_PLAN_PIPELINE].to[0] = stages;
    if (rk_plans_best(&problem, plan, &q->prediction, NULL) != RK_OK)
        return find_base(&problem, plan);
    const double step_s = q->prediction.step_s;
    if (!q->answer->uniform_s || step_s < q->answer->uniform_s) q->answer->uniform_s = step_s;
    take_alike(q, plan);
    return true;
}

struct candidate {
    struct shape *shape;
    double bound_s;
    double found_s; /* of its plans that were judged, the least; INFINITY: none fits, or none was */
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return (x->bound_s > y->bound_s) - (x->bound_s < y->bound_s);
}

struct candidates {
    int count;
    struct candidate *list; /* (count) */
};

static bool add_candidate(struct candidates *all, struct shape *s, double bound_s)
{
    if (!ARRAY_ROOM(all->list, all->count)) return false;
    all->list[all->count++] = (struct candidate){s, bound_s, INFINITY};
    return true;
}

/* Stages whose layers are not run alike have to be filled, unless plans that no framework
 * starts are asked for. */
static bool starts(const struct quest *q, const struct rk_plan *base, uint64_t microbatches)
{
    if (q->interleaved->unstartable || base->pipeline == 1) return true;
    return base->chunks == 1 ? microbatches >= base->pipeline
                             : plan_interleaves(microbatches, base->pipeline, base->pipeline);
}

static void add_shape(struct quest *q, const struct rk_plan *base, uint64_t samples,
                      struct candidates *all)
{
    struct shape *s = shape_open(q->query->problem, base, samples);
    if (!s) q->failed = true;
    if (!s || !s->ways) {
        shape_close(s);
        return;
    }
    if (!q->answer->uniform_s && !shape_watch_all(s)) { /* it may be what nothing fits in */
        shape_close(s);
        q->failed = true;
        return;
    }
    q->answer->counts.shapes++;
    q->floor_s = fmin(q->floor_s, s->floor_s);
    q->answer->counts.ways += (uint64_t)s->ways;
    shape_allow(s, -1);
    const struct stages_problem problem = shape_problem(s, 0);
    if (add_candidate(all, s, stages_bound(&problem) + layerwise_messages_s(s))) return;
    shape_close(s);
    q->failed = true;
}

/* Shapes of so many stages and virtual stages: samples in flight that divide the batch. */
static void add_shapes(struct quest *q, const struct rk_plan *base, struct candidates *all)
{
    uint64_t divisor[MAX_DIVISORS];
    const int divisors = divisors_of(base->batch, divisor);
    for (int i = 0; i < divisors && !q->failed && !layerwise_stopped(q); i++)
        if (starts(q, base, base->batch / divisor[i])) add_shape(q, base, divisor[i], all);
}

/* With each number of virtual stages. */
static void add_chunks(struct quest *q, const struct rk_plan *base, struct candidates *all)
{
    struct offered chunks;
    plan_axis_offer(&chunks, q->interleaved, RK_PLAN_CHUNKS, base);
    for (int i = 0; i < chunks.count; i++) {
        struct rk_plan with = *base;
        with.chunks = chunks.value[i];
        if (with.chunks * with.pipeline <= q->query->problem->model->layers)
            add_shapes(q, &with, all);
    }
}

/* Not interleaved, 1F1B. */
static struct rk_plans_problem plain(const struct rk_plans_problem *problem)
{
    struct rk_plans_problem p = *problem;
    p.pinned[RK_PLAN_CHUNKS].count = p.pinned[RK_PLAN_SCHEDULE].count = 1;
    p.pinned[RK_PLAN_CHUNKS].value[0] = p.pinned[RK_PLAN_CHUNKS].to[0] = 1;
    p.pinned[RK_PLAN_SCHEDULE].value[0] = p.pinned[RK_PLAN_SCHEDULE].to[0] = RK_1F1B;
    p.pinned[RK_PLAN_RECOMPUTE_LAYERS].count = 1;
    p.pinned[RK_PLAN_RECOMPUTE_LAYERS].value[0] = p.pinned[RK_PLAN_RECOMPUTE_LAYERS].to[0] = 0;
    return p;
}

/* What all layers must have alike, and how many there may be. */
static enum rk_status check_asked(const struct rk_plans_problem *p, struct rk_error *error)
{
    const int parts = p->pinned[RK_PLAN_SEQUENCE_CHUNKS].count;
    if (!rk_answerer(p->base.framework)->layers)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "`layerwise`: the Calculon model runs all layers alike; leave framework "
                       "calculon out");
    if (parts > 1 || (parts && p->pinned[RK_PLAN_SEQUENCE_CHUNKS].to[0] >
                                   p->pinned[RK_PLAN_SEQUENCE_CHUNKS].value[0]))
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "`layerwise`: all layers split the sequence into the same number of chunks; give one "
            "number, seq-chunks8");
    if (p->model->layers > LAYERWISE_MOST_LAYERS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "`layerwise`: %s has more than %d layers: leave it out", p->model->id,
                       LAYERWISE_MOST_LAYERS);
    return plans_check_counts(p, error);
}

/* Shapes of each number of stages, around the fastest plan of so many whose layers are alike; of a
 * number without one, around the last one found. */
static void gather(struct quest *q, struct candidates *all)
{
    const struct rk_plans_problem *problem = q->query->problem;
    struct rk_plan base = problem->base;
    struct offered stages;
    bool any = false;
    plan_axis_offer(&stages, problem, RK_PLAN_PIPELINE, &base);
    for (int i = 0; i < stages.count && !q->failed && q->answer->complete; i++) {
        struct rk_plan plan;
        if (base.ranks % stages.value[i] || stages.value[i] > LAYERWISE_MOST_STAGES) continue;
        if (best_uniform(q, stages.value[i], &plan)) {
            base = plan;
            any = true;
        }
        base.pipeline = stages.value[i];
        base.order = RK_ORDER_TP_CP_DP_PP;
        base.layout = NULL;
        if (any) add_chunks(q, &base, all);
        q->answer->complete = !layerwise_stopped(q);
    }
}

/* Solves the shapes in the order of their bounds, as far as one may bring something faster. */
static void solve_all(struct quest *q, struct candidates *all)
{
    struct layerwise_answer *answer = q->answer;
    if (all->count) qsort(all->list, (size_t)all->count, sizeof *all->list, compare_candidates);
    for (int i = 0; i < all->count; i++) {
        struct candidate *c = &all->list[i];
        if (isinf(c->bound_s))
            answer->counts.unfit++;
        else if (fmax(c->bound_s / NEAR, c->shape->floor_s) >= q->least_s)
            answer->counts.excluded++;
        else if (!q->failed && answer->complete)
            c->found_s = layerwise_search_shape(q, c->shape);
        answer->complete = answer->complete && !layerwise_stopped(q);
    }
}

/* The ways to overlap reductions and gathers that differ from `base`, which replicated layers
 * allow; returns how many there are. */
static int overlap_otherwise(const struct quest *q, const struct rk_plan *base,
                             struct rk_plan other[OVERLAPS])
{
    struct offered reduced, gathered;
    struct rk_plan plan = *base;
    int count = 0;
    plan.tensor = plan.context = 1;
    if (plan.zero == 0) plan.zero = 1;
    plan_axis_offer(&reduced, q->query->problem, RK_PLAN_GRADIENT_OVERLAP, &plan);
    for (int i = 0; i < reduced.count; i++) {
        plan.gradient_overlap = reduced.value[i];
        plan_axis_offer(&gathered, q->query->problem, RK_PLAN_WEIGHT_OVERLAP, &plan);
        for (int k = 0; k < gathered.count && count < OVERLAPS; k++) {
            if (reduced.value[i] == base->gradient_overlap &&
                gathered.value[k] == base->weight_overlap)
                continue;
            other[count] = *base;
            other[count].gradient_overlap = reduced.value[i];
            other[count++].weight_overlap = gathered.value[k];
        }
    }
    return count;
}

static struct candidate *best_candidate(struct candidates *all)
{
    struct candidate *best = NULL;
    for (int i = 0; i < all->count; i++)
        if (!isinf(all->list[i].found_s) && (!best || all->list[i].found_s < best->found_s))
            best = &all->list[i];
    return best;
}

static void solve_again(struct quest *q, const struct shape *best, struct candidates *all)
{
    struct rk_plan base[OVERLAPS];
    const uint64_t samples = best->samples;
    const int count = overlap_otherwise(q, &best->base, base);
    for (int i = 0; i < count && q->answer->complete && !q->failed; i++) {
        const int before = all->count;
        add_shape(q, &base[i], samples, all);
        if (all->count > before) layerwise_search_shape(q, all->list[before].shape);
    }
}

/* The best shapes again, with the overlap that the plan they are made around has not. */
static void solve(struct quest *q, struct candidates *all)
{
    enum { MOST_AGAIN = 3 };
    struct shape *best[MOST_AGAIN];
    int count = 0;
    solve_all(q, all);
    for (int i = 0; i < MOST_AGAIN; i++) {
        struct candidate *c = best_candidate(all);
        if (!c) break;
        best[count++] = c->shape;
        c->found_s = INFINITY;
    }
    for (int i = 0; i < count; i++)
        solve_again(q, best[i], all);
}

/* What the surrogate says of the answer's mix, and where the walk between balanced stages ends. */
static void set_sums(struct quest *q)
{
    double stage_s[LAYERWISE_MOST_STAGES], stage_bytes[LAYERWISE_MOST_STAGES];
    struct layerwise_answer *answer = q->answer;
    struct stages_answer mix = mix_answer(&q->won), walk;
    shape_allow(q->winner, -1);
    const struct stages_problem problem = shape_problem(q->winner, 0);
    struct stages_problem roomy = problem;
    struct stage_place place[LAYERWISE_MOST_STAGES];
    shape_unlimited(&roomy, place);
    mix.stage_s = stage_s;
    mix.stage_bytes = stage_bytes;
    answer->value_s = stages_value(&roomy, &mix);
    if (problem.stages == 1 || !stages_walk(&problem, &walk)) return;
    answer->walk_s = walk.found ? walk.value_s : 0;
    stages_answer_release(&walk);
}

/* Finds out what would have to be larger where nothing fits, and closes the shapes. */
static void finish(struct quest *q, struct candidates *all, struct needs *needs)
{
    const bool stuck = q->last && !q->answer->found && q->answer->complete;
    *needs = (struct needs){.lower = false};
    for (int t = 0; t <= RK_SHARE_TIERS; t++)
        needs->bytes[t] = INFINITY;
    if (q->winner) set_sums(q);
    for (int i = 0; i < all->count; i++) {
        struct shape *s = all->list[i].shape;
        if (stuck && s->base.chunks == 1 && !q->failed) {
            needs_add(needs, s);
            q->failed = s->failed;
        }
        shape_close(s);
    }
    free(all->list);
}

/* On a machine whose first memory is what plans may use of it; the last try: says why nothing fits.
 */
static enum rk_status search_on(const struct rk_system *system, const struct layerwise_query *query,
                                bool last, struct layerwise_answer *answer, struct rk_error *error)
{
    struct rk_plans_problem asked = *query->problem;
    asked.system = system;
    const struct rk_plans_problem problem = plain(&asked);
    struct layerwise_query own = *query;
    static const struct quest none = {
        .least_s = INFINITY, .floor_s = INFINITY, .left = MOST_JUDGED};
    struct quest q = none;
    struct candidates all = {.count = 0};
    struct needs needs;
    struct rk_plan any;
    own.problem = &problem;
    q.query = &own;
    q.interleaved = &asked;
    q.answer = answer;
    q.last = last;
    memset(answer, 0, sizeof *answer);
    answer->complete = true;
    gather(&q, &all);
    const bool enough = answer->found && !answer->complete; /* it was stopped */
    if (!enough && rk_plans_best(&asked, &any, &q.prediction, NULL) == RK_OK) {
        answer->any_s = q.prediction.step_s;
        take_alike(&q, &any);
    }
    solve(&q, &all);
    finish(&q, &all, &needs);
    if (q.failed) return no_memory(error);
    answer->floor_s = answer->complete ? q.floor_s : 0;
    answer->bound_s = fmin(answer->floor_s, q.least_s);
    if (answer->found) return RK_OK;
    return last ? needs_fail(&needs, query->problem, error) : RK_NOTHING_FITS;
}

enum rk_status layerwise_search(const struct layerwise_query *query,
                                struct layerwise_answer *answer, struct rk_error *error)
{
    const struct rk_plans_problem *problem = query->problem;
    const double usable = query->usable_bytes;
    struct rk_system system;
    enum rk_status status = check_asked(problem, error);
    if (status == RK_OK) status = rk_system_copy(&system, problem->system, error);
    if (status != RK_OK) return status;
    const bool less = usable > 0 && usable < system.memory[0].capacity_bytes;
    if (less) system.memory[0].capacity_bytes = usable;
    status = search_on(&system, query, !less, answer, error);
    const bool none = less && status == RK_NOTHING_FITS && answer->complete;
    if (none) status = search_on(problem->system, query, true, answer, error);
    answer->fills = none;
    rk_system_release(&system);
    if (answer->found)
        rk_predict(problem->model, problem->system, &answer->plan, &answer->prediction);
    return status;
}

struct rk_plan layerwise_run(const struct rk_plan *plan, int local)
{
    return run_plan(plan, local);
}
