/* forward.c - forward alone: texts continued, texts scored. */
#include "base/memory.h"
#include "run/checkpoint.h"
#include "run/team.h"
#include "run/train.h"

#include <math.h>
#include <reckon/program.h>
#include <stdlib.h>

/* ---- scores of a team ---- */

/* Scores that have come: the rank's first in this process writes them down. */
static bool note_scores(const struct team *team, struct comm *comm, uint64_t batch,
                        const double *pair, struct rk_token_score **next)
{
    const struct job *job = team->job;
    for (uint64_t b = 0; b < job->plan.batch; b++) {
        const uint64_t n = batch * job->plan.batch + b;
        if (n >= job->score->sequences) break;
        const struct rk_sequence *s = &job->score->sequence[n];
        for (uint64_t i = s->first; i < s->tokens; i++) {
            const double *one = pair + 2 * (b * job->sequence + i - 1);
            struct rk_error error;
            if (!isfinite(one[0])) {
                rk_fail(&error, RK_CHECK_FAILED, NULL, 0, 0,
                        "the log-likelihood of token %llu of sequence %llu is not a number: the "
                        "weights, or `norm_eps` and `rotary_base`, are wrong, or 32 bits are too "
                        "few (`double_precision`)",
                        (unsigned long long)i, (unsigned long long)n);
                return comm_fail(comm, &error);
            }
            if (comm->rank == 0 || team->alone)
                *(*next)++ = (struct rk_token_score){one[0], one[1] > 0};
        }
    }
    return true;
}

static bool take_scores(struct team *team, struct comm *comm, struct engine *engine)
{
    const struct job *job = team->job;
    double *pair = malloc(job->plan.batch * job->sequence * 2 * sizeof *pair);
    struct rk_token_score *next = team->scores;
    bool ok = pair;
    for (uint64_t n = 0; ok && n * job->plan.batch < job->score->sequences; n++)
        ok = team->kind->score(engine, n, pair) && note_scores(team, comm, n, pair, &next);
    if (!pair) {
        struct rk_error error;
        rk_fail(&error, RK_NO_MEMORY, NULL, 0, 0, "rank %d has no memory for the scores",
                comm->rank);
        comm_fail(comm, &error);
    }
    free(pair);
    return ok;
}

/* ---- scores ---- */

/* Checks sequences; the plan's samples become as long as the longest needs, in whole parts of all
 * its ranks. */
static enum rk_status fit_sequences(const struct rk_score *score, const struct rk_model *model,
                                    struct rk_plan *plan, struct rk_error *error)
{
    const uint64_t most = plan->sequence ? plan->sequence : model->sequence;
    const uint64_t unit = 2 * plan->context * plan->tensor;
    uint64_t longest = 1;
    for (uint64_t n = 0; n < score->sequences; n++) {
        const struct rk_sequence *s = &score->sequence[n];
        if (s->first < 1 || s->first >= s->tokens || s->tokens > most + 1)
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                           "sequence %llu has %llu tokens, scored from %llu on: 2 to %llu, and "
                           "the first is not scored",
                           (unsigned long long)n, (unsigned long long)s->tokens,
                           (unsigned long long)s->first, (unsigned long long)most + 1);
        for (uint64_t i = 0; i < s->tokens; i++)
            if (s->token[i] >= model->vocabulary)
                return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                               "token %llu of sequence %llu is %u, the vocabulary ends at %llu",
                               (unsigned long long)i, (unsigned long long)n, s->token[i],
                               (unsigned long long)model->vocabulary);
        if (s->tokens - 1 > longest) longest = s->tokens - 1;
    }
    longest = (longest + unit - 1) / unit * unit;
    plan->sequence = longest < most ? longest : most;
    return RK_OK;
}

static enum rk_status score_texts(const struct rk_model *model, const struct rk_plan *plan,
                                  const struct rk_train *settings, const struct rk_score *score,
                                  struct comm *comm, struct rk_token_score *scores,
                                  struct rk_error *error)
{
    struct job job;
    struct rk_plan fitted = *plan;
    struct rk_program program = {.rank = 0};
    enum rk_status status = fit_sequences(score, model, &fitted, error);
    if (status != RK_OK || !score->sequences) return status;
    struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    if (!checkpoint) return no_memory(error);
    status = job_open(&job, model, &fitted, settings, error);
    job.system = score->system;
    job.score = score;
    job.forward = true;
    job_leave_ahead(&job);
    job.loads = score->load != NULL;
    if (status == RK_OK)
        status = rk_program_of(&program, &job.model, score->system, &job.plan, 0, error);
    rk_program_release(&program);
    if (status == RK_OK && score->load)
        status = checkpoint_open(checkpoint, score->load, &job, error);
    checkpoint->moments = false;
    if (status == RK_OK) {
        struct rk_train_result unused = {.steps = 0};
        struct team team = {.job = &job,
                            .work = take_scores,
                            .kind = job.kind,
                            .checkpoint = score->load ? checkpoint : NULL,
                            .result = &unused,
                            .scores = scores};
        status = team_run(&team, comm, error);
    }
    checkpoint_close(checkpoint);
    free(checkpoint);
    job_close(&job);
    return status;
}

enum rk_status rk_score_threads(const struct rk_model *model, const struct rk_plan *plan,
                                const struct rk_train *train, const struct rk_score *score,
                                struct rk_token_score *scores, struct rk_error *error)
{
    return score_texts(model, plan, train, score, NULL, scores, error);
}

enum rk_status score_rank(const struct rk_model *model, const struct rk_plan *plan,
                          const struct rk_train *train, const struct rk_score *score,
                          struct comm *comm, struct rk_token_score *scores, struct rk_error *error)
{
    const enum rk_status status = team_check(comm, plan, error);
    return status == RK_OK ? score_texts(model, plan, train, score, comm, scores, error) : status;
}
