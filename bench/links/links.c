/* links.c - what messages and collectives take between the processes of an MPI job, printed as
 * nccl-tests does, for reckon calibrate; and the communication of a step of a layout, for what it
 * predicts.
 *
 *     links sendrecv    ping-pong of rank i with rank i + ranks/2, all pairs at once; half a round
 * trip links all_reduce  a ring: ranks - 1 steps of reducing, as many of gathering links step
 * MESSAGE MICROBATCHES GRADIENTS GRADIENTS two stages, the first and second half of the ranks: each
 * microbatch's MESSAGE bytes go there and back, shared by a stage's ranks; then each stage's
 * gradients (bytes) are reduced in a ring, at the same time
 *
 * A job's clusters are its hosts' names without their last letter: ranks of one are neighbours.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 1 << 16, MOST = 1 << 22, REPEATS = 3 };

static int rank, ranks;

static void *room(size_t bytes)
{
    void *at = calloc(1, bytes ? bytes : 1);
    if (at) return at;
    fprintf(stderr, "links: no memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return NULL;
}

static void pass(float *to, float *from, size_t count, int next, int before, MPI_Comm comm)
{
    MPI_Sendrecv(from, (int)count, MPI_FLOAT, next, 0, to, (int)count, MPI_FLOAT, before, 0, comm,
                 MPI_STATUS_IGNORE);
}

/* n - 1 steps of 1/n of the vector that add, n - 1 that copy [patarasuk2009]. */
static void ring(float *vector, float *spare, size_t count, MPI_Comm comm)
{
    int me, n;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    const size_t part = count / (size_t)n;
    const int next = (me + 1) % n, before = (me + n - 1) % n;
    for (int step = 0; step < 2 * (n - 1); step++) {
        float *out = vector + part * (size_t)((me - step + 2 * n) % n);
        float *in = vector + part * (size_t)((me - step - 1 + 2 * n) % n);
        pass(spare, out, part, next, before, comm);
        if (step < n - 1)
            for (size_t i = 0; i < part; i++)
                in[i] += spare[i];
        else
            memcpy(in, spare, part * sizeof *in);
    }
}

/* There and back with the partner. */
static void ping_pong(char *bytes, size_t count)
{
    const int half = ranks / 2;
    const int partner = rank < half ? rank + half : rank - half;
    for (int way = 0; way < 2; way++) {
        if ((rank < half) == (way == 0))
            MPI_Send(bytes, (int)count, MPI_CHAR, partner, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(bytes, (int)count, MPI_CHAR, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Seconds of the slowest rank. */
static double slowest(double seconds)
{
    double most;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The hosts as nccl-tests lists them; pairs are groups of two. */
static void print_devices(const char *collective)
{
    char name[MPI_MAX_PROCESSOR_NAME], all[64][MPI_MAX_PROCESSOR_NAME];
    int length;
    MPI_Get_processor_name(name, &length);
    name[length - 1] = '\0'; /* the cluster */
    MPI_Gather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0,
               MPI_COMM_WORLD);
    if (rank) return;
    printf("# Collective test starting: %s_perf\n", collective);
    const int groups = strcmp(collective, "sendrecv") == 0 ? ranks / 2 : 1;
    for (int i = 0; i < ranks; i++)
        printf("#  Rank %2d Group %2d Pid %6d on %10s device %2d [0x00] processor\n", i, i % groups,
               i, all[i], i);
}

static void measure(const char *collective)
{
    const int sends = strcmp(collective, "sendrecv") == 0;
    float *vector = room(MOST), *spare = room(MOST);
    print_devices(collective);
    for (size_t bytes = LEAST; bytes <= MOST; bytes += bytes / 2 & ~(size_t)15) {
        double seconds[REPEATS];
        for (int i = -1; i < REPEATS; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double start = MPI_Wtime();
            if (sends)
                ping_pong((char *)vector, bytes);
            else
                ring(vector, spare, bytes / sizeof *vector, MPI_COMM_WORLD);
            const double took = slowest((MPI_Wtime() - start) / (sends ? 2 : 1));
            if (i >= 0) seconds[i] = took;
        }
        qsort(seconds, REPEATS, sizeof *seconds, ascending);
        const double median = seconds[REPEATS / 2];
        if (!rank)
            printf("%zu %zu float sum -1 %.1f %.3f %.3f 0 %.1f %.3f %.3f 0\n", bytes,
                   bytes / sizeof *vector, median * 1e6, (double)bytes / median / 1e9,
                   (double)bytes / median / 1e9, median * 1e6, (double)bytes / median / 1e9,
                   (double)bytes / median / 1e9);
    }
    free(vector);
    free(spare);
}

static void step(int argc, char **argv)
{
    const size_t message = strtoull(argv[2], NULL, 10) / (size_t)(ranks / 2);
    const long microbatches = strtol(argv[3], NULL, 10);
    const int stage = rank >= ranks / 2;
    const size_t gradients = strtoull(argv[4 + stage], NULL, 10);
    float *vector = room(gradients + message), *spare = room(gradients);
    double seconds[REPEATS];
    MPI_Comm mine;
    MPI_Comm_split(MPI_COMM_WORLD, stage, rank, &mine);
    for (int i = -1; i < REPEATS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        for (long k = 0; k < microbatches; k++)
            ping_pong((char *)vector, message);
        ring(vector, spare, gradients / sizeof *vector, mine);
        const double took = slowest(MPI_Wtime() - start);
        if (i >= 0) seconds[i] = took;
    }
    qsort(seconds, REPEATS, sizeof *seconds, ascending);
    if (!rank) printf("%.6f\n", seconds[REPEATS / 2]);
    free(vector);
    free(spare);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 6 && strcmp(argv[1], "step") == 0)
        step(argc, argv);
    else if (argc == 2)
        measure(argv[1]);
    MPI_Finalize();
    return 0;
}
