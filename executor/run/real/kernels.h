/* kernels.h - kernels of one rank: each operation forward and backward, on plain arrays.
 *
 * Arrays are row-major; shapes are in parentheses after the parameters, (rows, width). Gradients of
 * inputs are written, those of weights are added to, by products when `add`. A kernel may run on
 * `threads` threads: slices are of fixed size and sums in fixed order, so the bits do not depend on
 * how many.
 *
 * Matrices go to OpenBLAS, on one thread each; the rest is here.
 */
#ifndef RECKON_RUN_REAL_KERNELS_H
#define RECKON_RUN_REAL_KERNELS_H

#include "run/real/real.h"

#include <reckon/train.h>

/* ---- products: weights are (out, in), as checkpoints have them ---- */

/* Columns of a product that a thread takes at a time, and rows: always so many, whatever the number
 * of threads, for the bits of a row may depend on how many are multiplied at once. An even number
 * of slices, 768 wide or so, cost OpenBLAS 1 % [bench]. */
enum { PRODUCT_ROWS = 512, PRODUCT_COLUMNS = 768, PRODUCT_LEAST = 256 };
static inline size_t even_slice(size_t n, size_t wide)
{
    if (n < PRODUCT_LEAST) return n;
    const size_t pairs = (n + wide) / (2 * wide);
    const size_t slices = pairs ? 2 * pairs : 2;
    return ((n + slices - 1) / slices + 15) / 16 * 16;
}

static inline size_t product_slice(size_t n)
{
    return even_slice(n, PRODUCT_COLUMNS);
}

/* Rows of a gradient of weights by oneDNN, which packs the other operand for each slice: 768 high
 * they took 10 % longer than 3,072, 1,536 high 2 % [bench]. */
static inline size_t gradient_slice(size_t n)
{
    return even_slice(n, 2 * PRODUCT_COLUMNS);
}

#define matrix_forward REAL(matrix_forward)
#define matrix_input   REAL(matrix_input)
#define matrix_weight  REAL(matrix_weight)
#define column_sums    REAL(column_sums)
#define add_bias       REAL(add_bias)

/* y (m, n) = x (m, k) w (n, k)^T + bias (n, or NULL) */
void matrix_forward(int threads, size_t m, size_t n, size_t k, const real *x, const real *w,
                    const real *bias, real *y);
/* dx (m, k) = dy (m, n) w (n, k), added when `add` */
void matrix_input(int threads, size_t m, size_t n, size_t k, const real *dy, const real *w,
                  real *dx, bool add);
/* dw (n, k) = dy (m, n)^T x (m, k), added when `add` */
void matrix_weight(int threads, size_t m, size_t n, size_t k, const real *dy, const real *x,
                   real *dw, bool add);
/* db (n) += sums of the columns of dy (m, n) */
void column_sums(size_t m, size_t n, const real *dy, real *db);
void add_bias(size_t m, size_t n, const real *bias, real *y);

/* ---- norms: y = (x - mean) / sqrt(variance + eps) * (w + offset) + b; RMS norms without mean
 * [zhang2019] ---- */

#define norm_forward  REAL(norm_forward)
#define norm_backward REAL(norm_backward)

struct REAL(norm) {
    bool rms;
    double eps;
    const real *w, *b; /* (width); NULL: ones, zeros */
    real offset;       /* of w */
};

/* `stats` (rows, 2): mean and 1 / deviation, for backward. x and y: rows `ldx` and `ldy` apart. */
void norm_forward(int threads, const struct REAL(norm) * norm, size_t rows, size_t width,
                  const real *x, size_t ldx, real *y, size_t ldy, real *stats);
/* dx = base (NULL: 0) + gradient; dw, db (NULL: none) are added to. dx may be dy or base. */
void norm_backward(int threads, const struct REAL(norm) * norm, size_t rows, size_t width,
                   const real *x, size_t ldx, const real *stats, const real *dy, size_t ldy,
                   const real *base, real *dx, size_t lddx, real *dw, real *db);

/* ---- activations, of `width` columns; a gate (rows, 2 width) has both halves in a row ---- */

#define activation_forward  REAL(activation_forward)
#define activation_backward REAL(activation_backward)

enum run_activation { RUN_GELU, RUN_SILU, RUN_RELU, RUN_SQUARED_RELU, RUN_GELU_EXACT, RUN_OSS };

