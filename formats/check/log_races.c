/* log_races.c - are two accesses of a buffer ordered, whatever the timing?
 *
 * Each stream of a rank knows how far the other streams of that rank have come: a vector clock
 * [mattern1988] of positions, kept by a record and taken over by a wait. Two accesses, one of them
 * a write, that clocks do not order may still be ordered by messages through other ranks: only then
 * is the way back from the second followed over all ranks, no further than the time of the first. A
 * buffer remembers only the last write, read and send of each stream: an operation after them is
 * after all earlier ones. */
#include "base/memory.h"
#include "check/logs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last operations of a stream on a buffer, + 1; 0: none. */
struct last {
    uint32_t write, read, send;
};

struct life {
    uint32_t operation; /* + 1: that allocated it again, or freed it; 0: neither */
    bool freed, allocated;
};

enum { REPORTS = 3, WALK = 1 << 24 };

struct rank_races {
    uint32_t *buffer_of; /* (names) + 1; 0: no buffer */
    struct last *last;   /* (buffers * streams) */
    struct life *life;   /* (buffers) */
    uint32_t *clock;     /* (streams * streams) [s]: what stream s knows has ended */
    uint32_t *kept;      /* clocks of records */
    uint32_t keeps;
    size_t room;
    uint32_t reports[3]; /* of race, reuse, free */
};

struct races {
    struct rank_races *rank;
    uint32_t *reach, *from; /* (streams of all ranks), for the walk; 0: not reached */
    uint32_t *stack;
    uint64_t walked;
};

struct races *races_new(const struct rk_logs *logs)
{
    struct races *races = calloc(1, sizeof *races);
    uint32_t streams = 0;
    for (uint32_t i = 0; i < logs->ranks; i++)
        streams += logs->rank[i].streams;
    if (!races) return NULL;
    races->rank = calloc(logs->ranks + 1, sizeof *races->rank);
    races->reach = calloc(streams + 1, sizeof *races->reach);
    races->from = calloc(streams + 1, sizeof *races->from);
    races->stack = calloc(streams + 1, sizeof *races->stack);
    if (races->rank && races->reach && races->from && races->stack) return races;
    races_release(races, logs);
    return NULL;
}

void races_release(struct races *races, const struct rk_logs *logs)
{
    if (!races) return;
    for (uint32_t i = 0; races->rank && i < logs->ranks; i++) {
        free(races->rank[i].buffer_of);
        free(races->rank[i].last);
        free(races->rank[i].life);
        free(races->rank[i].clock);
        free(races->rank[i].kept);
    }
    free(races->rank);
    free(races->reach);
    free(races->from);
    free(races->stack);
    free(races);
}

/* Numbers the buffers of a rank when it does its first step. */
static bool open_rank(struct rank_races *own, const struct rank_log *log)
{
    uint32_t buffers = 0;
    if (own->clock) return true;
    own->clock = calloc((size_t)log->streams * log->streams + 1, sizeof *own->clock);
    own->buffer_of = calloc(log->names.count + 1, sizeof *own->buffer_of);
    if (!own->clock || !own->buffer_of) return false;
    for (uint32_t i = 0; i < log->count; i++) { /* in the order of operations */
        const struct operation *op = &log->operation[i];
        for (uint32_t k = 0; k < (uint32_t)op->reads + op->writes; k++)
            if (!own->buffer_of[log->access[op->access + k]])
                own->buffer_of[log->access[op->access + k]] = ++buffers;
        if ((op->kind == RK_LOG_ALLOC || op->kind == RK_LOG_FREE) && !own->buffer_of[op->other])
            own->buffer_of[op->other] = ++buffers;
    }
    for (uint32_t s = 0; s < log->streams; s++)
        for (uint32_t k = 0; k < log->streams; k++)
            own->clock[s * log->streams + k] = log->first[k];
    own->last = calloc((size_t)buffers * log->streams + 1, sizeof *own->last);
    own->life = calloc((size_t)buffers + 1, sizeof *own->life);
    return own->last && own->life;
}

/* ---- the way back over all ranks ---- */

/* All operations of a stream up to `end` happen before the one in question. */
static void reach(const struct replay *r, uint32_t stream, uint32_t end, uint32_t *depth)
{
    struct races *races = r->races;
    if (races->reach[stream] >= end + 1) return;
    if (!races->from[stream]) races->stack[(*depth)++] = stream;
    if (!races->reach[stream]) /* its first operation: nothing has been looked at */
        races->reach[stream] =
            r->logs->rank[r->rank_of[stream]].first[stream - r->first_stream[r->rank_of[stream]]] +
            1;
    if (!races->from[stream]) races->from[stream] = races->reach[stream];
    races->reach[stream] = end + 1;
}

/* The start of what starts together with an operation. */
static uint32_t begin_of(const struct rank_log *log, uint32_t operation)
{
    while (log->operation[operation].grouped)
        operation--;
    return operation;
}

