/* messages.c - between the stages of a pipeline: what a pass needs, and what it brings.
 *
 * Messages from one rank to another are received in the order in which the other one sends them,
 * which is that of its passes: so they pair whether or not the transport knows tags. Receives are
 * posted one pass ahead.
 */
#include "base/number.h"
#include "program/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- who sends what to whom ---- */

struct message {
    uint32_t part; /* that receives it */
    bool forward;
    uint32_t microbatch;
};

/* What a pass of a chunk of a stage sends; false: nothing. The tip of a V keeps what it hands from
 * its first chunk to its second, and back. */
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
    return *to != stage;
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
    return *from != stage;
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

/* `parts`: of what lies otherwise on the other side; `share` of a message that goes. */
static int32_t message_task(struct build *b, bool send, bool parts, double share)
{
    struct rk_task task = {.work = (enum rk_work)b->draft.work,
                           .sent_bytes = send ? share * b->message_bytes : 0,
                           .seconds = send ? share * b->passes->send_s : 0,
                           .link_s = send ? share * b->passes->send_s : 0};
    snprintf(task.name, sizeof task.name, "%s%s", send ? "send" : "receive", parts ? " parts" : "");
    return new_task(b, &task);
}

/* ---- to whom, how much ---- */

/* What one rank has for another: all of its message, or where the layouts of the two stages differ
 * the samples and tokens that both have. */
struct route {
    uint32_t rank;
    double elements;
};

static double common(const double a[2], const double b[2])
{
    return fmax(0, fmin(a[1], b[1]) - fmax(a[0], b[0]));
}

/* Of ranks that have the same each sends to receivers of its own number. */
static bool is_sender(const struct rk_plan *from, const struct rk_plan *to, uint64_t sender,
                      uint64_t receiver)
{
    return from->sequence_parallel || sender % from->tensor == receiver % to->tensor % from->tensor;
}

/* Elements of the residual stream that two ranks, counted within their stages, have in common. */
static double shared_elements(const struct build *b, const struct place *from,
                              const struct place *to, uint64_t sender, uint64_t receiver)
{
    const struct run_part has = part_of_rank(from, sender), needs = part_of_rank(to, receiver);
    const struct rk_plan *plan = plan_of_rank(from, sender);
    const double samples = samples_of_round(from);
    const double tokens = rk_tokens_of_sample(b->model, plan);
    if (!is_sender(plan, plan_of_rank(to, receiver), sender, receiver)) return 0;
    return rint(samples * tokens * (double)b->model->hidden * common(has.sample, needs.sample) *
                common(has.token, needs.token));
}

static bool has_kinds(const struct place *place)
{
    return place->stage && place->stage->kinds;
}

/* Does each rank of one have what the rank with its number has of the other? */
static bool lie_alike(const struct build *b, int a, int c)
{
    const struct rk_plan *one = &b->place[a].plan, *other = &b->place[c].plan;
    return a == c || (same_layout(one, other) && rk_plan_data(one) == rk_plan_data(other) &&
                      !has_kinds(&b->place[a]) && !has_kinds(&b->place[c]));
}

/* Of stages of different numbers of ranks each is a place of its own. */
static bool same_place(const struct build *b, int a, int c)
{
    return a == c || (!b->stages && lie_alike(b, a, c));
}

/* The k-th rank of `stage` that this one sends to, or receives from; false after the last one. The
 * search resumes from `at`. */
static bool next_route(struct build *b, const struct slot *slot, int there, uint32_t stage,
                       bool sends, uint64_t *at, struct route *route)
{
    const struct place *own = place_of(b, slot), *other = &b->place[there];
    if (same_place(b, slot->place, there)) {
        const double element = flow_element_bytes(kind_of(b, slot)->flow.element);
        if ((*at)++) return false;
        *route = (struct route){(uint32_t)rank_member(&own->map, RANKS_OF_PIPELINE, b->rank, stage),
                                ceil(own->folds.message_bytes / element)};
        return true;
    }
    const uint64_t rank = b->rank % own->map.inside;
    for (; *at < other->map.inside; ++*at) {
        const double elements = sends ? shared_elements(b, own, other, rank, *at)
                                      : shared_elements(b, other, own, *at, rank);
        if (!(elements > 0)) continue;
        *route = (struct route){b->stages ? (uint32_t)(first_of_stage(b->stages, stage) + *at)
                                          : (uint32_t)rank_member(&own->map, RANKS_OF_PIPELINE,
                                                                  b->rank - rank + *at, stage),
                                elements};
        ++*at;
        return true;
    }
    return false;
}

