/* task.c - a loss and predictions of the user's own, on whole rows of logits in 64 bits. */
#include "run/real/engine.h"

#include <stdlib.h>

/* Whole rows of the vocabulary's shards, which lie (tensor ranks, rows, box). */
static void join_words(const struct engine *e, size_t rows, size_t box, const real *all, double *to)
{
    const size_t words = e->job->model.vocabulary;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < words; j++)
            to[i * words + j] = (double)all[(j / box * rows + i) * box + j % box];
}

/* One sample's rows at a time. */
static void predict(const struct engine *e, const struct rk_rows *all)
{
    const struct rk_functions *f = e->job->functions;
    for (uint64_t i = 0, n; i < all->rows; i += n) {
        for (n = 1; i + n < all->rows && all->sample[i + n] == all->sample[i]; n++)
            ;
        const struct rk_rows rows = {.rows = n,
                                     .words = all->words,
                                     .logits = all->logits + i * all->words,
                                     .sample = all->sample + i,
                                     .position = all->position + i,
                                     .target = all->target + i};
        const bool asked = rows.sample[0] >= e->first && rows.sample[0] < e->end;
        if (asked && e->tensor.me == 0) f->predict(f->context, &rows);
    }
}

/* Into this rank's words of `dlogits`; padding has none. */
static void cut_words(const struct engine *e, size_t rows, size_t count, size_t box, uint32_t first,
                      double scale, const double *gradient, real *dlogits)
{
    const size_t words = e->job->model.vocabulary;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < box; j++)
            dlogits[i * box + j] = j < count ? (real)(scale * gradient[i * words + first + j]) : 0;
}

double task_loss(struct engine *e, size_t row, size_t rows, size_t count, size_t box,
                 uint32_t first, double scale, real *logits)
{
    const struct rk_functions *f = e->job->functions;
    const size_t words = e->job->model.vocabulary, t = (size_t)e->tensor.ranks;
    real *all = t > 1 ? take(e, t * rows * box) : logits;
    if (t > 1) gather_all(e, &e->tensor, "logits of a task", logits, all, rows * box);
    if (COUNTS) {
        if (t > 1) give(e, all);
        return 0;
    }
    double *whole = malloc(2 * rows * words * sizeof *whole);
    if (!whole) give_up(e);
    double *gradient = whole + rows * words, loss = 0;
    join_words(e, rows, box, all, whole);
    if (t > 1) give(e, all);
    const struct rk_rows r = {.rows = rows,
                              .words = words,
                              .logits = whole,
                              .sample = e->number + row,
                              .position = e->position + row,
                              .target = e->target + row};
    if (e->forward_only) {
        predict(e, &r);
    } else {
        loss = (f->loss ? f->loss : rk_cross_entropy)(f->context, &r, gradient);
        cut_words(e, rows, count, box, first, scale, gradient, logits);
    }
    free(whole);
    return loss;
}

bool REAL(engine_predict)(struct engine *e, uint64_t batch, uint64_t first, uint64_t end)
{
    if (setjmp(e->escape)) return false;
    e->forward_only = true;
    e->first = first;
    e->end = end;
    load_batch(e, batch);
    for (size_t i = 0; i < e->instructions; i++)
        if (is_forward(&e->program[i])) run_instruction(e, &e->program[i], 0, NULL);
    release_frames(e);
    return true;
}
