/* measure.c - what this machine's processors do, one alone and all at once, and their messages. */
#include "run/measure.h"

#include "run/blas.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_MEMBERS = 1024, FEW_SECONDS = 15 };

/* Threads that measure at the same time; the first one also alone, before, while they wait. */
struct crew {
    double seconds; /* of each thread */
    struct measure_times alone;
    struct rk_measured *out;
    pthread_barrier_t together;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { WAIT, GO, LEAVE } state;
};

struct member {
    struct crew *crew;
    struct measure_work *work;
    struct measure_times busy;
    struct rk_rates rates; /* while all are busy */
    pthread_t thread;
};

/* Alone and busy turn by turn, so that other load on the machine meets both. */
static void measure_kinds(struct member *m, bool first, bool together)
{
    struct crew *crew = m->crew;
    const int turns = crew->seconds < FEW_SECONDS ? 1 : MEASURE_TURNS; /* one takes 2 to 4 s */
    const double turn_s = crew->seconds / (together ? 2 : 1) / turns;
    for (int turn = 0; turn < turns; turn++)
        for (int kind = 0; kind < MEASURE_KINDS; kind++) {
            if (first)
                measure_kind(kind, turn, m->work, NULL, turn_s, &crew->alone, &crew->out->alone);
            if (!together) continue;
            pthread_barrier_wait(&crew->together);
            measure_kind(kind, turn, m->work, &crew->together, turn_s, &m->busy, &m->rates);
            pthread_barrier_wait(&crew->together);
        }
}

/* Runs on each thread but the first. */
static void *help(void *context)
{
    struct member *m = context;
    struct crew *crew = m->crew;
    pthread_mutex_lock(&crew->lock);
    while (crew->state == WAIT)
        pthread_cond_wait(&crew->changed, &crew->lock);
    const bool goes = crew->state == GO;
    pthread_mutex_unlock(&crew->lock);
    if (goes) measure_kinds(m, false, true);
    return NULL;
}

static bool run_crew(struct crew *crew, struct member *member, int members)
{
    int started = 1;
    while (started < members &&
           pthread_create(&member[started].thread, NULL, help, &member[started]) == 0)
        started++;
    const bool all = started == members;
    pthread_mutex_lock(&crew->lock);
    crew->state = all ? GO : LEAVE;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    if (all) measure_kinds(&member[0], true, true);
    for (int i = 1; i < started; i++)
        pthread_join(member[i].thread, NULL);
    return all;
}

static bool measure_busy(struct crew *crew, struct member *member, int members)
{
    if (pthread_barrier_init(&crew->together, NULL, (unsigned)members)) return false;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    const bool ok = run_crew(crew, member, members);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    pthread_barrier_destroy(&crew->together);
    crew->out->busy = member[0].rates;
    crew->out->busy_threads = members;
    return ok;
}

/* One a processor, but their buffers never take more than a quarter of the memory. */
static int members_of(const struct rk_measured *m)
{
    const double room = (double)m->memory_bytes / 4 / (double)measure_work_bytes();
    const int most = m->processors < MOST_MEMBERS ? (int)m->processors : MOST_MEMBERS;
    return room < 1 ? 1 : room < most ? (int)room : most;
}

static enum rk_status measure_rates(double seconds, struct rk_measured *out, struct rk_error *error)
{
    struct crew crew = {.seconds = seconds, .out = out};
    const int members = members_of(out);
    struct member *member = calloc((size_t)members, sizeof *member);
    int opened = 0;
    bool ok = true;
    for (; member && opened < members; opened++) {
        member[opened] = (struct member){.crew = &crew, .work = measure_open()};
        if (!member[opened].work) break;
    }
    if (opened > 1)
        ok = measure_busy(&crew, member, opened);
    else if (opened)
        measure_kinds(&member[0], true, false);
    for (int i = 0; i < opened; i++)
        measure_close(member[i].work);
    free(member);
    if (!opened) return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory to measure with");
    return ok ? RK_OK
              : rk_fail(error, RK_IO, NULL, 0, 0, "threads cannot be started to measure with");
}

/* That this process may run on, as nproc says: in a container, or under taskset, not all. */
static long usable_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                       : sysconf(_SC_NPROCESSORS_ONLN);
}

enum rk_status rk_measure(double seconds, struct rk_measured *out, struct rk_error *error)
{
    memset(out, 0, sizeof *out);
    out->processors = usable_processors();
    out->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGE_SIZE);
    enum rk_status status = blas_open(members_of(out), error);
    if (status == RK_OK) status = measure_rates(0.875 * seconds, out, error);
    if (status != RK_OK) return status;
    if (!measure_messages(out))
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0,
                       "no memory, or no threads, to measure messages with");
    return RK_OK;
}
