/* run.c - the engine: each thread makes whole searches, the calling thread takes them away. */
#include "base/clock.h"
#include "base/memory.h"
#include "search/layerwise.h"
#include "study/axes.h"
#include "study/over_clusters.h"
#include "study/study.h"

#include <reckon/check.h>

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TICK_MS = 100, MAX_WAITING = 1024 };

struct job {
    size_t point;
    double work;
};

struct item { /* a finished search on its way to the sink */
    struct study_row row;
    double work;
};

struct engine {
    const struct study *study;
    const struct job *job; /* (jobs) most work first */
    size_t jobs;
    int threads; /* of one search */
    atomic_size_t next;
    atomic_bool stop;
    atomic_uint_least64_t decided; /* strategies of searches under way */
    pthread_mutex_t lock;
    pthread_cond_t some, room;
    /* under the lock */
    struct item *waiting; /* (MAX_WAITING) */
    size_t count;
    int running; /* threads */
    enum rk_status status;
    struct rk_error error;
};

/* ---- one search ---- */

struct watch { /* what a search under way has added to engine->decided */
    struct engine *engine;
    uint64_t counted;
};

static bool watch_progress(void *context, uint64_t decided, uint64_t total, double best_step_s)
{
    struct watch *watch = context;
    (void)total;
    (void)best_step_s;
    atomic_fetch_add(&watch->engine->decided, decided - watch->counted);
    watch->counted = decided;
    return !atomic_load(&watch->engine->stop);
}

static void study_row_release(struct study_row *row)
{
    free(row->best);
    free(row->over);
    row->best = NULL;
    row->over = NULL;
}

static enum rk_status keep_best(const struct rk_plans_problem *problem,
                                const struct rk_space *space, const struct rk_answer *result,
                                struct study_row *row, struct rk_error *error)
{
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    row->best = calloc(result->found ? result->found : 1, sizeof *row->best);
    if (!row->best || !prediction) {
        free(prediction);
        return no_memory(error);
    }
    for (row->found = 0; row->found < result->found; row->found++) {
        struct study_best *best = &row->best[row->found];
        best->position = result->best[row->found].index;
        rk_plans_plan(space, best->position, &best->plan);
        rk_predict(problem->model, problem->system, &best->plan, prediction);
        best->outcome = prediction->outcome;
    }
    free(prediction);
    return RK_OK;
}

static bool is_stopped(void *context)
{
    struct engine *engine = context;
    return atomic_load(&engine->stop);
}

/* The best plan in which each layer is run in its own way; none where nothing fits. */
static enum rk_status search_layers(struct engine *engine, const struct rk_plans_problem *problem,
                                    double usable_bytes, struct study_row *row,
                                    struct rk_error *error)
{
    struct layerwise_answer *answer = calloc(1, sizeof *answer);
    const struct layerwise_query query = {
        .problem = problem,
        .usable_bytes = usable_bytes,
        .launches = problem->unstartable ? NULL : rk_plan_launches,
        .threads = engine->threads,
        .stop = is_stopped,
        .context = engine,
    };
    row->best = calloc(1, sizeof *row->best);
    enum rk_status status =
        answer && row->best ? layerwise_search(&query, answer, error) : no_memory(error);
    if (status == RK_OK && !answer->complete) status = RK_INTERRUPTED;
    if (answer) row->counts.total = answer->counts.ways;
    if (status == RK_OK) {
        row->found = 1;
        row->counts.verdict[RK_FITS][0] = 1;
        row->best[0].plan = answer->plan;
        row->best[0].outcome = answer->prediction.outcome;
    }
    free(answer);
    return status == RK_NOTHING_FITS ? RK_OK : status;
}

static bool goes_on(void *context, uint64_t decided, uint64_t total, double best_step_s)
{
    (void)decided;
    (void)total;
    (void)best_step_s;
    return !is_stopped(context);
}

