/* memory_place.c - addresses for buffers: bound, greedy, then the search between the two. */
#include "optimize/memory_place.h"
#include "optimize/memory_beam.h"
#include "optimize/memory_search.h"

#include <stdlib.h>
#include <string.h>

/* ---- the problem ---- */

static enum rk_status check_buffers(const struct rk_buffer *buffer, size_t count,
                                    struct rk_error *error)
{
    uint64_t all = 0;
    if (count > INT32_MAX / 4)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "more than %d buffers", INT32_MAX / 4);
    for (size_t i = 0; i < count; i++) {
        const struct rk_buffer *b = &buffer[i];
        if (b->start >= b->end)
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                           "buffer %zu: lives from %lld to %lld; it must end after it starts", i,
                           (long long)b->start, (long long)b->end);
        if (b->alignment & (b->alignment - 1))
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                           "buffer %zu: an alignment is a power of two, got %llu", i,
                           (unsigned long long)b->alignment);
        if (b->size > RK_PLACE_MOST || b->alignment > RK_PLACE_MOST ||
            (all += b->size + b->alignment) > RK_PLACE_MOST)
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                           "buffer %zu: sizes and alignments add up to more than 2^60", i);
    }
    return RK_OK;
}

struct event {
    int64_t time;
    bool start;
    uint32_t buffer;
};

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->start != y->start) return x->start ? 1 : -1; /* ends come first */
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* 2 * count events, in order; NULL when there is no memory. */
static struct event *sweep(const struct rk_buffer *buffer, size_t count)
{
    struct event *event = malloc(2 * count * sizeof *event + 1);
    if (!event) return NULL;
    for (size_t i = 0; i < count; i++) {
        event[2 * i] = (struct event){buffer[i].start, true, (uint32_t)i};
        event[2 * i + 1] = (struct event){buffer[i].end, false, (uint32_t)i};
    }
    qsort(event, 2 * count, sizeof *event, by_time);
    return event;
}

/* Most bytes alive at a moment, and how many pairs are alive together. */
static void measure(const struct rk_buffer *buffer, size_t count, const struct event *event,
                    uint64_t *live, double *pairs)
{
    uint64_t now = 0, alive = 0;
    *live = 0;
    *pairs = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        const uint64_t size = buffer[event[i].buffer].size;
        if (event[i].start) {
            now += size;
            *pairs += (double)alive++;
            if (now > *live) *live = now;
        } else {
            now -= size;
            alive--;
        }
    }
}

uint64_t rk_place_live(const struct rk_buffer *buffer, size_t count)
{
    struct event *event = sweep(buffer, count);
    uint64_t live;
    double pairs;
    if (!event) return UINT64_MAX;
    measure(buffer, count, event, &live, &pairs);
    free(event);
    return live;
}

/* Every sum of sizes, rounded up to alignments on the way, is a multiple of it. */
static uint64_t grain(const struct rk_buffer *buffer, size_t count)
{
    uint64_t grain = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t numbers[] = {buffer[i].size,
                                    buffer[i].alignment > 1 ? buffer[i].alignment : 0};
        for (int k = 0; k < 2; k++)
            for (uint64_t n = numbers[k], rest; n; n = rest) {
                rest = grain % n;
                grain = n;
            }
    }
    return grain ? grain : 1;
}

uint64_t place_peak(const struct rk_buffer *buffer, size_t count, const uint64_t *address)
{
    uint64_t peak = 0;
    for (size_t i = 0; i < count; i++)
        if (buffer[i].size && address[i] + buffer[i].size > peak)
            peak = address[i] + buffer[i].size;
    return peak;
}

/* ---- greedy: one buffer after the other, into a gap of those placed ---- */

static uint64_t aligned(uint64_t address, uint64_t alignment)
{
    return alignment > 1 ? (address + alignment - 1) & -alignment : address;
}

/* The first gap, or the smallest, that `buffer[i]` fits in between those of placed[count], by
 * address, that are alive with it. */
static uint64_t find_gap(const struct rk_buffer *buffer, const uint64_t *address,
                         const uint32_t *placed, size_t count, size_t i, bool smallest)
{
    const struct rk_buffer *b = &buffer[i];
    uint64_t end = 0, best = UINT64_MAX, least = UINT64_MAX;
    for (size_t k = 0; k < count; k++) {
        const struct rk_buffer *other = &buffer[placed[k]];
        if (other->start >= b->end || b->start >= other->end) continue;
        const uint64_t at = aligned(end, b->alignment), next = address[placed[k]];
        if (at + b->size <= next && next - at < least) {
            if (!smallest) return at;
            least = next - at;
            best = at;
        }
        if (next + other->size > end) end = next + other->size;
    }
    return best != UINT64_MAX ? best : aligned(end, b->alignment);
}

