/* log_text.c - the texts of logs: an operation a line,
 *
 *     run NAME stream=S reads=a,b writes=c     record E stream=S     wait E stream=S
 *     all_reduce|all_gather|reduce_scatter|all_to_all|broadcast GROUP DTYPE COUNT stream=S ...
 *     send|recv PEER DTYPE COUNT tag=T stream=S reads=..|writes=..     begin, end     alloc B, free
 * B
 *
 * Ranges of ranks are written 0-7:1; flop=N is summed up; other key=value and what follows a # are
 * passed over. */
#include "base/limits.h"
#include "base/memory.h"
#include "check/logs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct rk_logs *logs;
    uint32_t rank;
    const char *path;
    int line;
    struct rk_error *error;
};

RK_PRINTF(3, 4)
static enum rk_status fail(const struct reader *r, const struct piece *at, const char *format, ...)
{
    char text[200];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rk_fail(r->error, RK_BAD_INPUT, r->path, r->line, 0, "%.*s: %s",
                   (int)(at->length < 40 ? at->length : 40), at->at, text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of a line; empty at its end. */
static struct piece next(const char **at, const char *end)
{
    while (*at < end && is_blank(**at))
        ++*at;
    const char *begin = *at;
    while (*at < end && !is_blank(**at))
        ++*at;
    return (struct piece){begin, (size_t)(*at - begin)};
}

static bool read_count(const char **at, const char *end, uint64_t most, uint64_t *count)
{
    const char *begin = *at;
    uint64_t n = 0;
    while (*at < end && **at >= '0' && **at <= '9') {
        const uint64_t digit = (uint64_t)(**at - '0');
        if (n > (most - digit) / 10) return false;
        n = 10 * n + digit;
        ++*at;
    }
    *count = n;
    return *at > begin;
}

static bool whole_count(struct piece piece, uint64_t most, uint64_t *count)
{
    const char *at = piece.at, *end = piece.at + piece.length;
    return read_count(&at, end, most, count) && at == end;
}

/* ---- groups ---- */

struct members {
    uint32_t count;
    uint32_t *rank;
};

static bool add_member(struct members *m, uint64_t rank)
{
    if (m->count == MOST_LOG_RANKS) return false;
    if (!ARRAY_ROOM(m->rank, m->count)) return false;
    m->rank[m->count++] = (uint32_t)rank;
    return true;
}

/* "0-7:1", "3,11" */
static bool read_members(struct piece text, struct members *m)
{
    const char *at = text.at, *end = text.at + text.length;
    for (;; at++) {
        uint64_t first, last, step = 1;
        if (!read_count(&at, end, UINT32_MAX - 1, &first)) return false;
        last = first;
        if (at < end && *at == '-') {
            at++;
            if (!read_count(&at, end, UINT32_MAX - 1, &last) || last < first) return false;
            if (at < end && *at == ':') {
                at++;
                if (!read_count(&at, end, UINT32_MAX - 1, &step) || !step) return false;
            }
        }
        for (uint64_t rank = first; rank <= last; rank += step)
            if (!add_member(m, rank)) return false;
        if (at == end) return true;
        if (*at != ',') return false;
    }
}

/* Groups are few, and their texts long: each is read once. */
static enum rk_status find_group(const struct reader *r, struct piece text, uint32_t *group)
{
    struct rk_logs *logs = r->logs;
    const uint32_t known = logs->group_texts.count;
    const uint32_t number = names_number(&logs->group_texts, text.at, text.length);
    if (number == LOG_NONE) return no_memory(r->error);
    if (number < known) {
        *group = logs->group_of[number];
        return *group == LOG_NONE ? fail(r, &text, "is not a group of ranks") : RK_OK;
    }
    if (!ARRAY_RESERVE(logs->group_of, logs->group_of_room, (size_t)number + 1))
        return no_memory(r->error);
    struct members members = {.rank = NULL};
    const bool good = read_members(text, &members);
    *group = good ? log_group(logs, members.rank, members.count) : LOG_NONE;
    free(members.rank);
    logs->group_of[number] = *group;
    if (!good) return fail(r, &text, "is not a group of ranks: write 0-7:1 or 3,11");
    return *group == LOG_NONE ? no_memory(r->error) : RK_OK;
}

/* ---- lines ---- */

static int find_kind(struct piece word)
{
    for (int kind = 0; kind < RK_LOG_KINDS; kind++) {
        const char *name = log_word((enum rk_log_kind)kind);
        if (name[0] == word.at[0] && strlen(name) == word.length &&
            memcmp(name, word.at, word.length) == 0)
            return kind;
    }
    return -1;
}

static enum rk_status read_head(const struct reader *r, const char **at, const char *end,
                                struct pieces *p)
{
    uint64_t peer = 0;
    if (p->kind == RK_LOG_BEGIN || p->kind == RK_LOG_END) return RK_OK;
    const struct piece first = next(at, end);
    if (!first.length) return fail(r, &first, "%s needs a name", log_word(p->kind));
    if (!is_collective(p->kind) && !is_message(p->kind)) {
        p->name = first;
        return RK_OK;
    }
    if (is_message(p->kind) && !whole_count(first, UINT32_MAX - 1, &peer))
        return fail(r, &first, "is not a rank");
    p->peer = (uint32_t)peer;
    const enum rk_status status = is_collective(p->kind) ? find_group(r, first, &p->group) : RK_OK;
    if (status != RK_OK) return status;
    p->datatype = next(at, end);
    const struct piece count = next(at, end);
    if (!p->datatype.length || !whole_count(count, INT64_MAX, &p->count))
        return fail(r, &count, "a type and a number of elements are expected here");
    return RK_OK;
}

static bool begins(struct piece word, const char *key, struct piece *value)
{
    const size_t n = strlen(key);
    if (word.length < n || memcmp(word.at, key, n) != 0) return false;
    *value = (struct piece){word.at + n, word.length - n};
    return true;
}

static enum rk_status read_keys(const struct reader *r, const char **at, const char *end,
                                struct pieces *p, struct piece *reads, struct piece *writes)
{
    struct piece value;
    for (struct piece word = next(at, end); word.length; word = next(at, end)) {
        if (*word.at == '#') return RK_OK;
        if (begins(word, "stream=", &value)) {
            p->stream = value;
            p->has_stream = value.length > 0;
        } else if (begins(word, "reads=", &value)) {
            *reads = value;
        } else if (begins(word, "writes=", &value)) {
            *writes = value;
        } else if (begins(word, "flop=", &value)) {
            char digits[40];
            snprintf(digits, sizeof digits, "%.*s", (int)(value.length < 39 ? value.length : 39),
                     value.at);
            const double flop = strtod(digits, NULL);
            if (flop > 0 && flop < 1e30) p->flop = flop;
        } else if (begins(word, "tag=", &value)) {
            uint64_t tag;
            if (!whole_count(value, INT32_MAX, &tag)) return fail(r, &word, "is not a tag");
            p->tag = (int64_t)tag;
        } else if (!memchr(word.at, '=', word.length)) {
            return fail(r, &word, "key=value is expected here");
        }
    }
    return RK_OK;
}

static enum rk_status add_list(const struct reader *r, struct piece list, bool writes)
{
    const char *at = list.at, *end = list.at + list.length;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        if (stop > at) {
            const enum rk_status status =
                log_access(r->logs, r->rank, at, (size_t)(stop - at), writes, r->error);
            if (status != RK_OK) return status;
        }
        at = stop + 1;
    }
    return RK_OK;
}

static enum rk_status read_line(const struct reader *r, const char *at, const char *end)
{
    struct pieces p = {.line = (uint32_t)r->line};
    struct piece reads = {"", 0}, writes = {"", 0};
    const struct piece word = next(&at, end);
    if (!word.length || *word.at == '#') return RK_OK;
    const int kind = find_kind(word);
    if (kind < 0) return fail(r, &word, "is not an operation");
    p.kind = (enum rk_log_kind)kind;
    enum rk_status status = read_head(r, &at, end, &p);
    if (status == RK_OK) status = read_keys(r, &at, end, &p, &reads, &writes);
    if (status == RK_OK) status = log_add(r->logs, r->rank, &p, r->error);
    if (status != RK_OK || kind == RK_LOG_BEGIN || kind == RK_LOG_END) return status;
    status = add_list(r, reads, false);
    return status == RK_OK ? add_list(r, writes, true) : status;
}

enum rk_status rk_logs_read(struct rk_logs *logs, uint32_t rank, const char *path, const char *text,
                            size_t size, struct rk_error *error)
{
    struct reader r = {logs, rank, path, 0, error};
    enum rk_status status = RK_OK;
    if (rank >= logs->ranks)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "there is no such rank");
    for (const char *at = text, *end = text + size; at < end && status == RK_OK;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        r.line++;
        status = read_line(&r, at, stop);
        at = stop + 1;
    }
    if (status != RK_OK && error && !*error->path)
        snprintf(error->path, sizeof error->path, "%s", path);
    return status;
}
