/* bf16.h - products by oneDNN: of bf16 operands, summed in 32 bits, where the processor multiplies
 * them; and of 32 bits, where it is faster than OpenBLAS.
 *
 * On one thread a call. Which shapes it multiplies on which processor is a table (bf16.c), never
 * what happened to be faster, so that the same input brings the same bytes.
 */
#ifndef RECKON_RUN_BF16_H
#define RECKON_RUN_BF16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "oneDNN 2.6.3 avx512_core_bf16"; NULL: this build or this processor multiplies none, or the
 * environment forbids it (ONEDNN_MAX_CPU_ISA). */
const char *bf16_library(void);

/* Does it multiply weights (out, in)? Others are widened, for OpenBLAS. */
bool bf16_multiplies(size_t out, size_t in);

/* c (m, n) = a (m, k) b (k, n), or added; strides in elements, of a and b by row and column. */
struct bf16_product {
    size_t m, n, k;
    size_t a_row, a_col, b_row, b_col, c_row;
    const uint16_t *a, *b;
    float *c;
    bool add;
};

/* y (m, n) = x (m, k) w (n, k)^T, but for the arrays. */
static inline struct bf16_product bf16_forward(size_t m, size_t n, size_t k)
{
    return (struct bf16_product){
        .m = m, .n = n, .k = k, .a_row = k, .a_col = 1, .b_row = 1, .b_col = k, .c_row = n};
}

/* False: no memory. */
bool bf16_product(const struct bf16_product *p);

/* Those of 32 bits: as bf16_library() and bf16_multiplies(). Never where the environment asks for
 * other kernels of OpenBLAS (OPENBLAS_CORETYPE) than those that the table was recorded with. */
const char *single_library(void);
bool single_multiplies(size_t out, size_t in);

/* c (m, n) = a b, or added, row-major; `turned`: a is (k, m), b is (n, k). */
struct single_product {
    size_t m, n, k, lda, ldb, ldc;
    bool a_turned, b_turned, add;
    const float *a, *b;
    float *c;
};
void single_product(const struct single_product *p);

#endif
