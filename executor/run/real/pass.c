/* pass.c - runs the instructions of a step: passes over layers, and messages between stages. */
#include "base/memory.h"
#include "run/real/engine.h"
#include "run/real/offload.h"

#include <math.h>
#include <string.h>

/* Does one layer hand what it brings to the other without a message? */
static bool joined(const struct engine *e, int one, int other)
{
    const struct at_layer *a = &e->layer[one], *b = &e->layer[other];
    return a->part == b->part || (b->layer == a->layer + 1 && !e->dual);
}

/* The way back through the embedding reads none, and has not asked for them (transfers.c). */
static bool reads_weights(const struct at_layer *l, const struct instruction *i)
{
    return i->work == WORK_FORWARD || l->kind != LAYER_EMBEDDING;
}

/* ---- checkpoints that tensor ranks share ----
 *
 * Each keeps a part of a layer's input, and gathers it to compute the layer again
 * [narayanan2021]. */

static bool shares_checkpoint(const struct engine *e, int layer)
{
    const bool *drops = e->drops + (size_t)layer * SLOTS;
    const bool whole = e->plan->recompute == RK_WHOLE && drops[SLOT_N_1] && !drops[SLOT_X];
    return whole && e->plan->checkpoint_sharded && e->tensor.ranks > 1 && !sequence_parallel(e) &&
           e->share * e->hidden % (size_t)e->tensor.ranks == 0;
}

void share_checkpoint(struct engine *e, int layer, struct frame *f)
{
    if (f->shared || !shares_checkpoint(e, layer)) return;
    const size_t part = e->share * e->hidden / (size_t)e->tensor.ranks;
    real *own = take(e, part);
    copy_bytes(own, f->slot[SLOT_X] + (size_t)e->tensor.me * part, part * sizeof *own);
    drop(e, f, SLOT_X);
    f->slot[SLOT_X] = own;
    f->shared = true;
}

static void gather_checkpoint(struct engine *e, struct frame *f)
{
    const size_t part = e->share * e->hidden / (size_t)e->tensor.ranks;
    real *own = f->slot[SLOT_X];
    f->slot[SLOT_X] = NULL;
    f->shared = false;
    gather_all(e, &e->tensor, "checkpoint", own, make(e, f, SLOT_X, e->share * e->hidden), part);
    give(e, own);
}

/* What a layer has brought is the next one's input. */
static void hand_on(struct engine *e, int layer, uint32_t microbatch)
{
    struct at_layer *l = &e->layer[layer];
    struct frame *f = &l->frame[microbatch];
    if (layer + 1 >= e->layers || !joined(e, layer, layer + 1) || !f->slot[SLOT_OUT_2]) return;
    struct frame *next = &l[1].frame[microbatch];
    if (next->slot[SLOT_X]) { /* a head keeps its own */
        drop(e, f, SLOT_OUT_2);
        return;
    }
    next->slot[SLOT_X] = relay(e, l->place, l[1].place, f->slot[SLOT_OUT_2]);
    f->slot[SLOT_OUT_2] = NULL;
}

static void finish_layer(struct engine *e, const struct instruction *i)
{
    struct at_layer *l = &e->layer[i->layer];
    struct frame *f = &l->frame[i->microbatch];
    struct store *const stores[] = {l->dense, l->experts, l->table, l->head};
    for (size_t s = 0; s < sizeof stores / sizeof *stores; s++)
        store_finish(e, stores[s], (enum work)i->work, reads_weights(l, i));
    for (size_t s = 0; i->ends && s < sizeof stores / sizeof *stores; s++)
        gradients_ready(e, stores[s]);
    if (i->work == WORK_AGAIN) {
        hand_on(e, i->layer, i->microbatch);
        return;
    }
    if (i->work == WORK_FORWARD) {
        const bool *drops = e->drops + (size_t)i->layer * SLOTS;
        drop(e, f, SLOT_WHOLE_1);
        drop(e, f, SLOT_WHOLE_2);
        for (int s = 0; s < SLOTS; s++)
            if (drops[s] || (e->forward_only && s != SLOT_OUT_2)) drop(e, f, (enum slot)s);
        hand_on(e, i->layer, i->microbatch);
        if (!e->forward_only) share_checkpoint(e, i->layer, f);
        if (e->narrow && !e->forward_only) pack_frame(e, f);
        return;
    }
    if (i->work == WORK_INPUT && i->layer > 0 && joined(e, i->layer - 1, i->layer) &&
        f->slot[SLOT_DX]) {
        e->layer[i->layer - 1].frame[i->microbatch].slot[SLOT_DX] =
            relay(e, l->place, l[-1].place, f->slot[SLOT_DX]);
        f->slot[SLOT_DX] = NULL;
    }
    if (!i->ends) return;
    for (int s = 0; s < SLOTS; s++)
        if (s != SLOT_DX) drop(e, f, (enum slot)s);
    REAL(mixture_free)(f);
    memset(f->done, 0, sizeof f->done);
}

