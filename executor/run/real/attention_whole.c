/* attention_whole.c - attention whose scores are whole in memory, each product a kernel of its own:
 * what the kernels of attention.c are compared with. Scores that a query must not see are worked
 * out, too, and weigh nothing.
 *
 * Of one sample: scores, probabilities and slopes are (heads, rows of q, rows of k).
 */
#include "run/real/kernels.h"
#include "run/real/lanes.h"

#include <cblas.h>

#ifdef RUN_F64
#define gemm cblas_dgemm
#else
#define gemm cblas_sgemm
#endif

static size_t rows_of(const struct run_span *span, size_t spans)
{
    size_t rows = 0;
    for (size_t i = 0; i < spans; i++)
        rows += span[i].rows;
    return rows;
}

/* Where a head's scores begin, and its queries and keys. */
static size_t scores_at(const struct REAL(whole) * w, size_t head)
{
    return head * rows_of(w->q, w->queries) * rows_of(w->k, w->keys);
}

static size_t query_at(const struct REAL(attend) * a, struct run_span q, size_t head)
{
    return q.at * a->ldq + head * a->d;
}

static size_t output_at(const struct REAL(attend) * a, struct run_span q, size_t head)
{
    return (q.at * a->heads + head) * a->value;
}

static size_t key_at(const struct REAL(attend) * a, struct run_span k, size_t head, size_t width)
{
    return k.at * a->ldk + head / (a->heads / a->kv_heads) * width;
}

/* Calls `work` for each run of queries and of keys of a head, with the block of scores at hand. */
typedef void block_work(const struct REAL(whole) * w, size_t head, struct run_span q,
                        struct run_span k, size_t block, size_t width);

static void each_block(const struct REAL(whole) * w, size_t head, block_work *work)
{
    const size_t width = rows_of(w->k, w->keys);
    size_t row = scores_at(w, head);
    for (size_t i = 0; i < w->queries; row += w->q[i++].rows * width)
        for (size_t j = 0, column = 0; j < w->keys; column += w->k[j++].rows)
            work(w, head, w->q[i], w->k[j], row + column, width);
}

/* A thread has whole heads of keys, so that their gradients are summed in one order. */
static void each_head(int threads, const struct REAL(whole) * w, block_work *work)
{
    const size_t group = w->a->heads / w->a->kv_heads;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (size_t kv = 0; kv < w->a->kv_heads; kv++)
        for (size_t head = kv * group; head < (kv + 1) * group; head++)
            each_block(w, head, work);
}

/* ---- scores ---- */

static void score_block(const struct REAL(whole) * w, size_t head, struct run_span q,
                        struct run_span k, size_t block, size_t width)
{
    const struct REAL(attend) *a = w->a;
    gemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)q.rows, (int)k.rows, (int)a->d,
         (real)a->scale, a->q + query_at(a, q, head), (int)a->ldq, a->k + key_at(a, k, head, a->d),
         (int)a->ldk, 0, w->scores + block, (int)width);
    for (uint32_t r = 0; r < q.rows; r++) {
        shape_scores(a, head, q.position + r, k.position, k.rows, w->scores + block + r * width);
        mask_keys(a, a->first_head + (uint32_t)head, q.position + r, k.position, k.rows,
                  w->scores + block + r * width);
    }
}

void whole_scores(int threads, const struct REAL(whole) * w)
{
    each_head(threads, w, score_block);
}

static void score_block_back(const struct REAL(whole) * w, size_t head, struct run_span q,
                             struct run_span k, size_t block, size_t width)
{
    const struct REAL(attend) *a = w->a;
    const size_t query = query_at(a, q, head), key = key_at(a, k, head, a->d);
    const int n = (int)q.rows, keys = (int)k.rows, d = (int)a->d;
    gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, d, keys, (real)a->scale, w->slopes + block,
         (int)width, a->k + key, (int)a->ldk, 1, a->dq + query, (int)a->ldq);
    gemm(CblasRowMajor, CblasTrans, CblasNoTrans, keys, d, n, (real)a->scale, w->slopes + block,
         (int)width, a->q + query, (int)a->ldq, 1, a->dk + key, (int)a->ldk);
}

void whole_scores_back(int threads, const struct REAL(whole) * w)
{
    each_head(threads, w, score_block_back);
}

/* ---- softmax ---- */

CLONES static void soften(size_t n, real *restrict x)
{
    const real share = 1 / lanes_exp(n, x, lanes_most(n, x));
    for (size_t j = 0; j < n; j++)
        x[j] *= share;
}

void whole_softmax(int threads, size_t rows, size_t width, real *scores)
{
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (size_t i = 0; i < rows; i++)
        soften(width, scores + i * width);
}

CLONES static void soften_back(size_t n, const real *restrict p, real *restrict slopes)
{
    const real along = lanes_dot(n, p, slopes);
    for (size_t j = 0; j < n; j++)
        slopes[j] = p[j] * (slopes[j] - along);
}

void whole_softmax_back(int threads, size_t rows, size_t width, const real *p, real *slopes)
{
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static)
    for (size_t i = 0; i < rows; i++)
        soften_back(width, p + i * width, slopes + i * width);
}

/* ---- values ---- */

static void value_block(const struct REAL(whole) * w, size_t head, struct run_span q,
                        struct run_span k, size_t block, size_t width)
{
    const struct REAL(attend) *a = w->a;
    const bool first = k.at == w->k[0].at;
    gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)q.rows, (int)a->value, (int)k.rows, 1,
         w->scores + block, (int)width, a->v + key_at(a, k, head, a->value), (int)a->ldk,
         first ? 0 : 1, a->out + output_at(a, q, head), (int)(a->heads * a->value));
}

void whole_values(int threads, const struct REAL(whole) * w)
{
    each_head(threads, w, value_block);
}

static void value_block_back(const struct REAL(whole) * w, size_t head, struct run_span q,
                             struct run_span k, size_t block, size_t width)
{
    const struct REAL(attend) *a = w->a;
    const real *dout = a->dout + output_at(a, q, head);
    const size_t key = key_at(a, k, head, a->value);
    const int n = (int)q.rows, keys = (int)k.rows, value = (int)a->value;
    const int ldo = (int)(a->heads * a->value);
    gemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, keys, value, 1, dout, ldo, a->v + key,
         (int)a->ldk, 0, w->slopes + block, (int)width);
    gemm(CblasRowMajor, CblasTrans, CblasNoTrans, keys, value, n, 1, w->scores + block, (int)width,
         dout, ldo, 1, a->dv + key, (int)a->ldk);
}

void whole_values_back(int threads, const struct REAL(whole) * w)
{
    each_head(threads, w, value_block_back);
}
