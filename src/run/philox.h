/* philox.h - random numbers by counter: the same for an element wherever it lives [salmon2011].
 *
 * Philox4x32-10. A number is a pure function of (seed, stream, index), so that ranks which hold
 * other parts of a tensor start from the same weights.
 */
#ifndef RECKON_RUN_PHILOX_H
#define RECKON_RUN_PHILOX_H

#include <math.h>
#include <stdint.h>

struct philox {
    uint32_t word[4];
};

static inline struct philox philox(uint64_t seed, uint64_t stream, uint64_t index)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    struct philox x = {
        {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = UINT64_C(0xD2511F53) * x.word[0], b = UINT64_C(0xCD9E8D57) * x.word[2];
        x = (struct philox){{(uint32_t)(b >> 32) ^ x.word[1] ^ k0, (uint32_t)b,
                             (uint32_t)(a >> 32) ^ x.word[3] ^ k1, (uint32_t)a}};
        k0 += UINT32_C(0x9E3779B9);
        k1 += UINT32_C(0xBB67AE85);
    }
    return x;
}

/* Uniform in (0, 1], by 32 bits. */
static inline double philox_unit(uint32_t word)
{
    return ((double)word + 1) / 4294967296.0;
}

/* Normally distributed, of variance 1 [box1958]. */
static inline double philox_normal(uint64_t seed, uint64_t stream, uint64_t index)
{
    const struct philox x = philox(seed, stream, index);
    return sqrt(-2 * log(philox_unit(x.word[0]))) * cos(6.283185307179586 * philox_unit(x.word[1]));
}

#endif
