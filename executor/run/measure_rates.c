/* measure_rates.c - products, attention, passes over memory and the optimizer on one thread. */
#include "base/clock.h"
#include "run/bf16.h"
#include "run/least_squares.h"
#include "run/measure.h"
#include "run/pages.h"
#include "run/real/kernels.h"
#include "run/real/sixteen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- processor time of a piece ---- */

struct measure_work {
    size_t m, n, k, at, kept_at;
    float *a, *b, *c, *d, *constants; /* (SPACE) each, contiguous */
    struct attend_f32 attend;
    size_t rows;                 /* of it */
    const float *kept;           /* what a piece reads that forward has kept */
    pthread_barrier_t *together; /* NULL: alone */
    int turn;
    double (*took_s)[MEASURE_TURNS]; /* the next piece, in the turns so far */
};

enum { SPACE = 1 << 23, ALL = 5 * SPACE };

typedef void piece(struct measure_work *w);

static double processor_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The middle one of the first `n`, of two the lower one. */
static double middle_of(const double *value, int n)
{
    double sorted[MEASURE_TURNS];
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > value[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = value[i];
    }
    return sorted[(n - 1) / 2];
}

/* A piece in this turn: the least mean of runs that last a millisecond together, as a step's
 * operations do, whose least counts by the virtual clock; a short run alone may find the processor
 * faster than it stays. Threads that measure together begin each piece together, and the last mean
 * does not count: others may be done by then. Over turns the middle one. `before` is not timed. */
static double time_of(piece *before, piece *run, struct measure_work *w, double budget_s)
{
    const double stretch_s = 1e-3;
    const int last = w->together ? 1 : 0;
    double *took_s = *w->took_s++, least_s = INFINITY, latest_s = INFINITY, sum_s = 0;
    if (w->together) pthread_barrier_wait(w->together);
    const double begin = now_s();
    for (int runs = 0, means = 0; runs > 0 || means <= last || now_s() - begin < budget_s;) {
        before(w);
        const double from = processor_s();
        run(w);
        sum_s += processor_s() - from;
        runs++;
        if (sum_s < stretch_s) continue;
        least_s = fmin(least_s, last ? latest_s : sum_s / runs);
        latest_s = sum_s / runs;
        means++;
        sum_s = runs = 0;
    }
    took_s[w->turn] = least_s;
    return middle_of(took_s, w->turn + 1);
}

/* Weights come from memory, as they do in a step: others each time. */
static float *next_weights(struct measure_work *w)
{
    const size_t size = w->n * w->k;
    if (w->at + size > 2 * (size_t)SPACE) w->at = 0;
    float *weights = w->b + w->at;
    w->at += size;
    return weights;
}

/* So are what forward brings, which is kept, and what gradients of weights are computed from. */
static float *next_kept(struct measure_work *w, size_t size)
{
    if (w->kept_at + size > 2 * (size_t)SPACE) w->kept_at = 0;
    float *kept = w->d + w->kept_at;
    w->kept_at += size;
    return kept;
}

/* SPACE numbers that nothing is written over: what is computed over and over from its own
 * results vanishes, and vanishing numbers are slow. */
static const float *constants(const struct measure_work *w)
{
    return w->constants;
}

/* Others each time, for what forward has kept since long. */
static const float *next_constants(struct measure_work *w, size_t size)
{
    if (w->at + size > (size_t)SPACE) w->at = 0;
    const float *kept = constants(w) + w->at;
    w->at += size;
    return kept;
}

static void fill(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((uint32_t)i * UINT32_C(2654435761) >> 12) / (1 << 20) - 0.5f;
}

struct measure_work *measure_open(void)
{
    struct measure_work *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->a = pages_take(ALL * sizeof *w->a); /* as a step's arrays are */
    if (!w->a) {
        free(w);
        return NULL;
    }
    memset(w->a, 0, ALL * sizeof *w->a);
    w->b = w->a + SPACE;
    w->c = w->b + SPACE;
    w->d = w->c + SPACE;
    w->constants = w->d + SPACE;
    return w;
}