/* GELU by its tanh, as GPT-2 has it [hendrycks2016]. Gated: y = f(x[:, :width]) * x[:, width:]. */
void activation_forward(int threads, enum run_activation f, bool gated, size_t rows, size_t width,
                        const real *x, real *y);
void activation_backward(int threads, enum run_activation f, bool gated, size_t rows, size_t width,
                         const real *x, const real *dy, real *dx);

/* ---- positions and tables ---- */

#define rotary          REAL(rotary)
#define rotary_table    REAL(rotary_table)
#define lookup_forward  REAL(lookup_forward)
#define lookup_backward REAL(lookup_backward)

/* cosines and sines (positions, 2, d / 2) of position / base^(2 i / d) [su2021], stretched */
void rotary_table(size_t positions, size_t d, double base, const struct rk_rotary_stretch *stretch,
                  real *table);
/* Turns pairs (i, i + n/2) of the first n elements of each head of d, as Hugging Face has them;
 * `heads` heads lie at x, rows ld apart; `back` turns the other way. position (rows); the table is
 * of width n. */
void rotary(int threads, size_t rows, size_t heads, size_t d, size_t n, const uint32_t *position,
            const real *table, bool back, real *x, size_t ld);

/* Rows first ... first + count - 1 of a table are here; other tokens bring zeros. */
void lookup_forward(size_t rows, size_t width, const uint32_t *token, uint32_t first,
                    uint32_t count, const real *table, real *y);
void lookup_backward(size_t rows, size_t width, const uint32_t *token, uint32_t first,
                     uint32_t count, const real *dy, real *dtable);

/* ---- bytes ---- */

#define copy_bytes  REAL(copy_bytes)
#define clear_bytes REAL(clear_bytes)

/* Of tensors; they may overlap. */
void copy_bytes(void *to, const void *from, size_t bytes);
void clear_bytes(void *data, size_t bytes);

/* ---- sums ---- */

#define add_to       REAL(add_to)
#define add_residual REAL(add_residual)
#define scale_by     REAL(scale_by)
#define square_sum   REAL(square_sum)
#define adam         REAL(adam)

void add_to(size_t n, const real *x, real *y); /* y += x */
/* y = x + y + bias (width, or NULL) */
void add_residual(size_t rows, size_t width, const real *x, const real *bias, real *y);
void scale_by(size_t n, double a, real *x);
double square_sum(size_t n, const real *x); /* in double, in fixed lanes */

/* ---- attention: queries of a sample against keys, causal, by blocks of rows [dao2023] ---- */

#define attention_forward  REAL(attention_forward)
#define attention_finish   REAL(attention_finish)
#define attention_backward REAL(attention_backward)
#define attention_deltas   REAL(attention_deltas)

/* A run of rows whose positions follow each other. */
struct run_span {
    uint32_t at, rows, position; /* first row in its array, how many, position of the first */
};

/* Keys that a query may see: none after it; those of the last `window` (0: all), or of its chunk of
 * that size; with `blocks` only those of a layout (run/blocks.h). */
struct run_mask {
    uint32_t window;
    bool chunks;
    bool full; /* what no query may see is multiplied as well, and weighs nothing */
    const struct run_blocks *blocks;
};

struct REAL(attend) {
    size_t heads, kv_heads, d, value; /* of this rank; widths of queries and keys, of values */
    double scale, cap;                /* of scores; 0: no cap */
    struct run_mask mask;
    uint32_t first_head; /* of the model, of the first one here: layouts differ by head */
    const real *slopes;  /* (heads) of ALiBi: times the distance, taken off [press2022]; NULL */
    const real *sinks;   /* (heads): a score without a value; NULL */
    const real *q, *k, *v;
    size_t ldq, ldk; /* elements between rows; of v as of k, of out as heads * value */
    real *out;       /* (rows of q, heads, value) */
    real *most,
        *sum; /* (rows of q, heads): maximum and sum so far; `most` ends as their logarithm */
    /* backward */
    const real *dout, *delta; /* as out; (rows of q, heads): row sums of dout * out */
    real *dq, *dk, *dv;       /* added to; rows as those of q, k, v */
    real *dsinks;             /* (heads): added to */
};

/* Adds keys `k` to what queries `q` have seen; `fresh`: nothing yet. Any order of calls serves ring
 * attention [liu2023]. */
void attention_forward(int threads, const struct REAL(attend) * a, struct run_span q,
                       const struct run_span *k, size_t spans, bool fresh);