/* ---- messages between stages ---- */

/* Tensor ranks that have the same rows send a part each, and the receivers gather them
 * [narayanan2021]; 1: each rank sends all that it has. */
static size_t message_parts(const struct engine *e, const struct place *p)
{
    const size_t t = (size_t)p->tensor.ranks, n = p->share * e->hidden;
    const bool same = e->job->plan.messages_sharded && !p->plan->sequence_parallel;
    return same && n % t == 0 ? t : 1;
}

/* As the layer lies that receives it. */
static void send_message(struct engine *e, const struct instruction *i)
{
    struct frame *f = &e->layer[i->layer].frame[i->microbatch];
    const enum slot slot = i->back ? SLOT_DX : SLOT_OUT_2;
    const struct place *to = &e->place[i->place];
    const size_t parts = message_parts(e, to), n = to->share * e->hidden / parts;
    f->slot[slot] = relay(e, e->at, i->place, f->slot[slot]);
    const real *from = f->slot[slot] + (parts > 1 ? (size_t)to->tensor.me * n : 0);
    uint16_t *low = e->narrow ? take_16(e, n) : NULL;
    if (low) pack_16(e, n, from, low);
    if (!comm_send(e->comm, i->peer, i->tag, i->back ? "gradient of a stage" : "output of a stage",
                   low ? (const void *)low : from, n * (low ? sizeof *low : sizeof *from)))
        give_up(e);
    if (low) give(e, (real *)low);
    drop(e, f, slot);
}

static void receive_message(struct engine *e, const struct instruction *i)
{
    struct frame *f = &e->layer[i->layer].frame[i->microbatch];
    real *x = make(e, f, i->back ? SLOT_DX : SLOT_X, e->share * e->hidden);
    const size_t parts = message_parts(e, &e->here), n = e->share * e->hidden / parts;
    real *part = x + (parts > 1 ? (size_t)e->tensor.me * n : 0);
    uint16_t *low = e->narrow ? take_16(e, n) : NULL;
    if (!comm_receive(e->comm, i->peer, i->tag,
                      i->back ? "gradient of a stage" : "output of a stage",
                      low ? (void *)low : part, n * (low ? sizeof *low : sizeof *x)))
        give_up(e);
    if (low) unpack_16(e, n, low, part);
    if (low) give(e, (real *)low);
    if (parts > 1) gather_all(e, &e->tensor, "parts of a message", part, x, n);
}

/* ---- a step ---- */

/* Positions after a text's last token, and after the last text, are token 0: nothing sees them. */
static void score_sample(const struct job *job, uint64_t n, uint32_t *tokens)
{
    memset(tokens, 0, (job->sequence + 1) * sizeof *tokens);
    if (n >= job->score->sequences) return;
    const struct rk_sequence *s = &job->score->sequence[n];
    memcpy(tokens, s->token, s->tokens * sizeof *tokens);
}

static void bad_sample(struct engine *e, const struct rk_error *error)
{
    comm_fail(e->comm, error);
    give_up(e);
}

