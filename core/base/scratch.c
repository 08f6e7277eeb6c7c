#include "base/scratch.h"

#include <stdint.h>
#include <stdlib.h>

struct scratch_block {
    struct scratch_block *next;
    size_t size, used;
    _Alignas(max_align_t) char bytes[];
};

enum { LEAST_BYTES = 4096, ALIGNMENT = _Alignof(max_align_t) };

static size_t left(const struct scratch_block *b)
{
    return b ? b->size - b->used : 0;
}

/* A block of at least `bytes` bytes next to the one at hand. */
static struct scratch_block *block_of(struct scratch *s, size_t bytes)
{
    struct scratch_block **next = s->at ? &s->at->next : &s->first;
    if (!*next || (*next)->size < bytes) {
        const size_t size = bytes < LEAST_BYTES ? LEAST_BYTES : bytes;
        struct scratch_block *made = malloc(sizeof *made + size);
        if (!made) return NULL;
        made->next = *next;
        made->size = size;
        *next = made;
    }
    (*next)->used = 0;
    return s->at = *next;
}

void *scratch_take(struct scratch *s, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if ((!s->at || left(s->at) < bytes) && !block_of(s, bytes)) return NULL;
    void *taken = s->at->bytes + s->at->used;
    s->at->used += bytes;
    return taken;
}

struct scratch_mark scratch_mark(const struct scratch *s)
{
    return (struct scratch_mark){s->at, s->at ? s->at->used : 0};
}

void scratch_back(struct scratch *s, struct scratch_mark mark)
{
    s->at = mark.at;
    if (mark.at) mark.at->used = mark.used;
}

void scratch_release(struct scratch *s)
{
    for (struct scratch_block *b = s->first, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *s = (struct scratch){.first = NULL};
}
