#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_grow(void *array, size_t room, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old); /* whatever it points to */
    void *grown = room > SIZE_MAX / size ? NULL : realloc(old, room * size);
    if (grown) memcpy(array, &grown, sizeof grown);
    return grown != NULL;
}

bool array_sized(void *array, size_t count, size_t size)
{
    size_t room = ARRAY_LEAST;
    while (room < count && room <= SIZE_MAX / 2)
        room *= 2;
    return array_grow(array, room, size);
}

bool array_reserve(void *array, size_t *room, size_t need, size_t size)
{
    if (need <= *room) return true;
    const size_t more = need + need / 2 + 16;
    if (!array_grow(array, more, size)) return false;
    *room = more;
    return true;
}

enum rk_status no_memory(struct rk_error *error)
{
    return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "out of memory");
}
