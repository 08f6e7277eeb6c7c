#include "search/engine.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/threads.h"
#include "search/fingerprint.h"
#include "search/meeting.h"
#include "search/question.h"
#include "search/state.h"
#include "search/twin.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ---- workers: what one thread keeps ---- */

enum { LOCAL_TOP = 1024 }; /* up to here every unit raises its own limit as it goes */

/* What threads write all the time stands on cache lines of their own. */
enum { CACHE_LINES = 128 };

struct worker {
    _Alignas(CACHE_LINES) struct visitor visitor; /* first: the callback gets back to the worker */
    void *scratch;
    struct finds finds;
    struct topk *shared; /* under the lock "reckon_topk" */
    bool keeps_all;      /* of the best that are wanted; else finds are flushed on the way */
    bool raises;         /* what is slower than the best found is not looked at */
    struct rk_search_counts counts; /* of the round */
    struct rk_search_explain explain;
    uint64_t decided; /* of finished units of the round; others read it for the progress */
};

static void worker_flush(struct worker *w)
{
#pragma omp critical(reckon_topk)
    topk_move(w->shared, &w->finds.best);
}

/* By samples per second alone. */
static void worker_batch(struct visitor *visitor, const struct batch *batch, int hits)
{
    (void)hits;
    struct worker *w = (struct worker *)visitor;
    struct topk *best = &w->finds.best;
    for (int i = 0; i < batch->lanes; i++) {
        const double samples_per_s = batch->samples / batch->step_s[i];
        if (!(samples_per_s >= visitor->least) || isinf(batch->step_s[i])) continue;
        if (!w->keeps_all && best->count == best->room) worker_flush(w);
        topk_offer(best, (struct rk_candidate){samples_per_s, samples_per_s, batch->step_s[i],
                                               batch->index(batch, i)});
    }
    if (w->keeps_all && topk_least(best) > visitor->least) visitor->least = topk_least(best);
}

static void worker_look(struct visitor *visitor, const struct batch *batch, int hits)
{
    struct worker *w = (struct worker *)visitor;
    const struct topk *best = &w->finds.best;
    for (int lane = 0; lane < batch->lanes && hits > 0; lane++) {
        const double samples_per_s = batch->samples / batch->step_s[lane];
        if (isinf(batch->step_s[lane]) || samples_per_s < visitor->least) continue;
        hits--;
        if (finds_look(&w->finds, batch, lane) && !w->keeps_all) worker_flush(w);
        if (w->raises && w->keeps_all) visitor->least = fmax(visitor->least, topk_least(best));
    }
}

/* Are there plans that need not be looked at? */
static bool prunes(const struct question *question)
{
    const struct limits *limits = &question->limits;
    return question->plain || question->best_only || question->least > 0 || limits->least_mfu > 0 ||
           isfinite(limits->longest_s) || isfinite(limits->most_bytes);
}

static bool worker_open(struct worker *w, const struct question *question,
                        const struct rk_query *query, uint64_t top)
{
    const struct predictor *predictor = question->space->predictor;
    w->visitor = (struct visitor){.needs = !question->plain,
                                  .works = question->reads & READS_WORK,
                                  .limits = question->limits,
                                  .prune = prunes(question) && query->mode == RK_SEARCH_PRUNED,
                                  .batch = question->plain ? worker_batch : worker_look,
                                  .counts = &w->counts,
                                  .explain = &w->explain};
    w->keeps_all = top <= LOCAL_TOP;
    w->raises = question->best_only && query->mode == RK_SEARCH_PRUNED;
    w->scratch = predictor->scratch_open(question->space);
    return finds_open(&w->finds, question, w->keeps_all ? top : LOCAL_TOP) && w->scratch;
}

static void worker_close(struct worker *w, const struct predictor *predictor)
{
    finds_close(&w->finds);
    if (w->scratch) predictor->scratch_close(w->scratch);
}

/* ---- sums ---- */

/* Both structs are lists of numbers. */
enum {
    COUNTS = sizeof(struct rk_search_counts) / sizeof(uint64_t),
    EXPLAINS = sizeof(struct rk_search_explain) / sizeof(uint64_t)
};

uint64_t rk_search_count(const struct rk_search_counts *counts, enum rk_verdict verdict)
{
    uint64_t sum = 0;
    for (int tier = 0; tier < RK_MAX_TIERS; tier++)
        sum += counts->verdict[verdict][tier];
    return sum;
}

static void add_numbers(void *to, const void *from, int count)
{
    uint64_t *sum = to;
    const uint64_t *more = from;
    for (int i = 0; i < count; i++)
        sum[i] += more[i];
}

