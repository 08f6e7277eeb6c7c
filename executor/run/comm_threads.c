/* comm_threads.c - ranks as threads of one process: each has a mailbox, a lock and a condition. */
#include "run/comm.h"

#include "base/clock.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct mailbox { /* messages of all senders to one rank */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct line { /* of one sender, in the order sent */
        struct comm_message *first, **last;
    } * from; /* (ranks) */
};

struct comm_hub {
    int ranks;
    double limit_s;
    struct comm *comm;       /* (ranks) */
    struct mailbox *mailbox; /* (ranks) */
    pthread_mutex_t lock;
    struct rk_error error;
    volatile int failed;
};

/* What a rank says when another one has failed. */
static bool give_up(struct comm *comm)
{
    struct comm_hub *hub = comm->state;
    pthread_mutex_lock(&hub->lock);
    if (comm->error.status == RK_OK) comm->error = hub->error;
    pthread_mutex_unlock(&hub->lock);
    return false;
}

static void hub_fail(struct comm *comm, const struct rk_error *error)
{
    struct comm_hub *hub = comm->state;
    pthread_mutex_lock(&hub->lock);
    if (!hub->failed) hub->error = *error;
    __atomic_store_n(&hub->failed, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&hub->lock);
    for (int i = 0; i < hub->ranks; i++) {
        pthread_mutex_lock(&hub->mailbox[i].lock);
        pthread_cond_broadcast(&hub->mailbox[i].changed);
        pthread_mutex_unlock(&hub->mailbox[i].lock);
    }
}

static bool has_failed(const struct comm_hub *hub)
{
    return __atomic_load_n(&hub->failed, __ATOMIC_ACQUIRE);
}

static bool hub_post(struct comm *comm, int to, struct comm_message *m)
{
    struct comm_hub *hub = comm->state;
    struct mailbox *box = &hub->mailbox[to];
    comm_clock_work(comm);
    m->clock_s = comm->clock.base_s + comm->clock.now_s;
    m->met_s = comm->clock.met_s;
    m->next = NULL;
    m->taken = 0;
    m->to = to;
    if (has_failed(hub)) {
        if (m->owned) free(m);
        return give_up(comm);
    }
    pthread_mutex_lock(&box->lock);
    struct line *line = &box->from[comm->rank];
    m->posted = true;
    *line->last = m;
    line->last = &m->next;
    pthread_cond_broadcast(&box->changed);
    pthread_mutex_unlock(&box->lock);
    return true;
}

static struct comm_message *take_first(struct line *line, uint32_t tag)
{
    for (struct comm_message **link = &line->first; *link; link = &(*link)->next)
        if ((*link)->tag == tag) {
            struct comm_message *m = *link;
            *link = m->next;
            if (line->last == &m->next) line->last = link;
            return m;
        }
    return NULL;
}

/* Waits on the box, locked, for at most a second; false when the limit is over or a rank failed.
 * `since`: when it was first waited for, 0 before that: clocks are read by who really waits. */
static bool wait_a_while(struct comm_hub *hub, struct mailbox *box, double *since)
{
    const double at_s = now_s();
    struct timespec until = {.tv_sec = (time_t)at_s + 1};
    until.tv_nsec = (long)(1e9 * (at_s - floor(at_s)));
    if (*since == 0) *since = at_s;
    if (has_failed(hub) || at_s - *since >= hub->limit_s) return false;
    pthread_cond_timedwait(&box->changed, &box->lock, &until);
    return true;
}

static bool fail_late(struct comm *comm, int from, const char *what)
{
    struct comm_hub *hub = comm->state;
    struct rk_error error;
    if (has_failed(hub)) return give_up(comm);
    rk_fail(&error, RK_IO, NULL, 0, 0, "rank %d waited %.0f s for \"%s\" of rank %d, in vain",
            comm->rank, hub->limit_s, what, from);
    return comm_fail(comm, &error);
}

static bool fail_other(struct comm *comm, int from, const char *what, size_t bytes,
                       const struct comm_message *m)
{
    struct rk_error error;
    rk_fail(&error, RK_PROTOCOL, NULL, 0, 0,
            "rank %d expects %zu bytes of \"%s\" from rank %d, which sends %zu of \"%s\"",
            comm->rank, bytes, what, from, m->bytes, m->what);
    return comm_fail(comm, &error);
}

