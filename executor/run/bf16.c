#include "run/bf16.h"

#ifndef RECKON_DNNL

const char *bf16_library(void)
{
    return NULL;
}

bool bf16_multiplies(size_t out, size_t in)
{
    (void)out, (void)in;
    return false;
}

bool bf16_product(const struct bf16_product *p)
{
    (void)p;
    return false;
}

const char *single_library(void)
{
    return NULL;
}

bool single_multiplies(size_t out, size_t in)
{
    (void)out, (void)in;
    return false;
}

void single_product(const struct single_product *p)
{
    (void)p;
}

#else

#include <cblas.h>

#include <dnnl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- who multiplies what ---- */

/* By instruction set, best first: weights of at least this number of rows and columns go to oneDNN;
 * those of 32 bits where OpenBLAS runs its kernels for this processor.
 *
 * One Zen 4 core, oneDNN 2.6.3 against OpenBLAS 0.3.21 in fp32, GFLOP/s at 256 rows of GPT-2 124M's
 * widths. bf16: 221 to 226 against 92 to 101 forward and for inputs, 213 to 220 against 98 to 105
 * for weights. fp32: 99 to 111 against 94 to 104 forward, 107 to 117 against 98 to 107 for inputs,
 * 110 to 116 against 102 to 108 for weights; narrower than 128 it is up to 8 % slower. */
static const struct {
    unsigned isa; /* bits that it needs of dnnl_get_effective_cpu_isa() */
    const char *name;
    size_t least;        /* rows and columns of weights of bf16 */
    const char *core;    /* of OpenBLAS */
    size_t least_single; /* ... of 32 bits */
} recorded[] = {
    {dnnl_cpu_isa_avx512_core_amx, "avx512_core_amx", 32, NULL, 0},
    {dnnl_cpu_isa_avx512_core_bf16, "avx512_core_bf16", 32, "Cooperlake", 128},
};

enum { NONE = -1, ROWS = (int)(sizeof recorded / sizeof *recorded) };

static int found = NONE;
static bool singles;
static char library[64];
static pthread_key_t cache_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void cache_free(void *cache);

static void look(void)
{
    const unsigned isa = (unsigned)dnnl_get_effective_cpu_isa();
    const dnnl_version_t *v = dnnl_version();
    for (int i = ROWS; i-- > 0;)
        if ((isa & recorded[i].isa) == recorded[i].isa) found = i;
    if (found == NONE || pthread_key_create(&cache_key, cache_free) != 0) {
        found = NONE;
        return;
    }
    const char *core = recorded[found].core;
    singles = core && strcmp(core, openblas_get_corename()) == 0;
    snprintf(library, sizeof library, "oneDNN %d.%d.%d %s", v->major, v->minor, v->patch,
             recorded[found].name);
}

const char *bf16_library(void)
{
    pthread_once(&once, look);
    return found == NONE ? NULL : library;
}

bool bf16_multiplies(size_t out, size_t in)
{
    return bf16_library() && out >= recorded[found].least && in >= recorded[found].least;
}

const char *single_library(void)
{
    return bf16_library() && singles ? library : NULL;
}

bool single_multiplies(size_t out, size_t in)
{
    return single_library() && out >= recorded[found].least_single &&
           in >= recorded[found].least_single;
}

/* ---- oneDNN's objects, of each thread ---- */

struct entry {
    struct bf16_product shape; /* without arrays */
    dnnl_primitive_t primitive;
    dnnl_memory_t a, b, c;
};

enum { ENTRIES = 256 }; /* a mixture's experts have other rows each step */

struct cache {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    struct entry entry[ENTRIES];
};

static void entry_free(struct entry *e)
{
    if (e->primitive) dnnl_primitive_destroy(e->primitive);
    if (e->a) dnnl_memory_destroy(e->a);
    if (e->b) dnnl_memory_destroy(e->b);
    if (e->c) dnnl_memory_destroy(e->c);
    memset(e, 0, sizeof *e);
}

static void cache_free(void *data)
{
    struct cache *cache = data;
    for (int i = 0; i < ENTRIES; i++)
        entry_free(&cache->entry[i]);
    if (cache->stream) dnnl_stream_destroy(cache->stream);
    if (cache->engine) dnnl_engine_destroy(cache->engine);
    free(cache);
}

static struct cache *cache_of_thread(void)
{
    struct cache *cache = pthread_getspecific(cache_key);
    if (cache) return cache;
    cache = calloc(1, sizeof *cache);
    if (!cache) return NULL;
    if (dnnl_engine_create(&cache->engine, dnnl_cpu, 0) == dnnl_success &&
        dnnl_stream_create(&cache->stream, cache->engine, dnnl_stream_default_flags) ==
            dnnl_success &&
        pthread_setspecific(cache_key, cache) == 0)
        return cache;
    cache_free(cache);
    return NULL;
}

static bool describe(dnnl_memory_desc_t *md, size_t rows, size_t cols, dnnl_data_type_t type,
                     size_t row, size_t col)
{
    const dnnl_dims_t dims = {(dnnl_dim_t)rows, (dnnl_dim_t)cols};
    const dnnl_dims_t strides = {(dnnl_dim_t)row, (dnnl_dim_t)col};
    return dnnl_memory_desc_init_by_strides(md, 2, dims, type, strides) == dnnl_success;
}

