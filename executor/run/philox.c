/* philox.c - many numbers at once, in the vectors of the machine at hand. Every clone brings the
 * same bits: nothing is contracted, and functions are polynomials here, not the C library's. */
#include "run/philox.h"

#include "run/real/real.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { BLOCK = 256 };

/* ---- numbers by counter ---- */

/* The first two words of blocks index ... index + BLOCK - 1 are the first rows of `words`. */
CLONES static void any_blocks(uint64_t seed, uint64_t stream, uint64_t index,
                              uint32_t (*restrict words)[BLOCK])
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (uint32_t i = 0; i < BLOCK; i++) {
        words[0][i] = (uint32_t)(index + i);
        words[1][i] = (uint32_t)((index + i) >> 32);
        words[2][i] = (uint32_t)stream;
        words[3][i] = (uint32_t)(stream >> 32);
    }
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        for (uint32_t i = 0; i < BLOCK; i++) {
            const uint64_t a = PHILOX_A * words[0][i], b = PHILOX_B * words[2][i];
            words[0][i] = (uint32_t)(b >> 32) ^ words[1][i] ^ k0;
            words[1][i] = (uint32_t)b;
            words[2][i] = (uint32_t)(a >> 32) ^ words[3][i] ^ k1;
            words[3][i] = (uint32_t)a;
        }
        k0 += (uint32_t)PHILOX_KEY_0;
        k1 += (uint32_t)PHILOX_KEY_1;
    }
}

#if defined __x86_64__ && !defined __clang__
/* The same with eight blocks in a register: compilers find no product of 32 by 32 bits there. */
__attribute__((target("avx512f"))) static void
wide_blocks(uint64_t seed, uint64_t stream, uint64_t index, uint32_t (*restrict words)[BLOCK])
{
    const __m512i first = _mm512_set1_epi64((long long)PHILOX_A),
                  second = _mm512_set1_epi64((long long)PHILOX_B),
                  lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    for (size_t i = 0; i < BLOCK; i += 8) { /* of each lane the lower half counts */
        const __m512i at = _mm512_add_epi64(_mm512_set1_epi64((long long)(index + i)), lanes);
        __m512i a = at, b = _mm512_srli_epi64(at, 32), c = _mm512_set1_epi64((long long)stream),
                d = _mm512_set1_epi64((long long)(stream >> 32));
        uint64_t k0 = seed, k1 = seed >> 32;
        for (int round = 0; round < PHILOX_ROUNDS; round++) {
            const __m512i x = _mm512_mul_epu32(first, a), y = _mm512_mul_epu32(second, c);
            a = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(y, 32), b),
                                 _mm512_set1_epi64((long long)k0));
            c = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(x, 32), d),
                                 _mm512_set1_epi64((long long)k1));
            b = y;
            d = x;
            k0 += PHILOX_KEY_0;
            k1 += PHILOX_KEY_1;
        }
        _mm256_storeu_si256((__m256i *)(words[0] + i), _mm512_cvtepi64_epi32(a));
        _mm256_storeu_si256((__m256i *)(words[1] + i), _mm512_cvtepi64_epi32(b));
    }
}

static void blocks(uint64_t seed, uint64_t stream, uint64_t index, uint32_t (*words)[BLOCK])
{
    (__builtin_cpu_supports("avx512f") ? wide_blocks : any_blocks)(seed, stream, index, words);
}
#else
#define blocks any_blocks
#endif

/* ---- functions ---- */

static inline uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double double_of(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Whole numbers below 2^52, without an instruction that some vectors lack. */
static inline double number_of(uint64_t n)
{
    return double_of(n | UINT64_C(0x4330000000000000)) - 0x1p52;
}

/* log u, 2^-32 <= u <= 1: u = 2^k m with sqrt(1/2) <= m < sqrt(2), log m by an odd polynomial in
 * (m - 1) / (m + 1). Coefficients of both functions: Sun's fdlibm (e_log.c, k_cos.c, k_sin.c). */
static inline double log_of(double u)
{
    const uint64_t half = UINT64_C(0x3fe6a09e667f3bcd); /* sqrt(1/2) */
    const uint64_t scaled = bits_of(u) + (UINT64_C(0x3ff0000000000000) - half);
    const double k = number_of(scaled >> 52) - 1023;
    const double m = double_of((scaled & UINT64_C(0x000fffffffffffff)) + half);
    const double f = m - 1, s = f / (2 + f), z = s * s, w = z * z;
    const double even = w * (3.999999999940941908e-01 +
                             w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd = z * (6.666666666666735130e-01 +
                            w * (2.857142874366239149e-01 +
                                 w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    const double square = 0.5 * f * f;
    return k * 6.93147180369123816490e-01 -
           ((square - (s * (square + even + odd) + k * 1.90821492927058770002e-10)) - f);
}

/* cos(2 pi v), 0 <= v <= 1: v is a quarter's multiple and a rest of an eighth at most. */
static inline double cos_of_turn(double v)
{
    const double quarter = (4 * v + 0x1.8p52) - 0x1.8p52;
    const uint64_t q = bits_of(quarter + 0x1p52) & 3;
    const double x = 6.283185307179586 * (v - 0.25 * quarter), z = x * x;
    const double c = 1 - (0.5 * z - z * z *
                                        (4.16666666666666019037e-02 +
                                         z * (-1.38888888888741095749e-03 +
                                              z * (2.48015872894767294178e-05 +
                                                   z * (-2.75573143513906633035e-07 +
                                                        z * (2.08757232129817482790e-09 +
                                                             z * -1.13596475577881948265e-11))))));
    const double s =
        x +
        x * z *
            (-1.66666666666666324348e-01 +
             z * (8.33333333332248946124e-03 +
                  z * (-1.98412698298579493134e-04 +
                       z * (2.75573137070700676789e-06 +
                            z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
    const double size = q & 1 ? s : c;
    return double_of(bits_of(size) ^ (((q + 1) & 2) << 62)); /* c, -s, -c, s */
}

CLONES static void normals(uint32_t (*restrict words)[BLOCK], double spread, double *restrict to)
{
    for (size_t i = 0; i < BLOCK; i++) {
        const double u = number_of(words[0][i] + UINT64_C(1)) * 0x1p-32,
                     v = number_of(words[1][i] + UINT64_C(1)) * 0x1p-32;
        to[i] = spread * (__builtin_sqrt(-2 * log_of(u)) * cos_of_turn(v));
    }
}

void philox_normals(uint64_t seed, uint64_t stream, uint64_t index, double spread, size_t n,
                    double *to)
{
    uint32_t words[4][BLOCK];
    double last[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t count = n - i < BLOCK ? n - i : BLOCK;
        blocks(seed, stream, index + i, words);
        normals(words, spread, count < BLOCK ? last : to + i);
        if (count < BLOCK) memcpy(to + i, last, count * sizeof *to);
    }
}
