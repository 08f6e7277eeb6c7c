/* meeting.h - a barrier for threads that meet often: it spins for a moment, as the others are
 * nearly there, then sleeps, so that on a machine with other work they get to run.
 */
#ifndef RECKON_SEARCH_MEETING_H
#define RECKON_SEARCH_MEETING_H

#include <pthread.h>

struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t over;
    int threads, waiting;
    unsigned number; /* of meetings so far; read without the lock */
};

void meeting_init(struct meeting *meeting, int threads);
void meeting_release(struct meeting *meeting);

/* Returns when all threads have called it. */
void meeting_wait(struct meeting *meeting);

/* The same; whoever comes last does `step` before the others continue. */
void meeting_step(struct meeting *meeting, void (*step)(void *context), void *context);

#endif