static bool hub_receive(struct comm *comm, int from, uint32_t tag, const char *what, size_t bytes,
                        comm_take *take, void *context)
{
    struct comm_hub *hub = comm->state;
    struct mailbox *box = &hub->mailbox[comm->rank], *back = &hub->mailbox[from];
    double since = 0;
    struct comm_message *m;
    comm_clock_work(comm);
    pthread_mutex_lock(&box->lock);
    while (!(m = take_first(&box->from[from], tag)))
        if (!wait_a_while(hub, box, &since)) {
            pthread_mutex_unlock(&box->lock);
            return fail_late(comm, from, what);
        }
    pthread_mutex_unlock(&box->lock);
    if (since > 0) comm->waited_s += now_s() - since;
    comm_clock_wait(comm, m->clock_s + comm->clock.latency_s - comm->clock.base_s);
    comm->clock.latest_s = fmax(comm->clock.latest_s, m->met_s);
    comm_clock_amount(comm, (double)bytes);
    const bool right = m->bytes == bytes && strcmp(m->what, what) == 0;
    if (!right)
        fail_other(comm, from, what, bytes, m);
    else if (take)
        take(context, m->data, bytes);
    else
        memcpy(context, m->data, bytes);
    comm_clock_work(comm);
    m->clock_s = comm->clock.base_s + comm->clock.now_s;
    if (m->owned) {
        free(m);
        return right;
    }
    pthread_mutex_lock(&back->lock);
    m->taken = 1;
    pthread_cond_broadcast(&back->changed);
    pthread_mutex_unlock(&back->lock);
    return right;
}

/* Takes a message back that nobody will take; false: somebody is at it. */
static bool withdraw(struct comm *comm, struct comm_message *m)
{
    struct comm_hub *hub = comm->state;
    struct mailbox *box = &hub->mailbox[m->to];
    bool found = false;
    pthread_mutex_lock(&box->lock);
    struct line *line = &box->from[comm->rank];
    for (struct comm_message **link = &line->first; *link && !found; link = &(*link)->next)
        if (*link == m) {
            *link = m->next;
            if (line->last == &m->next) line->last = link;
            found = true;
            break;
        }
    pthread_mutex_unlock(&box->lock);
    return found;
}

static bool hub_wait(struct comm *comm, struct comm_message *m)
{
    struct comm_hub *hub = comm->state;
    struct mailbox *box = &hub->mailbox[comm->rank];
    double since = 0;
    bool taken;
    comm_clock_work(comm);
    pthread_mutex_lock(&box->lock);
    while (!(taken = m->taken) && wait_a_while(hub, box, &since))
        ;
    pthread_mutex_unlock(&box->lock);
    if (taken) comm_clock_wait(comm, m->clock_s - comm->clock.base_s);
    if (taken) return true;
    if (!withdraw(comm, m)) {
        pthread_mutex_lock(&box->lock);
        while (!m->taken)
            pthread_cond_wait(&box->changed, &box->lock);
        pthread_mutex_unlock(&box->lock);
    }
    return fail_late(comm, m->to, m->what);
}

struct comm_hub *comm_hub_open(int ranks, double limit_s)
{
    struct comm_hub *hub = calloc(1, sizeof *hub);
    if (!hub) return NULL;
    *hub = (struct comm_hub){.ranks = ranks, .limit_s = limit_s};
    hub->comm = calloc((size_t)ranks, sizeof *hub->comm);
    hub->mailbox = calloc((size_t)ranks, sizeof *hub->mailbox);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&hub->lock, NULL);
    bool ok = hub->comm && hub->mailbox;
    for (int i = 0; i < ranks && ok; i++) {
        struct mailbox *box = &hub->mailbox[i];
        pthread_mutex_init(&box->lock, NULL);
        pthread_cond_init(&box->changed, &monotonic);
        box->from = calloc((size_t)ranks, sizeof *box->from);
        ok = box->from;
        for (int j = 0; j < ranks && ok; j++)
            box->from[j].last = &box->from[j].first;
        hub->comm[i] = (struct comm){.rank = i,
                                     .ranks = ranks,
                                     .clock.runs = true,
                                     .state = hub,
                                     .post = hub_post,
                                     .receive = hub_receive,
                                     .wait = hub_wait,
                                     .fail = hub_fail};
    }
    pthread_condattr_destroy(&monotonic);
    if (ok) return hub;
    comm_hub_close(hub);
    return NULL;
}

void comm_hub_close(struct comm_hub *hub)
{
    if (!hub) return;
    for (int i = 0; hub->mailbox && i < hub->ranks; i++) {
        struct mailbox *box = &hub->mailbox[i];
        for (int j = 0; box->from && j < hub->ranks; j++)
            for (struct comm_message *m = box->from[j].first, *next; m; m = next) {
                next = m->next;
                if (m->owned) free(m);
            }
        free(box->from);
        pthread_mutex_destroy(&box->lock);
        pthread_cond_destroy(&box->changed);
    }
    pthread_mutex_destroy(&hub->lock);
    for (int i = 0; hub->comm && i < hub->ranks; i++) {
        free(hub->comm[i].clock.least_s);
        scratch_release(&hub->comm[i].scratch);
    }
    free(hub->mailbox);
    free(hub->comm);
    free(hub);
}

struct comm *comm_hub_rank(struct comm_hub *hub, int rank)
{
    return &hub->comm[rank];
}

struct rk_error comm_hub_error(struct comm_hub *hub)
{
    pthread_mutex_lock(&hub->lock);
    struct rk_error error = hub->error;
    pthread_mutex_unlock(&hub->lock);
    return error;
}
