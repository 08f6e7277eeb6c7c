/* log_match.c - who belongs to a group, whether all call the same, whether messages pair up. */
#include "base/memory.h"
#include "check/findings.h"
#include "check/logs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who calls each group: caller[first[g]] ... are ranks, ascending. */
struct callers {
    uint32_t *first, *rank;
};

static void callers_release(struct callers *callers)
{
    free(callers->first);
    free(callers->rank);
}

static bool find_callers(const struct rk_logs *logs, struct callers *callers)
{
    uint32_t all = 0;
    callers->first = calloc(logs->groups + 2, sizeof *callers->first);
    for (uint32_t r = 0; r < logs->ranks; r++)
        for (uint32_t i = 0; i < logs->rank[r].lanes; i++) {
            const uint32_t group = logs->rank[r].lane[i].group;
            if (group == LOG_NONE) continue;
            if (callers->first) callers->first[group + 1]++;
            all++;
        }
    callers->rank = malloc((all + 1) * sizeof *callers->rank);
    if (!callers->first || !callers->rank) return false;
    for (uint32_t g = 0; g < logs->groups; g++)
        callers->first[g + 1] += callers->first[g];
    for (uint32_t r = 0; r < logs->ranks; r++)
        for (uint32_t i = 0; i < logs->rank[r].lanes; i++) {
            const uint32_t group = logs->rank[r].lane[i].group;
            if (group != LOG_NONE) callers->rank[callers->first[group]++] = r;
        }
    for (uint32_t g = logs->groups; g > 0; g--)
        callers->first[g] = callers->first[g - 1];
    callers->first[0] = 0;
    return true;
}

/* The operation of a rank's turn in a group; LOG_NONE: it has no such. */
static uint32_t call_of(const struct rk_logs *logs, uint32_t rank, uint32_t group, uint32_t turn)
{
    const struct lane *lane = lane_of_group(&logs->rank[rank], group);
    return lane && turn < lane->count ? lane->turn[turn] : LOG_NONE;
}

/* ---- 7.members ---- */

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

struct sorted { /* a group's members in ascending order, to compare groups by */
    uint32_t group, count;
    const uint32_t *rank;
};

static int by_members(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    const int order = memcmp(x->rank, y->rank, x->count * sizeof *x->rank);
    return order ? order : (x->group > y->group) - (x->group < y->group);
}

static struct rk_finding *blame_call(const struct rk_logs *logs, const struct callers *callers,
                                     uint32_t group, uint32_t rank, struct rk_findings *findings)
{
    const uint32_t by = rank == LOG_NONE ? callers->rank[callers->first[group]] : rank;
    return log_blame(logs, findings, "7.members", by, call_of(logs, by, group, 0));
}

/* Members and callers are the same ranks, each once. */
static void judge_members(const struct rk_logs *logs, const struct callers *callers,
                          const struct sorted *sorted, struct rk_findings *findings)
{
    const uint32_t g = sorted->group;
    const uint32_t *caller = callers->rank + callers->first[g];
    const uint32_t calling = callers->first[g + 1] - callers->first[g];
    uint32_t c = 0;
    for (uint32_t i = 0; i < sorted->count; i++) {
        const uint32_t rank = sorted->rank[i];
        if (i && rank == sorted->rank[i - 1]) {
            struct rk_finding *f = blame_call(logs, callers, g, LOG_NONE, findings);
            snprintf(f->need, sizeof f->need, "rank %" PRIu32 " is in the group twice", rank);
            continue;
        }
        for (; c < calling && caller[c] < rank; c++) {
            struct rk_finding *f = blame_call(logs, callers, g, caller[c], findings);
            snprintf(f->need, sizeof f->need, "rank %" PRIu32 " is not a member of the group",
                     caller[c]);
        }
        if (c < calling && caller[c] == rank) {
            c++;
        } else {
            struct rk_finding *f = blame_call(logs, callers, g, LOG_NONE, findings);
            snprintf(f->need, sizeof f->need, "rank %" PRIu32 " %s the group that names it", rank,
                     rank < logs->ranks ? "never calls" : "is not there to call");
        }
    }
    for (; c < calling; c++) {
        struct rk_finding *f = blame_call(logs, callers, g, caller[c], findings);
        snprintf(f->need, sizeof f->need, "rank %" PRIu32 " is not a member of the group",
                 caller[c]);
    }
}

