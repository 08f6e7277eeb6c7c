#include "run/real/kernels.h"

#include "run/real/by_library.h"
#include "run/real/lanes.h"

#include <string.h>

/* ---- products ---- */

void matrix_forward(int threads, size_t m, size_t n, size_t k, const real *x, const real *w,
                    const real *bias, real *y)
{
    const bool onednn = multiplies(n, k);
    const size_t high = PRODUCT_ROWS, wide = product_slice(n);
#pragma omp parallel for collapse(2) num_threads(threads) schedule(dynamic) if (threads > 1)
    for (size_t i = 0; i < m; i += high)
        for (size_t j = 0; j < n; j += wide) {
            const size_t rows = m - i < high ? m - i : high, cols = n - j < wide ? n - j : wide;
            for (size_t r = 0; bias && r < rows; r++)
                memcpy(y + (i + r) * n + j, bias + j, cols * sizeof *y);
            multiply(onednn, (struct shape){rows, cols, k}, (struct operand){x + i * k, k, false},
                     (struct operand){w + j * k, k, true}, bias != NULL, y + i * n + j, n);
        }
}

void matrix_input(int threads, size_t m, size_t n, size_t k, const real *dy, const real *w,
                  real *dx, bool add)
{
    const bool onednn = multiplies(n, k);
    const size_t high = PRODUCT_ROWS, wide = product_slice(k);
#pragma omp parallel for collapse(2) num_threads(threads) schedule(dynamic) if (threads > 1)
    for (size_t i = 0; i < m; i += high)
        for (size_t j = 0; j < k; j += wide) {
            const size_t rows = m - i < high ? m - i : high, cols = k - j < wide ? k - j : wide;
            multiply(onednn, (struct shape){rows, cols, n}, (struct operand){dy + i * n, n, false},
                     (struct operand){w + j, k, false}, add, dx + i * k + j, k);
        }
}

void matrix_weight(int threads, size_t m, size_t n, size_t k, const real *dy, const real *x,
                   real *dw, bool add)
{
    const bool onednn = multiplies(n, k);
    const size_t high = onednn ? gradient_slice(n) : product_slice(n);
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (size_t i = 0; i < n; i += high)
        multiply(onednn, (struct shape){n - i < high ? n - i : high, k, m},
                 (struct operand){dy + i, n, true}, (struct operand){x, k, false}, add, dw + i * k,
                 k);
}

CLONES void column_sums(size_t m, size_t n, const real *restrict dy, real *restrict db)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            db[j] += dy[i * n + j];
}

CLONES void add_bias(size_t m, size_t n, const real *restrict bias, real *restrict y)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            y[i * n + j] += bias[j];
}

/* ---- norms ---- */

/* A parallel region of one thread takes as long as a hundred elements, and norms of heads and turns
 * are asked for row by row: one thread has none. */

CLONES static void norm_row(const struct REAL(norm) * norm, size_t width, const real *restrict x,
                            real *restrict y, real *restrict stats)
{
    const real mean = norm->rms ? 0 : lanes_sum(width, x) / (real)width;
    const real variance = lanes_spread(width, x, mean) / (real)width;
    const real scale = 1 / real_sqrt(variance + (real)norm->eps);
    stats[0] = mean;
    stats[1] = scale;
    if (!norm->w)
        for (size_t j = 0; j < width; j++)
            y[j] = (x[j] - mean) * scale;
    else if (!norm->b)
        for (size_t j = 0; j < width; j++)
            y[j] = (x[j] - mean) * scale * (norm->w[j] + norm->offset);
    else
        for (size_t j = 0; j < width; j++)
            y[j] = (x[j] - mean) * scale * (norm->w[j] + norm->offset) + norm->b[j];
}

void norm_forward(int threads, const struct REAL(norm) * norm, size_t rows, size_t width,
                  const real *x, size_t ldx, real *y, size_t ldy, real *stats)
{
    if (threads == 1) {
        for (size_t i = 0; i < rows; i++)
            norm_row(norm, width, x + i * ldx, y + i * ldy, stats + 2 * i);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < rows; i++)
        norm_row(norm, width, x + i * ldx, y + i * ldy, stats + 2 * i);
}

