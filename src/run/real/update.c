/* update.c - the end of a step: gradients are summed, clipped, and move the weights. */
#include "run/real/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the optimizer's step ---- */

/* Gradients that tensor ranks have parts of: sums over the part [begin, begin + count) that is
 * here. */
static void sum_replicated(struct engine *e, struct store *s, real *gradient, size_t begin,
                           size_t count)
{
    for (int i = 0; i < s->group->count; i++) {
        const struct weight *w = &e->weights.weight[s->group->first + i];
        const size_t from = w->at > begin ? w->at : begin;
        const size_t end = w->at + w->box_rows * w->box_cols;
        const size_t to = end < begin + count ? end : begin + count;
        if (w->sum == SUM_NONE || from >= to) continue;
        reduce_all(e, w->sum == SUM_KEYS ? &e->keys : &e->tensor, w->name,
                   gradient + (from - begin), to - from);
    }
}

static void reduce_gradient(struct engine *e, struct store *s, real *gradient)
{
    const size_t size = s->group->size;
    const int zero = e->plan->zero;
    if (zero >= 2) {
        sum_replicated(e, s, gradient, s->begin, s->share);
        reduce_all(e, s->copies, "gradients", gradient, s->share);
        return;
    }
    const bool begun = s->sum.open, whole = zero == 0 || e->plan->whole_gradients;
    if (!begun) sum_replicated(e, s, gradient, 0, size);
    if (begun || !whole) {
        real *part = take(e, s->share);
        if (begun)
            end_sum(e, &s->sum, part);
        else
            reduce_part(e, s->shards, "gradients", gradient, part, s->share);
        memcpy(gradient + s->begin, part, s->share * sizeof *part);
        give(e, part);
        if (whole) gather_all(e, s->shards, "gradients", gradient + s->begin, gradient, s->share);
    } else {
        reduce_all(e, s->shards, "gradients", gradient, size);
    }
    reduce_all(e, s->copies, "gradients", gradient + (zero ? s->begin : 0), zero ? s->share : size);
}

/* What grad-overlap begins behind a layer's last microbatch. Both ends of a tied table, and both
 * directions of dualpipe, are summed before data ranks cut them. */
void gradients_ready(struct engine *e, struct store *s)
{
    if (!s || --s->passes_left || !e->plan->gradient_overlap || shards_gradients(e)) return;
    if (s->head || s->tied || e->dual || s->shards->ranks == 1) return;
    sum_replicated(e, s, s->gradient, 0, s->group->size);
    begin_over_shards(e, s, &s->sum, "gradients", s->gradient, s->share * sizeof(real), true);
}

/* Of two directions through the pipeline each copy of the weights has seen one. */
static void sum_directions(struct engine *e, real *gradient, size_t n)
{
    const int peer = e->stages.rank[e->stages.ranks - 1 - e->stages.me];
    real *other = take(e, n);
    if (!comm_send(e->comm, peer, COMM_COLLECTIVE, "both directions", gradient,
                   n * sizeof *gradient) ||
        !comm_receive(e->comm, peer, COMM_COLLECTIVE, "both directions", other, n * sizeof *other))
        give_up(e);
    add_to(n, other, gradient);
    give(e, other);
}

/* A tied table: what the head has found is added to what the embedding has, on both stages that
 * have it. */
static void sum_tied(struct engine *e, struct store *s)
{
    const size_t n = shards_gradients(e) ? s->share : s->group->size;
    const struct stretch begin = stretch_begin(e, s->tied ? PART_MESSAGES : PART_OPTIMIZER);
    if (!s->tied) {
        add_to(n, s->head, s->gradient);
        stretch_end(e, begin);
        return;
    }
    /* the first and the last stage have one each */
    const bool first = e->stages.me == 0;
    int ends[2] = {e->stages.rank[0], e->stages.rank[e->stages.ranks - 1]};
    const struct comm_group both = {2, first ? 0 : 1, ends};
    real *own = first ? s->gradient : s->head, *other = take(e, n);
    if (!comm_pass_on(e->comm, &both, "tied embedding", own, other, n * sizeof *own)) give_up(e);
    add_to(n, other, own);
    if (!first) memcpy(s->gradient, own, n * sizeof *own);
    give(e, other);
    stretch_end(e, begin);
}

/* A tied table is summed before data ranks cut it, as the program has it; with ZeRO-2 and 3 each
 * microbatch's gradients have been cut already. */
static void reduce_store(struct engine *e, struct store *s)
{
    const bool ends = s->head || s->tied, first = ends && !shards_gradients(e);
    if (first) sum_tied(e, s);
    /* of a tied table on two stages each has one part */
    if (first || !(s->tied && e->stages.me != 0)) reduce_gradient(e, s, s->gradient);
    if (s->head && !first) reduce_gradient(e, s, s->head);
    if (ends && !first) sum_tied(e, s);
}

/* Sums of squares, each piece of each group by who has it: a table that all ranks then share, so
 * that the total is summed in one order by all plans. */
