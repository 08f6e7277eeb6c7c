/* log_sums.c - sums of logs, compared with the plan's: bytes of each collective of a group, of
 * messages to a peer, FLOP; 8.redistribute where they are between layers of different degrees. */
#include "base/memory.h"
#include "check/logs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operations of a rank that are summed together. */
struct sum {
    int kind;
    uint32_t other; /* group, or peer */
    uint32_t datatype;
    uint32_t operation; /* one of them */
    bool redistributes; /* they do */
    double elements;
};

struct sums {
    uint32_t count;
    struct sum *sum;
};

static bool add(struct sums *sums, const struct operation *op, uint32_t operation)
{
    for (uint32_t i = 0; i < sums->count; i++) {
        struct sum *s = &sums->sum[i];
        if (s->kind != op->kind || s->other != op->other || s->datatype != op->datatype) continue;
        s->elements += (double)op->count;
        return true;
    }
    if (!ARRAY_ROOM(sums->sum, sums->count)) return false;
    sums->sum[sums->count++] = (struct sum){op->kind,  op->other,         op->datatype,
                                            operation, op->redistributes, (double)op->count};
    return true;
}

static bool sum_up(const struct rank_log *log, struct sums *sums)
{
    sums->count = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        const struct operation *op = &log->operation[i];
        if ((is_collective(op->kind) || is_message(op->kind)) && !add(sums, op, i)) return false;
    }
    return true;
}

static bool alike(const struct rk_logs *a, const struct sum *x, const struct rk_logs *b,
                  const struct sum *y)
{
    if (x->kind != y->kind ||
        strcmp(names_text(&a->datatypes, x->datatype), names_text(&b->datatypes, y->datatype)) != 0)
        return false;
    if (is_message(x->kind)) return x->other == y->other;
    const struct group *g = &a->group[x->other], *h = &b->group[y->other];
    return g->count == h->count &&
           memcmp(a->member + g->first, b->member + h->first, g->count * sizeof *a->member) == 0;
}

static const struct sum *find(const struct rk_logs *logs, const struct sum *sum,
                              const struct rk_logs *in, const struct sums *sums)
{
    for (uint32_t i = 0; i < sums->count; i++)
        if (alike(logs, sum, in, &sums->sum[i])) return &sums->sum[i];
    return NULL;
}

/* Is something of this kind to be moved between layouts? */
static bool redistributes(const struct sum *sum, const struct sums *want)
{
    for (uint32_t i = 0; i < want->count; i++)
        if (want->sum[i].kind == sum->kind && want->sum[i].redistributes) return true;
    return false;
}

enum { REPORTS = 4 }; /* of a rank */

static void compare_rank(const struct rk_logs *logs, const struct rk_logs *expected, uint32_t rank,
                         const struct sums *have, const struct sums *want,
                         struct rk_findings *findings)
{
    int reports = 0;
    for (uint32_t i = 0; i < have->count && reports < REPORTS; i++) {
        const struct sum *right = find(logs, &have->sum[i], expected, want);
        const double need = right ? right->elements : 0;
        if (need == have->sum[i].elements) continue;
        const bool between = right ? right->redistributes : redistributes(&have->sum[i], want);
        struct rk_finding *f = log_blame(logs, findings, between ? "8.redistribute" : "11.bytes",
                                         rank, have->sum[i].operation);
        snprintf(f->have, sizeof f->have, "%.0f elements", have->sum[i].elements);
        snprintf(f->need, sizeof f->need, "all calls of it have to move %.0f", need);
        reports++;
    }
    for (uint32_t i = 0; i < want->count && reports < REPORTS; i++) {
        char text[LOG_TEXT];
        if (find(expected, &want->sum[i], logs, have)) continue;
        struct rk_finding *f =
            log_blame(logs, findings, want->sum[i].redistributes ? "8.redistribute" : "11.bytes",
                      rank, LOG_NONE);
        snprintf(f->need, sizeof f->need, "never does %.90s, nor others like it: %.0f elements",
                 log_describe(expected, rank, want->sum[i].operation, text), want->sum[i].elements);
        reports++;
    }
    const double flop = logs->rank[rank].flop, need = expected->rank[rank].flop;
    if (flop > 0 && fabs(flop - need) > 1e-3 * need) {
        struct rk_finding *f = log_blame(logs, findings, "11.flop", rank, LOG_NONE);
        snprintf(f->have, sizeof f->have, "%.6g FLOP", flop);
        snprintf(f->need, sizeof f->need, "the model has %.6g on this rank", need);
    }
}

enum rk_status rk_logs_compare(const struct rk_logs *logs, const struct rk_logs *expected,
                               struct rk_findings *findings, struct rk_error *error)
{
    struct sums have = {.sum = NULL}, want = {.sum = NULL};
    bool good = true;
    if (logs->ranks != expected->ranks)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                       "logs of %" PRIu32 " ranks cannot be compared with %" PRIu32, logs->ranks,
                       expected->ranks);
    for (uint32_t rank = 0; rank < logs->ranks && good; rank++) {
        good = sum_up(&logs->rank[rank], &have) && sum_up(&expected->rank[rank], &want);
        if (good) compare_rank(logs, expected, rank, &have, &want, findings);
    }
    free(have.sum);
    free(want.sum);
    return good ? RK_OK : no_memory(error);
}
