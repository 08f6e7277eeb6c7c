#include "search/search.h"

#include "search/plan.h"
#include "search/state.h"
#include "search/twin.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- workers: what one thread keeps ---- */

enum { LOCAL_TOP = 1024 }; /* up to here every unit lowers its own limit as it goes */

struct worker {
    struct visitor visitor; /* first: the callback gets back to the worker */
    struct scratch *scratch;
    struct topk local;
    struct topk *shared; /* under the lock "reckon_topk" */
    bool own_limit;
    struct rk_search_counts counts; /* of the round */
    struct rk_search_explain explain;
};

static void worker_flush(struct worker *w)
{
#pragma omp critical(reckon_topk)
    for (uint64_t i = 0; i < w->local.count; i++)
        topk_offer(w->shared, w->local.heap[i]);
    topk_clear(&w->local);
}

static void worker_batch(struct visitor *visitor, const struct batch *batch, int hits)
{
    struct worker *w = (struct worker *)visitor;
    for (int i = 0; i < batch->lanes && hits > 0; i++) {
        if (!(batch->step_s[i] <= visitor->limit)) continue;
        hits--;
        if (!w->own_limit && w->local.count == w->local.room) worker_flush(w);
        topk_offer(&w->local, (struct rk_candidate){batch->step_s[i], batch_index(batch, i)});
    }
    if (w->own_limit && topk_limit(&w->local) < visitor->limit)
        visitor->limit = topk_limit(&w->local);
}

static bool worker_open(struct worker *w, const struct rk_space *space,
                        const struct rk_search_options *options, uint64_t top)
{
    w->visitor = (struct visitor){.prune = options->mode == RK_SEARCH_PRUNED,
                                  .batch = worker_batch,
                                  .counts = &w->counts,
                                  .explain = &w->explain};
    w->own_limit = top <= LOCAL_TOP;
    w->scratch = scratch_open(space);
    return topk_init(&w->local, w->own_limit ? top : LOCAL_TOP) && w->scratch;
}

static void worker_close(struct worker *w)
{
    topk_release(&w->local);
    scratch_close(w->scratch);
}

/* ---- sums ---- */

static void counts_add(struct rk_search_counts *to, const struct rk_search_counts *from)
{
    to->fits += from->fits;
    to->too_few_blocks += from->too_few_blocks;
    for (int i = 0; i < RK_MAX_TIERS; i++) {
        to->network_too_small[i] += from->network_too_small[i];
        to->network_not_filled[i] += from->network_not_filled[i];
        to->memory_exceeded[i] += from->memory_exceeded[i];
    }
}

static void explain_add(struct rk_search_explain *to, const struct rk_search_explain *from)
{
    to->refused_by_group += from->refused_by_group;
    to->refused_by_memory += from->refused_by_memory;
    to->bounded += from->bounded;
    to->timed += from->timed;
}