/* Neighbouring parts of a rank's chunks whose layouts differ. */
static bool next_border(const struct build *b, uint32_t *k, int *own, int *there)
{
    const uint64_t parts = pipeline_parts(&b->pipeline);
    for (; *k < 2 * pipeline_chunks(&b->pipeline);) {
        const uint64_t part = pipeline_part(&b->pipeline, b->stage, *k / 2);
        const bool behind = (*k)++ % 2;
        if (part == (behind ? parts - 1 : 0)) continue;
        *own = place_at_end(b, part, behind);
        *there = place_at_end(b, behind ? part + 1 : part - 1, !behind);
        if (!same_place(b, *own, *there)) return true;
    }
    return false;
}

/* Replicas of n and m have the same in common again n / gcd(n, m) further. */
static uint64_t uneven_repeat(const struct build *b)
{
    uint64_t times = rk_plan_data(&b->place[PLACE_OWN].plan);
    int own, there;
    bool once = tied_routes(b) != 0 || has_kinds(&b->place[PLACE_OWN]);
    for (uint32_t k = 0; next_border(b, &k, &own, &there);) {
        times = common_divisor(times, rk_plan_data(&b->place[there].plan));
        once |= has_kinds(&b->place[there]);
    }
    return b->place[PLACE_OWN].map.inside / (once ? 1 : times);
}

uint64_t routes_repeat(const struct build *b)
{
    uint64_t every = 1;
    int own, there;
    if (b->stages) return uneven_repeat(b);
    for (uint32_t k = 0; next_border(b, &k, &own, &there);) {
        const struct rk_plan *a = &b->place[own].plan, *c = &b->place[there].plan;
        every =
            common_multiple(every, common_multiple(a->tensor * a->context, c->tensor * c->context));
    }
    return every;
}

uint64_t routes_of(const struct build *b)
{
    const uint64_t number = b->rank % b->place[0].map.inside;
    uint64_t hash = 1 + tied_routes(b);
    int own, there;
    if (has_kinds(&b->place[0])) hash += (uint64_t)kind_of_rank(b->place[0].stage, number) << 32;
    for (uint32_t k = 0; next_border(b, &k, &own, &there);) {
        const struct place *a = &b->place[own], *c = &b->place[there];
        const uint64_t rank = b->rank % b->place[own].map.inside;
        for (uint64_t other = 0; other < b->place[there].map.inside; other++) {
            const double out = shared_elements(b, a, c, rank, other);
            const double in = shared_elements(b, c, a, other, rank);
            if (out > 0) hash = (hash ^ (uint64_t)out) * UINT64_C(0x9e3779b97f4a7c15) + 1;
            if (in > 0) hash = (hash ^ (uint64_t)in) * UINT64_C(0xc2b2ae3d27d4eb4f) + 2;
        }
    }
    return hash;
}

/* Sends or receives over all routes, which start together where there are several. */
static void put_messages(struct build *b, const struct slot *slot, int there, uint32_t stage,
                         enum rk_stream stream, uint32_t tag, int32_t tensor, bool sends)
{
    struct route route, behind;
    uint64_t at = 0;
    const bool parts = !lie_alike(b, slot->place, there);
    const int32_t after = b->after;
    const double element = flow_element_bytes(kind_of(b, slot)->flow.element);
    bool more = next_route(b, slot, there, stage, sends, &at, &route);
    bool another = more && next_route(b, slot, there, stage, sends, &at, &behind);
    const bool several = another;
    if (several) put_begin(b, RK_DO_BEGIN, stream, RK_NONE), put_end(b);
    while (more && !b->failed) {
        b->after = after;
        const double share = b->stages ? route.elements * element / b->message_bytes : 1;
        put_begin(b, sends ? RK_DO_SEND : RK_DO_RECV, stream, message_task(b, sends, parts, share));
        if (sends)
            put_read(b, tensor);
        else
            put_write(b, tensor);
        b->draft.other = route.rank;
        b->draft.tag = tag;
        b->draft.count = (uint64_t)route.elements;
        b->draft.element = (uint8_t)kind_of(b, slot)->flow.element;
        put_end(b);
        more = another;
        route = behind;
        another = more && next_route(b, slot, there, stage, sends, &at, &behind);
    }
    b->after = RK_NONE;
    if (several) put_begin(b, RK_DO_END, stream, RK_NONE), put_end(b);
}

