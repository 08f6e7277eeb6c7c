/* measure.h - what one thread measures of the kernels of reckon train.
 *
 * A piece of work finds things as a step of training leaves them: what comes in was written just
 * before, by what is not timed; what was kept since forward, and what is written, lies where other
 * things have been, further apart than caches are large. The least processor time of many runs.
 */
#ifndef RECKON_RUN_MEASURE_H
#define RECKON_RUN_MEASURE_H

#include <reckon/train.h>
#include <stddef.h>

/* One thread's buffers; NULL: no memory. */
struct measure_work;
struct measure_work *measure_open(void);
void measure_close(struct measure_work *work);
size_t measure_work_bytes(void);

/* The kinds of work, in the order in which all threads measure them; `seconds` of all kinds. */
enum { MEASURE_KINDS = 5 };
void measure_kind(int kind, struct measure_work *work, double seconds, struct rk_rates *rates);

/* Pings and all-reduces of two threads; false: there are none, or no memory. */
bool measure_messages(struct rk_measured *measured);

#endif
