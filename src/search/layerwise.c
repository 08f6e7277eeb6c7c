#include "search/layerwise.h"

#include "base/memory.h"
#include "estimate/plan_check.h"
#include "estimate/runs.h"
#include "machine/part.h"
#include "search/layerwise_needs.h"
#include "search/layerwise_shape.h"
#include "search/numbers.h"
#include "search/plans_axes.h"
#include "search/plans_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RETRIES = 5 };

/* The surrogate may be above the prediction by so much. */
#define SURROGATE_SLACK 1.005

struct quest {
    const struct layerwise_query *query;        /* of plans without virtual stages */
    const struct rk_plans_problem *interleaved; /* as it was asked */
    struct layerwise_answer *answer;
    double least_s;                  /* predicted, of what is found */
    struct rk_prediction prediction; /* of the plan at hand */
    const struct shape *winner;      /* the shape of the answer's mix */
    bool failed;
};

static double messages_s(const struct shape *s)
{
    return 2 * ((double)s->base.pipeline - 1) * s->send_s *
           (1 + (double)shape_microbatches(s) / fmax(1, (double)s->base.pipeline - 1));
}

/* Takes a plan over when its prediction is the fastest so far; `dealt` is it without virtual
 * stages. */
static void offer(struct quest *q, const struct shape *s, const struct stages_problem *problem,
                  const struct stages_answer *found, double bound_s, const struct rk_plan *dealt,
                  const struct rk_plan *plan, const struct rk_prediction *p)
{
    struct layerwise_answer *best = q->answer;
    struct stages_answer walk;
    if (p->verdict != RK_FITS || p->step_s >= q->least_s) return;
    q->least_s = p->step_s;
    q->winner = s;
    best->found = true;
    best->plan = *plan;
    best->dealt = *dealt;
    best->prediction = *p;
    best->value_s = found->value_s;
    best->bound_s = bound_s;
    best->walk_s = 0;
    struct stages_problem any = *problem;
    any.enough_s = 0;
    if (any.stages == 1 || !stages_walk(&any, &walk)) return;
    best->walk_s = walk.found ? walk.value_s : 0;
    stages_answer_release(&walk);
}

/* What is slower than this by the surrogate is not looked for. */
static double enough(const struct quest *q, const struct shape *s)
{
    return isinf(q->least_s) ? 0 : fmax(1e-12, (q->least_s - messages_s(s)) * SURROGATE_SLACK);
}

/* The bytes that predictions have above a memory, by tier; 0: they fit. */
struct excess {
    double bytes[1 + RK_SHARE_TIERS];
};

static void add_excess(struct excess *over, const struct shape *s, const struct rk_prediction *p)
{
    for (int i = 0; p->timed && i < p->stages; i++) {
        const struct rk_stage *stage = &p->stage[i];
        over->bytes[0] =
            fmax(over->bytes[0], stage->total_bytes - s->system->memory[0].capacity_bytes);
        for (int t = 0; t < RK_SHARE_TIERS && t + 1 < s->system->memories; t++)
            over->bytes[t + 1] = fmax(
                over->bytes[t + 1],
                stage->away_bytes[t] - memory_part_bytes(&s->system->memory[t + 1], s->base.ranks));
    }
}

static bool fits_all(const struct excess *over)
{
    bool fits = true;
    for (int i = 0; i <= RK_SHARE_TIERS; i++)
        fits &= over->bytes[i] <= 0;
    return fits;
}

static int watched_as(const struct shape *s, int tier)
{
    for (int t = 0; t < s->watched; t++)
        if (s->tier[t] == tier) return t;
    return -1;
}

/* The surrogate gets less of what is overfilled, `less`; or first a lower memory that it did not
 * know is watched, with which its mixes are others. False when it cannot be. */
static bool take_off(struct quest *q, struct shape *s, const struct excess *over,
                     struct excess *less)
{
    bool other = false;
    for (int tier = 0; tier < RK_SHARE_TIERS; tier++) {
        if (over->bytes[tier + 1] <= 0 || watched_as(s, tier) >= 0) continue;
        if (!shape_watch(s, tier)) {
            q->failed = s->failed;
            return false;
        }
        other = true;
    }
    for (int i = 0; i <= RK_SHARE_TIERS && !other; i++)
        less->bytes[i] += 1.01 * over->bytes[i];
    return true;
}

