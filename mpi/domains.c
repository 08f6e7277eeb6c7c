#include "mpi/domains.h"

#include <hwloc.h>
#include <stdbool.h>

static hwloc_topology_t load(void)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0) return NULL;
    if (hwloc_topology_load(topology) == 0) return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

/* A launcher has said where this process is. */
static bool is_bound(hwloc_topology_t topology)
{
    hwloc_bitmap_t here = hwloc_bitmap_alloc();
    const bool known = here && hwloc_get_cpubind(topology, here, HWLOC_CPUBIND_PROCESS) == 0;
    const bool bound =
        known && !hwloc_bitmap_isincluded(hwloc_topology_get_complete_cpuset(topology), here) &&
        hwloc_bitmap_isincluded(here, hwloc_topology_get_complete_cpuset(topology));
    hwloc_bitmap_free(here);
    return bound;
}

/* Of `processes` on `domains`, in order, as many on each. */
static int domain_of(int process, int processes, int domains)
{
    return (int)((long)process * domains / processes);
}

static void keep_to(hwloc_topology_t topology, hwloc_obj_t node, struct domain *d)
{
    hwloc_set_cpubind(topology, node->cpuset, HWLOC_CPUBIND_PROCESS);
    hwloc_set_membind(topology, node->nodeset, HWLOC_MEMBIND_BIND,
                      HWLOC_MEMBIND_PROCESS | HWLOC_MEMBIND_BYNODESET);
    hwloc_bitmap_list_snprintf(d->processor, sizeof d->processor, node->cpuset);
}

struct domain domain_take(MPI_Comm world)
{
    struct domain d = {.count = 0};
    MPI_Comm machine;
    int process, processes;
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &process);
    MPI_Comm_size(machine, &processes);
    MPI_Comm_free(&machine);
    hwloc_topology_t topology = load();
    if (!topology) return d;
    const int domains = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    if (domains > 1 && !is_bound(topology)) {
        d.number = domain_of(process, processes, domains);
        d.count = domains;
        hwloc_obj_t node = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, (unsigned)d.number);
        int sharing = 0;
        for (int i = 0; i < processes; i++)
            sharing += domain_of(i, processes, domains) == d.number;
        d.processors = hwloc_bitmap_weight(node->cpuset) / (sharing ? sharing : 1);
        keep_to(topology, node, &d);
    }
    hwloc_topology_destroy(topology);
    return d;
}
