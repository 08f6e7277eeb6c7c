/* kernels.c - the kernels (real/kernels.h) where memory is counted: they do nothing. What is laid
 * out between them, by the engine, stays what it is.
 */
#include "run/real/kernels.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- products ---- */

void matrix_forward(int threads, size_t m, size_t n, size_t k, const real *x, const real *w,
                    const real *bias, real *y)
{
}
void matrix_input(int threads, size_t m, size_t n, size_t k, const real *dy, const real *w,
                  real *dx, bool add)
{
}
void matrix_weight(int threads, size_t m, size_t n, size_t k, const real *dy, const real *x,
                   real *dw, bool add)
{
}
void column_sums(size_t m, size_t n, const real *dy, real *db) {}
void add_bias(size_t m, size_t n, const real *bias, real *y) {}

/* ---- norms, activations ---- */

void norm_forward(int threads, const struct REAL(norm) * norm, size_t rows, size_t width,
                  const real *x, size_t ldx, real *y, size_t ldy, real *stats)
{
}
void norm_backward(int threads, const struct REAL(norm) * norm, size_t rows, size_t width,
                   const real *x, size_t ldx, const real *stats, const real *dy, size_t ldy,
                   const real *base, real *dx, size_t lddx, real *dw, real *db)
{
}
void activation_forward(int threads, enum run_activation f, bool gated, size_t rows, size_t width,
                        const real *x, real *y)
{
}
void activation_backward(int threads, enum run_activation f, bool gated, size_t rows, size_t width,
                         const real *x, const real *dy, real *dx)
{
}

/* ---- positions and tables ---- */

void rotary_table(size_t positions, size_t d, double base, const struct rk_rotary_stretch *stretch,
                  real *table)
{
}
void rotary(int threads, size_t rows, size_t heads, size_t d, size_t n, const uint32_t *position,
            const real *table, bool back, real *x, size_t ld)
{
}
void lookup_forward(size_t rows, size_t width, const uint32_t *token, uint32_t first,
                    uint32_t count, const real *table, real *y)
{
}
void lookup_backward(size_t rows, size_t width, const uint32_t *token, uint32_t first,
                     uint32_t count, const real *dy, real *dtable)
{
}

/* ---- bytes, sums ---- */

void copy_bytes(void *to, const void *from, size_t bytes) {}
void clear_bytes(void *data, size_t bytes) {}
void add_to(size_t n, const real *x, real *y) {}
void add_residual(size_t rows, size_t width, const real *x, const real *bias, real *y) {}
void scale_by(size_t n, double a, real *x) {}
double square_sum(size_t n, const real *x)
{
    return 0;
}

/* ---- attention ---- */

void attention_forward(int threads, const struct REAL(attend) * a, struct run_span q,
                       const struct run_span *k, size_t spans, bool fresh)
{
}
void attention_finish(const struct REAL(attend) * a, struct run_span q) {}
void attention_deltas(const struct REAL(attend) * a, struct run_span q, real *delta) {}
void attention_backward(int threads, const struct REAL(attend) * a, struct run_span q,
                        const struct run_span *k, size_t spans)
{
}

/* ---- loss ---- */

void loss_part(int threads, size_t rows, size_t columns, size_t ld, const real *logits,
               const uint32_t *target, uint32_t first, real *most, real *sum, real *wanted)
{
}
void loss_gradient(int threads, size_t rows, size_t columns, size_t ld, const uint32_t *target,
                   uint32_t first, const real *most, const real *total, double scale, real *logits)
{
}

/* ---- optimizer ---- */

void adam(int threads, size_t n, const struct run_adam *settings, bool decays, const real *g,
          real *m, real *v, real *w)
{
}
void orthogonal(int threads, size_t rows, size_t cols, real *x, real *scratch) {}
void muon_momentum(int threads, size_t n, double mu, double scale, const real *g, real *m,
                   real *update)
{
}
void muon_descend(int threads, size_t n, double rate, double decay, const real *update, real *w) {}

/* ---- attention with scores in memory ---- */

void whole_scores(int threads, const struct REAL(whole) * w) {}
void whole_softmax(int threads, size_t rows, size_t width, real *scores) {}
void whole_values(int threads, const struct REAL(whole) * w) {}
void whole_values_back(int threads, const struct REAL(whole) * w) {}
void whole_softmax_back(int threads, size_t rows, size_t width, const real *p, real *slopes) {}
void whole_scores_back(int threads, const struct REAL(whole) * w) {}
