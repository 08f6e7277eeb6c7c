#include "corpus/minhash.h"
#include "base/hash.h"
#include "base/number.h"

#include <stdlib.h>

enum { HASHES = MINHASH_ROWS * MINHASH_BANDS };

bool minhash_set(const struct terms *terms, struct bytes *out)
{
    const struct term *term = terms_at(terms);
    const size_t words = terms->count < MINHASH_WORDS ? terms->count : MINHASH_WORDS;
    const size_t rows = words ? terms->count - words + 1 : 0;
    out->size = 0;
    if (!bytes_reserve(out, rows * sizeof(uint64_t))) return false;
    uint64_t *set = (uint64_t *)(void *)out->data;
    size_t kept = 0;
    for (size_t i = 0; i < rows; i++)
        set[i] = terms_hash(term + i, words);
    if (rows) qsort(set, rows, sizeof *set, by_count);
    for (size_t i = 0; i < rows; i++)
        if (kept == 0 || set[kept - 1] != set[i]) set[kept++] = set[i];
    out->size = kept * sizeof *set;
    return true;
}

/* The hash functions are x -> (x * odd number) >> 32 on hashes that are well mixed already. */
static void least_hashes(const uint64_t *set, size_t count, uint32_t least[HASHES])
{
    uint64_t factor[HASHES];
    for (uint64_t k = 0; k < HASHES; k++) {
        factor[k] = hash_mix(k + 1) | 1;
        least[k] = UINT32_MAX;
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < HASHES; k++) {
            const uint32_t hash = (uint32_t)(set[i] * factor[k] >> 32);
            least[k] = hash < least[k] ? hash : least[k];
        }
}

void minhash_keys(const uint64_t *set, size_t count, uint64_t key[MINHASH_BANDS])
{
    uint32_t least[HASHES];
    least_hashes(set, count, least);
    for (int band = 0; band < MINHASH_BANDS; band++) {
        key[band] = (uint64_t)band;
        for (int row = 0; row < MINHASH_ROWS; row++)
            key[band] = hash_pair(key[band], least[band * MINHASH_ROWS + row]);
    }
}

double minhash_jaccard(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    size_t i = 0, k = 0, both = 0;
    while (i < a_count && k < b_count) {
        const bool same = a[i] == b[k], less = a[i] < b[k];
        both += same;
        i += same || less;
        k += same || !less;
    }
    const size_t either = a_count + b_count - both;
    return either ? (double)both / (double)either : 0;
}
