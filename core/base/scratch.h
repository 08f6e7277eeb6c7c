/* scratch.h - room for short-lived arrays whose lengths are known only at run time: taken and given
 * back like those of a stack, but on the heap. What has been taken stays where it is. */
#ifndef RECKON_BASE_SCRATCH_H
#define RECKON_BASE_SCRATCH_H

#include <stddef.h>

struct scratch_block;
struct scratch {
    struct scratch_block *first, *at; /* NULL: nothing yet */
};

/* How much is taken. */
struct scratch_mark {
    struct scratch_block *at;
    size_t used;
};

/* NULL: no memory. Bytes are of any value, aligned for all types. */
void *scratch_take(struct scratch *scratch, size_t bytes);
struct scratch_mark scratch_mark(const struct scratch *scratch);
/* Gives back all that was taken since; what a scratch of zeros gives back is all. The room stays
 * for the next time. */
void scratch_back(struct scratch *scratch, struct scratch_mark mark);
void scratch_release(struct scratch *scratch);

#endif
