#include "cli/stack.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

/* Figures of all stages are arrays on the stack, of RK_MAX_STAGES: half a MiB for an even plan, two
 * for layers of RK_MAX_LOCALS kinds, and what the command and a search have below them. */
enum { NEEDED_BYTES = 8 << 20 };

struct call {
    int (*begin)(int argc, char **argv);
    int argc;
    char **argv;
    int code;
};

static void *take(void *with)
{
    struct call *call = with;
    call->code = call->begin(call->argc, call->argv);
    return NULL;
}

/* Signals go to that thread, so that what it waits for is interrupted. */
static bool run_beside(struct call *call)
{
    pthread_t thread;
    sigset_t all;
    sigfillset(&all);
    if (pthread_create(&thread, NULL, take, call) != 0) return false;
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_join(thread, NULL);
    return true;
}

int stack_run(int (*begin)(int argc, char **argv), int argc, char **argv)
{
    struct call call = {.begin = begin, .argc = argc, .argv = argv};
    struct rlimit limit;
    pthread_attr_t stated;
    const bool known = getrlimit(RLIMIT_STACK, &limit) == 0;
    const bool unlimited = known && limit.rlim_cur == RLIM_INFINITY; /* threads: 2 MiB */
    if (!known || (!unlimited && limit.rlim_cur >= NEEDED_BYTES)) return begin(argc, argv);
    pthread_attr_init(&stated);
    pthread_attr_setstacksize(&stated, NEEDED_BYTES);
    pthread_setattr_default_np(&stated); /* OpenMP's too */
    pthread_attr_destroy(&stated);
    return !unlimited && run_beside(&call) ? call.code : begin(argc, argv);
}
