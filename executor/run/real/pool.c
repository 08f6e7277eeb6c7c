#include "base/memory.h"
#include "run/pages.h"
#include "run/real/engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Lies in front of the data, which begins a page when it is as large as one. */
struct block {
    struct block *next;         /* of all */
    size_t bytes, room, mapped; /* asked for; there; of a mapping, else 0 */
    size_t number;              /* of the trace; NONE */
    bool used, idle;            /* idle: not used since the step began */
};

#define NONE SIZE_MAX

enum { LINE = 64, PLACE_WORK = 2000000 }; /* steps of a search times tensors: below a second */

size_t pool_bytes(size_t count)
{
    const size_t bytes = count * sizeof(real) + !count;
    const size_t unit = bytes < TIER_PAGE ? LINE : TIER_PAGE; /* transfers move whole pages */
    return (bytes + unit - 1) / unit * unit;
}

/* ---- blocks ---- */

static struct block *block_of(real *data)
{
    return (struct block *)((char *)data - LINE);
}

static real *data_of(struct block *b)
{
    return (real *)((char *)b + LINE);
}

static struct block *new_block(size_t bytes)
{
    const size_t front = bytes < TIER_PAGE ? LINE : TIER_PAGE, all = front + bytes;
    const bool large = all >= 16 * TIER_PAGE; /* given back to the machine one by one */
    char *memory = large
                       ? mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                       : aligned_alloc(front, (all + front - 1) / front * front);
    if (!memory || memory == MAP_FAILED) return NULL;
    if (large) pages_ask(memory, all);
    struct block *b = (struct block *)(memory + front - LINE);
    *b = (struct block){.room = bytes, .mapped = large ? all : 0, .number = NONE};
    return b;
}

static void free_block(struct block *b)
{
    char *memory = (char *)b + LINE - (b->room < TIER_PAGE ? LINE : TIER_PAGE);
    if (b->mapped)
        munmap(memory, b->mapped);
    else
        free(memory);
}

/* The smallest that has room, and not much more: what a router sends is of another size each
 * time. Below a page it begins elsewhere. */
static struct block *find_block(struct pool *pool, size_t bytes)
{
    struct block *found = NULL;
    for (struct block *b = pool->blocks; b; b = b->next) {
        const bool fits = b->room >= bytes && b->room - bytes <= bytes / 4;
        if (!b->used && fits && (b->room < TIER_PAGE) == (bytes < TIER_PAGE) &&
            (!found || b->room <= found->room))
            found = b;
    }
    return found;
}

static struct block *take_block(struct pool *pool, size_t bytes)
{
    struct block *b = pool->mode == POOL_WATCHES ? NULL : find_block(pool, bytes);
    if (!b) {
        if (!(b = new_block(bytes))) return NULL;
        b->next = pool->blocks;
        pool->blocks = b;
    }
    b->bytes = bytes;
    b->idle = false;
    return b;
}

enum drop { DROP_IDLE, DROP_UNUSED, DROP_ALL };

static void drop_blocks(struct pool *pool, enum drop which)
{
    for (struct block **at = &pool->blocks, *b; (b = *at);) {
        const bool stays = which == DROP_IDLE ? !b->idle : which == DROP_UNUSED && b->used;
        b->idle = !b->used;
        if (stays) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        free_block(b);
    }
}

/* ---- the trace ---- */

static bool note(struct pool *pool, struct block *b)
{
    if (pool->mode != POOL_WATCHES) return true;
    if (!ARRAY_ROOM(pool->buffer, pool->buffers)) return false;
    b->number = pool->buffers++;
    pool->buffer[b->number] = (struct rk_buffer){
        .start = pool->time++,
        .size = b->bytes,
        .alignment = b->bytes < TIER_PAGE ? LINE : TIER_PAGE,
    };
    return true;
}

/* ---- addresses ---- */

static int by_address(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t site_at(const struct pool *pool, uint64_t address)
{
    const uint64_t *found =
        bsearch(&address, pool->site, pool->sites, sizeof *pool->site, by_address);
    return (size_t)(found - pool->site);
}

static void list_sites(struct pool *pool)
{
    memcpy(pool->site, pool->address, pool->buffers * sizeof *pool->site);
    qsort(pool->site, pool->buffers, sizeof *pool->site, by_address);
    pool->sites = 0;
    for (size_t i = 0; i < pool->buffers; i++)
        if (!pool->sites || pool->site[pool->sites - 1] != pool->site[i])
            pool->site[pool->sites++] = pool->site[i];
}

static enum rk_status place(struct pool *pool, struct rk_error *error)
{
    const struct rk_place_options options = {.steps = 1 + PLACE_WORK / pool->buffers};
    pool->address = calloc(2 * pool->buffers, sizeof *pool->address);
    pool->lives = calloc(pool->buffers, sizeof *pool->lives);
    if (!pool->address || !pool->lives) return no_memory(error);
    pool->site = pool->address + pool->buffers;
    const enum rk_status status =
        rk_place(pool->buffer, pool->buffers, &options, pool->address, &pool->placement, error);
    if (status != RK_OK) return status;
    list_sites(pool);
    void *arena = mmap(NULL, pool->placement.peak, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED)
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for %llu bytes of activations",
                       (unsigned long long)pool->placement.peak);
    pages_ask(arena, pool->placement.peak);
    pool->arena = arena;
    return RK_OK;
}

