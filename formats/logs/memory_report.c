#include "logs/memory_report.h"
#include "base/memory.h"
#include "logs/pickle.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- amounts: "1.96 GiB", "512 MiB", "1048576 B" ---- */

static const struct unit {
    const char *name;
    double bytes;
} units[] = {{"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}, {"TiB", 0x1p40}, {"GB", 0x1p30},
             {"MB", 0x1p20},  {"KB", 0x1p10},  {"bytes", 1},    {"B", 1}};

/* Returns the text after the number and its unit, or NULL. */
static const char *read_amount(const char *text, double *bytes)
{
    char *end;
    text += strspn(text, " \t");
    if (!isdigit((unsigned char)*text)) return NULL;
    const double number = strtod(text, &end);
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strncmp(end, units[i].name, strlen(units[i].name)) == 0) {
            *bytes = number * units[i].bytes;
            return isfinite(*bytes) ? end + strlen(units[i].name) : NULL;
        }
    return NULL;
}

/* The amount after a phrase; amount_before() has the one before it. */
static double amount_after(const char *text, const char *phrase)
{
    double bytes = 0;
    const char *at = strstr(text, phrase);
    return at && read_amount(at + strlen(phrase), &bytes) ? bytes : 0;
}

static double amount_before(const char *text, const char *phrase)
{
    const char *at = strstr(text, phrase);
    double bytes = 0;
    for (int back = 3; at && back < 24 && at - back >= text; back++) {
        const char *start = at - back;
        if (!isdigit((unsigned char)*start)) continue;
        const bool whole = start == text || !strchr("0123456789.", start[-1]);
        if (whole && read_amount(start, &bytes)) return bytes;
    }
    return 0;
}

/* ---- tracebacks ---- */

static const char *find_failure(const char *text)
{
    static const char *const marks[] = {"out of memory. Tried to allocate",
                                        "Out of memory while trying to allocate",
                                        "CUDA error: out of memory" /* the driver's */};
    const char *last = NULL;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        for (const char *at = strstr(text, marks[i]); at; at = strstr(at + 1, marks[i]))
            if (!last || at > last) last = at;
    return last;
}

/* `  File "model.py", line 12, in forward`, of the last before the failure that is not
 * PyTorch's own. */
static void find_where(const char *text, const char *failure, char where[static MEMORY_WHERE])
{
    static const char mark[] = "File \"";
    where[0] = '\0';
    for (const char *at = strstr(text, mark); at && at < failure; at = strstr(at + 1, mark)) {
        const char *path = at + strlen(mark), *end = path + strcspn(path, "\"\n");
        const char *line = strncmp(end, "\", line ", 8) == 0 ? end + 8 : NULL;
        const char *slash = end;
        if (!line) continue;
        bool own = false;
        for (const char *p = path; p < end; p++)
            own |= strncmp(p, "/torch/", 7) == 0;
        if (own) continue;
        while (slash > path && slash[-1] != '/')
            slash--;
        const char *in = line + strspn(line, "0123456789");
        const int name = strncmp(in, ", in ", 5) == 0 ? (int)strcspn(in + 5, "\n") : 0;
        snprintf(where, MEMORY_WHERE, "%.*s:%.*s%s%.*s", (int)(end - slash < 60 ? end - slash : 60),
                 slash, (int)(in - line < 12 ? in - line : 12), line, name ? ", " : "",
                 name < 60 ? name : 60, name ? in + 5 : "");
    }
}

static enum rk_status read_traceback(const char *text, struct memory_report *r)
{
    const char *failure = find_failure(text);
    char line[2048];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(failure, "\n"), failure);
    r->asked_bytes = amount_after(line, "allocate");
    r->capacity_bytes = amount_after(line, "total capacity of");
    if (!(r->capacity_bytes > 0)) /* as 2.1 spells it */
        r->capacity_bytes = amount_after(line, "total capacty of");
    if (!(r->capacity_bytes > 0)) r->capacity_bytes = amount_before(line, " total capacity");
    r->free_bytes = amount_before(line, " is free");
    if (!(r->free_bytes > 0)) r->free_bytes = amount_before(line, " free");
    r->frees = strstr(line, " is free") || r->free_bytes > 0;
    r->process_bytes = amount_after(line, "this process has"); /* 0 in containers */
    r->allocated_bytes = amount_before(line, " is allocated by PyTorch");
    const double kept = amount_before(line, " is reserved by PyTorch but unallocated");
    if (r->allocated_bytes > 0) r->reserved_bytes = r->allocated_bytes + kept;
    if (!(r->allocated_bytes > 0)) r->allocated_bytes = amount_before(line, " already allocated");
    if (!(r->reserved_bytes > 0)) r->reserved_bytes = amount_before(line, " reserved in total");
    find_where(text, failure, r->where);
    return RK_OK;
}