/* As the task's collate makes it. */
static void collate(struct engine *e, uint64_t n)
{
    const struct job *job = e->job;
    const struct rk_functions *f = job->functions;
    struct rk_error error;
    uint32_t *token = e->sample;
    if (!f->collate(f->context, f->samples ? n % f->samples : n, job->sequence, token,
                    token + job->sequence)) {
        rk_fail(&error, RK_BAD_INPUT, NULL, 0, 0, "there is no sample %llu", (unsigned long long)n);
        bad_sample(e, &error);
    }
    for (uint64_t i = 0; i < job->sequence; i++) {
        if (token[i] < job->model.vocabulary) continue;
        rk_fail(&error, RK_BAD_INPUT, NULL, 0, 0,
                "token %llu of sample %llu is %u, and the vocabulary ends at %llu",
                (unsigned long long)i, (unsigned long long)n, token[i],
                (unsigned long long)job->model.vocabulary);
        bad_sample(e, &error);
    }
}

/* Fills e->sample with a sample's tokens; returns their targets. */
static const uint32_t *load_sample(struct engine *e, uint64_t n)
{
    const struct job *job = e->job;
    if (job->functions) {
        collate(e, n);
        return e->sample + job->sequence;
    }
    if (job->score)
        score_sample(job, n, e->sample);
    else
        data_sample(job->data, n, e->sample);
    return e->sample + 1;
}

/* Samples of a data rank follow each other; where layers lie differently, those of a microbatch do,
 * so that all of them have the same ones there. */
static uint64_t sample_number(const struct engine *e, uint64_t step, uint64_t mb, size_t b)
{
    const struct job *job = e->job;
    const uint64_t all = job->plan.batch, each = all / job->microbatches;
    const uint64_t rank = (uint64_t)e->data_rank;
    if (job->locals > 1) return step * all + mb * each + rank * e->batch + b;
    return step * all + rank * job->microbatches * e->batch + mb * e->batch + b;
}

/* What prediction layers look up at position `p` of the sample, and what they are to predict: the
 * last ones have nothing to predict, and token 0. */
static void look_ahead(struct engine *e, size_t row, uint64_t p)
{
    const uint64_t all = e->job->microbatches * e->rows, sequence = e->job->sequence;
    for (uint64_t depth = 1; depth <= e->job->model.predict_layers; depth++) {
        uint32_t *token = e->ahead + 2 * (depth - 1) * all + row;
        const uint64_t at = p + depth;
        token[0] = at < sequence ? e->sample[at] : 0;
        token[all] = at < sequence ? e->sample[at + 1] : RK_NO_TARGET;
    }
}

static void load_rows(struct engine *e, uint64_t step)
{
    for (uint64_t mb = 0; mb < e->job->microbatches; mb++)
        for (size_t b = 0; b < e->batch; b++) {
            const uint64_t n = sample_number(e, step, mb, b);
            const size_t at = mb * e->rows + b * e->local;
            const uint32_t *target = COUNTS ? e->sample : load_sample(e, n); /* zeros; or its own */
            for (int s = 0; s < e->spans; s++)
                for (uint32_t i = 0; i < e->span[s].rows; i++) {
                    const uint32_t p = e->span[s].position + i;
                    const size_t row = at + e->span[s].at + i;
                    e->position[row] = p;
                    e->token[row] = e->sample[p];
                    e->target[row] = target[p];
                    e->number[row] = n;
                    if (!COUNTS) look_ahead(e, row, p);
                }
        }
}