static uint64_t explain_sum(const struct rk_search_explain *e)
{
    return e->refused + e->refused_by_memory + e->bounded + e->timed;
}

/* ---- a session: one question from its units to the answer ---- */

struct session {
    const struct rk_space *space;
    const struct predictor *predictor;
    const struct question *question;
    const struct rk_query *query;
    const struct search_team *team; /* or NULL */
    struct units *units;
    int threads;
    struct worker *worker; /* (threads) */
    struct search_state state;
    struct finds all;  /* of all rounds, of all processes */
    struct topk fresh; /* of this round in this process; only in a team */
    uint64_t fingerprint;
    double kept_s; /* when the state was last given away */
    bool stopped;
    bool more;    /* rounds of this part; changes only while all threads meet */
    int next;     /* job or unit of this process that nobody has */
    int in_round; /* units */
    double least; /* samples per second, of the last of the best, as the round began */
    struct meeting meeting;
    enum rk_status status;
    struct rk_error *error;
};

static void lack_memory(struct session *s)
{
    s->status = no_memory(s->error);
}

static bool show_progress(struct session *s)
{
    if (!s->query->progress || (s->team && s->team->rank > 0)) return true;
    uint64_t decided = explain_sum(&s->state.explain);
    for (int i = 0; i < s->threads; i++) {
        uint64_t more;
#pragma omp atomic read
        more = s->worker[i].decided;
        decided += more;
    }
    struct rk_candidate best = {.step_s = INFINITY};
    const struct topk *all = &s->all.best;
#pragma omp critical(reckon_topk)
    if (s->question->plain && all->count <= LOCAL_TOP)
        for (uint64_t i = 0; i < all->count; i++)
            if (candidate_before(&all->heap[i], &best)) best = all->heap[i];
    return s->query->progress(s->query->context, decided, s->space->count, best.step_s);
}

/* The next job of `jobs` that no thread has, or at least `jobs`. */
static int claim_job(struct session *s)
{
    int job;
#pragma omp atomic capture
    job = s->next++;
    return job;
}

/* The next unit of the round that no thread of the team has, or at least s->in_round. */
static int claim_unit(struct session *s)
{
    bool stopped;
    int unit;
#pragma omp atomic read
    stopped = s->stopped;
    if (stopped) return s->in_round;
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
    for (int i = claim_unit(s); i < s->in_round; i = claim_unit(s)) {
        w->visitor.least = s->least;
        s->predictor->unit_run(s->units, s->state.first + i, w->scratch, &w->visitor);
        worker_flush(w);
#pragma omp atomic write
        w->decided = explain_sum(&w->explain);
        if (me != 0 || show_progress(s)) continue;
#pragma omp atomic write
        s->stopped = true;
    }
}

/* ---- the end of a round ---- */

static void take_candidate(void *receiver, const void *item)
{
    struct rk_candidate candidate;
    memcpy(&candidate, item, sizeof candidate);
    topk_offer(receiver, candidate);
}

static void take_point(void *receiver, const void *item)
{
    struct point point;
    memcpy(&point, item, sizeof point);
    frontier_offer(receiver, &point);
}

/* The frontiers of all threads and processes into that of the session. */
static void gather_frontiers(struct session *s)
{
    struct frontier fresh = {.count = 0};
    for (int i = 0; i < s->threads; i++)
        frontier_move(&fresh, &s->worker[i].finds.frontier);
    if (s->team)
        s->team->share(s->team->context, fresh.point, fresh.count, sizeof *fresh.point, take_point,
                       &s->all.frontier);
    frontier_move(&s->all.frontier, &fresh);
    frontier_release(&fresh);
}

/* Everybody's sums and best ones to everybody; whether anybody was stopped. */
static void share_round(struct session *s, struct search_state *round)
{
    const struct search_team *team = s->team;
    uint64_t stopped = s->stopped;
    team->end(team->context, explain_sum(&round->explain));
    team->sum(team->context, (uint64_t *)&round->counts, COUNTS);
    team->sum(team->context, (uint64_t *)&round->explain, EXPLAINS);
    team->sum(team->context, &round->matches, 1);
    team->sum(team->context, &stopped, 1);
    s->stopped = stopped > 0;
    team->share(team->context, s->fresh.heap, s->fresh.count, sizeof *s->fresh.heap, take_candidate,
                &s->all.best);
    topk_move(&s->all.best, &s->fresh);
}

