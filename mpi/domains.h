/* domains.h - a process keeps to one NUMA domain of its machine, by hwloc.
 *
 * Where a launcher has bound the process already (mpirun --bind-to, srun --cpu-bind), that stays.
 * Else the processes of a machine are dealt to its domains in order, as many to each; processors
 * and memory are those of the domain.
 */
#ifndef RECKON_MPI_DOMAINS_H
#define RECKON_MPI_DOMAINS_H

#include <mpi.h>

struct domain {
    int number, count;  /* of the machine's; count 0: unknown, or one alone */
    int processors;     /* of the domain, for each of its processes */
    char processor[64]; /* as a list, "0-15"; "" where the launcher has bound */
};

/* Collective over the processes of a machine. */
struct domain domain_take(MPI_Comm world);

#endif
