/* system_arrays.c - the arrays that a struct rk_system owns. */
#include <reckon/system.h>
#include <stdlib.h>
#include <string.h>

static void *duplicate(const void *from, size_t count, size_t size)
{
    void *to = calloc(count ? count : 1, size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

enum rk_status rk_system_copy(struct rk_system *to, const struct rk_system *from,
                              struct rk_error *error)
{
    struct rk_system copy = *from;
    copy.memory = duplicate(from->memory, (size_t)from->memories, sizeof *copy.memory);
    copy.network = duplicate(from->network, (size_t)from->networks, sizeof *copy.network);
    if (!copy.memory || !copy.network) {
        rk_system_release(&copy);
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to copy the system %s",
                       from->id);
    }
    *to = copy;
    return RK_OK;
}

void rk_system_release(struct rk_system *system)
{
    free(system->memory);
    free(system->network);
    memset(system, 0, sizeof *system);
}
