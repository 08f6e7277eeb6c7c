/* generate.c - texts continue, token by token: each token is computed once, for the keys and values
 * of what came before are kept. */
#include "base/memory.h"
#include "run/blas.h"
#include "run/checkpoint.h"
#include "run/choose.h"
#include "run/philox.h"
#include "run/team.h"

#include <reckon/train.h>
#include <stdlib.h>
#include <string.h>

struct text {
    uint32_t *token; /* (all) */
    uint64_t tokens;
    uint64_t from, kept; /* the first token that is seen; how many of them are kept */
    bool ended;
};

struct generation {
    const struct rk_generate *asked;
    const struct job *job;
    struct engine *engine;
    struct text *text;                      /* (texts) */
    uint32_t *token, *position, *of, *goes; /* (MOST_ROWS): rows of a pass; the texts it is of */
    double *logits, *scratch;               /* (MOST_ROWS, vocabulary); (vocabulary) */
    struct rk_error *error;
};

enum { MOST_ROWS = 256 };

/* ---- a pass over some rows ---- */

static enum rk_status run_rows(struct generation *g, size_t rows)
{
    const struct run_rows r = {rows, g->token, g->position, g->of};
    const struct engine_kind *kind = g->job->kind;
    if (kind->rows(g->engine, &r, g->logits)) return RK_OK;
    *g->error = kind->comm(g->engine)->error;
    return g->error->status != RK_OK ? g->error->status : no_memory(g->error);
}

static void add_row(struct generation *g, size_t row, uint64_t text)
{
    struct text *t = &g->text[text];
    g->token[row] = t->token[t->from + t->kept];
    g->position[row] = (uint32_t)t->kept++;
    g->of[row] = (uint32_t)text;
}

static uint64_t pending(const struct text *t)
{
    return t->tokens - t->from - t->kept;
}

/* All but the last token, so that texts continue together. A text that has grown beyond what is
 * kept begins again with the later half of it. */
static enum rk_status catch_up(struct generation *g, uint64_t text)
{
    struct text *t = &g->text[text];
    const uint64_t most = g->job->cached;
    if (t->tokens - t->from > most) {
        t->from = t->tokens - (most + 1) / 2;
        t->kept = 0;
    }
    while (pending(t) > 1) {
        size_t rows = 0;
        const uint64_t room = g->job->sequence < MOST_ROWS ? g->job->sequence : MOST_ROWS;
        while (rows < room && pending(t) > 1)
            add_row(g, rows++, text);
        const enum rk_status status = run_rows(g, rows);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

/* ---- texts ---- */

static void choose_next(struct generation *g, uint64_t text, double *logits)
{
    const struct rk_generate *asked = g->asked;
    struct text *t = &g->text[text];
    const struct choice choice = {asked->temperature, asked->top, asked->top_share};
    const uint64_t stream = 0x67656e + (text << 32);
    const double chance = philox_unit(philox(g->job->settings.seed, stream, t->tokens).word[0]);
    const uint32_t token =
        choose_word(&choice, logits, g->job->model.vocabulary, chance, g->scratch);
    t->token[t->tokens++] = token;
    if (!asked->token(asked->context, text, token) ||
        t->tokens == asked->prompt[text].tokens + asked->tokens)
        t->ended = true;
}

/* A token more for each text that has not ended, as many at a time as have room. */
static enum rk_status go_on(struct generation *g, bool *any)
{
    const uint64_t room = g->job->sequence < MOST_ROWS ? g->job->sequence : MOST_ROWS;
    enum rk_status status = RK_OK;
    *any = false;
    for (uint64_t i = 0; i < g->job->texts && status == RK_OK; i++)
        if (!g->text[i].ended) status = catch_up(g, i);
    for (uint64_t i = 0; i < g->job->texts && status == RK_OK;) {
        size_t rows = 0;
        for (; i < g->job->texts && rows < room; i++)
            if (!g->text[i].ended) {
                g->goes[rows] = (uint32_t)i;
                add_row(g, rows++, i);
            }
        if (!rows) break;
        *any = true;
        status = run_rows(g, rows);
        for (size_t r = 0; r < rows && status == RK_OK; r++)
            choose_next(g, g->goes[r], g->logits + r * g->job->model.vocabulary);
    }
    return status;
}

static enum rk_status open_texts(struct generation *g)
{
    const uint64_t texts = g->job->texts, words = g->job->model.vocabulary;
    const uint64_t rows = texts < MOST_ROWS ? texts : MOST_ROWS;
    g->text = calloc(texts, sizeof *g->text);
    g->token = calloc(4 * MOST_ROWS, sizeof *g->token);
    g->logits = malloc((rows + 1) * words * sizeof *g->logits);
    if (!g->text || !g->token || !g->logits) return no_memory(g->error);
    g->position = g->token + MOST_ROWS;
    g->of = g->position + MOST_ROWS;
    g->goes = g->of + MOST_ROWS;
    g->scratch = g->logits + rows * words;
    for (uint64_t i = 0; i < texts; i++) {
        const struct rk_prompt *p = &g->asked->prompt[i];
        g->text[i].token = malloc((p->tokens + g->asked->tokens) * sizeof *p->token);
        if (!g->text[i].token) return no_memory(g->error);
        memcpy(g->text[i].token, p->token, p->tokens * sizeof *p->token);
        g->text[i].tokens = p->tokens;
    }
    return RK_OK;
}

static enum rk_status write_texts(const struct job *job, struct engine *engine,
                                  const struct rk_generate *asked, struct rk_error *error)
{
    struct generation g = {.asked = asked, .job = job, .engine = engine, .error = error};
    bool any = true;
    enum rk_status status = open_texts(&g);
    while (any && status == RK_OK)
        status = go_on(&g, &any);
    for (uint64_t i = 0; g.text && i < job->texts; i++)
        free(g.text[i].token);
    free(g.text);
    free(g.token);
    free(g.logits);
    return status;
}

/* ---- all of it ---- */

static enum rk_status check_prompts(const struct rk_generate *asked, const struct rk_model *model,
                                    struct rk_error *error)
{
    const bool learned = model->position == RK_POSITION_LEARNED;
    if (learned && asked->sequence > model->sequence)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "a context of %llu tokens: the model has learned %llu positions",
                       (unsigned long long)asked->sequence, (unsigned long long)model->sequence);
    for (uint64_t n = 0; n < asked->prompts; n++) {
        const struct rk_prompt *p = &asked->prompt[n];
        if (!p->tokens)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "prompt %llu is empty",
                           (unsigned long long)n + 1);
        for (uint64_t i = 0; i < p->tokens; i++)
            if (p->token[i] >= model->vocabulary)
                return rk_fail(
                    error, RK_BAD_INPUT, NULL, 0, 0,
                    "token %u of the prompt is beyond the vocabulary, which ends at %llu",
                    p->token[i], (unsigned long long)model->vocabulary);
    }
    return RK_OK;
}

