/* bytes.h - a run of bytes that grows. A zeroed struct is empty. */
#ifndef RECKON_BASE_BYTES_H
#define RECKON_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

struct bytes {
    char *data; /* (size of room) */
    size_t size, room;
};

/* Makes room for `more` bytes after the last one. False, with nothing changed, when memory runs
 * out. */
bool bytes_reserve(struct bytes *bytes, size_t more);

/* Appends; `data` may be NULL when `size` is 0. */
bool bytes_add(struct bytes *bytes, const void *data, size_t size);

void bytes_release(struct bytes *bytes);

#endif
