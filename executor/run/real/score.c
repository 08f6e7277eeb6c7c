/* score.c - forward alone: the logits after a prompt, the scores of a batch. */
#include "run/real/engine.h"

#include <stdlib.h>
#include <string.h>

/* ---- texts that continue, for generation ---- */

bool caches_open(struct engine *e)
{
    const struct job *job = e->job;
    if (!job->texts) return true;
    for (int i = 0; i < e->layers; i++) {
        struct at_layer *l = &e->layer[i];
        const size_t width = l->kv_heads * (l->d + l->value);
        if (l->kind == LAYER_EMBEDDING || l->kind == LAYER_HEAD) continue;
        l->cache = malloc(job->texts * job->cached * width * sizeof *l->cache);
        if (!l->cache) return false;
    }
    return true;
}

/* The rows are all those of a sample to what does not look at texts. */
static void take_rows(struct engine *e, const struct run_rows *r)
{
    e->batch = 1;
    e->local = e->rows = e->share = r->rows;
    e->spans = 1;
    e->span[0] = (struct run_span){0, (uint32_t)r->rows, 0};
    for (size_t i = 0; i < r->rows; i++) {
        e->token[i] = r->token[i];
        e->target[i] = 0;
        e->position[i] = r->position[i];
    }
}

bool REAL(engine_rows)(struct engine *e, const struct run_rows *rows, double *logits)
{
    if (setjmp(e->escape)) return false;
    take_rows(e, rows);
    e->forward_only = true;
    e->wanted = logits;
    e->going = rows;
    for (size_t i = 0; i < e->instructions; i++)
        if (e->program[i].work == WORK_FORWARD && e->program[i].microbatch == 0 &&
            (e->program[i].what == DO_OPERATION || e->program[i].what == DO_LAYER_END))
            run_instruction(e, &e->program[i], 0, NULL);
    release_frames(e);
    return true;
}

/* ---- a batch forward, under any plan ---- */

/* The rows that this rank has the head for; of tensor ranks, which have the same, the first. */
static void collect_scores(struct engine *e, double *pair)
{
    const struct job *job = e->job;
    enter(e, 0);
    if (e->tensor.me != 0 || !e->heads) return;
    for (size_t i = 0; i < job->microbatches * e->rows; i++) {
        const size_t sample = (size_t)(e->number[i] % job->plan.batch);
        double *to = pair + 2 * (sample * job->sequence + e->position[i]);
        to[0] = e->score[i].loglik;
        to[1] = e->score[i].likeliest;
    }
}

bool REAL(engine_score)(struct engine *e, uint64_t batch, double *pair)
{
    const struct job *job = e->job;
    const size_t bytes = job->plan.batch * job->sequence * 2 * sizeof *pair;
    struct rk_token_score *score = calloc(job->microbatches * e->rows, sizeof *score);
    double *scratch = malloc(bytes);
    if (!score || !scratch) {
        struct rk_error error;
        rk_fail(&error, RK_NO_MEMORY, NULL, 0, 0, "rank %d has no memory for the scores", e->rank);
        free(score);
        free(scratch);
        return comm_fail(e->comm, &error);
    }
    bool ok = false;
    if (!setjmp(e->escape)) {
        e->forward_only = true;
        e->score = score;
        load_batch(e, batch);
        memset(pair, 0, bytes);
        for (size_t i = 0; i < e->instructions; i++)
            if (is_forward(&e->program[i])) run_instruction(e, &e->program[i], 0, NULL);
        collect_scores(e, pair);
        release_frames(e);
        ok = comm_all_reduce(e->comm, &e->world, "scores", pair, bytes, sizeof *pair, scratch,
                             add_doubles); /* one rank has each, the others 0 */
    }
    e->score = NULL;
    free(score);
    free(scratch);
    return ok;
}
