/* machine.c - what a stage has of its cluster. */
#include "clusters/predict.h"

#include "machine/part.h"

#include <string.h>

const struct rk_system *clusters_machine(const struct rk_machine *machine, int cluster,
                                         uint64_t gpus, struct stage_machine *own)
{
    const struct rk_system *system = &machine->cluster[cluster].system;
    bool apart = false;
    own->system = *system;
    own->system.memory = own->memory;
    if (own->system.memories > RK_SHARE_TIERS + 1) own->system.memories = RK_SHARE_TIERS + 1;
    for (int tier = 0; tier < own->system.memories; tier++) {
        const struct rk_memory *memory = &system->memory[tier];
        own->memory[tier] = memory_part(memory, gpus);
        own->memory[tier].capacity_shared_by = own->memory[tier].bandwidth_shared_by = 0;
        apart |= gpus < memory->capacity_shared_by || gpus < memory->bandwidth_shared_by;
    }
    return apart ? &own->system : system;
}

const struct rk_system *part_system(const struct rk_machine *machine, int cluster, uint64_t gpus,
                                    uint64_t ranks, struct part_machine *own)
{
    struct rk_system *system = &own->system;
    *system = *clusters_machine(machine, cluster, gpus, &own->stage);
    memcpy(own->network, system->network, (size_t)system->networks * sizeof *own->network);
    system->network = own->network;
    struct rk_network *last = &own->network[system->networks - 1];
    if (last->size < ranks) last->size = ranks;
    system->devices = 0; /* as if all stages were there */
    return system;
}