/* Predicts and offers what was found; adds what the surrogate's memories have too many. */
static void judge(struct quest *q, struct shape *s, const struct stages_problem *problem,
                  struct stages_answer *answer, double bound_s, const struct rk_plan *dealt,
                  struct excess *over)
{
    struct rk_plan plan = *dealt;
    if (s->base.chunks > 1 && !layerwise_interleave(dealt, s->model, s->base.chunks, &plan)) return;
    rk_predict(s->model, s->system, &plan, &q->prediction);
    offer(q, s, problem, answer, fmin(bound_s, answer->value_s), dealt, &plan, &q->prediction);
    add_excess(over, s, &q->prediction);
}

/* The best with embedding and head in way `end`; `bound_s` is that of any ends. */
static void solve_end(struct quest *q, struct shape *s, int end, double bound_s,
                      struct excess *over)
{
    shape_allow(s, end);
    for (int try = 0; try < RETRIES; try++) {
        struct stages_answer answer;
        struct rk_plan plan;
        const struct stages_problem problem = shape_problem(s, enough(q, s));
        if (!stages_solve(&problem, &answer)) {
            q->failed = true;
            return;
        }
        q->answer->counts.labels += answer.labels;
        const bool said = answer.found && shape_answer(s, &answer, end, &plan);
        const bool again = answer.found && !said;
        if (said) judge(q, s, &problem, &answer, bound_s, &plan, over);
        if (again) shape_forbid_rare(s, &answer, end);
        stages_answer_release(&answer);
        if (!again) return;
    }
}

/* No mix takes less, whatever the one way is in which embedding and head are run. */
static double bound_of_ends(struct shape *s)
{
    double bound_s = INFINITY;
    for (int end = 0; end < s->ways; end++) {
        if (!s->way[end].end) continue;
        shape_allow(s, end);
        const struct stages_problem problem = shape_problem(s, 0);
        bound_s = fmin(bound_s, stages_bound(&problem));
    }
    shape_allow(s, -1);
    return bound_s;
}

/* No mix of the answer's shape has a lower surrogate. */
static void tighten(struct layerwise_answer *answer, double bound_s)
{
    answer->bound_s = fmax(answer->bound_s, fmin(bound_s, answer->value_s));
}

/* Is the bound further off than what the answers of such a search differ in? */
static bool is_loose(const struct layerwise_answer *answer)
{
    return answer->bound_s < 0.995 * answer->value_s;
}

/* Embedding and head in any way: no slower than in one and the same. Where they are in one, or for
 * each of the two that they are in, that is solved; and all over again with less memory where the
 * prediction says that the surrogate took too much. */
static bool solve_shape(struct quest *q, struct shape *s)
{
    struct excess less = {{0}};
    bool found = false;
    for (int try = 0; try < RETRIES + s->watched && !q->failed; try++) {
        struct stages_answer answer;
        struct excess over = {{0}};
        struct capacity capacity = shape_capacity(s);
        capacity.bytes -= less.bytes[0];
        for (int t = 0; t < s->watched; t++)
            capacity.lower[t] -= less.bytes[s->tier[t] + 1];
        shape_set_capacity(s, &capacity);
        shape_allow(s, -1);
        const struct stages_problem problem = shape_problem(s, enough(q, s));
        if (!stages_solve(&problem, &answer)) {
            q->failed = true;
            return false;
        }
        q->answer->counts.labels += answer.labels;
        const bool any = answer.found;
        const double bound_s = any && answer.bound_s < answer.value_s
                                   ? fmax(answer.bound_s, bound_of_ends(s))
                                   : answer.bound_s;
        const int ends[] = {any ? answer.choice[0] : 0, any ? answer.choice[s->layers - 1] : 0};
        struct rk_plan plan;
        const bool done = any && ends[0] == ends[1] && shape_answer(s, &answer, ends[0], &plan);
        if (done) judge(q, s, &problem, &answer, bound_s, &plan, &over);
        stages_answer_release(&answer);
        if (s->rigour && try == 0) /* nothing below enough, or below what was found */
            tighten(q->answer, any ? bound_s : fmin(bound_s, problem.enough_s));
        if (!any) {
            const bool open =
                !isinf(bound_s) && (!(problem.enough_s > 0) || bound_s < problem.enough_s);
            q->answer->unsettled |= open || (found && !fits_all(&less));
            return found;
        }
        if (s->rigour > 1 && !is_loose(q->answer)) return true;
        found = true;
        for (int i = 0; !done && i < 2; i++)
            if (i == 0 || ends[1] != ends[0]) solve_end(q, s, ends[i], bound_s, &over);
        if (fits_all(&over)) return true;
        if (!take_off(q, s, &over, &less)) break;
    }
    q->answer->unsettled = true;
    return found;
}

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