/* Tokens of a text that are kept at most: the context, or all that there will be. */
static uint64_t tokens_kept(const struct rk_generate *asked, const struct rk_model *model)
{
    const uint64_t context = asked->sequence ? asked->sequence : model->sequence;
    uint64_t most = 1;
    for (uint64_t n = 0; n < asked->prompts; n++) {
        const uint64_t all = asked->prompt[n].tokens + asked->tokens;
        most = all > most ? all : most;
    }
    return most < context ? most : context;
}

static enum rk_status with_engine(struct job *job, const struct rk_generate *asked,
                                  struct checkpoint *checkpoint, struct comm *comm,
                                  struct rk_error *error)
{
    struct engine *engine = NULL;
    enum rk_status status = job->kind->open(job, comm, &engine);
    if (status != RK_OK)
        *error = comm->error;
    else
        status = checkpoint_load(checkpoint, job->kind, engine, error);
    if (status == RK_OK) status = write_texts(job, engine, asked, error);
    if (engine) job->kind->close(engine);
    return status;
}

enum rk_status rk_generate_tokens(const struct rk_model *model, const struct rk_train *train,
                                  const struct rk_generate *asked, struct rk_error *error)
{
    struct job job = {.local = NULL};
    struct rk_plan plan = rk_plan_default();
    struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    struct comm_hub *hub = comm_hub_open(1, train->limit_s);
    plan.precision = RK_FP32;
    plan.sequence = tokens_kept(asked, model);
    enum rk_status status = check_prompts(asked, model, error);
    if (status == RK_OK && (!checkpoint || !hub)) status = no_memory(error);
    const bool opens = status == RK_OK;
    if (opens) status = job_open(&job, model, &plan, train, error);
    job.system = asked->system;
    job.forward = job.loads = true;
    job_leave_ahead(&job);
    job.texts = asked->prompts;
    job.cached = plan.sequence;
    if (status == RK_OK) status = memory_suffices(&job, 1, 1, error);
    if (status == RK_OK) status = blas_open(train->threads, error);
    if (status == RK_OK) status = checkpoint_open(checkpoint, asked->load, &job, error);
    if (status == RK_OK) {
        checkpoint->moments = false;
        status = with_engine(&job, asked, checkpoint, comm_hub_rank(hub, 0), error);
    }
    if (checkpoint) checkpoint_close(checkpoint); /* weights lie in its files */
    free(checkpoint);
    comm_hub_close(hub);
    if (opens) job_close(&job);
    return status;
}
