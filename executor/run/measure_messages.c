/* measure_messages.c - what two threads take to exchange messages, as steps of training do it. */
#include "base/clock.h"
#include "run/comm.h"
#include "run/measure.h"
#include "run/pages.h"
#include "run/real/kernels.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A step has this number of exchanges, each elsewhere in memory; each counts with the least of all
 * steps, as in training (comm.h). WIPE bytes of other things go through the caches between them. */
enum { PINGS = 1000, STEPS = 10, MOST_PLACES = 32, ROOM = 1 << 26, WIPE = 1 << 23 };

struct talker {
    struct comm *comm;
    enum rk_exchange kind;
    size_t part; /* bytes that each has for the other; 0: pings */
    int places;
    char *from, *to, *wipe; /* (ROOM), (ROOM), (WIPE) */
    double seconds;         /* a ping, that passed */
    double clock_s;         /* an exchange, by the virtual clock */
    pthread_t thread;
};

static void add_floats(void *y, const void *x, size_t bytes)
{
    add_to(bytes / sizeof(float), x, y);
}

/* ---- exchanges ---- */

typedef bool exchange(struct talker *t, const struct comm_group *g, char *from, char *to);

static bool all_reduce(struct talker *t, const struct comm_group *g, char *from, char *to)
{
    return comm_all_reduce(t->comm, g, "measure", from, 2 * t->part, sizeof(float), to, add_floats);
}

static bool reduce_scatter(struct talker *t, const struct comm_group *g, char *from, char *to)
{
    return comm_reduce_scatter(t->comm, g, "measure", from, to, t->part, add_floats);
}

static bool all_gather(struct talker *t, const struct comm_group *g, char *from, char *to)
{
    return comm_all_gather(t->comm, g, "measure", from, to, t->part);
}

static bool all_to_all(struct talker *t, const struct comm_group *g, char *from, char *to)
{
    const size_t at[2] = {0, t->part}, bytes[2] = {t->part, t->part};
    return comm_all_to_all(t->comm, g, "measure", from, at, bytes, to, at, bytes);
}

static bool send_copy(struct talker *t, const struct comm_group *g, char *from, char *to)
{
    const int other = g->rank[1 - g->me];
    return comm_send(t->comm, other, COMM_MESSAGES, "measure", from, t->part) &&
           comm_receive(t->comm, other, COMM_MESSAGES, "measure", to, t->part);
}

static bool pass(struct talker *t, const struct comm_group *g, char *from, char *to)
{
    return comm_pass_on(t->comm, g, "measure", from, to, t->part);
}

/* gradients.c brings what it summed back to its place */
static bool sum_part(struct talker *t, const struct comm_group *g, char *from, char *to)
{
    if (!reduce_scatter(t, g, from, to)) return false;
    memcpy(from + (size_t)g->me * t->part, to, t->part);
    return true;
}

static bool gather_here(struct talker *t, const struct comm_group *g, char *from, char *to)
{
    (void)to;
    return all_gather(t, g, from + (size_t)g->me * t->part, from);
}

/* clang-format off */
static const struct {
    exchange *run;
    bool fresh; /* what is sent was just written */
} exchanges[RK_EXCHANGES] = {
    [RK_EXCHANGE_all_reduce]     = { all_reduce,     true },
    [RK_EXCHANGE_reduce_scatter] = { reduce_scatter, true },
    [RK_EXCHANGE_all_gather]     = { all_gather,     true },
    [RK_EXCHANGE_all_to_all]     = { all_to_all,     true },
    [RK_EXCHANGE_send]           = { send_copy,      true },
    [RK_EXCHANGE_pass]           = { pass,           true },
    [RK_EXCHANGE_sum_whole]      = { all_reduce,     false },
    [RK_EXCHANGE_sum_part]       = { sum_part,       false },
    [RK_EXCHANGE_gather_here]    = { gather_here,    true },
};
/* clang-format on */

/* ---- two threads ---- */

static bool ping(struct comm *comm)
{
    char byte[16] = {0};
    const int other = 1 - comm->rank;
    for (int i = 0; i < 2; i++)
        if (i == comm->rank ? !comm_send(comm, other, COMM_MESSAGES, "ping", byte, sizeof byte)
                            : !comm_receive(comm, other, COMM_MESSAGES, "ping", byte, sizeof byte))
            return false;
    return true;
}

static void pings(struct talker *t)
{
    t->seconds = t->clock_s = INFINITY;
    for (int i = 0; i < PINGS; i++) {
        const double from = now_s();
        comm_clock_begin(t->comm);
        if (!ping(t->comm)) return;
        comm_clock_work(t->comm);
        t->seconds = fmin(t->seconds, now_s() - from);
        t->clock_s = fmin(t->clock_s, t->comm->clock.now_s);
    }
}

/* One place of a step: seconds of the exchange alone; negative: it failed. */
static double exchange_at(struct talker *t, const struct comm_group *g, int place)
{
    const size_t stride = ROOM / (size_t)t->places;
    char *from = t->from + (size_t)place * stride, *to = t->to + (size_t)place * stride;
    memset(t->wipe, place, WIPE);
    if (exchanges[t->kind].fresh) memset(from, 0, 2 * t->part);
    if (!comm_barrier(t->comm, g)) return -1;
    comm_clock_meet(t->comm);
    const double begin_s = t->comm->clock.now_s;
    if (!exchanges[t->kind].run(t, g, from, to)) return -1;
    comm_clock_work(t->comm);
    return t->comm->clock.now_s - begin_s - comm_clock_late_s(t->comm);
}

