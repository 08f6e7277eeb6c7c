#include "search/search.h"

#include "search/meeting.h"
#include "search/networks.h"
#include "search/plan.h"
#include "search/state.h"
#include "search/twin.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- workers: what one thread keeps ---- */

enum { LOCAL_TOP = 1024 }; /* up to here every unit raises its own limit as it goes */

/* What threads write all the time stands on cache lines of their own. */
enum { CACHE_LINES = 128 };

struct worker {
    _Alignas(CACHE_LINES) struct visitor visitor; /* first: the callback gets back to the worker */
    struct scratch *scratch;
    struct topk local;
    struct topk *shared; /* under the lock "reckon_topk" */
    bool own_limit;
    struct rk_search_counts counts; /* of the round */
    struct rk_search_explain explain;
    uint64_t decided; /* of finished units of the round; others read it for the progress */
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
    (void)hits;
    struct worker *w = (struct worker *)visitor;
    for (int i = 0; i < batch->lanes; i++) {
        const double samples_per_s = batch->samples / batch->step_s[i];
        if (!(samples_per_s >= visitor->least) || isinf(batch->step_s[i])) continue;
        if (!w->own_limit && w->local.count == w->local.room) worker_flush(w);
        topk_offer(&w->local,
                   (struct rk_candidate){samples_per_s, batch->step_s[i], batch->index(batch, i)});
    }
    if (w->own_limit && topk_least(&w->local) > visitor->least)
        visitor->least = topk_least(&w->local);
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

uint64_t rk_search_count(const struct rk_search_counts *counts, enum rk_verdict verdict)
{
    uint64_t sum = 0;
    for (int tier = 0; tier < RK_MAX_TIERS; tier++)
        sum += counts->verdict[verdict][tier];
    return sum;
}

static void counts_add(struct rk_search_counts *to, const struct rk_search_counts *from)
{
    for (int verdict = 0; verdict < RK_VERDICTS; verdict++)
        for (int tier = 0; tier < RK_MAX_TIERS; tier++)
            to->verdict[verdict][tier] += from->verdict[verdict][tier];
    to->repeated += from->repeated;
}

static void explain_add(struct rk_search_explain *to, const struct rk_search_explain *from)
{
    to->refused += from->refused;
    to->refused_by_memory += from->refused_by_memory;
    to->bounded += from->bounded;
    to->timed += from->timed;
    to->folds += from->folds;
}

static uint64_t explain_sum(const struct rk_search_explain *e)
{
    return e->refused + e->refused_by_memory + e->bounded + e->timed;
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
    double kept_s; /* when the state was last given away */
    bool stopped;
    bool more;    /* rounds of this part; changes only while all threads meet */
    int next;     /* job or unit of this process that nobody has */
    int units;    /* of the round */
    double least; /* samples per second, of the last of the best, as the round began */
    struct meeting meeting;
    enum rk_status status;
    struct rk_error *error;
};

static void no_memory(struct session *s)
{
    s->status = rk_fail(s->error, RK_IO, NULL, 0, 0, "not enough memory for the search");
}

static bool show_progress(struct session *s)
{
    if (!s->options->progress || (s->team && s->team->rank > 0)) return true;
    uint64_t decided = explain_sum(&s->state.explain);
    for (int i = 0; i < s->threads; i++) {
        uint64_t more;
#pragma omp atomic read
        more = s->worker[i].decided;
        decided += more;
    }
    struct rk_candidate best = {.step_s = INFINITY};
#pragma omp critical(reckon_topk)
    if (s->best.count <= LOCAL_TOP)
        for (uint64_t i = 0; i < s->best.count; i++)
            if (candidate_before(&s->best.heap[i], &best)) best = s->best.heap[i];
    return s->options->progress(s->options->context, decided, s->space->count, best.step_s);
}

/* The next job of `jobs` that no thread has, or at least `jobs`. */
static int claim_job(struct session *s)
{
    int job;
#pragma omp atomic capture
    job = s->next++;
    return job;
}

/* The next unit of the round that no thread of the team has, or at least s->units. */
static int claim_unit(struct session *s)
{
    bool stopped;
    int unit;
#pragma omp atomic read
    stopped = s->stopped;
    if (stopped) return s->units;
    if (!s->team) return claim_job(s);
#pragma omp critical(reckon_claim)
    unit = s->team->claim(s->team->context);
    return unit;
}

/* Units in any order, all with the limit the round began with: so what is timed and what is
 * bounded does not depend on threads or processes. */
static void run_units(struct session *s, int me)
{
    struct worker *w = &s->worker[me];
    for (int i = claim_unit(s); i < s->units; i = claim_unit(s)) {
        w->visitor.least = s->least;
        unit_run(s->space, &s->plan.unit[s->state.first + i], w->scratch, &w->visitor);
        worker_flush(w);
#pragma omp atomic write
        w->decided = explain_sum(&w->explain);
        if (me != 0 || show_progress(s)) continue;
#pragma omp atomic write
        s->stopped = true;
    }
}

/* Sums of the round into the state, of all processes. */
static void sum_round(struct session *s)
{
    struct rk_search_counts counts = {0};
    struct rk_search_explain explain = {0};
    for (int i = 0; i < s->threads; i++) {
        counts_add(&counts, &s->worker[i].counts);
        explain_add(&explain, &s->worker[i].explain);
        memset(&s->worker[i].counts, 0, sizeof s->worker[i].counts);
        memset(&s->worker[i].explain, 0, sizeof s->worker[i].explain);
        s->worker[i].decided = 0;
    }
    if (s->team) {
        s->stopped = s->team->merge(s->team->context, &counts, &explain, &s->fresh, s->stopped);
        for (uint64_t i = 0; i < s->fresh.count; i++)
            topk_offer(&s->best, s->fresh.heap[i]);
        topk_clear(&s->fresh);
    }
    counts_add(&s->state.counts, &counts);
    explain_add(&s->state.explain, &explain);
}

enum { LARGEST_ROUND = 512 };

static void keep(struct session *s)
{
    if (!s->options->keep || (s->team && s->team->rank > 0)) return;
    if (now_s() - s->kept_s < s->options->keep_every_s) return;
    const size_t size = state_size(&s->best);
    void *bytes = malloc(size);
    if (!bytes) {
        no_memory(s);
        return;
    }
    state_write(bytes, s->fingerprint, &s->state, &s->best);
    if (!s->options->keep(s->options->context, bytes, size)) s->stopped = true;
    free(bytes);
    s->kept_s = now_s();
}

static void begin_round(struct session *s)
{
    const int left = s->plan.units - s->state.first;
    s->units = left < s->state.size ? left : s->state.size;
    plan_sort_round(&s->plan, s->state.first, s->units);
    s->least = topk_least(&s->best);
    s->next = 0;
    if (s->team) s->team->begin(s->team->context, s->units);
}

/* Small rounds first, so that a good limit is known when the many units come. When the search is
 * stopped, the kept state stays at the end of the last whole round. */
static void end_round(struct session *s)
{
    sum_round(s);
    if (s->stopped) return;
    s->state.first += s->units;
    s->state.size = s->state.size < LARGEST_ROUND ? 4 * s->state.size : LARGEST_ROUND;
    keep(s);
}

/* All threads wait for each other; then one of them does `step`, while the others wait. */
static void together(struct session *s, int me, void (*step)(struct session *))
{
    meeting_wait(&s->meeting);
    if (me == 0) step(s);
    meeting_wait(&s->meeting);
}

static void begin_part(struct session *s)
{
    s->next = 0;
    if (!plan_begin_part(&s->plan, s->state.part)) no_memory(s);
}

static void begin_bounds(struct session *s)
{
    s->next = 0;
    if (!plan_list_units(&s->plan)) no_memory(s);
}

/* One thread decides whether there is another round: `stopped` may change while others still look.
 */
static void next_round(struct session *s)
{
    s->more = s->status == RK_OK && s->state.first < s->plan.units && !s->stopped;
    if (s->more) begin_round(s);
}

static void begin_units(struct session *s)
{
    plan_sort(&s->plan);
    next_round(s);
}

static void turn_round(struct session *s)
{
    end_round(s);
    next_round(s);
}

static void end_part(struct session *s)
{
    if (s->stopped) return;
    s->state.part++;
    s->state.first = 0;
}

static void run_part(struct session *s, int me)
{
    together(s, me, begin_part);
    if (s->status != RK_OK) return;
    const int jobs = plan_fold_jobs(&s->plan);
    for (int job = claim_job(s); job < jobs; job = claim_job(s))
        plan_fold(&s->plan, job);
    together(s, me, begin_bounds);
    if (s->status != RK_OK) return;
    for (int unit = claim_job(s); unit < s->plan.units; unit = claim_job(s))
        plan_bound(&s->plan, unit);
    together(s, me, begin_units);
    while (s->more) {
        run_units(s, me);
        together(s, me, turn_round);
    }
    together(s, me, end_part);
}

/* Each thread opens its own, so that the memory is near it. */
static void open_worker(struct session *s, int me)
{
    struct worker *w = &s->worker[me];
    const bool ok = worker_open(w, s->space, s->options, s->best.room);
    w->shared = s->team ? &s->fresh : &s->best;
    if (!ok) {
#pragma omp critical(reckon_claim)
        no_memory(s);
    }
    meeting_wait(&s->meeting);
}

static void run_parts(struct session *s)
{
#pragma omp parallel num_threads(s->threads)
    {
#pragma omp single
        {
            s->threads = omp_get_num_threads();
            meeting_init(&s->meeting, s->threads);
        }
        open_worker(s, omp_get_thread_num());
        while (s->status == RK_OK && s->state.part < s->plan.parts && !s->stopped)
            run_part(s, omp_get_thread_num());
    }
    meeting_release(&s->meeting);
}

enum { FIRST_ROUND = 2 };

static void session_open(struct session *s)
{
    const uint64_t top = s->options->top < s->space->count ? s->options->top : s->space->count;
    const uint64_t room = top ? top : 1;
    s->threads = s->options->threads > 0 ? s->options->threads : omp_get_max_threads();
    s->state.size = FIRST_ROUND;
    s->kept_s = now_s();
    s->worker = aligned_alloc(CACHE_LINES, (size_t)s->threads * sizeof *s->worker);
    if (s->worker) memset(s->worker, 0, (size_t)s->threads * sizeof *s->worker);
    bool ok = plan_open(&s->plan, s->space) && s->worker && topk_init(&s->best, room);
    if (ok && s->team) ok = topk_init(&s->fresh, room);
    if (!ok) {
        no_memory(s);
        return;
    }
    if (!s->options->keep && !s->options->resume) return;
    s->fingerprint = state_fingerprint(&s->space->problem, s->options);
    if (s->options->resume)
        s->status = state_read(s->options->resume, s->options->resume_bytes, s->fingerprint,
                               &s->state, &s->best, s->error);
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
    if (options->mode == RK_SEARCH_TWIN) return search_twin(space, options, result, error);
    struct session session = {.space = space, .options = options, .team = team, .error = error};
    session_open(&session);
    if (session.status == RK_OK) run_parts(&session);
    if (session.status == RK_OK) session_finish(&session, result);
    session_close(&session);
    result->seconds = now_s() - start_s;
    return session.status;
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