static void reach_before(const struct replay *r, uint32_t rank, uint32_t operation, uint32_t *depth)
{
    const struct rank_log *log = &r->logs->rank[rank];
    reach(r, r->first_stream[rank] + log->operation[operation].stream, begin_of(log, operation),
          depth);
}

/* What has to be over before the operation is. */
static void reach_causes(const struct replay *r, uint32_t rank, const struct operation *op,
                         uint32_t *depth)
{
    struct rk_logs *logs = r->logs;
    if (op->kind == RK_LOG_WAIT && op->turn != LOG_NONE) {
        const struct operation *record = &logs->rank[rank].operation[op->turn];
        reach(r, r->first_stream[rank] + record->stream, op->turn + 1, depth);
    } else if (is_message(op->kind)) {
        const uint32_t partner = replay_partner(r, rank, op);
        if (partner != LOG_NONE) reach_before(r, op->other, partner, depth);
    } else if (is_collective(op->kind)) {
        const struct group *g = &logs->group[op->other];
        for (uint32_t i = 0; i < g->count; i++) {
            const uint32_t member = logs->member[g->first + i];
            if (member >= logs->ranks) continue;
            const struct lane *lane = lane_of_group(&logs->rank[member], op->other);
            if (lane && op->turn < lane->count)
                reach_before(r, member, lane->turn[op->turn], depth);
        }
    }
}

/* Is `before` over when what is at `start` of a stream begins? */
static bool ordered(const struct replay *r, uint32_t rank, uint32_t before, uint32_t stream,
                    uint32_t start)
{
    struct races *races = r->races;
    const uint32_t goal = r->first_stream[rank] + r->logs->rank[rank].operation[before].stream;
    const uint32_t since = r->time[r->first_op[rank] + before];
    uint32_t depth = 0;
    bool found = false;
    if (!since || races->walked > WALK) return false;
    memset(races->reach, 0, (r->streams + 1) * sizeof *races->reach);
    memset(races->from, 0, (r->streams + 1) * sizeof *races->from);
    races->walked += r->streams;
    reach(r, r->first_stream[rank] + stream, start, &depth);
    while (depth && !found && races->walked <= WALK) {
        const uint32_t at = races->stack[--depth], of = r->rank_of[at];
        const uint32_t end = races->reach[at] - 1, from = races->from[at] - 1;
        races->from[at] = 0; /* no longer on the stack */
        for (uint32_t i = end; i-- > from;) {
            races->walked++;
            const struct operation *op = &r->logs->rank[of].operation[i];
            if (r->time[r->first_op[of] + i] < since) {
                if (op->grouped) continue;
                break;
            }
            reach_causes(r, of, op, &depth);
        }
        found = races->reach[goal] > before + 1;
    }
    return found;
}

/* ---- accesses ---- */

enum report { RACE, REUSE, FREED };

struct meeting { /* an access that is about to be made */
    struct replay *r;
    uint32_t rank, stream, head; /* head: of what starts together with it */
    uint32_t operation, buffer, name;
    bool writes;
};

static void report(const struct meeting *m, enum report kind, uint32_t other, const char *how)
{
    static const char *const rules[] = {"10.race", "10.reuse", "10.free"};
    struct rank_races *own = &m->r->races->rank[m->rank];
    const struct rank_log *log = &m->r->logs->rank[m->rank];
    char text[LOG_TEXT];
    if (own->reports[kind]++ >= REPORTS) {
        m->r->findings->dropped++;
        return;
    }
    struct rk_finding *f =
        log_blame(m->r->logs, m->r->findings, rules[kind], m->rank, m->operation);
    snprintf(f->have, sizeof f->have, "%.40s", names_text(&log->names, m->name));
    snprintf(f->need, sizeof f->need, "%s line %" PRIu32 ", %.90s", how, log->operation[other].line,
             log_describe(m->r->logs, m->rank, other, text));
    snprintf(f->fix, sizeof f->fix, "%s",
             kind == FREED ? "free it after its last use" : "record an event and wait for it");
}

/* Is the earlier one over? On one stream it is: what starts together is taken to be in order, for
 * an exchange in place (a ring) says so. */
static bool is_over(const struct meeting *m, uint32_t other)
{
    const struct rank_log *log = &m->r->logs->rank[m->rank];
    const uint32_t stream = log->operation[other].stream;
    const uint32_t *clock = m->r->races->rank[m->rank].clock + m->stream * log->streams;
    if (stream == m->stream) return true;
    return clock[stream] > other || ordered(m->r, m->rank, other, m->stream, m->head);
}

static void meet(const struct meeting *m, uint32_t other, enum report kind)
{
    if (other && !is_over(m, other - 1)) report(m, kind, other - 1, "is not ordered with");
}

