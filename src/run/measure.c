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
    size_t m, n, k, at, kept_at;
    float *a, *b, *c, *d, *other; /* (SPACE) each, one behind another; other (OTHERS) */
    struct attend_f32 attend;
    size_t rows; /* of it */
};

enum { SPACE = 1 << 23, OTHERS = 2 * SPACE, ALL = 4 * SPACE + OTHERS, LEAST_RUNS = 3 };

typedef void piece(struct work *w);

static double least_s(piece *run, struct work *w, double budget_s)
{
    const double begin = clock_s(CLOCK_MONOTONIC);
    double least = INFINITY;
    for (int i = 0; i < LEAST_RUNS || clock_s(CLOCK_MONOTONIC) - begin < budget_s; i++) {
        const double from = clock_s(CLOCK_THREAD_CPUTIME_ID);
        run(w);
        least = fmin(least, clock_s(CLOCK_THREAD_CPUTIME_ID) - from);
    }
    return least;
}

/* The same, with caches that other things have gone through. */
static double cold_s(piece *run, struct work *w, double budget_s)
{
    const double begin = clock_s(CLOCK_MONOTONIC);
    double least = INFINITY;
    for (int i = 0; i < LEAST_RUNS || clock_s(CLOCK_MONOTONIC) - begin < budget_s; i++) {
        scale_by(OTHERS, 1, w->other);
        const double from = clock_s(CLOCK_THREAD_CPUTIME_ID);
        run(w);
        least = fmin(least, clock_s(CLOCK_THREAD_CPUTIME_ID) - from);
    }
    return least;
}

/* Weights come from memory, as they do in a step: others each time. */
static const float *next_weights(struct work *w)
{
    const size_t size = w->n * w->k;
    if (w->at + size > 2 * (size_t)SPACE) w->at = 0;
    const float *weights = w->b + w->at;
    w->at += size;
    return weights;
}

/* So are what forward brings, which is kept, and what gradients of weights are worked out from. */
static float *next_kept(struct work *w, size_t size)
{
    if (w->kept_at + size > 2 * (size_t)SPACE) w->kept_at = 0;
    float *kept = w->d + w->kept_at;
    w->kept_at += size;
    return kept;
}

static void product(struct work *w)
{
    matrix_forward(1, w->m, w->n, w->k, w->a, next_weights(w), NULL, next_kept(w, w->m * w->n));
}

static void product_input(struct work *w)
{
    matrix_input(1, w->m, w->n, w->k, w->a, next_weights(w), w->d, false);
}

static void product_weight(struct work *w)
{
    matrix_weight(1, w->m, w->n, w->k, w->a, next_kept(w, w->m * w->k), (float *)next_weights(w));
}

/* Of `n` weights: the norm of their gradients, AdamW, and gradients of zero to begin the next step
 * with. */
static void optimizer(struct work *w)
{
    const struct run_adam s = {.rate = 1e-9,
                               .beta1 = 0.9,
                               .beta2 = 0.9,
                               .eps = 1,
                               .correct1 = 1,
                               .correct2 = 1,
                               .gradient_scale = 1 + 1e-30 * square_sum(w->n, w->a)};
    adam(1, w->n, &s, true, w->a, w->b, w->c, w->d);
    memset(w->a, 0, w->n * sizeof *w->a);
}

/* ---- attention: causal, of samples of so many tokens ---- */

enum { HEADS = 8, LEAST_ROWS = 512 };

static void attend(struct work *w)
{
    w->attend.out = next_kept(w, w->rows * HEADS * w->attend.value);
    for (size_t at = 0; at < w->rows; at += w->m) {
        const struct run_span sample = {(uint32_t)at, (uint32_t)w->m, 0};
        attention_forward(1, &w->attend, sample, &sample, 1, true);
    }
    attention_finish(&w->attend, (struct run_span){0, (uint32_t)w->rows, 0});
}

/* As a step does it, from gradients of zero on. */
static void attend_back(struct work *w)
{
    attention_deltas(&w->attend, (struct run_span){0, (uint32_t)w->rows, 0},
                     (float *)w->attend.delta);
    memset(w->d, 0, w->rows * w->attend.ldq * sizeof *w->d);
    for (size_t at = 0; at < w->rows; at += w->m) {
        const struct run_span sample = {(uint32_t)at, (uint32_t)w->m, 0};
        attention_backward(1, &w->attend, sample, &sample, 1);
    }
}

