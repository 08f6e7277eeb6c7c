#include "run/team.h"

#include "run/blas.h"
#include "run/checkpoint.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct member {
    struct team *team;
    struct comm *comm;
    pthread_t thread;
};

/* What gives up without a word could not have what it asked for. */
static void fail_without_memory(struct comm *comm)
{
    struct rk_error error;
    rk_fail(&error, RK_NO_MEMORY, NULL, 0, 0,
            "rank %d has no memory for its state, in addition to activations: use smaller "
            "microbatches",
            comm->rank);
    comm_fail(comm, &error);
}

static void run_rank(struct team *team, struct comm *comm)
{
    const struct engine_kind *kind = team->kind;
    struct engine *engine;
    enum rk_status status = kind->open(team->job, comm, &engine);
    if (status == RK_OK && team->checkpoint)
        status = checkpoint_load(team->checkpoint, kind, engine, &comm->error);
    if (status != RK_OK)
        comm_fail(comm, &comm->error);
    else if (!team->work(team, comm, engine) && comm->error.status == RK_OK)
        fail_without_memory(comm);
    kind->close(engine);
}

static void *run_member(void *context)
{
    struct member *member = context;
    run_rank(member->team, member->comm);
    return NULL;
}

static enum rk_status run_threads(struct team *team, struct rk_error *error)
{
    const int ranks = (int)team->job->plan.ranks;
    struct comm_hub *hub = comm_hub_open(ranks, team->job->settings.limit_s);
    struct member *member = calloc((size_t)ranks, sizeof *member);
    int started = 0;
    if (!hub || !member) {
        comm_hub_close(hub);
        free(member);
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for %d ranks", ranks);
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 4 << 20);
    for (int i = 0; i < ranks; i++) {
        member[i] = (struct member){.team = team, .comm = comm_hub_rank(hub, i)};
        if (pthread_create(&member[i].thread, &attributes, run_member, &member[i]) == 0) {
            started++;
            continue;
        }
        struct rk_error why;
        rk_fail(&why, RK_IO, NULL, 0, 0, "cannot start rank %d of %d as a thread", i, ranks);
        comm_fail(member[i].comm, &why);
        break;
    }
    pthread_attr_destroy(&attributes);
    for (int i = 0; i < started; i++)
        pthread_join(member[i].thread, NULL);
    *error = comm_hub_error(hub);
    comm_hub_close(hub);
    free(member);
    return error->status;
}
/* `comm` is this process's only rank, or NULL: all ranks are threads. */
enum rk_status team_run(struct team *team, struct comm *comm, struct rk_error *error)
{
    const int threads = team->job->settings.threads;
    const int ranks = comm ? 1 : (int)team->job->plan.ranks;
    enum rk_status status = blas_open(ranks * threads, error);
    if (status != RK_OK) return status;
    team->alone = comm != NULL;
    pthread_mutex_init(&team->lock, NULL);
    if (comm) {
        run_rank(team, comm);
        *error = comm->error;
        status = error->status;
    } else {
        status = run_threads(team, error);
    }
    pthread_mutex_destroy(&team->lock);
    return status;
}

enum rk_status memory_suffices(const struct job *job, double share, int elements,
                               struct rk_error *error)
{
    const double real_bytes = job->settings.double_precision ? 8 : 4;
    const double need = share * elements * real_bytes * (double)rk_model_parameters(&job->model);
    const double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    if (need <= have) return RK_OK;
    return rk_fail_numbers(
        error, RK_LIMIT, have, need,
        "%s take %.3g GB at least, and this machine has %.3g GB of memory: take a "
        "smaller model",
        elements > 1 ? "weights, gradients and moments" : "the weights", need / 1e9, have / 1e9);
}

enum rk_status team_check(const struct comm *comm, const struct rk_plan *plan,
                          struct rk_error *error)
{
    if ((uint64_t)comm->ranks == plan->ranks) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "the plan has %llu ranks, and %d processes run: start %llu",
                   (unsigned long long)plan->ranks, comm->ranks, (unsigned long long)plan->ranks);
}
