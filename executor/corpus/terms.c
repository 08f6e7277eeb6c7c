#include "corpus/terms.h"
#include "base/hash.h"
#include "tokens/unicode.h"

static bool continues(struct character c)
{
    return c.class == CLASS_LETTER || c.class == CLASS_MARK || c.class == CLASS_NUMBER;
}

static void add_character(struct term *term, struct character c)
{
    const uint32_t small = unicode_small(c.code);
    term->hash = hash_pair(term->hash, small ? small : c.code);
    term->size += c.size;
    term->characters++;
    term->letters |= is_letter(c);
    term->unspaced |= c.class == CLASS_UNSPACED;
}

bool terms_of(const char *text, size_t size, struct terms *terms)
{
    struct term term = {.size = 0};
    terms->memory.size = terms->count = 0;
    for (size_t at = 0; at < size || term.size;) {
        const struct character c = unicode_at(text + at, size - at);
        const bool more =
            c.size && term.size && continues(c) && (!term.unspaced || c.class == CLASS_MARK);
        if (term.size && !more) {
            if (!bytes_add(&terms->memory, &term, sizeof term)) return false;
            terms->count++;
            term = (struct term){.size = 0};
        }
        if (more || continues(c) || c.class == CLASS_UNSPACED) {
            if (!term.size) term.from = (uint32_t)at;
            add_character(&term, c);
        }
        at += c.size;
    }
    return true;
}

void terms_release(struct terms *terms)
{
    bytes_release(&terms->memory);
    terms->count = 0;
}

uint64_t terms_hash(const struct term *term, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = hash_pair(hash, term[i].hash);
    return hash;
}
