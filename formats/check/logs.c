/* logs.c - operations as they come, from memory or texts. */
#include "check/logs.h"
#include "base/memory.h"
#include "check/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* Room for one more; false: no memory, or more than 2^30. */
#define GROW(array, count) ((count) < UINT32_C(1) << 30 && ARRAY_ROOM(array, count))

/* ---- names ---- */

static uint32_t hash_text(const char *text, size_t length)
{
    uint64_t h = length * UINT64_C(0x9e3779b97f4a7c15);
    for (; length >= 8; length -= 8, text += 8) {
        uint64_t eight;
        memcpy(&eight, text, 8);
        h = (h ^ eight) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    uint64_t rest = 0;
    memcpy(&rest, text, length);
    h = (h ^ rest) * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(h >> 32);
}

static bool names_widen(struct names *names)
{
    const uint32_t slots = names->slots ? 2 * names->slots : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot) return false;
    for (uint32_t i = 0; i < names->count; i++) {
        const char *text = names->text + names->at[i];
        uint32_t at = hash_text(text, strlen(text)) & (slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = i + 1;
    }
    free(names->slot);
    names->slot = slot;
    names->slots = slots;
    return true;
}

static bool names_add(struct names *names, const char *text, size_t length)
{
    if (!GROW(names->at, names->count)) return false;
    if (names->used + length + 1 > names->size) {
        const size_t size = 2 * names->size + length + 256;
        char *grown = size < UINT32_MAX ? realloc(names->text, size) : NULL;
        if (!grown) return false;
        names->text = grown;
        names->size = size;
    }
    names->at[names->count++] = (uint32_t)names->used;
    memcpy(names->text + names->used, text, length);
    names->used += length;
    names->text[names->used++] = '\0';
    return true;
}

uint32_t names_number(struct names *names, const char *text, size_t length)
{
    if (2 * names->count >= names->slots && !names_widen(names)) return LOG_NONE;
    uint32_t at = hash_text(text, length) & (names->slots - 1);
    for (; names->slot[at]; at = (at + 1) & (names->slots - 1)) {
        const char *known = names->text + names->at[names->slot[at] - 1];
        if (strncmp(known, text, length) == 0 && !known[length]) return names->slot[at] - 1;
    }
    if (!names_add(names, text, length)) return LOG_NONE;
    names->slot[at] = names->count;
    return names->count - 1;
}

const char *names_text(const struct names *names, uint32_t number)
{
    return number < names->count ? names->text + names->at[number] : "";
}

void names_release(struct names *names)
{
    free(names->at);
    free(names->slot);
    free(names->text);
    *names = (struct names){.count = 0};
}

/* ---- groups ---- */

static uint32_t hash_ranks(const uint32_t *member, uint32_t members)
{
    uint64_t h = members;
    for (uint32_t i = 0; i < members; i++)
        h = (h ^ member[i]) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
    return (uint32_t)(h >> 32);
}

static bool groups_widen(struct rk_logs *logs)
{
    const uint32_t slots = logs->group_slots ? 2 * logs->group_slots : 64;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot) return false;
    for (uint32_t i = 0; i < logs->groups; i++) {
        uint32_t at = logs->group[i].hash & (slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = i + 1;
    }
    free(logs->group_slot);
    logs->group_slot = slot;
    logs->group_slots = slots;
    return true;
}

uint32_t log_group(struct rk_logs *logs, const uint32_t *member, uint32_t members)
{
    const uint32_t hash = hash_ranks(member, members);
    if (2 * logs->groups >= logs->group_slots && !groups_widen(logs)) return LOG_NONE;
    uint32_t at = hash & (logs->group_slots - 1);
    for (; logs->group_slot[at]; at = (at + 1) & (logs->group_slots - 1)) {
        const struct group *g = &logs->group[logs->group_slot[at] - 1];
        if (g->hash == hash && g->count == members &&
            memcmp(logs->member + g->first, member, members * sizeof *member) == 0)
            return logs->group_slot[at] - 1;
    }
    if (!GROW(logs->group, logs->groups)) return LOG_NONE;
    const uint32_t first = logs->members;
    for (uint32_t i = 0; i < members; i++) {
        if (!GROW(logs->member, logs->members)) return LOG_NONE;
        logs->member[logs->members++] = member[i];
    }
    logs->group[logs->groups] = (struct group){first, members, hash};
    logs->group_slot[at] = ++logs->groups;
    return logs->groups - 1;
}

/* ---- lanes ---- */

static bool is_lane(const struct lane *lane, uint32_t group, uint32_t peer, bool receives,
                    int32_t tag)
{
    return lane->group == group &&
           (group != LOG_NONE ||
            (lane->peer == peer && lane->receives == receives && lane->tag == tag));
}

static uint32_t hash_lane(uint32_t group, uint32_t peer, bool receives, int32_t tag)
{
    const uint32_t key[] = {group, group == LOG_NONE ? peer : 0, group == LOG_NONE && receives,
                            group == LOG_NONE ? (uint32_t)tag : 0};
    return hash_ranks(key, 4);
}

static struct lane *find_lane(struct rank_log *log, uint32_t group, uint32_t peer, bool receives,
                              int32_t tag)
{
    if (log->last_lane < log->lanes &&
        is_lane(&log->lane[log->last_lane], group, peer, receives, tag))
        return &log->lane[log->last_lane];
    if (!log->lane_slots) return NULL;
    uint32_t at = hash_lane(group, peer, receives, tag) & (log->lane_slots - 1);
    for (; log->lane_slot[at]; at = (at + 1) & (log->lane_slots - 1)) {
        const uint32_t i = log->lane_slot[at] - 1;
        if (!is_lane(&log->lane[i], group, peer, receives, tag)) continue;
        log->last_lane = i;
        return &log->lane[i];
    }
    return NULL;
}

static void place_lane(struct rank_log *log, uint32_t i)
{
    const struct lane *lane = &log->lane[i];
    uint32_t at =
        hash_lane(lane->group, lane->peer, lane->receives, lane->tag) & (log->lane_slots - 1);
    while (log->lane_slot[at])
        at = (at + 1) & (log->lane_slots - 1);
    log->lane_slot[at] = i + 1;
}

static struct lane *add_lane(struct rank_log *log, const struct lane *lane)
{
    if (!GROW(log->lane, log->lanes)) return NULL;
    if (2 * log->lanes >= log->lane_slots) {
        const uint32_t slots = log->lane_slots ? 2 * log->lane_slots : 16;
        uint32_t *slot = calloc(slots, sizeof *slot);
        if (!slot) return NULL;
        free(log->lane_slot);
        log->lane_slot = slot;
        log->lane_slots = slots;
        for (uint32_t i = 0; i < log->lanes; i++)
            place_lane(log, i);
    }
    log->lane[log->lanes] = *lane;
    place_lane(log, log->lanes);
    return &log->lane[log->lanes++];
}

struct lane *lane_of_group(struct rank_log *log, uint32_t group)
{
    return find_lane(log, group, 0, false, 0);
}

struct lane *lane_of_peer(struct rank_log *log, uint32_t peer, bool receives, int32_t tag)
{
    return find_lane(log, LOG_NONE, peer, receives, tag);
}

static bool take_turn(struct rank_log *log, struct operation *op, bool tags)
{
    const uint32_t group = is_collective(op->kind) ? op->other : LOG_NONE;
    const int32_t tag = tags && group == LOG_NONE ? op->tag : 0;
    const bool receives = op->kind == RK_LOG_RECV;
    const uint32_t peer = group == LOG_NONE ? op->other : 0;
    struct lane *lane = find_lane(log, group, peer, receives, tag);
    if (!lane)
        lane = add_lane(
            log, &(struct lane){.group = group, .peer = peer, .tag = tag, .receives = receives});
    if (!lane) return false;
    if (!GROW(lane->turn, lane->count)) return false;
    op->lane = (uint32_t)(lane - log->lane);
    op->turn = lane->count;
    lane->turn[lane->count++] = (uint32_t)(op - log->operation);
    return true;
}

/* ---- adding ---- */

static uint32_t find_stream(struct rank_log *log, const struct pieces *p)
{
    uint32_t name = 0;
    if (p->has_stream) {
        name = names_number(&log->names, p->stream.at, p->stream.length);
        if (name++ == LOG_NONE) return LOG_NONE;
    }
    for (uint32_t i = 0; i < log->streams; i++)
        if (log->stream_name[i] == name) return i;
    if (log->streams == LOG_STREAMS) return LOG_NONE;
    log->stream_name[log->streams] = name;
    return log->streams++;
}

/* Operations after a `begin` start together, on its stream, or on all streams where it names
 * none. */
static enum rk_status open_group(struct rank_log *log, const struct pieces *p, uint32_t stream,
                                 struct rk_error *error)
{
    const bool opens = p->kind == RK_LOG_BEGIN;
    if (opens == log->open)
        return rk_fail(error, RK_BAD_INPUT, NULL, (int)p->line, 0,
                       opens ? "a begin within another: end it first" : "an end without its begin");
    log->open = opens;
    log->open_all = !p->has_stream;
    log->open_stream = (uint8_t)stream;
    memset(log->follows, 0, sizeof log->follows);
    return RK_OK;
}

static bool note_event(struct rank_log *log, const struct operation *op)
{
    if (op->kind != RK_LOG_RECORD) return true;
    while (log->records < log->names.count) {
        if (!GROW(log->record, log->records)) return false;
        log->record[log->records++] = LOG_NONE;
    }
    log->record[op->other] = log->count;
    return true;
}

enum rk_status log_add(struct rk_logs *logs, uint32_t rank, const struct pieces *p,
                       struct rk_error *error)
{
    struct rank_log *log = &logs->rank[rank];
    const uint32_t stream = find_stream(log, p);
    if (stream == LOG_NONE)
        return log->streams == LOG_STREAMS ? rk_fail(error, RK_BAD_INPUT, NULL, (int)p->line, 0,
                                                     "more than %d streams", LOG_STREAMS)
                                           : no_memory(error);
    if (p->kind == RK_LOG_BEGIN || p->kind == RK_LOG_END) return open_group(log, p, stream, error);
    if (!GROW(log->operation, log->count)) return no_memory(error);
    struct operation *op = &log->operation[log->count];
    *op = (struct operation){.kind = (uint8_t)p->kind,
                             .stream = (uint8_t)stream,
                             .line = p->line,
                             .access = log->accesses,
                             .turn = LOG_NONE,
                             .tag = (int32_t)p->tag,
                             .redistributes = p->redistributes,
                             .count = p->count};
    op->other = is_collective(p->kind) ? p->group
                : is_message(p->kind)  ? p->peer
                                       : names_number(&log->names, p->name.at, p->name.length);
    if (op->other == LOG_NONE) return no_memory(error);
    if (is_collective(p->kind) || is_message(p->kind)) {
        const uint32_t datatype =
            names_number(&logs->datatypes, p->datatype.at, p->datatype.length);
        if (datatype > UINT8_MAX)
            return rk_fail(error, RK_BAD_INPUT, NULL, (int)p->line, 0, "more than 256 types");
        op->datatype = (uint8_t)datatype;
        const bool together = log->open && (log->open_all || log->open_stream == stream);
        op->grouped = together && log->follows[stream];
        log->follows[stream] = together;
    }
    if (p->kind == RK_LOG_WAIT && op->other < log->records) op->turn = log->record[op->other];
    if (!note_event(log, op)) return no_memory(error);
    log->flop += p->flop;
    log->count++;
    return RK_OK;
}

enum rk_status log_access(struct rk_logs *logs, uint32_t rank, const char *buffer, size_t length,
                          bool writes, struct rk_error *error)
{
    struct rank_log *log = &logs->rank[rank];
    struct operation *op = &log->operation[log->count - 1];
    uint16_t *count = writes ? &op->writes : &op->reads;
    if (*count == UINT16_MAX)
        return rk_fail(error, RK_BAD_INPUT, NULL, (int)op->line, 0, "too many buffers");
    const uint32_t name = names_number(&log->names, buffer, length);
    if (name == LOG_NONE || !GROW(log->access, log->accesses)) return no_memory(error);
    log->access[log->accesses++] = name;
    ++*count;
    return RK_OK;
}

/* ---- from memory ---- */

enum rk_status rk_logs_new(uint32_t ranks, struct rk_logs **logs, struct rk_error *error)
{
    *logs = calloc(1, sizeof **logs);
    if (*logs) (*logs)->rank = calloc(ranks ? ranks : 1, sizeof *(*logs)->rank);
    if (!*logs || !(*logs)->rank) {
        free(*logs);
        *logs = NULL;
        return no_memory(error);
    }
    (*logs)->ranks = ranks;
    return RK_OK;
}

static void release_rank(struct rank_log *log)
{
    for (uint32_t i = 0; i < log->lanes; i++)
        free(log->lane[i].turn);
    free(log->lane);
    free(log->lane_slot);
    free(log->operation);
    free(log->access);
    free(log->first);
    free(log->record);
    names_release(&log->names);
}

void rk_logs_release(struct rk_logs *logs)
{
    if (!logs) return;
    for (uint32_t i = 0; i < logs->ranks; i++)
        release_rank(&logs->rank[i]);
    names_release(&logs->datatypes);
    names_release(&logs->group_texts);
    free(logs->group_of);
    free(logs->rank);
    free(logs->group);
    free(logs->group_slot);
    free(logs->member);
    free(logs);
}

static struct piece piece_of(const char *text)
{
    return (struct piece){text ? text : "", text ? strlen(text) : 0};
}

static enum rk_status add_buffers(struct rk_logs *logs, uint32_t rank, const char *const *buffers,
                                  uint32_t count, bool writes, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (uint32_t i = 0; i < count && status == RK_OK; i++)
        status = log_access(logs, rank, buffers[i], strlen(buffers[i]), writes, error);
    return status;
}

enum rk_status rk_logs_add(struct rk_logs *logs, uint32_t rank, const struct rk_log_operation *o,
                           struct rk_error *error)
{
    if (rank >= logs->ranks || (unsigned)o->kind >= RK_LOG_KINDS)
        return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "no such rank, or no such operation");
    struct pieces p = {.kind = o->kind,
                       .line = o->line ? (uint32_t)o->line : logs->rank[rank].count + 1,
                       .name = piece_of(o->name),
                       .stream = piece_of(o->stream),
                       .datatype = piece_of(o->datatype),
                       .has_stream = o->stream != NULL,
                       .peer = o->peer,
                       .tag = o->tag,
                       .count = o->count,
                       .flop = o->flop};
    if (is_collective(o->kind)) {
        if (!o->members)
            return rk_fail(error, RK_BAD_INPUT, NULL, (int)p.line, 0, "a group without members");
        p.group = log_group(logs, o->member, o->members);
        if (p.group == LOG_NONE) return no_memory(error);
    }
    enum rk_status status = log_add(logs, rank, &p, error);
    if (status != RK_OK || o->kind == RK_LOG_BEGIN || o->kind == RK_LOG_END) return status;
    status = add_buffers(logs, rank, o->reads, o->read_count, false, error);
    if (status == RK_OK) status = add_buffers(logs, rank, o->writes, o->write_count, true, error);
    return status;
}

