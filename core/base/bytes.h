/* bytes.h - a run of bytes that grows. A zeroed struct is empty. */
#ifndef RECKON_BASE_BYTES_H
#define RECKON_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

struct bytes {
    char *data; /* (size of room) */
    size_t size, room;
};

/* Room for `more` bytes behind the last; false when there is no memory: nothing has changed. */
bool bytes_reserve(struct bytes *bytes, size_t more);

/* Appends; `data` may be NULL when `size` is 0. */
bool bytes_add(struct bytes *bytes, const void *data, size_t size);

void bytes_release(struct bytes *bytes);

#endif
