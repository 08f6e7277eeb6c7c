/* log_deadlock.c - why a replay stopped: a shortest cycle of waits, or what never comes. */
#include "check/logs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an operation that has begun still waits for. */
struct need {
    uint32_t rank, operation; /* LOG_NONE: nothing of the kind comes */
};

struct search {
    const struct replay *r;
    uint32_t *from, *queue; /* (streams): from which stream one is reached, + 1 */
    uint64_t looked;
};

enum { MOST_LOOKS = 20000000, MISSING = 8 };

static bool has_stopped(const struct replay *r, uint32_t stream)
{
    const uint32_t rank = r->rank_of[stream];
    return r->head[stream] < r->logs->rank[rank].first[stream - r->first_stream[rank] + 1];
}

static uint32_t stream_of(const struct replay *r, uint32_t rank, uint32_t operation)
{
    return r->first_stream[rank] + r->logs->rank[rank].operation[operation].stream;
}

/* Is it among what its stream has begun? */
static bool has_come(const struct replay *r, uint32_t rank, uint32_t operation)
{
    const uint32_t stream = stream_of(r, rank, operation);
    if (!has_stopped(r, stream)) return true;
    return operation < replay_end(&r->logs->rank[rank], r->head[stream]);
}

static uint32_t call_of(const struct replay *r, uint32_t rank, uint32_t group, uint32_t turn)
{
    if (rank >= r->logs->ranks) return LOG_NONE;
    const struct lane *lane = lane_of_group(&r->logs->rank[rank], group);
    return lane && turn < lane->count ? lane->turn[turn] : LOG_NONE;
}

/* Need number `i` of an operation; false: there are no more. Those that have come have rank
 * LOG_NONE. */
static bool need_of(const struct replay *r, uint32_t rank, const struct operation *op, uint32_t i,
                    struct need *need)
{
    *need = (struct need){LOG_NONE, LOG_NONE};
    if (is_collective(op->kind)) {
        const struct group *g = &r->logs->group[op->other];
        if (i >= g->count) return false;
        const uint32_t member = r->logs->member[g->first + i];
        const uint32_t call = call_of(r, member, op->other, op->turn);
        if (member == rank || (call != LOG_NONE && has_come(r, member, call))) return true;
        *need = (struct need){member, call};
        return true;
    }
    if (i) return false;
    if (op->kind == RK_LOG_WAIT) {
        *need = (struct need){rank, op->turn};
    } else if (is_message(op->kind)) {
        const uint32_t partner = replay_partner(r, rank, op);
        if (partner != LOG_NONE && has_come(r, op->other, partner)) return true;
        *need = (struct need){op->other, partner};
    }
    return true;
}

/* ---- words ---- */

