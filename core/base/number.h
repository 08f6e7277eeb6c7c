/* number.h - small sums that many need: the length of an array, divisors and multiples. */
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

#endif
