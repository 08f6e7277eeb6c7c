/* nccl.c - what NCCL says of its calls with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL
 * [nccl-debug]:
 *
 *     host:pid:tid [dev] NCCL INFO AllReduce: opCount 1b sendbuff 0x1 recvbuff 0x2 count 64
 *         datatype 7 op 0 root 0 comm 0x3 [nranks=2] stream 0x4                      (on one line)
 *     host:pid:tid [dev] NCCL INFO ncclCommInitRank comm 0x3 rank 0 nranks 2 ... commId 0x5 - Init
 * ..
 *
 * A communicator is an address of its process; its id and rank stand in the lines of INIT. Without
 * them the k-th communicator of n ranks of each process are taken together where there are n
 * processes that have one. */
#include "base/memory.h"
#include "check/findings.h"
#include "check/logs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

enum what { INIT, CALL };

struct line {
    enum what what;
    int kind; /* enum rk_log_kind */
    bool reduce;
    uint32_t number; /* in its text */
    size_t text;
    struct piece process;
    uint64_t comm, id, stream;
    uint64_t count, datatype, root, ranks, rank;
};

static const struct {
    const char *name;
    enum rk_log_kind kind;
} calls[] = {
    {"AllReduce", RK_LOG_ALL_REDUCE},
    {"AllGather", RK_LOG_ALL_GATHER},
    {"ReduceScatter", RK_LOG_REDUCE_SCATTER},
    {"Broadcast", RK_LOG_BROADCAST},
    {"Reduce", RK_LOG_ALL_REDUCE},
    {"AlltoAll", RK_LOG_ALL_TO_ALL},
    {"AllToAll", RK_LOG_ALL_TO_ALL},
    {"Send", RK_LOG_SEND},
    {"Recv", RK_LOG_RECV},
};

/* ncclDataType_t */
static const char *const datatypes[] = {"i8",   "u8",   "i32",  "u32",  "i64",     "u64",
                                        "fp16", "fp32", "fp64", "bf16", "fp8e4m3", "fp8e5m2"};

/* The number after a word of the line, "count ", in the base that it is written in. */
static bool number_at(const char *at, const char *end, const char *word, int base, uint64_t *value)
{
    const size_t n = strlen(word);
    for (const char *p = at; p + n < end; p++) {
        if (memcmp(p, word, n) != 0 || (p > at && p[-1] != ' ' && p[-1] != '[')) continue;
        char digits[32], *stop;
        size_t used = 0;
        for (p += n; p < end && used + 1 < sizeof digits && *p != ' ' && *p != ']'; p++)
            digits[used++] = *p;
        digits[used] = '\0';
        *value = strtoull(digits, &stop, base);
        return stop > digits;
    }
    return false;
}

/* "host:pid" and "[dev]" in front of NCCL INFO; timestamps and what launchers add are left out. */
static bool find_process(const char *begin, const char *mark, struct piece *process)
{
    const char *end = mark;
    while (end > begin && end[-1] == ' ')
        end--;
    const char *device = end;
    while (device > begin && *device != '[')
        device--;
    const char *name = device;
    while (name > begin && name[-1] == ' ')
        name--;
    while (name > begin && name[-1] != ' ' && name[-1] != '\t' && name[-1] != '>')
        name--;
    *process = (struct piece){name, (size_t)(end - name)};
    return *device == '[' && end > name;
}

static const char *find_text(const char *at, const char *end, const char *text)
{
    return memmem(at, (size_t)(end - at), text, strlen(text));
}

static bool read_call(const char *at, const char *end, struct line *line)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const size_t n = strlen(calls[i].name);
        if ((size_t)(end - at) <= n || memcmp(at, calls[i].name, n) != 0 || at[n] != ':') continue;
        line->kind = calls[i].kind;
        line->reduce = strcmp(calls[i].name, "Reduce") == 0;
        return number_at(at, end, "count ", 10, &line->count) &&
               number_at(at, end, "datatype ", 10, &line->datatype) &&
               number_at(at, end, "root ", 10, &line->root) &&
               number_at(at, end, "comm ", 16, &line->comm) &&
               number_at(at, end, "nranks=", 10, &line->ranks) &&
               number_at(at, end, "stream ", 16, &line->stream);
    }
    return false;
}

static bool read_init(const char *at, const char *end, struct line *line)
{
    return find_text(at, end, "commId") && number_at(at, end, "comm ", 16, &line->comm) &&
           number_at(at, end, "rank ", 10, &line->rank) &&
           number_at(at, end, "nranks ", 10, &line->ranks) &&
           number_at(at, end, "commId ", 16, &line->id);
}

static bool read_line(const char *at, const char *end, struct line *line)
{
    static const char mark[] = "NCCL INFO ";
    const char *info = find_text(at, end, mark);
    if (!info || !find_process(at, info, &line->process)) return false;
    const char *rest = info + sizeof mark - 1;
    line->what = CALL;
    if (read_call(rest, end, line)) return line->ranks > 0;
    line->what = INIT;
    return read_init(rest, end, line) && line->rank < line->ranks;
}

