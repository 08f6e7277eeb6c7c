/* sixteen.h - numbers of 16 bits from floats and back, rounded to even [ieee754]. */
#ifndef RECKON_RUN_REAL_SIXTEEN_H
#define RECKON_RUN_REAL_SIXTEEN_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* bf16: the upper half of a float. */
static inline uint16_t bf16_of(float x)
{
    const uint32_t u = bits_of(x);
    const uint32_t number = (u & 0x7fffffffu) <= 0x7f800000u;
    return (uint16_t)((number ? u + 0x7fffu + (u >> 16 & 1) : u) >> 16);
}

static inline float of_bf16(uint16_t x)
{
    return float_of((uint32_t)x << 16);
}

/* fp16: 5 bits of exponent and 10 of fraction. Below 2^-14 the numbers are multiples of 2^-24,
 * which is also the last digit of a float just above 0.5: adding 0.5 rounds to them. From 65520 on
 * it is infinite. */
static inline uint16_t fp16_of(float x)
{
    const uint32_t u = bits_of(x), size = u & 0x7fffffffu, sign = u >> 16 & 0x8000u;
    const uint32_t small = bits_of(float_of(size) + 0.5f) - bits_of(0.5f);
    const uint32_t usual = (size + 0xfffu + (size >> 13 & 1) - (UINT32_C(112) << 23)) >> 13;
    const uint32_t finite = size < UINT32_C(113) << 23 ? small : usual;
    const uint32_t large = size > 0x7f800000u ? 0x7e00u : 0x7c00u;
    return (uint16_t)(sign | (size < 0x477ff000u ? finite : large));
}

/* Its bits are those of a float 2^112 times as small. */
static inline float of_fp16(uint16_t x)
{
    const uint32_t size = (uint32_t)(x & 0x7fffu) << 13, sign = (uint32_t)(x & 0x8000u) << 16;
    const float scaled = float_of(size) * 0x1p112f;
    return float_of(sign | (size >= 0x0f800000u ? size | 0x7f800000u : bits_of(scaled)));
}

#endif