static void exchange_all(struct talker *t)
{
    int ranks[2] = {0, 1};
    const struct comm_group both = {2, t->comm->rank, ranks};
    t->clock_s = INFINITY;
    for (int step = 0; step < STEPS; step++) {
        double sum_s = 0;
        comm_clock_begin(t->comm);
        for (int place = 0; place < t->places; place++) {
            const double one_s = exchange_at(t, &both, place);
            if (one_s < 0) return;
            sum_s += one_s;
        }
        if (step + 1 == STEPS) t->clock_s = sum_s / t->places;
    }
}

static void *talk(void *context)
{
    struct talker *t = context;
    if (t->part)
        exchange_all(t);
    else
        pings(t);
    return NULL;
}

/* The longer of the two ranks'; false: it failed, or there are no threads. */
static bool talk_of(struct talker both[2], double latency_s)
{
    struct comm_hub *hub = comm_hub_open(2, 60);
    int started = 0;
    if (!hub) return false;
    for (int i = 0; i < 2; i++) {
        both[i].comm = comm_hub_rank(hub, i);
        both[i].comm->clock.latency_s = latency_s;
        both[i].clock_s = INFINITY;
    }
    for (int i = 0; i < 2; i++)
        started += pthread_create(&both[i].thread, NULL, talk, &both[i]) == 0;
    for (int i = 0; i < started; i++)
        pthread_join(both[i].thread, NULL);
    comm_hub_close(hub);
    return started == 2 && isfinite(fmax(both[0].clock_s, both[1].clock_s));
}

static bool exchange_s(struct talker both[2], enum rk_exchange kind, size_t part, double latency_s,
                       double *time_s)
{
    const size_t most = ROOM / (2 * part);
    for (int i = 0; i < 2; i++) {
        both[i].kind = kind;
        both[i].part = part;
        both[i].places = most < MOST_PLACES ? (int)most : MOST_PLACES;
    }
    if (!talk_of(both, latency_s)) return false;
    *time_s =
        (both[0].clock_s + both[1].clock_s) / 2; /* they meet, and wait for each other apart */
    return true;
}

/* The latency of a message is the time that passes in addition to the work of both sides. */
static bool measure_latency(struct talker both[2], struct rk_measured *out)
{
    double small_s;
    both[0].part = both[1].part = 0;
    if (!talk_of(both, 0)) return false;
    out->latency_s =
        fmax(0, fmax(both[0].seconds, both[1].seconds) - fmax(both[0].clock_s, both[1].clock_s)) /
        2;
    if (!exchange_s(both, RK_EXCHANGE_all_reduce, 32, out->latency_s, &small_s)) return false;
    out->hop_s = small_s / 2;
    return true;
}

/* A rate for readers of a single one: that of an all-reduce, of both its halves, after the time of
 * two hops. Sizes that are too small have no rate of their own. */
static void list_streams(struct rk_measured *out)
{
    const struct rk_stream_rates *all = &out->exchange[RK_EXCHANGE_all_reduce];
    const double work_s = fmax(0, out->hop_s - out->latency_s);
    out->link.sizes = 0;
    for (int i = 0; i < all->sizes; i++) {
        const double time_s = all->bytes[i] / all->rate_Bps[i] - 2 * work_s;
        if (time_s < work_s) continue;
        out->link.bytes[out->link.sizes] = 2 * all->bytes[i];
        out->link.rate_Bps[out->link.sizes++] = 2 * all->bytes[i] / time_s;
    }
}

static bool measure_exchanges(struct talker both[2], struct rk_measured *out)
{
    static const size_t parts[] = {1 << 5,  1 << 11, 1 << 14, 1 << 16,
                                   1 << 18, 1 << 20, 1 << 22, 1 << 24};
    const int sizes = sizeof parts / sizeof *parts;
    for (int kind = 0; kind < RK_EXCHANGES; kind++) {
        struct rk_stream_rates *rates = &out->exchange[kind];
        const bool twice = exchanges[kind].run == all_reduce;
        rates->sizes = sizes;
        for (int i = 0; i < sizes; i++) {
            double time_s;
            if (!exchange_s(both, kind, parts[i], out->latency_s, &time_s)) return false;
            rates->bytes[i] = (double)parts[i];
            rates->rate_Bps[i] =
                (double)parts[i] / fmax(time_s - (twice ? 2 : 1) * out->latency_s, 1e-9);
        }
    }
    list_streams(out);
    return true;
}

bool measure_messages(struct rk_measured *out)
{
    struct talker both[2] = {{.part = 0}};
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        char *room = pages_take(2 * (size_t)ROOM + WIPE); /* as a step's arrays are */
        ok = ok && room;
        if (room) memset(room, 0, 2 * (size_t)ROOM + WIPE);
        both[i].from = room;
        both[i].to = room ? room + ROOM : NULL;
        both[i].wipe = room ? room + 2 * (size_t)ROOM : NULL;
    }
    ok = ok && measure_latency(both, out) && measure_exchanges(both, out);
    for (int i = 0; i < 2; i++)
        free(both[i].from);
    return ok;
}
