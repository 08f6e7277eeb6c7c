/* terms.h - the words of a text, as statistics and comparisons see them: runs of letters, marks and
 * digits without regard to case; in scripts that write no blanks between words (Han, Kana, Thai,
 * Lao, Khmer, Myanmar) each letter is one. */
#ifndef RECKON_CORPUS_TERMS_H
#define RECKON_CORPUS_TERMS_H

#include "base/bytes.h"

#include <stdint.h>

struct term {
    uint64_t hash;       /* of its small letters */
    uint32_t from, size; /* bytes in the text */
    uint32_t characters;
    bool letters;  /* there is one in it */
    bool unspaced; /* a letter of an unspaced script */
};

/* Zeroed is empty. */
struct terms {
    struct bytes memory;
    size_t count;
};

static inline const struct term *terms_at(const struct terms *terms)
{
    return (const struct term *)(const void *)terms->memory.data;
}

/* Replaces what was there. Texts are shorter than 4 GiB. False: no memory. */
bool terms_of(const char *text, size_t size, struct terms *terms);

void terms_release(struct terms *terms);

/* Hash of `count` terms in a row, whatever stands between them. */
uint64_t terms_hash(const struct term *term, size_t count);

#endif
