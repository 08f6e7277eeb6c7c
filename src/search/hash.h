/* hash.h - FNV-1a over values, never over padding. */
#ifndef RECKON_SEARCH_HASH_H
#define RECKON_SEARCH_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

#endif
