/* slurm.h - which nodes share a network, from Slurm's topology.conf or what `scontrol show
 * topology` prints. topology/tree: lines of SwitchName=NAME with Nodes=LIST or Switches=LIST, of
 * which scontrol prints both above the leaves. Switches that no other one has are the tops of
 * networks that nothing joins: a cluster each. topology/block: lines of BlockName=NAME Nodes=LIST,
 * groups of nodes close to each other in one network; they are read as its leaves. */
#ifndef RECKON_MACHINES_SLURM_H
#define RECKON_MACHINES_SLURM_H

#include "machines/slurm_list.h"
#include "text/document.h"
#include <stdint.h>

struct slurm_network {
    char name[SLURM_NAME]; /* of its top switch; of blocks "blocks" */
    uint64_t nodes, leaves;
    uint64_t leaf_nodes; /* of its smallest leaf */
};

struct slurm_topology {
    bool blocks; /* leaves are blocks */
    int networks;
    struct slurm_network *network; /* (networks) in the order of the file, each with nodes */
};

/* Errors have the line. Release on success. */
enum rk_status slurm_topology_read(const struct document *document, struct slurm_topology *topology,
                                   struct rk_error *error);
void slurm_topology_release(struct slurm_topology *topology);

#endif