/* With n = (x - mean) scale and d = dy w: dx = scale (d - mean(d) - n mean(d n)). */
CLONES static void norm_row_back(const struct REAL(norm) * norm, size_t width,
                                 const real *restrict x, const real *restrict stats, const real *dy,
                                 const real *base, real *dx)
{
    const real mean = stats[0], scale = stats[1];
    real plain[LANES] = {0}, along[LANES] = {0};
    const size_t whole = width / LANES * LANES;
    for (size_t j = 0; j < whole; j += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const real d = norm->w ? dy[j + l] * (norm->w[j + l] + norm->offset) : dy[j + l];
            plain[l] += d;
            along[l] += d * ((x[j + l] - mean) * scale);
        }
    for (size_t j = whole; j < width; j++) {
        const real d = norm->w ? dy[j] * (norm->w[j] + norm->offset) : dy[j];
        plain[j - whole] += d;
        along[j - whole] += d * ((x[j] - mean) * scale);
    }
    const real d_mean = norm->rms ? 0 : lanes_fold(plain) / (real)width;
    const real d_along = lanes_fold(along) / (real)width;
    for (size_t j = 0; j < width; j++) {
        const real d = norm->w ? dy[j] * (norm->w[j] + norm->offset) : dy[j];
        const real g = scale * (d - d_mean - (x[j] - mean) * scale * d_along);
        dx[j] = base ? base[j] + g : g;
    }
}

CLONES static void norm_weights_back(size_t rows, size_t width, const real *restrict x, size_t ldx,
                                     const real *restrict stats, const real *restrict dy,
                                     size_t ldy, real *restrict dw, real *restrict db)
{
    for (size_t i = 0; i < rows; i++) {
        const real mean = stats[2 * i], scale = stats[2 * i + 1];
        for (size_t j = 0; j < width; j++)
            dw[j] += dy[i * ldy + j] * ((x[i * ldx + j] - mean) * scale);
        if (!db) continue;
        for (size_t j = 0; j < width; j++)
            db[j] += dy[i * ldy + j];
    }
}

void norm_backward(int threads, const struct REAL(norm) * norm, size_t rows, size_t width,
                   const real *x, size_t ldx, const real *stats, const real *dy, size_t ldy,
                   const real *base, real *dx, size_t lddx, real *dw, real *db)
{
    if (dw) norm_weights_back(rows, width, x, ldx, stats, dy, ldy, dw, db);
    if (threads == 1) {
        for (size_t i = 0; i < rows; i++)
            norm_row_back(norm, width, x + i * ldx, stats + 2 * i, dy + i * ldy,
                          base ? base + i * lddx : NULL, dx + i * lddx);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < rows; i++)
        norm_row_back(norm, width, x + i * ldx, stats + 2 * i, dy + i * ldy,
                      base ? base + i * lddx : NULL, dx + i * lddx);
}

/* ---- activations ---- */

#define GELU_A ((real)0.79788456080286535588) /* sqrt(2 / pi) */
#define GELU_B ((real)0.044715)

/* (1 + tanh u) / 2 = 1 / (1 + exp(-2u)) */
static inline real gelu_share(real x)
{
    return 1 / (1 + real_exp(-2 * GELU_A * (x + GELU_B * x * x * x)));
}

static inline real gelu(real x)
{
    return x * gelu_share(x);
}

static inline real gelu_slope(real x)
{
    const real s = gelu_share(x);
    return s + 2 * x * s * (1 - s) * GELU_A * (1 + 3 * GELU_B * x * x);
}

static inline real silu(real x)
{
    return x / (1 + real_exp(-x));
}

static inline real silu_slope(real x)
{
    const real s = 1 / (1 + real_exp(-x));
    return s * (1 + x * (1 - s));
}

static inline real relu(real x)
{
    return x > 0 ? x : 0;
}
static inline real relu_slope(real x)
{
    return x > 0 ? 1 : 0;
}
static inline real square_relu(real x)
{
    return x > 0 ? x * x : 0;
}
static inline real square_relu_slope(real x)
{
    return x > 0 ? 2 * x : 0;
}

