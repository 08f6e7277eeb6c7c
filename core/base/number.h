/* number.h - small sums that many need: the length of an array, divisors and multiples, order. */
#ifndef RECKON_BASE_NUMBER_H
#define RECKON_BASE_NUMBER_H

#include <stdint.h>

/* Elements of an array, not of a pointer. */
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/* The greatest divisor of both; the other one where one is 0. */
static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The least multiple of both, neither of which is 0. */
static inline uint64_t common_multiple(uint64_t a, uint64_t b)
{
    return a / common_divisor(a, b) * b;
}

/* The largest divisor of n up to `most` that is a multiple of `unit`; 0: there is none. */
static inline uint64_t largest_divisor(uint64_t n, uint64_t most, uint64_t unit)
{
    uint64_t best = 0;
    for (uint64_t d = 1; d <= n / d; d++) {
        if (n % d) continue;
        if (d <= most && d % unit == 0 && d > best) best = d;
        if (n / d <= most && n / d % unit == 0 && n / d > best) best = n / d;
    }
    return best;
}

/* The order of qsort() and bsearch(): rising. */
static inline int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int by_count(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

#endif
