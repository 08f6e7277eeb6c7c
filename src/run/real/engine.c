#include "run/real/engine.h"

#include "run/philox.h"
#include "workload/pattern.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double clock_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- collectives ---- */

static void add_reals(void *y, const void *x, size_t bytes)
{
    add_to(bytes / sizeof(real), x, y);
}

static void add_doubles(void *y, const void *x, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(double); i++)
        ((double *)y)[i] += ((const double *)x)[i];
}

void reduce_all(struct engine *e, const struct comm_group *g, const char *what, real *x, size_t n)
{
    if (g->ranks == 1) return;
    real *scratch = take(e, n / (size_t)g->ranks + 1);
    if (!comm_all_reduce(e->comm, g, what, x, n * sizeof *x, sizeof *x, scratch, add_reals))
        give_up(e);
    give(e, scratch);
}

void reduce_part(struct engine *e, const struct comm_group *g, const char *what, const real *all,
                 real *part, size_t n)
{
    if (!comm_reduce_scatter(e->comm, g, what, all, part, n * sizeof *all, add_reals)) give_up(e);
}

void gather_all(struct engine *e, const struct comm_group *g, const char *what, const real *part,
                real *all, size_t n)
{
    if (!comm_all_gather(e->comm, g, what, part, all, n * sizeof *all)) give_up(e);
}

/* ---- weights of a group ---- */

void use_weights(struct engine *e, struct store *s)
{
    if (s->whole) return;
    s->whole = take(e, s->group->size);
    gather_all(e, s->shards, "weights", s->shard, s->whole, s->share);
}

