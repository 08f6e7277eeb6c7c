/* memory_check.c - are addresses sound? Shares nothing with the files that find them. */
#include <reckon/place.h>
#include <stdlib.h>

struct piece {
    int64_t start, end;
    uint64_t low, high;
    size_t buffer;
};

static int by_start(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* Those alive, by address: none overlap, so a newcomer meets its neighbours first. */
struct living {
    struct piece *piece;
    size_t count;
};

static size_t first_above(const struct living *living, uint64_t low)
{
    size_t from = 0, to = living->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (living->piece[middle].high <= low)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void bury(struct living *living, int64_t now)
{
    size_t kept = 0;
    for (size_t i = 0; i < living->count; i++)
        if (living->piece[i].end > now) living->piece[kept++] = living->piece[i];
    living->count = kept;
}

static enum rk_place_fault check_alone(const struct rk_buffer *buffer, size_t count,
                                       const uint64_t *address, uint64_t capacity, size_t *first)
{
    for (size_t i = 0; i < count; i++) {
        *first = i;
        if (capacity && (buffer[i].size > capacity || address[i] > capacity - buffer[i].size))
            return RK_PLACE_TOO_HIGH;
        if (buffer[i].alignment > 1 && address[i] % buffer[i].alignment) return RK_PLACE_UNALIGNED;
    }
    return RK_PLACE_SOUND;
}

static enum rk_place_fault check_together(struct piece *piece, size_t count, struct living *living,
                                          size_t *first, size_t *second)
{
    for (size_t i = 0; i < count; i++) {
        bury(living, piece[i].start);
        const size_t at = first_above(living, piece[i].low);
        if (at < living->count && living->piece[at].low < piece[i].high) {
            *first = living->piece[at].buffer;
            *second = piece[i].buffer;
            return RK_PLACE_OVERLAP;
        }
        for (size_t k = living->count++; k > at; k--)
            living->piece[k] = living->piece[k - 1];
        living->piece[at] = piece[i];
    }
    return RK_PLACE_SOUND;
}

enum rk_place_fault rk_place_check(const struct rk_buffer *buffer, size_t count,
                                   const uint64_t *address, uint64_t capacity, size_t *first,
                                   size_t *second)
{
    enum rk_place_fault fault = check_alone(buffer, count, address, capacity, first);
    if (fault != RK_PLACE_SOUND) return fault;
    struct piece *piece = malloc(count * sizeof *piece + 1);
    struct living living = {malloc(count * sizeof *piece + 1), 0};
    size_t used = 0;
    fault = RK_PLACE_UNCHECKED;
    if (piece && living.piece) {
        for (size_t i = 0; i < count; i++)
            if (buffer[i].size)
                piece[used++] = (struct piece){buffer[i].start, buffer[i].end, address[i],
                                               address[i] + buffer[i].size, i};
        qsort(piece, used, sizeof *piece, by_start);
        fault = check_together(piece, used, &living, first, second);
    }
    free(piece);
    free(living.piece);
    return fault;
}