static bool judge_groups(const struct rk_logs *logs, const struct callers *callers,
                         struct rk_findings *findings)
{
    struct sorted *sorted = calloc(logs->groups + 1, sizeof *sorted);
    uint32_t *ranks = malloc((logs->members + 1) * sizeof *ranks);
    const bool good = sorted && ranks;
    for (uint32_t g = 0; good && g < logs->groups; g++) {
        const struct group *group = &logs->group[g];
        uint32_t *own = ranks + group->first;
        memcpy(own, logs->member + group->first, group->count * sizeof *own);
        qsort(own, group->count, sizeof *own, ascending);
        sorted[g] = (struct sorted){g, group->count, own};
        if (callers->first[g] < callers->first[g + 1])
            judge_members(logs, callers, &sorted[g], findings);
    }
    if (good) qsort(sorted, logs->groups, sizeof *sorted, by_members);
    for (uint32_t i = 1; good && i < logs->groups; i++) {
        const struct sorted *a = &sorted[i - 1], *b = &sorted[i];
        if (a->count != b->count || memcmp(a->rank, b->rank, a->count * sizeof *a->rank) != 0 ||
            callers->first[b->group] == callers->first[b->group + 1])
            continue;
        struct rk_finding *f = blame_call(logs, callers, b->group, LOG_NONE, findings);
        snprintf(f->need, sizeof f->need, "the same ranks are a group in another order elsewhere");
    }
    free(sorted);
    free(ranks);
    return good;
}

/* ---- 7.match ---- */

static bool alike(const struct operation *a, const struct operation *b)
{
    return a->kind == b->kind && a->datatype == b->datatype && a->count == b->count;
}

static void list_ranks(const uint32_t *rank, uint32_t count, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t i = 0; i < count && i < 8; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32, i ? "," : "", rank[i]);
    if (count > 8) snprintf(text + used, size - used, " and %" PRIu32 " more", count - 8);
}

/* Which of the callers have something else than most at this turn. */
static void report_turn(const struct rk_logs *logs, uint32_t group, const uint32_t *caller,
                        uint32_t callers, uint32_t turn, struct rk_findings *findings)
{
    uint32_t best = 0, best_count = 0;
    char ranks[96], text[LOG_TEXT];
    uint32_t *odd = malloc(callers * sizeof *odd), odds = 0;
    if (!odd) return;
    for (uint32_t i = 0; i < callers && 2 * best_count <= callers; i++) { /* the most frequent */
        const uint32_t mine = call_of(logs, caller[i], group, turn);
        uint32_t count = 0;
        if (mine == LOG_NONE) continue;
        for (uint32_t k = 0; k < callers; k++) {
            const uint32_t other = call_of(logs, caller[k], group, turn);
            count += other != LOG_NONE && alike(&logs->rank[caller[i]].operation[mine],
                                                &logs->rank[caller[k]].operation[other]);
        }
        if (count <= best_count) continue;
        best = i;
        best_count = count;
        if (i > 64) break; /* of a thousand kinds any will do */
    }
    const uint32_t usual = call_of(logs, caller[best], group, turn);
    const struct operation *as = &logs->rank[caller[best]].operation[usual];
    for (uint32_t k = 0; k < callers; k++) {
        const uint32_t other = call_of(logs, caller[k], group, turn);
        if (other == LOG_NONE || !alike(as, &logs->rank[caller[k]].operation[other]))
            odd[odds++] = caller[k];
    }
    const uint32_t its = call_of(logs, odd[0], group, turn);
    list_ranks(odd, odds, ranks, sizeof ranks);
    struct rk_finding *f = log_blame(logs, findings, "7.match", odd[0], its);
    if (its == LOG_NONE)
        snprintf(f->need, sizeof f->need,
                 "call %" PRIu32 " of a group, %.80s on %" PRIu32 " ranks, never comes on %.60s",
                 turn, log_describe(logs, caller[best], usual, text), best_count, ranks);
    else
        snprintf(f->need, sizeof f->need,
                 "call %" PRIu32 " of the group is %.80s on %" PRIu32 " ranks, but not on %.60s",
                 turn, log_describe(logs, caller[best], usual, text), best_count, ranks);
    f->rank = (int)odd[0];
    free(odd);
}