#define GELU_E ((real)0.70710678118654752440)
#define GELU_P ((real)0.39894228040143267794)
static inline real gelu_exact(real x)
{
    return (real)0.5 * x * (1 + real_erf(x * GELU_E));
}
static inline real gelu_exact_slope(real x)
{
    return (real)0.5 * (1 + real_erf(x * GELU_E)) + x * GELU_P * real_exp(-x * x / 2);
}

#define FORWARD(name, f)                                                                           \
    CLONES static void name##_row(size_t n, const real *restrict x, const real *restrict up,       \
                                  real *restrict y)                                                \
    {                                                                                              \
        if (up)                                                                                    \
            for (size_t j = 0; j < n; j++)                                                         \
                y[j] = f(x[j]) * up[j];                                                            \
        else                                                                                       \
            for (size_t j = 0; j < n; j++)                                                         \
                y[j] = f(x[j]);                                                                    \
    }                                                                                              \
    CLONES static void name##_row_back(size_t n, const real *x, const real *up, const real *dy,    \
                                       real *dx, real *dup)                                        \
    {                                                                                              \
        if (up)                                                                                    \
            for (size_t j = 0; j < n; j++) {                                                       \
                const real d = dy[j];                                                              \
                dup[j] = d * f(x[j]);                                                              \
                dx[j] = d * up[j] * f##_slope(x[j]);                                               \
            }                                                                                      \
        else                                                                                       \
            for (size_t j = 0; j < n; j++)                                                         \
                dx[j] = dy[j] * f##_slope(x[j]);                                                   \
    }
FORWARD(gelu, gelu)
FORWARD(silu, silu)
FORWARD(relu, relu)
FORWARD(square_relu, square_relu)
FORWARD(gelu_exact, gelu_exact)

/* gpt-oss': gates times the sigmoid of 1.702 of them, and one more than what they open. */
#define OSS_A ((real)1.702)
CLONES static void oss_row(size_t n, const real *restrict x, const real *restrict up,
                           real *restrict y)
{
    for (size_t j = 0; j < n; j++)
        y[j] = x[j] / (1 + real_exp(-OSS_A * x[j])) * (up[j] + 1);
}
CLONES static void oss_row_back(size_t n, const real *x, const real *up, const real *dy, real *dx,
                                real *dup)
{
    for (size_t j = 0; j < n; j++) {
        const real d = dy[j], s = 1 / (1 + real_exp(-OSS_A * x[j])), y = x[j] * s;
        dup[j] = d * y;
        dx[j] = d * (up[j] + 1) * s * (1 + OSS_A * (x[j] - y));
    }
}

static const struct {
    void (*forward)(size_t, const real *, const real *, real *);
    void (*backward)(size_t, const real *, const real *, const real *, real *, real *);
} activations[] = {
    [RUN_GELU] = {gelu_row, gelu_row_back},
    [RUN_SILU] = {silu_row, silu_row_back},
    [RUN_RELU] = {relu_row, relu_row_back},
    [RUN_SQUARED_RELU] = {square_relu_row, square_relu_row_back},
    [RUN_GELU_EXACT] = {gelu_exact_row, gelu_exact_row_back},
    [RUN_OSS] = {oss_row, oss_row_back},
};

void activation_forward(int threads, enum run_activation f, bool gated, size_t rows, size_t width,
                        const real *x, real *y)
{
    const size_t wide = gated ? 2 * width : width;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < rows; i++)
        activations[f].forward(width, x + i * wide, gated ? x + i * wide + width : NULL,
                               y + i * width);
}

void activation_backward(int threads, enum run_activation f, bool gated, size_t rows, size_t width,
                         const real *x, const real *dy, real *dx)
{
    const size_t wide = gated ? 2 * width : width;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < rows; i++)
        activations[f].backward(width, x + i * wide, gated ? x + i * wide + width : NULL,
                                dy + i * width, dx + i * wide,
                                gated ? dx + i * wide + width : NULL);
}

/* ---- positions and tables ---- */

