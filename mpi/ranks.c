#include "mpi/ranks.h"

#include "cli/executor.h"
#include "cli/exit.h"
#include "mpi/domains.h"
#include "run/train.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A rank that fails tells all others with a message of this tag, and its error as content. */
enum { TAG_FAILED = 1, TAG_FIRST = 2 };

static struct {
    MPI_Comm world;
    struct comm comm;
    double limit_s;
    struct comm_message *copies; /* sent from copies, perhaps not done */
    bool failed;
    unsigned char *room; /* for what is taken as it comes */
    size_t room_bytes;
    struct domain domain;
} ranks;

static int tag_of(uint32_t tag)
{
    return TAG_FIRST + (int)tag;
}

/* ---- failures ---- */

static bool give_up(struct comm *comm, const struct rk_error *error)
{
    ranks.failed = true;
    if (comm->error.status == RK_OK) comm->error = *error;
    return false;
}

/* Has another rank failed? Then its error is this one's. */
static bool has_failed(struct comm *comm)
{
    struct rk_error error;
    MPI_Status status;
    int there = 0;
    if (ranks.failed) return true;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_FAILED, ranks.world, &there, &status);
    if (!there) return false;
    MPI_Recv(&error, sizeof error, MPI_BYTE, status.MPI_SOURCE, TAG_FAILED, ranks.world,
             MPI_STATUS_IGNORE);
    give_up(comm, &error);
    return true;
}

static void tell_all(struct comm *comm, const struct rk_error *error)
{
    static struct rk_error told;
    if (ranks.failed) return;
    ranks.failed = true;
    told = *error;
    for (int i = 0; i < comm->ranks; i++) {
        MPI_Request request;
        if (i == comm->rank) continue;
        MPI_Isend(&told, sizeof told, MPI_BYTE, i, TAG_FAILED, ranks.world, &request);
        MPI_Request_free(&request);
    }
}

static bool fail_late(struct comm *comm, int from, const char *what)
{
    struct rk_error error;
    rk_fail(&error, RK_IO, NULL, 0, 0, "rank %d waited %.0f s for \"%s\" of rank %d, in vain",
            comm->rank, ranks.limit_s, what, from);
    return comm_fail(comm, &error);
}

/* A launcher asks all to end when one rank was killed, and soon kills those that continue: they say
 * in time for whom they wait. */
static void say_late(const struct comm *comm, int from, const char *what)
{
    enum { SOON_MS = 100 };
    static double asked_s;
    if (!executor_asked_to_stop() || asked_s < 0) return;
    if (!asked_s) asked_s = MPI_Wtime();
    if (MPI_Wtime() - asked_s < 1e-3 * SOON_MS) return;
    asked_s = -1; /* once */
    fprintf(stderr,
            "reckon: rank %d is asked to end while it waits for \"%s\" of rank %d, in step %llu\n",
            comm->rank, what, from, (unsigned long long)comm->step);
}

/* ---- messages ---- */

/* So many bytes as one element, or as many of one byte: MPI counts in int, messages may be longer.
 * The caller frees types that are not MPI_BYTE. */
static MPI_Datatype type_of(size_t bytes, int *count)
{
    enum { BLOCK = 1 << 30 };
    if (bytes <= INT_MAX) {
        *count = (int)bytes;
        return MPI_BYTE;
    }
    const size_t rest = bytes % BLOCK;
    const int lengths[] = {(int)(bytes / BLOCK), (int)rest};
    const MPI_Aint places[] = {0, (MPI_Aint)(bytes - rest)};
    MPI_Datatype block, type;
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &block);
    const MPI_Datatype types[] = {block, MPI_BYTE};
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&block);
    *count = 1;
    return type;
}

static void type_free(MPI_Datatype type)
{
    if (type != MPI_BYTE) MPI_Type_free(&type);
}

static void free_copies(bool all)
{
    for (struct comm_message **link = &ranks.copies; *link;) {
        struct comm_message *m = *link;
        MPI_Request *request = m->request;
        int done = 0;
        if (!all) MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && !all) {
            link = &m->next;
            continue;
        }
        if (!done) MPI_Request_free(request);
        *link = m->next;
        free(request);
        if (done) free(m); /* else the library may still read it */
    }
}

static bool post(struct comm *comm, int to, struct comm_message *m)
{
    MPI_Request *request = malloc(sizeof *request);
    if (!request || has_failed(comm)) {
        free(request);
        if (m->owned) free(m);
        return false;
    }
    int count;
    MPI_Datatype type = type_of(m->bytes, &count);
    MPI_Isend(m->data, count, type, to, tag_of(m->tag), ranks.world, request);
    type_free(type); /* when it has been sent */
    m->request = request;
    m->posted = true;
    m->to = to;
    if (m->owned) {
        m->next = ranks.copies;
        ranks.copies = m;
    }
    free_copies(false);
    return true;
}

static bool wait_sent(struct comm *comm, struct comm_message *m)
{
    const double begin = MPI_Wtime();
    int done = 0;
    for (;;) {
        MPI_Test(m->request, &done, MPI_STATUS_IGNORE);
        if (done || has_failed(comm) || MPI_Wtime() - begin > ranks.limit_s) break;
        say_late(comm, m->to, m->what);
    }
    if (!done) {
        MPI_Cancel(m->request);
        MPI_Request_free(m->request);
    }
    free(m->request);
    if (done) return true;
    return ranks.failed ? false : fail_late(comm, m->to, m->what);
}

