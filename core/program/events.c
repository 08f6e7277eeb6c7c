/* events.c - events that order instructions of different streams, and lifetimes of tensors.
 *
 * An instruction waits for the last writers, on other streams, of the tensors that it reads or
 * writes, and for the readers of those that it writes, unless its stream has already waited for
 * them or for later instructions. A tensor is allocated before the first instruction that uses it,
 * on the stream of that instruction, and freed after the last one.
 */
#include "base/memory.h"
#include "program/build.h"

#include <stdlib.h>
#include <string.h>

struct need {
    int32_t at, on; /* instructions: `at` waits for `on` */
    bool to_free;   /* ... before it frees what it was the last to use */
};

struct ordering {
    struct build *b;
    struct rk_program *p;
    struct use {
        int32_t writer, reader[RK_STREAMS]; /* the last ones */
        int32_t first, last;                /* of all */
        int32_t next_first, next_last;      /* tensors that come, or go, with the same one */
    } * use;                                /* (tensors) */
    int32_t *comes; /* (instructions) the first tensor of the list of those that come with it */
    int32_t *goes;  /* ... that go */
    int32_t *event; /* (instructions) number, RK_NONE: nobody waits for it */
    struct need *need;
    size_t needs;
    int32_t known[RK_STREAMS][RK_STREAMS]; /* [s][t]: the last one of t that s has waited for */
};

/* ---- who waits for whom ---- */

static int stream_at(const struct ordering *o, int32_t i)
{
    return o->p->instruction[i].stream;
}

static void wait_for(struct ordering *o, int32_t at, int32_t on, bool to_free)
{
    if (on == RK_NONE || on >= at) return;
    const int own = stream_at(o, at), other = stream_at(o, on);
    if (own == other || o->known[own][other] >= on) return;
    if (!ARRAY_ROOM(o->need, o->needs)) {
        o->b->failed = true;
        return;
    }
    o->need[o->needs++] = (struct need){at, on, to_free};
    o->event[on] = 0;
    o->known[own][other] = on;
}

/* `from` is where it begins, `to` where it is done: of messages that start together, begin and end.
 */
static void use(struct ordering *o, uint32_t tensor, bool writes, int32_t from, int32_t to)
{
    struct use *u = &o->use[tensor];
    const int stream = stream_at(o, from);
    wait_for(o, from, u->writer, false);
    for (int s = 0; s < RK_STREAMS && writes; s++)
        wait_for(o, from, u->reader[s], false);
    if (u->first == RK_NONE) {
        u->first = from;
        u->next_first = o->comes[from];
        o->comes[from] = (int32_t)tensor;
    }
    if (writes) u->writer = to;
    u->reader[stream] = to;
    u->last = to;
}

/* Where what begins at `i` ends. */
static int32_t end_of(const struct ordering *o, int32_t i)
{
    while (o->p->instruction[i].what != RK_DO_END)
        i++;
    return i;
}

static void use_all(struct ordering *o, int32_t i, int32_t from, int32_t to)
{
    const struct rk_instruction *in = &o->p->instruction[i];
    wait_for(o, from, o->b->afters[i], false);
    for (uint32_t k = 0; k < (uint32_t)in->reads + in->writes; k++)
        use(o, o->p->reference[in->tensors + k], k >= in->reads, from, to);
}

static void find_needs(struct ordering *o)
{
    for (int32_t i = 0; i < (int32_t)o->p->instructions; i++) {
        const bool group = o->p->instruction[i].what == RK_DO_BEGIN;
        const int32_t end = group ? end_of(o, i) : i;
        for (int32_t k = i; k <= end; k++)
            use_all(o, k, i, end);
        i = end;
    }
}

static bool is_lasting(const struct ordering *o, uint32_t tensor)
{
    return o->p->tensor[tensor].microbatch == RK_NONE;
}

/* Who uses a tensor last frees it, when those on other streams are done with it. */
static void find_frees(struct ordering *o)
{
    for (uint32_t t = 0; t < o->p->tensors; t++) {
        struct use *u = &o->use[t];
        if (u->last == RK_NONE || is_lasting(o, t)) continue;
        u->next_last = o->goes[u->last];
        o->goes[u->last] = (int32_t)t;
    }
}

/* What a stream knows of others is no longer at hand: only what it waited for up to there counts,
 * which `known` would overstate; so these are found in a second walk. */
static int by_place(const void *a, const void *b)
{
    const struct need *one = a, *other = b;
    if (one->at != other->at) return one->at < other->at ? -1 : 1;
    if (one->to_free != other->to_free) return one->to_free ? 1 : -1;
    return (one->on > other->on) - (one->on < other->on);
}

static void free_needs(struct ordering *o)
{
    const size_t waits = o->needs;
    size_t next = 0;
    memset(o->known, 0xff, sizeof o->known);
    for (int32_t i = 0; i < (int32_t)o->p->instructions; i++) {
        for (; next < waits && o->need[next].at <= i; next++) {
            int32_t *known =
                &o->known[stream_at(o, o->need[next].at)][stream_at(o, o->need[next].on)];
            if (o->need[next].on > *known) *known = o->need[next].on;
        }
        for (int32_t t = o->goes[i]; t != NO_TENSOR; t = o->use[t].next_last)
            for (int s = 0; s < RK_STREAMS; s++)
                wait_for(o, i, o->use[t].reader[s], true);
    }
    if (o->needs) qsort(o->need, o->needs, sizeof *o->need, by_place);
}

