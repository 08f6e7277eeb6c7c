/* pace_v.c - V-shaped pipelines: their order is run, with the chunks of a rank taking half of its
 * time each.
 *
 * Of more than MANY microbatches a stage, what each adds is taken from the last of so many.
 */
#include "schedule/pace.h"

#include "base/extremes.h"

enum { FEW = 6, MANY = 8 }; /* for each stage */
enum { RING = 2 * V_MAX_STAGES, TO_NEXT = 0, TO_PREVIOUS = 1, WAYS = 2 };

/* What is on its way to a part of the model: when it was sent. */
struct inbox {
    double sent_s[RING];
    uint64_t sent, taken;
};

struct worker {
    struct order_cursor cursor;
    struct order_pass next;
    bool more;
    double free_s, link_free_s[WAYS];
};

struct run {
    const struct pipeline *pipeline;
    const struct stage_times *stages;
    struct messages messages;
    struct worker worker[V_MAX_STAGES];
    struct inbox inbox[WAYS][2 * V_MAX_STAGES];
};

static double time_of(const struct stage_times *stage, enum pass pass)
{
    if (pass == PASS_FORWARD) return stage->forward_s / 2;
    return (pass == PASS_INPUT_GRAD ? stage->backward_s - stage->wgrad_s : stage->wgrad_s) / 2;
}

/* When what rank i has done is there: after what it sent before to the same neighbour. */
static double sent_at(struct run *r, uint64_t i, bool down)
{
    struct worker *w = &r->worker[i];
    double *link_free_s = &w->link_free_s[down];
    if (r->messages.blocking) return w->free_s += r->messages.message_s;
    return *link_free_s = larger(w->free_s, *link_free_s) + r->messages.message_s;
}

/* What rank i has done goes to a part of the model, or, without one, nowhere. The tip of the V
 * keeps what it hands from its first part to its second. */
static void send(struct run *r, uint64_t i, int way, bool goes, uint64_t part)
{
    const uint64_t p = r->pipeline->stages;
    const bool stays = goes && part == (way == TO_NEXT ? p : p - 1);
    const bool down = way == TO_NEXT ? part > p : part < p;
    if (!goes && !r->messages.blocking) return;
    const double sent_s = stays ? r->worker[i].free_s : sent_at(r, i, down);
    if (!goes) return;
    struct inbox *inbox = &r->inbox[way][part];
    inbox->sent_s[inbox->sent++ % RING] = sent_s;
}

/* The next pass of rank i; false where it is not ready or none is left. */
static bool step(struct run *r, uint64_t i)
{
    struct worker *w = &r->worker[i];
    if (!w->more) return false;
    const enum pass pass = w->next.pass;
    const int way = pass == PASS_FORWARD ? TO_NEXT : TO_PREVIOUS;
    const uint64_t last = pipeline_parts(r->pipeline) - 1;
    const uint64_t part = pipeline_part(r->pipeline, i, w->next.chunk);
    if (pass != PASS_WEIGHT_GRAD && part != (way == TO_NEXT ? 0 : last)) {
        struct inbox *inbox = &r->inbox[way][part];
        if (inbox->sent == inbox->taken) return false;
        w->free_s = larger(w->free_s, inbox->sent_s[inbox->taken++ % RING]);
    }
    w->free_s += time_of(&r->stages[i], pass);
    if (pass != PASS_WEIGHT_GRAD)
        send(r, i, way, part != (way == TO_NEXT ? last : 0), way == TO_NEXT ? part + 1 : part - 1);
    w->more = order_next(&w->cursor, &w->next);
    return true;
}

static double length_s(const struct pipeline *pipeline, const struct stage_times *stages,
                       struct messages messages)
{
    struct run r;
    double end_s = 0;
    r.messages = messages;
    r.pipeline = pipeline;
    r.stages = stages;
    for (uint64_t i = 0; i < pipeline->stages; i++) {
        r.worker[i] = (struct worker){.cursor = order_open(pipeline, i)};
        r.worker[i].more = order_next(&r.worker[i].cursor, &r.worker[i].next);
    }
    for (int way = 0; way < WAYS; way++)
        for (uint64_t part = 0; part < pipeline_parts(pipeline); part++)
            r.inbox[way][part].sent = r.inbox[way][part].taken = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint64_t i = 0; i < pipeline->stages; i++)
            while (step(&r, i))
                moved = true;
    }
    for (uint64_t i = 0; i < pipeline->stages; i++)
        end_s = larger(end_s, r.worker[i].free_s);
    return end_s;
}

double pipeline_length_v(const struct pipeline *p, const struct stage_times *stages,
                         struct messages messages)
{
    const uint64_t few = FEW * p->stages, many = MANY * p->stages;
    struct pipeline some = *p;
    if (p->microbatches <= many) return length_s(p, stages, messages);
    some.microbatches = few;
    const double shorter_s = length_s(&some, stages, messages);
    some.microbatches = many;
    const double longer_s = length_s(&some, stages, messages);
    return longer_s +
           (double)(p->microbatches - many) * (longer_s - shorter_s) / (double)(many - few);
}