/* Sums of the round into the state, of all processes. */
static void sum_round(struct session *s)
{
    struct search_state round = {.part = 0};
    for (int i = 0; i < s->threads; i++) {
        struct worker *w = &s->worker[i];
        add_numbers(&round.counts, &w->counts, COUNTS);
        add_numbers(&round.explain, &w->explain, EXPLAINS);
        round.matches += w->finds.matches;
        memset(&w->counts, 0, sizeof w->counts);
        memset(&w->explain, 0, sizeof w->explain);
        w->finds.matches = w->decided = 0;
    }
    if (s->team) share_round(s, &round);
    add_numbers(&s->state.counts, &round.counts, COUNTS);
    add_numbers(&s->state.explain, &round.explain, EXPLAINS);
    s->state.matches += round.matches;
    if (s->query->keep) gather_frontiers(s);
}

static void keep(struct session *s)
{
    if (!s->query->keep || (s->team && s->team->rank > 0)) return;
    if (now_s() - s->kept_s < s->query->keep_every_s) return;
    const size_t size = state_size(&s->all);
    void *bytes = malloc(size);
    if (!bytes) {
        lack_memory(s);
        return;
    }
    state_write(bytes, s->fingerprint, &s->state, &s->all);
    if (!s->query->keep(s->query->context, bytes, size)) s->stopped = true;
    free(bytes);
    s->kept_s = now_s();
}

/* ---- rounds ---- */

/* Small rounds first, so that a good limit is known when the many units come. */
enum { FIRST_ROUND = 2, LARGEST_ROUND = 512 };

static void begin_round(struct session *s)
{
    const int left = s->units->count - s->state.first;
    s->in_round = left < s->state.size ? left : s->state.size;
    s->predictor->units_sort_round(s->units, s->state.first, s->in_round);
    const bool raises = s->question->plain || s->question->best_only;
    s->least = fmax(s->question->least, raises ? topk_least(&s->all.best) : 0);
    s->next = 0;
    if (s->team) s->team->begin(s->team->context, s->in_round);
}

/* When the search is stopped, the kept state stays at the end of the last whole round. */
static void end_round(struct session *s)
{
    sum_round(s);
    if (s->stopped) return;
    s->state.first += s->in_round;
    s->state.size = s->state.size < LARGEST_ROUND / 2 ? 2 * s->state.size : LARGEST_ROUND;
    keep(s);
}

struct joint {
    struct session *session;
    void (*step)(struct session *);
};

static void joint_step(void *context)
{
    const struct joint *joint = context;
    joint->step(joint->session);
}

/* All threads wait for each other; then one of them does `step`, while the others wait: whoever
 * comes last, but for what calls others, which is left to the thread that asked. */
static void together(struct session *s, int me, void (*step)(struct session *))
{
    struct joint joint = {s, step};
    if (!s->team && !s->query->keep) {
        meeting_step(&s->meeting, joint_step, &joint);
        return;
    }
    meeting_wait(&s->meeting);
    if (me == 0) step(s);
    meeting_wait(&s->meeting);
}

static void begin_part(struct session *s)
{
    s->next = 0;
    if (!s->predictor->units_begin(s->units, s->state.part)) lack_memory(s);
}

static void begin_bounds(struct session *s)
{
    s->next = 0;
    if (!s->predictor->units_list(s->units)) lack_memory(s);
}

/* One thread decides whether there is another round: `stopped` may change while others still look.
 */
static void next_round(struct session *s)
{
    s->more = s->status == RK_OK && s->state.first < s->units->count && !s->stopped;
    if (s->more) begin_round(s);
}

static void begin_units(struct session *s)
{
    s->predictor->units_sort(s->units);
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
    for (int job = claim_job(s); job < s->units->jobs; job = claim_job(s))
        s->predictor->units_prepare(s->units, job);
    together(s, me, begin_bounds);
    if (s->status != RK_OK) return;
    for (int unit = claim_job(s); unit < s->units->count; unit = claim_job(s))
        s->predictor->unit_bound(s->units, unit);
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
    const bool ok = worker_open(w, s->question, s->query, s->all.best.room);
    w->shared = s->team ? &s->fresh : &s->all.best;
    if (!ok) {
#pragma omp critical(reckon_claim)
        lack_memory(s);
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
        while (s->status == RK_OK && s->state.part < s->units->parts && !s->stopped)
            run_part(s, omp_get_thread_num());
    }
    meeting_release(&s->meeting);
}

/* ---- from a query to its answer ---- */

/* What is predicted of some plans of the space: a model of which another figure comes out has other
 * states, whether or not somebody thought of RK_MODEL_VERSION. */
static void mix_figures(uint64_t *hash, const struct rk_space *space)
{
    const uint64_t count = space->count;
    const uint64_t probes[] = {0, count / 3, count / 2, count - 1};
    struct outcome outcome;
    struct rk_plan plan;
    mix_number(hash, count);
    for (size_t i = 0; count && i < sizeof probes / sizeof *probes; i++) {
        if (!space->predictor->plan_at(space, probes[i], &plan)) continue;
        memset(&outcome, 0, sizeof outcome);
        space->predictor->predict(space, &plan, &outcome);
        mix_number(hash, outcome.verdict);
        for (int k = 0; k < MAX_FIGURES; k++)
            mix_real(hash, outcome.figure[k]);
    }
}