static bool shards_gradients(const struct engine *e)
{
    return e->job->plan.zero >= 2;
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

static void finish_store(struct engine *e, struct store *s, bool forward)
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

/* Does one layer hand what it brings to the other without a message? */
static bool joined(const struct engine *e, int one, int other)
{
    const struct at_layer *a = &e->layer[one], *b = &e->layer[other];
    return b->layer == a->layer + 1 && (a->part == b->part || !e->dual);
}

static void finish_layer(struct engine *e, const struct instruction *i)
{
    struct at_layer *l = &e->layer[i->layer];
    struct frame *f = &l->frame[i->microbatch];
    finish_store(e, l->dense, i->work == WORK_FORWARD);
    finish_store(e, l->experts, i->work == WORK_FORWARD);
    finish_store(e, l->table, i->work == WORK_FORWARD);
    finish_store(e, l->head, i->work == WORK_FORWARD);
    if (i->work == WORK_FORWARD) {
        const bool *drops = e->drops + (size_t)i->layer * SLOTS;
        drop(e, f, SLOT_WHOLE_1);
        drop(e, f, SLOT_WHOLE_2);
        for (int s = 0; s < SLOTS; s++)
            if (drops[s] || (e->forward_only && s != SLOT_OUT_2)) drop(e, f, (enum slot)s);
        if (i->layer + 1 < e->layers && joined(e, i->layer, i->layer + 1) && f->slot[SLOT_OUT_2]) {
            e->layer[i->layer + 1].frame[i->microbatch].slot[SLOT_X] = f->slot[SLOT_OUT_2];
            f->slot[SLOT_OUT_2] = NULL;
        }
        return;
    }
    if (i->work == WORK_INPUT && i->layer > 0 && joined(e, i->layer - 1, i->layer) &&
        f->slot[SLOT_DX]) {
        e->layer[i->layer - 1].frame[i->microbatch].slot[SLOT_DX] = f->slot[SLOT_DX];
        f->slot[SLOT_DX] = NULL;
    }
    if (!i->ends) return;
    for (int s = 0; s < SLOTS; s++)
        if (s != SLOT_DX) drop(e, f, (enum slot)s);
    REAL(mixture_free)(f);
    memset(f->done, 0, sizeof f->done);
}

/* ---- messages between stages ---- */

static void send_message(struct engine *e, const struct instruction *i)
{
    struct frame *f = &e->layer[i->layer].frame[i->microbatch];
    const enum slot slot = i->back ? SLOT_DX : SLOT_OUT_2;
    if (!comm_send(e->comm, i->peer, i->tag, i->back ? "gradient of a stage" : "output of a stage",
                   f->slot[slot], e->share * e->hidden * sizeof(real)))
        give_up(e);
    drop(e, f, slot);
}

static void receive_message(struct engine *e, const struct instruction *i)
{
    struct frame *f = &e->layer[i->layer].frame[i->microbatch];
    real *x = make(e, f, i->back ? SLOT_DX : SLOT_X, e->share * e->hidden);
    if (!comm_receive(e->comm, i->peer, i->tag,
                      i->back ? "gradient of a stage" : "output of a stage", x,
                      e->share * e->hidden * sizeof *x))
        give_up(e);
}

/* ---- the optimizer's step ---- */

static struct comm_group *shards_of(struct engine *e, bool expert)
{
    return expert ? &e->expert_shards : &e->shards;
}

static struct comm_group *copies_of(struct engine *e, bool expert)
{
    return expert ? &e->expert_copies : &e->copies;
}

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
    const int zero = e->job->plan.zero;
    if (zero >= 2) {
        sum_replicated(e, s, gradient, s->begin, s->share);
        reduce_all(e, s->copies, "gradients", gradient, s->share);
        return;
    }
    sum_replicated(e, s, gradient, 0, size);
    if (zero == 1 && !e->job->plan.whole_gradients) {
        real *part = take(e, s->share);
        reduce_part(e, s->shards, "gradients", gradient, part, s->share);
        memcpy(gradient + s->begin, part, s->share * sizeof *part);
        give(e, part);
    } else {
        reduce_all(e, s->shards, "gradients", gradient, size);
    }
    reduce_all(e, s->copies, "gradients", gradient + (zero ? s->begin : 0), zero ? s->share : size);
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

/* A tied table: what the head has found is added to what the embedding has. */
static void sum_tied(struct engine *e, struct store *s)
{
    const size_t n = shards_gradients(e) ? s->share : s->group->size;
    const int zero = e->job->plan.zero;
    real *embedding = s->gradient;
    if (!s->tied) {
        add_to(n, s->head, embedding);
        return;
    }
    /* the first and the last stage have one each */
    const bool first = e->stages.me == 0;
    const int peer = e->stages.rank[first ? e->stages.ranks - 1 : 0];
    real *own = first ? s->gradient : s->head, *other = take(e, n);
    const size_t begin = zero == 1 ? s->begin : 0, count = zero == 1 ? s->share : n;
    if (!comm_send(e->comm, peer, COMM_COLLECTIVE, "tied embedding", own + begin,
                   count * sizeof *own) ||
        !comm_receive(e->comm, peer, COMM_COLLECTIVE, "tied embedding", other,
                      count * sizeof *other))
        give_up(e);
    add_to(count, other, own + begin);
    if (!first) memcpy(s->gradient + begin, own + begin, count * sizeof *own);
    give(e, other);
}

static bool is_second_copy(const struct engine *e)
{
    return e->dual && e->stages.me >= e->stages.ranks / 2;
}

/* Sums of squares, each piece of each group by who has it: a table that all ranks then share, so
 * that the total is summed in one order by all plans. */
static double gradient_norm(struct engine *e)
{
    const size_t t = (size_t)e->tensor.ranks, x = (size_t)e->job->plan.ranks;
    const size_t entries = (size_t)e->weights.ids * x;
    memset(e->sums, 0, entries * sizeof *e->sums);
    (void)t;
    for (int g = 0; g < e->weights.groups; g++) {
        struct store *s = &e->store[g];
        if (s->tied && e->stages.me != 0) continue;
        if (is_second_copy(e)) continue;
        if (s->copies->me != 0 && e->job->plan.zero) continue;
        const size_t pieces =
            e->job->plan.zero ? (size_t)s->shards->ranks : (size_t)s->copies->ranks;
        const size_t piece = e->job->plan.zero ? (size_t)s->shards->me : (size_t)s->copies->me;
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

static void update_store(struct engine *e, struct store *s, const struct run_adam *adam_settings)
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

static void clear_gradient(struct engine *e, struct store *s)
{
    const size_t n = shards_gradients(e) ? s->share : s->group->size;
    memset(s->gradient, 0, n * sizeof *s->gradient);
    if (s->head) memset(s->head, 0, n * sizeof *s->head);
}

static double world_sum(struct engine *e, double value, const char *what)
{
    double all[e->world.ranks];
    if (!comm_all_gather(e->comm, &e->world, what, &value, all, sizeof value)) give_up(e);
    double sum = 0;
    for (int i = 0; i < e->world.ranks; i++)
        sum += all[i];
    return sum;
}

static void book(struct engine *e, enum ledger_part part, double cpu_s, double wall_s)
{
    struct ledger_row *row = &e->ledger.part[part];
    row->times++;
    row->cpu_s += clock_s(CLOCK_THREAD_CPUTIME_ID) - cpu_s;
    row->wall_s += clock_s(CLOCK_MONOTONIC) - wall_s;
    row->sent_bytes += e->comm->sent_bytes - e->booked_bytes;
    e->booked_bytes = e->comm->sent_bytes;
}

static void finish_step(struct engine *e, uint64_t step, struct step_result *result)
{
    const struct rk_train *t = &e->job->settings;
    double cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID), wall_s = clock_s(CLOCK_MONOTONIC);
    for (int g = 0; g < e->weights.groups; g++) {
        struct store *s = &e->store[g];
        const size_t n = shards_gradients(e) ? s->share : s->group->size;
        if (e->dual) sum_directions(e, s->gradient, n);
        if (e->dual && s->head) sum_directions(e, s->head, n);
        /* of a tied table on two stages each has one part */
        if (!(s->tied && e->stages.me != 0)) reduce_gradient(e, s, s->gradient);
        if (s->head) reduce_gradient(e, s, s->head);
        if (s->head || s->tied) sum_tied(e, s);
    }
    result->norm = gradient_norm(e);
    book(e, PART_DATA, cpu_s, wall_s);
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
    for (int g = 0; g < e->weights.groups; g++)
        update_store(e, &e->store[g], &settings);
    book(e, PART_OPTIMIZER, cpu_s, wall_s);
}

/* ---- a step ---- */

/* What is behind a text's last token, and behind the last text, is token 0: nothing sees it. */
static void score_sample(const struct job *job, uint64_t n, uint32_t *tokens)
{
    memset(tokens, 0, (job->sequence + 1) * sizeof *tokens);
    if (n >= job->score->sequences) return;
    const struct rk_sequence *s = &job->score->sequence[n];
    memcpy(tokens, s->token, s->tokens * sizeof *tokens);
}

static void load_batch(struct engine *e, uint64_t step)
{
    const struct job *job = e->job;
    const uint64_t each = job->microbatches * e->batch;
    for (uint64_t mb = 0; mb < job->microbatches; mb++)
        for (size_t b = 0; b < e->batch; b++) {
            const uint64_t n =
                step * job->plan.batch + (uint64_t)e->data_rank * each + mb * e->batch + b;
            const size_t at = mb * e->rows + b * e->local;
            if (job->score)
                score_sample(job, n, e->sample);
            else
                data_sample(job->data, n, e->sample);
            for (int s = 0; s < e->spans; s++)
                for (uint32_t i = 0; i < e->span[s].rows; i++) {
                    const uint32_t p = e->span[s].position + i;
                    e->position[at + e->span[s].at + i] = p;
                    e->token[at + e->span[s].at + i] = e->sample[p];
                    e->target[at + e->span[s].at + i] = e->sample[p + 1];
                }
        }
}

static void run_operation(struct engine *e, const struct instruction *i)
{
    const struct kernels *k = &kernel_table[i->operation];
    struct at_layer *l = &e->layer[i->layer];
    kernel *run = i->work == WORK_INPUT    ? k->input
                  : i->work == WORK_WEIGHT ? k->weight
                                           : k->forward;
    if (!run) return;
    const double cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID), wall_s = clock_s(CLOCK_MONOTONIC);
    run(e, l, &l->frame[i->microbatch], i->microbatch);
    book(e, i->work == WORK_AGAIN ? PART_AGAIN : k->part, cpu_s, wall_s);
}

static void run_instruction(struct engine *e, const struct instruction *i, uint64_t step,
                            struct step_result *result)
{
    const double cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID), wall_s = clock_s(CLOCK_MONOTONIC);
    switch ((enum what)i->what) {
    case DO_OPERATION:
        run_operation(e, i);
        return;
    case DO_SEND:
        send_message(e, i);
        book(e, PART_MESSAGES, cpu_s, wall_s);
        return;
    case DO_RECEIVE:
        receive_message(e, i);
        book(e, PART_MESSAGES, cpu_s, wall_s);
        return;
    case DO_LAYER_END:
        finish_layer(e, i);
        if (e->job->plan.zero >= 2) book(e, PART_DATA, cpu_s, wall_s);
        return;
    case DO_STEP:
        finish_step(e, step, result);
        return;
    default:
        return;
    }
}

