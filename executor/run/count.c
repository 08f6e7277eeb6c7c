/* count.c - the memory of a run, without the run: one rank's program executes two steps in which
 * kernels do nothing and other ranks do not exist.
 *
 * The second step is the one that a run repeats: transfers between two steps (weights gathered
 * during the next forward) are under way when it begins.
 */
#include "base/memory.h"
#include "run/device.h"
#include "run/job.h"

enum { STEPS = 2 };

/* ---- ranks that are not there ---- */

static bool post(struct comm *comm, int to, struct comm_message *message)
{
    (void)comm, (void)to, (void)message;
    return true;
}

static bool receive(struct comm *comm, int from, uint32_t tag, const char *what, size_t bytes,
                    comm_take *take, void *context)
{
    (void)comm, (void)from, (void)tag, (void)what, (void)bytes, (void)take, (void)context;
    return true;
}

static bool wait(struct comm *comm, struct comm_message *message)
{
    (void)comm, (void)message;
    return true;
}

static void fail(struct comm *comm, const struct rk_error *error)
{
    (void)comm, (void)error;
}

/* ---- the steps ---- */

static enum rk_status count_steps(const struct job *job, struct comm *comm,
                                  struct rk_train_memory *memory)
{
    struct engine *engine;
    struct step_result result = {.loss = 0};
    bool ok = engine_count.open(job, comm, &engine) == RK_OK;
    for (uint64_t step = 0; ok && step < STEPS; step++)
        ok = engine_count.step(engine, step, &result);
    engine_count.close(engine);
    scratch_release(&comm->scratch);
    *memory = (struct rk_train_memory){result.peak_bytes, result.placed_bytes};
    if (ok) return RK_OK;
    return comm->error.status != RK_OK ? comm->error.status : no_memory(&comm->error);
}

enum rk_status rk_train_count(const struct rk_model *model, const struct rk_plan *plan,
                              const struct rk_train *train, const struct rk_train_run *run,
                              uint64_t rank, struct rk_train_memory *memory, struct rk_error *error)
{
    struct job job;
    struct comm comm = {.rank = (int)rank,
                        .ranks = (int)plan->ranks,
                        .post = post,
                        .receive = receive,
                        .wait = wait,
                        .fail = fail,
                        .silent = true};
    enum rk_status status = job_open(&job, model, plan, train, error);
    if (status == RK_OK && rank >= plan->ranks)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "rank %llu of %llu: ranks are numbered from 0", (unsigned long long)rank,
                         (unsigned long long)plan->ranks);
    if (status == RK_OK) {
        job.system = run->system;
        job.functions = run->functions;
        job.settings.adaptive = false;
        status = count_steps(&job, &comm, memory);
        if (status != RK_OK) *error = comm.error;
    }
    scratch_release(&comm.scratch);
    job_close(&job);
    return status;
}
