/* node.h - one node as its own tools describe it: accelerators, what joins them, and the network
 * adapters that each is near to. hwloc.c and nvidia_smi.c read it; as the words of a system in one
 * line it is part of a machine. */
#ifndef RECKON_MACHINES_NODE_H
#define RECKON_MACHINES_NODE_H

#include "text/document.h"
#include <reckon/system.h>
#include <stdint.h>

enum { NODE_MOST = 64, NODE_NAME = 64 }; /* accelerators, adapters */

/* How far it is from an accelerator to an adapter, as nvidia-smi and NCCL have it. */
#define NODE_DISTANCES(X)                                                                          \
    X(NODE_PIX, "PIX", "one PCI bridge")                                                           \
    X(NODE_PXB, "PXB", "several PCI bridges")                                                      \
    X(NODE_PHB, "PHB", "the host bridge of a processor")                                           \
    X(NODE_NODE, "NODE", "several host bridges of a NUMA node")                                    \
    X(NODE_SYS, "SYS", "the link between processors")

#define NODE_ROW(id, name, help) id,
enum node_distance { NODE_DISTANCES(NODE_ROW) NODE_DISTANCE_COUNT };
#undef NODE_ROW
extern const char *const node_distance_names[]; /* (NODE_DISTANCE_COUNT), ended by NULL */

struct node_topology {
    char model[NODE_NAME]; /* as the driver calls its accelerators; "": not said */
    const char *system;    /* the entry of the catalog that they are; NULL: not known */
    int accelerators, adapters;
    bool joins_said;                   /* is `joined` known? */
    bool joined[NODE_MOST][NODE_MOST]; /* by links of their own, not PCI; symmetric */
    int links[NODE_MOST][NODE_MOST];   /* how many NVLinks join two; 0: none, or not said */
    double links_Bps;                  /* of one accelerator, each way; 0: not said */
    struct {
        char name[NODE_NAME];
        double rate_Bps; /* 0: not said */
    } adapter[NODE_MOST];
    enum node_distance distance[NODE_MOST][NODE_MOST]; /* [accelerator][adapter] */
};

/* What lstopo writes to a file that ends in .xml; hwloc 1, 2 and 3. Errors have the line. */
enum rk_status hwloc_read(const struct document *document, struct node_topology *node,
                          struct rk_error *error);

/* What `nvidia-smi topo -m` prints. */
enum rk_status nvidia_smi_read(const struct document *document, struct node_topology *node,
                               struct rk_error *error);

/* Accelerators that their links join, all with all; the node's where that is not said; 1: none
 * has links; 0: some reach others through a third one, or groups differ. */
int node_domain(const struct node_topology *node);

/* How many others links join an accelerator with; one that has another number of them than
 * accelerator 0, or the last. */
int node_joined(const struct node_topology *node, int accelerator);
int node_odd(const struct node_topology *node);

/* The rate of an accelerator's links, each way, from their number, on the network of the entry:
 * NVLink of generation 2 to 4 has 25 GB/s a link, of generation 5 50 [bekman2026]. Two that a
 * switch joins have all of theirs between each other. 0: it does not say. */
double node_links_Bps(const struct node_topology *node, const struct rk_network *network);

/* How far its nearest adapter is. */
enum node_distance node_near(const struct node_topology *node, int accelerator);

/* As NCCL chooses: the adapters that are the nearest to the accelerator. */
bool node_uses(const struct node_topology *node, int accelerator, int adapter);

/* What an accelerator has of the adapters in use; `each_Bps`: of an adapter that does not say.
 * 0: there is none, or a rate is missing. */
double node_network_Bps(const struct node_topology *node, double each_Bps);

#endif
