#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

bool bytes_reserve(struct bytes *bytes, size_t more)
{
    if (bytes->room - bytes->size >= more) return true;
    size_t room = bytes->room ? 2 * bytes->room : 16384;
    if (room < bytes->size + more) room = bytes->size + more;
    char *data = realloc(bytes->data, room);
    if (!data) return false;
    bytes->data = data;
    bytes->room = room;
    return true;
}

bool bytes_add(struct bytes *bytes, const void *data, size_t size)
{
    if (!bytes_reserve(bytes, size)) return false;
    if (size) memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

void bytes_release(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){.data = NULL};
}
