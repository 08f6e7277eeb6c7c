/* task.c - a task of three functions: its usual loss, and predictions. */
#include "base/memory.h"
#include "run/checkpoint.h"
#include "run/team.h"

#include <math.h>
#include <stdlib.h>

double rk_cross_entropy(void *context, const struct rk_rows *r, double *gradient)
{
    double loss = 0;
    (void)context;
    for (uint64_t i = 0; i < r->rows; i++) {
        const double *x = r->logits + i * r->words;
        double *dx = gradient + i * r->words, most = x[0], sum = 0;
        const bool counts = r->target[i] < r->words;
        for (uint64_t j = 1; j < r->words; j++)
            most = fmax(most, x[j]);
        for (uint64_t j = 0; j < r->words; j++)
            sum += dx[j] = exp(x[j] - most);
        for (uint64_t j = 0; j < r->words; j++)
            dx[j] = counts ? dx[j] / sum : 0;
        if (!counts) continue;
        dx[r->target[i]] -= 1;
        loss += log(sum) + most - x[r->target[i]];
    }
    return loss;
}

static bool predict_batches(struct team *team, struct comm *comm, struct engine *engine)
{
    const uint64_t batch = team->job->plan.batch;
    (void)comm;
    for (uint64_t n = team->first / batch; n * batch < team->end; n++)
        if (!team->kind->predict(engine, n, team->first, team->end)) return false;
    return true;
}

enum rk_status rk_predict_samples(const struct rk_model *model, const struct rk_plan *plan,
                                  const struct rk_train *settings, const struct rk_train_run *run,
                                  uint64_t first, uint64_t samples, struct rk_error *error)
{
    struct job job;
    struct rk_train_result unused;
    if (!run->functions || !run->functions->collate || !run->functions->predict)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "predictions need the functions collate and predict");
    struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    if (!checkpoint) return no_memory(error);
    enum rk_status status = job_open(&job, model, plan, settings, error);
    job.system = run->system;
    job.drives = run->drives;
    job.functions = run->functions;
    job_leave_ahead(&job);
    if (status == RK_OK && run->load) status = checkpoint_open(checkpoint, run->load, &job, error);
    checkpoint->moments = false;
    if (status == RK_OK) {
        struct team team = {.job = &job,
                            .kind = job.kind,
                            .work = predict_batches,
                            .checkpoint = run->load ? checkpoint : NULL,
                            .result = &unused,
                            .first = first,
                            .end = first + samples};
        status = team_run(&team, NULL, error);
    }
    checkpoint_close(checkpoint);
    free(checkpoint);
    job_close(&job);
    return status;
}