/* Samples of `tokens`, LEAST_ROWS rows in all or one sample. */
static void set_attention(struct work *w, size_t dim, size_t tokens)
{
    const size_t width = HEADS * dim;
    w->m = tokens;
    w->rows = tokens > LEAST_ROWS ? tokens : LEAST_ROWS;
    float *state = w->c;
    w->attend = (struct attend_f32){.heads = HEADS,
                                    .kv_heads = HEADS,
                                    .d = dim,
                                    .value = dim,
                                    .scale = 0.125,
                                    .q = w->a,
                                    .k = w->a + width,
                                    .v = w->a + 2 * width,
                                    .ldq = 3 * width,
                                    .ldk = 3 * width,
                                    .most = state,
                                    .sum = state + w->rows * HEADS,
                                    .delta = state + 2 * w->rows * HEADS,
                                    .dout = w->b,
                                    .dq = w->d,
                                    .dk = w->d + width,
                                    .dv = w->d + 2 * width};
}

/* Forward finds what was worked out just before it; backward, what has been kept since long. */
static void measure_attention(struct work *w, double budget_s, struct rk_attention_rates *rates)
{
    static const size_t dims[] = {32, 64, 128}, tokens[] = {32, 64, 128, 256, 512, 1024};
    enum { DIMS = sizeof dims / sizeof *dims, KEYS = sizeof tokens / sizeof *tokens };
    static const double pair_flop[2] = {4, 10}; /* of a pair and element of a head */
    const double each_s = budget_s / (2 * DIMS * KEYS);
    rates->dims = DIMS;
    rates->keys = KEYS;
    for (int d = 0; d < DIMS; d++)
        for (int k = 0; k < KEYS; k++) {
            set_attention(w, dims[d], tokens[k]);
            rates->dim[d] = (double)dims[d];
            rates->key[k] = ((double)tokens[k] + 1) / 2;
            const double pairs = HEADS * (double)w->rows * rates->key[k];
            const double pass_s[2] = {least_s(attend, w, each_s), cold_s(attend_back, w, each_s)};
            for (int back = 0; back < 2; back++)
                rates->rate_FLOPps[back][d][k] =
                    pair_flop[back] * rates->dim[d] * pairs / pass_s[back];
        }
}

/* ---- threads ---- */

enum { PINGS = 1000, TALK_ROOM = 1 << 26 };

struct pair {
    struct comm *comm;
    size_t bytes;
    int times;
    double latency_s, seconds, clock_s; /* of a run: that passed, and by the virtual clock */
    pthread_t thread;
};

static void add_floats(void *y, const void *x, size_t bytes)
{
    add_to(bytes / sizeof(float), x, y);
}

static bool ping(struct comm *comm)
{
    char byte[16] = {0};
    const int other = 1 - comm->rank;
    for (int i = 0; i < 2; i++)
        if (i == comm->rank ? !comm_send(comm, other, COMM_MESSAGES, "ping", byte, sizeof byte)
                            : !comm_receive(comm, other, COMM_MESSAGES, "ping", byte, sizeof byte))
            return false;
    return true;
}

static bool all_reduce(struct comm *comm, size_t bytes, void *data, void *scratch)
{
    int ranks[2] = {0, 1};
    const struct comm_group both = {2, comm->rank, ranks};
    return comm_all_reduce(comm, &both, "measure", data, bytes, sizeof(float), scratch, add_floats);
}

/* Pings of 0 bytes, all-reduces of others, of other data each time, from memory. */
static void *talk(void *context)
{
    struct pair *p = context;
    const size_t room = p->bytes > TALK_ROOM ? p->bytes : TALK_ROOM;
    char *data = malloc(2 * room + 1), *scratch = data + room;
    size_t at = 0;
    p->seconds = p->clock_s = INFINITY;
    p->comm->clock.latency_s = p->latency_s;
    if (data) memset(data, 0, 2 * room);
    for (int i = 0; data && i < p->times; i++) {
        const double from = clock_s(CLOCK_MONOTONIC);
        comm_clock_begin(p->comm);
        if (!(p->bytes ? all_reduce(p->comm, p->bytes, data + at, scratch + at) : ping(p->comm)))
            break;
        comm_clock_work(p->comm);
        p->seconds = fmin(p->seconds, clock_s(CLOCK_MONOTONIC) - from);
        p->clock_s = fmin(p->clock_s, p->comm->clock.now_s);
        at = at + 2 * p->bytes <= room ? at + p->bytes : 0;
    }
    free(data);
    return NULL;
}

