/* Kernels against finite differences, in 64 bits; layouts of blocks against what DeepSpeed's
 * pattern has. */
#define RUN_F64
#include "run/blocks.h"
#include "run/real/kernels.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40000 };

static double noise(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0 - 0.5;
}

/* Zeros that live as long as the test's process. */
static double *zeros(size_t n)
{
    static double room[1 << 23];
    static size_t used;
    cr_assert(used + n <= sizeof room / sizeof *room);
    used += n;
    return room + used - n;
}

static double *random_array(size_t n)
{
    double *x = zeros(n);
    for (size_t i = 0; i < n; i++)
        x[i] = 2 * noise();
    return x;
}

/* A scalar of what a kernel brings: its product with fixed weights. */
typedef double scalar(void *context);

/* d f / d x[i] by central differences. */
static double slope(scalar *f, void *context, double *x)
{
    const double h = 1e-6, was = *x;
    *x = was + h;
    const double up = f(context);
    *x = was - h;
    const double down = f(context);
    *x = was;
    return (up - down) / (2 * h);
}

static void compare(const char *what, scalar *f, void *context, double *x, const double *gradient,
                    size_t n)
{
    for (size_t i = 0; i < n; i += 1 + n / 40) {
        const double wanted = slope(f, context, x + i);
        cr_expect(fabs(gradient[i] - wanted) < 1e-7 * (1 + fabs(wanted)),
                  "%s[%zu]: %.12g for %.12g", what, i, gradient[i], wanted);
    }
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- norms ---- */

struct norms {
    struct norm_f64 norm;
    double *x, *y, *stats, *weights;
};
enum { ROWS = 5, WIDTH = 37 };

static double norm_value(void *context)
{
    struct norms *n = context;
    norm_forward(1, &n->norm, ROWS, WIDTH, n->x, WIDTH, n->y, WIDTH, n->stats);
    return dot(ROWS * WIDTH, n->y, n->weights);
}

Test(run_kernels, norms)
{
    for (int rms = 0; rms < 2; rms++) {
        double *w = random_array(WIDTH), *b = random_array(WIDTH), dw[WIDTH] = {0}, db[WIDTH] = {0};
        double dx[ROWS * WIDTH];
        struct norms n = {{rms, 1e-5, w, rms ? NULL : b, rms},
                          random_array(ROWS * WIDTH),
                          random_array(ROWS * WIDTH),
                          random_array(2 * ROWS),
                          random_array(ROWS * WIDTH)};
        norm_value(&n);
        norm_backward(1, &n.norm, ROWS, WIDTH, n.x, WIDTH, n.stats, n.weights, WIDTH, NULL, dx,
                      WIDTH, dw, rms ? NULL : db);
        compare("norm x", norm_value, &n, n.x, dx, ROWS * WIDTH);
        compare("norm w", norm_value, &n, w, dw, WIDTH);
        if (!rms) compare("norm b", norm_value, &n, b, db, WIDTH);
    }
}

/* ---- activations ---- */

struct activations {
    enum run_activation f;
    bool gated;
    double *x, *y, *weights;
};

static double activation_value(void *context)
{
    struct activations *a = context;
    activation_forward(1, a->f, a->gated, ROWS, WIDTH, a->x, a->y);
    return dot(ROWS * WIDTH, a->y, a->weights);
}

Test(run_kernels, activations)
{
    for (int f = RUN_GELU; f <= RUN_GELU_EXACT; f++)
        for (int gated = 0; gated < 2; gated++) {
            double dx[2 * ROWS * WIDTH];
            struct activations a = {(enum run_activation)f, gated, random_array(2 * ROWS * WIDTH),
                                    random_array(ROWS * WIDTH), random_array(ROWS * WIDTH)};
            activation_value(&a);
            activation_backward(1, a.f, gated, ROWS, WIDTH, a.x, a.weights, dx);
            compare("activation", activation_value, &a, a.x, dx,
                    (size_t)(1 + gated) * ROWS * WIDTH);
        }
    cr_expect_float_eq(1 / (1 + exp(-1.0)), 0.7310585786300049, 1e-15);
}

/* ---- products and tables ---- */

Test(run_kernels, products)
{
    enum { M = 7, N = 11, K = 13 };
    double *x = random_array(M * K), *w = random_array(N * K), *b = random_array(N),
           *dy = random_array(M * N);
    double y[M * N], dx[M * K], dw[N * K] = {0}, db[N] = {0};
    matrix_forward(1, M, N, K, x, w, b, y);
    matrix_input(1, M, N, K, dy, w, dx, false);
    double written[N * K];
    memset(written, 0x40, sizeof written);
    matrix_weight(1, M, N, K, dy, x, dw, true);
    matrix_weight(1, M, N, K, dy, x, written, false);
    cr_expect_eq(memcmp(written, dw, sizeof dw), 0, "what was there counts");
    column_sums(M, N, dy, db);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            cr_expect_float_eq(y[i * N + j], b[j] + dot(K, x + i * K, w + j * K), 1e-12);
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += dy[i * N + j] * w[j * K + k];
            cr_expect_float_eq(dx[i * K + k], sum, 1e-12);
        }
    double sum = 0;
    for (int i = 0; i < M; i++)
        sum += dy[i * N + 3] * x[i * K + 5];
    cr_expect_float_eq(dw[3 * K + 5], sum, 1e-12);
}

