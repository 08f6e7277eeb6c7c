/* log_replay.c - all queues at once: an operation at the head of its stream ends when all that it
 * needs is there.
 *
 * Each step only makes more steps possible, and there is never a choice: so the replay comes to the
 * same end in whatever order it is made, and one decides for all timings. Streams that can continue
 * are on a stack; a stream that cannot is in the chain of what it waits for. Time and memory grow
 * with operations and with members of groups. */
#include "base/memory.h"
#include "check/logs.h"

#include <stdlib.h>
#include <string.h>

uint32_t replay_end(const struct rank_log *log, uint32_t head)
{
    const uint32_t last = log->first[log->operation[head].stream + 1];
    uint32_t end = head + 1;
    while (end < last && log->operation[end].grouped)
        end++;
    return end;
}

uint32_t replay_partner(const struct replay *r, uint32_t rank, const struct operation *op)
{
    const struct lane *lane = &r->logs->rank[rank].lane[op->lane];
    if (lane->twin == LOG_NONE) return LOG_NONE;
    const struct lane *twin = &r->logs->rank[lane->peer].lane[lane->twin];
    return op->turn < twin->count ? twin->turn[op->turn] : LOG_NONE;
}

static bool is_eager(const struct replay *r, const struct operation *op)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } types[] = {{"fp64", 8}, {"i64", 8}, {"fp32", 4}, {"i32", 4}, {"fp16", 2},
                 {"bf16", 2}, {"fp8", 1}, {"u8", 1},   {"i8", 1}};
    const char *type = names_text(&r->logs->datatypes, op->datatype);
    uint64_t bytes = 8;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0) bytes = types[i].bytes;
    return r->options->eager_bytes && op->count <= r->options->eager_bytes / bytes;
}

/* ---- steps ---- */

static void push(struct replay *r, uint32_t stream)
{
    if (r->is_ready[stream]) return;
    r->is_ready[stream] = true;
    r->ready[r->readies++] = stream;
}

/* An operation has ended that its stream was waiting for. */
static void end_pending(struct replay *r, uint32_t rank, uint32_t operation)
{
    const uint32_t stream = r->first_stream[rank] + r->logs->rank[rank].operation[operation].stream;
    r->time[r->first_op[rank] + operation] = ++r->now;
    if (--r->pending[stream] == 0) push(r, stream);
}