static uint64_t explain_sum(const struct rk_search_explain *e)
{
    return e->refused_by_group + e->refused_by_memory + e->bounded + e->timed;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a session: one search from plan to result ---- */

struct session {
    const struct rk_space *space;
    const struct rk_search_options *options;
    const struct search_team *team; /* or NULL */
    struct plan plan;
    int threads;
    struct worker *worker; /* (threads) */
    struct search_state state;
    struct topk best;  /* of all rounds, of all processes */
    struct topk fresh; /* of this round in this process; only in a team */
    uint64_t fingerprint;
    double saved_s; /* when the state was last written */
    bool stopped;
    uint64_t next; /* unit of the round, without a team */
};

static bool show_progress(struct session *s)
{
    if (!s->options->progress || (s->team && s->team->rank > 0)) return true;
    uint64_t decided = explain_sum(&s->state.explain);
    for (int i = 0; i < s->threads; i++)
        decided += explain_sum(&s->worker[i].explain);
    double best_s = INFINITY;
#pragma omp critical(reckon_topk)
    if (s->best.count > 0 && s->best.count <= LOCAL_TOP)
        for (uint64_t i = 0; i < s->best.count; i++)
            best_s = fmin(best_s, s->best.heap[i].step_s);
    return s->options->progress(s->options->context, decided, s->space->count, best_s);
}

/* The next unit of a round of `units`, or `units`. */
static int claim(struct session *s, int units)
{
    int unit;
#pragma omp critical(reckon_claim)
    {
        if (s->stopped) unit = units;
        else if (s->team) unit = s->team->claim(s->team->context);
        else unit = s->next < (uint64_t)units ? (int)s->next++ : units;
    }
    return unit;
}

/* Units [first, first + units) in any order, all with the limit the round began with: so what is
 * timed and what is bounded does not depend on threads or processes. */
static void run_units(struct session *s, int first, int units)
{
    const double limit = topk_limit(&s->best);
#pragma omp parallel num_threads(s->threads)
    {
        const int me = omp_get_thread_num();
        struct worker *w = &s->worker[me];
        for (int i = claim(s, units); i < units; i = claim(s, units)) {
            w->visitor.limit = limit;
            unit_run(s->space, &s->plan.unit[first + i], w->scratch, &w->visitor);
            worker_flush(w);
            if (me != 0 || show_progress(s)) continue;
#pragma omp critical(reckon_claim)
            s->stopped = true;
        }
    }
}

/* Sums of the round into the state, of all processes. */
static void end_round(struct session *s)
{
    struct rk_search_counts counts = {0};
    struct rk_search_explain explain = {0};
    for (int i = 0; i < s->threads; i++) {
        counts_add(&counts, &s->worker[i].counts);
        explain_add(&explain, &s->worker[i].explain);
        memset(&s->worker[i].counts, 0, sizeof s->worker[i].counts);
        memset(&s->worker[i].explain, 0, sizeof s->worker[i].explain);
    }
    if (s->team) {
        s->stopped =
            s->team->merge(s->team->context, &counts, &explain, &s->fresh, s->stopped);
        for (uint64_t i = 0; i < s->fresh.count; i++)
            topk_offer(&s->best, s->fresh.heap[i]);
        topk_clear(&s->fresh);
    }
    counts_add(&s->state.counts, &counts);
    explain_add(&s->state.explain, &explain);
}

enum { SAVE_EVERY_S = 1, LARGEST_ROUND = 256 };

static enum rk_status save(struct session *s, struct rk_error *error)
{
    if (!s->options->state || (s->team && s->team->rank > 0)) return RK_OK;
    if (now_s() - s->saved_s < SAVE_EVERY_S) return RK_OK;
    s->saved_s = now_s();
    return state_save(s->options->state, s->fingerprint, &s->state, &s->best, error);
}

/* Small rounds first, so that a good limit is known when the many units come. */
static enum rk_status run_part(struct session *s, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    while (status == RK_OK && s->state.first < s->plan.units && !s->stopped) {
        const int left = s->plan.units - s->state.first;
        const int units = left < s->state.size ? left : s->state.size;
        s->next = 0;
        if (s->team) s->team->begin(s->team->context, units);
        run_units(s, s->state.first, units);
        end_round(s);
        if (s->stopped) break; /* the state on disk stays at the end of the last whole round */
        s->state.first += units;
        s->state.size = s->state.size < LARGEST_ROUND ? 2 * s->state.size : LARGEST_ROUND;
        status = save(s, error);
    }
    return status;
}

static enum rk_status no_memory(struct rk_error *error)
{
    return rk_fail(error, RK_IO, NULL, 0, 0, "not enough memory for the search");
}

static enum rk_status run_parts(struct session *s, struct rk_error *error)
{
    for (; s->state.part < s->plan.parts && !s->stopped; s->state.part++) {
        if (!plan_open_part(&s->plan, s->state.part, s->threads)) return no_memory(error);
        const enum rk_status status = run_part(s, error);
        if (status != RK_OK || s->stopped) return status;
        s->state.first = 0;
    }
    return RK_OK;
}

enum { FIRST_ROUND = 2 };

static enum rk_status session_open(struct session *s, struct rk_error *error)
{
    const uint64_t top = s->options->top < s->space->count ? s->options->top : s->space->count;
    const uint64_t room = top ? top : 1;
    s->threads = s->options->threads > 0 ? s->options->threads : omp_get_max_threads();
    s->state.size = FIRST_ROUND;
    s->saved_s = now_s();
    s->worker = calloc((size_t)s->threads, sizeof *s->worker);
    bool ok = plan_open(&s->plan, s->space) && s->worker && topk_init(&s->best, room);
    if (ok && s->team) ok = topk_init(&s->fresh, room);
    for (int i = 0; ok && i < s->threads; i++) {
        ok = worker_open(&s->worker[i], s->space, s->options, room);
        s->worker[i].shared = s->team ? &s->fresh : &s->best;
    }
    if (!ok) return no_memory(error);
    bool found;
    if (!s->options->state) return RK_OK;
    s->fingerprint = state_fingerprint(&s->space->problem, s->options);
    return state_load(s->options->state, s->fingerprint, &s->state, &s->best, &found, error);
}

static void session_close(struct session *s)
{
    for (int i = 0; s->worker && i < s->threads; i++)
        worker_close(&s->worker[i]);
    free(s->worker);
    plan_close(&s->plan);
    topk_release(&s->best);
    topk_release(&s->fresh);
}

static void session_finish(struct session *s, struct rk_search_result *result)
{
    result->counts = s->state.counts;
    result->explain = s->state.explain;
    result->counts.total = s->space->count;
    for (int g = 0; g < s->space->groups; g++)
        group_count_networks(s->space, &s->space->group[g], &result->counts, &result->explain);
    topk_sort(&s->best);
    result->found = s->best.count;
    result->best = s->best.heap;
    result->complete = !s->stopped;
    s->best.heap = NULL;
}

enum rk_status search_with(const struct rk_space *space, const struct rk_search_options *options,
                           const struct search_team *team, struct rk_search_result *result,
                           struct rk_error *error)
{
    const double start_s = now_s();
    memset(result, 0, sizeof *result);
    struct session session = {.space = space, .options = options, .team = team};
    enum rk_status status;
    if (options->mode == RK_SEARCH_TWIN) {
        status = search_twin(space, options, result);
        if (status != RK_OK) no_memory(error);
    } else {
        status = session_open(&session, error);
        if (status == RK_OK) status = run_parts(&session, error);
        if (status == RK_OK) session_finish(&session, result);
        session_close(&session);
    }
    result->seconds = now_s() - start_s;
    return status;
}

enum rk_status rk_search(const struct rk_space *space, const struct rk_search_options *options,
                         struct rk_search_result *result, struct rk_error *error)
{
    return search_with(space, options, NULL, result, error);
}

void rk_search_result_release(struct rk_search_result *result)
{
    free(result->best);
    *result = (struct rk_search_result){0};
}
