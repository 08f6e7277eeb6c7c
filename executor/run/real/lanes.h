/* lanes.h - exponentials that compilers turn into vectors, and sums in fixed lanes.
 *
 * A sum is LANES partial sums over every LANES-th element, folded at the end: the order is written
 * down, so that the bits do not depend on the vectors of the machine.
 */
#ifndef RECKON_RUN_REAL_LANES_H
#define RECKON_RUN_REAL_LANES_H

#include "run/real/real.h"

#include <math.h>
#include <string.h>

enum { LANES = 16 };

#define ALWAYS static inline __attribute__((always_inline))

#ifdef RUN_F64
ALWAYS real real_sqrt(real x)
{
    return __builtin_sqrt(x);
}
ALWAYS real real_erf(real x)
{
    return erf(x);
}

/* exp(x) = 2^n exp(r), |r| <= ln 2 / 2, by Taylor's series to r^13: below 1 ulp of error and 0
 * below -708. Adding 1.5 * 2^52 rounds to the nearest integer. */
ALWAYS real real_exp(real x)
{
    const double shift = 6755399441055744.0;
    x = x < -708 ? -708 : x > 709 ? 709 : x;
    const double n = x * 1.4426950408889634 + shift, whole = n - shift;
    const double r = (x - whole * 6.93147180369123816490e-01) - whole * 1.90821492927058770002e-10;
    double p = 1.6059043836821613e-10;
    p = p * r + 2.08767569878681e-09;
    p = p * r + 2.505210838544172e-08;
    p = p * r + 2.755731922398589e-07;
    p = p * r + 2.7557319223985893e-06;
    p = p * r + 2.48015873015873e-05;
    p = p * r + 1.984126984126984e-04;
    p = p * r + 1.3888888888888889e-03;
    p = p * r + 8.333333333333333e-03;
    p = p * r + 4.1666666666666664e-02;
    p = p * r + 1.6666666666666666e-01;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    uint64_t bits, power; /* without sign: of NaN they are any */
    memcpy(&bits, &n, sizeof bits);
    memcpy(&power, &shift, sizeof power);
    power = (bits - power + 1023) << 52;
    double scale;
    memcpy(&scale, &power, sizeof scale);
    return p * scale;
}
#else
ALWAYS real real_sqrt(real x)
{
    return __builtin_sqrtf(x);
}
ALWAYS real real_erf(real x)
{
    return erff(x);
}

/* The same to r^6, 0 below -87. */
ALWAYS real real_exp(real x)
{
    const float shift = 12582912.0f;
    x = x < -87 ? -87 : x > 88 ? 88 : x;
    const float n = x * 1.44269504f + shift, whole = n - shift;
    const float r = (x - whole * 0.693359375f) - whole * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1;
    uint32_t bits, power; /* without sign: of NaN they are any */
    memcpy(&bits, &n, sizeof bits);
    memcpy(&power, &shift, sizeof power);
    power = (bits - power + 127) << 23;
    float scale;
    memcpy(&scale, &power, sizeof scale);
    return p * scale;
}
#endif

/* By the exponential, and near 0, where that is the difference of two large numbers, by Taylor's
 * series to x^9: below 4 ulp of error where both meet. */
ALWAYS real real_tanh(real x)
{
    const real near0 = sizeof(real) == sizeof(double) ? (real)0.06 : (real)0.3, s = x * x;
    const real series =
        x * (1 + s * ((real)(-1.0 / 3) + s * ((real)(2.0 / 15) + s * ((real)(-17.0 / 315) +
                                                                      s * (real)(62.0 / 2835)))));
    const real far = 1 - 2 / (1 + real_exp(2 * x));
    return x < near0 && x > -near0 ? series : far;
}

ALWAYS real lanes_fold(real lane[LANES])
{
    for (int width = LANES / 2; width; width /= 2)
        for (int l = 0; l < width; l++)
            lane[l] += lane[l + width];
    return lane[0];
}

ALWAYS real lanes_sum(size_t n, const real *x)
{
    real lane[LANES] = {0};
    const size_t whole = n / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += x[i + l];
    for (size_t i = whole; i < n; i++)
        lane[i - whole] += x[i];
    return lanes_fold(lane);
}

/* Sum of (x - mean)^2. */
ALWAYS real lanes_spread(size_t n, const real *x, real mean)
{
    real lane[LANES] = {0};
    const size_t whole = n / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += (x[i + l] - mean) * (x[i + l] - mean);
    for (size_t i = whole; i < n; i++)
        lane[i - whole] += (x[i] - mean) * (x[i] - mean);
    return lanes_fold(lane);
}

ALWAYS real lanes_dot(size_t n, const real *x, const real *y)
{
    real lane[LANES] = {0};
    const size_t whole = n / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] += x[i + l] * y[i + l];
    for (size_t i = whole; i < n; i++)
        lane[i - whole] += x[i] * y[i];
    return lanes_fold(lane);
}

/* Each x becomes exp(x - top), of one that is hidden 0; their sum. */
ALWAYS real lanes_exp(size_t n, real *restrict x, real top)
{
    real lane[LANES] = {0};
    const size_t whole = n / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            const real y = x[i + l] - top, e = real_exp(y);
            x[i + l] = y < (real)-1e30 ? 0 : e;
            lane[l] += x[i + l];
        }
    for (size_t i = whole; i < n; i++) {
        x[i] = x[i] - top < (real)-1e30 ? 0 : real_exp(x[i] - top);
        lane[i - whole] += x[i];
    }
    return lanes_fold(lane);
}

/* The largest; -HUGE_VAL of none. */
ALWAYS real lanes_most(size_t n, const real *x)
{
    real lane[LANES];
    const size_t whole = n / LANES * LANES;
    for (size_t l = 0; l < LANES; l++)
        lane[l] = (real)-HUGE_VAL;
    for (size_t i = 0; i < whole; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            lane[l] = x[i + l] > lane[l] ? x[i + l] : lane[l];
    for (size_t i = whole; i < n; i++)
        lane[0] = x[i] > lane[0] ? x[i] : lane[0];
    for (size_t l = 1; l < LANES; l++)
        lane[0] = lane[l] > lane[0] ? lane[l] : lane[0];
    return lane[0];
}

#endif
