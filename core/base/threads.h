/* threads.h - how many threads answer a question when nobody says. */
#ifndef RECKON_BASE_THREADS_H
#define RECKON_BASE_THREADS_H

#include "base/limits.h"

#include <omp.h>

/* OMP_NUM_THREADS, else the processors; eight for each of them at most: libgomp keeps a record of
 * each thread that it starts on the stack, which 100,000 overflow, and no answer depends on it. */
static inline int usual_threads(void)
{
    const int threads = omp_get_max_threads(), most = 8 * omp_get_num_procs();
    return threads < most ? threads : most;
}

#endif