/* Where in placed[count] something at `address` belongs. */
static size_t place_of(const uint64_t *address, const uint32_t *placed, size_t count, uint64_t at)
{
    size_t from = 0, to = count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (address[placed[middle]] <= at)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void insert(const uint64_t *address, uint32_t *placed, size_t count, uint32_t i)
{
    const size_t at = place_of(address, placed, count, address[i]);
    memmove(placed + at + 1, placed + at, (count - at) * sizeof *placed);
    placed[at] = i;
}

static void take_out(uint32_t *placed, size_t count, uint32_t i)
{
    size_t at = 0;
    while (placed[at] != i)
        at++;
    memmove(placed + at, placed + at + 1, (count - at - 1) * sizeof *placed);
}

static void place_in_order(const struct rk_buffer *buffer, const uint32_t *order, size_t count,
                           bool smallest, uint32_t *placed, uint64_t *address)
{
    size_t done = 0;
    for (size_t k = 0; k < count; k++) {
        const uint32_t i = order[k];
        address[i] = 0;
        if (buffer[i].size == 0) continue;
        address[i] = find_gap(buffer, address, placed, done, i, smallest);
        insert(address, placed, done++, i);
    }
}

/* By start, as an allocator sees them: what has ended is forgotten. */
static void place_in_time(const struct rk_buffer *buffer, const struct event *event, size_t count,
                          bool smallest, uint32_t *placed, uint64_t *address)
{
    size_t alive = 0;
    for (size_t k = 0; k < 2 * count; k++) {
        const uint32_t i = event[k].buffer;
        if (event[k].start) address[i] = 0;
        if (buffer[i].size == 0) continue;
        if (event[k].start) {
            address[i] = find_gap(buffer, address, placed, alive, i, smallest);
            insert(address, placed, alive++, i);
        } else {
            take_out(placed, alive--, i);
        }
    }
}

struct sorted {
    double key[2];
    uint32_t buffer;
};

static int by_key(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    for (int i = 0; i < 2; i++)
        if (x->key[i] != y->key[i]) return x->key[i] > y->key[i] ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

enum greedy { BY_SIZE, BY_LENGTH, BY_AREA, BY_ORDERS };

static void sort_buffers(const struct rk_buffer *buffer, size_t count, enum greedy by,
                         struct sorted *sorted, uint32_t *order)
{
    for (size_t i = 0; i < count; i++) {
        const double size = (double)buffer[i].size;
        const double length = (double)buffer[i].end - (double)buffer[i].start;
        sorted[i].buffer = (uint32_t)i;
        sorted[i].key[0] = by == BY_SIZE ? size : by == BY_LENGTH ? length : size * length;
        sorted[i].key[1] = by == BY_SIZE ? length : size;
    }
    qsort(sorted, count, sizeof *sorted, by_key);
    for (size_t i = 0; i < count; i++)
        order[i] = sorted[i].buffer;
}

static void keep_lower(const struct rk_buffer *buffer, size_t count, const uint64_t *found,
                       uint64_t *address, uint64_t *peak)
{
    const uint64_t reached = place_peak(buffer, count, found);
    if (reached >= *peak) return;
    *peak = reached;
    memcpy(address, found, count * sizeof *address);
}

enum { MOST_ORDERED = 32768 }; /* beyond, only by start: the other orders take count^2 steps */

static bool place_greedily(const struct rk_buffer *buffer, size_t count, const struct event *event,
                           uint64_t enough, uint64_t *address, uint64_t *peak)
{
    struct sorted *sorted = malloc(count * sizeof *sorted + 1);
    uint32_t *order = malloc(count * sizeof *order + 1);
    uint32_t *placed = malloc(count * sizeof *placed + 1);
    uint64_t *found = malloc(count * sizeof *found + 1);
    const bool room = sorted && order && placed && found;
    *peak = UINT64_MAX;
    for (int smallest = 0; room && smallest < 2 && *peak > enough; smallest++) {
        place_in_time(buffer, event, count, smallest, placed, found);
        keep_lower(buffer, count, found, address, peak);
    }
    for (enum greedy by = 0; room && by < BY_ORDERS && count <= MOST_ORDERED; by++) {
        sort_buffers(buffer, count, by, sorted, order);
        for (int smallest = 0; smallest < 2 && *peak > enough; smallest++) {
            place_in_order(buffer, order, count, smallest, placed, found);
            keep_lower(buffer, count, found, address, peak);
        }
    }
    free(sorted);
    free(order);
    free(placed);
    free(found);
    return room;
}

/* ---- the search between bound and greedy ---- */

enum { FIRST_BEAM = 16, WIDEST_BEAM = 1024 };

struct between {
    const struct rk_buffer *buffer;
    size_t count;
    const struct rk_place_options *options;
    struct place_search *search;
    uint64_t grain, steps, slice;
    uint64_t *found, *address;
    struct rk_placement *placement;
};

/* Looks for a placement within `aim`, for at most `steps` of those left. */
static enum place_answer look(struct between *b, uint64_t aim, uint64_t steps)
{
    uint64_t left = steps < b->steps ? steps : b->steps;
    const uint64_t before = left;
    const enum place_answer answer =
        place_search_within(b->search, aim, b->options, &left, b->found);
    b->steps -= before - left;
    b->placement->steps += before - left;
    if (answer == PLACE_FOUND) {
        keep_lower(b->buffer, b->count, b->found, b->address, &b->placement->peak);
        b->placement->by = RK_PLACE_SEARCH;
    }
    if (answer == PLACE_NONE) b->placement->bound = aim + b->grain;
    return answer;
}

static bool stopped(const struct between *b)
{
    return b->steps == 0 ||
           (b->options && b->options->stop && b->options->stop(b->options->context));
}

/* Beams, wider and wider, then others as wide, for half of the steps. */
static void try_beams(struct between *b)
{
    struct rk_placement *p = b->placement;
    uint64_t steps = b->steps / 2;
    size_t width = FIRST_BEAM;
    b->steps -= steps;
    for (int attempt = 0; steps && p->peak > p->bound; attempt++) {
        const uint64_t before = steps;
        if (place_beam(b->buffer, b->count, width, attempt, p->peak, &steps, b->found)) {
            keep_lower(b->buffer, b->count, b->found, b->address, &p->peak);
            p->by = RK_PLACE_SEARCH;
        }
        p->steps += before - steps;
        if (before == steps) break; /* nothing to look at */
        if (attempt % 2 && width < WIDEST_BEAM) width *= 4;
    }
    b->steps += steps;
}

/* At the bound first, as that is often reached, then half way to the best so far; round after round
 * with twice the steps. */
static bool lower(struct between *b)
{
    struct rk_placement *p = b->placement;
    uint64_t aim = p->bound;
    bool beams = true;
    while (p->bound < p->peak && !stopped(b)) {
        const enum place_answer answer = look(b, aim, b->slice);
        if (answer == PLACE_NO_ROOM) return false;
        if (answer == PLACE_CUT && beams) try_beams(b);
        beams &= answer != PLACE_CUT;
        if (answer == PLACE_CUT) {
            const uint64_t higher = (p->peak - aim) / 2 / b->grain * b->grain;
            if (higher == 0) b->slice *= 2;
            aim = higher ? aim + higher : p->bound;
        } else {
            aim = p->bound;
        }
    }
    return true;
}

static uint64_t steps_of(const struct rk_place_options *options)
{
    return options && options->steps ? options->steps : RK_PLACE_STEPS;
}

static bool search(const struct rk_buffer *buffer, size_t count,
                   const struct rk_place_options *options, uint64_t *address,
                   struct rk_placement *placement)
{
    struct between b = {.buffer = buffer,
                        .count = count,
                        .options = options,
                        .grain = grain(buffer, count),
                        .steps = steps_of(options),
                        .address = address,
                        .placement = placement};
    const uint64_t capacity = options ? options->capacity : 0;
    b.slice = b.steps / 32 + 1;
    b.search = place_search_open(buffer, count);
    b.found = malloc(count * sizeof *b.found + 1);
    bool room = b.search && b.found;
    if (room && capacity) {
        if (look(&b, capacity / b.grain * b.grain, b.steps) == PLACE_NO_ROOM) room = false;
    } else if (room) {
        room = lower(&b);
    }
    place_search_close(b.search);
    free(b.found);
    return room;
}

/* Pairs alive together that the search still holds in memory. */
static const double most_pairs = 1e6;

enum rk_status rk_place(const struct rk_buffer *buffer, size_t count,
                        const struct rk_place_options *options, uint64_t *address,
                        struct rk_placement *placement, struct rk_error *error)
{
    const enum rk_status status = check_buffers(buffer, count, error);
    if (status != RK_OK) return status;
    const uint64_t capacity = options ? options->capacity : 0;
    struct rk_placement p = {.by = RK_PLACE_GREEDY};
    struct event *event = sweep(buffer, count);
    double pairs = 0;
    bool room = event != NULL;
    if (room) {
        measure(buffer, count, event, &p.live, &pairs);
        p.bound = p.live;
        const uint64_t enough = capacity > p.live ? capacity : p.live;
        room = place_greedily(buffer, count, event, enough, address, &p.peak);
        const bool hopeless = capacity && capacity < p.live;
        if (room && p.peak > enough && pairs <= most_pairs && !hopeless)
            room = search(buffer, count, options, address, &p);
    }
    free(event);
    if (!room)
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to place %zu buffers", count);
    p.optimal = p.peak == p.bound;
    *placement = p;
    return RK_OK;
}
