/* ranks.h - processes of an MPI job as the ranks of a training run. */
#ifndef RECKON_MPI_RANKS_H
#define RECKON_MPI_RANKS_H

/* Between MPI_Init and MPI_Finalize: cli_executor trains over MPI from here on. Collective. */
void mpi_executor_open(void);
void mpi_executor_close(void);

#endif