/* Losses of this rank's microbatches, in order; context and data ranks have different tokens,
 * tensor ranks the same. */
static double own_loss(const struct engine *e)
{
    double loss = 0;
    if (e->tensor.me != 0 || !e->heads) return 0;
    for (uint64_t mb = 0; mb < e->job->microbatches; mb++)
        loss += e->row_loss[mb];
    return loss;
}

static void release_frames(struct engine *e)
{
    for (int i = 0; i < e->layers; i++)
        for (uint64_t mb = 0; mb < e->job->microbatches; mb++) {
            struct frame *f = &e->layer[i].frame[mb];
            for (int s = 0; s < SLOTS; s++)
                drop(e, f, (enum slot)s);
            REAL(mixture_free)(f);
            memset(f->done, 0, sizeof f->done);
        }
}

static bool engine_step(struct engine *e, uint64_t step, struct step_result *result)
{
    const double wall_s = clock_s(CLOCK_MONOTONIC);
    if (setjmp(e->escape)) return false;
    load_batch(e, step);
    memset(e->row_loss, 0, e->job->microbatches * sizeof *e->row_loss);
    for (int g = 0; g < e->weights.groups; g++)
        clear_gradient(e, &e->store[g]);
    for (size_t i = 0; i < e->instructions; i++)
        run_instruction(e, &e->program[i], step, result);
    const double tokens = (double)e->job->plan.batch * (double)e->job->sequence;
    result->loss = world_sum(e, own_loss(e), "loss") / tokens;
    result->wall_s = clock_s(CLOCK_MONOTONIC) - wall_s;
    result->peak_bytes = e->pool.peak_bytes;
    release_frames(e);
    if (isfinite(result->norm) && isfinite(result->loss)) return true;
    struct rk_error error;
    rk_fail(
        &error, RK_NOTHING_FITS, NULL, 0, 0,
        "step %llu: the loss is %g, the norm of the gradients %g: a lower --rate, or --clip, helps",
        (unsigned long long)step + 1, result->loss, result->norm);
    return comm_fail(e->comm, &error);
}

