/* reckon-mpi: reckon's searches, shared by the processes of an MPI job. */
#include "cli/axes.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "cli/team.h"
#include "mpi/team.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Only rank 0 speaks; what the others would say is the same. */
static void silence(int rank)
{
    if (rank == 0) return;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        MPI_Abort(MPI_COMM_WORLD, RK_IO);
}

static int run(int argc, char **argv)
{
    struct rk_error error;
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        printf("Usage: mpirun -n RANKS reckon-mpi search [options]\n\n"
               "Searches as `reckon search` does, with the same options and the same output, shared\n"
               "by all processes. How much each of them did is said on standard error.\n\n"
               "Give each process its cores with --threads, or with OMP_NUM_THREADS.\n");
        return argc < 2 ? RK_USAGE : RK_OK;
    }
    if (strcmp(argv[1], "search") != 0) {
        rk_fail(&error, RK_USAGE, NULL, 0, 0,
                "reckon-mpi does `search` only; reckon %s needs no MPI", argv[1]);
        return options_fail(&error);
    }
    return cmd_search(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    int level, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    silence(rank);
    if (level < MPI_THREAD_SERIALIZED) {
        fprintf(stderr, "reckon-mpi: this MPI library has no thread support\n");
        MPI_Abort(MPI_COMM_WORLD, RK_IO);
    }
    struct mpi_team *team = mpi_team_open();
    if (!team) MPI_Abort(MPI_COMM_WORLD, RK_IO);
    cli_team = mpi_team_interface(team);
    axes_prepare();
    const int code = show_finish(run(argc, argv));
    mpi_team_report(team);
    mpi_team_close(team);
    MPI_Finalize();
    return code;
}
