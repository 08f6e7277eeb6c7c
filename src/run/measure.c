/* measure.c - what this machine's processors do: products, attention, memory, exchanges of threads.
 */
#include "run/comm.h"
#include "run/real/kernels.h"

#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <reckon/train.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double clock_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one thread: least processor time of several runs ---- */

struct work {
    size_t m, n, k;
    float *a, *b, *c, *d; /* (SPACE) each */
    struct attend_f32 attend;
};

enum { SPACE = 1 << 23 };

typedef void piece(struct work *w);

static double least_s(piece *run, struct work *w, double budget_s)
{
    const double begin = clock_s(CLOCK_MONOTONIC);
    double least = INFINITY;
    for (int i = 0; i < 4 || clock_s(CLOCK_MONOTONIC) - begin < budget_s; i++) {
        const double from = clock_s(CLOCK_THREAD_CPUTIME_ID);
        run(w);
        least = fmin(least, clock_s(CLOCK_THREAD_CPUTIME_ID) - from);
    }
    return least;
}

static void product(struct work *w)
{
    matrix_forward(1, w->m, w->n, w->k, w->a, w->b, NULL, w->c);
}

static void norm(struct work *w)
{
    const struct norm_f32 n = {.eps = 1e-5, .w = w->b, .b = w->b};
    norm_forward(1, &n, w->m, w->n, w->a, w->n, w->c, w->n, w->d);
}

static void activation(struct work *w)
{
    activation_forward(1, RUN_GELU, false, w->m, w->n, w->a, w->c);
}

static void residual(struct work *w)
{
    add_residual(w->m, w->n, w->a, w->b, w->c);
}

static void optimizer(struct work *w)
{
    const struct run_adam s = {.rate = 1e-9,
                               .beta1 = 0.9,
                               .beta2 = 0.9,
                               .eps = 1,
                               .correct1 = 1,
                               .correct2 = 1,
                               .gradient_scale = 1};
    adam(1, SPACE, &s, true, w->a, w->b, w->c, w->d);
}

enum { TOKENS = 1024, HEADS = 4, DIM = 64 };

static void attend(struct work *w)
{
    const struct run_span all = {0, TOKENS, 0};
    attention_forward(1, &w->attend, all, &all, 1, true);
    attention_finish(&w->attend, all);
}

static void attend_back(struct work *w)
{
    const struct run_span all = {0, TOKENS, 0};
    attention_deltas(&w->attend, all, (float *)w->attend.delta);
    attention_backward(1, &w->attend, all, &all, 1);
}

static void set_attention(struct work *w)
{
    const size_t width = HEADS * DIM;
    float *state = w->c + 4 * TOKENS * width;
    w->attend = (struct attend_f32){.heads = HEADS,
                                    .kv_heads = HEADS,
                                    .d = DIM,
                                    .value = DIM,
                                    .scale = 0.125,
                                    .q = w->a,
                                    .k = w->a + width,
                                    .v = w->a + 2 * width,
                                    .ldq = 3 * width,
                                    .ldk = 3 * width,
                                    .out = w->c,
                                    .most = state,
                                    .sum = state + TOKENS * HEADS,
                                    .delta = state + 2 * TOKENS * HEADS,
                                    .dout = w->b,
                                    .dq = w->d,
                                    .dk = w->d + width,
                                    .dv = w->d + 2 * width};
}

/* Share of the peak at which the predictor's formula brings the measured time: blocks of 128 rows
 * see half of the keys and half of a block on the diagonal. */
static double attention_share(double seconds, double peak, double flop_of_pair)
{
    const double pairs = (TOKENS + 1) / 2.0 + 64;
    return HEADS * TOKENS * pairs * flop_of_pair / seconds / peak;
}

/* ---- threads ---- */

struct pair {
    struct comm *comm;
    size_t bytes;
    int times;
    double seconds;
    pthread_t thread;
};

static void add_floats(void *y, const void *x, size_t bytes)
{
    add_to(bytes / sizeof(float), x, y);
}

