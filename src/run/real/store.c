/* store.c - the storage of a group of weights: from its begin to checkpoints. */
#include "run/real/engine.h"

#include "run/philox.h"

#include <stdlib.h>
#include <string.h>

/* ---- begin ---- */

/* Starts a weight, or the part [from, to) of the group that it is in, from the seed. */
static void start_weight(const struct engine *e, const struct weight *w, size_t from, size_t to,
                         real *at)
{
    for (size_t i = from; i < to; i++) {
        const uint64_t row = w->row0 + (i - w->at) / w->box_cols,
                       col = w->col0 + (i - w->at) % w->box_cols;
        double value = w->start;
        if (row >= w->rows)
            value = 0;
        else if (w->spread > 0)
            value =
                w->spread * philox_normal(e->job->settings.seed, w->stream, row * w->cols + col);
        at[i - from] = (real)value;
    }
}

real *room(size_t n)
{
    real *data = n ? aligned_alloc(64, (n * sizeof *data + 63) / 64 * 64) : NULL;
    if (data) memset(data, 0, n * sizeof *data);
    return data;
}

bool store_open(struct engine *e, struct store *s, const struct weight_group *g)
{
    const int zero = e->job->plan.zero;
    const bool table = g->id == GROUP_TABLE, tied = table && e->job->model.tied_embeddings;
    *s = (struct store){.group = g,
                        .shards = shards_of(e, g->expert),
                        .copies = copies_of(e, g->expert),
                        .keeps = zero < 3};
    s->share = g->size / (size_t)s->shards->ranks;
    s->begin = s->share * (size_t)s->shards->me;
    const size_t gradients = zero >= 2 ? s->share : g->size, state = zero ? s->share : g->size;
    const bool last = e->heads;
    s->tied = tied && e->stages.ranks > 1 && !e->dual;
    s->gradient = room(gradients);
    if (tied && last) s->head = room(gradients);
    s->moment[0] = room(state);
    s->moment[1] = room(state);
    if (s->keeps)
        s->whole = room(g->size);
    else
        s->shard = room(s->share);
    if (!s->gradient || !s->moment[0] || !s->moment[1] || !(s->keeps ? s->whole : s->shard) ||
        (tied && last && !s->head))
        return false;
    const size_t begin = s->keeps ? 0 : s->begin, count = s->keeps ? g->size : s->share;
    real *at = s->keeps ? s->whole : s->shard;
    for (int i = 0; i < g->count; i++) {
        const struct weight *w = &e->weights.weight[g->first + i];
        const size_t from = w->at > begin ? w->at : begin, end = w->at + w->box_rows * w->box_cols;
        const size_t to = end < begin + count ? end : begin + count;
        if (from < to) start_weight(e, w, from, to, at + (from - begin));
    }
    return true;
}

void store_close(struct store *s)
{
    if (s->keeps) free(s->whole);
    free(s->shard);
    free(s->gradient);
    free(s->head);
    free(s->moment[0]);
    free(s->moment[1]);
}

/* ---- use ---- */

void use_weights(struct engine *e, struct store *s)
{
    if (s->whole) return;
    s->whole = take(e, s->group->size);
    gather_all(e, s->shards, "weights", s->shard, s->whole, s->share);
}

/* With ZeRO-2 a layer's gradients of one microbatch, whole; else the sums over all microbatches. */
real *REAL(gradients_of)(struct engine *e, struct store *s, bool head)
{
    real **pass = head ? &s->head_pass : &s->pass;
    if (!shards_gradients(e)) return head ? s->head : s->gradient;
    if (!*pass) *pass = take_zeros(e, s->group->size);
    return *pass;
}

/* The layer's work on a microbatch is over: what it borrowed goes back, gradients to their owners.
 */
static void reduce_pass(struct engine *e, struct store *s, real **pass, real *sum)
{
    if (!*pass) return;
    real *part = take(e, s->share);
    reduce_part(e, s->shards, "gradients", *pass, part, s->share);
    add_to(s->share, part, sum);
    give(e, part);
    give(e, *pass);
    *pass = NULL;
}

void store_finish(struct engine *e, struct store *s, bool forward)
{
    if (!s) return;
    if (shards_gradients(e)) {
        reduce_pass(e, s, &s->pass, s->gradient);
        reduce_pass(e, s, &s->head_pass, s->head);
    }
    if (s->keeps || !s->whole || (forward && e->job->plan.keep_gathered)) return;
    give(e, s->whole);
    s->whole = NULL;
}

void store_update(struct engine *e, struct store *s, const struct run_adam *adam_settings)
{
    const int zero = e->job->plan.zero;
    const size_t begin = zero ? s->begin : 0, n = zero ? s->share : s->group->size;
    real *w = s->keeps ? s->whole + begin : s->shard;
    const real *g = shards_gradients(e) ? s->gradient : s->gradient + begin;
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *one = &e->weights.weight[s->group->first + i];
        const size_t from = one->at > begin ? one->at : begin;
        const size_t end = one->at + one->box_rows * one->box_cols,
                     to = end < begin + n ? end : begin + n;
        if (from >= to) continue;
        adam(e->threads, to - from, adam_settings, one->decays, g + (from - begin),
             s->moment[0] + (from - begin), s->moment[1] + (from - begin), w + (from - begin));
    }
    if (zero && s->keeps) {
        real *share = take(e, s->share);
        memcpy(share, s->whole + s->begin, s->share * sizeof *share);
        gather_all(e, s->shards, "weights", share, s->whole, s->share);
        give(e, share);
    }
}

void store_clear(struct engine *e, struct store *s)
{
    const size_t n = shards_gradients(e) ? s->share : s->group->size;
    memset(s->gradient, 0, n * sizeof *s->gradient);
    if (s->head) memset(s->head, 0, n * sizeof *s->head);
}

/* ---- state, for checkpoints ---- */

bool REAL(engine_gather)(struct engine *e, int group, int which, void *to)
{
    struct store *s = &e->store[group];
    const int zero = e->job->plan.zero;
    const real *part = which ? s->moment[which - 1] : s->keeps ? s->whole : s->shard;
    const bool whole = which ? zero == 0 : s->keeps;
    if (setjmp(e->escape)) return false;
    if (whole)
        memcpy(to, part, s->group->size * sizeof(real));
    else
        gather_all(e, s->shards, "state", part, to, s->share);
    return true;
}

void REAL(engine_scatter)(struct engine *e, int group, int which, const void *from)
{
    struct store *s = &e->store[group];
    const real *all = from;
    const int zero = e->job->plan.zero;
    real *part = which ? s->moment[which - 1] : s->keeps ? s->whole : s->shard;
    const bool whole = which ? zero == 0 : s->keeps;
    memcpy(part, whole ? all : all + s->begin, (whole ? s->group->size : s->share) * sizeof(real));
}

bool REAL(engine_writes)(const struct engine *e, int group)
{
    const struct store *s = &e->store[group];
    return s->shards->me == 0 && s->copies->me == 0 && !(s->tied && e->stages.me != 0) &&
           !is_second_copy(e);
}
