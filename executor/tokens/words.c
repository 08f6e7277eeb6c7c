#include "tokens/words.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = 0xffffffff };

/* Where the bytes are in the table, or would be. */
static size_t place_of(const struct words *w, const char *text, size_t size)
{
    size_t at = hash_bytes(text, size) & w->mask;
    for (uint32_t i; (i = w->table[at]) != NONE; at = (at + 1) & w->mask)
        if (w->word[i].size == size && memcmp(w->text.data + w->word[i].from, text, size) == 0)
            break;
    return at;
}

/* Twice the room; the table stays at most half full. */
static bool grow(struct words *w)
{
    const size_t room = w->room ? 2 * w->room : 1024;
    struct word *word = room < NONE ? realloc(w->word, room * sizeof *word) : NULL;
    if (!word) return false;
    w->word = word;
    uint32_t *table = malloc(2 * room * sizeof *table);
    if (!table) return false;
    memset(table, 0xff, 2 * room * sizeof *table);
    free(w->table);
    w->table = table;
    w->mask = 2 * room - 1;
    w->room = room;
    for (size_t i = 0; i < w->count; i++)
        w->table[place_of(w, w->text.data + word[i].from, word[i].size)] = (uint32_t)i;
    return true;
}

bool words_add(struct words *w, const char *text, size_t size, uint64_t count)
{
    if (w->count == w->room && !grow(w)) return false;
    const size_t at = place_of(w, text, size);
    if (w->table[at] == NONE) {
        const size_t from = w->text.size;
        if (!bytes_add(&w->text, text, size)) return false;
        w->word[w->count] = (struct word){.from = from, .size = (uint32_t)size};
        w->table[at] = (uint32_t)w->count++;
    }
    w->word[w->table[at]].count += count;
    return true;
}

bool words_add_all(struct words *w, const struct words *more)
{
    for (size_t i = 0; i < more->count; i++)
        if (!words_add(w, more->text.data + more->word[i].from, more->word[i].size,
                       more->word[i].count))
            return false;
    return true;
}

void words_release(struct words *w)
{
    bytes_release(&w->text);
    free(w->word);
    free(w->table);
    *w = (struct words){.count = 0};
}
