/* philox.h - random numbers by counter: the same for an element wherever it lives [salmon2011].
 *
 * Philox4x32-10. A number is a pure function of (seed, stream, index), so that ranks which hold
 * other parts of a tensor start from the same weights.
 */
#ifndef RECKON_RUN_PHILOX_H
#define RECKON_RUN_PHILOX_H

#include <stddef.h>
#include <stdint.h>

#define PHILOX_A     UINT64_C(0xD2511F53)
#define PHILOX_B     UINT64_C(0xCD9E8D57)
#define PHILOX_KEY_0 UINT64_C(0x9E3779B9)
#define PHILOX_KEY_1 UINT64_C(0xBB67AE85)
enum { PHILOX_ROUNDS = 10 };

struct philox {
    uint32_t word[4];
};

static inline struct philox philox(uint64_t seed, uint64_t stream, uint64_t index)
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    struct philox x = {
        {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        const uint64_t a = PHILOX_A * x.word[0], b = PHILOX_B * x.word[2];
        x = (struct philox){{(uint32_t)(b >> 32) ^ x.word[1] ^ k0, (uint32_t)b,
                             (uint32_t)(a >> 32) ^ x.word[3] ^ k1, (uint32_t)a}};
        k0 += (uint32_t)PHILOX_KEY_0;
        k1 += (uint32_t)PHILOX_KEY_1;
    }
    return x;
}

/* Uniform in (0, 1], by 32 bits. */
static inline double philox_unit(uint32_t word)
{
    return ((double)word + 1) / 4294967296.0;
}

/* Those of indices index ... index + n - 1, normally distributed around 0 with this deviation
 * [box1958]: sqrt(-2 log u) cos(2 pi v), of each block's first two words. */
void philox_normals(uint64_t seed, uint64_t stream, uint64_t index, double spread, size_t n,
                    double *to);

#endif
