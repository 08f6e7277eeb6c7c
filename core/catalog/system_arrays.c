/* system_arrays.c - the arrays that a struct rk_system owns, and the clusters of one of several. */
#include <reckon/machine.h>
#include <stdlib.h>
#include <string.h>

static void *duplicate(const void *from, size_t count, size_t size)
{
    void *to = calloc(count ? count : 1, size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

/* `to` is released where it fails. */
static enum rk_status copy_machine(struct rk_system *to, const struct rk_machine *from,
                                   struct rk_error *error)
{
    struct rk_machine *copy = to->machine = malloc(sizeof *copy);
    enum rk_status status = RK_OK;
    if (copy) *copy = *from;
    if (copy) copy->clusters = 0;
    for (int i = 0; copy && i < from->clusters && status == RK_OK; i++) {
        status = rk_system_copy(&copy->cluster[i].system, &from->cluster[i].system, error);
        copy->clusters += status == RK_OK;
    }
    if (copy && status == RK_OK) return RK_OK;
    rk_system_release(to);
    return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to copy the machine");
}

enum rk_status rk_system_copy(struct rk_system *to, const struct rk_system *from,
                              struct rk_error *error)
{
    struct rk_system copy = *from;
    copy.machine = NULL;
    copy.memory = duplicate(from->memory, (size_t)from->memories, sizeof *copy.memory);
    copy.network = duplicate(from->network, (size_t)from->networks, sizeof *copy.network);
    if (!copy.memory || !copy.network) {
        rk_system_release(&copy);
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to copy the system %s",
                       from->id);
    }
    *to = copy;
    return from->machine ? copy_machine(to, from->machine, error) : RK_OK;
}

const struct rk_system *rk_system_of(const struct rk_system *system, int cluster)
{
    return system->machine ? &system->machine->cluster[cluster].system : system;
}

void rk_machine_release(struct rk_machine *machine)
{
    for (int i = 0; i < machine->clusters; i++)
        rk_system_release(&machine->cluster[i].system);
    *machine = (struct rk_machine){.clusters = 0};
}

void rk_system_release(struct rk_system *system)
{
    if (system->machine) rk_machine_release(system->machine);
    free(system->machine);
    free(system->memory);
    free(system->network);
    memset(system, 0, sizeof *system);
}
