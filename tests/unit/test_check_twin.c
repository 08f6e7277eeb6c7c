/* Random little logs against a twin that knows nothing clever: a replay that looks at everything
 * again until nothing moves, and all orders by transitive closure. */
#include <reckon/check.h>

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, STREAMS = 3, LENGTH = 9, OPS = RANKS * LENGTH, BUFFERS = 2, ROUNDS = 20000 };

struct op {
    int kind, rank, stream, peer, event, buffer, turn;
    bool writes, done;
};

struct log {
    int count;
    struct op op[OPS];
};

static uint32_t state = 7;

static int below(int most)
{
    state = state * 1664525 + 1013904223;
    return (int)(((uint64_t)state * (uint32_t)most) >> 32);
}

/* Collectives of all, messages of pairs, events; most logs are right, or nearly so. */
static void make(struct log *log)
{
    log->count = 0;
    for (int i = 0; i < LENGTH; i++) {
        const int what = below(6), from = below(RANKS), to = (from + 1 + below(RANKS - 1)) % RANKS;
        for (int rank = 0; rank < RANKS; rank++) {
            struct op o = {.kind = RK_LOG_RUN,
                           .rank = rank,
                           .stream = below(STREAMS),
                           .buffer = below(BUFFERS),
                           .writes = below(3) == 0};
            if (what == 0) {
                o.kind = RK_LOG_ALL_REDUCE;
            } else if (what == 1 && (rank == from || rank == to)) {
                o.kind = rank == from ? RK_LOG_SEND : RK_LOG_RECV;
                o.peer = rank == from ? to : from;
                o.writes = rank == to;
            } else if (what >= 3) {
                o.kind = below(2) ? RK_LOG_RECORD : RK_LOG_WAIT;
                o.event = below(2);
            }
            if (below(150) == 0) continue; /* left out */
            log->op[log->count++] = o;
        }
    }
}

/* ---- the twin ---- */

static bool collective(const struct op *o)
{
    return o->kind == RK_LOG_ALL_REDUCE;
}

static bool message(const struct op *o)
{
    return o->kind == RK_LOG_SEND || o->kind == RK_LOG_RECV;
}

/* Which of its kind it is, on its rank and, of messages, to that peer. */
static void number(struct log *log)
{
    for (int i = 0; i < log->count; i++) {
        struct op *o = &log->op[i];
        o->turn = 0;
        o->done = false;
        for (int k = 0; k < i; k++) {
            const struct op *b = &log->op[k];
            o->turn += b->rank == o->rank && b->kind == o->kind &&
                       (collective(o) || (message(o) && b->peer == o->peer));
        }
    }
}

static int partner(const struct log *log, int i)
{
    const struct op *o = &log->op[i];
    for (int k = 0; k < log->count; k++) {
        const struct op *b = &log->op[k];
        if (message(o) && message(b) && b->kind != o->kind && b->rank == o->peer &&
            b->peer == o->rank && b->turn == o->turn)
            return k;
    }
    return -1;
}

/* The record of a wait: the last one before it, else the first behind. */
static int record(const struct log *log, int i)
{
    const struct op *o = &log->op[i];
    int found = -1;
    for (int k = 0; k < log->count; k++) {
        const struct op *b = &log->op[k];
        if (b->kind != RK_LOG_RECORD || b->rank != o->rank || b->event != o->event) continue;
        if (k < i || found < 0) found = k;
        if (k > i) break;
    }
    return found;
}

static bool at_head(const struct log *log, int i)
{
    for (int k = 0; k < i; k++)
        if (log->op[k].rank == log->op[i].rank && log->op[k].stream == log->op[i].stream &&
            !log->op[k].done)
            return false;
    return true;
}

static bool can_end(const struct log *log, int i)
{
    const struct op *o = &log->op[i];
    if (!at_head(log, i)) return false;
    if (o->kind == RK_LOG_WAIT) return record(log, i) >= 0 && log->op[record(log, i)].done;
    if (message(o)) {
        const int other = partner(log, i);
        return other >= 0 && (log->op[other].done || at_head(log, other));
    }
    if (!collective(o)) return true;
    int there = 0;
    for (int k = 0; k < log->count; k++) {
        const struct op *b = &log->op[k];
        there += collective(b) && b->turn == o->turn && (b->done || at_head(log, k));
    }
    return there == RANKS;
}

static bool replay(struct log *log)
{
    bool all = true;
    for (bool moved = true; moved;) {
        bool ends[OPS];
        moved = false;
        for (int i = 0; i < log->count; i++)
            ends[i] = !log->op[i].done && can_end(log, i);
        for (int i = 0; i < log->count; i++) {
            moved |= ends[i];
            log->op[i].done |= ends[i];
        }
    }
    for (int i = 0; i < log->count; i++)
        all &= log->op[i].done;
    return all;
}