/* ---- processes and communicators ---- */

struct comm {
    uint32_t process;
    uint64_t at, id, ranks, rank;
    bool known;     /* id and rank are */
    uint32_t order; /* of those of as many ranks in its process */
    uint32_t group; /* + 1; 0: it cannot be told */
};

struct nccl {
    const struct rk_text *texts;
    struct names processes;
    struct comm *comm;
    uint32_t comms;
    uint32_t *rank; /* (processes) */
    size_t *file;   /* (processes) */
    struct rk_logs *logs;
    uint32_t *member; /* (comms) scratch */
    uint32_t last;    /* the communicator that was found last */
    int *open;        /* (processes) the stream + 1 on which messages start together */
    uint64_t *open_stream;
    uint64_t calls;
};

static struct comm *find_comm(struct nccl *n, const struct line *line)
{
    const uint32_t process = names_number(&n->processes, line->process.at, line->process.length);
    if (process == LOG_NONE) return NULL;
    for (uint32_t k = n->comms; k-- > 0;) { /* the newest of this address */
        struct comm *c = &n->comm[k];
        if (c->process == process && c->at == line->comm && c->ranks == line->ranks) return c;
    }
    if (!ARRAY_ROOM(n->comm, n->comms)) return NULL;
    struct comm *c = &n->comm[n->comms++];
    *c = (struct comm){.process = process, .at = line->comm, .ranks = line->ranks};
    for (uint32_t k = 0; k + 1 < n->comms; k++)
        c->order += n->comm[k].process == process && n->comm[k].ranks == c->ranks;
    return c;
}

typedef bool take_line(struct nccl *n, const struct line *line);

static bool each_line(struct nccl *n, size_t count, take_line *take)
{
    for (size_t t = 0; t < count; t++) {
        const char *at = n->texts[t].text, *end = at + n->texts[t].size;
        for (uint32_t number = 1; at < end; number++) {
            const char *stop = memchr(at, '\n', (size_t)(end - at));
            struct line line = {.number = number, .text = t};
            if (!stop) stop = end;
            if (read_line(at, stop, &line) && !take(n, &line)) return false;
            at = stop + 1;
        }
    }
    return true;
}

static bool note_line(struct nccl *n, const struct line *line)
{
    struct comm *c = find_comm(n, line);
    if (!c) return false;
    if (line->what == CALL) n->calls++;
    if (line->what == INIT) {
        c->known = true;
        c->id = line->id;
        c->rank = line->rank;
    }
    return true;
}

/* Ranks of the run are those of the largest communicator; else processes as they come. */
static bool number_processes(struct nccl *n, size_t count)
{
    const uint32_t processes = n->processes.count;
    n->rank = malloc((processes + 1) * sizeof *n->rank);
    n->file = calloc(processes + 1, sizeof *n->file);
    n->open = calloc(processes + 1, sizeof *n->open);
    n->open_stream = calloc(processes + 1, sizeof *n->open_stream);
    bool *taken = calloc(processes + 1, sizeof *taken);
    if (!n->rank || !n->file || !n->open || !n->open_stream || !taken) {
        free(taken);
        return false;
    }
    bool all = true;
    for (uint32_t p = 0; p < processes; p++) {
        n->rank[p] = LOG_NONE;
        for (uint32_t k = 0; k < n->comms; k++)
            if (n->comm[k].process == p && n->comm[k].known && n->comm[k].ranks == processes)
                n->rank[p] = (uint32_t)n->comm[k].rank;
        all &= n->rank[p] != LOG_NONE && !taken[n->rank[p]];
        if (n->rank[p] != LOG_NONE) taken[n->rank[p]] = true;
    }
    for (uint32_t p = 0; !all && p < processes; p++)
        n->rank[p] = p;
    free(taken);
    (void)count;
    return true;
}

/* Are these of one communicator? */
static bool together(const struct comm *a, const struct comm *b)
{
    if (a->ranks != b->ranks || a->known != b->known) return false;
    return a->known ? a->id == b->id : a->order == b->order;
}

