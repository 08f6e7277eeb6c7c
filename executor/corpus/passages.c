#include "corpus/passages.h"

#include <stdlib.h>

void passages_release(struct passages *p)
{
    free(p->hash);
    *p = (struct passages){.hash = NULL};
}

/* Where the hash is, or would be. */
static size_t place_of(const struct passages *p, uint64_t hash)
{
    size_t at = hash & p->mask;
    while (p->hash[at] && p->hash[at] != hash)
        at = (at + 1) & p->mask;
    return at;
}

static bool grow(struct passages *p)
{
    struct passages larger = *p;
    larger.mask = p->hash ? 2 * p->mask + 1 : 1023;
    larger.hash = calloc(larger.mask + 1, sizeof *larger.hash);
    if (!larger.hash) return false;
    for (size_t i = 0; p->hash && i <= p->mask; i++)
        if (p->hash[i]) larger.hash[place_of(&larger, p->hash[i])] = p->hash[i];
    free(p->hash);
    *p = larger;
    return true;
}

static uint64_t hash_at(const struct term *term)
{
    return terms_hash(term, PASSAGE_WORDS) | 1; /* never 0 */
}

bool passages_add(struct passages *p, const struct terms *terms)
{
    const struct term *term = terms_at(terms);
    p->texts++;
    p->too_short += terms->count < PASSAGE_WORDS;
    for (size_t i = 0; i + PASSAGE_WORDS <= terms->count; i++) {
        if ((!p->hash || 2 * p->count > p->mask) && !grow(p)) return false;
        const size_t at = place_of(p, hash_at(term + i));
        p->count += p->hash[at] == 0;
        p->hash[at] = hash_at(term + i);
    }
    return true;
}

/* ---- cutting ---- */

static bool is_inside(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* `characters` further to the left, or to the right. */
static size_t step_left(const char *text, size_t at, int characters)
{
    for (; at > 0 && characters > 0; characters--)
        for (at--; at > 0 && is_inside(text[at]);)
            at--;
    return at;
}

static size_t step_right(const char *text, size_t size, size_t at, int characters)
{
    for (; at < size && characters > 0; characters--)
        for (at++; at < size && is_inside(text[at]);)
            at++;
    return at;
}

static bool add_piece(const char *text, size_t from, size_t until, struct bytes *pieces)
{
    const struct passage_piece piece = {(uint32_t)from, (uint32_t)(until - from)};
    if (until <= from || step_right(text, until, from, PASSAGE_LEAST - 1) >= until) return true;
    return bytes_add(pieces, &piece, sizeof piece);
}

long passages_cut(const struct passages *p, const char *text, size_t size,
                  const struct terms *terms, struct bytes *pieces)
{
    const struct term *term = terms_at(terms);
    const size_t before = pieces->size;
    size_t kept = 0; /* after the last cut */
    long cuts = 0;
    if (!p->hash) return 0;
    for (size_t i = 0; i + PASSAGE_WORDS <= terms->count; i++) {
        if (!p->hash[place_of(p, hash_at(term + i))]) continue;
        const struct term *last = &term[i + PASSAGE_WORDS - 1];
        const size_t from = step_left(text, term[i].from, PASSAGE_MARGIN);
        if (cuts == 0 || from > kept) {
            cuts++;
            if (!add_piece(text, kept, from, pieces)) return -1;
        }
        kept = step_right(text, size, (size_t)last->from + last->size, PASSAGE_MARGIN);
    }
    if (cuts == 0) return 0;
    if (!add_piece(text, kept, size, pieces)) return -1;
    if (cuts > PASSAGE_MOST_CUTS) pieces->size = before;
    return cuts;
}