size_t measure_work_bytes(void)
{
    return ALL * sizeof(float);
}

void measure_close(struct measure_work *w)
{
    if (w) free(w->a);
    free(w);
}

/* ---- products ---- */

/* What a product multiplies weights with was written just before. */
static void bring_operand(struct measure_work *w)
{
    const size_t size = w->m * (w->n > w->k ? w->n : w->k);
    memcpy(w->a, constants(w) + w->at % (SPACE - size), size * sizeof *w->a);
}

static void product(struct measure_work *w)
{
    matrix_forward(1, w->m, w->n, w->k, w->a, next_weights(w), NULL, next_kept(w, w->m * w->n));
}

static void product_input(struct measure_work *w)
{
    matrix_input(1, w->m, w->n, w->k, w->a, next_weights(w), next_kept(w, w->m * w->k), false);
}

static void product_weight(struct measure_work *w)
{
    matrix_weight(1, w->m, w->n, w->k, w->a, next_constants(w, w->m * w->k), next_weights(w),
                  false);
}

/* Of bf16 operands, as a step has them: what comes in is 32 bits wide and read once more. */
static void product_bf16(struct measure_work *w)
{
    uint16_t *a = (uint16_t *)w->c;
    for (size_t i = 0; i < w->m * w->k; i++)
        a[i] = bf16_of(w->a[i]);
    struct bf16_product p = bf16_forward(w->m, w->n, w->k);
    p.a = a;
    p.b = (const uint16_t *)next_weights(w);
    p.c = next_kept(w, w->m * w->n);
    bf16_product(&p);
}

/* How many times as fast bf16 is, at one shape. */
static double gain_of_bf16(struct measure_work *w, double budget_s)
{
    w->m = 256, w->n = 1024, w->k = 1024;
    const double plain_s = time_of(bring_operand, product, w, budget_s);
    return bf16_multiplies(w->n, w->k) ? plain_s / time_of(bring_operand, product_bf16, w, budget_s)
                                       : 1;
}

/* Products of 32 to 1,024 tokens and widths of 128 to 2,048. What all three passes take together is
 * FLOP / peak + results / a rate + bytes of the weights / another: least squares of what that is
 * off, as a share of the time. (Packing weights costs forward twice what it costs backward, and
 * their gradients nothing; predictions have one rate.) */
