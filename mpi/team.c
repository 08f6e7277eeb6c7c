#include "mpi/team.h"

#include "cli/exit.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mpi_team {
    struct search_team interface;
    int rank, ranks;
    int units;    /* of the round */
    int *counter; /* on rank 0; reached through `window` */
    MPI_Win window;
    uint64_t decided; /* by this rank */
    double busy_s;    /* from the beginning of rounds to when nothing was left */
    double round_s;   /* when the round began */
};

static void begin(void *context, int units)
{
    struct mpi_team *t = context;
    t->units = units;
    MPI_Barrier(MPI_COMM_WORLD); /* nobody still claims from the last round */
    if (t->rank == 0) {
        const int zero = 0;
        int before;
        MPI_Fetch_and_op(&zero, &before, MPI_INT, 0, 0, MPI_REPLACE, t->window);
        MPI_Win_flush(0, t->window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t->round_s = MPI_Wtime();
}

static int claim(void *context)
{
    struct mpi_team *t = context;
    const int one = 1;
    int unit;
    MPI_Fetch_and_op(&one, &unit, MPI_INT, 0, 0, MPI_SUM, t->window);
    MPI_Win_flush(0, t->window);
    return unit < t->units ? unit : t->units;
}

static void end(void *context, uint64_t decided)
{
    struct mpi_team *t = context;
    t->busy_s += MPI_Wtime() - t->round_s;
    t->decided += decided;
}

static void sum(void *context, uint64_t *number, int count)
{
    (void)context;
    MPI_Allreduce(MPI_IN_PLACE, number, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

enum { CHUNK = 1 << 18 }; /* bytes sent at once, about */

/* Each rank's items to all, a chunk at a time. */
static void share(void *context, const void *items, uint64_t count, size_t size,
                  void (*take)(void *receiver, const void *item), void *receiver)
{
    const struct mpi_team *t = context;
    const uint64_t most = size < CHUNK ? CHUNK / size : 1;
    char *chunk = malloc(most * size);
    if (!chunk)
        MPI_Abort(MPI_COMM_WORLD, exit_code(RK_IO)); /* the others wait for this rank's part */
    for (int root = 0; root < t->ranks; root++) {
        uint64_t all = count;
        MPI_Bcast(&all, 1, MPI_UINT64_T, root, MPI_COMM_WORLD);
        for (uint64_t done = 0; done < all; done += most) {
            const uint64_t now = all - done < most ? all - done : most;
            if (root == t->rank) memcpy(chunk, (const char *)items + done * size, now * size);
            MPI_Bcast(chunk, (int)(now * size), MPI_BYTE, root, MPI_COMM_WORLD);
            for (uint64_t i = 0; i < now && root != t->rank; i++)
                take(receiver, chunk + i * size);
        }
    }
    free(chunk);
}

struct mpi_team *mpi_team_open(void)
{
    struct mpi_team *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &t->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t->ranks);
    MPI_Win_allocate(t->rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &t->counter, &t->window);
    MPI_Win_lock_all(0, t->window);
    t->interface = (struct search_team){.context = t,
                                        .rank = t->rank,
                                        .begin = begin,
                                        .claim = claim,
                                        .end = end,
                                        .sum = sum,
                                        .share = share};
    return t;
}

void mpi_team_close(struct mpi_team *t)
{
    if (!t) return;
    MPI_Win_unlock_all(t->window);
    MPI_Win_free(&t->window);
    free(t);
}

const struct search_team *mpi_team_interface(const struct mpi_team *team)
{
    return &team->interface;
}

static void print_rate(int rank, uint64_t decided, double busy_s)
{
    fprintf(stderr, "rank %d: %.3f M plans in %.3f s, %.1f M/s\n", rank, (double)decided / 1e6,
            busy_s, busy_s > 0 ? (double)decided / busy_s / 1e6 : 0);
}

void mpi_team_report(struct mpi_team *t)
{
    const double mine[2] = {(double)t->decided, t->busy_s};
    double *all = t->rank == 0 ? malloc((size_t)t->ranks * sizeof mine) : NULL;
    MPI_Gather(mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; all && i < t->ranks; i++)
        print_rate(i, (uint64_t)all[2 * i], all[2 * i + 1]);
    free(all);
}
