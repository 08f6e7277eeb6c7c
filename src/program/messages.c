/* messages.c - between the stages of a pipeline: what a pass needs, and what it brings.
 *
 * Messages from one rank to another are received in the order in which the other one sends them,
 * which is that of its passes: so they pair whether or not the transport knows tags. Receives are
 * posted one pass ahead.
 */
#include "program/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- who sends what to whom ---- */

struct message {
    uint32_t part; /* that receives it */
    bool forward;
    uint32_t microbatch;
};

/* What a pass of a chunk of a stage sends; false: nothing. */
static bool sent_by(const struct pipeline *p, uint32_t stage, const struct order_pass *pass,
                    struct message *message, uint32_t *to)
{
    const bool forward = pass->pass == PASS_FORWARD;
    const uint64_t part = pipeline_part(p, stage, pass->chunk);
    if (pass->pass == PASS_WEIGHT_GRAD || part == (forward ? pipeline_parts(p) - 1 : 0))
        return false;
    *message =
        (struct message){(uint32_t)(forward ? part + 1 : part - 1), forward, pass->microbatch};
    *to = pipeline_neighbour(p, stage, pass->chunk, forward);
    return true;
}

static bool needed_by(const struct pipeline *p, uint32_t stage, const struct order_pass *pass,
                      struct message *message, uint32_t *from)
{
    const bool forward = pass->pass == PASS_FORWARD;
    const uint64_t part = pipeline_part(p, stage, pass->chunk);
    if (pass->pass == PASS_WEIGHT_GRAD || part == (forward ? 0 : pipeline_parts(p) - 1))
        return false;
    *message = (struct message){(uint32_t)part, forward, pass->microbatch};
    *from = pipeline_neighbour(p, stage, pass->chunk, !forward);
    return true;
}

/* Of the boundary between two parts, one each way. */
static uint32_t tag_of(const struct pipeline *p, const struct message *message)
{
    const uint32_t boundary = message->forward ? message->part - 1 : message->part;
    return (2 * boundary + !message->forward) * (uint32_t)p->microbatches + message->microbatch;
}

static bool is_next(const struct build *b, uint32_t stage)
{
    return stage == (b->stage + 1) % b->pipeline.stages;
}

/* ---- layers at the ends of a part ---- */

static uint32_t chunk_of(const struct build *b, uint32_t part)
{
    if (b->pipeline.schedule == RK_DUALPIPE) return part != b->stage;
    return part / b->pipeline.stages;
}

static struct slot *first_of(const struct build *b, uint32_t chunk)
{
    return &b->slot[b->first_slot[chunk]];
}

static struct slot *last_of(const struct build *b, uint32_t chunk)
{
    return &b->slot[b->first_slot[chunk + 1] - 1];
}

/* ---- instructions ---- */

static int32_t message_task(struct build *b, bool send)
{
    struct rk_task task = {.work = RK_WORK_FORWARD,
                           .sent_bytes = send ? b->message_bytes : 0,
                           .seconds = send ? b->send_s : 0,
                           .link_s = send ? b->send_s : 0};
    int32_t *known = send ? &b->send_task : &b->recv_task;
    strcpy(task.name, send ? "send" : "receive");
    if (*known == RK_NONE) *known = new_task(b, &task);
    return *known;
}

static uint64_t elements_of(const struct build *b, const struct slot *slot)
{
    const struct place *place = place_of(b, slot);
    const struct flow *flow = &kind_of(b, slot)->flow;
    return (uint64_t)ceil(place->folds.message_bytes / flow_element_bytes(flow->element));
}

/* Shares of what all tensor ranks have: each sends one, and they are put together again. */
static bool in_shares(const struct build *b, const struct slot *slot)
{
    const struct rk_plan *plan = &place_of(b, slot)->plan;
    return plan->messages_sharded && !plan->sequence_parallel && plan->tensor > 1;
}

static void address(struct build *b, const struct slot *slot, uint32_t stage, uint32_t tag)
{
    const struct rank_map *map = &place_of(b, slot)->map;
    b->draft.other = (uint32_t)rank_member(map, RANKS_OF_PIPELINE, b->rank, stage);
    b->draft.tag = tag;
    b->draft.count = elements_of(b, slot);
    b->draft.element = (uint8_t)kind_of(b, slot)->flow.element;
}

static int32_t stream_form(struct build *b, const struct slot *slot, enum rk_tensor_kind kind,
                           const char *name, double share)
{
    const struct flow *flow = &kind_of(b, slot)->flow;
    return new_form(b, kind, name, flow->element, flow->rows * share, flow->width,
                    flow->bytes * share);
}

