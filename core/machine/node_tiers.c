#include "machine/node_tiers.h"

#include <string.h>

struct node_tiers node_tiers_of(const struct rk_system *system)
{
    struct node_tiers tiers = {-1, -1, -1};
    for (int i = 0; i < system->networks; i++) {
        const bool bus = strncmp(system->network[i].name, "PCI", 3) == 0;
        int *tier = bus ? &tiers.bus : i ? &tiers.fabric : &tiers.links;
        if (*tier < 0) *tier = i;
    }
    return tiers;
}

uint64_t node_size_of(const struct rk_system *system)
{
    const struct node_tiers tiers = node_tiers_of(system);
    const int inside = tiers.bus >= 0 ? tiers.bus : tiers.links;
    const uint64_t size = inside < 0 ? 1 : system->network[inside].size;
    return size > NODE_LARGEST ? 0 : size;
}
