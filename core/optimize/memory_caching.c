/* memory_caching.c - the caching allocator of PyTorch, request by request. */
#include <reckon/allocator.h>
#include <stdlib.h>

static const uint64_t least_block = 512, small_most = 1 << 20, small_segment = 2 << 20,
                      large_segment = 20 << 20, large_from = 10 << 20, segment_grain = 2 << 20;

enum pool { SMALL, LARGE, POOLS };
enum { NONE = -1 };

/* Blocks of a segment are a list by address. */
struct block {
    uint64_t address, size;
    int before, after; /* in the segment */
    bool used, small;
    int segment;
};

struct segment {
    uint64_t size;
    int first; /* block; NONE: given back */
    enum pool pool;
};

struct event {
    int64_t time;
    bool start;
    uint32_t buffer;
};

struct heap {
    const struct rk_allocator_options *options;
    struct rk_allocator_result *result;
    struct block *block;
    struct segment *segment;
    int blocks, segments, spare; /* spare: a list of blocks that are not, by `after` */
    int expanding[POOLS];        /* segment; NONE: not yet */
    uint64_t allocated, reserved, next_address;
};

static uint64_t round_up(uint64_t size, uint64_t grain)
{
    return (size + grain - 1) / grain * grain;
}

static int new_block(struct heap *h)
{
    const int i = h->spare;
    if (i == NONE) return h->blocks++;
    h->spare = h->block[i].after;
    return i;
}

static void drop_block(struct heap *h, int i)
{
    h->block[i].size = 0;
    h->block[i].after = h->spare;
    h->spare = i;
}

/* ---- segments ---- */

static void give_back(struct heap *h, int s)
{
    struct segment *segment = &h->segment[s];
    h->reserved -= segment->size;
    drop_block(h, segment->first);
    segment->first = NONE;
    for (int p = 0; p < POOLS; p++)
        if (h->expanding[p] == s) h->expanding[p] = NONE;
}

/* All that are wholly free. */
static bool give_back_free(struct heap *h)
{
    bool any = false;
    for (int s = 0; s < h->segments; s++) {
        const int first = h->segment[s].first;
        if (first == NONE || h->block[first].used || h->block[first].after != NONE) continue;
        give_back(h, s);
        any = true;
    }
    return any;
}

/* Is there room for `size` bytes more, if need be without free segments? */
static bool make_room(struct heap *h, uint64_t size)
{
    const uint64_t capacity = h->options->capacity;
    if (!capacity || h->reserved + size <= capacity) return true;
    if (!give_back_free(h)) return false;
    h->result->retries++;
    return h->reserved + size <= capacity;
}

static void note_reserved(struct heap *h, uint64_t size)
{
    h->reserved += size;
    h->result->segments++;
    if (h->reserved > h->result->reserved) h->result->reserved = h->reserved;
}

/* A free block as large as a new segment; NONE when the device has no room. */
static int open_segment(struct heap *h, enum pool pool, uint64_t size)
{
    const uint64_t whole = pool == SMALL       ? small_segment
                           : size < large_from ? large_segment
                                               : round_up(size, segment_grain);
    if (!make_room(h, whole)) return NONE;
    const int i = new_block(h), s = h->segments++;
    h->block[i] = (struct block){h->next_address, whole, NONE, NONE, false, pool == SMALL, s};
    h->segment[s] = (struct segment){whole, i, pool};
    h->next_address += whole;
    note_reserved(h, whole);
    return i;
}

static int last_block(const struct heap *h, int s)
{
    int i = h->segment[s].first;
    while (h->block[i].after != NONE)
        i = h->block[i].after;
    return i;
}

/* Each pool's own range of addresses, so that its end can grow. */
static const uint64_t pool_base[POOLS] = {0, UINT64_C(1) << 46};

/* Grows the end of the pool's segment until a block there is large enough. */
static int expand(struct heap *h, enum pool pool, uint64_t size)
{
    const uint64_t grain = pool == SMALL ? small_segment : large_segment;
    int s = h->expanding[pool];
    const int end = s == NONE ? NONE : last_block(h, s);
    const bool grows = end != NONE && !h->block[end].used;
    const uint64_t more = round_up(size - (grows ? h->block[end].size : 0), grain);
    if (!make_room(h, more)) return NONE;
    if (h->expanding[pool] == NONE) { /* also when making room gave it back */
        const uint64_t whole = round_up(size, grain);
        const int i = new_block(h);
        s = h->expanding[pool] = h->segments++;
        h->block[i] = (struct block){pool_base[pool], whole, NONE, NONE, false, pool == SMALL, s};
        h->segment[s] = (struct segment){whole, i, pool};
        note_reserved(h, whole);
        return i;
    }
    h->segment[s].size += more;
    note_reserved(h, more);
    if (grows) {
        h->block[end].size += more;
        return end;
    }
    const int i = new_block(h);
    h->block[i] = (struct block){
        h->block[end].address + h->block[end].size, more, end, NONE, false, pool == SMALL, s};
    h->block[end].after = i;
    return i;
}

