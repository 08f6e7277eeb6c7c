#include "search/scan.h"

#include "base/memory.h"

#include <pthread.h>
#include <unistd.h>

enum { SCAN_MAX_THREADS = 1024 };

struct progress {
    const struct scan *scan;
    uint64_t count;
    pthread_mutex_t lock;
    pthread_cond_t turned;
    uint64_t next; /* block to take */
    uint64_t turn; /* block to flush */
    int workers;   /* that had the memory to start */
    bool stopped;
};

static void visit_block(const struct progress *progress, uint64_t block, void *state)
{
    const struct scan *scan = progress->scan;
    const uint64_t first = block * SCAN_BLOCK, left = progress->count - first;
    const uint64_t end = first + (left < SCAN_BLOCK ? left : SCAN_BLOCK);
    for (uint64_t index = first; index < end; index++)
        scan->visit(state, index);
}

/* Waits until every earlier block is flushed. Called with the lock held. */
static void flush_block(struct progress *progress, uint64_t block, void *state)
{
    while (progress->turn != block)
        pthread_cond_wait(&progress->turned, &progress->lock);
    if (!progress->stopped && !progress->scan->flush(progress->scan->context, state))
        progress->stopped = true;
    progress->turn++;
    pthread_cond_broadcast(&progress->turned);
}

static void *work(void *argument)
{
    struct progress *progress = argument;
    const uint64_t blocks = (progress->count + SCAN_BLOCK - 1) / SCAN_BLOCK;
    void *state = progress->scan->open(progress->scan->context);
    if (!state) return NULL;
    pthread_mutex_lock(&progress->lock);
    progress->workers++;
    while (progress->next < blocks && !progress->stopped) {
        const uint64_t block = progress->next++;
        pthread_mutex_unlock(&progress->lock);
        visit_block(progress, block, state);
        pthread_mutex_lock(&progress->lock);
        flush_block(progress, block, state);
    }
    pthread_mutex_unlock(&progress->lock);
    progress->scan->close(state);
    return NULL;
}

static int thread_count(const struct scan *scan)
{
    const long threads = scan->threads > 0 ? scan->threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (threads < 1) return 1;
    return threads < SCAN_MAX_THREADS ? (int)threads : SCAN_MAX_THREADS;
}

enum rk_status scan_run(const struct scan *scan, struct rk_error *error)
{
    struct progress progress = {.scan = scan, .count = rk_space_count(scan->space)};
    pthread_t thread[SCAN_MAX_THREADS];
    int started = 0;
    const int wanted = thread_count(scan) - 1; /* this thread works as well */

    pthread_mutex_init(&progress.lock, NULL);
    pthread_cond_init(&progress.turned, NULL);
    while (started < wanted && pthread_create(&thread[started], NULL, work, &progress) == 0)
        started++;
    work(&progress);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_cond_destroy(&progress.turned);
    pthread_mutex_destroy(&progress.lock);

    if (!progress.workers) return no_memory(error);
    if (progress.stopped)
        return rk_fail(error, RK_INTERRUPTED, NULL, 0, 0, "stopped; nothing was written");
    return RK_OK;
}