void load_batch(struct engine *e, uint64_t step)
{
    for (int i = e->job->locals; i-- > 0;) {
        enter(e, i);
        load_rows(e, step);
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
    e->part = i->work == WORK_AGAIN ? PART_AGAIN : k->part;
    if (i->work == WORK_AGAIN && e->job->plan.recompute_rest) {
        rest_again(e, i);
    } else {
        rest_join(e);
        if (i->work != WORK_FORWARD) unpack_frame(e, &l->frame[i->microbatch]);
        if (l->frame[i->microbatch].shared && i->work == WORK_AGAIN)
            gather_checkpoint(e, &l->frame[i->microbatch]);
        run(e, l, &l->frame[i->microbatch], i->microbatch);
        if (e->narrow) narrow_slots(e, &l->frame[i->microbatch], k->part);
        dump_operation(e, i);
    }
    book(e, e->part, cpu_s, wall_s);
    if (i->work != WORK_FORWARD || i->microbatch != 0) return;
    l->times.forward_s[l->second] += clock_s(CLOCK_MONOTONIC) - wall_s;
    l->second |= ends_half(k);
}

/* ---- what is written down of the second step ---- */

static const char *name_of(const struct instruction *i)
{
    static const char *const names[] = {[DO_SEND] = "send",
                                        [DO_RECEIVE] = "receive",
                                        [DO_LAYER_END] = "end of a layer",
                                        [DO_STEP] = "optimizer",
                                        [DO_STORE] = "offload",
                                        [DO_STORED] = "wait for offloading",
                                        [DO_RETURN] = "fetch",
                                        [DO_RETURNED] = "wait for what is fetched",
                                        [DO_HAND] = "keep",
                                        [DO_FETCH] = "fetch weights"};
    return i->what == DO_OPERATION ? op_name(i->operation) : names[i->what];
}

static void write_down(struct engine *e, const struct instruction *i, double begin_s)
{
    static const char *const passes[] = {"forward", "again", "input", "weight"};
    if (!ARRAY_ROOM(e->event, e->events)) return; /* the trace ends here */
    const bool step = i->what == DO_STEP;
    e->event[e->events++] = (struct rk_train_event){.name = name_of(i),
                                                    .pass = step ? "" : passes[i->work],
                                                    .begin_s = begin_s,
                                                    .end_s = clock_s(CLOCK_MONOTONIC),
                                                    .layer = step ? 0 : e->layer[i->layer].layer,
                                                    .microbatch = i->microbatch,
                                                    .memory_bytes = e->pool.used_bytes};
}

void run_instruction(struct engine *e, const struct instruction *i, uint64_t step,
                     struct step_result *result)
{
    scratch_back(&e->comm->scratch, (struct scratch_mark){.at = NULL});
    if (i->what != DO_STEP) enter(e, e->layer[i->layer].place);
    const double cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID), wall_s = clock_s(CLOCK_MONOTONIC);
    if (run_transfer(e, i)) {
        const double waited_s =
            clock_s(CLOCK_MONOTONIC) - wall_s - (clock_s(CLOCK_THREAD_CPUTIME_ID) - cpu_s);
        if (waited_s > 0) comm_clock_wait(e->comm, e->comm->clock.now_s + waited_s);
        book(e, PART_OFFLOAD, cpu_s, wall_s);
        return;
    }
    if (e->forward_only && e->layer[i->layer].depth) return; /* these are of training */
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
        e->part = PART_DATA;
        finish_layer(e, i);
        if (e->plan->zero >= 2 || e->plan->gradient_overlap) book(e, PART_DATA, cpu_s, wall_s);
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
static double own_loss(const struct engine *e, bool ahead)
{
    const uint64_t mbs = e->job->microbatches;
    double loss = 0;
    if (e->place[0].tensor.me != 0 || !e->heads) return 0;
    for (uint64_t mb = 0; mb < mbs; mb++)
        loss += e->row_loss[ahead * mbs + mb];
    return loss;
}

void release_frames(struct engine *e)
{
    for (int i = 0; i < e->layers; i++)
        for (uint64_t mb = 0; mb < e->job->microbatches; mb++) {
            struct frame *f = &e->layer[i].frame[mb];
            for (int s = 0; s < SLOTS; s++)
                drop(e, f, (enum slot)s);
            REAL(mixture_free)(f);
            memset(f->done, 0, sizeof f->done);
            f->shared = false;
        }
}

/* Seconds that have passed in what a rank does alone. */
static double computed_s(const struct engine *e)
{
    const struct ledger_row *part = e->ledger.part;
    return part[PART_MATRIX].wall_s + part[PART_ATTENTION].wall_s + part[PART_MEMORY].wall_s +
           part[PART_AGAIN].wall_s;
}

/* All ranks learn the losses, and how long each has computed. */
static void report_step(struct engine *e, double compute_s, struct step_result *result)
{
    const double own[4] = {own_loss(e, false), compute_s, e->balance, own_loss(e, true)};
    const int ranks = e->world.ranks;
    double *seconds = e->reports + 4 * ranks, loss = 0, ahead = 0;
    if (!comm_all_gather(e->comm, &e->world, "loss", own, e->reports, sizeof own)) give_up(e);
    for (int i = 0; i < ranks; i++) {
        loss += e->reports[4 * i];
        seconds[i] = e->reports[4 * i + 1];
        result->balance += e->reports[4 * i + 2];
        ahead += e->reports[4 * i + 3];
    }
    result->loss = loss / rows_of_loss(e->job);
    const uint64_t layers = e->job->model.predict_layers;
    result->ahead = layers ? ahead / rows_of_loss(e->job) / (double)layers : 0;
    result->compute_s = seconds;
}

enum { PROFILED = 2 }; /* the first step asks the machine for memory */

bool REAL(engine_step)(struct engine *e, uint64_t step, struct step_result *result)
{
    const double wall_s = clock_s(CLOCK_MONOTONIC), computed = computed_s(e);
    if (setjmp(e->escape)) return false;
    if (!dump_begin(e, step + 1) || !pool_begin(e)) return false;
    offload_begin(e);
    comm_clock_begin(e->comm);
    e->booked_s = 0;
    double cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID), begin_s = clock_s(CLOCK_MONOTONIC);
    load_batch(e, step);
    book(e, PART_MEMORY, cpu_s, begin_s);
    memset(e->row_loss, 0, 2 * e->job->microbatches * sizeof *e->row_loss);
    e->least_came = e->most_came = 0;
    e->balance = result->balance = 0;
    e->comes = 0;
    cpu_s = clock_s(CLOCK_THREAD_CPUTIME_ID);
    begin_s = clock_s(CLOCK_MONOTONIC);
    for (int g = 0; g < e->weights.groups; g++)
        store_clear(e, &e->store[g]);
    book(e, PART_OPTIMIZER, cpu_s, begin_s);
    const bool traces = e->job->traces && e->steps == 1;
    for (size_t i = 0; i < e->instructions; i++) {
        begin_s = traces ? clock_s(CLOCK_MONOTONIC) : 0;
        run_instruction(e, &e->program[i], step, result);
        if (traces) write_down(e, &e->program[i], begin_s);
    }
    report_step(e, computed_s(e) - computed, result);
    e->booked_bytes = e->comm->sent_bytes; /* the report's are no part's */
    if (!dump_end(e, own_loss(e, false) / rows_of_loss(e->job))) return false;
    result->clock_s = e->comm->clock.now_s;
    result->wall_s = clock_s(CLOCK_MONOTONIC) - wall_s;
    result->peak_bytes = e->pool.peak_bytes;
    result->placed_bytes = e->pool.placement.peak;
    result->live_bytes = e->pool.placement.live;
    result->least_came = e->least_came;
    result->most_came = e->most_came;
    result->came = e->came;
    result->comes = e->comes;
    result->came_group = e->comes ? e->experts.rank[0] : 0;
    release_frames(e);
    pool_end(e);
    if (result->skipped && !e->pool.arena) pool_forget(&e->pool); /* not what a step does */
    if (++e->steps == PROFILED && e->job->settings.adaptive) offload_adapt(e);
    if ((isfinite(result->norm) || result->skipped) && isfinite(result->loss)) return true;
    struct rk_error error;
    rk_fail(&error, RK_CHECK_FAILED, NULL, 0, 0,
            "step %llu: the loss is %g, the norm of the gradients %g: a lower `rate`, or `clip`, "
            "helps%s",
            (unsigned long long)step + 1, result->loss, result->norm,
            e->scaler.scales ? ", or precision=bf16, whose numbers go further" : "");
    return comm_fail(e->comm, &error);
}
