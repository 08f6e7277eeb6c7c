#include "run/real/decode.h"

#include "run/real/kernels.h"
#include "run/real/lanes.h"
#include "run/real/sixteen.h"

#include <cblas.h>
#include <stdlib.h>

#ifdef RUN_F64
#define gemm cblas_dgemm
#else
#define gemm cblas_sgemm
#endif

/* Rows that are turned into reals at once: where dots read them from cache, and for a gemm. */
enum { TILE = 4, MANY_TILE = 256, COLUMNS = 4 };

/* ---- elements ---- */

#define WIDEN(name, type, value)                                                                   \
    CLONES static void widen_##name(size_t n, const type *restrict x, real *restrict y)            \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = (real)value(x[i]);                                                              \
    }
WIDEN(f32, float, )
WIDEN(bf16, uint16_t, of_bf16)
WIDEN(f16, uint16_t, of_fp16)

static size_t bytes_of(enum mapped_type type)
{
    return type == MAPPED_REAL ? sizeof(real) : type == MAPPED_F32 ? sizeof(float) : 2;
}

static const void *place_of(const struct mapped *w, size_t at)
{
    return (const char *)w->data + at * bytes_of(w->type);
}

static bool are_reals(const struct mapped *w)
{
    return w->type == MAPPED_REAL || (w->type == MAPPED_F32 && sizeof(real) == sizeof(float));
}

/* `n` neighbours from `at` on; in place where they are reals. */
static const real *neighbours(const struct mapped *w, size_t at, size_t n, real *room)
{
    const void *from = place_of(w, at);
    if (are_reals(w)) return from;
    if (w->type == MAPPED_F32)
        widen_f32(n, from, room);
    else if (w->type == MAPPED_BF16)
        widen_bf16(n, from, room);
    else
        widen_f16(n, from, room);
    return room;
}

void mapped_row(const struct mapped *w, size_t i, size_t k, real *to)
{
    const real *row = neighbours(w, i * w->row, k, to);
    if (row != to) memcpy(to, row, k * sizeof *to);
}

/* ---- few rows ---- */

/* Sums over x and TILE rows of w, in lanes. */
CLONES static void dots(size_t k, const real *restrict x, const real *restrict a,
                        const real *restrict b, const real *restrict c, const real *restrict d,
                        real y[TILE])
{
    real lane[TILE][LANES] = {{0}};
    const size_t whole = k / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            lane[0][l] += x[i + l] * a[i + l];
            lane[1][l] += x[i + l] * b[i + l];
            lane[2][l] += x[i + l] * c[i + l];
            lane[3][l] += x[i + l] * d[i + l];
        }
    for (size_t i = whole; i < k; i++) {
        lane[0][i - whole] += x[i] * a[i];
        lane[1][i - whole] += x[i] * b[i];
        lane[2][i - whole] += x[i] * c[i];
        lane[3][i - whole] += x[i] * d[i];
    }
    for (int i = 0; i < TILE; i++)
        y[i] = lanes_fold(lane[i]);
}

/* Rows of w one after another; `room` has TILE of them. */
static void few_by_rows(size_t m, size_t n, size_t k, const real *x, const struct mapped *w,
                        real *room, real *y, size_t ldy)
{
    for (size_t j = 0; j < n; j += TILE) {
        const real *row[TILE];
        real sum[TILE];
        const size_t rows = n - j < TILE ? n - j : TILE;
        for (size_t r = 0; r < TILE; r++)
            row[r] = r < rows ? neighbours(w, (j + r) * w->row, k, room + r * k) : row[0];
        for (size_t i = 0; i < m; i++) {
            dots(k, x + i * k, row[0], row[1], row[2], row[3], sum);
            memcpy(y + i * ldy + j, sum, rows * sizeof *sum);
        }
    }
}

CLONES static void add_columns(size_t n, const real x[COLUMNS], const real *restrict a,
                               const real *restrict b, const real *restrict c,
                               const real *restrict d, real *restrict y)
{
    for (size_t j = 0; j < n; j++)
        y[j] += (x[0] * a[j] + x[1] * b[j]) + (x[2] * c[j] + x[3] * d[j]);
}

/* Columns of w one after another; `room` has COLUMNS of them. */
static void few_by_columns(size_t m, size_t n, size_t k, const real *x, const struct mapped *w,
                           real *room, real *y, size_t ldy)
{
    for (size_t i = 0; i < m; i++)
        memset(y + i * ldy, 0, n * sizeof *y);
    for (size_t l = 0; l < k; l += COLUMNS) {
        const real *column[COLUMNS];
        const size_t columns = k - l < COLUMNS ? k - l : COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++)
            column[c] = c < columns ? neighbours(w, (l + c) * w->col, n, room + c * n) : column[0];
        for (size_t i = 0; i < m; i++) {
            real part[COLUMNS] = {0};
            memcpy(part, x + i * k + l, columns * sizeof *part);
            add_columns(n, part, column[0], column[1], column[2], column[3], y + i * ldy);
        }
    }
}

/* ---- many rows ---- */

static void many(size_t m, size_t n, size_t k, const real *x, const struct mapped *w, real *room,
                 real *y, size_t ldy)
{
    const bool rows = w->col == 1, whole = are_reals(w);
    const size_t end = rows ? n : k, step = whole ? end : MANY_TILE, inner = rows ? k : n;
    for (size_t at = 0; at < end; at += step) {
        const size_t count = end - at < step ? end - at : step;
        const real *tile = whole ? place_of(w, 0) : room;
        const size_t ld = whole ? (rows ? w->row : w->col) : inner;
        for (size_t r = 0; !whole && r < count; r++)
            neighbours(w, (at + r) * (rows ? w->row : w->col), inner, room + r * inner);
        if (rows)
            gemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)count, (int)k, 1, x, (int)k,
                 tile, (int)ld, 0, y + at, (int)ldy);
        else
            gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)count, 1, x + at,
                 (int)k, tile, (int)ld, at ? 1 : 0, y, (int)ldy);
    }
}

bool mapped_product(int threads, size_t m, size_t n, size_t k, const real *x,
                    const struct mapped *w, real *y, size_t ldy)
{
    const size_t slice = product_slice(n);
    bool ok = true;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(&& : ok) if (threads > 1)
    for (size_t j = 0; j < n; j += slice) {
        const size_t cols = n - j < slice ? n - j : slice, inner = w->col == 1 ? k : cols;
        const struct mapped part = {place_of(w, j * w->row), w->type, w->row, w->col};
        const size_t tile = m > DECODE_FEW ? MANY_TILE : w->col == 1 ? TILE : COLUMNS;
        real *room = are_reals(w) ? NULL : malloc(tile * inner * sizeof *room);
        if (!room && !are_reals(w)) {
            ok = false;
            continue;
        }
        (m > DECODE_FEW ? many
         : w->col == 1  ? few_by_rows
                        : few_by_columns)(m, cols, k, x, &part, room, y + j, ldy);
        free(room);
    }
    return ok;
}
