#include "run/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- clock ---- */

static double processor_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void comm_clock_begin(struct comm *comm)
{
    comm->clock.begun = true;
    if (++comm->clock.steps == 2) comm->clock.pieces = 0; /* the first one asks for memory */
    comm->clock.base_s += comm->clock.now_s;
    comm->clock.now_s = 0;
    comm->clock.at = 0;
    comm->clock.mark_s = processor_s();
}

/* The least that this piece has taken so far, for as much as it is. */
static double least_of(struct comm_clock *c, double took_s)
{
    const double amount = c->amount > 0 ? c->amount : 1, each_s = took_s / amount;
    c->amount = 0;
    if (c->at == c->room) {
        const size_t room = c->room ? 2 * c->room : 1024;
        double *more = realloc(c->least_s, room * sizeof *more);
        if (!more) return took_s;
        c->least_s = more;
        c->room = room;
    }
    double *least = &c->least_s[c->at++];
    if (c->at > c->pieces) {
        c->pieces = c->at;
        *least = each_s;
    } else if (each_s < *least) {
        *least = each_s;
    }
    return amount * *least;
}

void comm_clock_work(struct comm *comm)
{
    struct comm_clock *c = &comm->clock;
    if (!c->runs || !c->begun) return;
    const double here_s = processor_s();
    c->now_s += least_of(c, here_s - c->mark_s);
    c->mark_s = here_s;
}

void comm_clock_wait(struct comm *comm, double at_s)
{
    if (!comm->clock.runs) return;
    if (at_s > comm->clock.now_s) comm->clock.now_s = at_s;
    comm->clock.mark_s = processor_s();
}

void comm_clock_amount(struct comm *comm, double amount)
{
    comm->clock.amount = amount;
}

void comm_clock_meet(struct comm *comm)
{
    comm_clock_work(comm);
    comm->clock.met_s = comm->clock.latest_s = comm->clock.base_s + comm->clock.now_s;
}

double comm_clock_late_s(const struct comm *comm)
{
    const struct comm_clock *c = &comm->clock;
    const double now_s = c->base_s + c->now_s;
    return (c->latest_s < now_s ? c->latest_s : now_s) - c->met_s;
}

static bool post(struct comm *comm, int to, struct comm_message *m)
{
    comm->sent_bytes += m->bytes;
    return comm->post(comm, to, m);
}

static void *at(void *base, size_t offset)
{
    return (char *)base + offset;
}
static const void *at_const(const void *base, size_t offset)
{
    return (const char *)base + offset;
}

/* ---- messages ---- */

bool comm_send(struct comm *comm, int to, uint32_t tag, const char *what, const void *data,
               size_t bytes)
{
    if (comm->silent) return true;
    struct comm_message *m = malloc(sizeof *m + bytes);
    struct rk_error error;
    if (!m) {
        rk_fail(&error, RK_NO_MEMORY, NULL, 0, 0, "no memory for a message of %zu bytes", bytes);
        return comm_fail(comm, &error);
    }
    memcpy(m + 1, data, bytes);
    *m = (struct comm_message){
        .data = m + 1, .bytes = bytes, .what = what, .tag = tag, .owned = true};
    return post(comm, to, m);
}

bool comm_receive(struct comm *comm, int from, uint32_t tag, const char *what, void *data,
                  size_t bytes)
{
    return comm->silent || comm->receive(comm, from, tag, what, bytes, NULL, data);
}

/* Unless the message does so itself. */
static void name_step(struct rk_error *error, uint64_t step)
{
    const size_t length = strlen(error->text);
    if (step && !strstr(error->text, " step "))
        snprintf(error->text + length, sizeof error->text - length, ", in step %llu",
                 (unsigned long long)step);
}

bool comm_fail(struct comm *comm, const struct rk_error *error)
{
    if (comm->error.status == RK_OK) {
        comm->error = *error;
        name_step(&comm->error, comm->step);
    }
    comm->fail(comm, &comm->error);
    return false;
}

static bool no_memory(struct comm *comm, const char *what)
{
    struct rk_error error;
    rk_fail(&error, RK_NO_MEMORY, NULL, 0, 0, "no memory for \"%s\"", what);
    return comm_fail(comm, &error);
}

