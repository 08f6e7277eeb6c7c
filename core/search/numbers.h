/* numbers.h - divisors of a number. */
#ifndef RECKON_SEARCH_NUMBERS_H
#define RECKON_SEARCH_NUMBERS_H

#include "base/limits.h"

#include <stdint.h>

/* Writes the divisors of n, which is below 2^32, in ascending order; returns how many there are. */
int divisors_of(uint64_t n, uint64_t divisor[MAX_DIVISORS]);

#endif