static dnnl_primitive_desc_t kernel_of(dnnl_engine_t engine, const dnnl_matmul_desc_t *matmul,
                                       bool add)
{
    dnnl_primitive_desc_t kernel = NULL;
    dnnl_primitive_attr_t attributes = NULL;
    dnnl_post_ops_t then = NULL;
    if (dnnl_primitive_attr_create(&attributes) == dnnl_success &&
        dnnl_post_ops_create(&then) == dnnl_success &&
        (!add || dnnl_post_ops_append_sum(then, 1) == dnnl_success) &&
        dnnl_primitive_attr_set_post_ops(attributes, then) == dnnl_success &&
        dnnl_primitive_desc_create(&kernel, matmul, attributes, engine, NULL) != dnnl_success)
        kernel = NULL;
    if (then) dnnl_post_ops_destroy(then);
    if (attributes) dnnl_primitive_attr_destroy(attributes);
    return kernel;
}

static bool entry_open(struct entry *e, const struct cache *cache, const struct bf16_product *s)
{
    dnnl_memory_desc_t a, b, c;
    dnnl_matmul_desc_t matmul;
    e->shape = *s;
    if (!describe(&a, s->m, s->k, dnnl_bf16, s->a_row, s->a_col) ||
        !describe(&b, s->k, s->n, dnnl_bf16, s->b_row, s->b_col) ||
        !describe(&c, s->m, s->n, dnnl_f32, s->c_row, 1) ||
        dnnl_matmul_desc_init(&matmul, &a, &b, NULL, &c) != dnnl_success)
        return false;
    dnnl_primitive_desc_t kernel = kernel_of(cache->engine, &matmul, s->add);
    if (!kernel) return false;
    const bool ok =
        dnnl_primitive_create(&e->primitive, kernel) == dnnl_success &&
        dnnl_memory_create(&e->a, &a, cache->engine, DNNL_MEMORY_NONE) == dnnl_success &&
        dnnl_memory_create(&e->b, &b, cache->engine, DNNL_MEMORY_NONE) == dnnl_success &&
        dnnl_memory_create(&e->c, &c, cache->engine, DNNL_MEMORY_NONE) == dnnl_success;
    dnnl_primitive_desc_destroy(kernel);
    return ok;
}

static size_t hash_of(const struct bf16_product *s)
{
    const size_t all[] = {s->m,     s->n,     s->k,     s->a_row, s->a_col,
                          s->b_row, s->b_col, s->c_row, s->add};
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        h = (h ^ all[i]) * 1099511628211u;
    return (size_t)(h >> 32) % ENTRIES;
}

static bool same_shape(const struct bf16_product *x, const struct bf16_product *y)
{
    return x->m == y->m && x->n == y->n && x->k == y->k && x->a_row == y->a_row &&
           x->a_col == y->a_col && x->b_row == y->b_row && x->b_col == y->b_col &&
           x->c_row == y->c_row && x->add == y->add;
}

/* A shape that meets another one's place takes it. */
static struct entry *entry_of(struct cache *cache, const struct bf16_product *p)
{
    struct bf16_product shape = *p;
    struct entry *e = &cache->entry[hash_of(p)];
    shape.a = shape.b = NULL;
    shape.c = NULL;
    if (e->primitive && same_shape(&e->shape, &shape)) return e;
    entry_free(e);
    if (entry_open(e, cache, &shape)) return e;
    entry_free(e);
    return NULL;
}

static bool run(const struct bf16_product *p)
{
    struct cache *cache = cache_of_thread();
    const struct entry *e = cache ? entry_of(cache, p) : NULL;
    if (!e) return false;
    const dnnl_exec_arg_t args[] = {
        {DNNL_ARG_SRC, e->a}, {DNNL_ARG_WEIGHTS, e->b}, {DNNL_ARG_DST, e->c}};
    return dnnl_memory_set_data_handle(e->a, (void *)(uintptr_t)p->a) == dnnl_success &&
           dnnl_memory_set_data_handle(e->b, (void *)(uintptr_t)p->b) == dnnl_success &&
           dnnl_memory_set_data_handle(e->c, p->c) == dnnl_success &&
           dnnl_primitive_execute(e->primitive, cache->stream, 3, args) == dnnl_success &&
           dnnl_stream_wait(cache->stream) == dnnl_success;
}

/* On this thread alone: oneDNN goes by OpenMP's number, also in what it chooses. */
bool bf16_product(const struct bf16_product *p)
{
    if (!p->m || !p->n || !p->k) return true;
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const bool ok = run(p);
    omp_set_num_threads(threads);
    return ok;
}

void single_product(const struct single_product *p)
{
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    dnnl_sgemm(p->a_turned ? 'T' : 'N', p->b_turned ? 'T' : 'N', (dnnl_dim_t)p->m, (dnnl_dim_t)p->n,
               (dnnl_dim_t)p->k, 1, p->a, (dnnl_dim_t)p->lda, p->b, (dnnl_dim_t)p->ldb,
               p->add ? 1 : 0, p->c, (dnnl_dim_t)p->ldc);
    omp_set_num_threads(threads);
}

#endif
