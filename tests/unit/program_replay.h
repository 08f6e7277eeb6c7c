/* program_replay.h - programs of all ranks run against each other: do messages pair, does nobody
 * wait for ever, is what touches a tensor ordered? Written without a look at how programs are made.
 */
#ifndef RECKON_TESTS_PROGRAM_REPLAY_H
#define RECKON_TESTS_PROGRAM_REPLAY_H

#include <reckon/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool replay_is_message(const struct rk_instruction *in)
{
    return in->what == RK_DO_SEND || in->what == RK_DO_RECV;
}

static inline bool replay_is_collective(const struct rk_instruction *in)
{
    return in->what >= RK_DO_ALL_REDUCE && in->what <= RK_DO_BROADCAST;
}

/* ---- order of accesses within a rank ---- */

/* NULL, or what is wrong. Events are all that orders streams here. */
static inline const char *replay_races(const struct rk_program *p)
{
    static char wrong[256];
    struct access {
        int32_t write[RK_STREAMS], read[RK_STREAMS]; /* the last ones, by stream */
        int alive;
    } *access = malloc((p->tensors + 1) * sizeof *access);
    int32_t(*recorded)[RK_STREAMS] = malloc((p->instructions + 1) * sizeof *recorded);
    int32_t clock[RK_STREAMS][RK_STREAMS];
    const char *found = NULL;
    memset(access, 0xff, (p->tensors + 1) * sizeof *access);
    memset(clock, 0xff, sizeof clock);
    for (size_t t = 0; t < p->tensors; t++)
        access[t].alive = 0;
    for (size_t i = 0; i < p->instructions && !found; i++) {
        const struct rk_instruction *in = &p->instruction[i];
        int32_t *own = clock[in->stream];
        own[in->stream] = (int32_t)i;
        if (in->what == RK_DO_RECORD) memcpy(recorded[in->other], own, sizeof *recorded);
        if (in->what == RK_DO_WAIT)
            for (int s = 0; s < RK_STREAMS; s++)
                if (recorded[in->other][s] > own[s]) own[s] = recorded[in->other][s];
        const bool life = in->what == RK_DO_ALLOC || in->what == RK_DO_FREE;
        const uint32_t count = life ? 1 : (uint32_t)in->reads + in->writes;
        for (uint32_t k = 0; k < count && !found; k++) {
            const uint32_t t = life ? in->other : p->reference[in->tensors + k];
            const bool lasts = p->tensor[t].microbatch == RK_NONE; /* there before the step */
            const bool writes = (life && !lasts) || (!life && k >= in->reads);
            struct access *a = &access[t];
            bool ordered = true;
            for (int s = 0; s < RK_STREAMS; s++)
                ordered &= a->write[s] <= own[s] && (!writes || a->read[s] <= own[s]);
            if (in->what == RK_DO_ALLOC && a->alive++) ordered = false;
            if (in->what == RK_DO_FREE && !a->alive--) ordered = false;
            if (!life && !a->alive) ordered = false;
            (writes ? a->write : a->read)[in->stream] = (int32_t)i;
            char name[RK_TENSOR_NAME];
            rk_program_tensor_name(p, t, name, sizeof name);
            if (!ordered)
                snprintf(wrong, sizeof wrong, "rank %u, instruction %zu (%s): %s", p->rank, i + 1,
                         rk_program_do_name(in->what), name),
                    found = wrong;
        }
    }
    free(access);
    free(recorded);
    return found;
}

/* ---- all ranks ---- */

struct replay_pair { /* the n-th message from one rank to another */
    const struct rk_instruction *send, *recv;
    bool send_waits, recv_waits;
};

struct replay {
    const struct rk_program *p; /* (ranks) */
    uint32_t ranks;
    struct replay_pair *pair; /* all of them */
    size_t pairs;
    size_t **message;      /* (ranks, instructions) the pair of a message, which collective
                              of its ranks */
    uint32_t *comm_of[64]; /* (ranks)(groups) communicator */
    struct replay_comm {
        const struct rk_group *group;
        uint32_t waiting;
        size_t done; /* its collectives come in one order, whatever the streams */
        const struct rk_instruction *first;
    } comm[4096];
    uint32_t comms;
    char wrong[256];
};