/* ---- in the order of streams ---- */

/* Operations without a stream are on that of the first run: the one that an allocator goes by. */
static void settle_streams(struct rank_log *log)
{
    uint32_t nameless = 0, compute = LOG_NONE;
    while (nameless < log->streams && log->stream_name[nameless])
        nameless++;
    if (nameless == log->streams) return;
    for (uint32_t i = 0; i < log->count && compute == LOG_NONE; i++)
        if (log->operation[i].kind == RK_LOG_RUN && log->operation[i].stream != nameless)
            compute = log->operation[i].stream;
    if (compute == LOG_NONE) return;
    for (uint32_t i = 0; i < log->count; i++)
        if (log->operation[i].stream == nameless &&
            (log->operation[i].kind == RK_LOG_ALLOC || log->operation[i].kind == RK_LOG_FREE))
            log->operation[i].stream = (uint8_t)compute;
}

/* A wait in front of its record is one for the first that comes. */
static void pair_early_waits(struct rank_log *log)
{
    for (uint32_t i = 0; i < log->records; i++)
        log->record[i] = LOG_NONE;
    for (uint32_t i = log->count; i-- > 0;) {
        struct operation *op = &log->operation[i];
        if (op->other >= log->records) continue;
        if (op->kind == RK_LOG_RECORD) log->record[op->other] = i;
        if (op->kind == RK_LOG_WAIT && op->turn == LOG_NONE) op->turn = log->record[op->other];
    }
}