/* Does every plan of the row take no more than the point allows? */
static bool leaves_room(const struct study_point *point, const struct study_row *row)
{
    for (uint64_t i = 0; i < row->found; i++)
        if (row->best[i].outcome.hbm_bytes > point->usable_bytes) return false;
    return true;
}

/* The best that do, in the place of the best of all; these, if none does. */
static enum rk_status leave_room(struct engine *engine, const struct rk_plans_problem *problem,
                                 const struct rk_space *space, const struct rk_query *asked,
                                 const struct study_point *point, struct study_row *row,
                                 struct rk_error *error)
{
    char where[64];
    struct rk_query query = *asked;
    struct rk_answer roomy;
    query.where = where;
    query.best_only = true;
    query.progress = goes_on;
    query.context = engine;
    snprintf(where, sizeof where, "hbm_bytes <= %.17g", point->usable_bytes);
    enum rk_status status = rk_ask(space, &query, &roomy, error);
    if (status != RK_OK) return status;
    if (!roomy.complete) {
        status = RK_INTERRUPTED;
    } else if (roomy.found > 0) {
        free(row->best);
        row->found = 0;
        status = keep_best(problem, space, &roomy, row, error);
    }
    rk_answer_release(&roomy);
    return status;
}

static enum rk_status ask_clusters(const struct rk_plans_problem *problem,
                                   const struct rk_query *query, struct study_row *row,
                                   struct rk_error *error)
{
    struct rk_answer answer;
    struct rk_space *space = rk_plans_open(problem, error);
    if (!space) return error->status;
    enum rk_status status = rk_ask(space, query, &answer, error);
    if (status == RK_OK) {
        row->counts = answer.counts;
        row->explain = answer.explain;
        free(row->best);
        status = answer.complete ? keep_best(problem, space, &answer, row, error) : RK_INTERRUPTED;
        rk_answer_release(&answer);
    }
    rk_space_close(space);
    return status;
}

/* The best that leave what the point asks for; where none does, the best that fit. */
static enum rk_status search_clusters(struct engine *engine, const struct study_point *point,
                                      struct rk_plans_problem *problem,
                                      const struct rk_query *options, struct study_row *row,
                                      struct rk_error *error)
{
    struct rk_query query = *options;
    query.progress = goes_on;
    query.context = engine;
    enum rk_status status = over_clusters_leave(point, problem, error);
    if (status == RK_OK) status = ask_clusters(problem, &query, row, error);
    if (status == RK_OK && !row->found) {
        memset(problem->usable_bytes, 0, sizeof problem->usable_bytes);
        status = ask_clusters(problem, &query, row, error);
    }
    return status == RK_OK ? over_clusters_tell(engine->study, point, problem, row, error) : status;
}

/* RK_INTERRUPTED when it was stopped. */
static enum rk_status search_point(struct engine *engine, size_t index, struct study_row *row,
                                   struct rk_error *error)
{
    const struct study_point *point = &engine->study->point[index];
    struct watch watch = {engine, 0};
    struct rk_plans_problem problem;
    struct rk_answer result;
    const double start_s = now_s();
    const struct rk_query options = {.mode = (enum rk_search_mode)point->mode,
                                     .threads = engine->threads,
                                     .top = point->top,
                                     .progress = watch_progress,
                                     .context = &watch};
    *row = (struct study_row){.point = index};
    study_problem(engine->study, point, &problem);
    if (point->mode == STUDY_LAYERWISE) {
        const enum rk_status status =
            search_layers(engine, &problem, point->usable_bytes, row, error);
        row->seconds = now_s() - start_s;
        return status;
    }
    if (problem.system->machine) {
        const enum rk_status status =
            search_clusters(engine, point, &problem, &options, row, error);
        row->seconds = now_s() - start_s;
        return status;
    }
    struct rk_space *space = rk_plans_open(&problem, error);
    if (!space) return error->status;
    enum rk_status status = rk_ask(space, &options, &result, error);
    if (status == RK_OK) {
        row->counts = result.counts;
        row->explain = result.explain;
        status = result.complete ? keep_best(&problem, space, &result, row, error) : RK_INTERRUPTED;
        rk_answer_release(&result);
    }
    if (status == RK_OK && !leaves_room(point, row))
        status = leave_room(engine, &problem, space, &options, point, row, error);
    rk_space_close(space);
    row->seconds = now_s() - start_s;
    atomic_fetch_sub(&engine->decided, watch.counted);
    return status;
}

