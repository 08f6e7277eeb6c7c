/* by_library.h - one product, row-major, by the library that the table of run/bf16.c names: oneDNN
 * for some of 32 bits, OpenBLAS for all else.
 */
#ifndef RECKON_RUN_REAL_BY_LIBRARY_H
#define RECKON_RUN_REAL_BY_LIBRARY_H

#include "run/bf16.h"
#include "run/real/real.h"

#include <cblas.h>

struct shape {
    size_t m, n, k;
};

struct operand {
    const real *data;
    size_t ld;
    bool turned; /* its columns are rows here */
};

/* Does oneDNN multiply weights (out, in)? */
static inline bool multiplies(size_t out, size_t in)
{
    return sizeof(real) == sizeof(float) && single_multiplies(out, in);
}

/* c (m, n) = a (m, k) b (k, n), or added */
static inline void multiply(bool onednn, struct shape s, struct operand a, struct operand b,
                            bool add, real *c, size_t ldc)
{
    const enum CBLAS_TRANSPOSE ta = a.turned ? CblasTrans : CblasNoTrans,
                               tb = b.turned ? CblasTrans : CblasNoTrans;
#ifdef RUN_F64
    (void)onednn;
    cblas_dgemm(CblasRowMajor, ta, tb, (int)s.m, (int)s.n, (int)s.k, 1, a.data, (int)a.ld, b.data,
                (int)b.ld, add ? 1 : 0, c, (int)ldc);
#else
    const struct single_product p = {.m = s.m,
                                     .n = s.n,
                                     .k = s.k,
                                     .lda = a.ld,
                                     .ldb = b.ld,
                                     .ldc = ldc,
                                     .a_turned = a.turned,
                                     .b_turned = b.turned,
                                     .add = add,
                                     .a = a.data,
                                     .b = b.data,
                                     .c = c};
    if (onednn)
        single_product(&p);
    else
        cblas_sgemm(CblasRowMajor, ta, tb, (int)s.m, (int)s.n, (int)s.k, 1, a.data, (int)a.ld,
                    b.data, (int)b.ld, add ? 1 : 0, c, (int)ldc);
#endif
}

#endif
