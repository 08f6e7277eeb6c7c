/* hash.h - 64-bit hashes: the same on every machine, not meant to withstand an attack. */
#ifndef RECKON_BASE_HASH_H
#define RECKON_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Every bit of the result depends on every bit of `value` [steele2014]; a permutation. */
static inline uint64_t hash_mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* Of two values, whose order counts. */
static inline uint64_t hash_pair(uint64_t first, uint64_t second)
{
    return hash_mix((first + 1) * UINT64_C(0x9e3779b97f4a7c15) + second);
}

/* ---- FNV-1a [fnv], over values, never over padding ---- */

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline void mix(uint64_t *hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++)
        *hash = (*hash ^ byte[i]) * UINT64_C(0x100000001b3);
}

static inline void mix_number(uint64_t *hash, uint64_t value)
{
    mix(hash, &value, sizeof value);
}

static inline void mix_real(uint64_t *hash, double value)
{
    mix(hash, &value, sizeof value);
}

/* NULL is another text than "". */
static inline void mix_text(uint64_t *hash, const char *text)
{
    mix_number(hash, text ? strlen(text) + 1 : 0);
    if (text) mix(hash, text, strlen(text));
}

/* Mixed once more: its low bits are as good as its high ones. */
static inline uint64_t hash_bytes(const void *data, size_t size)
{
    uint64_t hash = HASH_START;
    mix(&hash, data, size);
    return hash_mix(hash);
}

#endif