/* ---- opening ---- */

static void group_of(struct engine *e, struct comm_group *g, enum rank_groups kind, int **next)
{
    const struct rank_map *map = &e->job->map;
    g->ranks = (int)ranks_of_group(map, kind);
    g->me = (int)rank_position(map, kind, (uint64_t)e->rank);
    g->rank = *next;
    for (int i = 0; i < g->ranks; i++)
        g->rank[i] = (int)rank_member(map, kind, (uint64_t)e->rank, (uint64_t)i);
    *next += g->ranks;
}

static bool open_groups(struct engine *e)
{
    const struct rank_map *map = &e->job->map;
    const int ranks = (int)e->job->plan.ranks;
    size_t places = 2 * (size_t)ranks + (size_t)e->job->plan.tensor;
    for (int kind = 0; kind < RANK_GROUPS; kind++)
        places += ranks_of_group(map, (enum rank_groups)kind);
    int *next = e->group_ranks = calloc(places, sizeof *next);
    if (!next) return false;
    group_of(e, &e->tensor, RANKS_OF_TENSOR, &next);
    group_of(e, &e->context, RANKS_OF_CONTEXT, &next);
    group_of(e, &e->stages, RANKS_OF_PIPELINE, &next);
    group_of(e, &e->shards, RANKS_OF_SHARDS, &next);
    group_of(e, &e->copies, RANKS_OF_COPIES, &next);
    group_of(e, &e->experts, RANKS_OF_EXPERT, &next);
    group_of(e, &e->expert_tensor, RANKS_OF_EXPERT_TENSOR, &next);
    group_of(e, &e->expert_shards, RANKS_OF_EXPERT_SHARDS, &next);
    group_of(e, &e->expert_copies, RANKS_OF_EXPERT_COPIES, &next);
    const enum rk_context_kind kind = e->job->plan.context_kind;
    if (kind == RK_ULYSSES || kind == RK_RING_ULYSSES)
        group_of(e, &e->ulysses, RANKS_OF_ULYSSES, &next);
    else
        e->ulysses = (struct comm_group){1, 0, NULL};
    if (kind != RK_ULYSSES)
        group_of(e, &e->ring, RANKS_OF_RING, &next);
    else
        e->ring = (struct comm_group){1, 0, NULL};
    e->world = (struct comm_group){ranks, e->rank, next};
    for (int i = 0; i < ranks; i++)
        *next++ = i;
    const int copies = (int)e->weights.key_copies;
    e->keys = (struct comm_group){copies, e->tensor.me % copies, next};
    for (int i = 0; i < copies; i++)
        *next++ = e->tensor.rank[e->tensor.me / copies * copies + i];
    e->context_rank = e->context.me;
    e->data_rank = (int)rank_position(map, RANKS_OF_DATA, (uint64_t)e->rank);
    e->data_ranks = (int)ranks_of_group(map, RANKS_OF_DATA);
    return true;
}

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