static inline bool replay_same_group(const struct rk_group *a, const struct rk_group *b)
{
    return a->ranks == b->ranks && memcmp(a->rank, b->rank, a->ranks * sizeof *a->rank) == 0;
}

static inline uint32_t replay_comm_of(struct replay *r, const struct rk_group *group)
{
    uint32_t i = 0;
    while (i < r->comms && !replay_same_group(r->comm[i].group, group))
        i++;
    if (i == r->comms) r->comm[r->comms++] = (struct replay_comm){.group = group};
    return i;
}

static inline bool replay_match_messages(struct replay *r)
{
    size_t total = 0;
    const size_t cells = (size_t)r->ranks * r->ranks;
    size_t *count[2] = {calloc(cells, sizeof(size_t)), calloc(cells, sizeof(size_t))};
    size_t *first = calloc(cells + 1, sizeof *first);
    for (int round = 0; round < 2; round++) {
        for (uint32_t rank = 0; rank < r->ranks; rank++)
            for (size_t i = 0; i < r->p[rank].instructions; i++) {
                const struct rk_instruction *in = &r->p[rank].instruction[i];
                if (!replay_is_message(in)) continue;
                const bool send = in->what == RK_DO_SEND;
                const size_t cell = send ? (size_t)rank * r->ranks + in->other
                                         : (size_t)in->other * r->ranks + rank;
                const size_t n = count[!send][cell]++;
                if (round == 0) continue;
                const size_t at = first[cell] + n;
                *(send ? &r->pair[at].send : &r->pair[at].recv) = in;
                r->message[rank][i] = at;
            }
        if (round == 1) break;
        for (size_t c = 0; c < cells; c++) {
            if (count[0][c] != count[1][c])
                snprintf(r->wrong, sizeof r->wrong, "%zu sends and %zu receives from %zu to %zu",
                         count[0][c], count[1][c], c / r->ranks, c % r->ranks);
            first[c] = total;
            total += count[0][c] > count[1][c] ? count[0][c] : count[1][c];
            count[0][c] = count[1][c] = 0;
        }
        r->pairs = total;
        r->pair = calloc(total + 1, sizeof *r->pair);
    }
    for (size_t i = 0; i < total && !*r->wrong; i++) {
        const struct rk_instruction *s = r->pair[i].send, *v = r->pair[i].recv;
        if (s->tag != v->tag || s->count != v->count || s->element != v->element)
            snprintf(r->wrong, sizeof r->wrong, "message %u of %llu is received as %u of %llu",
                     s->tag, (unsigned long long)s->count, v->tag, (unsigned long long)v->count);
    }
    free(count[0]);
    free(count[1]);
    free(first);
    return !*r->wrong;
}

struct replay_queue {
    uint32_t *at; /* instructions of this stream, in order */
    size_t count, next;
    bool posted; /* the head has been announced */
};

/* Can the head go? Announces it. */
static inline bool replay_step(struct replay *r, uint32_t rank, struct replay_queue *q,
                               uint8_t *event)
{
    const struct rk_program *p = &r->p[rank];
    const struct rk_instruction *in = &p->instruction[q->at[q->next]];
    size_t end = q->next;
    if (in->what == RK_DO_RECORD) event[in->other] = 1;
    if (in->what == RK_DO_WAIT) return event[in->other];
    if (replay_is_collective(in)) {
        struct replay_comm *comm = &r->comm[r->comm_of[rank][in->other]];
        if (!q->posted && r->message[rank][q->at[q->next]] != comm->done) return false;
        if (!q->posted) {
            if (comm->waiting == 0) comm->first = in;
            if (comm->first->what != in->what || comm->first->count != in->count ||
                comm->first->element != in->element)
                snprintf(r->wrong, sizeof r->wrong, "%s of %llu meets %s of %llu",
                         rk_program_do_name(in->what), (unsigned long long)in->count,
                         rk_program_do_name(comm->first->what),
                         (unsigned long long)comm->first->count);
            comm->waiting++;
            q->posted = true;
        }
        /* all are there: the last one lets go, and the others find it done */
        if (comm->waiting < comm->group->ranks) return false;
        return true;
    }
    if (in->what == RK_DO_BEGIN)
        while (p->instruction[q->at[end]].what != RK_DO_END)
            end++;
    bool done = true;
    for (size_t i = q->next; i <= end; i++) {
        const struct rk_instruction *one = &p->instruction[q->at[i]];
        if (!replay_is_message(one)) continue;
        struct replay_pair *pair = &r->pair[r->message[rank][q->at[i]]];
        *(one->what == RK_DO_SEND ? &pair->send_waits : &pair->recv_waits) = true;
        done &= pair->send_waits && pair->recv_waits;
    }
    if (done) q->next = end;
    return done;
}

