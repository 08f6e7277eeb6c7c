/* orthogonal.c - a matrix with singular values near one, by Newton-Schulz steps [jordan2024]. */
#include "run/real/kernels.h"

#include <math.h>

/* Five steps of x <- a x + (b s + c s s) x, s = x x^T, which take singular values from (0, 1] to
 * about 0.7 ... 1.2; the coefficients are Jordan's. */
enum { STEPS = 5 };
static const double coefficient[3] = {3.4445, -4.7750, 2.0315};

/* The smaller side. */
static size_t least(size_t rows, size_t cols)
{
    return rows < cols ? rows : cols;
}

static void transpose(size_t rows, size_t cols, const real *x, real *y)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            y[j * rows + i] = x[i * cols + j];
}

/* z = p x + q y */
CLONES static void combine(size_t n, real p, const real *x, real q, const real *y, real *z)
{
    for (size_t i = 0; i < n; i++)
        z[i] = p * x[i] + q * y[i];
}

/* x (a, b) with a <= b */
static void iterate(int threads, size_t a, size_t b, real *x, real *product, real *s, real *t)
{
    for (int step = 0; step < STEPS; step++) {
        matrix_forward(threads, a, a, b, x, x, NULL, s);
        matrix_forward(threads, a, a, a, s, s, NULL, t); /* s is symmetric */
        combine(a * a, (real)coefficient[1], s, (real)coefficient[2], t, t);
        matrix_input(threads, a, a, b, t, x, product, false);
        combine(a * b, (real)coefficient[0], x, 1, product, x);
    }
}

void orthogonal(int threads, size_t rows, size_t cols, real *x, real *scratch)
{
    const size_t n = rows * cols, a = least(rows, cols);
    const bool tall = rows > cols;
    real *s = scratch, *t = s + a * a, *product = t + a * a, *work = tall ? product + n : x;
    const real scale = (real)(1 / (sqrt(square_sum(n, x)) + 1e-7));
    if (tall) transpose(rows, cols, x, work);
    combine(n, scale, work, 0, work, work);
    iterate(threads, a, n / a, work, product, s, t);
    if (tall) transpose(cols, rows, work, x);
}

CLONES static void momentum_slice(size_t n, real mu, real scale, const real *restrict g,
                                  real *restrict m, real *restrict update)
{
    for (size_t i = 0; i < n; i++) {
        const real d = g[i] * scale;
        m[i] = mu * m[i] + (1 - mu) * d;
        update[i] = mu * m[i] + (1 - mu) * d;
    }
}

CLONES static void descend_slice(size_t n, real rate, real keep, const real *restrict update,
                                 real *restrict w)
{
    for (size_t i = 0; i < n; i++)
        w[i] = keep * w[i] - rate * update[i];
}

enum { PIECE = 1 << 16 };

void muon_momentum(int threads, size_t n, double mu, double scale, const real *g, real *m,
                   real *update)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < n; i += PIECE)
        momentum_slice(n - i < PIECE ? n - i : PIECE, (real)mu, (real)scale, g + i, m + i,
                       update + i);
}

void muon_descend(int threads, size_t n, double rate, double decay, const real *update, real *w)
{
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < n; i += PIECE)
        descend_slice(n - i < PIECE ? n - i : PIECE, (real)rate, (real)(1 - decay), update + i,
                      w + i);
}
