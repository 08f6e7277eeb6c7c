/* measure_messages.c - what messages between two threads take, by what passes and by the clock. */
#include "base/clock.h"
#include "run/comm.h"
#include "run/measure.h"
#include "run/real/kernels.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PINGS = 1000, TALK_ROOM = 1 << 26 };

struct pair {
    struct comm *comm;
    size_t bytes;
    int times;
    double latency_s, seconds, clock_s; /* of a run: that passed, and by the virtual clock */
    pthread_t thread;
};

static void add_floats(void *y, const void *x, size_t bytes)
{
    add_to(bytes / sizeof(float), x, y);
}

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

static bool all_reduce(struct comm *comm, size_t bytes, void *data, void *scratch)
{
    int ranks[2] = {0, 1};
    const struct comm_group both = {2, comm->rank, ranks};
    return comm_all_reduce(comm, &both, "measure", data, bytes, sizeof(float), scratch, add_floats);
}

/* Pings of 0 bytes, all-reduces of others, of other data each time, from memory. */
static void *talk(void *context)
{
    struct pair *p = context;
    const size_t used = p->bytes * (size_t)p->times, most = used < TALK_ROOM ? used : TALK_ROOM;
    const size_t room = p->bytes > most ? p->bytes : most;
    char *data = malloc(2 * room + 1), *scratch = data + room;
    size_t at = 0;
    p->seconds = p->clock_s = INFINITY;
    p->comm->clock.latency_s = p->latency_s;
    if (data) memset(data, 0, 2 * room);
    for (int i = 0; data && i < p->times; i++) {
        const double from = now_s();
        comm_clock_begin(p->comm);
        if (!(p->bytes ? all_reduce(p->comm, p->bytes, data + at, scratch + at) : ping(p->comm)))
            break;
        comm_clock_work(p->comm);
        p->seconds = fmin(p->seconds, now_s() - from);
        p->clock_s = fmin(p->clock_s, p->comm->clock.now_s);
        at = at + 2 * p->bytes <= room ? at + p->bytes : 0;
    }
    free(data);
    return NULL;
}

/* The longer of the two ranks' seconds, passed and by the clock. */
static void talk_s(size_t bytes, int times, double latency_s, double *passed_s, double *clock_s)
{
    struct comm_hub *hub = comm_hub_open(2, 60);
    struct pair pair[2];
    int started = 0;
    *passed_s = *clock_s = INFINITY;
    if (!hub) return;
    for (int i = 0; i < 2; i++) {
        pair[i] = (struct pair){
            .comm = comm_hub_rank(hub, i), .bytes = bytes, .times = times, .latency_s = latency_s};
        started += pthread_create(&pair[i].thread, NULL, talk, &pair[i]) == 0;
    }
    for (int i = 0; i < started; i++)
        pthread_join(pair[i].thread, NULL);
    comm_hub_close(hub);
    if (started < 2) return;
    *passed_s = fmax(pair[0].seconds, pair[1].seconds);
    *clock_s = fmax(pair[0].clock_s, pair[1].clock_s);
}

/* A message takes what passes beside the work of both sides. */
bool measure_messages(struct rk_measured *out)
{
    static const size_t sizes[] = {1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26};
    double passed_s, ping_s, small_s, large_s;
    talk_s(0, PINGS, 0, &passed_s, &ping_s);
    if (!isfinite(passed_s)) return false;
    const double latency_s = fmax(0, passed_s - ping_s) / 2;
    talk_s(64, PINGS, latency_s, &passed_s, &small_s);
    if (!isfinite(small_s)) return false;
    out->latency_s = latency_s;
    out->hop_s = small_s / 2;
    out->link.sizes = sizeof sizes / sizeof *sizes;
    for (int i = 0; i < out->link.sizes; i++) {
        talk_s(sizes[i], i < 3 ? 300 : i < 5 ? 20 : 6, latency_s, &passed_s, &large_s);
        if (!isfinite(large_s)) return false;
        out->link.bytes[i] = (double)sizes[i];
        out->link.rate_Bps[i] = (double)sizes[i] / fmax(large_s - small_s, 1e-9);
    }
    return true;
}
