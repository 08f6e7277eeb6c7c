/* program.c - links the rank's program (program.h) to kernels: what runs in which order.
 *
 * Streams and events are left out: one thread does all, in the order in which a host would issue
 * it. Receives, which the program posts early, are made where their tensor is first read; sums and
 * gathers of gradients and weights stand where a layer ends (engine.c).
 */
#include "base/memory.h"
#include "run/real/engine.h"

#include "plan/layers.h"
#include "run/real/offload.h"

#include <reckon/program.h>
#include <stdlib.h>

/* ---- the list ---- */

struct linker {
    struct engine *e;
    const struct rk_program *program;
    struct instruction *held; /* receives that wait for their reader */
    size_t holds;
    int layer; /* whose operations are being put; -1: none */
    int64_t microbatch;
    bool forward, inputs, again; /* again: computed once more, nothing else so far */
    int again_layer; /* that the last instruction computed once more; -1: it did something else */
    bool *away;      /* (layers * microbatches): activations are offloaded */
    bool relayouts;  /* stages whose layers lie differently: see put_message */
    bool *received;  /* (2, microbatches): forward, back */
    uint64_t *weight_left; /* (layers * microbatches): instructions of weight gradients to come */
    bool no_memory;
};

static void put(struct linker *l, struct instruction i)
{
    struct engine *e = l->e;
    if (!ARRAY_ROOM(e->program, e->instructions)) {
        l->no_memory = true;
        return;
    }
    e->program[e->instructions++] = i;
}

/* Which of the three of a prediction layer an operation is of. */
static int piece_of(enum op op)
{
    switch (op) {
    case OP_EMBEDDING:
    case OP_EMBEDDING_REDUCE:
    case OP_NEXT_NORM:
    case OP_STREAM_NORM:
    case OP_PREDICTION_GATHER:
    case OP_PREDICTION_IN:
    case OP_PREDICTION_ALL_GATHER:
        return 0;
    case OP_FINAL_NORM:
    case OP_LOGITS_GATHER:
    case OP_LOGITS:
    case OP_LOGIT_CAP:
    case OP_LOSS_REDUCE:
    case OP_LOGITS_ALL_GATHER:
    case OP_CROSS_ENTROPY:
        return 2;
    default:
        return 1;
    }
}

/* Index of a layer of the program among those of the rank. */
static int layer_at(const struct linker *l, const struct rk_instruction *i)
{
    const struct engine *e = l->e;
    for (int n = 0; n < e->layers; n++) {
        if (e->layer[n].layer != i->layer) continue;
        if (!e->layer[n].depth || i->task == RK_NONE) return n;
        return n + piece_of((enum op)l->program->task[i->task].op);
    }
    return -1;
}

/* ---- layers ---- */

static uint64_t *left_of(const struct linker *l, int layer, int64_t microbatch)
{
    return &l->weight_left[(size_t)layer * l->e->job->microbatches + (size_t)microbatch];
}

/* ---- messages where layers lie differently ----
 *
 * The program has a message for each two ranks of neighbouring stages that have rows in common.
 * Here a stage lays its result as the next one wants it (relayout.c), and each rank sends to the
 * one that is where it is. */

static int place_of_layer(const struct engine *e, int64_t layer)
{
    const bool block = layer >= 0 && layer < (int64_t)e->job->model.layers;
    return block ? plan_local_of(&e->job->plan, (uint64_t)layer) : 0;
}

static void put_message(struct linker *l, enum what what, int layer, int64_t microbatch, bool back)
{
    const struct engine *e = l->e;
    const int ranks = (int)(e->job->plan.ranks / e->job->plan.pipeline);
    const bool to_next = (what == DO_SEND) != back;
    const int stage = e->stages.me + (to_next ? 1 : -1);
    if (stage < 0 || stage >= e->stages.ranks) return;
    const int64_t other = e->layer[layer].layer + (to_next ? 1 : -1);
    put(l, (struct instruction){.what = (uint8_t)what,
                                .layer = layer,
                                .microbatch = (uint32_t)microbatch,
                                .peer = e->rank + (to_next ? ranks : -ranks),
                                .tag = COMM_MESSAGES + 2 * (uint32_t)microbatch + back,
                                .place = (int16_t)place_of_layer(e, other),
                                .back = back});
}

static void send_result(struct linker *l)
{
    const bool last = l->layer == l->e->layers - 1;
    if (l->forward ? last : l->inputs && l->layer == 0)
        put_message(l, DO_SEND, l->layer, l->microbatch, !l->forward);
}