static real *room(size_t n)
{
    real *data = n ? aligned_alloc(64, (n * sizeof *data + 63) / 64 * 64) : NULL;
    if (data) memset(data, 0, n * sizeof *data);
    return data;
}

static bool open_store(struct engine *e, struct store *s, const struct weight_group *g)
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

static struct store *store_of(struct engine *e, int id)
{
    for (int g = 0; g < e->weights.groups; g++)
        if (e->weights.group[g].id == id) return &e->store[g];
    return NULL;
}

static void open_block(struct engine *e, struct at_layer *l)
{
    const struct rk_model *m = &e->job->model;
    const uint64_t i = (uint64_t)l->layer;
    const bool local = mixer_of(m, i) == MIXER_LOCAL;
    const struct head_shape shape = head_shape_of(m, local);
    const size_t t = (size_t)e->tensor.ranks;
    l->kind = layer_kind_of(m, i);
    l->dense = store_of(e, group_of_block(i, false));
    l->experts = store_of(e, group_of_block(i, true));
    l->heads = (size_t)shape.heads / t;
    l->kv_heads = (size_t)shape.kv_heads > t ? (size_t)shape.kv_heads / t : 1;
    l->d = (size_t)shape.width;
    l->value = (size_t)shape.value;
    l->feedforward = m->feedforward / t;
    if (local) {
        l->mask.window = (uint32_t)m->window;
        l->mask.chunks = m->window_chunks;
    }
    if (e->job->blocks.sees && i % 2 == 1) l->mask.blocks = &e->job->blocks;
}

static bool open_layers(struct engine *e, const struct weight_part *part, int parts)
{
    const struct rk_model *m = &e->job->model;
    int count = 0;
    for (int p = 0; p < parts; p++)
        count += (int)part[p].layers + part[p].embeds + part[p].heads;
    e->layer = calloc((size_t)count, sizeof *e->layer);
    for (int p = 0; e->layer && p < parts; p++) {
        if (part[p].embeds) {
            struct at_layer *l = &e->layer[e->layers++];
            *l = (struct at_layer){.part = p, .layer = -1, .kind = LAYER_EMBEDDING};
            l->table = store_of(e, GROUP_TABLE);
            l->dense = store_of(e, GROUP_POSITIONS);
        }
        for (uint64_t i = 0; i < part[p].layers; i++) {
            struct at_layer *l = &e->layer[e->layers++];
            l->part = p;
            l->layer = (int64_t)(part[p].first + i);
            open_block(e, l);
        }
        if (part[p].heads) {
            struct at_layer *l = &e->layer[e->layers++];
            *l = (struct at_layer){.part = p, .layer = (int64_t)m->layers, .kind = LAYER_HEAD};
            l->dense = store_of(e, group_of_final_norm(m));
            l->table = store_of(e, GROUP_TABLE);
            l->head = store_of(e, group_of_head(m));
        }
    }
    for (int i = 0; e->layer && i < e->layers; i++)
        if (!(e->layer[i].frame = calloc(e->job->microbatches, sizeof(struct frame)))) return false;
    return e->layer != NULL;
}

int REAL(context_spans)(const struct job *job, uint32_t c, struct run_span span[2]);