/* Receives into the input of a part's first layer, or the gradient of its last one's result. */
static void put_receive(struct build *b, const struct message *message, uint32_t from,
                        int32_t after)
{
    const uint32_t chunk = chunk_of(b, message->part);
    struct slot *slot = message->forward ? first_of(b, chunk) : last_of(b, chunk);
    struct live *live = live_of(b, slot, (int32_t)message->microbatch);
    const bool shares = in_shares(b, slot);
    const double share = 1 / (double)place_of(b, slot)->plan.tensor;
    int32_t *forms = b->message_form[message->forward];
    const enum rk_tensor_kind kind = message->forward ? RK_TENSOR_INPUT : RK_TENSOR_GRADIENT;
    const char *name = message->forward ? "" : "output";
    if (forms[0] == RK_NONE) forms[0] = stream_form(b, slot, kind, name, 1);
    if (forms[1] == RK_NONE && shares)
        forms[1] = stream_form(b, slot, RK_TENSOR_REST, message->forward ? "share" : "output share",
                               share);
    b->draft.layer = slot->layer;
    b->draft.microbatch = (int32_t)message->microbatch;
    b->draft.chunk = (uint16_t)chunk;
    b->draft.work = message->forward ? RK_WORK_FORWARD : RK_WORK_INPUT;
    const int32_t whole = new_tensor(b, forms[0], slot->layer, b->draft.microbatch);
    const int32_t received =
        shares ? new_tensor(b, forms[1], slot->layer, b->draft.microbatch) : whole;
    for (int32_t t = whole; slot->kind == LAYER_NOTHING && !b->failed && t <= received; t++)
        b->program->tensor[t].number = chunk; /* two of these may stand at the same block */
    b->after = after;
    put_begin(b, RK_DO_RECV, is_next(b, from) ? RK_ON_RECV_NEXT : RK_ON_RECV_PREV,
              message_task(b, false));
    put_write(b, received);
    address(b, slot, from, tag_of(&b->pipeline, message));
    put_end(b);
    live->shared = shares ? received : NO_TENSOR;
    *(message->forward ? &live->input : &live->output_gradient) = whole;
}

void send_result(struct build *b, const struct order_pass *pass)
{
    struct message message;
    uint32_t to;
    if (!sent_by(&b->pipeline, b->stage, pass, &message, &to)) return;
    struct slot *slot = message.forward ? last_of(b, pass->chunk) : first_of(b, pass->chunk);
    const struct live *live = live_of(b, slot, (int32_t)pass->microbatch);
    b->draft.layer = slot->layer;
    b->draft.microbatch = (int32_t)pass->microbatch;
    b->draft.chunk = (uint16_t)pass->chunk;
    b->draft.work = message.forward ? RK_WORK_FORWARD : RK_WORK_INPUT;
    put_begin(b, RK_DO_SEND, is_next(b, to) ? RK_ON_SEND_NEXT : RK_ON_SEND_PREV,
              message_task(b, true));
    put_read(b, message.forward ? live->output : live->input_gradient);
    address(b, slot, to, tag_of(&b->pipeline, &message));
    put_end(b);
}

/* ---- in the sender's order ---- */

struct mailbox {
    struct sender {
        uint32_t stage;
        struct order_cursor cursor;
    } sender[2];     /* the stage behind, the one in front */
    uint8_t *posted; /* (2 * parts' chunks of this rank, microbatches) */
};

struct mailbox *mailbox_open(struct build *b)
{
    const struct pipeline *p = &b->pipeline;
    struct mailbox *mail = calloc(1, sizeof *mail);
    if (mail) mail->posted = calloc(2 * pipeline_chunks(p) * p->microbatches, 1);
    if (!mail || !mail->posted) {
        b->failed = true;
        free(mail);
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        mail->sender[i].stage = (b->stage + (i ? p->stages - 1 : 1)) % p->stages;
        mail->sender[i].cursor = order_open(p, mail->sender[i].stage);
    }
    return mail;
}

void mailbox_release(struct mailbox *mail)
{
    if (mail) free(mail->posted);
    free(mail);
}

static uint8_t *posted_at(const struct build *b, const struct mailbox *mail,
                          const struct message *message)
{
    const uint64_t m = b->pipeline.microbatches;
    return &mail->posted[(2 * chunk_of(b, message->part) + message->forward) * m +
                         message->microbatch];
}

/* Receives what the sender has for this rank up to the message. */
static void post_up_to(struct build *b, struct mailbox *mail, const struct message *message,
                       uint32_t from, int32_t after)
{
    struct sender *sender = &mail->sender[!is_next(b, from)];
    struct order_pass pass;
    while (!*posted_at(b, mail, message) && order_next(&sender->cursor, &pass)) {
        struct message sent;
        uint32_t to;
        if (!sent_by(&b->pipeline, from, &pass, &sent, &to) || to != b->stage) continue;
        put_receive(b, &sent, from, after);
        *posted_at(b, mail, &sent) = 1;
    }
}

/* Of a message in shares, when it is needed: the whole of it. */
void take_message(struct build *b, const struct order_pass *pass)
{
    struct message message;
    uint32_t from;
    if (b->failed || !needed_by(&b->pipeline, b->stage, pass, &message, &from)) return;
    const uint32_t chunk = chunk_of(b, message.part);
    struct slot *slot = message.forward ? first_of(b, chunk) : last_of(b, chunk);
    const struct place *place = place_of(b, slot);
    const struct flow *flow = &kind_of(b, slot)->flow;
    struct live *live = live_of(b, slot, (int32_t)message.microbatch);
    if (live->shared == NO_TENSOR) return;
    b->draft.layer = slot->layer;
    b->draft.microbatch = (int32_t)message.microbatch;
    b->draft.chunk = (uint16_t)chunk;
    b->draft.work = RK_WORK_STEP; /* no layer's: predictions leave it out */
    put_collective(b, place, place->plan.tensor_overlap ? RK_ON_TENSOR : RK_ON_GPU,
                   message_task(b, false),
                   &(struct exchanged){RK_DO_ALL_GATHER, RANKS_OF_TENSOR, flow->element,
                                       flow->bytes, flow_element_bytes(flow->element)},
                   live->shared, message.forward ? live->input : live->output_gradient);
    live->shared = NO_TENSOR;
}

void post_receives(struct build *b, struct mailbox *mail, const struct order_pass *pass)
{
    struct message message;
    uint32_t from;
    if (!mail || b->failed || !needed_by(&b->pipeline, b->stage, pass, &message, &from)) return;
    post_up_to(b, mail, &message, from, b->last[RK_ON_GPU]);
}
