/* blas.h - OpenBLAS as the executor uses it: one thread a call, many callers at once. */
#ifndef RECKON_RUN_BLAS_H
#define RECKON_RUN_BLAS_H

#include <reckon/status.h>

/* Has OpenBLAS take the buffers that so many callers need at once, which it keeps. Without memory
 * for them it would ask again for ever inside a product (its memory.c, blas_memory_alloc), so that
 * this comes before the threads that call it. RK_NO_MEMORY: there is no memory. */
enum rk_status blas_open(int callers, struct rk_error *error);

#endif