static void receive_result(struct linker *l, int layer, int64_t microbatch, bool back)
{
    bool *received = &l->received[2 * microbatch + back];
    if (layer != (back ? l->e->layers - 1 : 0) || *received) return;
    *received = true;
    put_message(l, DO_RECEIVE, layer, microbatch, back);
}

/* The pass over a layer is over. */
static void end_layer(struct linker *l)
{
    if (l->layer < 0) return;
    const bool ends = !l->forward && *left_of(l, l->layer, l->microbatch) == 0;
    struct at_layer *at = &l->e->layer[l->layer];
    struct store *const stores[] = {at->dense, at->experts, at->table, at->head};
    for (size_t s = 0; ends && s < sizeof stores / sizeof *stores; s++)
        if (stores[s]) stores[s]->passes++;
    put(l, (struct instruction){.what = DO_LAYER_END,
                                .work = (uint8_t)(l->forward  ? WORK_FORWARD
                                                  : l->inputs ? WORK_INPUT
                                                  : l->again  ? WORK_AGAIN
                                                              : WORK_WEIGHT),
                                .layer = l->layer,
                                .microbatch = (uint32_t)l->microbatch,
                                .ends = ends});
    if (l->relayouts) send_result(l);
    l->layer = -1;
}

static void begin_layer(struct linker *l, int layer, int64_t microbatch, bool forward)
{
    if (l->layer == layer && l->microbatch == microbatch && l->forward == forward) return;
    end_layer(l);
    l->layer = layer;
    l->microbatch = microbatch;
    l->forward = forward;
    l->inputs = l->again = false;
}

/* ---- instructions ---- */

static void hold(struct linker *l, const struct rk_instruction *i, int layer)
{
    l->no_memory |= !ARRAY_ROOM(l->held, l->holds);
    if (l->no_memory) return;
    l->held[l->holds++] = (struct instruction){.what = DO_RECEIVE,
                                               .layer = layer,
                                               .microbatch = (uint32_t)i->microbatch,
                                               .peer = (int32_t)i->other,
                                               .tag = COMM_MESSAGES + i->tag,
                                               .back = i->work != RK_WORK_FORWARD};
}

/* The message that this work reads first, if one is on its way. */
static void receive_for(struct linker *l, int layer, int64_t microbatch, bool back)
{
    if (l->relayouts) receive_result(l, layer, microbatch, back);
    for (size_t n = 0; n < l->holds; n++) {
        const struct instruction *h = &l->held[n];
        if (h->layer != layer || h->microbatch != microbatch || h->back != back) continue;
        put(l, *h);
        l->held[n] = l->held[--l->holds];
        return;
    }
}

static bool puts_operation(const struct linker *l, const struct rk_instruction *i)
{
    return i->stream != RK_ON_OUT && i->stream != RK_ON_IN && i->task != RK_NONE &&
           i->work != RK_WORK_STEP && i->what != RK_DO_SEND && i->what != RK_DO_RECV &&
           i->layer != RK_LAYER_NONE && i->what <= RK_DO_BROADCAST &&
           kernel_table[l->program->task[i->task].op].known;
}

static void put_operation(struct linker *l, const struct rk_instruction *i, int layer)
{
    const enum work work = (enum work)i->work; /* the four first values are the same */
    const bool forward = work == WORK_FORWARD;
    begin_layer(l, layer, i->microbatch, forward);
    if (work == WORK_INPUT) l->inputs = true;
    l->again = work == WORK_AGAIN;
    if (work == WORK_WEIGHT) --*left_of(l, layer, i->microbatch);
    if (work == WORK_FORWARD || work == WORK_INPUT) receive_for(l, layer, i->microbatch, !forward);
    put(l, (struct instruction){.what = DO_OPERATION,
                                .work = (uint8_t)work,
                                .operation = l->program->task[i->task].op,
                                .layer = layer,
                                .microbatch = (uint32_t)i->microbatch});
}

static void put_send(struct linker *l, const struct rk_instruction *i, int layer)
{
    end_layer(l);
    put(l, (struct instruction){.what = DO_SEND,
                                .layer = layer,
                                .microbatch = (uint32_t)i->microbatch,
                                .peer = (int32_t)i->other,
                                .tag = COMM_MESSAGES + i->tag,
                                .place = (int16_t)l->e->layer[layer].place,
                                .back = i->work != RK_WORK_FORWARD});
}