/* Runs all; NULL, or what is wrong. */
static inline const char *replay_run(const struct rk_program *programs, uint32_t ranks)
{
    static struct replay r;
    static struct replay_queue queue[64][RK_STREAMS];
    uint8_t *event[64];
    memset(&r, 0, sizeof r);
    memset(queue, 0, sizeof queue);
    r.p = programs;
    r.ranks = ranks;
    r.message = calloc(ranks, sizeof *r.message);
    for (uint32_t i = 0; i < ranks; i++) {
        const struct rk_program *p = &programs[i];
        r.message[i] = calloc(p->instructions + 1, sizeof **r.message);
        event[i] = calloc(p->instructions + 1, 1);
        r.comm_of[i] = calloc(p->groups + 1, sizeof **r.comm_of);
        for (size_t g = 0; g < p->groups; g++)
            r.comm_of[i][g] = replay_comm_of(&r, &p->group[g]);
        for (int s = 0; s < RK_STREAMS; s++) {
            queue[i][s].at = malloc((p->instructions + 1) * sizeof(uint32_t));
            for (size_t k = 0; k < p->instructions; k++)
                if (p->instruction[k].stream == s)
                    queue[i][s].at[queue[i][s].count++] = (uint32_t)k;
        }
    }
    for (uint32_t i = 0; i < ranks; i++) {
        size_t *count = calloc(r.comms + 1, sizeof *count);
        for (size_t k = 0; k < programs[i].instructions; k++)
            if (replay_is_collective(&programs[i].instruction[k]))
                r.message[i][k] = count[r.comm_of[i][programs[i].instruction[k].other]]++;
        free(count);
    }
    bool moved = replay_match_messages(&r);
    while (moved && !*r.wrong) {
        moved = false;
        for (uint32_t i = 0; i < ranks; i++)
            for (int s = 0; s < RK_STREAMS; s++) {
                struct replay_queue *q = &queue[i][s];
                while (q->next < q->count && !*r.wrong && replay_step(&r, i, q, event[i])) {
                    const struct rk_instruction *in = &programs[i].instruction[q->at[q->next]];
                    if (replay_is_collective(in)) {
                        /* lets all members go at once */
                        struct replay_comm *comm = &r.comm[r.comm_of[i][in->other]];
                        comm->waiting = 0;
                        comm->done++;
                        for (uint32_t m = 0; m < comm->group->ranks; m++) {
                            const uint32_t member = comm->group->rank[m];
                            for (int t = 0; t < RK_STREAMS; t++) {
                                struct replay_queue *o = &queue[member][t];
                                const struct rk_instruction *head =
                                    o->next < o->count
                                        ? &programs[member].instruction[o->at[o->next]]
                                        : NULL;
                                if (!head || !o->posted || !replay_is_collective(head) ||
                                    r.comm_of[member][head->other] != r.comm_of[i][in->other])
                                    continue;
                                o->posted = false;
                                o->next++;
                            }
                        }
                    } else {
                        q->next++;
                    }
                    moved = true;
                }
            }
    }
    for (uint32_t i = 0; i < ranks; i++) {
        for (int s = 0; s < RK_STREAMS; s++) {
            const struct replay_queue *q = &queue[i][s];
            if (q->next < q->count && !*r.wrong) {
                const struct rk_instruction *in = &programs[i].instruction[q->at[q->next]];
                snprintf(r.wrong, sizeof r.wrong,
                         "rank %u %s waits for ever: instruction %u, %s %u", i,
                         rk_program_stream_name(s), q->at[q->next] + 1,
                         rk_program_do_name(in->what), in->other);
            }
            free(q->at);
        }
        free(r.message[i]);
        free(event[i]);
        free(r.comm_of[i]);
    }
    free(r.message);
    free(r.pair);
    return *r.wrong ? r.wrong : NULL;
}

#endif
