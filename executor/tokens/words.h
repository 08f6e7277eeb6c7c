/* words.h - different pieces of texts, and how often each was seen. */
#ifndef RECKON_TOKENS_WORDS_H
#define RECKON_TOKENS_WORDS_H

#include "base/bytes.h"

#include <stdint.h>

struct word {
    uint64_t count;
    size_t from; /* in text */
    uint32_t size;
};

/* Zeroed is empty. */
struct words {
    struct bytes text;
    struct word *word; /* (count) in the order of first sight */
    size_t count, room;
    uint32_t *table; /* hash of the bytes -> index */
    size_t mask;
};

/* False: no memory. */
bool words_add(struct words *words, const char *text, size_t size, uint64_t count);
bool words_add_all(struct words *words, const struct words *more);
void words_release(struct words *words);

#endif
