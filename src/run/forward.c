/* forward.c - forward alone: texts continued, texts scored. */
#include "base/memory.h"
#include "run/blas.h"
#include "run/checkpoint.h"
#include "run/philox.h"
#include "run/team.h"
#include "run/train.h"

#include <math.h>
#include <reckon/program.h>
#include <stdlib.h>
#include <string.h>

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
                        "the log-likelihood of token %llu of sequence %llu is no number: the "
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

/* ---- generation ---- */

/* Logits become weights of a random choice among the `top` likeliest words. */
static void soften(double *logits, uint64_t words, double temperature, uint64_t top)
{
    double most = logits[0], least = -INFINITY;
    for (uint64_t i = 1; i < words; i++)
        most = logits[i] > most ? logits[i] : most;
    if (top && top < words) { /* the top-th largest, by bisection of values */
        double low = -1e30, high = most;
        for (int round = 0; round < 100; round++) {
            const double middle = low < -1e29 ? most - exp2(round) : (low + high) / 2;
            uint64_t above = 0;
            for (uint64_t i = 0; i < words; i++)
                above += logits[i] >= middle;
            if (above >= top)
                low = middle;
            else
                high = middle;
        }
        least = low;
    }
    for (uint64_t i = 0; i < words; i++)
        logits[i] = logits[i] < least ? 0 : exp((logits[i] - most) / temperature);
}

static uint32_t choose(double *logits, uint64_t words, const struct rk_generate *g, uint64_t seed,
                       uint64_t n)
{
    uint32_t best = 0;
    if (!(g->temperature > 0)) {
        for (uint32_t i = 1; i < words; i++)
            if (logits[i] > logits[best]) best = i;
        return best;
    }
    double sum = 0, seen = 0;
    soften(logits, words, g->temperature, g->top);
    for (uint64_t i = 0; i < words; i++)
        sum += logits[i];
    const double wanted = philox_unit(philox(seed, 0x67656e, n).word[0]) * sum;
    for (uint32_t i = 0; i < words; i++) {
        if (!(logits[i] > 0)) continue;
        seen += logits[i];
        best = i;
        if (seen >= wanted) break;
    }
    return best;
}

static enum rk_status continue_prompt(const struct job *job, struct engine *engine,
                                      const struct rk_generate *g, struct rk_error *error)
{
    const struct engine_kind *kind = job->kind;
    const uint64_t all = g->prompt_tokens + g->tokens;
    uint32_t *tokens = calloc(all, sizeof *tokens);
    double *logits = calloc(job->model.vocabulary, sizeof *logits);
    enum rk_status status = RK_OK;
    if (!tokens || !logits)
        status = rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for %llu tokens",
                         (unsigned long long)all);
    if (tokens) memcpy(tokens, g->prompt, g->prompt_tokens * sizeof *tokens);
    for (uint64_t n = g->prompt_tokens; status == RK_OK && n < all; n++) {
        const uint64_t seen = n < job->sequence ? n : job->sequence;
        if (!kind->logits(engine, tokens + n - seen, seen, logits)) {
            *error = kind->comm(engine)->error;
            status = error->status != RK_OK ? error->status : no_memory(error);
            break;
        }
        tokens[n] = choose(logits, job->model.vocabulary, g, job->settings.seed, n);
        if (!g->token(g->context, tokens[n])) break;
    }
    free(tokens);
    free(logits);
    return status;
}

enum rk_status rk_generate_tokens(const struct rk_model *model, const struct rk_train *train,
                                  const struct rk_generate *g, struct rk_error *error)
{
    struct job job;
    struct engine *engine = NULL;
    struct rk_plan plan = rk_plan_default();
    struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    struct comm_hub *hub = comm_hub_open(1, train->limit_s);
    plan.precision = RK_FP32;
    enum rk_status status =
        checkpoint && hub ? job_open(&job, model, &plan, train, error) : no_memory(error);
    const bool opened = checkpoint && hub;
    job.system = g->system;
    for (uint64_t i = 0; status == RK_OK && i < g->prompt_tokens; i++)
        if (g->prompt[i] >= model->vocabulary)
            status = rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                             "token %u of the prompt is beyond the vocabulary, which ends at %llu",
                             g->prompt[i], (unsigned long long)model->vocabulary);
    if (status == RK_OK) status = memory_suffices(&job, 1, 1, error);
    if (status == RK_OK) status = blas_open(train->threads, error);
    if (status == RK_OK) status = checkpoint_open(checkpoint, g->load, &job, error);
    if (status == RK_OK) {
        checkpoint->moments = false;
        struct comm *comm = comm_hub_rank(hub, 0);
        status = job.kind->open(&job, comm, &engine);
        if (status != RK_OK) *error = comm->error;
    }
    if (status == RK_OK) status = checkpoint_load(checkpoint, job.kind, engine, error);
    if (status == RK_OK) status = continue_prompt(&job, engine, g, error);
    if (engine) job.kind->close(engine);
    if (checkpoint) checkpoint_close(checkpoint);
    free(checkpoint);
    comm_hub_close(hub);
    if (opened) job_close(&job);
    return status;
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
    if ((uint64_t)comm->ranks != plan->ranks)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "the plan has %llu ranks, and %d processes run: start %llu",
                       (unsigned long long)plan->ranks, comm->ranks,
                       (unsigned long long)plan->ranks);
    return score_texts(model, plan, train, score, comm, scores, error);
}