/* ---- torch.cuda.memory_summary() ---- */

/* "| Allocated memory      |  11 MiB |  22 MiB | ...": the second column, the peak. */
static double row_peak(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    const size_t length = at ? strcspn(at, "\n") : 0;
    const char *bar = at ? memchr(at, '|', length) : NULL;
    const char *second = bar ? memchr(bar + 1, '|', length - (size_t)(bar + 1 - at)) : NULL;
    double bytes = 0;
    return second && read_amount(second + 1, &bytes) ? bytes : 0;
}

static double count_after(const char *text, const char *phrase)
{
    const char *at = strstr(text, phrase);
    return at ? strtod(at + strlen(phrase), NULL) : 0;
}

static void read_summary(const char *text, struct memory_report *r)
{
    r->allocated_bytes = row_peak(text, "| Allocated memory");
    r->reserved_bytes = row_peak(text, "| GPU reserved memory");
    r->failures = count_after(text, "CUDA OOMs:");
    r->retries = count_after(text, "cudaMalloc retries:");
}

/* ---- snapshots ---- */

static double number_of(const struct pickle_value *value, const char *key)
{
    const struct pickle_value *member = pickle_member(value, key);
    return member && member->type == PICKLE_NUMBER && member->number > 0 ? member->number : 0;
}

static bool text_is(const struct pickle_value *value, const char *text)
{
    return value && value->type == PICKLE_TEXT && value->length == strlen(text) &&
           memcmp(value->text, text, value->length) == 0;
}

static bool text_has(const struct pickle_value *value, const char *text)
{
    return value && value->type == PICKLE_TEXT &&
           memmem(value->text, value->length, text, strlen(text));
}

/* The innermost frame that is not PyTorch's own, "model.py:12, forward"; that of a block without
 * one: its innermost. */
static void frame_of(const struct pickle_value *block, char where[static MEMORY_WHERE])
{
    const struct pickle_value *frames = pickle_member(block, "frames"), *best = NULL;
    where[0] = '\0';
    for (size_t i = 0; frames && frames->type == PICKLE_LIST && !best && i < frames->count; i++) {
        const struct pickle_value *file = pickle_member(frames->item[i], "filename");
        if (!text_has(file, "/torch/") && !text_is(file, "??") && !text_has(file, ".cpp"))
            best = frames->item[i];
    }
    if (!best && frames && frames->type == PICKLE_LIST && frames->count) best = frames->item[0];
    const struct pickle_value *file = pickle_member(best, "filename");
    const struct pickle_value *name = pickle_member(best, "name");
    if (!file || file->type != PICKLE_TEXT) return;
    const char *slash = file->length ? memrchr(file->text, '/', file->length) : NULL;
    const char *base = slash ? slash + 1 : file->text;
    const size_t length = file->length - (size_t)(base - file->text);
    const bool named = name && name->type == PICKLE_TEXT;
    snprintf(where, MEMORY_WHERE, "%.*s:%.0f%s%.*s", (int)(length < 60 ? length : 60), base,
             fmin(number_of(best, "line"), 1e9), named ? ", " : "",
             named ? (int)(name->length < 60 ? name->length : 60) : 0, named ? name->text : "");
    for (char *p = where; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f) *p = '?';
}

struct tally {
    struct memory_group *group;
    size_t count, room;
};

static bool add_block(struct tally *t, const struct pickle_value *block, double bytes, bool *frames)
{
    char where[MEMORY_WHERE];
    size_t i = 0;
    frame_of(block, where);
    *frames |= *where != '\0';
    if (!*where) snprintf(where, sizeof where, "(no frames)");
    while (i < t->count && strcmp(t->group[i].where, where) != 0)
        i++;
    if (i == t->count) {
        if (!ARRAY_ROOM(t->group, t->count)) return false;
        t->group[t->count] = (struct memory_group){.bytes = 0};
        snprintf(t->group[t->count++].where, MEMORY_WHERE, "%s", where);
    }
    t->group[i].bytes += bytes;
    t->group[i].blocks++;
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    const struct memory_group *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->where, y->where);
}

