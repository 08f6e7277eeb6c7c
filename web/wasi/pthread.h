/* pthread.h - of one thread: wasi-libc has none. A second thread cannot be had, so locks are free
 * and there is nobody to wait for. */
#ifndef PTHREAD_H
#define PTHREAD_H

#include <errno.h>
#include <sys/types.h>

#define PTHREAD_MUTEX_INITIALIZER                                                                  \
    {                                                                                              \
        {                                                                                          \
            {                                                                                      \
                0                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define PTHREAD_ONCE_INIT 0

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *),
                                 void *context)
{
    (void)thread, (void)attributes, (void)run, (void)context;
    return EAGAIN;
}
static inline int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return 0;
}
static inline int pthread_once(pthread_once_t *once, void (*run)(void))
{
    if (!*once) run();
    *once = 1;
    return 0;
}

#define PTHREAD_NOTHING(type, name)                                                                \
    static inline int name(type *unused)                                                           \
    {                                                                                              \
        (void)unused;                                                                              \
        return 0;                                                                                  \
    }
PTHREAD_NOTHING(pthread_mutex_t, pthread_mutex_lock)
PTHREAD_NOTHING(pthread_mutex_t, pthread_mutex_unlock)
PTHREAD_NOTHING(pthread_mutex_t, pthread_mutex_destroy)
PTHREAD_NOTHING(pthread_cond_t, pthread_cond_broadcast)
PTHREAD_NOTHING(pthread_cond_t, pthread_cond_destroy)

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes)
{
    (void)mutex, (void)attributes;
    return 0;
}
static inline int pthread_cond_init(pthread_cond_t *cond, const void *attributes)
{
    (void)cond, (void)attributes;
    return 0;
}
static inline int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    (void)cond, (void)mutex;
    return 0;
}

#endif
