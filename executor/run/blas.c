#include "run/blas.h"

#include "run/bf16.h"

#include <cblas.h>
#include <reckon/train.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

/* ---- what multiplies ---- */

#ifdef __x86_64__
/* Vectors that kernels use, by OpenBLAS's names of processors (its dynamic.c); others are older. */
enum vectors { SSE, AVX, AVX2, AVX512 };
static const char *const vector_names[] = {"SSE", "AVX", "AVX2", "AVX-512"};
static const struct {
    const char *core;
    enum vectors vectors;
} cores[] = {
    {"SapphireRapids", AVX512}, {"Cooperlake", AVX512}, {"SkylakeX", AVX512},
    {"Haswell", AVX2},          {"Zen", AVX2},          {"Excavator", AVX2},
    {"Sandybridge", AVX},       {"Bulldozer", AVX},     {"Piledriver", AVX},
    {"Steamroller", AVX},
};

static enum vectors vectors_here(void)
{
    return __builtin_cpu_supports("avx512f") ? AVX512
           : __builtin_cpu_supports("avx2")  ? AVX2
           : __builtin_cpu_supports("avx")   ? AVX
                                             : SSE;
}

static void look_at_blas(const char *core, char *slow, size_t room)
{
    const char *forced = getenv("OPENBLAS_CORETYPE");
    enum vectors used = SSE;
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (strcasecmp(core, cores[i].core) == 0) used = cores[i].vectors;
    if (used >= vectors_here()) return;
    snprintf(slow, room, "OpenBLAS runs its kernels for %s (%s), and this processor has %s: %s%s%s",
             core, vector_names[used], vector_names[vectors_here()],
             forced && *forced ? "unset OPENBLAS_CORETYPE (" : "a newer OpenBLAS may know it",
             forced && *forced ? forced : "", forced && *forced ? ")" : "");
}

static void look_at_bf16(char *slow, size_t room)
{
    const char *forced = getenv("ONEDNN_MAX_CPU_ISA");
    if (!forced) forced = getenv("DNNL_MAX_CPU_ISA");
    if (*slow || bf16_library() || !forced || !__builtin_cpu_supports("avx512bf16")) return;
    snprintf(slow, room,
             "bf16 is emulated, and this processor multiplies it: unset "
             "ONEDNN_MAX_CPU_ISA (%s)",
             forced);
}
#else
static void look_at_blas(const char *core, char *slow, size_t room)
{
    (void)core, (void)slow, (void)room;
}
static void look_at_bf16(char *slow, size_t room)
{
    (void)slow, (void)room;
}
#endif

void rk_products_here(struct rk_products *products)
{
    const char *config = openblas_get_config(), *core = openblas_get_corename();
    const char *name = strchr(config, ' '), *end = name ? strchr(name + 1, ' ') : NULL;
    const char *single = single_library(), *bf16 = bf16_library();
    memset(products, 0, sizeof *products);
    snprintf(products->blas, sizeof products->blas, "%.*s %s",
             (int)(end ? end - config : (ptrdiff_t)strlen(config)), config, core);
    if (single) snprintf(products->single, sizeof products->single, "%s", single);
    if (bf16) snprintf(products->bf16, sizeof products->bf16, "%s", bf16);
    look_at_blas(core, products->slow, sizeof products->slow);
    look_at_bf16(products->slow, sizeof products->slow);
}