/* ---- threads ---- */

static void deliver(struct engine *engine, const struct item *item)
{
    pthread_mutex_lock(&engine->lock);
    while (engine->count == MAX_WAITING)
        pthread_cond_wait(&engine->room, &engine->lock);
    engine->waiting[engine->count++] = *item;
    pthread_cond_signal(&engine->some);
    pthread_mutex_unlock(&engine->lock);
}

static void report_failure(struct engine *engine, enum rk_status status,
                           const struct rk_error *error)
{
    atomic_store(&engine->stop, true);
    pthread_mutex_lock(&engine->lock);
    if (engine->status == RK_OK) {
        engine->status = status;
        engine->error = *error;
    }
    pthread_mutex_unlock(&engine->lock);
}

static void *work(void *argument)
{
    struct engine *engine = argument;
    while (!atomic_load(&engine->stop)) {
        const size_t at = atomic_fetch_add(&engine->next, 1);
        struct item item;
        struct rk_error error;
        if (at >= engine->jobs) break;
        const enum rk_status status =
            search_point(engine, engine->job[at].point, &item.row, &error);
        item.work = engine->job[at].work;
        if (status == RK_OK) {
            deliver(engine, &item);
        } else {
            study_row_release(&item.row);
            if (status != RK_INTERRUPTED) report_failure(engine, status, &error);
        }
    }
    pthread_mutex_lock(&engine->lock);
    engine->running--;
    pthread_cond_signal(&engine->some);
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

/* ---- the calling thread ---- */

/* Waits for finished searches, a tick at most, and takes them all; false when no more will come. */
static bool take(struct engine *engine, struct item *items, size_t *count)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&engine->lock);
    while (!engine->count && engine->running)
        if (pthread_cond_timedwait(&engine->some, &engine->lock, &until) != 0) break;
    *count = engine->count;
    memcpy(items, engine->waiting, *count * sizeof *items);
    engine->count = 0;
    const bool more = *count > 0 || engine->running > 0;
    pthread_cond_broadcast(&engine->room);
    pthread_mutex_unlock(&engine->lock);
    return more;
}

struct tally {
    struct study_progress progress;
    double work, total_work, start_s;
};

static void tally_items(struct tally *tally, const struct item *items, size_t count)
{
    static const double nearly = 1 - 1e-9; /* sums in another order */
    for (size_t i = 0; i < count; i++) {
        tally->progress.done++;
        tally->progress.strategies += items[i].row.counts.total;
        tally->work += items[i].work;
    }
    tally->progress.seconds = now_s() - tally->start_s;
    tally->progress.share =
        tally->work < nearly * tally->total_work ? tally->work / tally->total_work : 1;
}

static enum rk_status hand_over(const struct study_run_options *options, struct item *items,
                                size_t count, struct rk_error *error)
{
    struct study_row *rows = malloc((count ? count : 1) * sizeof *rows);
    enum rk_status status = RK_OK;
    if (!rows) status = no_memory(error);
    for (size_t i = 0; rows && i < count; i++)
        rows[i] = items[i].row;
    if (status == RK_OK && count) status = options->sink(options->context, rows, count, error);
    for (size_t i = 0; i < count; i++)
        study_row_release(&items[i].row);
    free(rows);
    return status;
}

