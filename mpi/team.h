/* team.h - processes of an MPI job as a search team.
 *
 * Every rank goes through the same rounds; the units of a round are handed out one by one from a
 * counter on rank 0 that the others reach by remote memory access, so uneven ranks stay busy. What
 * a round found is merged on all ranks before the next begins: the result is that of one process.
 */
#ifndef RECKON_MPI_TEAM_H
#define RECKON_MPI_TEAM_H

#include "search/engine.h"

struct mpi_team;

/* Between MPI_Init and MPI_Finalize; collective. NULL when there is no memory. */
struct mpi_team *mpi_team_open(void);
void mpi_team_close(struct mpi_team *team); /* collective */

const struct search_team *mpi_team_interface(const struct mpi_team *team);

/* Collective; rank 0 prints how many strategies each rank decided, and how fast, to stderr. */
void mpi_team_report(struct mpi_team *team);

#endif