static bool open_batch(struct engine *e)
{
    const struct job *job = e->job;
    const size_t mbs = job->microbatches;
    e->batch = job->plan.microbatch;
    e->local = job->sequence / job->plan.context;
    e->rows = e->batch * e->local;
    e->share = job->plan.sequence_parallel ? e->rows / (size_t)e->tensor.ranks : e->rows;
    e->hidden = job->model.hidden;
    e->spans = REAL(context_spans)(job, (uint32_t)e->context_rank, e->span);
    e->token = calloc(3 * mbs * e->rows, sizeof *e->token);
    e->sample = calloc(job->sequence + 1, sizeof *e->sample);
    e->row_loss = calloc(mbs, sizeof *e->row_loss);
    e->sums = calloc((size_t)e->weights.ids * job->plan.ranks, sizeof *e->sums);
    if (!e->token || !e->sample || !e->row_loss || !e->sums) return false;
    e->target = e->token + mbs * e->rows;
    e->position = e->target + mbs * e->rows;
    if (job->model.position != RK_POSITION_ROPE) return true;
    const size_t d =
        job->model.kv_rank ? job->model.rope_dim : (size_t)head_shape_of(&job->model, false).width;
    e->turn = room(job->sequence * d);
    if (e->turn) rotary_table(job->sequence, d, job->settings.rotary_base, e->turn);
    return e->turn != NULL;
}

static void engine_close(struct engine *e)
{
    if (!e) return;
    for (int g = 0; e->store && g < e->weights.groups; g++) {
        struct store *s = &e->store[g];
        if (s->keeps) free(s->whole);
        free(s->shard);
        free(s->gradient);
        free(s->head);
        free(s->moment[0]);
        free(s->moment[1]);
    }
    for (int i = 0; e->layer && i < e->layers; i++) {
        for (uint64_t mb = 0; e->layer[i].frame && mb < e->job->microbatches; mb++)
            REAL(mixture_free)(&e->layer[i].frame[mb]);
        free(e->layer[i].frame);
    }
    REAL(pool_release)(&e->pool);
    weights_release(&e->weights);
    free(e->store);
    free(e->layer);
    free(e->program);
    free(e->drops);
    free(e->group_ranks);
    free(e->token);
    free(e->sample);
    free(e->row_loss);
    free(e->sums);
    free(e->turn);
    free(e);
}

static int parts_of(const struct job *job, uint64_t stage, struct weight_part *part)
{
    const struct pipeline *pipe = &job->pipeline;
    const uint64_t chunks = pipeline_chunks(pipe), parts = pipeline_parts(pipe);
    for (uint64_t c = 0; c < chunks; c++) {
        const uint64_t at = pipeline_part(pipe, stage, c);
        part[c] = (struct weight_part){.embeds = at == 0, .heads = at + 1 == parts};
        for (uint64_t i = 0; i < at; i++)
            part[c].first += rk_plan_split(&job->plan, &job->model, i);
        part[c].layers = rk_plan_split(&job->plan, &job->model, at);
    }
    /* in the model's order, also with dualpipe */
    if (chunks == 2 && (part[0].first > part[1].first || part[1].embeds)) {
        const struct weight_part first = part[1];
        part[1] = part[0];
        part[0] = first;
    }
    return (int)chunks;
}

static enum rk_status engine_open(const struct job *job, struct comm *comm, struct engine **engine)
{
    struct engine *e = calloc(1, sizeof *e);
    struct weight_part part[RK_MAX_CHUNKS];
    enum rk_status status = RK_OK;
    *engine = e;
    if (!e) return rk_fail(&comm->error, RK_IO, NULL, 0, 0, "no memory for rank %d", comm->rank);
    openblas_set_num_threads(1);
    e->job = job;
    e->comm = comm;
    e->rank = comm->rank;
    e->threads = job->settings.threads;
    const uint64_t stage = rank_position(&job->map, RANKS_OF_PIPELINE, (uint64_t)e->rank);
    const int parts = parts_of(job, stage, part);
    e->dual = job->pipeline.schedule == RK_DUALPIPE;
    for (int i = 0; i < parts; i++)
        e->heads |= part[i].heads;
    status = weights_plan(&job->model, &job->plan, &job->map, (uint64_t)e->rank, part, parts,
                          &e->weights, &comm->error);
    if (status != RK_OK) return status;
    e->store = calloc((size_t)e->weights.groups, sizeof *e->store);
    bool ok = e->store && open_groups(e);
    for (int g = 0; ok && g < e->weights.groups; g++)
        ok = open_store(e, &e->store[g], &e->weights.group[g]);
    ok = ok && open_layers(e, part, parts) && open_batch(e);
    if (!ok)
        return rk_fail(&comm->error, RK_IO, NULL, 0, 0,
                       "rank %d has no memory for its weights and their state", e->rank);
    return REAL(program_make)(e, &comm->error) ? RK_OK : comm->error.status;
}

