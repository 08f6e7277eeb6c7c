/* flight.c - dumps of PyTorch's flight recorder: the last calls of each rank, with what became of
 * them.
 *
 * A dump has "pg_config", the ranks of each process group, and "entries", each with the group
 * ("process_group": name and description), the number of the call in it ("collective_seq_id"), its
 * name ("nccl:all_reduce", "nccl:send 0->1"), sizes, types, and "state": scheduled, started or
 * completed. It is a ring: the first calls of a long run are gone. [pytorch-flight] */
#include "base/memory.h"
#include "check/findings.h"
#include "text/document.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One call of one rank. Texts belong to the documents. */
struct call {
    const char *group; /* name */
    const json_t *config;
    uint32_t rank;
    int64_t turn;
    const char *name;
    const json_t *entry;
    bool completed;
};

struct flight {
    size_t count, dumps;
    struct call *call; /* sorted by group, turn, rank */
    const uint32_t *rank;
    struct rk_findings *findings;
};

/* ---- reading ---- */

static const char *group_of(const json_t *entry)
{
    const json_t *group = json_object_get(entry, "process_group");
    const char *name = json_string_value(json_is_array(group) ? json_array_get(group, 0) : group);
    return name ? name : "";
}

static int64_t turn_of(const json_t *entry)
{
    const json_t *turn = json_object_get(entry, "collective_seq_id");
    if (!turn) turn = json_object_get(entry, "seq_id"); /* up to version 2.1 */
    return json_integer_value(turn);
}

static bool is_message(const struct call *call)
{
    return strstr(call->name, "->") || strstr(call->name, "<-");
}

static enum rk_status read_dump(struct flight *f, const struct document *document, uint32_t rank,
                                struct rk_error *error)
{
    const json_t *entries = json_object_get(document->root, "entries");
    const json_t *configs = json_object_get(document->root, "pg_config");
    size_t i;
    json_t *entry;
    if (!json_is_object(document->root) || (entries && !json_is_array(entries)))
        return rk_fail(error, RK_BAD_INPUT, document->path, 0, 0,
                       "is not a dump of a flight recorder: \"entries\" is not a list");
    struct call *grown =
        realloc(f->call, (f->count + json_array_size(entries) + 1) * sizeof *grown);
    if (!grown) return no_memory(error);
    f->call = grown;
    json_array_foreach((json_t *)(uintptr_t)entries, i, entry)
    {
        const char *name = json_string_value(json_object_get(entry, "profiling_name"));
        const char *state = json_string_value(json_object_get(entry, "state"));
        if (!name || !state)
            return rk_fail(error, RK_BAD_INPUT, document->path, 0, 0,
                           "entries[%zu]: has no profiling_name or no state", i);
        const char *group = group_of(entry);
        f->call[f->count++] = (struct call){.group = group,
                                            .config = json_object_get(configs, group),
                                            .rank = rank,
                                            .turn = turn_of(entry),
                                            .name = name,
                                            .entry = entry,
                                            .completed = strcmp(state, "completed") == 0};
    }
    return RK_OK;
}

/* "[0, 1]", or a list of numbers. How many, of which the first `most` are written. */
static size_t ranks_of(const json_t *config, uint32_t *ranks, size_t most)
{
    const json_t *list = json_object_get(config, "ranks");
    size_t count = 0, i;
    json_t *value;
    if (json_is_array(list)) {
        json_array_foreach((json_t *)(uintptr_t)list, i, value)
        {
            if (count < most) ranks[count] = (uint32_t)json_integer_value(value);
            count++;
        }
        return count;
    }
    for (const char *p = json_string_value(list); p && *p;) {
        char *end;
        if (*p < '0' || *p > '9') {
            p++;
            continue;
        }
        if (count < most)
            ranks[count] = (uint32_t)strtoul(p, &end, 10);
        else
            strtoul(p, &end, 10);
        count++;
        p = end;
    }
    return count;
}

/* Groups of one name may be different ones on different ranks: their ranks tell them apart. */
static int compare_groups(const struct call *a, const struct call *b)
{
    const int by_name = strcmp(a->group, b->group);
    if (by_name) return by_name;
    const json_t *x = json_object_get(a->config, "ranks"), *y = json_object_get(b->config, "ranks");
    const char *s = json_string_value(x), *t = json_string_value(y);
    return strcmp(s ? s : "", t ? t : "");
}