/* The steps of a ring of keys and values are made within attention (attend.c); messages between
 * stages have streams of their own. */
static bool within_attention(const struct rk_instruction *i)
{
    return (i->what == RK_DO_SEND || i->what == RK_DO_RECV) &&
           (i->stream == RK_ON_CONTEXT || i->stream == RK_ON_GPU);
}

static void link_instruction(struct linker *l, const struct rk_instruction *i)
{
    const int layer = layer_at(l, i);
    if (layer < 0 || i->microbatch < 0 || within_attention(i)) return;
    if (i->work == RK_WORK_AGAIN && l->e->layer[layer].kind == LAYER_HEAD) return; /* it is kept */
    const bool message = i->what == RK_DO_SEND || i->what == RK_DO_RECV;
    if (l->relayouts && message) return;
    if (i->what == RK_DO_SEND)
        put_send(l, i, layer);
    else if (i->what == RK_DO_RECV)
        hold(l, i, layer);
    else if (puts_operation(l, i))
        put_operation(l, i, layer);
}

/* ---- what is known before ---- */

/* In a group of recomputed layers, each layer but the first is recomputed from the output of the
 * previous one, so it keeps no input. */
static void look_for_groups(struct linker *l, enum work work, int layer)
{
    const bool follows = work == WORK_AGAIN && layer > 0 && l->again_layer == layer - 1;
    if (follows) l->e->drops[layer * SLOTS + SLOT_X] = true;
    l->again_layer = work == WORK_AGAIN ? layer : -1;
}

/* An operation that runs again does not keep what it brings; a transfer out says that the layer's
 * activations leave. */
static void look_ahead(struct linker *l, const struct rk_instruction *i)
{
    struct engine *e = l->e;
    const int layer = layer_at(l, i);
    if (layer >= 0 && i->microbatch >= 0 && i->what == RK_DO_RUN && i->stream == RK_ON_OUT)
        l->away[(size_t)layer * e->job->microbatches + (size_t)i->microbatch] = true;
    if (layer < 0 || i->microbatch < 0 || !puts_operation(l, i)) return;
    if (i->work == RK_WORK_WEIGHT) ++*left_of(l, layer, i->microbatch);
    look_for_groups(l, (enum work)i->work, layer);
    if (i->work != RK_WORK_AGAIN || e->job->plan.recompute_rest) return;
    if (e->layer[layer].kind == LAYER_HEAD) return;
    const struct kernels *k = &kernel_table[l->program->task[i->task].op];
    const bool across = e->place[e->layer[layer].place].ulysses.ranks > 1 && k->kept[2] == SLOT_ATT;
    for (int s = 0; s < (across ? 2 : 3) && k->kept[s];
         s++) /* the result of Ulysses' exchange back stays */
        e->drops[layer * SLOTS + (int)k->kept[s]] = true;
}

static bool link_all(struct linker *l)
{
    struct engine *e = l->e;
    e->drops = calloc((size_t)e->layers * SLOTS, sizeof *e->drops);
    l->weight_left = calloc((size_t)e->layers * e->job->microbatches, sizeof *l->weight_left);
    l->away = calloc((size_t)e->layers * e->job->microbatches, sizeof *l->away);
    l->relayouts = e->job->locals > 1 && e->stages.ranks > 1;
    l->received = calloc(2 * e->job->microbatches, sizeof *l->received);
    if (!e->drops || !l->weight_left || !l->away || !l->received) return false;
    for (size_t i = 0; i < l->program->instructions; i++)
        look_ahead(l, &l->program->instruction[i]);
    for (size_t i = 0; i < l->program->instructions && !l->no_memory; i++)
        link_instruction(l, &l->program->instruction[i]);
    end_layer(l);
    put(l, (struct instruction){.what = DO_STEP});
    return !l->no_memory && transfers_put(e, l->away);
}

bool REAL(program_make)(struct engine *e, struct rk_error *error)
{
    struct rk_program program = {.rank = 0};
    struct linker l = {.e = e, .program = &program, .layer = -1, .again_layer = -1};
    const struct job *job = e->job;
    bool ok = rk_program_of(&program, &job->model, job->system, &job->plan, (uint64_t)e->rank,
                            error) == RK_OK;
    if (ok && !link_all(&l)) {
        ok = false;
        rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the program of rank %d", e->rank);
    }
    free(l.held);
    free(l.weight_left);
    free(l.away);
    free(l.received);
    rk_program_release(&program);
    return ok;
}