/* ---- collectives ---- */

/* The messages of a collective to all others, in the order of their distance. */
static bool post_parts(struct comm *comm, const struct comm_group *g, const char *what,
                       const void *from, const size_t *offset, const size_t *bytes,
                       struct comm_message *messages)
{
    for (int i = 0; i < g->ranks; i++)
        messages[i].posted = false;
    for (int step = 1; step < g->ranks; step++) {
        const int to = (g->me + step) % g->ranks;
        messages[to] = (struct comm_message){.data = at_const(from, offset[to]),
                                             .bytes = bytes[to],
                                             .what = what,
                                             .tag = COMM_COLLECTIVE};
        if (!post(comm, g->rank[to], &messages[to])) return false;
    }
    return true;
}

/* Also when something has failed: no message may outlive its buffer. */
static bool wait_parts(struct comm *comm, const struct comm_group *g, struct comm_message *messages)
{
    bool ok = true;
    for (int i = 0; i < g->ranks; i++)
        if (messages[i].posted && !comm->wait(comm, &messages[i])) ok = false;
    return ok;
}

/* `count` elements of the rank's scratch; NULL, and all fail: no memory. */
static void *room(struct comm *comm, const char *what, int count, size_t size)
{
    void *taken = scratch_take(&comm->scratch, (size_t)count * size);
    if (!taken) no_memory(comm, what);
    return taken;
}

static bool exchange_parts(struct comm *comm, const struct comm_group *g, const char *what,
                           const void *from, const size_t *out_at, const size_t *out_bytes,
                           void *to, const size_t *in_at, const size_t *in_bytes)
{
    struct comm_message *messages = room(comm, what, g->ranks, sizeof *messages);
    if (!messages) return false;
    bool ok = post_parts(comm, g, what, from, out_at, out_bytes, messages);
    if (out_bytes[g->me] && at(to, in_at[g->me]) != at_const(from, out_at[g->me])) {
        memcpy(at(to, in_at[g->me]), at_const(from, out_at[g->me]), out_bytes[g->me]);
        comm_clock_amount(comm, (double)out_bytes[g->me]);
    }
    for (int step = 1; step < g->ranks && ok; step++) {
        const int source = (g->me + g->ranks - step) % g->ranks;
        ok = comm->receive(comm, g->rank[source], COMM_COLLECTIVE, what, in_bytes[source], NULL,
                           at(to, in_at[source]));
    }
    return wait_parts(comm, g, messages) && ok;
}

bool comm_all_to_all(struct comm *comm, const struct comm_group *g, const char *what,
                     const void *from, const size_t *out_at, const size_t *out_bytes, void *to,
                     const size_t *in_at, const size_t *in_bytes)
{
    if (comm->silent) return true;
    const struct scratch_mark mark = scratch_mark(&comm->scratch);
    const bool ok = exchange_parts(comm, g, what, from, out_at, out_bytes, to, in_at, in_bytes);
    scratch_back(&comm->scratch, mark);
    return ok;
}

bool comm_pass_on(struct comm *comm, const struct comm_group *g, const char *what, const void *from,
                  void *to, size_t bytes)
{
    if (comm->silent) return true;
    const int next = g->rank[(g->me + 1) % g->ranks],
              last = g->rank[(g->me + g->ranks - 1) % g->ranks];
    struct comm_message message = {
        .data = from, .bytes = bytes, .what = what, .tag = COMM_COLLECTIVE};
    bool ok = post(comm, next, &message) &&
              comm->receive(comm, last, COMM_COLLECTIVE, what, bytes, NULL, to);
    /* also when something has failed: no message may outlive its buffer */
    if (message.posted && !comm->wait(comm, &message)) ok = false;
    return ok;
}

/* ---- beyond a few ranks: as many messages as n has binary digits ---- */

/* Up to so many ranks everyone talks to everyone; sums of up to so many bytes are computed by
 * all, from what all have: then bytes matter less than messages. */
enum { FEW_RANKS = 8, SMALL_SUM = 4096 };