void pool_forget(struct pool *pool)
{
    if (pool->arena) munmap(pool->arena, pool->placement.peak);
    free(pool->address);
    free(pool->lives);
    pool->arena = NULL;
    pool->address = pool->site = NULL;
    pool->lives = NULL;
    pool->mode = POOL_REUSES;
    pool->buffers = 0;
    pool->placement = (struct rk_placement){.peak = 0};
}

bool pool_begin(struct engine *e)
{
    struct pool *pool = &e->pool;
    struct rk_error error;
    pool->next = 0;
    pool->time = 0;
    pool->peak_bytes = pool->used_bytes;
    drop_blocks(pool, DROP_IDLE);
    if (pool->mode == POOL_PLACED) return true;
    if (!pool->buffers) {
        pool->mode = POOL_WATCHES;
        return true;
    }
    pool->mode = POOL_PLACED;
    return place(pool, &error) == RK_OK || comm_fail(e->comm, &error);
}

/* What is still there is not placed: its life has no end yet. */
void pool_end(struct engine *e)
{
    struct pool *pool = &e->pool;
    pool->next = pool->buffers;
    if (pool->mode != POOL_WATCHES) return;
    pool->mode = POOL_REUSES;
    for (size_t i = 0; i < pool->buffers; i++)
        if (!pool->buffer[i].end) pool->buffers = 0;
}

/* Is this event of a placed step the one that was seen there? If not, nothing is placed any more:
 * what is there stays, and lives may be longer than they were. */
static void follow(struct pool *pool, int64_t seen)
{
    if (pool->time++ != seen) pool->next = pool->buffers;
}

/* The number of the next tensor of a placed step; NONE. */
static size_t next_number(struct pool *pool)
{
    if (pool->mode != POOL_PLACED || pool->next >= pool->buffers) return NONE;
    follow(pool, pool->buffer[pool->next].start);
    return pool->next < pool->buffers ? pool->next++ : NONE;
}

static real *put_there(struct pool *pool, size_t n, size_t bytes)
{
    if (n == NONE || bytes > pool->buffer[n].size) return NULL;
    pool->lives[site_at(pool, pool->address[n])] = n;
    pool->used_bytes += pool->buffer[n].size;
    return (real *)(pool->arena + pool->address[n]);
}

/* ---- taking and giving ---- */

static size_t number_of(const struct pool *pool, const real *data)
{
    const char *at = (const char *)data;
    if (!pool->arena || at < pool->arena || at >= pool->arena + pool->placement.peak) return NONE;
    return pool->lives[site_at(pool, (uint64_t)(at - pool->arena))];
}

size_t pool_bytes_of(const struct pool *pool, const real *data)
{
    const size_t n = number_of(pool, data);
    return n == NONE ? block_of((real *)(uintptr_t)data)->bytes : pool->buffer[n].size;
}

static void out_of_memory(struct engine *e, size_t bytes)
{
    struct rk_error error;
    rk_fail(&error, RK_NO_MEMORY, NULL, 0, 0,
            "rank %d has no memory for another %zu bytes in addition to %llu of activations: "
            "recompute=full, offload-activations=1 or smaller microbatches take less",
            e->rank, bytes, (unsigned long long)e->pool.used_bytes);
    comm_fail(e->comm, &error);
    give_up(e);
}

void *REAL(scratch_of)(struct engine *e, size_t bytes)
{
    void *taken = scratch_take(&e->comm->scratch, bytes);
    if (!taken) out_of_memory(e, bytes);
    return taken;
}

real *REAL(pool_take)(struct engine *e, size_t count)
{
    const size_t bytes = pool_bytes(count);
    struct pool *pool = &e->pool;
    const size_t n = next_number(pool);
    real *data = put_there(pool, n, bytes);
    if (!data) {
        struct block *b = take_block(pool, bytes);
        if (b) b->number = n;
        if (!b || !note(pool, b)) out_of_memory(e, bytes);
        b->used = true;
        pool->used_bytes += bytes;
        data = data_of(b);
    }
    if (pool->used_bytes > pool->peak_bytes) pool->peak_bytes = pool->used_bytes;
    return data;
}

real *REAL(pool_zeros)(struct engine *e, size_t count)
{
    real *data = REAL(pool_take)(e, count);
    clear_bytes(data, count * sizeof *data);
    return data;
}

void REAL(pool_free)(struct engine *e, real *data)
{
    struct pool *pool = &e->pool;
    const size_t n = number_of(pool, data);
    if (n != NONE) {
        pool->used_bytes -= pool->buffer[n].size;
        follow(pool, pool->buffer[n].end);
        return;
    }
    struct block *b = block_of(data);
    b->used = false;
    pool->used_bytes -= b->bytes;
    if (pool->mode == POOL_PLACED && b->number != NONE) follow(pool, pool->buffer[b->number].end);
    if (pool->mode != POOL_WATCHES || b->number == NONE) return;
    pool->buffer[b->number].end = pool->time++;
    drop_blocks(pool, DROP_UNUSED);
}

void REAL(pool_release)(struct pool *pool)
{
    pool_forget(pool);
    free(pool->buffer);
    drop_blocks(pool, DROP_ALL);
    *pool = (struct pool){.blocks = NULL};
}
