/* glibc.c - what lets one build run with glibc 2.28 and later, beside python/portable/threads.c.
 *
 * A symbol of glibc has a version for each time that its meaning changed, and the linker binds to
 * the newest one of the machine that builds. Here calls go to the versions that 2.28 has, by the
 * linker's --wrap (cmake/wheel.cmake has the list): functions of <math.h> whose newer versions
 * leave out the error handling of System V alone, those that moved from libpthread and libdl into
 * libc in 2.34, and stat(), which is a function since 2.33.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>

#if defined __x86_64__
#define FIRST        "GLIBC_2.2.5"
#define STAT_VERSION 1 /* _STAT_VER of <bits/stat.h> up to 2.32 */
#elif defined __aarch64__
#define FIRST        "GLIBC_2.17"
#define STAT_VERSION 0
#else
#error "name the first version of glibc's symbols on this processor"
#endif

/* `type wrapped(parameters)` calls the first version of that name. */
#define OLD(type, name, parameters, arguments) SINCE(FIRST, type, name, parameters, arguments)
#define SINCE(version, type, name, parameters, arguments)                                          \
    __asm__(".symver old_" #name ", " #name "@" version);                                          \
    extern type old_##name parameters;                                                             \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        return old_##name arguments;                                                               \
    }

/* clang-format off */
OLD(double, exp,  (double x), (x))
OLD(double, exp2, (double x), (x))
OLD(double, log,  (double x), (x))
OLD(double, log2, (double x), (x))
OLD(double, pow,  (double x, double y), (x, y))

OLD(int, pthread_create, (pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with), (thread, how, run, with))
OLD(int, pthread_join,   (pthread_t thread, void **result), (thread, result))
OLD(int, pthread_once,   (pthread_once_t *once, void (*run)(void)), (once, run))
OLD(int, pthread_mutexattr_settype, (pthread_mutexattr_t *how, int type), (how, type))
OLD(int, pthread_mutexattr_init,    (pthread_mutexattr_t *how), (how))
OLD(int, pthread_mutexattr_destroy, (pthread_mutexattr_t *how), (how))
OLD(int, pthread_mutex_trylock,     (pthread_mutex_t *mutex), (mutex))
OLD(int, pthread_attr_setstacksize, (pthread_attr_t *how, size_t bytes), (how, bytes))
OLD(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old), (how, set, old))
SINCE("GLIBC_2.18", int, pthread_setattr_default_np, (const pthread_attr_t *how), (how))

OLD(void *, dlopen,  (const char *path, int how), (path, how))
OLD(void *, dlsym,   (void *library, const char *name), (library, name))
OLD(int,    dlclose, (void *library), (library))
OLD(char *, dlerror, (void), ())
OLD(int,    dladdr,  (const void *address, Dl_info *info), (address, info))
/* clang-format on */

/* Up to 2.32 <sys/stat.h> calls these; later versions keep them. struct stat is struct stat64 on
 * processors of 64 bits. */
#define STAT(name, old, type)                                                                      \
    extern int old(int version, type at, struct stat *what);                                       \
    int __wrap_##name(type at, struct stat *what);                                                 \
    int __wrap_##name##64(type at, struct stat * what);                                            \
    int __wrap_##name(type at, struct stat *what)                                                  \
    {                                                                                              \
        return old(STAT_VERSION, at, what);                                                        \
    }                                                                                              \
    int __wrap_##name##64(type at, struct stat * what)                                             \
    {                                                                                              \
        return old(STAT_VERSION, at, what);                                                        \
    }

STAT(stat, __xstat, const char *)
STAT(lstat, __lxstat, const char *)
STAT(fstat, __fxstat, int)

/* Of 2.36; Expat seeds its hashes by it. */
void __wrap_arc4random_buf(void *bytes, size_t size);
void __wrap_arc4random_buf(void *bytes, size_t size)
{
    char *at = bytes;
    while (size) {
        const ssize_t got = getrandom(at, size, 0);
        if (got <= 0) return;
        at += got;
        size -= (size_t)got;
    }
}

/* Streams: Debian's static libraries are compiled for executables, where data of another library
 * is copied; in a shared library they reach these instead. */
extern FILE *__real_stdin, *__real_stderr;
FILE *__wrap_stdin, *__wrap_stderr;

__attribute__((constructor(101))) static void take_streams(void)
{
    __wrap_stdin = __real_stdin;
    __wrap_stderr = __real_stderr;
}
