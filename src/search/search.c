#include "search/unit.h"

#include "search/topk.h"
#include "search/twin.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- folios: layer tables, as many at a time as fit the budget ---- */

enum { FOLIO_BUDGET = 16 << 20 }; /* bytes of layer costs held at once */

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The distinct microbatch sizes of the groups [first, end), ascending; the caller frees them. */
static uint64_t *distinct_microbatches(const struct rk_space *space, int first, int end, int *count)
{
    size_t all = 0, kept = 0;
    for (int g = first; g < end; g++)
        all += (size_t)space->group[g].microbatches;
    uint64_t *value = malloc(all * sizeof *value);
    if (!value) return NULL;
    all = 0;
    for (int g = first; g < end; g++)
        for (int i = 0; i < space->group[g].microbatches; i++)
            value[all++] = space->group[g].microbatch[i];
    qsort(value, all, sizeof *value, compare_numbers);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || value[i] != value[i - 1]) value[kept++] = value[i];
    *count = (int)kept;
    return value;
}

/* One tensor degree of the plan: groups [first, end), and their microbatch sizes. */
struct degree {
    int first, end;
    int microbatches;
    uint64_t *microbatch;
};

/* Sizes [first, first + count) of a degree, folded together. */
struct portion {
    const struct degree *degree;
    int first, count;
    int part; /* portions with the same part are held at the same time */
};

struct searcher {
    const struct rk_space *space;
    struct rows rows[2]; /* without and with tensor parallelism */
    int degrees, portions, parts;
    struct degree *degree;
    struct portion *portion;
    /* the part at hand */
    int folios, units, units_room;
    struct folio *folio;
    struct unit *unit;
};

static const struct rows *rows_of(const struct searcher *s, uint64_t tensor)
{
    return &s->rows[tensor > 1];
}

static bool plan_degrees(struct searcher *s)
{
    const struct rk_space *space = s->space;
    s->degree = calloc((size_t)space->groups + 1, sizeof *s->degree);
    if (!s->degree) return false;
    for (int first = 0; first < space->groups;) {
        struct degree *d = &s->degree[s->degrees];
        int end = first;
        while (end < space->groups && space->group[end].tensor == space->group[first].tensor)
            end++;
        *d = (struct degree){.first = first, .end = end};
        d->microbatch = distinct_microbatches(space, first, end, &d->microbatches);
        if (!d->microbatch) return false;
        s->degrees++;
        first = end;
    }
    return true;
}

static bool plan_portion(struct searcher *s, struct portion portion, size_t *held, size_t each)
{
    const size_t bytes = each * (size_t)portion.count;
    if (*held > 0 && *held + bytes > FOLIO_BUDGET) {
        s->parts++;
        *held = 0;
    }
    *held += bytes;
    portion.part = s->parts;
    struct portion *grown = realloc(s->portion, ((size_t)s->portions + 1) * sizeof *grown);
    if (!grown) return false;
    s->portion = grown;
    s->portion[s->portions++] = portion;
    return true;
}

static bool plan_portions(struct searcher *s)
{
    size_t held = 0;
    for (int i = 0; i < s->degrees; i++) {
        const struct degree *d = &s->degree[i];
        const uint64_t tensor = s->space->group[d->first].tensor;
        const size_t each = folio_bytes(s->space, rows_of(s, tensor), tensor);
        const int most = each < FOLIO_BUDGET ? (int)(FOLIO_BUDGET / each) : 1;
        for (int first = 0; first < d->microbatches; first += most) {
            const int left = d->microbatches - first;
            const struct portion portion = {d, first, left < most ? left : most, 0};
            if (!plan_portion(s, portion, &held, each)) return false;
        }
    }
    s->parts++;
    return true;
}

static void searcher_close(struct searcher *s)
{
    for (int i = 0; i < s->folios; i++) {
        free(s->folio[i].layer);
        free(s->folio[i].weights);
    }
    for (int i = 0; i < s->degrees; i++)
        free(s->degree[i].microbatch);
    free(s->folio);
    free(s->unit);
    free(s->degree);
    free(s->portion);
}

static bool searcher_open(struct searcher *s, const struct rk_space *space)
{
    *s = (struct searcher){.space = space};
    rows_open(&s->rows[0], space, false);
    rows_open(&s->rows[1], space, true);
    return plan_degrees(s) && plan_portions(s);
}

/* ---- units of a part ---- */

static bool add_unit(struct searcher *s, struct unit unit)
{
    if (s->units == s->units_room) {
        const int room = 2 * s->units_room + 256;
        struct unit *grown = realloc(s->unit, (size_t)room * sizeof *grown);
        if (!grown) return false;
        s->unit = grown;
        s->units_room = room;
    }
    s->unit[s->units++] = unit;
    return true;
}

