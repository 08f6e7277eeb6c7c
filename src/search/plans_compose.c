#include "search/plans_run.h"
#include "search/plans_unit.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ---- units ---- */

struct units {
    uint64_t count;
    struct plan_unit *unit; /* (count) */
};

static uint64_t hash_of(uint64_t z) /* splitmix64 */
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* In an order that has nothing to do with the space: the first rounds then sample all of it, and
 * find a good plan early. The order is the same each time. */
static void mix(struct units *units)
{
    for (uint64_t i = units->count; i > 1; i--) {
        const uint64_t other = hash_of(i) % i;
        const struct plan_unit kept = units->unit[i - 1];
        units->unit[i - 1] = units->unit[other];
        units->unit[other] = kept;
    }
}

static bool units_open(struct units *units, const struct rk_plans *plans,
                       const struct stage_sets *sets)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < plans->layouts; i++)
        count += plans->layout[i].choices[BUNDLE_MICROBATCH]->count;
    units->count = 0;
    units->unit = malloc((count + 1) * sizeof *units->unit);
    if (!units->unit) return false;
    for (uint64_t i = 0; i < plans->layouts; i++)
        for (uint64_t k = 0; k < plans->layout[i].choices[BUNDLE_MICROBATCH]->count; k++)
            units->unit[units->count++] = (struct plan_unit){
                .layout = &plans->layout[i],
                .stages = &sets->set[sets->of_layout[i]],
                .microbatch = k,
            };
    mix(units);
    return true;
}

/* ---- workers ---- */

struct worker {
    _Alignas(128) struct visitor visitor; /* first: the callback gets back to the worker */
    struct plan_scratch *scratch;
    struct topk best;
    struct rk_search_counts counts;
    struct rk_search_explain explain;
};

static void worker_batch(struct visitor *visitor, const struct batch *batch, int hits)
{
    (void)hits;
    for (int i = 0; i < batch->lanes; i++)
        topk_offer(&((struct worker *)visitor)->best,
                   (struct rk_candidate){batch->samples / batch->step_s[i], batch->step_s[i],
                                         batch->index(batch, i)});
}

struct team {
    int threads;
    struct worker *worker; /* (threads) */
    struct topk best;
};

static bool team_open(struct team *team, const struct rk_plans *plans, int threads, uint64_t top)
{
    team->threads = threads;
    team->worker = aligned_alloc(128, (size_t)threads * sizeof *team->worker);
    if (!team->worker) return false;
    memset(team->worker, 0, (size_t)threads * sizeof *team->worker);
    bool open = topk_init(&team->best, top);
    for (int i = 0; i < threads; i++) {
        struct worker *w = &team->worker[i];
        w->scratch = plan_scratch_open(plans);
        w->visitor =
            (struct visitor){.batch = worker_batch, .counts = &w->counts, .explain = &w->explain};
        open = topk_init(&w->best, top) && w->scratch && open;
    }
    return open;
}

static void team_close(struct team *team)
{
    for (int i = 0; team->worker && i < team->threads; i++) {
        plan_scratch_close(team->worker[i].scratch);
        topk_release(&team->worker[i].best);
    }
    free(team->worker);
}

/* ---- rounds ---- */

/* All units of a round begin with what the rounds before found: what is pruned then does not depend
 * on the number of threads. */
static void run_round(struct team *team, const struct units *units, uint64_t first, uint64_t end,
                      bool prune)
{
    const double least = topk_least(&team->best);
#pragma omp parallel num_threads(team->threads)
    {
        struct worker *w = &team->worker[omp_get_thread_num()];
        w->visitor.least = least;
        w->visitor.prune = prune;
#pragma omp for schedule(dynamic, 1)
        for (uint64_t i = first; i < end; i++)
            plan_unit_run(w->scratch, &units->unit[i], &w->visitor);
    }
    for (int i = 0; i < team->threads; i++) {
        struct topk *best = &team->worker[i].best;
        for (uint64_t k = 0; k < best->count; k++)
            topk_offer(&team->best, best->heap[k]);
        topk_clear(best);
    }
}

static void add_up(struct rk_plans_result *r, const struct worker *w)
{
    for (int i = 0; i < RK_VERDICTS; i++)
        r->counts.verdict[i][0] += w->counts.verdict[i][0];
    r->counts.repeated += w->counts.repeated;
    r->explain.refused += w->explain.refused;
    r->explain.refused_by_memory += w->explain.refused_by_memory;
    r->explain.bounded += w->explain.bounded;
    r->explain.timed += w->explain.timed;
    r->explain.folds += w->explain.folds;
}

/* Of what was found so far; infinity when that is nothing. */
static double shortest_s(const struct topk *best)
{
    double least_s = INFINITY;
    for (uint64_t i = 0; i < best->count; i++)
        least_s = fmin(least_s, best->heap[i].step_s);
    return least_s;
}

enum { FIRST_ROUND = 2, LARGEST_ROUND = 256 };

static void run_rounds(struct team *team, const struct units *units, uint64_t total,
                       const struct rk_plans_options *options, struct rk_plans_result *r)
{
    const bool prune = options->mode == RK_SEARCH_PRUNED;
    uint64_t round = FIRST_ROUND, end, decided = 0;
    for (uint64_t first = 0; first < units->count && r->complete; first = end) {
        end = first + round < units->count ? first + round : units->count;
        run_round(team, units, first, end, prune);
        for (uint64_t i = first; i < end; i++)
            decided += plan_unit_count(&units->unit[i]);
        if (options->progress)
            r->complete =
                options->progress(options->context, decided, total, shortest_s(&team->best));
        if (round < LARGEST_ROUND) round *= 2;
    }
}

enum rk_status plans_compose(const struct rk_plans *plans, const struct rk_plans_options *options,
                             struct rk_plans_result *r, struct rk_error *error)
{
    const int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    struct units units = {0, NULL};
    struct team team = {.threads = 0};
    struct stage_sets *sets = stage_sets_open(plans);
    const bool open =
        sets && units_open(&units, plans, sets) && team_open(&team, plans, threads, options->top);
    if (open) {
        run_rounds(&team, &units, plans->count, options, r);
        for (int i = 0; i < threads; i++)
            add_up(r, &team.worker[i]);
        topk_sort(&team.best);
        r->found = team.best.count;
        r->best = team.best.heap;
    } else {
        topk_release(&team.best);
    }
    team_close(&team);
    free(units.unit);
    stage_sets_close(sets);
    return open ? RK_OK : rk_fail(error, RK_IO, NULL, 0, 0, "not enough memory for the search");
}