/* Turning there and back is nothing; lengths stay. */
Test(run_kernels, rotary)
{
    enum { HEADS = 3, D = 8, POSITIONS = 16 };
    uint32_t position[4] = {0, 3, 7, 15};
    double table[POSITIONS * D], *x = random_array(4 * HEADS * D), was[4 * HEADS * D];
    memcpy(was, x, sizeof was);
    rotary_table(POSITIONS, D, 10000, &(struct rk_rotary_stretch){.factor = 1}, table);
    rotary(1, 4, HEADS, D, D, position, table, false, x, HEADS * D);
    cr_expect_float_eq(x[0], was[0], 1e-15); /* position 0 */
    /* by hand: position 3, pair (0, 4), angle 3 */
    cr_expect_float_eq(x[HEADS * D], was[HEADS * D] * cos(3) - was[HEADS * D + 4] * sin(3), 1e-14);
    rotary(1, 4, HEADS, D, D, position, table, true, x, HEADS * D);
    for (int i = 0; i < 4 * HEADS * D; i++)
        cr_expect_float_eq(x[i], was[i], 1e-14);
}

/* ---- attention ---- */

struct attention {
    struct attend_f64 a;
    uint32_t tokens;
    double *qkv, *weights;
    double out[MOST], state[2 * MOST / 10];
};
enum { HEADS = 4, KEYS = 2, D = 6, V = 5, LD = HEADS * D + KEYS * (D + V) };

static double attention_value(void *context)
{
    struct attention *t = context;
    const struct run_span all = {0, t->tokens, 0};
    attention_forward(1, &t->a, all, &all, 1, true);
    attention_finish(&t->a, all);
    return dot((size_t)t->tokens * HEADS * V, t->out, t->weights);
}

/* The definition, key by key. */
static void attention_by_hand(const struct attention *t, double *out)
{
    const struct run_mask *m = &t->a.mask;
    for (uint32_t i = 0; i < t->tokens; i++)
        for (int h = 0; h < HEADS; h++) {
            double sum = 0, *to = out + (i * HEADS + (uint32_t)h) * V;
            memset(to, 0, V * sizeof *to);
            for (uint32_t j = 0; j <= i; j++) {
                const bool far =
                    m->window && (m->chunks ? j < i / m->window * m->window : j + m->window <= i);
                if (far || (m->blocks && !blocks_see(m->blocks, (uint32_t)h, i / m->blocks->size,
                                                     j / m->blocks->size)))
                    continue;
                const double *q = t->qkv + i * LD + h * D,
                             *k = t->qkv + j * LD + HEADS * D + h / 2 * D;
                const double p = exp(t->a.scale * dot(D, q, k));
                const double *v = t->qkv + j * LD + (HEADS + KEYS) * D + h / 2 * V;
                sum += p;
                for (int c = 0; c < V; c++)
                    to[c] += p * v[c];
            }
            for (int c = 0; c < V; c++)
                to[c] /= sum;
        }
}