/* Blocks begin ... begin + count - 1 of n, modulo n, as they lie in memory: in one run or two. */
static int runs_of(const size_t *places, int n, int begin, int count, size_t at_[2],
                   size_t bytes[2])
{
    const int end = begin + count, first = end < n ? end : n;
    at_[0] = places[begin];
    bytes[0] = places[first] - places[begin];
    at_[1] = 0;
    bytes[1] = end > n ? places[end - n] : 0;
    return end > n ? 2 : 1;
}

/* Block i lies from places[i] to places[i + 1] in `all`; this rank's is there. In each round a rank
 * hands on all that it has to one that lacks it, twice as far away as before [bruck1997]. */
static bool spread(struct comm *comm, const struct comm_group *g, const char *what, void *all,
                   const size_t *places)
{
    const int n = g->ranks;
    for (int have = 1; have < n; have *= 2) {
        const int count = have < n - have ? have : n - have;
        const int to = g->rank[(g->me + n - have) % n], source = (g->me + have) % n;
        struct comm_message message[2];
        size_t begin[2], bytes[2];
        bool ok = true;
        const int out = runs_of(places, n, g->me, count, begin, bytes);
        message[0].posted = message[1].posted = false;
        for (int i = 0; i < out && ok; i++) {
            message[i] = (struct comm_message){.data = at_const(all, begin[i]),
                                               .bytes = bytes[i],
                                               .what = what,
                                               .tag = COMM_COLLECTIVE};
            ok = post(comm, to, &message[i]);
        }
        const int in = runs_of(places, n, source, count, begin, bytes);
        for (int i = 0; i < in && ok; i++)
            ok = comm->receive(comm, g->rank[source], COMM_COLLECTIVE, what, bytes[i], NULL,
                               at(all, begin[i]));
        for (int i = 0; i < out; i++) /* no message may outlive its buffer */
            if (message[i].posted && !comm->wait(comm, &message[i])) ok = false;
        if (!ok) return false;
    }
    return true;
}

static bool gather_far(struct comm *comm, const struct comm_group *g, const char *what,
                       const void *part, void *all, size_t bytes)
{
    const struct scratch_mark mark = scratch_mark(&comm->scratch);
    size_t *places = room(comm, what, g->ranks + 1, sizeof *places);
    void *own = at(all, (size_t)g->me * bytes);
    if (!places) return false;
    for (int i = 0; i <= g->ranks; i++)
        places[i] = (size_t)i * bytes;
    if (own != part) memcpy(own, part, bytes);
    const bool ok = spread(comm, g, what, all, places);
    scratch_back(&comm->scratch, mark);
    return ok;
}

/* All that all ranks have, and its sum in the order of ranks. */
static bool sum_gathered(struct comm *comm, const struct comm_group *g, const char *what,
                         void *data, size_t bytes, comm_add *add)
{
    const struct scratch_mark mark = scratch_mark(&comm->scratch);
    char *all = room(comm, what, g->ranks, bytes);
    const bool ok = all && gather_far(comm, g, what, data, all, bytes);
    for (int i = 0; i < g->ranks && ok; i++) {
        if (i)
            add(data, all + (size_t)i * bytes, bytes);
        else
            memcpy(data, all, bytes);
    }
    scratch_back(&comm->scratch, mark);
    return ok;
}

bool comm_all_gather(struct comm *comm, const struct comm_group *g, const char *what,
                     const void *part, void *all, size_t bytes)
{
    if (comm->silent) return true;
    if (g->ranks > FEW_RANKS) return gather_far(comm, g, what, part, all, bytes);
    const struct scratch_mark mark = scratch_mark(&comm->scratch);
    size_t *zeros = room(comm, what, 3 * g->ranks, sizeof *zeros);
    if (!zeros) return false;
    size_t *places = zeros + g->ranks, *sizes = places + g->ranks;
    for (int i = 0; i < g->ranks; i++) {
        zeros[i] = 0;
        places[i] = (size_t)i * bytes;
        sizes[i] = bytes;
    }
    const bool ok = exchange_parts(comm, g, what, part, zeros, sizes, all, places, sizes);
    scratch_back(&comm->scratch, mark);
    return ok;
}