static int compare(const void *x, const void *y)
{
    const struct call *a = x, *b = y;
    const int by_group = compare_groups(a, b);
    if (by_group) return by_group;
    if (is_message(a) != is_message(b)) return is_message(a) ? 1 : -1;
    if (a->turn != b->turn && !is_message(a)) return a->turn < b->turn ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* ---- words ---- */

static const char *short_name(const struct call *call)
{
    const char *colon = strchr(call->name, ':');
    return colon ? colon + 1 : call->name;
}

static bool has_dump(const struct flight *f, uint32_t rank)
{
    for (size_t i = 0; i < f->dumps; i++)
        if (f->rank[i] == rank) return true;
    return false;
}

/* What the rank did last: what it waits in, or what it completed. */
static void describe_last(const struct flight *f, uint32_t rank, char *text, size_t size)
{
    const struct call *last = NULL;
    int64_t record = -1;
    for (size_t i = 0; i < f->count; i++) {
        const struct call *call = &f->call[i];
        const int64_t id = json_integer_value(json_object_get(call->entry, "record_id"));
        if (call->rank != rank) continue;
        const bool stuck = !call->completed && (!last || last->completed);
        const bool earlier_stuck = last && !last->completed && !call->completed && id < record;
        const bool later = last && last->completed && call->completed && id > record;
        if (!last || stuck || earlier_stuck || later) {
            last = call;
            record = id;
        }
    }
    if (!last)
        snprintf(text, size, "its dump has no calls");
    else
        snprintf(text, size, "%s %.40s %" PRId64 " of %.20s",
                 last->completed ? "its last is" : "it waits in", short_name(last), last->turn,
                 last->group);
}

static struct rk_finding *blame(const struct flight *f, const char *rule, const struct call *call,
                                uint32_t rank)
{
    struct rk_finding *finding = findings_add(f->findings, rule);
    finding->rank = (int)rank;
    snprintf(finding->what, sizeof finding->what, "%.36s %" PRId64 " of %.14s", short_name(call),
             call->turn, call->group);
    return finding;
}

/* ---- collectives ---- */

/* Sizes are the same on all ranks of these. */
static bool has_sizes(const struct call *call)
{
    static const char *const names[] = {
        "all_reduce",     "allreduce", "_all_gather_base", "all_gather", "_reduce_scatter_base",
        "reduce_scatter", "broadcast", "barrier",          NULL};
    for (const char *const *name = names; *name; name++)
        if (strcmp(short_name(call), *name) == 0) return true;
    return false;
}

static bool alike(const struct call *a, const struct call *b)
{
    static const char *const keys[] = {"input_sizes", "input_dtypes", NULL};
    if (strcmp(a->name, b->name) != 0) return false;
    for (const char *const *key = keys; *key && has_sizes(a); key++)
        if (!json_equal(json_object_get(a->entry, *key), json_object_get(b->entry, *key)))
            return false;
    return true;
}

enum { MOST_MEMBERS = 1 << 16 };

struct group {
    const struct call *call; /* (count) of it, by turn */
    size_t count;
    uint32_t *member;
    size_t members;
};

/* The first turn that the ring of every rank still holds. */
static int64_t first_turn(const struct group *g)
{
    int64_t first = INT64_MIN;
    for (size_t m = 0; m < g->members; m++)
        for (size_t i = 0; i < g->count; i++)
            if (g->call[i].rank == g->member[m]) {
                if (g->call[i].turn > first) first = g->call[i].turn;
                break;
            }
    return first;
}

static void list(const struct call *call, size_t count, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < count && i < 6; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%" PRIu32, i ? "," : "", call[i].rank);
    if (count > 6) snprintf(text + used, size - used, " and %zu more", count - 6);
}

/* Calls of one turn: true when they are not all there, or not alike. */
static bool judge_turn(const struct flight *f, const struct group *g, const struct call *call,
                       size_t count)
{
    char ranks[48], last[96];
    bool wrong = false;
    for (size_t i = 1; i < count && !wrong; i++) {
        if (alike(&call[0], &call[i])) continue;
        struct rk_finding *finding = blame(f, "7.match", &call[i], call[i].rank);
        snprintf(finding->need, sizeof finding->need,
                 "is %.60s on rank %" PRIu32 ", or of other sizes or types", short_name(&call[0]),
                 call[0].rank);
        wrong = true;
    }
    bool ended = true;
    for (size_t i = 0; i < count; i++)
        ended &= call[i].completed;
    if (ended) return wrong; /* who is missing has it no longer in its ring */
    list(call, count, ranks, sizeof ranks);
    for (size_t m = 0, i = 0; m < g->members; m++) {
        while (i < count && call[i].rank < g->member[m])
            i++;
        if ((i < count && call[i].rank == g->member[m]) || !has_dump(f, g->member[m])) continue;
        describe_last(f, g->member[m], last, sizeof last);
        struct rk_finding *finding = blame(f, "7.deadlock", call, g->member[m]);
        snprintf(finding->need, sizeof finding->need,
                 "never comes on rank %" PRIu32 ", and ranks %s wait in it; %s", g->member[m],
                 ranks, last);
        wrong = true;
    }
    return wrong;
}

/* All have called it, and it did not end on some: nothing of the program's. */
static void judge_stuck(const struct flight *f, const struct call *call, size_t count)
{
    char ranks[48], waiting[48];
    struct call *stuck = malloc(count * sizeof *stuck);
    size_t open = 0;
    for (size_t i = 0; stuck && i < count; i++)
        if (!call[i].completed) stuck[open++] = call[i];
    if (open && !findings_have(f->findings, "7.*")) {
        list(call, count, ranks, sizeof ranks);
        list(stuck, open, waiting, sizeof waiting);
        struct rk_finding *finding = blame(f, "7.deadlock", stuck, stuck->rank);
        snprintf(finding->need, sizeof finding->need,
                 "ranks %s have called it, and it has not ended on %s %s: a link, or a device",
                 ranks, open > 1 ? "ranks" : "rank", waiting);
    }
    free(stuck);
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void judge_group(const struct flight *f, const struct call *call, size_t count)
{
    struct group g = {
        .call = call, .count = count, .member = malloc(MOST_MEMBERS * sizeof(uint32_t))};
    if (!g.member) return;
    g.members = ranks_of(call->config, g.member, MOST_MEMBERS);
    if (!g.members || g.members > MOST_MEMBERS) { /* not told: those that call it */
        g.members = 0;
        for (size_t i = 0; i < f->dumps && g.members < MOST_MEMBERS; i++)
            g.member[g.members++] = f->rank[i];
    }
    qsort(g.member, g.members, sizeof *g.member, ascending);
    const int64_t first = first_turn(&g);
    bool wrong = false;
    for (size_t i = 0; i < count && !wrong;) {
        size_t end = i;
        while (end < count && call[end].turn == call[i].turn)
            end++;
        if (call[i].turn >= first) wrong = judge_turn(f, &g, &call[i], end - i);
        i = end;
    }
    free(g.member);
}

/* ---- messages ---- */

/* "send 0->1", "recv 1<-0": ranks within the group. */
static bool read_message(const struct call *call, uint32_t *from, uint32_t *to, bool *sends)
{
    unsigned a, b;
    const char *name = short_name(call);
    *sends = strncmp(name, "send", 4) == 0;
    if (sscanf(name, *sends ? "send %u->%u" : "recv %u<-%u", &a, &b) != 2) return false;
    *from = *sends ? a : b;
    *to = *sends ? b : a;
    return true;
}

static uint32_t global_rank(const struct call *call, uint32_t rank)
{
    uint32_t *member = malloc(MOST_MEMBERS * sizeof *member);
    if (!member) return rank;
    const size_t members = ranks_of(call->config, member, MOST_MEMBERS);
    const uint32_t global = rank < members && rank < MOST_MEMBERS ? member[rank] : rank;
    free(member);
    return global;
}

/* Messages of one pair that have not ended: as many are sent as received. */
static void judge_messages(const struct flight *f, const struct call *call, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t from, to, a, b;
        bool sends, other;
        size_t mine = 0, theirs = 0, before = 0;
        if (call[i].completed || !read_message(&call[i], &from, &to, &sends)) continue;
        for (size_t k = 0; k < count; k++) {
            if (call[k].completed || !read_message(&call[k], &a, &b, &other) || a != from ||
                b != to)
                continue;
            before += k < i && other == sends;
            mine += other == sends;
            theirs += other != sends;
        }
        const uint32_t peer = global_rank(&call[i], sends ? to : from);
        if (before || theirs >= mine || !has_dump(f, peer)) continue;
        struct rk_finding *finding = blame(f, "7.pairs", &call[i], call[i].rank);
        snprintf(finding->need, sizeof finding->need,
                 "waits, and rank %" PRIu32 " has no %s that does", peer,
                 sends ? "receive" : "send");
    }
}

/* ---- all ---- */

static void judge_all(struct flight *f)
{
    for (int stuck = 0; stuck < 2; stuck++)
        for (size_t i = 0; i < f->count;) {
            const bool messages = is_message(&f->call[i]);
            size_t end = i;
            while (end < f->count && compare_groups(&f->call[end], &f->call[i]) == 0 &&
                   is_message(&f->call[end]) == messages &&
                   (!stuck || messages || f->call[end].turn == f->call[i].turn))
                end++;
            if (stuck && !messages)
                judge_stuck(f, &f->call[i], end - i);
            else if (!stuck && messages)
                judge_messages(f, &f->call[i], end - i);
            else if (!stuck)
                judge_group(f, &f->call[i], end - i);
            i = end;
        }
}

enum rk_status rk_check_flight(const struct rk_text *dumps, const uint32_t *rank, size_t count,
                               struct rk_findings *findings, struct rk_error *error)
{
    struct flight f = {.dumps = count, .rank = rank, .findings = findings};
    struct document *document = calloc(count + 1, sizeof *document);
    enum rk_status status = document ? RK_OK : no_memory(error);
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        status = document_parse(dumps[i].path, dumps[i].text, dumps[i].size, &document[i], error);
        if (status == RK_OK) status = read_dump(&f, &document[i], rank[i], error);
    }
    if (status == RK_OK && f.count) {
        qsort(f.call, f.count, sizeof *f.call, compare);
        judge_all(&f);
    }
    for (size_t i = 0; document && i < count; i++)
        document_release(&document[i]);
    free(document);
    free(f.call);
    findings_settle(findings);
    return status;
}
