#include "tokens/pairs.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = 0xffffffff };

/* ---- the table ---- */

static size_t place_of(const struct pairs *p, uint32_t left, uint32_t right)
{
    size_t at = hash_mix((uint64_t)left << 32 | right) & p->mask;
    for (uint32_t i; (i = p->table[at]) != NONE; at = (at + 1) & p->mask)
        if (p->pair[i].left == left && p->pair[i].right == right) break;
    return at;
}

static bool grow(struct pairs *p)
{
    const uint32_t room = p->room ? 2 * p->room : 1024;
    struct pair *pair = realloc(p->pair, room * sizeof *pair);
    if (!pair) return false;
    p->pair = pair;
    uint32_t *table = malloc(2 * (size_t)room * sizeof *table);
    if (!table) return false;
    memset(table, 0xff, 2 * (size_t)room * sizeof *table);
    free(p->table);
    p->table = table;
    p->mask = 2 * (size_t)room - 1;
    p->room = room;
    for (uint32_t i = 0; i < p->count; i++)
        p->table[place_of(p, pair[i].left, pair[i].right)] = i;
    return true;
}

/* The pair's index, new or not; NONE: no memory. */
static uint32_t find_or_add(struct pairs *p, uint32_t left, uint32_t right)
{
    if (p->count == p->room && !grow(p)) return NONE;
    const size_t at = place_of(p, left, right);
    if (p->table[at] == NONE) {
        p->pair[p->count] = (struct pair){.left = left, .right = right};
        p->table[at] = p->count++;
    }
    return p->table[at];
}

static bool add_word(struct pair *pair, uint32_t word)
{
    if (pair->words && pair->word[pair->words - 1] == word) return true;
    if (!ARRAY_ROOM(pair->word, pair->words)) return false;
    pair->word[pair->words++] = word;
    return true;
}

bool pairs_change(struct pairs *p, uint32_t left, uint32_t right, int64_t more, uint32_t word)
{
    const uint32_t index = find_or_add(p, left, right);
    if (index == NONE) return false;
    struct pair *pair = &p->pair[index];
    pair->count += more;
    if (more < 0) return true;
    if (!pair->fresh) {
        if (!ARRAY_ROOM(p->fresh, p->freshs)) return false;
        p->fresh[p->freshs++] = index;
        pair->fresh = true;
    }
    return add_word(pair, word);
}

/* ---- the queue ---- */

static bool comes_before(const struct pairs *p, struct queued a, struct queued b)
{
    const struct pair *x = &p->pair[a.pair], *y = &p->pair[b.pair];
    if (a.count != b.count) return a.count > b.count;
    return x->left != y->left ? x->left < y->left : x->right < y->right;
}

static bool push(struct pairs *p, uint32_t pair)
{
    if (!ARRAY_ROOM(p->queue, p->queued)) return false;
    const struct queued entry = {p->pair[pair].count, pair};
    size_t at = p->queued++;
    for (; at > 0 && comes_before(p, entry, p->queue[(at - 1) / 2]); at = (at - 1) / 2)
        p->queue[at] = p->queue[(at - 1) / 2];
    p->queue[at] = entry;
    return true;
}

static struct queued pop(struct pairs *p)
{
    const struct queued top = p->queue[0], last = p->queue[--p->queued];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < p->queued; at = child) {
        if (child + 1 < p->queued && comes_before(p, p->queue[child + 1], p->queue[child])) child++;
        if (!comes_before(p, p->queue[child], last)) break;
        p->queue[at] = p->queue[child];
    }
    p->queue[at] = last;
    return top;
}

bool pairs_queue_new(struct pairs *p)
{
    for (size_t i = 0; i < p->freshs; i++) {
        p->pair[p->fresh[i]].fresh = false;
        if (!push(p, p->fresh[i])) return false;
    }
    p->freshs = 0;
    return true;
}

bool pairs_top(struct pairs *p, struct pair *top)
{
    while (p->queued) {
        const struct queued entry = pop(p);
        const struct pair *pair = &p->pair[entry.pair];
        if (pair->count == entry.count && pair->count > 0) {
            *top = *pair;
            return true;
        }
        if (pair->count > 0) push(p, entry.pair); /* there is room: one was taken */
    }
    return false;
}

void pairs_forget(struct pairs *p, uint32_t left, uint32_t right)
{
    const uint32_t index = p->table[place_of(p, left, right)];
    if (index != NONE) p->pair[index].count = 0;
}

void pairs_release(struct pairs *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        free(p->pair[i].word);
    free(p->pair);
    free(p->table);
    free(p->queue);
    free(p->fresh);
    *p = (struct pairs){.count = 0};
}