/* Cuts rows [first, end) x microbatches into units of at most LANES lanes. */
static bool add_lanes(struct searcher *s, struct unit unit, int first, int end, int microbatches)
{
    const int wide = microbatches < LANES ? microbatches : LANES;
    const int tall = LANES / wide;
    for (int b = 0; b < microbatches; b += wide)
        for (int row = first; row < end; row += tall) {
            struct unit piece = unit;
            piece.first_row = row;
            piece.rows = end - row < tall ? end - row : tall;
            piece.first_microbatch += b;
            piece.folio_microbatch += b;
            piece.microbatches = microbatches - b < wide ? microbatches - b : wide;
            if (!add_unit(s, piece)) return false;
        }
    return true;
}

/* Runs of the group's microbatch sizes that are neighbours in the folio's list too. */
static bool add_group(struct searcher *s, const struct group *g, const struct folio *f)
{
    int at = 0;
    for (int b = 0; b < g->microbatches;) {
        while (at < f->microbatches && f->microbatch[at] < g->microbatch[b])
            at++;
        if (at == f->microbatches) break;
        if (f->microbatch[at] != g->microbatch[b]) {
            b++;
            continue;
        }
        int run = 1;
        while (b + run < g->microbatches && at + run < f->microbatches &&
               g->microbatch[b + run] == f->microbatch[at + run])
            run++;
        const struct unit unit = {
            .group = g, .folio = f, .first_microbatch = b, .folio_microbatch = at};
        if (!add_lanes(s, unit, 0, f->rows->full, run) ||
            !add_lanes(s, unit, f->rows->full, f->rows->count, run))
            return false;
        b += run;
        at += run;
    }
    return true;
}

static bool folio_open(struct folio *f, const struct searcher *s, const struct portion *p)
{
    const uint64_t tensor = s->space->group[p->degree->first].tensor;
    const struct rows *rows = rows_of(s, tensor);
    *f = (struct folio){
        .tensor = tensor,
        .rows = rows,
        .microbatches = p->count,
        .microbatch = p->degree->microbatch + p->first,
        .networks = tensor > 1 ? s->space->problem.system->networks : 1,
    };
    f->layer = malloc(folio_bytes(s->space, rows, tensor) * (size_t)p->count + 1);
    f->weights = malloc(2 * sizeof *f->weights);
    return f->layer && f->weights;
}

static void part_fold(struct searcher *s, int threads)
{
    int jobs = 0;
    for (int i = 0; i < s->folios; i++)
        jobs += s->folio[i].microbatches;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int job = 0; job < jobs; job++) {
        int f = 0, b = job;
        while (b >= s->folio[f].microbatches)
            b -= s->folio[f++].microbatches;
        if (b == 0) folio_fold_weights(&s->folio[f], &s->space->problem);
        folio_fold(&s->folio[f], &s->space->problem, b);
    }
}

