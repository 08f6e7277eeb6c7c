#include "study/rate.h"

#include "search/space.h"

#include <stdlib.h>
#include <string.h>

/* ---- data degrees by batch ---- */

struct degree {
    uint64_t data, batch;
};

/* Largest batch first, then by degree. */
static int compare_degrees(const void *a, const void *b)
{
    const struct degree *x = a, *y = b;
    if (x->batch != y->batch) return x->batch > y->batch ? -1 : 1;
    return (x->data > y->data) - (x->data < y->data);
}

/* The different data degrees of a space; NULL when there is no memory. The caller frees them. */
static struct degree *list_degrees(const struct rk_space *space, size_t *count)
{
    struct degree *degree = malloc(((size_t)space->groups + 1) * sizeof *degree);
    *count = 0;
    if (!degree) return NULL;
    for (int i = 0; i < space->groups; i++)
        degree[i] = (struct degree){space->group[i].data, space->group[i].batch};
    qsort(degree, (size_t)space->groups, sizeof *degree, compare_degrees);
    for (int i = 0; i < space->groups; i++)
        if (i == 0 || degree[i].data != degree[*count - 1].data) degree[(*count)++] = degree[i];
    return degree;
}

/* How many from `first` on are searched together. */
static size_t same_batch(const struct degree *degree, size_t first, size_t count)
{
    size_t end = first + 1;
    while (end < count && end - first < RK_MAX_PINNED && degree[end].batch == degree[first].batch)
        end++;
    return end - first;
}

/* ---- merging ---- */

static int compare_best(const void *a, const void *b)
{
    const struct rate_best *x = a, *y = b;
    if (x->sample_s != y->sample_s) return x->sample_s < y->sample_s ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static void add_tiers(uint64_t to[RK_MAX_TIERS], const uint64_t from[RK_MAX_TIERS])
{
    for (int i = 0; i < RK_MAX_TIERS; i++)
        to[i] += from[i];
}

static void add_counts(struct rate_result *to, const struct rk_search_result *from)
{
    to->counts.total += from->counts.total;
    to->counts.fits += from->counts.fits;
    to->counts.too_few_blocks += from->counts.too_few_blocks;
    add_tiers(to->counts.network_too_small, from->counts.network_too_small);
    add_tiers(to->counts.network_not_filled, from->counts.network_not_filled);
    add_tiers(to->counts.memory_exceeded, from->counts.memory_exceeded);
    to->explain.refused_by_group += from->explain.refused_by_group;
    to->explain.refused_by_memory += from->explain.refused_by_memory;
    to->explain.bounded += from->explain.bounded;
    to->explain.timed += from->explain.timed;
}

/* A group's strategies are the same in both spaces, only where they begin differs. */
static uint64_t whole_position(const struct rk_space *whole, const struct rk_space *part,
                               uint64_t index, const struct rk_strategy *strategy)
{
    const struct group *from = part->group, *to = whole->group;
    while (from->tensor != strategy->tensor || from->pipeline != strategy->pipeline)
        from++;
    while (to->tensor != strategy->tensor || to->pipeline != strategy->pipeline)
        to++;
    return to->first + (index - from->first);
}

static bool add_best(struct rate_result *to, const struct rk_space *whole,
                     const struct rk_space *part, const struct rk_search_result *from, uint64_t top)
{
    const uint64_t room = to->found + from->found;
    struct rate_best *grown = realloc(to->best, (room ? room : 1) * sizeof *grown);
    if (!grown) return false;
    to->best = grown;
    for (uint64_t i = 0; i < from->found; i++) {
        struct rate_best *best = &grown[to->found++];
        rk_space_strategy(part, from->best[i].index, &best->strategy);
        best->sample_s = from->best[i].step_s / (double)best->strategy.batch;
        best->position = whole_position(whole, part, from->best[i].index, &best->strategy);
    }
    qsort(grown, to->found, sizeof *grown, compare_best);
    if (to->found > top) to->found = top;
    return true;
}

/* ---- searching ---- */

/* What is decided so far, over all parts. */
struct watch {
    const struct rk_search_options *options;
    uint64_t before, total;
};

static bool watch_progress(void *context, uint64_t decided, uint64_t total, double best_step_s)
{
    const struct watch *watch = context;
    (void)total;
    return watch->options->progress(watch->options->context, watch->before + decided, watch->total,
                                    best_step_s);
}

static enum rk_status search_part(const struct rk_space *whole, const struct rk_space *part,
                                  struct watch *watch, struct rate_result *result,
                                  struct rk_error *error)
{
    struct rk_search_options options = *watch->options;
    struct rk_search_result found;
    if (options.progress) {
        options.progress = watch_progress;
        options.context = watch;
    }
    enum rk_status status = rk_search(part, &options, &found, error);
    if (status != RK_OK) return status;
    result->complete &= found.complete;
    add_counts(result, &found);
    if (!add_best(result, whole, part, &found, options.top))
        status = rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the best strategies");
    watch->before += rk_space_count(part);
    rk_search_result_release(&found);
    return status;
}

static enum rk_status search_batches(const struct rk_space *whole, const struct degree *degree,
                                     size_t count, struct watch *watch, struct rate_result *result,
                                     struct rk_error *error)
{
    struct rk_problem problem = whole->problem;
    enum rk_status status = RK_OK;
    for (size_t first = 0, together; first < count && status == RK_OK && result->complete;
         first += together) {
        together = same_batch(degree, first, count);
        if (together == count) return search_part(whole, whole, watch, result, error);
        memset(&problem.pinned[RK_AXIS_DATA], 0, sizeof problem.pinned[RK_AXIS_DATA]);
        for (size_t i = 0; i < together; i++)
            problem.pinned[RK_AXIS_DATA].value[i] = degree[first + i].data;
        problem.pinned[RK_AXIS_DATA].count = (int)together;
        struct rk_space *part = rk_space_open(&problem, error);
        if (!part) return RK_IO;
        status = search_part(whole, part, watch, result, error);
        rk_space_close(part);
    }
    return status;
}

enum rk_status rate_search(const struct rk_problem *problem,
                           const struct rk_search_options *options, struct rate_result *result,
                           struct rk_error *error)
{
    size_t count = 0;
    *result = (struct rate_result){.complete = true};
    struct rk_space *whole = rk_space_open(problem, error);
    struct degree *degree = whole ? list_degrees(whole, &count) : NULL;
    enum rk_status status = RK_IO;
    if (whole && !degree) rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the search");
    if (degree) {
        struct watch watch = {options, 0, rk_space_count(whole)};
        status = search_batches(whole, degree, count, &watch, result, error);
    }
    if (status != RK_OK) {
        free(result->best);
        result->best = NULL;
    }
    free(degree);
    rk_space_close(whole);
    return status;
}
