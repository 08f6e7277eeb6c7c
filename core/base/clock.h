/* clock.h - the time that passes. */
#ifndef RECKON_BASE_CLOCK_H
#define RECKON_BASE_CLOCK_H

#include <time.h>

/* Seconds since some moment in the past; never set back. */
static inline double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