/* The longer of the two ranks' seconds, passed and by the clock. */
static void talk_s(size_t bytes, int times, double latency_s, double *passed_s, double *clock_s)
{
    struct comm_hub *hub = comm_hub_open(2, 60);
    struct pair pair[2];
    int started = 0;
    *passed_s = *clock_s = INFINITY;
    if (!hub) return;
    for (int i = 0; i < 2; i++) {
        pair[i] = (struct pair){
            .comm = comm_hub_rank(hub, i), .bytes = bytes, .times = times, .latency_s = latency_s};
        started += pthread_create(&pair[i].thread, NULL, talk, &pair[i]) == 0;
    }
    for (int i = 0; i < started; i++)
        pthread_join(pair[i].thread, NULL);
    comm_hub_close(hub);
    if (started < 2) return;
    *passed_s = fmax(pair[0].seconds, pair[1].seconds);
    *clock_s = fmax(pair[0].clock_s, pair[1].clock_s);
}

/* A message takes what passes beside the work of both sides. */
static bool measure_messages(struct rk_measured *out)
{
    static const size_t sizes[] = {1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26};
    double passed_s, ping_s, small_s, large_s;
    talk_s(0, PINGS, 0, &passed_s, &ping_s);
    if (!isfinite(passed_s)) return false;
    const double latency_s = fmax(0, passed_s - ping_s) / 2;
    talk_s(64, PINGS, latency_s, &passed_s, &small_s);
    out->latency_s = latency_s;
    out->hop_s = small_s / 2;
    out->link.sizes = sizeof sizes / sizeof *sizes;
    for (int i = 0; i < out->link.sizes; i++) {
        talk_s(sizes[i], i < 3 ? 300 : i < 5 ? 20 : 6, latency_s, &passed_s, &large_s);
        if (!isfinite(large_s)) return false;
        out->link.bytes[i] = (double)sizes[i];
        out->link.rate_Bps[i] = (double)sizes[i] / fmax(large_s - small_s, 1e-9);
    }
    return true;
}

/* ---- all of it ---- */

enum { TERMS = 3 };

/* Least squares of sum of x times g's terms = 1: solves g x = r for the terms that are not left
 * out. */
static void solve(const double g[TERMS][TERMS], const double r[TERMS], const bool out[TERMS],
                  double x[TERMS])
{
    double row[TERMS][TERMS + 1];
    for (int i = 0; i < TERMS; i++) {
        for (int j = 0; j < TERMS; j++)
            row[i][j] = out[i] || out[j] ? i == j : g[i][j];
        row[i][TERMS] = out[i] ? 0 : r[i];
    }
    for (int i = 0; i < TERMS; i++) /* positive definite: needs no other order */
        for (int k = 0; k < TERMS; k++) {
            const double times = k == i ? 0 : row[k][i] / row[i][i];
            for (int j = i; j <= TERMS; j++)
                row[k][j] -= times * row[i][j];
        }
    for (int i = 0; i < TERMS; i++)
        x[i] = row[i][TERMS] / row[i][i];
}

/* Products of 32 to 1,024 tokens and widths of 128 to 2,048. What all three passes take together is
 * FLOP / peak + results / a rate + bytes of the weights / another: least squares of what that is
 * off, as a share of the time. (Packing weights costs forward twice what it costs backward, and
 * their gradients nothing; predictions have one rate.) */
static void measure_products(struct work *w, double budget_s, struct rk_measured *out)
{
    static const size_t width[][2] = {{128, 512},  {512, 128},  {256, 512},  {1024, 256},
                                      {512, 1024}, {2048, 512}, {1024, 1024}},
                        tokens[] = {32, 64, 128, 256, 512, 1024};
    enum { WIDTHS = sizeof width / sizeof *width, TOKENS = sizeof tokens / sizeof *tokens };
    enum { PASSES = 3, SHAPES = WIDTHS * TOKENS };
    static piece *const pass[PASSES] = {product, product_input, product_weight};
    double g[TERMS][TERMS] = {{0}}, r[TERMS] = {0}, x[TERMS];
    bool left_out[TERMS] = {false};
    for (int i = 0; i < SHAPES; i++) {
        double time_s = 0;
        w->m = tokens[i % TOKENS], w->n = width[i / TOKENS][0], w->k = width[i / TOKENS][1];
        for (int p = 0; p < PASSES; p++)
            time_s += least_s(pass[p], w, budget_s / (SHAPES * PASSES));
        const double m = (double)w->m, n = (double)w->n, k = (double)w->k;
        const double term[TERMS] = {PASSES * 2 * m * n * k / time_s,
                                    2 * (m * n + m * k + n * k) / time_s,
                                    PASSES * sizeof(float) * n * k / time_s};
        for (int a = 0; a < TERMS; a++) {
            r[a] += term[a];
            for (int b = 0; b < TERMS; b++)
                g[a][b] += term[a] * term[b];
        }
    }
    solve(g, r, left_out, x);
    for (int i = 1; i < TERMS; i++)
        if (!(x[i] > 0)) {
            left_out[i] = true;
            solve(g, r, left_out, x);
        }
    out->peak_FLOPps = 1 / x[0];
    out->k_half = x[1] / x[0];
    out->weights_Bps = left_out[2] ? 0 : 1 / x[2];
}