static int compare_units(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    if (x->bound_s != y->bound_s) return x->bound_s < y->bound_s ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* The most promising first; equal ones in the order they were made. */
static void part_order(struct searcher *s, int threads)
{
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
    for (int i = 0; i < s->units; i++)
        s->unit[i].bound_s = unit_bound_s(s->space, &s->unit[i]);
    qsort(s->unit, (size_t)s->units, sizeof *s->unit, compare_units);
}

static bool part_open(struct searcher *s, int part, int threads)
{
    for (int i = 0; i < s->folios; i++) {
        free(s->folio[i].layer);
        free(s->folio[i].weights);
    }
    s->folios = s->units = 0;
    struct folio *grown = realloc(s->folio, (size_t)s->portions * sizeof *grown);
    if (!grown) return false;
    s->folio = grown;
    for (int i = 0; i < s->portions; i++)
        if (s->portion[i].part == part)
            if (!folio_open(&s->folio[s->folios++], s, &s->portion[i])) return false;
    part_fold(s, threads);
    for (int i = 0, f = 0; i < s->portions; i++) {
        if (s->portion[i].part != part) continue;
        const struct degree *d = s->portion[i].degree;
        for (int g = d->first; g < d->end; g++)
            if (!add_group(s, &s->space->group[g], &s->folio[f])) return false;
        f++;
    }
    part_order(s, threads);
    return true;
}

/* ---- workers ---- */

enum { LOCAL_TOP = 1024 }; /* up to here every unit lowers its own limit as it goes */

struct worker {
    struct visitor visitor; /* first: the callback gets back to the worker */
    struct scratch *scratch;
    struct topk local;
    struct topk *global; /* under the lock "reckon_topk" */
    bool own_limit;
    struct rk_search_counts counts;
    struct rk_search_explain explain;
};

static void worker_flush(struct worker *w)
{
#pragma omp critical(reckon_topk)
    for (uint64_t i = 0; i < w->local.count; i++)
        topk_offer(w->global, w->local.heap[i]);
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
                        const struct rk_search_options *options, struct topk *global)
{
    memset(w, 0, sizeof *w);
    w->visitor = (struct visitor){.prune = options->mode == RK_SEARCH_PRUNED,
                                  .batch = worker_batch,
                                  .counts = &w->counts,
                                  .explain = &w->explain};
    w->global = global;
    w->own_limit = options->top <= LOCAL_TOP;
    w->scratch = scratch_open(space);
    return topk_init(&w->local, w->own_limit ? options->top : LOCAL_TOP) && w->scratch;
}

static void worker_close(struct worker *w)
{
    topk_release(&w->local);
    scratch_close(w->scratch);
}

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

/* ---- rounds ---- */

struct progress {
    const struct rk_search_options *options;
    uint64_t decided, total;
    bool stopped;
};

static bool progress_show(struct progress *p, const struct worker *workers, int threads,
                          const struct topk *global)
{
    if (!p->options->progress) return true;
    uint64_t decided = p->decided;
    for (int i = 0; i < threads; i++) {
        const struct rk_search_explain *e = &workers[i].explain;
        decided += e->refused_by_group + e->refused_by_memory + e->bounded + e->timed;
    }
    double best_s = INFINITY;
#pragma omp critical(reckon_topk)
    for (uint64_t i = 0; i < global->count; i++)
        if (i < 64 || global->count <= LOCAL_TOP)
            best_s = fmin(best_s, global->heap[i].step_s);
    if (!p->options->progress(p->options->context, decided, p->total, best_s)) p->stopped = true;
    return !p->stopped;
}

/* Units [first, end), in any order, all with the limit the round began with: so what is timed and
 * what is bounded does not depend on the threads. */
static void round_run(struct searcher *s, int first, int end, struct worker *workers, int threads,
                      struct topk *global, struct progress *progress)
{
    const double limit = topk_limit(global);
#pragma omp parallel num_threads(threads)
    {
        struct worker *w = &workers[omp_get_thread_num()];
#pragma omp for schedule(dynamic, 1)
        for (int i = first; i < end; i++) {
            bool stopped;
#pragma omp atomic read
            stopped = progress->stopped;
            if (stopped) continue;
            w->visitor.limit = limit;
            unit_run(s->space, &s->unit[i], w->scratch, &w->visitor);
            worker_flush(w);
            if (omp_get_thread_num() == 0) progress_show(progress, workers, threads, global);
        }
    }
}

/* Small rounds first, so that a good limit is known when the many units come. */
static void part_run(struct searcher *s, struct worker *workers, int threads, struct topk *global,
                     struct progress *progress)
{
    int first = 0;
    for (int size = 2; first < s->units && !progress->stopped; size *= 2) {
        const int end = s->units - first < size ? s->units : first + size;
        round_run(s, first, end, workers, threads, global, progress);
        first = end;
    }
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool run_parts(struct searcher *s, struct worker *workers, int threads, struct topk *global,
                      struct progress *progress)
{
    for (int part = 0; part < s->parts && s->degrees > 0 && !progress->stopped; part++) {
        if (!part_open(s, part, threads)) return false;
        part_run(s, workers, threads, global, progress);
    }
    return true;
}

static void finish(struct rk_search_result *result, const struct rk_space *space,
                   const struct worker *workers, int threads, struct topk *global)
{
    result->counts.total = space->count;
    for (int g = 0; g < space->groups; g++)
        group_count_networks(space, &space->group[g], &result->counts, &result->explain);
    for (int i = 0; i < threads; i++) {
        counts_add(&result->counts, &workers[i].counts);
        explain_add(&result->explain, &workers[i].explain);
    }
    topk_sort(global);
    result->found = global->count;
    result->best = global->heap;
    global->heap = NULL;
}

static int thread_count(const struct rk_search_options *options)
{
    return options->threads > 0 ? options->threads : omp_get_max_threads();
}

static enum rk_status search_lanes(const struct rk_space *space,
                                   const struct rk_search_options *options,
                                   struct rk_search_result *result)
{
    const int threads = thread_count(options);
    struct topk global = {0};
    struct searcher searcher;
    struct progress progress = {.options = options, .total = space->count};
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    bool ok = workers && searcher_open(&searcher, space);
    const uint64_t top = options->top < space->count ? options->top : space->count;
    ok = ok && topk_init(&global, top ? top : 1);
    for (int i = 0; ok && i < threads; i++)
        ok = worker_open(&workers[i], space, options, &global);
    ok = ok && run_parts(&searcher, workers, threads, &global, &progress);
    if (ok) {
        finish(result, space, workers, threads, &global);
        result->complete = !progress.stopped;
    }
    for (int i = 0; workers && i < threads; i++)
        worker_close(&workers[i]);
    if (workers) searcher_close(&searcher);
    topk_release(&global);
    free(workers);
    return ok ? RK_OK : RK_IO;
}

enum rk_status rk_search(const struct rk_space *space, const struct rk_search_options *options,
                         struct rk_search_result *result, struct rk_error *error)
{
    const double start_s = now_s();
    memset(result, 0, sizeof *result);
    const enum rk_status status = options->mode == RK_SEARCH_TWIN
                                      ? search_twin(space, options, result)
                                      : search_lanes(space, options, result);
    result->seconds = now_s() - start_s;
    if (status != RK_OK)
        return rk_fail(error, status, NULL, 0, 0, "not enough memory for the search");
    return RK_OK;
}

void rk_search_result_release(struct rk_search_result *result)
{
    free(result->best);
    *result = (struct rk_search_result){0};
}
