#include "run/blas.h"

#include <cblas.h>
#include <stdbool.h>
#include <sys/mman.h>

/* OpenBLAS exports these without a header; where it does not, buffers come as they are needed. */
void *blas_memory_alloc(int position) __attribute__((weak));
void blas_memory_free(void *buffer) __attribute__((weak));

/* What it maps for a caller: BUFFER_SIZE of common_x86_64.h and common_arm64.h, 32 << 22. It has
 * twice as many buffers as processors at most, and MOST_BUFFERS in any build. */
#define BUFFER_BYTES ((size_t)128 << 20)
enum { MOST_BUFFERS = 64 };

static bool can_map(size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return map != MAP_FAILED && munmap(map, bytes) == 0;
}

enum rk_status blas_open(int callers, struct rk_error *error)
{
    void *buffer[MOST_BUFFERS];
    int taken = 0;
    const int wanted = callers < MOST_BUFFERS ? callers : MOST_BUFFERS;
    openblas_set_num_threads(1);
    if (!blas_memory_alloc || !blas_memory_free) return RK_OK;
    while (taken < wanted && can_map(BUFFER_BYTES))
        buffer[taken++] = blas_memory_alloc(0);
    for (int i = 0; i < taken; i++)
        blas_memory_free(buffer[i]);
    if (taken == wanted) return RK_OK;
    return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0,
                   "no memory for the buffers of OpenBLAS: %d threads that multiply take %d MiB "
                   "each, and %d of them fit: raise the limit (ulimit -v), or take fewer ranks or "
                   "`threads`",
                   callers, (int)(BUFFER_BYTES >> 20), taken);
}