/* What a layer has of them, forward and backward: two norms, two sums, the activation of rows that
 * are four times as wide. */
static void layer_kernels(struct work *w)
{
    const struct norm_f32 n = {.eps = 1e-5, .w = w->b, .b = w->b};
    const size_t size = w->m * w->n;
    float *stats = w->b + 2 * w->n, *next = w->c + w->at;
    for (int i = 0; i < 2; i++) {
        norm_forward(1, &n, w->m, w->n, w->a, w->n, next, w->n, stats);
        add_residual(w->m, w->n, next, w->a, next + size);
        norm_backward(1, &n, w->m, w->n, w->a, w->n, stats, next, w->n, next + size,
                      next + 2 * size, w->n, w->d, w->d + w->n);
    }
    activation_forward(1, RUN_GELU, false, w->m, 4 * w->n, w->a, next);
    activation_backward(1, RUN_GELU, false, w->m, 4 * w->n, w->a, next, next + 4 * size);
    w->at = w->at + 16 * size <= SPACE ? w->at + 8 * size : 0;
}

/* By the bytes of one of these kernels; results lie where others lay before. */
static void measure_memory(struct work *w, double budget_s, struct rk_stream_rates *rates)
{
    static const size_t rows[] = {64, 256, 1024};
    enum { WIDTH = 512, KERNELS = 8, NUMBERS = 2 * (2 + 3 + 4) + 4 * (2 + 3) };
    rates->sizes = sizeof rows / sizeof *rows;
    w->n = WIDTH;
    for (int i = 0; i < rates->sizes; i++) {
        w->m = rows[i];
        w->at = 0;
        const double bytes = sizeof(float) * NUMBERS * (double)rows[i] * WIDTH;
        rates->bytes[i] = bytes / KERNELS;
        rates->rate_Bps[i] = bytes / least_s(layer_kernels, w, budget_s / rates->sizes);
    }
}

/* Of each weight: its gradient set to zero, read for the norm and read again; two moments and the
 * weight, read and written. */
enum { OPTIMIZER_BYTES = sizeof(float) * (3 + 2 * 3) };

static void measure_optimizer(struct work *w, double budget_s, struct rk_stream_rates *rates)
{
    static const size_t weights[] = {1 << 16, 1 << 18, 1 << 20, 1 << 22, SPACE};
    rates->sizes = sizeof weights / sizeof *weights;
    for (int i = 0; i < rates->sizes; i++) {
        w->n = weights[i];
        rates->bytes[i] = OPTIMIZER_BYTES * (double)w->n;
        rates->rate_Bps[i] = rates->bytes[i] / cold_s(optimizer, w, budget_s / rates->sizes);
    }
}

static void fill(struct work *w)
{
    for (size_t i = 0; i < ALL; i++)
        w->a[i] = (float)(i * 2654435761u % 1000) / 1000 - 0.5f;
    w->at = w->kept_at = 0;
}

enum rk_status rk_measure(double seconds, struct rk_measured *out, struct rk_error *error)
{
    const double budget_s = seconds / 8;
    struct work w = {.m = 0};
    memset(out, 0, sizeof *out);
    openblas_set_num_threads(1);
    w.a = calloc(ALL, sizeof *w.a);
    if (!w.a) return rk_fail(error, RK_IO, NULL, 0, 0, "no memory to measure with");
    w.b = w.a + SPACE;
    w.c = w.b + SPACE;
    w.d = w.c + SPACE;
    w.other = w.d + SPACE;
    fill(&w);
    measure_products(&w, 3 * budget_s, out);
    fill(&w); /* gradients have been added to it */
    measure_memory(&w, budget_s, &out->memory);
    measure_attention(&w, 2 * budget_s, &out->attention);
    measure_optimizer(&w, budget_s, &out->optimizer);
    free(w.a);
    if (!measure_messages(out))
        return rk_fail(error, RK_IO, NULL, 0, 0, "threads cannot be started to measure with");
    out->processors = sysconf(_SC_NPROCESSORS_ONLN);
    out->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGE_SIZE);
    return RK_OK;
}
