/* study.h - a study's grid shared among the ranks, one database at the end.
 *
 * Rank 0 runs the command and keeps the database; when searches are missing it sends the study and
 * the list of points to the others. Points are claimed a few at a time; at the end of a round the
 * finished rows go to rank 0, which writes them as it would its own.
 */
#ifndef RECKON_MPI_STUDY_H
#define RECKON_MPI_STUDY_H

#include "mpi/team.h"
#include "study/study.h"

/* On rank 0: stands for study_update while the others are in mpi_study_serve. */
enum rk_status mpi_study_update(const struct study *study, struct study_database *database,
                                const struct study_plan *plan, int jobs,
                                bool (*progress)(void *context,
                                                 const struct study_progress *progress),
                                void *context, struct rk_error *error);

/* Both before the above and mpi_study_serve; all ranks. */
void mpi_study_init(const struct search_team *team, int ranks);

/* On the other ranks: works until mpi_study_dismiss. */
void mpi_study_serve(void);

/* On rank 0: the command is over. */
void mpi_study_dismiss(void);

#endif