static double stretched(double frequency, const struct rk_rotary_stretch *s)
{
    const double slow = frequency / s->factor;
    if (!(s->context > 0)) return slow;
    const double turns = s->context * frequency / (2 * 3.14159265358979323846); /* in the context */
    if (turns < s->low) return slow;
    if (turns > s->high) return frequency;
    const double part = (turns - s->low) / (s->high - s->low);
    return (1 - part) * slow + part * frequency;
}

/* The number of the frequency that turns so often in the context, as a fraction. */
static double number_of_turns(double turns, size_t d, double base, double context)
{
    const double pi = 3.14159265358979323846;
    return (double)d * __builtin_log(context / (turns * 2 * pi)) / (2 * __builtin_log(base));
}

/* Yarn's, of frequency `i` [peng2023], as transformers' modeling_rope_utils.py has it. */
static double yarn(double frequency, size_t i, size_t d, double base,
                   const struct rk_rotary_stretch *s)
{
    double first = number_of_turns(s->high, d, base, s->context),
           last = number_of_turns(s->low, d, base, s->context);
    if (!s->fractional) {
        first = __builtin_floor(first);
        last = __builtin_ceil(last);
    }
    first = first < 0 ? 0 : first;
    last = last > (double)d - 1 ? (double)d - 1 : last;
    if (first == last) last += 0.001;
    const double part = ((double)i - first) / (last - first);
    const double slow = part < 0 ? 0 : part > 1 ? 1 : part;
    return frequency / s->factor * slow + frequency * (1 - slow);
}

/* Of frequency `i` in samples of so many tokens. */
static double frequency_of(size_t positions, size_t i, size_t d, double base,
                           const struct rk_rotary_stretch *s)
{
    const double power = __builtin_pow(base, -2.0 * (double)i / (double)d);
    if (s->factors) return power / s->divide[(double)positions > s->context][i];
    return s->yarn ? yarn(power, i, d, base, s) : stretched(power, s);
}

void rotary_table(size_t positions, size_t d, double base, const struct rk_rotary_stretch *stretch,
                  real *table)
{
    for (size_t i = 0; i < d / 2; i++) {
        const double frequency = frequency_of(positions, i, d, base, stretch);
        const double size = stretch->magnitude > 0 ? stretch->magnitude : 1;
        for (size_t p = 0; p < positions; p++) {
            const double angle = (double)p * frequency;
            table[p * d + i] = (real)(size * __builtin_cos(angle));
            table[p * d + d / 2 + i] = (real)(size * __builtin_sin(angle));
        }
    }
}

CLONES static void rotate(size_t half, const real *restrict turn, real sign, real *restrict x)
{
    for (size_t i = 0; i < half; i++) {
        const real a = x[i], b = x[i + half], c = turn[i], s = sign * turn[half + i];
        x[i] = a * c - b * s;
        x[i + half] = b * c + a * s;
    }
}

void rotary(int threads, size_t rows, size_t heads, size_t d, size_t n, const uint32_t *position,
            const real *table, bool back, real *x, size_t ld)
{
    if (threads == 1) {
        for (size_t i = 0; i < rows; i++)
            for (size_t h = 0; h < heads; h++)
                rotate(n / 2, table + position[i] * n, back ? -1 : 1, x + i * ld + h * d);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < rows; i++)
        for (size_t h = 0; h < heads; h++)
            rotate(n / 2, table + position[i] * n, back ? -1 : 1, x + i * ld + h * d);
}

void lookup_forward(size_t rows, size_t width, const uint32_t *token, uint32_t first,
                    uint32_t count, const real *table, real *y)
{
    for (size_t i = 0; i < rows; i++)
        if (token[i] - first < count)
            memcpy(y + i * width, table + (size_t)(token[i] - first) * width, width * sizeof *y);
        else
            memset(y + i * width, 0, width * sizeof *y);
}

void lookup_backward(size_t rows, size_t width, const uint32_t *token, uint32_t first,
                     uint32_t count, const real *dy, real *dtable)
{
    for (size_t i = 0; i < rows; i++)
        if (token[i] - first < count)
            add_to(width, dy + i * width, dtable + (size_t)(token[i] - first) * width);
}