static void try_attention(const char *what, uint32_t tokens, struct run_mask mask)
{
    static struct attention t;
    static double by_hand[MOST];
    t.tokens = tokens;
    t.qkv = random_array(tokens * LD);
    t.weights = random_array(tokens * HEADS * V);
    t.a = (struct attend_f64){.heads = HEADS,
                              .kv_heads = KEYS,
                              .d = D,
                              .value = V,
                              .scale = 0.4,
                              .mask = mask,
                              .q = t.qkv,
                              .k = t.qkv + HEADS * D,
                              .v = t.qkv + (HEADS + KEYS) * D,
                              .ldq = LD,
                              .ldk = LD,
                              .out = t.out,
                              .most = t.state,
                              .sum = t.state + tokens * HEADS};
    attention_value(&t);
    attention_by_hand(&t, by_hand);
    for (size_t i = 0; i < (size_t)tokens * HEADS * V; i++)
        cr_assert(fabs(t.out[i] - by_hand[i]) < 1e-12, "%s: out[%zu] %.15g for %.15g", what, i,
                  t.out[i], by_hand[i]);
    double *delta = zeros(tokens * HEADS), *d = zeros(tokens * LD);
    const struct run_span all = {0, tokens, 0};
    t.a.dout = t.weights;
    attention_deltas(&t.a, all, delta);
    t.a.delta = delta;
    t.a.dq = d;
    t.a.dk = d + HEADS * D;
    t.a.dv = d + (HEADS + KEYS) * D;
    attention_backward(1, &t.a, all, &all, 1);
    compare(what, attention_value, &t, t.qkv, d, tokens * LD);
}

Test(run_kernels, attention)
{
    struct run_blocks fixed;
    cr_assert(blocks_fixed(&fixed, 200, 16, 4, 1, 2));
    try_attention("causal", 150, (struct run_mask){0});
    try_attention("window", 150, (struct run_mask){.window = 20});
    try_attention("chunks", 150, (struct run_mask){.window = 40, .chunks = true});
    try_attention("blocks", 200, (struct run_mask){.blocks = &fixed});
    blocks_release(&fixed);
}

/* Keys that come in two runs, the later one first, bring the same. */
Test(run_kernels, attention_in_parts)
{
    enum { TOKENS = 100 };
    static struct attention t;
    double once[TOKENS * HEADS * V];
    t.tokens = TOKENS;
    t.qkv = random_array(TOKENS * LD);
    t.weights = random_array(TOKENS * HEADS * V);
    t.a = (struct attend_f64){.heads = HEADS,
                              .kv_heads = KEYS,
                              .d = D,
                              .value = V,
                              .scale = 0.4,
                              .q = t.qkv,
                              .k = t.qkv + HEADS * D,
                              .v = t.qkv + (HEADS + KEYS) * D,
                              .ldq = LD,
                              .ldk = LD,
                              .out = t.out,
                              .most = t.state,
                              .sum = t.state + TOKENS * HEADS};
    attention_value(&t);
    memcpy(once, t.out, sizeof once);
    const struct run_span all = {0, TOKENS, 0}, late = {60, 40, 60}, early = {0, 60, 0};
    attention_forward(1, &t.a, all, &late, 1, true);
    attention_forward(1, &t.a, all, &early, 1, false);
    attention_finish(&t.a, all);
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        cr_expect(fabs(once[i] - t.out[i]) < 1e-13);
}