/* Against the last ones of each stream. */
static void meet_all(const struct meeting *m, bool frees)
{
    const struct rank_log *log = &m->r->logs->rank[m->rank];
    const struct rank_races *own = &m->r->races->rank[m->rank];
    const bool sends = log->operation[m->operation].kind == RK_LOG_SEND;
    for (uint32_t s = 0; s < log->streams; s++) {
        const struct last *last = &own->last[(size_t)m->buffer * log->streams + s];
        meet(m, last->write, frees ? FREED : sends ? REUSE : RACE);
        if (!m->writes) continue;
        meet(m, last->read, frees ? FREED : RACE);
        meet(m, last->send, frees ? FREED : REUSE);
    }
}

static void touch(const struct meeting *m)
{
    const struct rank_log *log = &m->r->logs->rank[m->rank];
    struct rank_races *own = &m->r->races->rank[m->rank];
    const struct life *life = &own->life[m->buffer];
    struct last *last = &own->last[(size_t)m->buffer * log->streams + m->stream];
    const bool sends = log->operation[m->operation].kind == RK_LOG_SEND;
    meet_all(m, false);
    if (life->operation && life->freed)
        report(m, FREED, life->operation - 1, "uses what was freed in");
    else
        meet(m, life->operation, FREED);
    if (m->writes)
        last->write = m->operation + 1;
    else if (sends)
        last->send = m->operation + 1;
    else
        last->read = m->operation + 1;
}

/* Memory of which nothing was known before is there from the start. */
static void renew(struct meeting *m)
{
    struct rank_races *own = &m->r->races->rank[m->rank];
    const struct rank_log *log = &m->r->logs->rank[m->rank];
    struct life *life = &own->life[m->buffer];
    const bool frees = log->operation[m->operation].kind == RK_LOG_FREE;
    bool used = life->operation != 0 || life->allocated;
    m->writes = true;
    meet_all(m, true);
    if (frees && life->freed)
        report(m, FREED, life->operation - 1, "was freed already, in");
    else
        meet(m, life->operation, FREED);
    for (uint32_t s = 0; s < log->streams; s++) {
        struct last *last = &own->last[(size_t)m->buffer * log->streams + s];
        used |= last->write || last->read || last->send;
        if (!frees) *last = (struct last){0, 0, 0}; /* another life */
    }
    life->freed = frees;
    life->allocated = true;
    life->operation = frees || used ? m->operation + 1 : 0;
}

static void access_all(struct meeting *m, const struct operation *op)
{
    const struct rank_log *log = &m->r->logs->rank[m->rank];
    const struct rank_races *own = &m->r->races->rank[m->rank];
    if (op->kind == RK_LOG_ALLOC || op->kind == RK_LOG_FREE) {
        m->name = op->other;
        m->buffer = own->buffer_of[op->other] - 1;
        renew(m);
        return;
    }
    for (uint32_t k = 0; k < (uint32_t)op->reads + op->writes; k++) {
        m->name = log->access[op->access + k];
        m->buffer = own->buffer_of[m->name] - 1;
        m->writes = k >= op->reads;
        touch(m);
    }
}

/* ---- steps of the replay ---- */

bool races_begin(struct replay *r, uint32_t rank, uint32_t stream, uint32_t head, uint32_t end)
{
    const struct rank_log *log = &r->logs->rank[rank];
    if (!open_rank(&r->races->rank[rank], log)) return false;
    struct meeting m = {.r = r, .rank = rank, .stream = stream, .head = head};
    for (m.operation = head; m.operation < end; m.operation++)
        access_all(&m, &log->operation[m.operation]);
    return true;
}

void races_end(struct replay *r, uint32_t rank, uint32_t stream, uint32_t end)
{
    const uint32_t streams = r->logs->rank[rank].streams;
    r->races->rank[rank].clock[stream * streams + stream] = end;
}

bool races_record(struct replay *r, uint32_t rank, uint32_t operation)
{
    const struct rank_log *log = &r->logs->rank[rank];
    struct rank_races *own = &r->races->rank[rank];
    struct operation *op = &r->logs->rank[rank].operation[operation];
    if (!ARRAY_RESERVE(own->kept, own->room, (size_t)own->keeps + log->streams)) return false;
    op->turn = own->keeps;
    memcpy(own->kept + own->keeps, own->clock + (size_t)op->stream * log->streams,
           log->streams * sizeof *own->kept);
    own->kept[own->keeps + op->stream] = operation + 1;
    own->keeps += log->streams;
    return true;
}

void races_wait(struct replay *r, uint32_t rank, uint32_t operation)
{
    const struct rank_log *log = &r->logs->rank[rank];
    struct rank_races *own = &r->races->rank[rank];
    const struct operation *op = &log->operation[operation];
    const uint32_t *kept = own->kept + log->operation[op->turn].turn;
    uint32_t *clock = own->clock + (size_t)op->stream * log->streams;
    for (uint32_t s = 0; s < log->streams; s++)
        if (kept[s] > clock[s]) clock[s] = kept[s];
}