static bool arrange(struct rank_log *log, bool tags)
{
    uint32_t *to = malloc((log->count + 1) * sizeof *to);
    struct operation *sorted = malloc((log->count + 1) * sizeof *sorted);
    log->first = calloc(log->streams + 2, sizeof *log->first);
    bool good = to && sorted && log->first;
    if (good) {
        settle_streams(log);
        pair_early_waits(log);
        for (uint32_t i = 0; i < log->count && good; i++)
            if (is_collective(log->operation[i].kind) || is_message(log->operation[i].kind))
                good = take_turn(log, &log->operation[i], tags);
    }
    if (good) {
        for (uint32_t i = 0; i < log->count; i++)
            log->first[log->operation[i].stream + 1]++;
        for (uint32_t i = 0; i < log->streams; i++)
            log->first[i + 1] += log->first[i];
        for (uint32_t i = 0; i < log->count; i++)
            to[i] = log->first[log->operation[i].stream]++;
        for (uint32_t i = log->streams; i > 0; i--)
            log->first[i] = log->first[i - 1];
        log->first[0] = 0;
        for (uint32_t i = 0; i < log->count; i++) {
            struct operation *op = &sorted[to[i]];
            *op = log->operation[i];
            if (op->kind == RK_LOG_WAIT && op->turn != LOG_NONE) op->turn = to[op->turn];
        }
        for (uint32_t i = 0; i < log->lanes; i++)
            for (uint32_t k = 0; k < log->lane[i].count; k++)
                log->lane[i].turn[k] = to[log->lane[i].turn[k]];
        free(log->operation);
        log->operation = sorted;
        sorted = NULL;
        free(log->record);
        free(log->names.slot);
        log->record = log->names.slot = NULL;
        log->records = log->names.slots = 0;
    }
    free(to);
    free(sorted);
    return good;
}