static void match_group(const struct rk_logs *logs, const struct callers *callers, uint32_t group,
                        struct rk_findings *findings)
{
    const uint32_t *caller = callers->rank + callers->first[group];
    const uint32_t count = callers->first[group + 1] - callers->first[group];
    if (count < 2) return;
    const struct rank_log *log = &logs->rank[caller[0]];
    const struct lane *lane = lane_of_group(&logs->rank[caller[0]], group);
    uint32_t first = LOG_NONE;
    for (uint32_t k = 1; k < count; k++) {
        const struct rank_log *other = &logs->rank[caller[k]];
        const struct lane *theirs = lane_of_group(&logs->rank[caller[k]], group);
        const uint32_t both = lane->count < theirs->count ? lane->count : theirs->count;
        uint32_t turn = 0;
        while (turn < both && turn < first &&
               alike(&log->operation[lane->turn[turn]], &other->operation[theirs->turn[turn]]))
            turn++;
        if (turn < first && (turn < both || lane->count != theirs->count)) first = turn;
    }
    if (first != LOG_NONE) report_turn(logs, group, caller, count, first, findings);
}

/* ---- 7.pairs ---- */

static void report_pair(const struct rk_logs *logs, uint32_t rank, uint32_t operation,
                        uint32_t peer, uint32_t theirs, struct rk_findings *findings)
{
    char text[LOG_TEXT];
    const bool sends = logs->rank[rank].operation[operation].kind == RK_LOG_SEND;
    struct rk_finding *f = log_blame(logs, findings, "7.pairs", rank, operation);
    if (theirs == LOG_NONE) {
        snprintf(f->need, sizeof f->need, "rank %" PRIu32 " has no %s for it", peer,
                 sends ? "receive" : "send");
        return;
    }
    snprintf(f->need, sizeof f->need, "meets %.100s of rank %" PRIu32 ", line %" PRIu32,
             log_describe(logs, peer, theirs, text), peer, logs->rank[peer].operation[theirs].line);
}

static void match_lane(const struct rk_logs *logs, uint32_t rank, const struct lane *lane,
                       bool tags, struct rk_findings *findings)
{
    const struct rank_log *log = &logs->rank[rank];
    const struct lane *theirs =
        lane->peer < logs->ranks
            ? lane_of_peer(&logs->rank[lane->peer], rank, !lane->receives, lane->tag)
            : NULL;
    const uint32_t count = theirs ? theirs->count : 0;
    const uint32_t both = lane->count < count ? lane->count : count;
    for (uint32_t i = 0; i < both && !lane->receives; i++) { /* once, by the sender */
        const struct operation *a = &log->operation[lane->turn[i]];
        const struct operation *b = &logs->rank[lane->peer].operation[theirs->turn[i]];
        if (a->datatype == b->datatype && a->count == b->count && (tags || a->tag == b->tag))
            continue;
        report_pair(logs, rank, lane->turn[i], lane->peer, theirs->turn[i], findings);
        return;
    }
    if (lane->count > count)
        report_pair(logs, rank, lane->turn[count], lane->peer, LOG_NONE, findings);
}

/* ---- all ---- */

enum rk_status log_match(struct rk_logs *logs, const struct rk_logs_options *options,
                         struct rk_findings *findings, struct rk_error *error)
{
    struct callers callers = {NULL, NULL};
    const bool good = find_callers(logs, &callers) && judge_groups(logs, &callers, findings);
    if (good && !findings_have(findings, "7.members"))
        for (uint32_t g = 0; g < logs->groups; g++)
            match_group(logs, &callers, g, findings);
    for (uint32_t r = 0; good && r < logs->ranks; r++)
        for (uint32_t i = 0; i < logs->rank[r].lanes; i++)
            if (logs->rank[r].lane[i].group == LOG_NONE)
                match_lane(logs, r, &logs->rank[r].lane[i], options->tags, findings);
    callers_release(&callers);
    return good ? RK_OK : no_memory(error);
}