/* Shares of what all tensor ranks have: each sends one, and they are put together again. */
static bool in_shares(const struct build *b, const struct slot *slot)
{
    const struct rk_plan *plan = &place_of(b, slot)->plan;
    if (rk_plan_layout(b->plan)->segments || b->stages)
        return false; /* each message is what two ranks have in common */
    return plan->messages_sharded && !plan->sequence_parallel && plan->tensor > 1;
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
    put_messages(b, slot,
                 message->forward ? place_at_end(b, message->part - 1, true)
                                  : place_at_end(b, message->part + 1, false),
                 from, is_next(b, from) ? RK_ON_RECV_NEXT : RK_ON_RECV_PREV,
                 tag_of(&b->pipeline, message), received, false);
    live->shared[message->forward] = shares ? received : NO_TENSOR;
    *(message->forward ? &live->input : &live->output_gradient) = whole;
}

/* What the first chunk of a V's tip brings is what its second begins with, and the other way round.
 */
static void keep_result(struct build *b, const struct order_pass *pass)
{
    const int32_t m = (int32_t)pass->microbatch;
    if (pass->pass == PASS_FORWARD)
        live_open(b, first_of(b, 1), m)->input = live_of(b, last_of(b, 0), m)->output;
    else
        live_of(b, last_of(b, 0), m)->output_gradient =
            live_of(b, first_of(b, 1), m)->input_gradient;
}

/* Is this pass's result for another chunk of the same rank? */
static bool stays(const struct build *b, const struct order_pass *pass)
{
    const bool forward = pass->pass == PASS_FORWARD;
    return rk_schedule_folds(b->pipeline.schedule) && pass->pass != PASS_WEIGHT_GRAD &&
           b->stage + 1 == b->pipeline.stages && pass->chunk == !forward;
}

void send_result(struct build *b, const struct order_pass *pass)
{
    struct message message;
    uint32_t to;
    if (b->failed) return;
    if (stays(b, pass)) keep_result(b, pass);
    if (!sent_by(&b->pipeline, b->stage, pass, &message, &to)) return;
    struct slot *slot = message.forward ? last_of(b, pass->chunk) : first_of(b, pass->chunk);
    const struct live *live = live_of(b, slot, (int32_t)pass->microbatch);
    b->draft.layer = slot->layer;
    b->draft.microbatch = (int32_t)pass->microbatch;
    b->draft.chunk = (uint16_t)pass->chunk;
    b->draft.work = message.forward ? RK_WORK_FORWARD : RK_WORK_INPUT;
    put_messages(b, slot, place_at_end(b, message.part, !message.forward), to,
                 is_next(b, to) ? RK_ON_SEND_NEXT : RK_ON_SEND_PREV, tag_of(&b->pipeline, &message),
                 message.forward ? live->output : live->input_gradient, true);
}

/* ---- between layers of different layouts ---- */

static enum rk_stream stream_of_place(const struct place *place)
{
    return place->plan.tensor_overlap ? RK_ON_TENSOR : RK_ON_GPU;
}

/* Ranks that exchange: so many neighbours. */
static uint32_t group_of_layout(struct build *b, uint32_t ranks)
{
    const uint32_t first = b->rank / ranks * ranks;
    for (size_t i = 0; i < b->program->groups; i++)
        if (strcmp(b->program->group[i].name, "tensor layout") == 0 &&
            b->program->group[i].ranks == ranks)
            return (uint32_t)i;
    uint32_t *list = malloc(ranks * sizeof *list);
    b->failed |= !list;
    for (uint32_t i = 0; i < ranks && list; i++)
        list[i] = first + i;
    const int32_t made = list ? new_group(b, "tensor layout", list, ranks) : RK_NONE;
    free(list);
    return made == RK_NONE ? 0 : (uint32_t)made;
}

