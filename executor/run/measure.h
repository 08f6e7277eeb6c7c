/* measure.h - what one thread measures of the kernels of reckon train.
 *
 * A piece of work finds things as a step of training leaves them: what comes in was written just
 * before, by what is not timed; what was kept since forward, and what is written, lies where other
 * things have been, further apart than caches are large. Processor time, in turns that are spread
 * over all the time there is: what else shares the machine's memory and clock comes and goes within
 * seconds.
 */
#ifndef RECKON_RUN_MEASURE_H
#define RECKON_RUN_MEASURE_H

#include <pthread.h>
#include <reckon/train.h>
#include <stddef.h>

/* One thread's buffers; NULL: no memory. */
struct measure_work;
struct measure_work *measure_open(void);
void measure_close(struct measure_work *work);
size_t measure_work_bytes(void);

/* The kinds of work, in the order in which all threads measure them, the most pieces of one, and
 * turns. */
enum { MEASURE_KINDS = 5, MEASURE_PIECES = 128, MEASURE_TURNS = 9 };

/* What each piece took in each turn. */
struct measure_times {
    double s[MEASURE_KINDS][MEASURE_PIECES][MEASURE_TURNS];
};

/* A turn of one kind; `seconds` of all kinds. Threads that share `together` do the same at the same
 * time; NULL: alone. `rates` is what all turns so far say. */
void measure_kind(int kind, int turn, struct measure_work *work, pthread_barrier_t *together,
                  double seconds, struct measure_times *times, struct rk_rates *rates);

/* Pings and all-reduces of two threads; false: there are none, or no memory. */
bool measure_messages(struct rk_measured *measured);

#endif
