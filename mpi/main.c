/* reckon-mpi: reckon's searches, shared by the processes of an MPI job. */
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/plan_axes.h"
#include "cli/show.h"
#include "cli/stack.h"
#include "cli/team.h"
#ifdef RECKON_RUN
#include "mpi/ranks.h"
#endif
#include "mpi/study.h"
#include "mpi/team.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only rank 0 speaks; what the others would say is the same. */
static void silence(int rank)
{
    if (rank == 0) return;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        MPI_Abort(MPI_COMM_WORLD, exit_code(RK_IO));
}

/* Rank 0 runs the command; the others search for it. */
static int run_study(int argc, char **argv)
{
    int ranks;
    int code = RK_OK;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mpi_study_init(cli_team, ranks);
    cli_study_update = mpi_study_update;
    if (cli_team->rank == 0) {
        code = cmd_study(argc, argv);
        mpi_study_dismiss();
    } else {
        mpi_study_serve();
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

static int run(int argc, char **argv)
{
    struct rk_error error;
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        printf(
            "Usage: mpirun -n RANKS reckon-mpi search|study|train|eval [options]\n\n"
            "Does what `reckon search` and `reckon study` do, with the same options and the same\n"
            "output, shared by all processes. A search says on standard error how much each of\n"
            "them did; a study has one database at the end. A training run, or an\n"
            "evaluation, has a process for each rank of its plan.\n\n"
            "Give each process its cores with --threads, or with OMP_NUM_THREADS.\n");
        return argc < 2 ? RK_BAD_ARGUMENT : RK_OK;
    }
    if (strcmp(argv[1], "search") == 0) return cmd_search(argc - 1, argv + 1);
    if (strcmp(argv[1], "study") == 0) return run_study(argc - 1, argv + 1);
#ifdef RECKON_RUN
    if (strcmp(argv[1], "train") == 0 || strcmp(argv[1], "eval") == 0) {
        mpi_executor_open();
        const int code =
            argv[1][0] == 't' ? cmd_train(argc - 1, argv + 1) : cmd_eval(argc - 1, argv + 1);
        mpi_executor_close();
        return code;
    }
#endif
    rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "reckon-mpi does `search`, `study`, `train` and `eval`; reckon %s needs no MPI",
            argv[1]);
    return options_fail(&error);
}

static bool is_quiet(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "-q") == 0 || strcmp(argv[i], "--quiet") == 0) return true;
    return false;
}

static int begin(int argc, char **argv)
{
    int level, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    silence(rank);
    setenv("NO_COLOR", "1", 0); /* rank 0 writes to the launcher's terminal, not to the user's */
    if (level < MPI_THREAD_SERIALIZED) {
        fprintf(stderr, "reckon-mpi: this MPI library has no thread support\n");
        MPI_Abort(MPI_COMM_WORLD, exit_code(RK_IO));
    }
    /* Searches share a counter by one-sided messages, which not every network has; runs do without.
     */
    const bool searches =
        argc > 1 && (strcmp(argv[1], "search") == 0 || strcmp(argv[1], "study") == 0);
    struct mpi_team *team = searches ? mpi_team_open() : NULL;
    if (searches && !team) MPI_Abort(MPI_COMM_WORLD, exit_code(RK_IO));
    if (team) cli_team = mpi_team_interface(team);
    plan_axes_prepare();
    const int code = exit_code(show_finish(run(argc, argv)));
    if (team && strcmp(argv[1], "search") == 0 && !is_quiet(argc, argv)) mpi_team_report(team);
    if (team) mpi_team_close(team);
    MPI_Finalize();
    return code;
}

int main(int argc, char **argv)
{
    return stack_run(begin, argc, argv);
}