uint64_t state_fingerprint(const struct rk_space *space, const struct rk_query *query)
{
    uint64_t hash = HASH_START;
    mix_number(&hash, RK_MODEL_VERSION);
    mix_text(&hash, space->predictor->name);
    fingerprint_model(&hash, space->model);
    fingerprint_system(&hash, space->system);
    space->predictor->fingerprint(space, &hash);
    mix_number(&hash, query->mode);
    mix_number(&hash, query->top);
    mix_real(&hash, query->least_samples_per_s);
    mix_number(&hash, query->best_only);
    mix_text(&hash, query->where);
    mix_text(&hash, query->sort);
    mix_text(&hash, query->pareto);
    mix_figures(&hash, space);
    return hash;
}

static void session_open(struct session *s)
{
    const struct rk_query *query = s->query;
    const uint64_t top = query->top < s->space->count ? query->top : s->space->count;
    const uint64_t room = top ? top : 1;
    s->threads = query->threads > 0 ? query->threads : usual_threads();
    s->state.size = FIRST_ROUND;
    s->kept_s = now_s();
    s->worker = aligned_alloc(CACHE_LINES, (size_t)s->threads * sizeof *s->worker);
    if (s->worker) memset(s->worker, 0, (size_t)s->threads * sizeof *s->worker);
    s->units = s->predictor->units_open(s->space);
    bool ok = s->units && s->worker && finds_open(&s->all, s->question, room);
    if (ok && s->team) ok = topk_init(&s->fresh, room);
    if (!ok) {
        lack_memory(s);
        return;
    }
    if (!query->keep && !query->resume) return;
    s->fingerprint = state_fingerprint(s->space, query);
    if (query->resume)
        s->status = state_read(query->resume, query->resume_bytes, s->fingerprint, s->space->count,
                               &s->state, &s->all, s->error);
}

static void session_close(struct session *s)
{
    for (int i = 0; s->worker && i < s->threads; i++)
        worker_close(&s->worker[i], s->predictor);
    free(s->worker);
    if (s->units) s->predictor->units_close(s->units);
    finds_close(&s->all);
    topk_release(&s->fresh);
}

static void session_finish(struct session *s, struct rk_answer *answer)
{
    answer->counts = s->state.counts;
    answer->explain = s->state.explain;
    answer->counts.total = s->space->count;
    s->predictor->count_rest(s->space, &answer->counts, &answer->explain);
    gather_frontiers(s);
    s->all.matches = s->state.matches;
    if (!finds_finish(&s->all, answer)) lack_memory(s);
    answer->complete = !s->stopped;
}

static void search(struct session *s, struct rk_answer *answer)
{
    session_open(s);
    if (s->status == RK_OK) run_parts(s);
    if (s->status == RK_OK) session_finish(s, answer);
    session_close(s);
}

enum rk_status ask_with(const struct rk_space *space, const struct rk_query *query,
                        const struct search_team *team, struct rk_answer *answer,
                        struct rk_error *error)
{
    const double start_s = now_s();
    struct question question;
    memset(answer, 0, sizeof *answer);
    if (space->predictor->ask) {
        const enum rk_status asked = space->predictor->ask(space, query, answer, error);
        answer->seconds = now_s() - start_s;
        return asked;
    }
    enum rk_status status = question_open(&question, space, query, error);
    if (status != RK_OK) {
        question_close(&question);
        return status;
    }
    struct session session = {.space = space,
                              .predictor = space->predictor,
                              .question = &question,
                              .query = query,
                              .team = team,
                              .error = error};
    if (query->mode == RK_SEARCH_TWIN)
        status = ask_twin(&question, query, answer, error);
    else {
        search(&session, answer);
        status = session.status;
    }
    question_close(&question);
    if (status != RK_OK) rk_answer_release(answer);
    answer->seconds = now_s() - start_s;
    return status;
}

enum rk_status rk_ask(const struct rk_space *space, const struct rk_query *query,
                      struct rk_answer *answer, struct rk_error *error)
{
    return ask_with(space, query, NULL, answer, error);
}

void rk_answer_release(struct rk_answer *answer)
{
    free(answer->best);
    *answer = (struct rk_answer){0};
}

/* ---- spaces ---- */

void rk_space_close(struct rk_space *space)
{
    if (space) space->predictor->close(space);
}

uint64_t rk_space_count(const struct rk_space *space)
{
    return space->count;
}