static int32_t relayout_task(struct build *b, int from, int to, bool forward, double bytes)
{
    int32_t *known = &b->relayout_task[from][to][forward];
    struct rk_task task = {
        .name = "relayout",
        .work = forward ? RK_WORK_FORWARD : RK_WORK_INPUT,
        .sent_bytes = bytes,
        .seconds = relayout_s(b->model, b->system, &b->place[from].plan, &b->place[to].plan)};
    task.link_s = task.seconds;
    if (*known == RK_NONE) *known = new_task(b, &task);
    return *known;
}

static int32_t relayout_form(struct build *b, const struct slot *slot, bool forward)
{
    int32_t *known = &b->relayout_form[slot->place][forward];
    if (*known == RK_NONE)
        *known = stream_form(b, slot, forward ? RK_TENSOR_INPUT : RK_TENSOR_GRADIENT,
                             forward ? "" : "output", 1);
    return *known;
}

/* Where nothing is to be moved the rank takes its part of what it has. */
int32_t relayout(struct build *b, const struct slot *slot, int from, int to, int32_t tensor,
                 int32_t microbatch, bool forward)
{
    const struct place *a = &b->place[from], *c = &b->place[to];
    const struct flow *flow = &kind_of(b, slot)->flow;
    double ranks;
    if (same_place(b, from, to) || tensor == NO_TENSOR || b->failed) return tensor;
    const double bytes = relayout_bytes(b->model, &a->plan, &c->plan, &ranks);
    const int32_t laid = new_tensor(b, relayout_form(b, slot, forward), slot->layer, microbatch);
    b->draft.layer = slot->layer;
    b->draft.microbatch = microbatch;
    b->draft.chunk = slot->chunk;
    b->draft.work = forward ? RK_WORK_FORWARD : RK_WORK_INPUT;
    put_begin(b, bytes > 0 ? RK_DO_ALL_TO_ALL : RK_DO_RUN, stream_of_place(a),
              relayout_task(b, from, to, forward, bytes));
    put_read(b, tensor);
    put_write(b, laid);
    if (bytes > 0) {
        const double all = bytes * ranks / (ranks - 1);
        b->draft.other = group_of_layout(b, (uint32_t)ranks);
        b->draft.element = (uint8_t)flow->element;
        b->draft.count = (uint64_t)ceil(all / flow_element_bytes(flow->element));
    }
    put_end(b);
    return laid;
}

/* ---- in the sender's order ---- */

struct mailbox {
    struct sender {
        uint32_t stage;
        struct order_cursor cursor;
    } sender[2];     /* the next stage, the previous one */
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

/* When it is needed: of a message in shares the whole of it. */
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
    b->arrived = message.forward ? live->input : live->output_gradient;
    if (live->shared[message.forward] == NO_TENSOR) return;
    b->draft.layer = slot->layer;
    b->draft.microbatch = (int32_t)message.microbatch;
    b->draft.chunk = (uint16_t)chunk;
    b->draft.work = RK_WORK_STEP; /* no layer's: predictions leave it out */
    put_collective(b, place, place->plan.tensor_overlap ? RK_ON_TENSOR : RK_ON_GPU,
                   message_task(b, false, false, 1),
                   &(struct exchanged){RK_DO_ALL_GATHER, RANKS_OF_TENSOR, flow->element,
                                       flow->bytes, flow_element_bytes(flow->element)},
                   live->shared[message.forward],
                   message.forward ? live->input : live->output_gradient);
    live->shared[message.forward] = NO_TENSOR;
}

void post_receives(struct build *b, struct mailbox *mail, const struct order_pass *pass)
{
    struct message message;
    uint32_t from;
    if (!mail || b->failed || !needed_by(&b->pipeline, b->stage, pass, &message, &from)) return;
    post_up_to(b, mail, &message, from, b->last[RK_ON_GPU]);
}