static void measure_products(struct measure_work *w, double budget_s, struct rk_rates *rates)
{
    static const size_t width[][2] = {{128, 512},  {512, 128},  {256, 512},  {1024, 256},
                                      {512, 1024}, {2048, 512}, {1024, 1024}},
                        tokens[] = {32, 64, 128, 256, 512, 1024};
    enum { WIDTHS = sizeof width / sizeof *width, TOKENS = sizeof tokens / sizeof *tokens };
    enum { PASSES = 3, SHAPES = WIDTHS * TOKENS };
    _Static_assert(SHAPES * PASSES + 2 <= MEASURE_PIECES, "there is room for all");
    static piece *const pass[PASSES] = {product, product_input, product_weight};
    double g[TERMS][TERMS] = {{0}}, r[TERMS] = {0}, x[TERMS];
    bool left_out[TERMS] = {false};
    for (int i = 0; i < SHAPES; i++) {
        double time_s = 0;
        w->m = tokens[i % TOKENS], w->n = width[i / TOKENS][0], w->k = width[i / TOKENS][1];
        for (int p = 0; p < PASSES; p++)
            time_s += time_of(bring_operand, pass[p], w, budget_s / (SHAPES * PASSES));
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
    const double gain = gain_of_bf16(w, budget_s / (SHAPES * PASSES));
    least_squares(g, r, left_out, x);
    for (int i = 0; i < TERMS; i++)
        if (!left_out[i] && !(x[i] > 0)) { /* noise: there is none, or another took the peak's */
            left_out[i ? i : left_out[2] ? 1 : 2] = true;
            least_squares(g, r, left_out, x);
            i = -1;
        }
    rates->peak_FLOPps = 1 / x[0];
    rates->bf16_FLOPps = gain / x[0];
    rates->k_half = x[1] / x[0];
    rates->weights_Bps = left_out[2] ? 0 : 1 / x[2];
    fill(w->b, 2 * (size_t)SPACE); /* gradients have been added to it */
}

/* ---- attention: causal, of samples of so many tokens ---- */

/* Rows are as far apart as HEADS heads make them; of long samples a FEW are worked on. */
enum { HEADS = 8, FEW = 2, LONG = 512, LEAST_ROWS = 512, INPUTS = 32 };

static struct run_span all_rows(const struct measure_work *w)
{
    return (struct run_span){0, (uint32_t)w->rows, 0};
}

static void attend(struct measure_work *w)
{
    for (size_t at = 0; at < w->rows; at += w->m) {
        const struct run_span sample = {(uint32_t)at, (uint32_t)w->m, 0};
        attention_forward(1, &w->attend, sample, &sample, 1, true);
    }
    attention_finish(&w->attend, all_rows(w));
}

/* Of the heads that are worked on: queries', keys' and values' lie apart. */
static void clear_gradients(const struct attend_f32 *a, size_t rows)
{
    const size_t bytes = a->heads * a->d * sizeof(float);
    for (size_t i = 0; i < rows; i++) {
        memset(a->dq + i * a->ldq, 0, bytes);
        memset(a->dk + i * a->ldk, 0, bytes);
        memset(a->dv + i * a->ldk, 0, bytes);
    }
}

/* As a step does it, from gradients of zero on. */
static void attend_back(struct measure_work *w)
{
    attention_deltas(&w->attend, all_rows(w), (float *)w->attend.delta);
    clear_gradients(&w->attend, w->rows);
    for (size_t at = 0; at < w->rows; at += w->m) {
        const struct run_span sample = {(uint32_t)at, (uint32_t)w->m, 0};
        attention_backward(1, &w->attend, sample, &sample, 1);
    }
}

/* Other queries, keys and values each time, and another place for what is computed. */
static void next_rows(struct measure_work *w)
{
    struct attend_f32 *a = &w->attend;
    const size_t width = HEADS * a->d, size = w->rows * a->ldq;
    if (w->at + size > 2 * (size_t)SPACE) w->at = 0;
    a->q = w->a + w->at;
    a->k = a->q + width;
    a->v = a->k + width;
    w->at += size;
    a->out = next_kept(w, size);
    a->dq = next_kept(w, size);
    a->dk = a->dq + width;
    a->dv = a->dk + width;
}

/* In a step products stand in front of both: that which brings queries, keys and values ... */
static void project(struct measure_work *w)
{
    next_rows(w);
    matrix_forward(1, w->rows, w->attend.ldq, INPUTS, constants(w), constants(w) + SPACE / 2, NULL,
                   (float *)w->attend.q);
}

/* ... and that which brings the output's gradient, when all else has been away for long. */
static void project_back(struct measure_work *w)
{
    next_rows(w);
    matrix_input(1, w->rows, INPUTS, w->attend.heads * w->attend.value, constants(w),
                 constants(w) + SPACE / 2, (float *)w->attend.dout, false);
}

/* Samples of `tokens`, LEAST_ROWS rows in all or one sample. */
static void set_attention(struct measure_work *w, size_t dim, size_t tokens)
{
    w->m = tokens;
    w->rows = tokens > LEAST_ROWS ? tokens : LEAST_ROWS;
    float *state = w->c, *dout = w->c + SPACE / 2;
    const size_t heads = tokens < LONG ? HEADS : FEW;
    w->attend = (struct attend_f32){.heads = heads,
                                    .kv_heads = heads,
                                    .d = dim,
                                    .value = dim,
                                    .scale = 0.125,
                                    .ldq = 3 * HEADS * dim,
                                    .ldk = 3 * HEADS * dim,
                                    .most = state,
                                    .sum = state + w->rows * HEADS,
                                    .delta = state + 2 * w->rows * HEADS,
                                    .dout = dout};
}

static void measure_attention(struct measure_work *w, double budget_s, struct rk_rates *out)
{
    static const size_t dims[] = {32, 64, 128}, tokens[] = {32, 64, 128, 256, 512, 1024};
    enum { DIMS = sizeof dims / sizeof *dims, KEYS = sizeof tokens / sizeof *tokens };
    static const double pair_flop[2] = {4, 10}; /* of a pair and element of a head */
    const double each_s = budget_s / (2 * DIMS * KEYS);
    struct rk_attention_rates *rates = &out->attention;
    rates->dims = DIMS;
    rates->keys = KEYS;
    for (int d = 0; d < DIMS; d++)
        for (int k = 0; k < KEYS; k++) {
            set_attention(w, dims[d], tokens[k]);
            rates->dim[d] = (double)dims[d];
            rates->key[k] = ((double)tokens[k] + 1) / 2;
            const double pairs = (double)w->attend.heads * (double)w->rows * rates->key[k];
            const double pass_s[2] = {time_of(project, attend, w, each_s),
                                      time_of(project_back, attend_back, w, each_s)};
            for (int back = 0; back < 2; back++)
                rates->rate_FLOPps[back][d][k] =
                    pair_flop[back] * rates->dim[d] * pairs / pass_s[back];
        }
}

/* ---- kernels that memory limits, one by one ---- */

/* Rows of so many elements, 1 MiB in all: of a node that is busy, larger arrays are limited by its
 * memory, as those of most steps are not. */
enum { WIDTH = 256, ROWS = 1024, LOGITS = 8192, HEAD = 64 };

static size_t elements(const struct measure_work *w)
{
    return w->m * w->n;
}

/* Inputs were written just before, what forward kept was not. */
static void bring(struct measure_work *w)
{
    memcpy(w->a, next_constants(w, 2 * elements(w)), 2 * elements(w) * sizeof *w->a);
    w->kept = next_constants(w, 2 * elements(w));
}

static struct norm_f32 norm_of(const struct measure_work *w, bool rms)
{
    return (struct norm_f32){.rms = rms, .eps = 1e-5, .w = w->b, .b = rms ? NULL : w->b + WIDTH};
}

static void norm(struct measure_work *w, bool rms)
{
    const struct norm_f32 n = norm_of(w, rms);
    norm_forward(1, &n, w->m, w->n, w->a, w->n, next_kept(w, elements(w)), w->n, w->c);
}

static void norm_back(struct measure_work *w, bool rms)
{
    const struct norm_f32 n = norm_of(w, rms);
    norm_backward(1, &n, w->m, w->n, w->kept, w->n, w->c, w->a, w->n, w->a + elements(w),
                  next_kept(w, elements(w)), w->n, w->b + 2 * WIDTH, rms ? NULL : w->b + 3 * WIDTH);
}

static void layer_norm(struct measure_work *w)
{
    norm(w, false);
}
static void layer_norm_back(struct measure_work *w)
{
    norm_back(w, false);
}
static void rms_norm(struct measure_work *w)
{
    norm(w, true);
}
static void rms_norm_back(struct measure_work *w)
{
    norm_back(w, true);
}

static void residual(struct measure_work *w)
{
    add_residual(w->m, w->n, w->kept, NULL, w->a);
}
static void biased_residual(struct measure_work *w)
{
    add_residual(w->m, w->n, w->kept, w->b, w->a);
}
static void biased_residual_back(struct measure_work *w)
{
    column_sums(w->m, w->n, w->a, w->b + 2 * WIDTH);
}

#define ACTIVATION(name, kind, gated)                                                              \
    static void name(struct measure_work *w)                                                       \
    {                                                                                              \
        activation_forward(1, kind, gated, w->m, w->n, w->a, next_kept(w, elements(w)));           \
    }                                                                                              \
    static void name##_back(struct measure_work *w)                                                \
    {                                                                                              \
        activation_backward(1, kind, gated, w->m, w->n, w->kept, w->a,                             \
                            next_kept(w, (gated ? 2 : 1) * elements(w)));                          \
    }
ACTIVATION(gelu, RUN_GELU, false)
ACTIVATION(gated_gelu, RUN_GELU, true)
ACTIVATION(silu, RUN_SILU, false)
ACTIVATION(gated_silu, RUN_SILU, true)
ACTIVATION(relu, RUN_RELU, false)
ACTIVATION(gated_relu, RUN_RELU, true)

/* Queries and keys are next to values, which take a third of the row. */
static void turn(struct measure_work *w, bool back)
{
    static const uint32_t position[ROWS]; /* the same: the table is read again all the same */
    rotary(1, w->m, w->n / HEAD, HEAD, HEAD, position, w->b, back, w->a, w->n * 3 / 2);
}
static void rotary_forth(struct measure_work *w)
{
    turn(w, false);
}
static void rotary_back(struct measure_work *w)
{
    turn(w, true);
}

static void loss(struct measure_work *w)
{
    static const uint32_t target[ROWS];
    loss_part(1, w->m, w->n, w->n, w->a, target, 0, w->c, w->c + ROWS, w->c + 2 * ROWS);
}
static void loss_back(struct measure_work *w)
{
    static const uint32_t target[ROWS];
    loss_gradient(1, w->m, w->n, w->n, target, 0, w->c, w->c + ROWS, 1, w->a);
}

/* clang-format off */
static const struct {
    enum rk_kernel kernel;
    size_t rows, width;
    piece *pass[2]; /* backward NULL: it does nothing */
} kernels[] = {
    {RK_KERNEL_layer_norm,      ROWS,     WIDTH,  {layer_norm,      layer_norm_back}},
    {RK_KERNEL_rms_norm,        ROWS,     WIDTH,  {rms_norm,        rms_norm_back}},
    {RK_KERNEL_residual,        ROWS,     WIDTH,  {residual,        NULL}},
    {RK_KERNEL_biased_residual, ROWS,     WIDTH,  {biased_residual, biased_residual_back}},
    {RK_KERNEL_gelu,            ROWS,     WIDTH,  {gelu,            gelu_back}},
    {RK_KERNEL_gated_gelu,      ROWS,     WIDTH,  {gated_gelu,      gated_gelu_back}},
    {RK_KERNEL_silu,            ROWS,     WIDTH,  {silu,            silu_back}},
    {RK_KERNEL_gated_silu,      ROWS,     WIDTH,  {gated_silu,      gated_silu_back}},
    {RK_KERNEL_relu,            ROWS,     WIDTH,  {relu,            relu_back}},
    {RK_KERNEL_gated_relu,      ROWS,     WIDTH,  {gated_relu,      gated_relu_back}},
    {RK_KERNEL_rotary,          ROWS,     WIDTH,  {rotary_forth,    rotary_back}},
    {RK_KERNEL_cross_entropy, ROWS / 8, LOGITS, {loss,            loss_back}},
};
/* clang-format on */

static void measure_elements(struct measure_work *w, double budget_s, struct rk_rates *rates)
{
    enum { COUNT = sizeof kernels / sizeof *kernels };
    for (int i = 0; i < COUNT; i++)
        for (int back = 0; back < 2; back++) {
            piece *run = kernels[i].pass[back];
            w->m = kernels[i].rows;
            w->n = kernels[i].width;
            const double time_s = run ? time_of(bring, run, w, budget_s / (2 * COUNT)) : 0;
            rates->element_s[kernels[i].kernel][back] = time_s / (double)elements(w);
        }
}

/* Of all other kernels: sums, by the bytes of one. */
static void add_up(struct measure_work *w)
{
    add_to(w->m, w->kept, w->a);
}

static void bring_sum(struct measure_work *w)
{
    memcpy(w->a, next_constants(w, w->m), w->m * sizeof *w->a);
    w->kept = next_constants(w, w->m);
}

static void measure_memory(struct measure_work *w, double budget_s, struct rk_rates *out)
{
    static const size_t numbers[] = {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22};
    struct rk_stream_rates *rates = &out->memory;
    rates->sizes = sizeof numbers / sizeof *numbers;
    for (int i = 0; i < rates->sizes; i++) {
        w->m = numbers[i];
        rates->bytes[i] = 3 * sizeof(float) * (double)w->m;
        rates->rate_Bps[i] =
            rates->bytes[i] / time_of(bring_sum, add_up, w, budget_s / rates->sizes);
    }
}

/* ---- the optimizer ---- */

/* Of each weight: its gradient read for the norm and read again; two moments and the weight, read
 * and written. The step's first product has written the gradient: it is not set to zero. */
enum { OPTIMIZER_BYTES = sizeof(float) * (2 + 2 * 3) };

/* Other weights each time, so that those of the last round have left the caches. */
static void next_slice(struct measure_work *w)
{
    w->at = w->at + 2 * w->n <= SPACE ? w->at + w->n : 0;
}

/* Gradients are one array of four, and leave the caches only if they go through all there is. */
static void next_gradients(struct measure_work *w)
{
    w->at = w->at + 2 * w->n <= ALL ? w->at + w->n : 0;
}

static void sum_squares(struct measure_work *w)
{
    *w->c += 1e-30F * (float)square_sum(w->n, w->a + w->at);
}

static void update(struct measure_work *w)
{
    static const struct run_adam settings = {.rate = 1e-9,
                                             .beta1 = 0.999, /* nothing vanishes in these runs */
                                             .beta2 = 0.999,
                                             .eps = 1,
                                             .correct1 = 1,
                                             .correct2 = 1,
                                             .gradient_scale = 1};
    const size_t at = w->at;
    adam(1, w->n, &settings, true, w->a + at, w->b + at, w->c + at, w->d + at);
}

/* Each of the two apart: ranks wait for each other in between, so that all of them are at the
 * same one, and share the memory's rate. */
static void measure_optimizer(struct measure_work *w, double budget_s, struct rk_rates *out)
{
    static const size_t weights[] = {1 << 16, 1 << 18, 1 << 20, 1 << 22, SPACE};
    static const struct {
        piece *before, *run;
    } passes[] = {{next_gradients, sum_squares}, {next_slice, update}};
    enum { SIZES = sizeof weights / sizeof *weights, PASSES = sizeof passes / sizeof *passes };
    struct rk_stream_rates *rates = &out->optimizer;
    rates->sizes = SIZES;
    for (int i = 0; i < SIZES; i++) {
        double time_s = 0;
        w->n = weights[i];
        for (int p = 0; p < PASSES; p++)
            time_s += time_of(passes[p].before, passes[p].run, w, budget_s / (SIZES * PASSES));
        rates->bytes[i] = OPTIMIZER_BYTES * (double)w->n;
        rates->rate_Bps[i] = rates->bytes[i] / time_s;
    }
}

/* ---- all kinds ---- */

void measure_kind(int kind, int turn, struct measure_work *w, pthread_barrier_t *together,
                  double seconds, struct measure_times *times, struct rk_rates *rates)
{
    static const struct {
        void (*measure)(struct measure_work *w, double budget_s, struct rk_rates *rates);
        double share; /* of the time */
    } kinds[MEASURE_KINDS] = {{measure_products, 0.4},
                              {measure_elements, 0.15},
                              {measure_memory, 0.05},
                              {measure_attention, 0.25},
                              {measure_optimizer, 0.15}};
    if (kind == 0) fill(w->a, ALL);
    w->at = w->kept_at = 0;
    w->together = together;
    w->turn = turn;
    w->took_s = times->s[kind];
    kinds[kind].measure(w, kinds[kind].share * seconds, rates);
}