/* Sorts by streams, pairs waits with records. */
static enum rk_status log_arrange(struct rk_logs *logs, bool tags, struct rk_error *error)
{
    for (uint32_t i = 0; i < logs->ranks; i++) {
        if (logs->rank[i].open)
            return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0, "rank %" PRIu32 ": a begin has no end",
                           i);
        if (!arrange(&logs->rank[i], tags)) return no_memory(error);
    }
    return RK_OK;
}

/* ---- messages ---- */

const char *log_word(enum rk_log_kind kind)
{
#define WORD(value, word) word,
    static const char *const words[] = {RK_NAMES_log(WORD)};
#undef WORD
    return words[kind];
}

static size_t describe_group(const struct rk_logs *logs, uint32_t group, char *text, size_t size)
{
    const struct group *g = &logs->group[group];
    const uint32_t *member = logs->member + g->first;
    size_t used = 0;
    for (uint32_t i = 0; i < g->count && used < size; i++) {
        if (i == 6 && g->count > 8) {
            used +=
                (size_t)snprintf(text + used, size - used, ",...%" PRIu32, member[g->count - 1]);
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu32, i ? "," : "", member[i]);
    }
    return used < size ? used : size - 1;
}

const char *log_describe(const struct rk_logs *logs, uint32_t rank, uint32_t operation,
                         char text[static LOG_TEXT])
{
    const struct rank_log *log = &logs->rank[rank];
    const struct operation *op = &log->operation[operation];
    const char *word = log_word((enum rk_log_kind)op->kind);
    char group[64];
    if (is_collective(op->kind)) {
        describe_group(logs, op->other, group, sizeof group);
        snprintf(text, LOG_TEXT, "%s %s %.16s %" PRIu64, word, group,
                 names_text(&logs->datatypes, op->datatype), op->count);
    } else if (is_message(op->kind)) {
        snprintf(text, LOG_TEXT, "%s %s %" PRIu32 " %.16s %" PRIu64 " tag=%" PRId32, word,
                 op->kind == RK_LOG_SEND ? "to" : "from", op->other,
                 names_text(&logs->datatypes, op->datatype), op->count, op->tag);
    } else {
        snprintf(text, LOG_TEXT, "%s %.64s", word, names_text(&log->names, op->other));
    }
    return text;
}

struct rk_finding *log_blame(const struct rk_logs *logs, struct rk_findings *findings,
                             const char *rule, uint32_t rank, uint32_t operation)
{
    char text[LOG_TEXT];
    struct rk_finding *f = findings_add(findings, rule);
    f->rank = (int)rank;
    if (operation == LOG_NONE) {
        snprintf(f->what, sizeof f->what, "rank %" PRIu32, rank);
        return f;
    }
    f->line = (int)logs->rank[rank].operation[operation].line;
    snprintf(f->what, sizeof f->what, "%.63s", log_describe(logs, rank, operation, text));
    return f;
}

enum rk_status rk_logs_check(struct rk_logs *logs, const struct rk_logs_options *options,
                             struct rk_findings *findings, struct rk_error *error)
{
    static const struct rk_logs_options usual = {.tags = false};
    if (!options) options = &usual;
    enum rk_status status = log_arrange(logs, options->tags, error);
    if (status == RK_OK) status = log_match(logs, options, findings, error);
    if (status == RK_OK) status = log_replay(logs, options, findings, error);
    findings_settle(findings);
    return status;
}