/* before[a][b]: a over when b begins; 2 i is the start of operation i, 2 i + 1 its end. */
static bool before[2 * OPS][2 * OPS];

static void order(const struct log *log)
{
    const int n = 2 * log->count;
    memset(before, 0, sizeof before);
    for (int i = 0; i < log->count; i++) {
        const struct op *o = &log->op[i];
        before[2 * i][2 * i + 1] = true;
        for (int k = 0; k < log->count; k++) {
            const struct op *b = &log->op[k];
            if (k > i && b->rank == o->rank && b->stream == o->stream)
                before[2 * i + 1][2 * k] = true;
            if (collective(o) && collective(b) && o->turn == b->turn)
                before[2 * i][2 * k + 1] = true;
        }
        if (message(o) && partner(log, i) >= 0) before[2 * partner(log, i)][2 * i + 1] = true;
        if (o->kind == RK_LOG_WAIT && record(log, i) >= 0)
            before[2 * record(log, i) + 1][2 * i + 1] = true;
    }
    for (int m = 0; m < n; m++)
        for (int a = 0; a < n; a++)
            for (int b = 0; before[a][m] && b < n; b++)
                before[a][b] |= before[m][b];
}

static bool touches(const struct op *o)
{
    return o->kind == RK_LOG_RUN || collective(o) || message(o);
}

static void races(const struct log *log, bool *race, bool *reuse)
{
    *race = *reuse = false;
    for (int i = 0; i < log->count; i++)
        for (int k = 0; k < i; k++) {
            const struct op *a = &log->op[k], *b = &log->op[i];
            if (a->rank != b->rank || a->buffer != b->buffer || !(a->writes || b->writes) ||
                !touches(a) || !touches(b) || before[2 * k + 1][2 * i] || before[2 * i + 1][2 * k])
                continue;
            *(a->kind == RK_LOG_SEND || b->kind == RK_LOG_SEND ? reuse : race) = true;
        }
}

/* ---- both ---- */

static void add(struct rk_logs *logs, const struct op *o)
{
    static const uint32_t all[] = {0, 1, 2};
    static const char *const streams[] = {"s0", "s1", "s2"}, *const buffers[] = {"a", "b"};
    static const char *const events[] = {"e", "f"};
    struct rk_error error;
    const char *const buffer[] = {buffers[o->buffer]};
    struct rk_log_operation op = {.kind = (enum rk_log_kind)o->kind,
                                  .name = events[o->event],
                                  .stream = streams[o->stream],
                                  .member = all,
                                  .members = RANKS,
                                  .datatype = "bf16",
                                  .count = 8,
                                  .peer = (uint32_t)o->peer};
    if (touches(o) && o->writes) {
        op.writes = buffer;
        op.write_count = 1;
    } else if (touches(o)) {
        op.reads = buffer;
        op.read_count = 1;
    }
    cr_assert_eq(rk_logs_add(logs, (uint32_t)o->rank, &op, &error), RK_OK, "%s", error.text);
}

static bool fires(const struct rk_findings *findings, const char *rule)
{
    for (int i = 0; i < findings->count; i++)
        if (strcmp(findings->finding[i].rule, rule) == 0) return true;
    return false;
}

Test(check_twin, replay_and_races_are_those_of_brute_force)
{
    static struct rk_findings findings;
    static struct log log;
    int stuck = 0, racing = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct rk_logs *logs;
        struct rk_error error;
        bool race, reuse;
        make(&log);
        number(&log);
        const bool ends = replay(&log);
        cr_assert_eq(rk_logs_new(RANKS, &logs, &error), RK_OK);
        for (int i = 0; i < log.count; i++)
            add(logs, &log.op[i]);
        findings.count = 0;
        cr_assert_eq(rk_logs_check(logs, NULL, &findings, &error), RK_OK);
        rk_logs_release(logs);
        cr_assert_eq(fires(&findings, "7.deadlock"), !ends, "round %d", round);
        stuck += !ends;
        if (!ends) continue; /* races among what never happens */
        order(&log);
        races(&log, &race, &reuse);
        racing += race || reuse;
        cr_assert_eq(fires(&findings, "10.race"), race, "round %d: race", round);
        cr_assert_eq(fires(&findings, "10.reuse"), reuse, "round %d: reuse", round);
    }
    fprintf(stderr, "%d rounds, %d stuck, %d of the others racing\n", ROUNDS, stuck, racing);
    cr_assert(stuck > ROUNDS / 10 && racing > ROUNDS / 100 &&
              ROUNDS - stuck - racing > ROUNDS / 100);
}