static bool form_groups(struct nccl *n, struct rk_findings *findings)
{
    uint32_t lost = 0;
    n->member = malloc((n->comms + 1) * sizeof *n->member);
    if (!n->member) return false;
    for (uint32_t k = 0; k < n->comms; k++) {
        struct comm *c = &n->comm[k];
        uint32_t found = 0;
        if (c->group || c->ranks > n->processes.count) {
            lost += !c->group;
            continue;
        }
        for (uint64_t i = 0; i < c->ranks; i++)
            n->member[i] = LOG_NONE;
        for (uint32_t i = k; i < n->comms && found <= c->ranks; i++) {
            if (!together(c, &n->comm[i])) continue;
            const uint64_t place = c->known ? n->comm[i].rank : found;
            if (place < c->ranks) n->member[place] = n->rank[n->comm[i].process];
            found++;
        }
        bool whole = found == c->ranks;
        for (uint64_t i = 0; whole && i < c->ranks; i++)
            whole = n->member[i] != LOG_NONE;
        lost += !whole;
        if (!whole) continue;
        const uint32_t group = log_group(n->logs, n->member, (uint32_t)c->ranks);
        if (group == LOG_NONE) return false;
        for (uint32_t i = k; i < n->comms; i++)
            if (together(c, &n->comm[i])) n->comm[i].group = group + 1;
    }
    if (lost) {
        struct rk_finding *f = findings_add(findings, "");
        f->severity = RK_ASSUMED;
        snprintf(f->what, sizeof f->what, "%" PRIu32 " communicators", lost);
        snprintf(f->need, sizeof f->need, "are passed over: not all of their ranks are told");
        snprintf(f->fix, sizeof f->fix,
                 "log with NCCL_DEBUG_SUBSYS=INIT,COLL, and give the logs of all ranks");
    }
    return true;
}

/* ---- calls ---- */

static bool close_group(struct nccl *n, uint32_t process, uint32_t line)
{
    struct rk_error error;
    const struct pieces end = {.kind = RK_LOG_END, .line = line};
    if (!n->open[process]) return true;
    n->open[process] = 0;
    return log_add(n->logs, n->rank[process], &end, &error) == RK_OK;
}

/* Messages in a row on one stream may have been started together: the log does not say. */
static bool open_group(struct nccl *n, const struct comm *c, const struct line *line)
{
    struct rk_error error;
    const struct pieces begin = {.kind = RK_LOG_BEGIN, .line = line->number};
    const bool message = line->kind == RK_LOG_SEND || line->kind == RK_LOG_RECV;
    if (message && n->open[c->process] && n->open_stream[c->process] == line->stream) return true;
    if (!close_group(n, c->process, line->number)) return false;
    if (!message) return true;
    n->open[c->process] = 1;
    n->open_stream[c->process] = line->stream;
    return log_add(n->logs, n->rank[c->process], &begin, &error) == RK_OK;
}

static bool take_call(struct nccl *n, const struct line *line)
{
    struct rk_error error;
    char stream[24], datatype[40];
    if (line->what != CALL) return true;
    const struct comm *c = find_comm(n, line);
    if (!c || !c->group) return c != NULL;
    if (!open_group(n, c, line)) return false;
    const char *type =
        line->datatype < sizeof datatypes / sizeof *datatypes ? datatypes[line->datatype] : "other";
    const bool rooted = line->reduce || line->kind == RK_LOG_BROADCAST;
    if (rooted)
        snprintf(datatype, sizeof datatype, "%s%s,root=%" PRIu64, type,
                 line->reduce ? ",reduce" : "", line->root);
    else
        snprintf(datatype, sizeof datatype, "%s", type);
    snprintf(stream, sizeof stream, "%" PRIx64, line->stream);
    struct pieces p = {.kind = (enum rk_log_kind)line->kind,
                       .line = line->number,
                       .stream = {stream, strlen(stream)},
                       .datatype = {datatype, strlen(datatype)},
                       .has_stream = true,
                       .count = line->count,
                       .group = c->group - 1};
    if (is_message(line->kind)) {
        const struct group *g = &n->logs->group[c->group - 1];
        if (line->root >= g->count) return true;
        p.peer = n->logs->member[g->first + line->root];
    }
    n->file[n->rank[c->process]] = line->text;
    return log_add(n->logs, n->rank[c->process], &p, &error) == RK_OK;
}

/* ---- all ---- */

static void release(struct nccl *n)
{
    names_release(&n->processes);
    free(n->comm);
    free(n->rank);
    free(n->member);
    free(n->open);
    free(n->open_stream);
}

enum rk_status rk_nccl_logs(const struct rk_text *texts, size_t count, struct rk_logs **logs,
                            uint32_t *ranks, size_t **file, struct rk_findings *findings,
                            struct rk_error *error)
{
    struct nccl n = {.texts = texts};
    enum rk_status status = RK_OK;
    *logs = NULL;
    *file = NULL;
    bool good = each_line(&n, count, note_line);
    if (good && !n.calls)
        status = rk_fail(error, RK_BAD_INPUT, count ? texts[0].path : NULL, 0, 0,
                         "has no calls of NCCL: log with NCCL_DEBUG=INFO and "
                         "NCCL_DEBUG_SUBSYS=INIT,COLL");
    *ranks = n.processes.count;
    if (status == RK_OK && good) status = rk_logs_new(n.processes.count, logs, error);
    n.logs = *logs;
    if (status == RK_OK)
        good = good && number_processes(&n, count) && form_groups(&n, findings) &&
               each_line(&n, count, take_call);
    for (uint32_t p = 0; status == RK_OK && good && p < n.processes.count; p++)
        good = close_group(&n, p, 0);
    if (status == RK_OK && !good) status = no_memory(error);
    *file = n.file;
    release(&n);
    return status;
}