static size_t describe(const struct replay *r, uint32_t stream, const struct need *need, char *text,
                       size_t size)
{
    const uint32_t rank = r->rank_of[stream];
    const struct rank_log *log = &r->logs->rank[rank];
    const uint32_t name = log->stream_name[stream - r->first_stream[rank]];
    char what[LOG_TEXT];
    uint32_t at = r->head[stream];
    for (uint32_t i = at; i < replay_end(log, r->head[stream]); i++) /* the one with that need */
        for (uint32_t k = 0;; k++) {
            struct need other;
            if (!need_of(r, rank, &log->operation[i], k, &other)) break;
            if (other.rank == need->rank && other.operation == need->operation &&
                !r->time[r->first_op[rank] + i])
                at = i;
        }
    const int n = snprintf(text, size, "rank %" PRIu32 " %.12s waits in line %" PRIu32 " for %.44s",
                           rank, name ? names_text(&log->names, name - 1) : "",
                           log->operation[at].line, log_describe(r->logs, rank, at, what));
    return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

/* ---- cycles ---- */

/* Calls `see` with each stopped stream that this one waits for, until it returns true. */
static bool each_need(struct search *s, uint32_t stream,
                      bool (*see)(struct search *s, uint32_t stream, const struct need *need,
                                  void *context),
                      void *context)
{
    const struct replay *r = s->r;
    const uint32_t rank = r->rank_of[stream];
    const struct rank_log *log = &r->logs->rank[rank];
    for (uint32_t i = r->head[stream]; i < replay_end(log, r->head[stream]); i++) {
        struct need need;
        if (r->time[r->first_op[rank] + i]) continue;
        for (uint32_t k = 0; need_of(r, rank, &log->operation[i], k, &need); k++) {
            s->looked++;
            if (need.rank != LOG_NONE && see(s, stream, &need, context)) return true;
        }
    }
    return false;
}

struct goal {
    uint32_t stream, last, queued;
};

static bool visit(struct search *s, uint32_t stream, const struct need *need, void *context)
{
    struct goal *goal = context;
    if (need->operation == LOG_NONE) return false;
    const uint32_t next = stream_of(s->r, need->rank, need->operation);
    if (next == goal->stream) {
        goal->last = stream;
        return true;
    }
    if (s->from[next]) return false;
    s->from[next] = stream + 1;
    s->queue[goal->queued++] = next;
    return false;
}

/* The length of the shortest cycle through a stream, below `most`; s->from leads back along it from
 * *last. 0: there is none. */
static uint32_t find_cycle(struct search *s, uint32_t stream, uint32_t most, uint32_t *last)
{
    struct goal goal = {stream, LOG_NONE, 1};
    memset(s->from, 0, (s->r->streams + 1) * sizeof *s->from);
    s->queue[0] = stream;
    for (uint32_t i = 0; i < goal.queued && s->looked < MOST_LOOKS; i++)
        if (each_need(s, s->queue[i], visit, &goal)) break;
    if (goal.last == LOG_NONE) return 0;
    uint32_t length = 1;
    for (uint32_t at = goal.last; at != stream && length < most; at = s->from[at] - 1)
        length++;
    *last = goal.last;
    return length < most ? length : 0;
}

struct edge {
    uint32_t to;
    struct need need;
};

static bool is_edge(struct search *s, uint32_t stream, const struct need *need, void *context)
{
    struct edge *edge = context;
    (void)stream;
    if (need->operation == LOG_NONE || stream_of(s->r, need->rank, need->operation) != edge->to)
        return false;
    edge->need = *need;
    return true;
}

static void report_cycle(struct search *s, uint32_t stream, uint32_t last, uint32_t length)
{
    const struct replay *r = s->r;
    uint32_t *way = malloc((length + 1) * sizeof *way);
    size_t used = 0;
    if (!way) return;
    uint32_t at = last;
    for (uint32_t i = length; i-- > 0; at = i ? s->from[at] - 1 : at)
        way[i] = at;
    way[length] = stream;
    struct rk_finding *f =
        log_blame(r->logs, r->findings, "7.deadlock", r->rank_of[stream], r->head[stream]);
    char *text = f->need;
    for (uint32_t i = 0; i < length; i++) {
        struct edge edge = {way[i + 1], {LOG_NONE, LOG_NONE}};
        char one[160];
        each_need(s, way[i], is_edge, &edge);
        const size_t n = describe(r, way[i], &edge.need, one, sizeof one);
        if (used + n + 8 >= sizeof f->need) {
            snprintf(text + used, sizeof f->need - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, sizeof f->need - used, "%s%s", i ? ", " : "", one);
    }
    snprintf(f->fix, sizeof f->fix, "%s",
             length == 2 ? "start both together (begin, end), or one in the other order"
                         : "the cycle goes through the ranks named here");
    free(way);
}

/* ---- what never comes ---- */

static bool report_missing(struct search *s, uint32_t stream, const struct need *need,
                           void *context)
{
    const struct replay *r = s->r;
    uint32_t *reported = context;
    char one[160];
    if (need->operation != LOG_NONE) return false;
    const uint32_t rank = r->rank_of[stream];
    if ((*reported)++ >= MISSING) {
        r->findings->dropped++;
        return true;
    }
    struct rk_finding *f = log_blame(r->logs, r->findings, "7.deadlock", rank, r->head[stream]);
    describe(r, stream, need, one, sizeof one);
    if (need->rank == rank)
        snprintf(f->need, sizeof f->need, "%.120s: the event is never recorded", one);
    else
        snprintf(f->need, sizeof f->need, "%.120s: it never comes on rank %" PRIu32, one,
                 need->rank);
    return true;
}

static void report_any(const struct replay *r)
{
    for (uint32_t stream = 0; stream < r->streams; stream++)
        if (has_stopped(r, stream)) {
            struct rk_finding *f =
                log_blame(r->logs, r->findings, "7.deadlock", r->rank_of[stream], r->head[stream]);
            snprintf(f->need, sizeof f->need,
                     "is never done: the rank is not a member of its group");
            return;
        }
}

void replay_deadlock(const struct replay *r)
{
    struct search s = {.r = r};
    uint32_t stopped = 0, best = LOG_NONE, start = 0, last = 0, reported = 0;
    for (uint32_t i = 0; i < r->streams; i++)
        stopped += has_stopped(r, i);
    if (!stopped) return;
    s.from = malloc((r->streams + 1) * sizeof *s.from);
    s.queue = malloc((r->streams + 1) * sizeof *s.queue);
    for (uint32_t i = 0; s.from && s.queue && i < r->streams; i++) {
        uint32_t end;
        if (!has_stopped(r, i) || s.looked >= MOST_LOOKS) continue;
        const uint32_t length = find_cycle(&s, i, best, &end);
        if (!length) continue;
        best = length;
        start = i;
    }
    if (best != LOG_NONE && find_cycle(&s, start, LOG_NONE, &last))
        report_cycle(&s, start, last, best);
    for (uint32_t i = 0; i < r->streams; i++)
        if (has_stopped(r, i)) each_need(&s, i, report_missing, &reported);
    if (best == LOG_NONE && !reported) report_any(r);
    free(s.from);
    free(s.queue);
}
