/* pairs.h - pairs of neighbouring tokens, how often each stands in the texts, in which words, and
 * which is the most frequent one. */
#ifndef RECKON_TOKENS_PAIRS_H
#define RECKON_TOKENS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair {
    uint32_t left, right;
    int64_t count;
    uint32_t *word; /* (words) where it stood once; some more than once */
    uint32_t words;
    bool fresh; /* its count has grown since pairs_queue_new */
};

/* Zeroed is empty. */
struct pairs {
    struct pair *pair; /* (count) */
    uint32_t count, room;
    uint32_t *table; /* hash of (left, right) -> index */
    size_t mask;
    struct queued { /* a heap; counts that have changed since are looked at again */
        int64_t count;
        uint32_t pair;
    } * queue; /* (queued) */
    size_t queued;
    uint32_t *fresh; /* (freshs) pairs to be queued */
    size_t freshs;
};

/* `more` may be negative; where it is not, the pair stands in `word` now. False: no memory. */
bool pairs_change(struct pairs *pairs, uint32_t left, uint32_t right, int64_t more, uint32_t word);

/* Those whose count has grown since the last time can be the top from now on. */
bool pairs_queue_new(struct pairs *pairs);

/* Takes the most frequent pair, of equals that of the smaller (left, right); false when there is
 * none. Its words stay valid until pairs_release. */
bool pairs_top(struct pairs *pairs, struct pair *top);

/* The pair stands nowhere any more. */
void pairs_forget(struct pairs *pairs, uint32_t left, uint32_t right);

void pairs_release(struct pairs *pairs);

#endif