/* ---- blocks ---- */

static int best_fit(const struct heap *h, enum pool pool, uint64_t size)
{
    int best = NONE;
    for (int i = 0; i < h->blocks; i++) {
        const struct block *b = &h->block[i];
        if (b->size < size || b->used || b->small != (pool == SMALL)) continue;
        if (best == NONE || b->size < h->block[best].size ||
            (b->size == h->block[best].size && b->address < h->block[best].address))
            best = i;
    }
    return best;
}

static void split(struct heap *h, int i, uint64_t size, enum pool pool)
{
    const uint64_t left = h->block[i].size - size;
    const bool splits =
        pool == SMALL || h->options->expandable ? left >= least_block : left > small_most;
    if (!splits) return;
    const int rest = new_block(h);
    struct block *b = &h->block[i];
    h->block[rest] =
        (struct block){b->address + size, left, i, b->after, false, b->small, b->segment};
    if (b->after != NONE) h->block[b->after].before = rest;
    b->after = rest;
    b->size = size;
}

/* The block; NONE: out of memory. */
static int allocate(struct heap *h, uint64_t bytes)
{
    const uint64_t size = round_up(bytes ? bytes : 1, least_block);
    const enum pool pool = size <= small_most ? SMALL : LARGE;
    int i = best_fit(h, pool, size);
    if (i == NONE) i = h->options->expandable ? expand(h, pool, size) : open_segment(h, pool, size);
    if (i == NONE) return NONE;
    split(h, i, size, pool);
    h->block[i].used = true;
    h->allocated += h->block[i].size;
    if (h->allocated > h->result->allocated) {
        h->result->allocated = h->allocated;
        h->result->at_peak = h->reserved;
    }
    return i;
}

/* Block i absorbs the next block. */
static void join(struct heap *h, int i)
{
    const int gone = h->block[i].after;
    h->block[i].size += h->block[gone].size;
    h->block[i].after = h->block[gone].after;
    if (h->block[i].after != NONE) h->block[h->block[i].after].before = i;
    drop_block(h, gone);
}

static void release(struct heap *h, int i)
{
    h->block[i].used = false;
    h->allocated -= h->block[i].size;
    const int after = h->block[i].after, before = h->block[i].before;
    if (after != NONE && !h->block[after].used) join(h, i);
    if (before != NONE && !h->block[before].used) join(h, before);
}

/* ---- the trace ---- */

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->start != y->start) return x->start ? 1 : -1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static void run(struct heap *h, const struct rk_buffer *buffer, const struct event *event,
                size_t events, int *block, uint64_t *address)
{
    for (size_t k = 0; k < events; k++) {
        const uint32_t i = event[k].buffer;
        if (!event[k].start) {
            release(h, block[i]);
            continue;
        }
        block[i] = allocate(h, buffer[i].size);
        if (block[i] == NONE) {
            h->result->failed = event[k].time;
            return;
        }
        if (address) address[i] = h->block[block[i]].address;
    }
}

enum rk_status rk_allocator_run(const struct rk_buffer *buffer, size_t count,
                                const struct rk_allocator_options *options, uint64_t *address,
                                struct rk_allocator_result *result, struct rk_error *error)
{
    static const struct rk_allocator_options usual = {.capacity = 0};
    struct event *event = malloc(2 * count * sizeof *event + 1);
    int *block = malloc(count * sizeof *block + 1);
    struct heap h = {.options = options ? options : &usual,
                     .result = result,
                     .block = malloc((3 * count + 4) * sizeof(struct block)),
                     .segment = malloc((count + 4) * sizeof(struct segment)),
                     .spare = NONE,
                     .expanding = {NONE, NONE}};
    enum rk_status status = RK_OK;
    *result = (struct rk_allocator_result){.failed = INT64_MIN};
    for (size_t i = 0; status == RK_OK && i < count; i++)
        if (buffer[i].start >= buffer[i].end || buffer[i].size > RK_PLACE_MOST)
            status = rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                             "buffer %zu must end after it starts and be no larger than 2^60", i);
    if (!event || !block || !h.block || !h.segment)
        status = rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for %zu requests", count);
    if (status == RK_OK) {
        for (size_t i = 0; i < count; i++) {
            event[2 * i] = (struct event){buffer[i].start, true, (uint32_t)i};
            event[2 * i + 1] = (struct event){buffer[i].end, false, (uint32_t)i};
        }
        qsort(event, 2 * count, sizeof *event, by_time);
        run(&h, buffer, event, 2 * count, block, address);
    }
    free(event);
    free(block);
    free(h.block);
    free(h.segment);
    return status;
}