static bool take_message(struct comm *comm, MPI_Message *message, int from, const char *what,
                         size_t bytes, const MPI_Status *status, comm_take *take, void *context)
{
    struct rk_error error;
    int count;
    MPI_Count sent;
    void *to = context;
    MPI_Get_elements_x(status, MPI_BYTE, &sent);
    if ((size_t)sent != bytes) {
        rk_fail(&error, RK_PROTOCOL, NULL, 0, 0,
                "rank %d expects %zu bytes of \"%s\" from rank %d, which sends %lld", comm->rank,
                bytes, what, from, (long long)sent);
        return comm_fail(comm, &error);
    }
    if (take && bytes > ranks.room_bytes) {
        free(ranks.room);
        ranks.room = malloc(bytes);
        ranks.room_bytes = ranks.room ? bytes : 0;
        if (!ranks.room) {
            rk_fail(&error, RK_NO_MEMORY, NULL, 0, 0, "no memory for a message of %zu bytes",
                    bytes);
            return comm_fail(comm, &error);
        }
    }
    if (take) to = ranks.room;
    MPI_Datatype type = type_of(bytes, &count);
    MPI_Mrecv(to, count, type, message, MPI_STATUS_IGNORE);
    type_free(type);
    if (take) take(context, ranks.room, bytes);
    return true;
}

static bool receive(struct comm *comm, int from, uint32_t tag, const char *what, size_t bytes,
                    comm_take *take, void *context)
{
    const double begin = MPI_Wtime();
    MPI_Message message;
    MPI_Status status;
    int there = 0;
    for (;;) {
        MPI_Improbe(from, tag_of(tag), ranks.world, &there, &message, &status);
        if (there || has_failed(comm) || MPI_Wtime() - begin > ranks.limit_s) break;
        say_late(comm, from, what);
    }
    comm->waited_s += MPI_Wtime() - begin;
    if (there) return take_message(comm, &message, from, what, bytes, &status, take, context);
    return ranks.failed ? false : fail_late(comm, from, what);
}

/* ---- the executor ---- */

static enum rk_status train(const struct rk_model *model, const struct rk_plan *plan,
                            const struct rk_train *settings, const struct rk_train_run *run,
                            struct rk_train_result *result, struct rk_error *error)
{
    ranks.limit_s = settings->limit_s;
    return train_rank(model, plan, settings, run, &ranks.comm, result, error);
}

static enum rk_status score(const struct rk_model *model, const struct rk_plan *plan,
                            const struct rk_train *settings, const struct rk_score *texts,
                            struct rk_token_score *scores, struct rk_error *error)
{
    ranks.limit_s = settings->limit_s;
    return score_rank(model, plan, settings, texts, &ranks.comm, scores, error);
}

/* A domain's processors are its process's threads; bits do not depend on how many. */
static struct rk_train defaults(void)
{
    struct rk_train settings = rk_train_default();
    if (ranks.domain.processors > 1) settings.threads = ranks.domain.processors;
    return settings;
}

static struct executor executor = {.defaults = defaults,
                                   .check = rk_train_check,
                                   .look = rk_train_look,
                                   .train = train,
                                   .count = rk_train_count,
                                   .score = score,
                                   .products = rk_products_here};

#ifdef RECKON_HWLOC
/* Rank 0 says where each one is. */
static void say_domains(void)
{
    struct domain *all = calloc((size_t)ranks.comm.ranks, sizeof *all);
    if (!all) MPI_Abort(ranks.world, exit_code(RK_IO));
    MPI_Gather(&ranks.domain, sizeof *all, MPI_BYTE, all, sizeof *all, MPI_BYTE, 0, ranks.world);
    for (int i = 0; i < ranks.comm.ranks && ranks.comm.rank == 0; i++)
        if (all[i].count > 1)
            fprintf(stderr,
                    "reckon: rank %d keeps to NUMA domain %d of %d, processors %s, threads %d\n", i,
                    all[i].number, all[i].count, all[i].processor,
                    all[i].processors > 1 ? all[i].processors : 1);
    free(all);
}
#endif

void mpi_executor_open(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &ranks.world);
    MPI_Comm_rank(ranks.world, &ranks.comm.rank);
    MPI_Comm_size(ranks.world, &ranks.comm.ranks);
#ifdef RECKON_HWLOC
    ranks.domain = domain_take(ranks.world);
    say_domains();
#endif
    ranks.comm.post = post;
    ranks.comm.receive = receive;
    ranks.comm.wait = wait_sent;
    ranks.comm.fail = tell_all;
    executor.rank = ranks.comm.rank;
    executor.ranks = (uint64_t)ranks.comm.ranks;
    cli_executor = &executor;
}

/* After a failure others may never come to a barrier: all end. */
void mpi_executor_close(void)
{
    if (ranks.failed) {
        const double begin = MPI_Wtime();
        while (MPI_Wtime() - begin < 1) { /* the message of the failure goes out */
            int flag;
            MPI_Iprobe(MPI_ANY_SOURCE, TAG_FAILED, ranks.world, &flag, MPI_STATUS_IGNORE);
        }
        MPI_Abort(ranks.world, (int)ranks.comm.error.status);
    }
    MPI_Barrier(ranks.world);
    free_copies(true);
    free(ranks.room);
    scratch_release(&ranks.comm.scratch);
    MPI_Comm_free(&ranks.world);
}