static uint32_t rank_of_op(const struct replay *r, uint32_t number)
{
    uint32_t low = 0, high = r->logs->ranks;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (r->first_op[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Ends all of a chain but `self`. */
static void end_chain(struct replay *r, uint32_t chain, uint32_t self)
{
    while (chain) {
        const uint32_t number = chain - 1, next = r->link[number];
        const uint32_t rank = rank_of_op(r, number);
        if (number != self) end_pending(r, rank, number - r->first_op[rank]);
        chain = next;
    }
}

/* The steps return whether the operation ends at once. */
static bool step_wait(struct replay *r, uint32_t rank, uint32_t operation)
{
    const struct operation *op = &r->logs->rank[rank].operation[operation];
    if (op->turn == LOG_NONE) return false;
    const uint32_t record = r->first_op[rank] + op->turn, self = r->first_op[rank] + operation;
    if (!r->time[record]) {
        r->link[self] = r->link[record];
        r->link[record] = self + 1;
        return false;
    }
    races_wait(r, rank, operation);
    return true;
}

static bool is_member(const struct rk_logs *logs, uint32_t group, uint32_t rank)
{
    const struct group *g = &logs->group[group];
    for (uint32_t i = 0; i < g->count; i++)
        if (logs->member[g->first + i] == rank) return true;
    return false;
}

static bool step_collective(struct replay *r, uint32_t rank, uint32_t operation)
{
    const struct operation *op = &r->logs->rank[rank].operation[operation];
    const uint32_t self = r->first_op[rank] + operation;
    const uint32_t call = r->first_call[op->other] + op->turn;
    if (!is_member(r->logs, op->other, rank)) return false;
    r->link[self] = r->chain[call];
    r->chain[call] = self + 1;
    if (++r->arrived[call] < r->size[op->other]) return false;
    end_chain(r, r->chain[call], self);
    return true;
}

/* Has it begun: is it at the head of its stream, or before it? */
static bool has_begun(const struct replay *r, uint32_t rank, uint32_t operation)
{
    const struct rank_log *log = &r->logs->rank[rank];
    const uint32_t stream = r->first_stream[rank] + log->operation[operation].stream;
    if (operation < r->head[stream]) return true;
    return r->link[r->first_op[rank] + operation] != 0;
}

enum { STARTED = 1 }; /* the link of a message that waits for its other end */

static bool step_message(struct replay *r, uint32_t rank, uint32_t operation)
{
    const struct operation *op = &r->logs->rank[rank].operation[operation];
    const uint32_t self = r->first_op[rank] + operation;
    const uint32_t partner = replay_partner(r, rank, op);
    const bool eager = op->kind == RK_LOG_SEND && is_eager(r, op);
    r->link[self] = STARTED;
    if (partner == LOG_NONE) return eager;
    if (!has_begun(r, op->other, partner)) return eager;
    const uint32_t theirs = r->first_op[op->other] + partner;
    if (!r->time[theirs]) end_pending(r, op->other, partner);
    return true;
}

static bool step(struct replay *r, uint32_t rank, uint32_t operation, bool *memory)
{
    const struct operation *op = &r->logs->rank[rank].operation[operation];
    if (is_collective(op->kind)) return step_collective(r, rank, operation);
    if (is_message(op->kind)) return step_message(r, rank, operation);
    if (op->kind == RK_LOG_WAIT) return step_wait(r, rank, operation);
    if (op->kind == RK_LOG_RECORD) {
        const uint32_t waiting = r->link[r->first_op[rank] + operation];
        *memory &= races_record(r, rank, operation);
        r->time[r->first_op[rank] + operation] = ++r->now;
        for (uint32_t chain = waiting; chain; chain = r->link[chain - 1])
            races_wait(r, rank, chain - 1 - r->first_op[rank]);
        end_chain(r, waiting, LOG_NONE);
    }
    return true;
}

/* As far as the stream gets. */
static bool advance(struct replay *r, uint32_t stream)
{
    const uint32_t rank = r->rank_of[stream], own = stream - r->first_stream[rank];
    const struct rank_log *log = &r->logs->rank[rank];
    const uint32_t last = log->first[own + 1];
    bool memory = true;
    if (r->head[stream] < last && r->pending[stream] == LOG_NONE) { /* has not begun at all */
        r->pending[stream] = 0;
    } else if (r->head[stream] < last) {
        r->head[stream] = replay_end(log, r->head[stream]);
        races_end(r, rank, own, r->head[stream]);
    }
    while (r->head[stream] < last && memory) {
        const uint32_t head = r->head[stream], end = replay_end(log, head);
        memory = races_begin(r, rank, own, head, end);
        r->pending[stream] = end - head;
        for (uint32_t i = head; i < end && memory; i++)
            if (step(r, rank, i, &memory)) {
                if (!r->time[r->first_op[rank] + i]) r->time[r->first_op[rank] + i] = ++r->now;
                r->pending[stream]--;
            }
        if (r->pending[stream]) return memory;
        r->head[stream] = end;
        races_end(r, rank, own, end);
    }
    return memory;
}

/* ---- before and after ---- */

static uint32_t different_members(const struct rk_logs *logs, const struct group *g, bool *seen)
{
    uint32_t size = 0;
    bool outside = false;
    for (uint32_t i = 0; i < g->count; i++) {
        const uint32_t rank = logs->member[g->first + i];
        outside |= rank >= logs->ranks;
        if (rank >= logs->ranks || seen[rank]) continue;
        seen[rank] = true;
        size++;
    }
    for (uint32_t i = 0; i < g->count; i++)
        if (logs->member[g->first + i] < logs->ranks) seen[logs->member[g->first + i]] = false;
    return outside ? LOG_NONE : size; /* who is not there never comes */
}

static void pair_lanes(struct rk_logs *logs)
{
    for (uint32_t rank = 0; rank < logs->ranks; rank++)
        for (uint32_t i = 0; i < logs->rank[rank].lanes; i++) {
            struct lane *lane = &logs->rank[rank].lane[i];
            lane->twin = LOG_NONE;
            if (lane->group != LOG_NONE || lane->peer >= logs->ranks) continue;
            const struct lane *twin =
                lane_of_peer(&logs->rank[lane->peer], rank, !lane->receives, lane->tag);
            if (twin) lane->twin = (uint32_t)(twin - logs->rank[lane->peer].lane);
        }
}

static bool count_all(struct replay *r)
{
    const struct rk_logs *logs = r->logs;
    r->first_stream = calloc(logs->ranks + 1, sizeof *r->first_stream);
    r->first_op = calloc(logs->ranks + 1, sizeof *r->first_op);
    r->first_call = calloc(logs->groups + 1, sizeof *r->first_call);
    r->size = calloc(logs->groups + 1, sizeof *r->size);
    bool *seen = calloc(logs->ranks + 1, sizeof *seen);
    uint64_t operations = 0;
    bool good = r->first_stream && r->first_op && r->first_call && r->size && seen;
    for (uint32_t i = 0; good && i < logs->ranks; i++) {
        const struct rank_log *log = &logs->rank[i];
        operations += log->count;
        r->first_stream[i + 1] = r->first_stream[i] + log->streams;
        r->first_op[i + 1] = r->first_op[i] + log->count;
        for (uint32_t k = 0; k < log->lanes; k++) {
            const struct lane *lane = &log->lane[k];
            if (lane->group != LOG_NONE && lane->count > r->first_call[lane->group + 1])
                r->first_call[lane->group + 1] = lane->count;
        }
    }
    for (uint32_t g = 0; good && g < logs->groups; g++) {
        r->first_call[g + 1] += r->first_call[g];
        r->size[g] = different_members(logs, &logs->group[g], seen);
    }
    free(seen);
    return good && operations < INT32_MAX;
}

static bool prepare(struct replay *r)
{
    const struct rk_logs *logs = r->logs;
    if (!count_all(r)) return false;
    const uint32_t streams = r->streams = r->first_stream[logs->ranks];
    const uint32_t operations = r->first_op[logs->ranks], calls = r->first_call[logs->groups];
    r->rank_of = malloc((streams + 1) * sizeof *r->rank_of);
    r->head = malloc((streams + 1) * sizeof *r->head);
    r->pending = malloc((streams + 1) * sizeof *r->pending);
    r->ready = malloc((streams + 1) * sizeof *r->ready);
    r->is_ready = calloc(streams + 1, sizeof *r->is_ready);
    r->time = calloc(operations + 1, sizeof *r->time);
    r->link = calloc(operations + 1, sizeof *r->link);
    r->arrived = calloc(calls + 1, sizeof *r->arrived);
    r->chain = calloc(calls + 1, sizeof *r->chain);
    r->races = races_new(logs);
    if (!r->rank_of || !r->head || !r->pending || !r->ready || !r->is_ready || !r->time ||
        !r->link || !r->arrived || !r->chain || !r->races)
        return false;
    for (uint32_t rank = 0; rank < logs->ranks; rank++)
        for (uint32_t s = 0; s < logs->rank[rank].streams; s++) {
            const uint32_t stream = r->first_stream[rank] + s;
            r->rank_of[stream] = rank;
            r->head[stream] = logs->rank[rank].first[s];
            r->pending[stream] = LOG_NONE;
        }
    return true;
}

static void release(struct replay *r)
{
    races_release(r->races, r->logs);
    free(r->first_stream);
    free(r->first_op);
    free(r->first_call);
    free(r->size);
    free(r->rank_of);
    free(r->head);
    free(r->pending);
    free(r->ready);
    free(r->is_ready);
    free(r->time);
    free(r->link);
    free(r->arrived);
    free(r->chain);
}

enum rk_status log_replay(struct rk_logs *logs, const struct rk_logs_options *options,
                          struct rk_findings *findings, struct rk_error *error)
{
    struct replay r = {.logs = logs, .options = options, .findings = findings};
    pair_lanes(logs);
    bool good = prepare(&r);
    for (uint32_t stream = good ? r.streams : 0; stream-- > 0;)
        push(&r, stream); /* the first rank is on top */
    while (good && r.readies) {
        const uint32_t stream = r.ready[--r.readies];
        r.is_ready[stream] = false;
        good = advance(&r, stream);
    }
    if (good) replay_deadlock(&r);
    release(&r);
    return good ? RK_OK : no_memory(error);
}