struct summand {
    void *sum;
    comm_add *add;
    bool fresh;
};

static void take_summand(void *context, const void *data, size_t bytes)
{
    struct summand *s = context;
    if (s->fresh)
        memcpy(s->sum, data, bytes);
    else
        s->add(s->sum, data, bytes);
    s->fresh = false;
}

/* Sums what all ranks have for this one, rank by rank. */
static bool sum_parts(struct comm *comm, const struct comm_group *g, const char *what, uint32_t tag,
                      const void *own, void *sum, size_t bytes, comm_add *add)
{
    struct summand s = {sum, add, true};
    for (int i = 0; i < g->ranks; i++)
        if (i == g->me)
            take_summand(&s, own, bytes);
        else if (!comm->receive(comm, g->rank[i], tag, what, bytes, take_summand, &s))
            return false;
    return true;
}

/* ---- in halves ---- */

bool comm_prepare(struct comm *comm, struct comm_begun *b, const struct comm_group *g, uint32_t tag,
                  const char *what, const void *from, size_t bytes)
{
    struct comm_message *message = b->message;
    if (!message && !(message = malloc((size_t)g->ranks * sizeof *message)))
        return no_memory(comm, what);
    for (int i = 0; i < g->ranks; i++)
        message[i].posted = false;
    *b = (struct comm_begun){g, message, what, from, bytes, tag, true};
    return true;
}

bool comm_post_part(struct comm *comm, struct comm_begun *b, int to, size_t offset)
{
    if (comm->silent) return true;
    b->message[to] = (struct comm_message){
        .data = at_const(b->from, offset), .bytes = b->bytes, .what = b->what, .tag = b->tag};
    return post(comm, b->group->rank[to], &b->message[to]);
}

bool comm_take_part(struct comm *comm, struct comm_begun *b, int from, void *part)
{
    return comm->silent ||
           comm->receive(comm, b->group->rank[from], b->tag, b->what, b->bytes, NULL, part);
}

static bool end_begun(struct comm *comm, struct comm_begun *b, bool ok)
{
    b->open = false;
    return wait_parts(comm, b->group, b->message) && ok;
}

bool comm_end(struct comm *comm, struct comm_begun *b)
{
    return end_begun(comm, b, true);
}

bool comm_begin(struct comm *comm, struct comm_begun *b, const struct comm_group *g, uint32_t tag,
                const char *what, const void *from, size_t bytes, bool parts)
{
    if (!comm_prepare(comm, b, g, tag, what, from, bytes)) return false;
    for (int step = 1; step < g->ranks; step++) {
        const int to = (g->me + step) % g->ranks;
        if (!comm_post_part(comm, b, to, parts ? (size_t)to * bytes : 0))
            return end_begun(comm, b, false);
    }
    return true;
}

bool comm_end_gather(struct comm *comm, struct comm_begun *b, void *all)
{
    const struct comm_group *g = b->group;
    void *own = at(all, (size_t)g->me * b->bytes);
    bool ok = true;
    if (comm->silent) return end_begun(comm, b, true);
    if (own != b->from) memcpy(own, b->from, b->bytes);
    for (int step = 1; step < g->ranks && ok; step++) {
        const int source = (g->me + g->ranks - step) % g->ranks;
        ok = comm_take_part(comm, b, source, at(all, (size_t)source * b->bytes));
    }
    return end_begun(comm, b, ok);
}

bool comm_end_reduce_scatter(struct comm *comm, struct comm_begun *b, void *part, comm_add *add)
{
    const struct comm_group *g = b->group;
    if (comm->silent) return end_begun(comm, b, true);
    const void *own = at_const(b->from, (size_t)g->me * b->bytes);
    return end_begun(comm, b, sum_parts(comm, g, b->what, b->tag, own, part, b->bytes, add));
}

void comm_begun_release(struct comm *comm, struct comm_begun *b)
{
    if (b->open) wait_parts(comm, b->group, b->message);
    free(b->message);
    *b = (struct comm_begun){.message = NULL};
}