/* ---- the program with all of it ---- */

struct rewriting {
    struct ordering *o;
    struct rk_instruction *out;
    size_t used;
    int32_t events;
    size_t next; /* need */
};

static struct rk_instruction *put(struct rewriting *w, enum rk_do what,
                                  const struct rk_instruction *at)
{
    struct rk_instruction *in = &w->out[w->used++];
    *in = *at;
    in->what = (uint8_t)what;
    in->task = RK_NONE;
    in->reads = in->writes = 0;
    in->tag = 0;
    in->count = 0;
    return in;
}

static void put_waits(struct rewriting *w, int32_t i, bool to_free)
{
    const struct ordering *o = w->o;
    for (; w->next < o->needs && o->need[w->next].at == i && o->need[w->next].to_free == to_free;
         w->next++)
        put(w, RK_DO_WAIT, &o->p->instruction[i])->other = (uint32_t)o->event[o->need[w->next].on];
}

static void put_alloc(struct rewriting *w, uint32_t tensor, const struct rk_instruction *at)
{
    w->o->p->tensor[tensor].first = (int32_t)w->used;
    struct rk_instruction *in = put(w, RK_DO_ALLOC, at);
    in->other = tensor;
    in->layer = w->o->p->tensor[tensor].layer;
    in->microbatch = w->o->p->tensor[tensor].microbatch;
}

static void put_free(struct rewriting *w, uint32_t tensor, const struct rk_instruction *at)
{
    w->o->p->tensor[tensor].last = (int32_t)w->used;
    put(w, RK_DO_FREE, at)->other = tensor;
}

static void rewrite_one(struct rewriting *w, int32_t i)
{
    const struct ordering *o = w->o;
    const struct rk_instruction *in = &o->p->instruction[i];
    put_waits(w, i, false);
    for (int32_t t = o->comes[i]; t != NO_TENSOR; t = o->use[t].next_first)
        if (!is_lasting(o, (uint32_t)t)) put_alloc(w, (uint32_t)t, in);
    w->out[w->used++] = *in;
    if (o->event[i] != RK_NONE) {
        o->event[i] = w->events;
        put(w, RK_DO_RECORD, in)->other = (uint32_t)w->events++;
    }
    put_waits(w, i, true);
    for (int32_t t = o->goes[i]; t != NO_TENSOR; t = o->use[t].next_last)
        put_free(w, (uint32_t)t, in);
}

static void rewrite(struct ordering *o)
{
    struct rk_program *p = o->p;
    const size_t most = 2 * p->instructions + 2 * p->tensors + o->needs;
    struct rewriting w = {.o = o, .out = malloc(most * sizeof *w.out)};
    const struct rk_instruction first = {
        .stream = RK_ON_GPU, .work = RK_WORK_STEP, .task = RK_NONE, .microbatch = RK_NONE};
    o->b->failed |= !w.out;
    if (!w.out) return;
    for (uint32_t t = 0; t < p->tensors; t++)
        if (is_lasting(o, t) && o->use[t].first != RK_NONE) put_alloc(&w, t, &first);
    for (int32_t i = 0; i < (int32_t)p->instructions; i++)
        rewrite_one(&w, i);
    free(p->instruction);
    p->instruction = w.out;
    p->instructions = w.used;
}

static bool open(struct ordering *o)
{
    const size_t instructions = o->p->instructions + 1, tensors = o->p->tensors + 1;
    o->use = malloc(tensors * sizeof *o->use);
    o->comes = malloc(instructions * sizeof *o->comes);
    o->goes = malloc(instructions * sizeof *o->goes);
    o->event = malloc(instructions * sizeof *o->event);
    if (!o->use || !o->comes || !o->goes || !o->event) return false;
    memset(o->use, 0xff, tensors * sizeof *o->use);
    memset(o->comes, 0xff, instructions * sizeof *o->comes);
    memset(o->goes, 0xff, instructions * sizeof *o->goes);
    memset(o->event, 0xff, instructions * sizeof *o->event);
    memset(o->known, 0xff, sizeof o->known);
    return true;
}

/* Tasks in the order in which instructions name them. */
static void number_tasks(struct build *b)
{
    struct rk_program *p = b->program;
    int32_t *number = malloc((p->tasks + 1) * sizeof *number);
    struct rk_task *task = malloc((p->tasks + 1) * sizeof *task);
    size_t used = 0;
    b->failed |= !number || !task;
    if (!b->failed) {
        memset(number, 0xff, (p->tasks + 1) * sizeof *number);
        for (size_t i = 0; i < p->instructions; i++) {
            int32_t *own = &p->instruction[i].task;
            if (*own == RK_NONE) continue;
            if (number[*own] == RK_NONE) {
                number[*own] = (int32_t)used;
                task[used++] = p->task[*own];
            }
            *own = number[*own];
        }
        free(p->task);
        p->task = task;
        p->tasks = used;
        task = NULL;
    }
    free(number);
    free(task);
}

void order_streams(struct build *b)
{
    struct ordering o = {.b = b, .p = b->program};
    if (b->failed) return;
    b->failed = !open(&o);
    if (!b->failed) find_needs(&o);
    if (!b->failed) find_frees(&o);
    if (!b->failed) free_needs(&o);
    if (!b->failed) rewrite(&o);
    if (!b->failed) number_tasks(b);
    free(o.use);
    free(o.comes);
    free(o.goes);
    free(o.event);
    free(o.need);
}
