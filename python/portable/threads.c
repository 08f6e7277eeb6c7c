/* threads.c - the functions of GCC's OpenMP that the planner calls, on POSIX threads, for a library
 * that needs nothing but glibc: libgomp.a cannot be part of a shared library (its threads' data are
 * of the executable's model), and libgomp.so of Debian 12 asks for glibc 2.34.
 *
 * What is called is what GCC 12 makes of the pragmas of the sources (libgomp's manual, "The libgomp
 * ABI"): a region of N threads, in it loops that are dealt out dynamically, `single`, `critical`. A
 * region makes its threads and waits for their end; an answer does not depend on how many there are
 * (docs/search.md). Regions are not nested.
 */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

typedef unsigned long long ull;

enum { MOST_THREADS = 1024, MOST_SHARES = 8 };

/* A loop or a `single` of a region, the same one for all its threads. */
struct share {
    bool begun;
    ull next, end, step; /* of a loop; step: indices that one thread takes at a time */
};

struct team {
    void (*run)(void *);
    void *with;
    unsigned threads;
    pthread_mutex_t lock;
    pthread_cond_t passed;
    unsigned waiting, barriers;
    struct share share[MOST_SHARES];
};

static __thread struct team *team; /* NULL: outside of regions */
static __thread int number;        /* of this thread in it */
static __thread unsigned shares;   /* that it has begun */

static pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER;

int omp_get_num_procs(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int omp_get_max_threads(void)
{
    const char *said = getenv("OMP_NUM_THREADS");
    const int threads = said ? atoi(said) : 0;
    return threads > 0 ? threads : omp_get_num_procs();
}

int omp_get_num_threads(void)
{
    return team ? (int)team->threads : 1;
}
int omp_get_thread_num(void)
{
    return team ? number : 0;
}

/* ---- regions ---- */

void GOMP_parallel(void (*run)(void *), void *with, unsigned threads, unsigned flags);
void GOMP_barrier(void);

struct member {
    struct team *team;
    int number;
};

static void *work(void *context)
{
    const struct member *member = context;
    pthread_mutex_lock(&member->team->lock); /* all of them are made */
    pthread_mutex_unlock(&member->team->lock);
    team = member->team;
    number = member->number;
    shares = 0;
    team->run(team->with);
    team = NULL;
    return NULL;
}

/* Threads that cannot be made are not missed: the region has fewer, before any of them begins. */
static unsigned start(struct team *of, struct member *member, pthread_t *thread, unsigned threads)
{
    unsigned made = 1;
    pthread_mutex_lock(&of->lock);
    for (; made < threads; made++) {
        member[made] = (struct member){.team = of, .number = (int)made};
        if (pthread_create(&thread[made], NULL, work, &member[made])) break;
    }
    of->threads = made;
    pthread_mutex_unlock(&of->lock);
    return made;
}

void GOMP_parallel(void (*run)(void *), void *with, unsigned threads, unsigned flags)
{
    struct member member[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    struct team of = {.run = run,
                      .with = with,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .passed = PTHREAD_COND_INITIALIZER};
    (void)flags;
    if (!threads) threads = (unsigned)omp_get_max_threads();
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    const unsigned made = start(&of, member, thread, threads);
    member[0] = (struct member){.team = &of, .number = 0};
    work(&member[0]);
    for (unsigned i = 1; i < made; i++)
        pthread_join(thread[i], NULL);
}

void GOMP_barrier(void)
{
    pthread_mutex_lock(&team->lock);
    const unsigned barrier = team->barriers;
    if (++team->waiting == team->threads) {
        team->waiting = 0;
        team->barriers++;
        pthread_cond_broadcast(&team->passed);
    }
    while (team->barriers == barrier)
        pthread_cond_wait(&team->passed, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

/* ---- shares of a region ---- */

bool GOMP_single_start(void);
bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, ull begin, ull end, ull by, ull chunk,
                                              ull *from, ull *to);
bool GOMP_loop_ull_nonmonotonic_dynamic_next(ull *from, ull *to);
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);

/* The next one of this thread; the team's lock is held. True: it is the first to come. */
static bool begin_share(struct share **share)
{
    if (shares == MOST_SHARES) abort(); /* no region of the planner has more than two */
    *share = &team->share[shares++];
    const bool first = !(*share)->begun;
    (*share)->begun = true;
    return first;
}

bool GOMP_single_start(void)
{
    struct share *share;
    pthread_mutex_lock(&team->lock);
    const bool first = begin_share(&share);
    pthread_mutex_unlock(&team->lock);
    return first;
}

/* Loops count upwards; `by` is the step of the index. */
bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, ull begin, ull end, ull by, ull chunk,
                                              ull *from, ull *to)
{
    struct share *share;
    if (!up) abort(); /* no loop of the planner counts down */
    pthread_mutex_lock(&team->lock);
    if (begin_share(&share))
        *share = (struct share){.begun = true, .next = begin, .end = end, .step = by * chunk};
    pthread_mutex_unlock(&team->lock);
    return GOMP_loop_ull_nonmonotonic_dynamic_next(from, to);
}

bool GOMP_loop_ull_nonmonotonic_dynamic_next(ull *from, ull *to)
{
    pthread_mutex_lock(&team->lock);
    struct share *share = &team->share[shares - 1];
    const bool any = share->next < share->end;
    if (any) {
        *from = share->next;
        *to = share->end - share->next > share->step ? share->next + share->step : share->end;
        share->next = *to;
    }
    pthread_mutex_unlock(&team->lock);
    return any;
}

void GOMP_loop_end(void)
{
    GOMP_barrier();
}
void GOMP_loop_end_nowait(void) {}

/* ---- one thread at a time ---- */

void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);

void GOMP_critical_start(void)
{
    pthread_mutex_lock(&critical);
}
void GOMP_critical_end(void)
{
    pthread_mutex_unlock(&critical);
}

/* One lock for all names: what they guard is short, and none holds another. */
void GOMP_critical_name_start(void **name)
{
    (void)name;
    GOMP_critical_start();
}

void GOMP_critical_name_end(void **name)
{
    (void)name;
    GOMP_critical_end();
}