/* The best plan of so many stages whose layers are alike, or one that would be with more memory;
 * false when there is none. */
static bool best_uniform(struct quest *q, uint64_t stages, struct rk_plan *plan)
{
    struct rk_plans_problem problem = *q->query->problem;
    struct rk_prediction p;
    problem.pinned[RK_PLAN_PIPELINE].count = 1;
    problem.pinned[RK_PLAN_PIPELINE].value[0] = problem.pinned[RK_PLAN_PIPELINE].to[0] = stages;
    if (rk_plans_best(&problem, plan, &p, NULL) != RK_OK) return find_base(&problem, plan);
    if (!q->answer->uniform_s || p.step_s < q->answer->uniform_s) {
        q->answer->uniform = *plan;
        q->answer->uniform_s = p.step_s;
    }
    return true;
}

struct candidate {
    struct shape *shape;
    double bound_s;
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
    all->list[all->count++] = (struct candidate){s, bound_s};
    return true;
}

/* Interleaved stages have to be filled, unless plans that no framework starts are asked for. */
static bool starts(const struct quest *q, const struct rk_plan *base, uint64_t microbatches)
{
    return q->interleaved->unstartable || base->chunks == 1 || base->pipeline == 1 ||
           plan_interleaves(microbatches, base->pipeline, base->pipeline);
}

/* Shapes of so many stages and virtual stages: samples in flight that divide the batch. */
static void add_shapes(struct quest *q, const struct rk_plan *base, struct candidates *all)
{
    uint64_t divisor[MAX_DIVISORS];
    const int divisors = divisors_of(base->batch, divisor);
    for (int i = 0; i < divisors && !q->failed; i++) {
        if (!starts(q, base, base->batch / divisor[i])) continue;
        struct shape *s = shape_open(q->query->problem, base, divisor[i]);
        if (!s) {
            q->failed = true;
            return;
        }
        if (!s->ways) {
            shape_close(s);
            continue;
        }
        if (!q->answer->uniform_s && !shape_watch_all(s)) { /* it may be what nothing fits in */
            shape_close(s);
            q->failed = true;
            return;
        }
        q->answer->counts.shapes++;
        q->answer->counts.ways += (uint64_t)s->ways;
        shape_allow(s, -1);
        const struct stages_problem problem = shape_problem(s, 0);
        if (add_candidate(all, s, stages_bound(&problem) + messages_s(s))) continue;
        shape_close(s);
        q->failed = true;
    }
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

/* The best are alike. */
static void take_alike(struct layerwise_answer *answer, const struct rk_plan *plan,
                       const struct rk_plans_problem *problem)
{
    answer->found = true;
    answer->value_s = answer->bound_s = answer->walk_s = 0;
    answer->plan = answer->dealt = *plan;
    rk_predict(problem->model, problem->system, plan, &answer->prediction);
    answer->dealt.chunks = 1;
    answer->dealt.splits = plan->chunks > 1 ? answer->prediction.stages : plan->splits;
    for (int i = 0; plan->chunks > 1 && i < answer->dealt.splits; i++)
        answer->dealt.split[i] = (uint16_t)answer->prediction.stage[i].blocks;
}

static bool stopped(const struct layerwise_query *query)
{
    return query->stop && query->stop(query->context);
}

/* Labels of a proof, times the usual number, of no more than so many labels with ways to go on from
 * them: some seconds. */
enum { RIGOUR = 10, MOST_STEPS = 100000000 };

static bool is_worth_it(const struct quest *q, struct shape *s)
{
    if (s->rigour == 1) return s->base.chunks > 1;
    const double layers = fmax(1, (double)s->layers / (double)s->base.pipeline);
    const double labels = (double)shape_problem(s, 0).label_limit;
    return is_loose(q->answer) && labels * layers * s->ways <= MOST_STEPS;
}

/* The winner once more: with as many labels as without virtual stages, then with many more. */
static void prove(struct quest *q, struct shape *s)
{
    for (s->rigour = 1; s->rigour <= RIGOUR && !q->failed; s->rigour += RIGOUR - 1) {
        if (is_worth_it(q, s)) solve_shape(q, s);
    }
}

/* What all layers must have alike, and how many there may be. */
static enum rk_status check_asked(const struct rk_plans_problem *p, struct rk_error *error)
{
    const int parts = p->pinned[RK_PLAN_SEQUENCE_CHUNKS].count;
    if (p->base.framework == RK_CALCULON)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--layerwise: the published model runs all layers alike; leave framework "
                       "calculon out");
    if (parts > 1 || (parts && p->pinned[RK_PLAN_SEQUENCE_CHUNKS].to[0] >
                                   p->pinned[RK_PLAN_SEQUENCE_CHUNKS].value[0]))
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--layerwise: all layers have the sequence in as many chunks; give one "
                       "number, seq-chunks8");
    if (p->model->layers > LAYERWISE_MOST_LAYERS)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--layerwise: %s has more than %d layers: leave it out", p->model->id,
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
        base.splits = 0;
        if (any) add_chunks(q, &base, all);
        q->answer->complete = !stopped(q->query);
    }
}

