/* memory_levels.c - addresses in two levels: within passes of a layer, then of the passes. */
#include "optimize/memory_place.h"

#include <stdlib.h>
#include <string.h>

struct levels {
    const struct rk_buffer *buffer;
    const int *pass;
    uint64_t *address;
    size_t count, passes;
    size_t *from;            /* (passes + 1) where the buffers of a pass stand in `sorted` */
    uint32_t *sorted;        /* (count) buffers by pass; those without one come last */
    struct rk_buffer *inner; /* (count) as `sorted`; times from the start of the pass */
    uint64_t *inside;        /* (count) their addresses within the pass */
    struct rk_buffer *outer; /* (passes, then buffers without one) */
    uint64_t *base;          /* ... their addresses */
    int *like;               /* (passes) the first pass that is like this one */
};

static bool take_room(struct levels *l)
{
    const size_t n = l->count + 1, p = l->passes + 2;
    return (l->from = calloc(p, sizeof *l->from)) && (l->sorted = malloc(n * sizeof *l->sorted)) &&
           (l->inner = malloc(n * sizeof *l->inner)) &&
           (l->inside = malloc(n * sizeof *l->inside)) &&
           (l->outer = malloc((n + p) * sizeof *l->outer)) &&
           (l->base = malloc((n + p) * sizeof *l->base)) && (l->like = malloc(p * sizeof *l->like));
}

static void release(struct levels *l)
{
    void *const owned[] = {l->from, l->sorted, l->inner, l->inside, l->outer, l->base, l->like};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

static size_t pass_of(const struct levels *l, size_t i)
{
    return l->pass[i] < 0 ? l->passes : (size_t)l->pass[i];
}

/* By pass, in the order given; times from the first start of each. */
static void sort_by_pass(struct levels *l)
{
    for (size_t i = 0; i < l->count; i++)
        l->from[pass_of(l, i) + 1]++;
    for (size_t p = 0; p <= l->passes; p++)
        l->from[p + 1] += l->from[p];
    for (size_t i = l->count; i-- > 0;)
        l->sorted[--l->from[pass_of(l, i) + 1]] = (uint32_t)i;
    memmove(l->from, l->from + 1, (l->passes + 1) * sizeof *l->from);
    l->from[l->passes + 1] = l->count;
    for (size_t p = 0; p < l->passes; p++) {
        int64_t start = INT64_MAX;
        for (size_t k = l->from[p]; k < l->from[p + 1]; k++)
            if (l->buffer[l->sorted[k]].start < start) start = l->buffer[l->sorted[k]].start;
        for (size_t k = l->from[p]; k < l->from[p + 1]; k++) {
            l->inner[k] = l->buffer[l->sorted[k]];
            l->inner[k].start -= start;
            l->inner[k].end -= start;
        }
        l->outer[p] = (struct rk_buffer){.start = start < INT64_MAX ? start : 0};
    }
}

static bool alike(const struct levels *l, size_t p, size_t q)
{
    const size_t n = l->from[p + 1] - l->from[p];
    if (l->from[q + 1] - l->from[q] != n) return false;
    const struct rk_buffer *a = l->inner + l->from[p], *b = l->inner + l->from[q];
    for (size_t k = 0; k < n; k++)
        if (a[k].start != b[k].start || a[k].end != b[k].end || a[k].size != b[k].size ||
            a[k].alignment != b[k].alignment)
            return false;
    return true;
}

/* Inner addresses, and what the pass is in the step. */
static enum rk_status place_pass(struct levels *l, size_t p, const struct rk_place_options *options,
                                 struct rk_placement *sum, struct rk_error *error)
{
    const size_t from = l->from[p], n = l->from[p + 1] - from;
    int64_t end = 1;
    uint64_t alignment = 1;
    for (size_t k = from; k < from + n; k++) {
        if (l->inner[k].end > end) end = l->inner[k].end;
        if (l->inner[k].alignment > alignment) alignment = l->inner[k].alignment;
    }
    l->like[p] = (int)p;
    for (size_t q = 0; q < p && l->like[p] == (int)p; q++)
        if (l->like[q] == (int)q && alike(l, p, q)) l->like[p] = (int)q;
    const size_t first = (size_t)l->like[p];
    struct rk_placement found = {.peak = l->outer[first].size};
    if (first == p) {
        const enum rk_status status =
            rk_place(l->inner + from, n, options, l->inside + from, &found, error);
        if (status != RK_OK) return status;
        sum->steps += found.steps;
    } else {
        memcpy(l->inside + from, l->inside + l->from[first], n * sizeof *l->inside);
    }
    l->outer[p] =
        (struct rk_buffer){l->outer[p].start, l->outer[p].start + end, found.peak, alignment};
    return RK_OK;
}

static enum rk_status place_levels(struct levels *l, const struct rk_place_options *options,
                                   struct rk_placement *sum, struct rk_error *error)
{
    struct rk_place_options lowest = options ? *options : (struct rk_place_options){0};
    lowest.capacity = 0;
    sort_by_pass(l);
    for (size_t p = 0; p < l->passes; p++) {
        const enum rk_status status = place_pass(l, p, &lowest, sum, error);
        if (status != RK_OK) return status;
    }
    const size_t from = l->from[l->passes], alone = l->count - from;
    for (size_t k = 0; k < alone; k++)
        l->outer[l->passes + k] = l->buffer[l->sorted[from + k]];
    struct rk_placement found;
    const enum rk_status status =
        rk_place(l->outer, l->passes + alone, options, l->base, &found, error);
    if (status != RK_OK) return status;
    for (size_t p = 0; p < l->passes; p++)
        for (size_t k = l->from[p]; k < l->from[p + 1]; k++)
            l->address[l->sorted[k]] = l->base[p] + l->inside[k];
    for (size_t k = 0; k < alone; k++)
        l->address[l->sorted[from + k]] = l->base[l->passes + k];
    sum->steps += found.steps;
    sum->by = found.by;
    return RK_OK;
}

enum rk_status rk_place_two_levels(const struct rk_buffer *buffer, const int *pass, size_t count,
                                   const struct rk_place_options *options, uint64_t *address,
                                   struct rk_placement *placement, struct rk_error *error)
{
    struct levels l = {.buffer = buffer, .pass = pass, .count = count, .address = address};
    struct rk_placement sum = {.live = rk_place_live(buffer, count)};
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < count; i++) {
        if (pass[i] >= 0 && (size_t)pass[i] >= l.passes) l.passes = (size_t)pass[i] + 1;
        if (buffer[i].start >= buffer[i].end)
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "buffer %zu must end after it starts",
                           i);
    }
    if (!take_room(&l) || sum.live == UINT64_MAX)
        status = rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to place %zu buffers", count);
    else
        status = place_levels(&l, options, &sum, error);
    release(&l);
    if (status != RK_OK) return status;
    sum.peak = place_peak(buffer, count, address);
    sum.bound = sum.live;
    sum.optimal = sum.peak == sum.bound;
    *placement = sum;
    return RK_OK;
}