/* Blocks that a head of the pattern sees, none above the diagonal. */
static uint64_t blocks_count(const struct run_blocks *b, uint32_t pattern)
{
    uint64_t count = 0;
    for (uint32_t r = 0; r < b->side; r++)
        for (uint32_t c = 0; c <= r; c++)
            count += blocks_see(b, pattern, r, c);
    return count;
}

/* other-systems: n = 8, l = 4, g = 1: rows see 1, 2, 3, 4, 2, 3, 4, 5 blocks; counts of its table.
 */
Test(run_kernels, blocks)
{
    struct run_blocks b;
    const int seen[8] = {1, 2, 3, 4, 2, 3, 4, 5};
    cr_assert(blocks_fixed(&b, 128, 16, 4, 1, 1));
    for (uint32_t r = 0; r < 8; r++) {
        int count = 0;
        for (uint32_t c = 0; c < 8; c++)
            count += blocks_see(&b, 0, r, c);
        cr_expect_eq(count, seen[r], "row %u: %d", r, count);
    }
    blocks_release(&b);
    static const struct {
        uint32_t sequence, local, blocks;
    } table[] = {{512, 8, 192},  {512, 4, 192},   {1024, 8, 512},
                 {1024, 4, 640}, {2048, 8, 1536}, {2048, 4, 2304}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (uint32_t p = 1; p <= 4; p *= 2) {
            cr_assert(blocks_fixed(&b, table[i].sequence, 16, table[i].local, 1, p));
            for (uint32_t k = 0; k < p; k++)
                cr_expect_eq(blocks_count(&b, k), table[i].blocks, "%u tokens, l %u: %d blocks",
                             table[i].sequence, table[i].local, (int)blocks_count(&b, k));
            blocks_release(&b);
        }
    cr_assert(blocks_fixed(&b, 512, 16, 32, 1, 1)); /* one window is dense */
    cr_expect_eq(blocks_count(&b, 0), 528);
    blocks_release(&b);
}

/* ---- loss and optimizer ---- */

struct loss {
    double *logits;
    uint32_t target[3];
};

static double loss_value(void *context)
{
    struct loss *l = context;
    double most[3], sum[3], wanted[3], loss = 0;
    loss_part(1, 3, 11, 11, l->logits, l->target, 0, most, sum, wanted);
    for (int i = 0; i < 3; i++)
        loss += log(sum[i]) + most[i] - wanted[i];
    return 0.25 * loss;
}

Test(run_kernels, loss)
{
    struct loss l = {random_array(33), {0, 5, 10}};
    double most[3], sum[3], wanted[3], gradient[33];
    memcpy(gradient, l.logits, sizeof gradient);
    loss_part(1, 3, 11, 11, l.logits, l.target, 0, most, sum, wanted);
    loss_gradient(1, 3, 11, 11, l.target, 0, most, sum, 0.25, gradient);
    compare("logits", loss_value, &l, l.logits, gradient, 33);
}

/* One step by hand: m = 0.1 g, v = 0.05 g^2, both corrected to g and g^2: w loses rate * sign(g)
 * and decay. */
Test(run_kernels, adam)
{
    const struct run_adam s = {.rate = 0.01,
                               .beta1 = 0.9,
                               .beta2 = 0.95,
                               .eps = 0,
                               .decay = 0.1,
                               .correct1 = 1 - 0.9,
                               .correct2 = 1 - 0.95,
                               .gradient_scale = 0.5};
    double g[2] = {4, -8}, m[2] = {0}, v[2] = {0}, w[2] = {1, 2};
    adam(1, 2, &s, true, g, m, v, w);
    cr_expect_float_eq(w[0], 1 * (1 - 0.001) - 0.01, 1e-15);
    cr_expect_float_eq(w[1], 2 * (1 - 0.001) + 0.01, 1e-15);
    cr_expect_float_eq(m[0], 0.2, 1e-15);
    cr_expect_float_eq(v[1], 0.05 * 16, 1e-15);
    adam(1, 2, &s, false, (double[2]){0, 0}, m, v, w);
    cr_expect_lt(w[0], 0.989);
}
