#include "search/meeting.h"

void meeting_init(struct meeting *m, int threads)
{
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->over, NULL);
    m->threads = threads;
    m->waiting = 0;
    m->number = 0;
}

void meeting_release(struct meeting *m)
{
    pthread_cond_destroy(&m->over);
    pthread_mutex_destroy(&m->lock);
}

/* About ten microseconds: waking a thread that sleeps takes several times as long. */
enum { LOOKS = 400 };

static void pause_a_little(void)
{
    for (int i = 0; i < 8; i++)
#if defined(__x86_64__)
        __builtin_ia32_pause();
#else
        __asm__ volatile("" ::: "memory");
#endif
}

static int is_over(const struct meeting *m, unsigned number)
{
    return __atomic_load_n(&m->number, __ATOMIC_ACQUIRE) != number;
}

void meeting_step(struct meeting *m, void (*step)(void *context), void *context)
{
    pthread_mutex_lock(&m->lock);
    const unsigned number = m->number;
    if (++m->waiting == m->threads) {
        step(context);
        m->waiting = 0;
        __atomic_store_n(&m->number, number + 1, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&m->over);
        pthread_mutex_unlock(&m->lock);
        return;
    }
    pthread_mutex_unlock(&m->lock);
    for (int look = 0; look < LOOKS; look++) {
        if (is_over(m, number)) return;
        pause_a_little();
    }
    pthread_mutex_lock(&m->lock);
    while (m->number == number)
        pthread_cond_wait(&m->over, &m->lock);
    pthread_mutex_unlock(&m->lock);
}

static void nothing(void *context)
{
    (void)context;
}

void meeting_wait(struct meeting *m)
{
    meeting_step(m, nothing, NULL);
}
