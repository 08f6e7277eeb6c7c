/* draws.h - numbers by chance for tests, the same from the same `random_state`. */
#ifndef RECKON_TESTS_DRAWS_H
#define RECKON_TESTS_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

static uint64_t random_state;

/* splitmix64 */
static inline uint64_t draw(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline uint64_t below(uint64_t bound)
{
    return draw() % bound;
}

static inline bool coin(void)
{
    return draw() & 1;
}

static inline double between(double low, double high)
{
    return low + (high - low) * (double)(draw() >> 11) * 0x1p-53;
}

#endif