static enum rk_status attend(struct engine *engine, const struct study_run_options *options,
                             struct tally *tally, struct rk_error *error)
{
    struct item *items = malloc(MAX_WAITING * sizeof *items);
    enum rk_status status = RK_OK;
    bool interrupted = false;
    size_t count;
    if (!items) status = no_memory(error);
    if (!items) atomic_store(&engine->stop, true);
    while (items && take(engine, items, &count)) {
        struct study_progress shown;
        tally_items(tally, items, count);
        if (status == RK_OK)
            status = hand_over(options, items, count, error);
        else
            for (size_t i = 0; i < count; i++)
                study_row_release(&items[i].row);
        if (status != RK_OK) atomic_store(&engine->stop, true);
        shown = tally->progress;
        shown.strategies += atomic_load(&engine->decided);
        if (options->progress && !options->progress(options->progress_context, &shown)) {
            interrupted = true;
            atomic_store(&engine->stop, true);
        }
    }
    free(items);
    if (status == RK_OK && interrupted && tally->progress.done < engine->jobs)
        status = rk_fail(error, RK_INTERRUPTED, NULL, 0, 0,
                         "interrupted: the same command goes on where it stopped");
    return status;
}

/* ---- the run ---- */

static int compare_jobs(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    if (x->work != y->work) return x->work > y->work ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static struct job *order_jobs(const struct study *study, const size_t *points, size_t count,
                              struct tally *tally)
{
    struct job *job = malloc((count ? count : 1) * sizeof *job);
    for (size_t i = 0; job && i < count; i++) {
        job[i] = (struct job){points[i], point_work(study, &study->point[points[i]])};
        tally->total_work += job[i].work;
    }
    if (job) qsort(job, count, sizeof *job, compare_jobs);
    return job;
}

/* Starts up to `wanted` threads; how many there are. */
static int start_threads(struct engine *engine, pthread_t *thread, int wanted)
{
    int started = 0;
    pthread_mutex_lock(&engine->lock);
    while (started < wanted && pthread_create(&thread[started], NULL, work, engine) == 0)
        started++;
    engine->running = started;
    pthread_mutex_unlock(&engine->lock);
    return started;
}

static enum rk_status run_engine(struct engine *engine, int threads,
                                 const struct study_run_options *options, struct tally *tally,
                                 struct rk_error *error)
{
    pthread_t *thread = calloc((size_t)threads, sizeof *thread);
    engine->waiting = malloc(MAX_WAITING * sizeof *engine->waiting);
    enum rk_status status;
    if (!thread || !engine->waiting) {
        status = no_memory(error);
        goto out;
    }
    const int started = start_threads(engine, thread, threads);
    if (started == 0) {
        status = rk_fail(error, RK_IO, NULL, 0, 0, "cannot start a thread");
        goto out;
    }
    status = attend(engine, options, tally, error);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    if (status == RK_OK && engine->status != RK_OK) {
        status = engine->status;
        if (error) *error = engine->error;
    }
out:
    free(engine->waiting);
    free(thread);
    return status;
}

enum rk_status study_run(const struct study *study, const size_t *points, size_t count,
                         const struct study_run_options *options, struct rk_error *error)
{
    struct tally tally = {.progress.total = count, .start_s = now_s()};
    struct job *job = order_jobs(study, points, count, &tally);
    struct engine engine = {.study = study, .job = job, .jobs = count};
    int threads = options->jobs > 0 ? options->jobs : omp_get_num_procs();
    if (!job) return no_memory(error);
    engine.threads = 1;
    if (count && count < (size_t)threads) { /* too few searches to keep all processors busy */
        engine.threads = threads / (int)count;
        threads = (int)count;
    }
    pthread_mutex_init(&engine.lock, NULL);
    pthread_cond_init(&engine.some, NULL);
    pthread_cond_init(&engine.room, NULL);
    const enum rk_status status =
        count ? run_engine(&engine, threads, options, &tally, error) : RK_OK;
    pthread_cond_destroy(&engine.room);
    pthread_cond_destroy(&engine.some);
    pthread_mutex_destroy(&engine.lock);
    free(job);
    return status;
}