static void sum_squares(struct engine *e)
{
    const size_t x = (size_t)e->plan->ranks;
    const size_t entries = (size_t)e->weights.ids * x;
    memset(e->sums, 0, entries * sizeof *e->sums);
    for (int g = 0; g < e->weights.groups; g++) {
        struct store *s = &e->store[g];
        enter(e, s->place);
        const size_t t = (size_t)e->tensor.ranks;
        if (s->tied && e->stages.me != 0) continue;
        if (is_second_copy(e)) continue;
        if (s->copies->me != 0 && e->plan->zero) continue;
        const size_t pieces = e->plan->zero ? (size_t)s->shards->ranks : (size_t)s->copies->ranks;
        const size_t piece = e->plan->zero ? (size_t)s->shards->me : (size_t)s->copies->me;
        const size_t n = s->group->size / pieces, begin = piece * n;
        const real *gradient = shards_gradients(e) ? s->gradient : s->gradient + begin;
        double sum = 0;
        for (int i = 0; i < s->group->count; i++) {
            const struct weight *w = &e->weights.weight[s->group->first + i];
            const size_t from = w->at > begin ? w->at : begin,
                         end = w->at + w->box_rows * w->box_cols;
            const size_t to = end < begin + n ? end : begin + n;
            if (w->counted && from < to) sum += square_sum(to - from, gradient + (from - begin));
        }
        /* a stage's ranks, but not the stages, have places in the row of a group */
        const size_t place = (size_t)e->tensor.me + t * piece;
        const size_t expert_place =
            (size_t)(e->expert_tensor.me + e->expert_tensor.ranks * e->experts.me) +
            (size_t)(e->expert_tensor.ranks * e->experts.ranks) * piece;
        e->sums[(size_t)s->group->id * x + (s->group->expert ? expert_place : place)] = sum;
    }
}

/* The norm of all gradients, from what all ranks have summed. */
static double gradient_norm(struct engine *e)
{
    const size_t x = (size_t)e->plan->ranks;
    const size_t entries = (size_t)e->weights.ids * x;
    double *scratch = malloc((entries / x + 1 + entries) * sizeof *scratch);
    if (!scratch) give_up(e);
    const bool ok =
        comm_all_reduce(e->comm, &e->world, "norm of gradients", e->sums, entries * sizeof *e->sums,
                        sizeof *e->sums, scratch, add_doubles);
    free(scratch);
    if (!ok) give_up(e);
    double total = 0;
    for (size_t i = 0; i < entries; i++)
        total += e->sums[i];
    return sqrt(total);
}

/* From 0 up over `warmup` steps, then as the settings say. `step` counts from 0. */
static double rate_of(const struct rk_train *t, uint64_t step)
{
    const double done = (double)step + 1, all = (double)t->steps, warm = (double)t->warmup;
    if (done <= warm) return t->rate * done / warm;
    const double share = all > warm ? (done - warm) / (all - warm) : 1;
    const double tail = 0.1;
    switch (t->rate_kind) {
    case RK_RATE_LINEAR:
        return t->rate + (t->least_rate - t->rate) * share;
    case RK_RATE_COSINE:
        return t->least_rate + (t->rate - t->least_rate) * (1 + cos(M_PI * share)) / 2;
    case RK_RATE_WSD:
        return share <= 1 - tail ? t->rate
                                 : t->rate + (t->least_rate - t->rate) * (share - 1 + tail) / tail;
    default:
        return t->rate;
    }
}

/* What of the next group is away comes, and that of the last one goes, while one is worked on. */
static void update_stores(struct engine *e, const struct run_adam *settings)
{
    const int groups = e->weights.groups;
    for (int g = 0; g < groups; g++) {
        if (g == 0) store_come(e, &e->store[0]);
        if (g + 1 < groups) store_come(e, &e->store[g + 1]);
        store_update(e, &e->store[g], settings);
        if (g > 0) store_leave(e, &e->store[g - 1]);
    }
    if (groups) store_leave(e, &e->store[groups - 1]);
}

void finish_step(struct engine *e, uint64_t step, struct step_result *result)
{
    const struct rk_train *t = &e->job->settings;
    double cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID), wall_s = clock_s(CLOCK_MONOTONIC);
    e->part = PART_DATA;
    gradients_land(e);
    for (int g = 0; g < e->weights.groups; g++) {
        struct store *s = &e->store[g];
        enter(e, s->place);
        const size_t n = shards_gradients(e) ? s->share : s->group->size;
        if (e->dual) sum_directions(e, s->gradient, n);
        if (e->dual && s->head) sum_directions(e, s->head, n);
        reduce_store(e, s);
    }
    book(e, PART_DATA, cpu_s, wall_s);
    cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    wall_s = clock_s(CLOCK_MONOTONIC);
    sum_squares(e);
    book(e, PART_OPTIMIZER, cpu_s, wall_s);
    cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    wall_s = clock_s(CLOCK_MONOTONIC);
    result->norm = gradient_norm(e);
    /* here the stages wait for each other */
    book(e, e->stages.ranks > 1 ? PART_MESSAGES : PART_DATA, cpu_s, wall_s);
    cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    wall_s = clock_s(CLOCK_MONOTONIC);
    result->rate = rate_of(t, step);
    const struct run_adam settings = {
        .rate = result->rate,
        .beta1 = t->beta1,
        .beta2 = t->beta2,
        .eps = t->eps,
        .decay = t->decay,
        .correct1 = 1 - pow(t->beta1, (double)step + 1),
        .correct2 = 1 - pow(t->beta2, (double)step + 1),
        .gradient_scale = t->clip > 0 && result->norm > t->clip ? t->clip / result->norm : 1,
    };
    if (!isfinite(result->norm)) return; /* the caller names it */
    e->part = PART_OPTIMIZER;
    update_stores(e, &settings);
    book(e, PART_OPTIMIZER, cpu_s, wall_s);
}
