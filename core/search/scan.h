/* scan.h - every plan of a space, one after the other, on many threads.
 *
 * Threads take blocks of consecutive plans; each keeps what it finds in a state of its own
 * and hands it over in the order of the enumeration, so that the outcome does not depend on the
 * number of threads and memory stays bounded by it.
 */
#ifndef RECKON_SEARCH_SCAN_H
#define RECKON_SEARCH_SCAN_H

#include <reckon/search.h>
#include <stdbool.h>

enum { SCAN_BLOCK = 4096 }; /* plans between two flushes, at most */

struct scan {
    const struct rk_space *space;
    int threads; /* 0: one per processor */
    void *context;

    /* A thread's state; NULL when there is no memory. */
    void *(*open)(void *context);

    /* One plan; called from the thread that owns `state`, in order within a block. */
    void (*visit)(void *state, uint64_t index);

    /* End of a block; called by one thread at a time, in the order of the blocks. Returning false
     * ends the scan. */
    bool (*flush)(void *context, void *state);

    void (*close)(void *state);
};

/* RK_IO when no thread could run; RK_INTERRUPTED when flush() returned false. */
enum rk_status scan_run(const struct scan *scan, struct rk_error *error);

#endif