static bool knows(const char *operation)
{
    return kernel_find(operation) >= 0;
}

static const struct ledger *engine_ledger(const struct engine *e)
{
    return &e->ledger;
}
static const struct weights *engine_weights(const struct engine *e)
{
    return &e->weights;
}
static struct comm *engine_comm(const struct engine *e)
{
    return e->comm;
}

/* ---- state, for checkpoints ---- */

static bool engine_gather(struct engine *e, int group, int which, void *to)
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

static void engine_scatter(struct engine *e, int group, int which, const void *from)
{
    struct store *s = &e->store[group];
    const real *all = from;
    const int zero = e->job->plan.zero;
    real *part = which ? s->moment[which - 1] : s->keeps ? s->whole : s->shard;
    const bool whole = which ? zero == 0 : s->keeps;
    memcpy(part, whole ? all : all + s->begin, (whole ? s->group->size : s->share) * sizeof(real));
}

static bool engine_writes(const struct engine *e, int group)
{
    const struct store *s = &e->store[group];
    return s->shards->me == 0 && s->copies->me == 0 && !(s->tied && e->stages.me != 0) &&
           !is_second_copy(e);
}

/* ---- one sample forward, for generation ---- */

/* The rows are those of the tokens: a sample may be shorter than the plan's. */
static void take_tokens(struct engine *e, const uint32_t *tokens, size_t count)
{
    e->batch = 1;
    e->local = e->rows = e->share = count;
    e->spans = 1;
    e->span[0] = (struct run_span){0, (uint32_t)count, 0};
    for (size_t i = 0; i < count; i++) {
        e->token[i] = tokens[i];
        e->target[i] = 0;
        e->position[i] = (uint32_t)i;
    }
}

static bool is_forward(const struct instruction *i)
{
    const bool message = i->what == DO_SEND || i->what == DO_RECEIVE;
    return message
               ? !i->back
               : i->work == WORK_FORWARD && (i->what == DO_OPERATION || i->what == DO_LAYER_END);
}

static bool engine_logits(struct engine *e, const uint32_t *tokens, size_t count, double *logits)
{
    if (setjmp(e->escape)) return false;
    take_tokens(e, tokens, count);
    e->forward_only = true;
    e->wanted = logits;
    for (size_t i = 0; i < e->instructions; i++)
        if (e->program[i].work == WORK_FORWARD && e->program[i].microbatch == 0 &&
            (e->program[i].what == DO_OPERATION || e->program[i].what == DO_LAYER_END))
            run_instruction(e, &e->program[i], 0, NULL);
    release_frames(e);
    return true;
}

/* ---- a batch forward, under any plan ---- */

/* The rows that this rank has the head for; of tensor ranks, which have the same, the first. */
static void collect_scores(const struct engine *e, double *pair)
{
    const struct job *job = e->job;
    if (e->tensor.me != 0 || !e->heads) return;
    for (size_t i = 0; i < job->microbatches * e->rows; i++) {
        const size_t sample = (size_t)e->data_rank * job->microbatches * e->batch + i / e->local;
        double *to = pair + 2 * (sample * job->sequence + e->position[i]);
        to[0] = e->score[i].loglik;
        to[1] = e->score[i].likeliest;
    }
}

static bool engine_score(struct engine *e, uint64_t batch, double *pair)
{
    const struct job *job = e->job;
    const size_t bytes = job->plan.batch * job->sequence * 2 * sizeof *pair;
    struct rk_token_score *score = calloc(job->microbatches * e->rows, sizeof *score);
    double *scratch = malloc(bytes);
    if (!score || !scratch) {
        struct rk_error error;
        rk_fail(&error, RK_IO, NULL, 0, 0, "rank %d has no memory for the scores", e->rank);
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

const struct engine_kind REAL(engine) = {
    .real_bytes = sizeof(real),
#ifdef RUN_F64
    .datatype = "F64",
#else
    .datatype = "F32",
#endif
    .knows = knows,
    .open = engine_open,
    .step = engine_step,
    .close = engine_close,
    .ledger = engine_ledger,
    .weights = engine_weights,
    .gather = engine_gather,
    .scatter = engine_scatter,
    .writes = engine_writes,
    .comm = engine_comm,
    .logits = engine_logits,
    .score = engine_score,
};
