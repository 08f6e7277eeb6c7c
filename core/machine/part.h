/* part.h - a part of a machine: what a run has of a lower memory that accelerators share, and a
 * network of another rate.
 *
 * A system's figures are the part of each while all of them work. A run on fewer accelerators than
 * share a memory has it to itself: each has 1/ranks of what there is. On more than one node the
 * node that is full decides, so that only runs smaller than that have more.
 */
#ifndef RECKON_MACHINE_PART_H
#define RECKON_MACHINE_PART_H

#include "base/limits.h"

#include <reckon/system.h>

/* How many times the part of each of `shared_by` each of `ranks` has; 1 where it is not shared. */
static inline double part_factor(uint64_t shared_by, uint64_t ranks)
{
    return ranks > 0 && ranks < shared_by ? (double)shared_by / (double)ranks : 1;
}

/* Size, endurance, price and rates of a rank of a run on so many. Its curve is the system's. */
static inline struct rk_memory memory_part(const struct rk_memory *memory, uint64_t ranks)
{
    const double held = part_factor(memory->capacity_shared_by, ranks);
    const double used = part_factor(memory->bandwidth_shared_by, ranks);
    struct rk_memory part = *memory;
    part.capacity_bytes *= held;
    part.endurance_bytes *= held;
    part.price_USD *= held;
    part.bandwidth_Bps *= used;
    part.read_Bps *= used;
    part.write_Bps *= used;
    part.update_Bps *= held;
    return part;
}

static inline double memory_part_bytes(const struct rk_memory *memory, uint64_t ranks)
{
    return memory->capacity_bytes * part_factor(memory->capacity_shared_by, ranks);
}

/* The network at so many times its rate: what a message loses until it streams is a time, so that
 * its bytes follow the rate. */
static inline void network_at(struct rk_network *network, double factor)
{
    network->bandwidth_Bps *= factor;
    network->link.ramp_bytes *= factor;
}

/* A machine of which plans may take a share of the device's memory alone. */
enum { ROOMY_MEMORIES = 64 };
struct roomy_system {
    struct rk_system system;
    struct rk_memory memory[ROOMY_MEMORIES];
};

/* `system` itself where the share is all of it (1, or 0: not said); else `to`, which refers to it.
 */
static inline const struct rk_system *system_with_room(struct roomy_system *to,
                                                       const struct rk_system *system, double room)
{
    if (!(room > 0 && room < 1)) return system;
    RK_REQUIRE(system->memories <= ROOMY_MEMORIES);
    to->system = *system;
    for (int i = 0; i < system->memories; i++)
        to->memory[i] = system->memory[i];
    to->memory[0].capacity_bytes *= room;
    to->system.memory = to->memory;
    return &to->system;
}

#endif