/* The largest, and one that is all the others. */
static void keep_largest(const struct tally *t, struct memory_report *r)
{
    if (t->count) qsort(t->group, t->count, sizeof *t->group, by_bytes);
    for (size_t i = 0; i < t->count; i++) {
        const bool rest = i >= MEMORY_GROUPS - 1 && t->count > MEMORY_GROUPS;
        struct memory_group *to = &r->group[rest ? MEMORY_GROUPS - 1 : i];
        if (i < MEMORY_GROUPS) *to = t->group[i];
        if (rest && i >= MEMORY_GROUPS) to->bytes += t->group[i].bytes;
        if (rest && i >= MEMORY_GROUPS) to->blocks += t->group[i].blocks;
        if (rest) snprintf(to->where, MEMORY_WHERE, "all others");
    }
    r->groups = t->count < MEMORY_GROUPS ? t->count : MEMORY_GROUPS;
}

static bool add_segment(struct tally *t, const struct pickle_value *segment,
                        struct memory_report *r)
{
    const struct pickle_value *blocks = pickle_member(segment, "blocks");
    r->reserved_bytes += number_of(segment, "total_size");
    for (size_t i = 0; blocks && blocks->type == PICKLE_LIST && i < blocks->count; i++) {
        const struct pickle_value *block = blocks->item[i];
        const double bytes = number_of(block, "size");
        if (!text_is(pickle_member(block, "state"), "active_allocated")) continue;
        r->allocated_bytes += bytes;
        if (!add_block(t, block, bytes, &r->frames)) return false;
    }
    return true;
}

/* The last allocation that failed, of a history. */
static void read_failure(const struct pickle_value *root, struct memory_report *r)
{
    const struct pickle_value *traces = pickle_member(root, "device_traces");
    for (size_t d = 0; traces && traces->type == PICKLE_LIST && d < traces->count; d++) {
        const struct pickle_value *trace = traces->item[d];
        for (size_t i = 0; trace->type == PICKLE_LIST && i < trace->count; i++) {
            if (!text_is(pickle_member(trace->item[i], "action"), "oom")) continue;
            r->asked_bytes = number_of(trace->item[i], "size");
            r->free_bytes = number_of(trace->item[i], "device_free");
            r->frees = true;
        }
    }
}

static enum rk_status read_snapshot(const void *bytes, size_t size, const char *path,
                                    struct memory_report *r, struct rk_error *error)
{
    struct pickle pickle;
    struct tally tally = {.group = NULL};
    enum rk_status status = pickle_read(bytes, size, path, &pickle, error);
    const struct pickle_value *segments =
        status == RK_OK ? pickle_member(pickle.root, "segments") : NULL;
    if (status == RK_OK && (!segments || segments->type != PICKLE_LIST))
        status = rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                         "is a pickle, but no memory snapshot: it has no \"segments\"");
    for (size_t i = 0; status == RK_OK && i < segments->count; i++)
        if (!add_segment(&tally, segments->item[i], r))
            status = rk_fail(error, RK_NO_MEMORY, path, 0, 0, "out of memory");
    if (status == RK_OK) read_failure(pickle.root, r);
    if (status == RK_OK) keep_largest(&tally, r);
    free(tally.group);
    pickle_release(&pickle);
    return status;
}

/* ---- any of them ---- */

enum memory_report_kind memory_report_is(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    if (size > 2 && at[0] == 0x80 && at[1] >= 2 && at[1] <= 5) return MEMORY_SNAPSHOT;
    if (!size || memchr(bytes, '\0', size)) return MEMORY_UNKNOWN;
    char *text = strndup(bytes, size);
    if (!text) return MEMORY_UNKNOWN;
    const enum memory_report_kind kind = find_failure(text)                   ? MEMORY_TRACEBACK
                                         : strstr(text, "| Allocated memory") ? MEMORY_SUMMARY
                                                                              : MEMORY_UNKNOWN;
    free(text);
    return kind;
}

enum rk_status memory_report_read(const void *bytes, size_t size, const char *path,
                                  struct memory_report *report, struct rk_error *error)
{
    *report = (struct memory_report){.kind = memory_report_is(bytes, size)};
    if (report->kind == MEMORY_SNAPSHOT) return read_snapshot(bytes, size, path, report, error);
    char *text = report->kind ? strndup(bytes, size) : NULL;
    if (report->kind == MEMORY_UNKNOWN)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0, "has no known report of memory");
    if (!text) return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "out of memory");
    if (report->kind == MEMORY_TRACEBACK) read_traceback(text, report);
    if (strstr(text, "| Allocated memory") && !(report->allocated_bytes > 0))
        read_summary(text, report);
    free(text);
    return RK_OK;
}
