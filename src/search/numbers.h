/* numbers.h - divisors of a number. */
#ifndef RECKON_SEARCH_NUMBERS_H
#define RECKON_SEARCH_NUMBERS_H

#include <stdint.h>

/* No number below 2^32 has more than 1,536 divisors. */
enum { MAX_DIVISORS = 1536 };

/* Writes the divisors of n, which is below 2^32, in ascending order; returns how many there are. */
int divisors_of(uint64_t n, uint64_t divisor[MAX_DIVISORS]);

#endif
