/* node_tiers.h - nodes in the networks of a system. */
#ifndef RECKON_MACHINE_NODE_TIERS_H
#define RECKON_MACHINE_NODE_TIERS_H

#include <reckon/system.h>

enum {
    NODE_LARGEST = 16
}; /* accelerators of one host (DGX-2): links that join more are of a rack */

/* Which networks of an entry of the catalog are links of accelerators, the bus of the node, and
 * what joins nodes; -1: it has none. */
struct node_tiers {
    int links, bus, fabric;
};
struct node_tiers node_tiers_of(const struct rk_system *system);

/* Accelerators of a node of the entry; 0: its links join several nodes, so that it does not say. */
uint64_t node_size_of(const struct rk_system *system);

#endif
