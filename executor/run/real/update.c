/* update.c - the end of a step: gradients that were summed (gradients.c) are clipped and move the
 * weights.
 */
#include "run/real/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of `n` of the sums that are here. */
static double squares_of(struct engine *e, struct store *s, size_t begin, size_t n)
{
    double sum = 0;
    for (size_t at = 0, piece; at < n; at += piece) {
        piece = gradients_piece(e, n - at);
        const real *gradient = read_gradients(e, s, begin + at, piece);
        sum += square_sum(piece, gradient);
        gradients_read(e, gradient);
    }
    return sum;
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
        const bool sharded = shards_gradients(e);
        double sum = 0;
        for (int i = 0; i < s->group->count; i++) {
            const struct weight *w = &e->weights.weight[s->group->first + i];
            const size_t from = w->at > begin ? w->at : begin,
                         end = w->at + w->box_rows * w->box_cols;
            const size_t to = end < begin + n ? end : begin + n;
            if (w->role == WEIGHT_ROUTER_BIAS) continue; /* counts, no gradient */
            if (w->counted && from < to)
                sum += squares_of(e, s, from - (sharded ? begin : 0), to - from);
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

/* The scale of the steps to come: lower after a step with non-finite gradients, which is skipped
 * (false), higher after many other steps, like PyTorch's GradScaler. All ranks know the same norm,
 * so they agree. A scale of 1 cannot be lowered: then the step is an error. */
static bool rescale(struct engine *e, bool finite)
{
    const struct rk_train *t = &e->job->settings;
    struct scaler *s = &e->scaler;
    if (!finite) {
        if (s->scale <= 1) return true;
        s->scale = fmax(1, s->scale * t->scale_backoff);
        s->good = 0;
        s->skipped++;
        return false;
    }
    if (!t->scale_interval || ++s->good < t->scale_interval) return true;
    if (isfinite((float)(s->scale * t->scale_growth))) s->scale *= t->scale_growth;
    s->good = 0;
    return true;
}

void finish_step(struct engine *e, uint64_t step, struct step_result *result)
{
    const struct rk_train *t = &e->job->settings;
    double cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID), wall_s = clock_s(CLOCK_MONOTONIC);
    e->part = PART_DATA;
    gradients_sum(e);
    dump_gradients(e);
    book(e, PART_DATA, cpu_s, wall_s);
    cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    wall_s = clock_s(CLOCK_MONOTONIC);
    sum_squares(e);
    book(e, PART_OPTIMIZER, cpu_s, wall_s);
    cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    wall_s = clock_s(CLOCK_MONOTONIC);
    result->norm = gradient_norm(e) / e->scaler.scale;
    /* here the stages wait for each other */
    book(e, e->stages.ranks > 1 ? PART_MESSAGES : PART_DATA, cpu_s, wall_s);
    cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    wall_s = clock_s(CLOCK_MONOTONIC);
    const uint64_t done = step - e->scaler.skipped; /* steps that moved the weights */
    const double scale = e->scaler.scale;
    result->rate = rate_of(t, done);
    result->scale = e->scaler.scales ? scale : 0;
    result->skipped = e->scaler.scales && !rescale(e, isfinite(result->norm));
    if (result->skipped || !isfinite(result->norm)) return; /* the caller names the second */
    const struct run_adam settings = {
        .rate = result->rate,
        .beta1 = t->beta1,
        .beta2 = t->beta2,
        .eps = t->eps,
        .decay = t->decay,
        .correct1 = 1 - pow(t->beta1, (double)done + 1),
        .correct2 = 1 - pow(t->beta2, (double)done + 1),
        .gradient_scale =
            (t->clip > 0 && result->norm > t->clip ? t->clip / result->norm : 1) / scale,
    };
    e->part = PART_OPTIMIZER;
    update_stores(e, &settings);
    dump_state(e);
    book(e, PART_OPTIMIZER, cpu_s, wall_s);
}