/* Divides by the sums; most = log of the sum of exponentials. */
void attention_finish(const struct REAL(attend) * a, struct run_span q);
/* Row sums of dout * out; and what they are to the sinks. */
void attention_deltas(const struct REAL(attend) * a, struct run_span q, real *delta);
void attention_backward(int threads, const struct REAL(attend) * a, struct run_span q,
                        const struct run_span *k, size_t spans);

/* `keys` scores in a row of a head here, from position `first` on, get their cap and ALiBi's part.
 */
#define shape_scores REAL(shape_scores)
void shape_scores(const struct REAL(attend) * a, size_t head, uint32_t position, uint32_t first,
                  uint32_t keys, real *row);

/* Of `keys` scores in a row, from position `first` on, those that a query must not see become minus
 * infinity. */
#define mask_keys REAL(mask_keys)
void mask_keys(const struct REAL(attend) * a, uint32_t head, uint32_t position, uint32_t first,
               uint32_t keys, real *row);

/* ---- attention with scores in memory (attention_whole.c) ---- */

#define whole_scores       REAL(whole_scores)
#define whole_scores_back  REAL(whole_scores_back)
#define whole_softmax      REAL(whole_softmax)
#define whole_softmax_back REAL(whole_softmax_back)
#define whole_values       REAL(whole_values)
#define whole_values_back  REAL(whole_values_back)

/* Of one sample. Scores, or what softmax makes of them, and their gradients: (heads, rows of q,
 * rows of k). Of `a` most, sum and delta are not there. */
struct REAL(whole) {
    const struct REAL(attend) * a;
    const struct run_span *q, *k;
    size_t queries, keys; /* runs */
    real *scores, *slopes;
};

void whole_scores(int threads, const struct REAL(whole) * w);
void whole_softmax(int threads, size_t rows, size_t width, real *scores); /* in place */
void whole_values(int threads, const struct REAL(whole) * w);
/* slopes become those of what softmax made; then in place those of scores; then dq and dk grow */
void whole_values_back(int threads, const struct REAL(whole) * w);
void whole_softmax_back(int threads, size_t rows, size_t width, const real *p, real *slopes);
void whole_scores_back(int threads, const struct REAL(whole) * w);

/* ---- loss ---- */

#define softmax_loss  REAL(softmax_loss)
#define loss_part     REAL(loss_part)
#define loss_gradient REAL(loss_gradient)

/* What a shard of the vocabulary knows of a row of logits (rows, columns), whose first column is
 * word `first` of which `columns` are there. */
void loss_part(int threads, size_t rows, size_t columns, size_t ld, const real *logits,
               const uint32_t *target, uint32_t first, real *most, real *sum, real *wanted);
/* logits become scale * (softmax - one at the target); `most` and `total` are of all shards */
void loss_gradient(int threads, size_t rows, size_t columns, size_t ld, const uint32_t *target,
                   uint32_t first, const real *most, const real *total, double scale, real *logits);

/* ---- optimizer ---- */

struct run_adam {
    double rate, beta1, beta2, eps, decay;
    double correct1, correct2; /* 1 - beta^step */
    double gradient_scale;     /* clipping */
};
/* AdamW [loshchilov2019]: moments, then w -= rate * (m' / (sqrt(v') + eps) + decay * w) */
void adam(int threads, size_t n, const struct run_adam *settings, bool decays, const real *g,
          real *m, real *v, real *w);

/* ---- Muon (orthogonal.c) ---- */

#define orthogonal    REAL(orthogonal)
#define muon_momentum REAL(muon_momentum)
#define muon_descend  REAL(muon_descend)

/* Elements that it works in: a matrix, of a tall one two, and two squares of the smaller side. */
static inline size_t orthogonal_room(size_t rows, size_t cols)
{
    const size_t a = rows < cols ? rows : cols;
    return (rows > cols ? 2 : 1) * rows * cols + 2 * a * a;
}
/* x (rows, cols) becomes a matrix of the same singular vectors whose values are near 1; `scratch`
 * has orthogonal_room() elements. */
void orthogonal(int threads, size_t rows, size_t cols, real *x, real *scratch);
/* m <- mu m + (1 - mu) scale g; update = mu m + (1 - mu) scale g, as Nesterov has it */
void muon_momentum(int threads, size_t n, double mu, double scale, const real *g, real *m,
                   real *update);
/* w <- (1 - decay) w - rate update */
void muon_descend(int threads, size_t n, double rate, double decay, const real *update, real *w);

#endif