/* ---- sums ---- */

CLONES void add_to(size_t n, const real *restrict x, real *restrict y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += x[i];
}

CLONES void add_residual(size_t rows, size_t width, const real *restrict x,
                         const real *restrict bias, real *restrict y)
{
    for (size_t i = 0; i < rows; i++)
        if (bias)
            for (size_t j = 0; j < width; j++)
                y[i * width + j] += x[i * width + j] + bias[j];
        else
            for (size_t j = 0; j < width; j++)
                y[i * width + j] += x[i * width + j];
}

CLONES void scale_by(size_t n, double a, real *x)
{
    const real factor = (real)a;
    for (size_t i = 0; i < n; i++)
        x[i] *= factor;
}

CLONES double square_sum(size_t n, const real *x)
{
    double lane[LANES] = {0}, sum = 0;
    const size_t whole = n / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += (double)x[i + l] * (double)x[i + l];
    for (size_t i = whole; i < n; i++)
        lane[i - whole] += (double)x[i] * (double)x[i];
    for (size_t l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

/* ---- loss ---- */

CLONES static void part_row(size_t columns, const real *logits, real *most, real *sum)
{
    const real top = lanes_most(columns, logits);
    real lane[LANES] = {0};
    const size_t whole = columns / LANES * LANES;
    for (size_t j = 0; j < whole; j += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += real_exp(logits[j + l] - top);
    for (size_t j = whole; j < columns; j++)
        lane[j - whole] += real_exp(logits[j] - top);
    *most = top;
    *sum = lanes_fold(lane);
}

void loss_part(int threads, size_t rows, size_t columns, size_t ld, const real *logits,
               const uint32_t *target, uint32_t first, real *most, real *sum, real *wanted)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < rows; i++) {
        part_row(columns, logits + i * ld, most + i, sum + i);
        wanted[i] = target[i] - first < columns ? logits[i * ld + target[i] - first] : 0;
    }
}

CLONES static void gradient_row(size_t columns, real most, real factor, real *logits)
{
    for (size_t j = 0; j < columns; j++)
        logits[j] = real_exp(logits[j] - most) * factor;
}

void loss_gradient(int threads, size_t rows, size_t columns, size_t ld, const uint32_t *target,
                   uint32_t first, const real *most, const real *total, double scale, real *logits)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < rows; i++) {
        gradient_row(columns, most[i], (real)scale / total[i], logits + i * ld);
        for (size_t j = columns; j < ld; j++)
            logits[i * ld + j] = 0;
        if (target[i] - first < columns) logits[i * ld + target[i] - first] -= (real)scale;
    }
}

/* ---- bytes ---- */

void copy_bytes(void *to, const void *from, size_t bytes)
{
    memmove(to, from, bytes);
}

void clear_bytes(void *data, size_t bytes)
{
    memset(data, 0, bytes);
}

/* ---- optimizer ---- */

CLONES static void adam_slice(size_t n, const struct run_adam *s, bool decays,
                              const real *restrict g, real *restrict m, real *restrict v,
                              real *restrict w)
{
    const real b1 = (real)s->beta1, b2 = (real)s->beta2, c1 = (real)(1 - s->beta1),
               c2 = (real)(1 - s->beta2), clip = (real)s->gradient_scale,
               step = (real)(s->rate / s->correct1), root = (real)(1 / __builtin_sqrt(s->correct2)),
               eps = (real)s->eps, keep = (real)(decays ? 1 - s->rate * s->decay : 1);
    for (size_t i = 0; i < n; i++) {
        const real d = g[i] * clip;
        m[i] = b1 * m[i] + c1 * d;
        v[i] = b2 * v[i] + c2 * d * d;
        w[i] = keep * w[i] - step * m[i] / (real_sqrt(v[i]) * root + eps);
    }
}

void adam(int threads, size_t n, const struct run_adam *settings, bool decays, const real *g,
          real *m, real *v, real *w)
{
    enum { PIECE = 1 << 16 };
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < n; i += PIECE)
        adam_slice(n - i < PIECE ? n - i : PIECE, settings, decays, g + i, m + i, v + i, w + i);
}
