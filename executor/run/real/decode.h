/* decode.h - products of few rows with weights as they lie in a file: what reads each weight once
 * is as fast as memory.
 */
#ifndef RECKON_RUN_REAL_DECODE_H
#define RECKON_RUN_REAL_DECODE_H

#include "run/mapped.h"
#include "run/real/real.h"

#define mapped_product REAL(mapped_product)
#define mapped_row     REAL(mapped_row)

/* Rows up to this number are computed one by one, each with the same bits whatever the others. */
enum { DECODE_FEW = 8 };

/* y (m, n) = x (m, k) w (n, k)^T; rows of y are ldy apart. False: no memory. */
bool mapped_product(int threads, size_t m, size_t n, size_t k, const real *x,
                    const struct mapped *w, real *y, size_t ldy);
/* Row `i` of w (., k), whose columns are neighbours. */
void mapped_row(const struct mapped *w, size_t i, size_t k, real *to);

#endif
