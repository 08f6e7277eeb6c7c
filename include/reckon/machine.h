/* machine.h - several clusters and the links between them.
 *
 * A cluster is a system of its own (system.h): one kind of accelerator and the networks inside. Two
 * clusters are joined by a link that all accelerators of a node share. Several of them are a
 * system, too, whose plans say on which clusters their stages have replicas (rk_layout). In one
 * line:
 *
 *     h100-sxm5-80g x256 + a100-sxm4-80g x128 link=100Gb/s@50us
 *
 * or in a file; reckon-system(5) has both. SI units: bytes, seconds.
 */
#ifndef RECKON_MACHINE_H
#define RECKON_MACHINE_H

#include <reckon/system.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { RK_MAX_CLUSTERS = 8 };

struct rk_cluster {
    char name[32];           /* unique; "0", "1", ... where none is given */
    struct rk_system system; /* devices > 0 where there are several clusters */
    double price_USDph;      /* of an accelerator for an hour; 0: not known */
    char adapters[128];      /* of a node, as NCCL_IB_HCA has them: mlx5_0,mlx5_1; "": not said */
    char interface[32];      /* of a node for sockets, NCCL_SOCKET_IFNAME; "": not said */
};

/* Between two clusters, each way. */
struct rk_cluster_link {
    double bandwidth_Bps; /* of a node's NIC */
    double latency_s;     /* of a message */
    double cap_Bps;       /* of the pair of clusters together; infinity: none */
    double price_USD;     /* for a byte that crosses it; 0: none */
};

struct rk_machine {
    int clusters;
    struct rk_cluster cluster[RK_MAX_CLUSTERS];
    struct rk_cluster_link link[RK_MAX_CLUSTERS][RK_MAX_CLUSTERS]; /* symmetric */
};

/* A system of rk_system_load is a machine of one cluster. The caller releases it; untouched on
 * failure. */
RK_API enum rk_status rk_machine_load(const char *name, struct rk_machine *machine,
                                      struct rk_error *error);

/* Is it a line or a file of several clusters? A file that cannot be read is not. */
RK_API bool rk_machine_is_several(const char *name);

RK_API void rk_machine_release(struct rk_machine *machine); /* a zeroed one is fine */

/* One cluster, as rk_system_load() has it, or several as one system: system->machine. The caller
 * releases it; untouched on failure. */
RK_API enum rk_status rk_system_load_several(const char *name, struct rk_system *system,
                                             struct rk_error *error);

/* A cluster of a system of several clusters; of a system of one cluster, the system itself. */
RK_API const struct rk_system *rk_system_of(const struct rk_system *system, int cluster);

/* Accelerators that share a node: those of the innermost network, or of the PCI bus around it where
 * the system has one (bridges join pairs of a node). */
RK_API uint64_t rk_cluster_node(const struct rk_cluster *cluster);
RK_API uint64_t rk_cluster_nodes(const struct rk_cluster *cluster);

#ifdef __cplusplus
}
#endif
#endif
