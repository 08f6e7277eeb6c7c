/* pool.c - blocks by size: those given back are taken again by the next request of the same size.
 */
#include "run/real/engine.h"

#include <stdlib.h>
#include <string.h>

static struct block *find_block(struct pool *pool, size_t bytes)
{
    struct block *unused = NULL;
    for (struct block *b = pool->blocks; b; b = b->next)
        if (!b->used && b->bytes == bytes) unused = b;
    return unused;
}

real *REAL(pool_take)(struct engine *e, size_t count)
{
    const size_t bytes = (count * sizeof(real) + 63) / 64 * 64;
    struct pool *pool = &e->pool;
    struct block *b = find_block(pool, bytes);
    if (!b) {
        b = aligned_alloc(64, sizeof *b + bytes);
        if (!b) {
            struct rk_error error;
            rk_fail(&error, RK_IO, NULL, 0, 0,
                    "rank %d has no memory for another %zu bytes beside %llu of activations",
                    e->rank, bytes, (unsigned long long)pool->used_bytes);
            comm_fail(e->comm, &error);
            give_up(e);
        }
        *b = (struct block){.next = pool->blocks, .bytes = bytes};
        pool->blocks = b;
    }
    b->used = true;
    pool->used_bytes += bytes;
    if (pool->used_bytes > pool->peak_bytes) pool->peak_bytes = pool->used_bytes;
    return b->data;
}

real *REAL(pool_zeros)(struct engine *e, size_t count)
{
    real *data = REAL(pool_take)(e, count);
    memset(data, 0, count * sizeof *data);
    return data;
}

void REAL(pool_free)(struct engine *e, real *data)
{
    struct block *b = (struct block *)((char *)data - offsetof(struct block, data));
    b->used = false;
    e->pool.used_bytes -= b->bytes;
}

void REAL(pool_release)(struct pool *pool)
{
    for (struct block *b = pool->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *pool = (struct pool){.blocks = NULL};
}