bool comm_reduce_scatter(struct comm *comm, const struct comm_group *g, const char *what,
                         const void *all, void *part, size_t bytes, comm_add *add)
{
    const struct scratch_mark mark = scratch_mark(&comm->scratch);
    struct comm_begun begun = {.message = room(comm, what, g->ranks, sizeof *begun.message)};
    const bool ok = begun.message &&
                    comm_begin(comm, &begun, g, COMM_COLLECTIVE, what, all, bytes, true) &&
                    comm_end_reduce_scatter(comm, &begun, part, add);
    scratch_back(&comm->scratch, mark);
    return ok;
}

/* Each rank's part is summed there and sent back to all; `places`: room for four times the ranks.
 */
static bool reduce_parts(struct comm *comm, const struct comm_group *g, const char *what,
                         void *data, size_t numbers, size_t unit, void *part, comm_add *add,
                         size_t *places, struct comm_message *messages)
{
    const size_t n = (size_t)g->ranks;
    size_t *sizes = places + n, *own_at = sizes + n, *own_bytes = own_at + n;
    for (size_t i = 0; i < n; i++) {
        places[i] = numbers * i / n * unit;
        sizes[i] = numbers * (i + 1) / n * unit - places[i];
    }
    const bool ok =
        post_parts(comm, g, what, data, places, sizes, messages) &&
        sum_parts(comm, g, what, COMM_COLLECTIVE, at(data, places[g->me]), part, sizes[g->me], add);
    if (!wait_parts(comm, g, messages) || !ok) return false;
    memcpy(at(data, places[g->me]), part, sizes[g->me]);
    if (g->ranks > FEW_RANKS) {
        sizes[0] = numbers * unit; /* after the last place: the end */
        return spread(comm, g, what, data, places);
    }
    for (size_t i = 0; i < n; i++) {
        own_at[i] = places[g->me];
        own_bytes[i] = sizes[g->me];
    }
    return exchange_parts(comm, g, what, data, own_at, own_bytes, data, places, sizes);
}

bool comm_all_reduce(struct comm *comm, const struct comm_group *g, const char *what, void *data,
                     size_t bytes, size_t unit, void *part, comm_add *add)
{
    if (g->ranks == 1 || comm->silent) return true;
    if (g->ranks > FEW_RANKS && bytes <= SMALL_SUM)
        return sum_gathered(comm, g, what, data, bytes, add);
    const struct scratch_mark mark = scratch_mark(&comm->scratch);
    size_t *places = room(comm, what, 4 * g->ranks, sizeof *places);
    struct comm_message *messages = room(comm, what, g->ranks, sizeof *messages);
    const bool ok =
        places && messages &&
        reduce_parts(comm, g, what, data, bytes / unit, unit, part, add, places, messages);
    scratch_back(&comm->scratch, mark);
    return ok;
}

/* A byte of each rank, to all; what that of `root` is, all have then. */
static bool gather_bytes(struct comm *comm, const struct comm_group *g, const char *what, int root,
                         char *mine)
{
    const struct scratch_mark mark = scratch_mark(&comm->scratch);
    char *all = room(comm, what, g->ranks, 1);
    const bool ok = all && comm_all_gather(comm, g, what, mine, all, 1);
    if (ok && !comm->silent) *mine = all[root];
    scratch_back(&comm->scratch, mark);
    return ok;
}

bool comm_barrier(struct comm *comm, const struct comm_group *g)
{
    return gather_bytes(comm, g, "barrier", g->me, &(char){0});
}

bool comm_agree(struct comm *comm, const char *what, char *said)
{
    const struct scratch_mark mark = scratch_mark(&comm->scratch);
    int *ranks = room(comm, what, comm->ranks, sizeof *ranks);
    if (!ranks) return false;
    for (int i = 0; i < comm->ranks; i++)
        ranks[i] = i;
    const struct comm_group world = {comm->ranks, comm->rank, ranks};
    const uint64_t sent_bytes = comm->sent_bytes;
    const bool ok = gather_bytes(comm, &world, what, 0, said);
    comm->sent_bytes = sent_bytes; /* of no step */
    scratch_back(&comm->scratch, mark);
    return ok;
}