/* Solves the shapes in the order of their bounds, as far as one may bring something faster. */
static void solve(struct quest *q, struct candidates *all)
{
    struct layerwise_answer *answer = q->answer;
    if (answer->uniform_s) q->least_s = answer->uniform_s;
    if (answer->any_s) q->least_s = fmin(q->least_s, answer->any_s);
    if (all->count) qsort(all->list, (size_t)all->count, sizeof *all->list, compare_candidates);
    for (int i = 0; i < all->count; i++) {
        const struct candidate *c = &all->list[i];
        if (isinf(c->bound_s))
            answer->counts.unfit++;
        else if (c->bound_s >= q->least_s)
            answer->counts.excluded++;
        else if (!q->failed && answer->complete)
            answer->counts.unfit += !solve_shape(q, c->shape);
        answer->complete = answer->complete && !stopped(q->query);
    }
}

/* Proves what was found, or finds out what would have to be larger, and closes the shapes. */
static void finish(struct quest *q, struct candidates *all, struct needs *needs)
{
    const struct layerwise_answer *answer = q->answer;
    const bool stuck = !answer->found && !answer->uniform_s && !answer->any_s;
    *needs = (struct needs){.lower = false};
    for (int t = 0; t <= RK_SHARE_TIERS; t++)
        needs->bytes[t] = INFINITY;
    for (int i = 0; i < all->count; i++) {
        struct shape *s = all->list[i].shape;
        if (stuck && answer->complete && s->base.chunks == 1 && !q->failed) {
            needs_add(needs, s);
            q->failed = s->failed;
        }
        if (s == q->winner && answer->complete) prove(q, s);
        shape_close(s);
    }
    free(all->list);
}

enum rk_status layerwise_search(const struct layerwise_query *query,
                                struct layerwise_answer *answer, struct rk_error *error)
{
    const struct rk_plans_problem problem = plain(query->problem);
    const struct layerwise_query own = {&problem, query->threads, query->stop, query->context};
    static const struct quest none = {.least_s = INFINITY};
    struct quest q = none;
    struct candidates all = {.count = 0};
    struct needs needs;
    struct rk_plan any;
    q.query = &own;
    q.interleaved = query->problem;
    q.answer = answer;
    memset(answer, 0, sizeof *answer);
    answer->complete = true;
    const enum rk_status status = check_asked(&problem, error);
    if (status != RK_OK) return status;
    gather(&q, &all);
    if (rk_plans_best(query->problem, &any, &q.prediction, NULL) == RK_OK)
        answer->any_s = q.prediction.step_s;
    solve(&q, &all);
    finish(&q, &all, &needs);
    if (q.failed) return no_memory(error);
    if (!answer->found && answer->any_s)
        take_alike(answer, &any, &problem);
    else if (!answer->found && answer->uniform_s)
        take_alike(answer, &answer->uniform, &problem);
    return answer->found ? RK_OK : needs_fail(&needs, query->problem, error);
}

struct rk_plan layerwise_run(const struct rk_plan *plan, int local)
{
    return run_plan(plan, local);
}