static void *all_reduce(void *context)
{
    struct pair *p = context;
    int ranks[2] = {0, 1};
    const struct comm_group both = {2, p->comm->rank, ranks};
    char *data = calloc(1, p->bytes), *scratch = calloc(1, p->bytes);
    p->seconds = INFINITY;
    for (int i = 0; data && scratch && i < p->times; i++) {
        const double from = clock_s(CLOCK_MONOTONIC);
        if (!comm_all_reduce(p->comm, &both, "measure", data, p->bytes, sizeof(float), scratch,
                             add_floats))
            break;
        p->seconds = fmin(p->seconds, clock_s(CLOCK_MONOTONIC) - from);
    }
    free(data);
    free(scratch);
    return NULL;
}

static double all_reduce_s(size_t bytes, int times)
{
    struct comm_hub *hub = comm_hub_open(2, 60);
    struct pair pair[2];
    int started = 0;
    if (!hub) return INFINITY;
    for (int i = 0; i < 2; i++) {
        pair[i] = (struct pair){comm_hub_rank(hub, i), bytes, times, INFINITY, 0};
        started += pthread_create(&pair[i].thread, NULL, all_reduce, &pair[i]) == 0;
    }
    for (int i = 0; i < started; i++)
        pthread_join(pair[i].thread, NULL);
    comm_hub_close(hub);
    return started == 2 ? pair[0].seconds : INFINITY;
}

/* ---- all of it ---- */

static void measure_products(struct work *w, double budget_s, struct rk_measured *out)
{
    w->m = 512, w->n = 1024, w->k = 1024;
    const double large = least_s(product, w, budget_s) / (2.0 * 512 * 1024 * 1024);
    w->k = 64;
    const double narrow = least_s(product, w, budget_s) / (2.0 * 512 * 1024);
    /* seconds for each of m n: s (k + half) / r; from two k both follow */
    const double slope = (large * 1024 - narrow) / (1024 - 64);
    out->peak_FLOPps = 1 / slope;
    out->k_half = fmax(0, narrow / slope - 64);
}

static void measure_memory(struct work *w, double budget_s, struct rk_measured *out)
{
    w->m = 256, w->n = 768;
    double seconds = least_s(norm, w, budget_s) + least_s(residual, w, budget_s);
    double bytes = 256.0 * 768 * 4 * (2 + 3);
    w->n = 3072;
    seconds += least_s(activation, w, budget_s);
    bytes += 256.0 * 3072 * 4 * 2;
    out->kernel_Bps = bytes / seconds;
    /* gradient, two moments and weight read, the last three written */
    out->stream_Bps = 7.0 * 4 * SPACE / least_s(optimizer, w, budget_s);
}

enum rk_status rk_measure(double seconds, struct rk_measured *out, struct rk_error *error)
{
    const double budget_s = seconds / 12;
    struct work w = {.m = 0};
    memset(out, 0, sizeof *out);
    openblas_set_num_threads(1);
    w.a = calloc(4 * (size_t)SPACE, sizeof *w.a);
    if (!w.a) return rk_fail(error, RK_IO, NULL, 0, 0, "no memory to measure with");
    w.b = w.a + SPACE;
    w.c = w.b + SPACE;
    w.d = w.c + SPACE;
    for (size_t i = 0; i < 2 * (size_t)SPACE; i++)
        w.a[i] = (float)(i * 2654435761u % 1000) / 1000 - 0.5f;
    measure_products(&w, budget_s, out);
    measure_memory(&w, budget_s, out);
    set_attention(&w);
    out->attention[0] = attention_share(least_s(attend, &w, budget_s), out->peak_FLOPps, 4 * DIM);
    out->attention[1] =
        attention_share(least_s(attend_back, &w, budget_s), out->peak_FLOPps, 10 * DIM);
    free(w.a);
    out->latency_s = all_reduce_s(16, 2000) / 2;
    const double large_s = all_reduce_s(16 << 20, 20);
    if (!isfinite(out->latency_s) || !isfinite(large_s))
        return rk_fail(error, RK_IO, NULL, 0, 0, "threads cannot be started to measure with");
    out->link_Bps = (16 << 20) / large_s; /* of two ranks each sends and receives all of it once */
    out->processors = sysconf(_SC_NPROCESSORS_ONLN);
    out->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGE_SIZE);
    return RK_OK;
}
