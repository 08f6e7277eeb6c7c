/* plans_recall.h - what was found out for lists of numbers, to be found again for the same list.
 *
 * A table of fixed size: a list takes the place of whichever had it before. Lists are compared
 * number by number, so an answer is never that of another list; whether one is still there changes
 * how fast a search is, nothing else.
 */
#ifndef RECKON_SEARCH_PLANS_RECALL_H
#define RECKON_SEARCH_PLANS_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recall {
    size_t slots, room; /* a power of two; numbers of a slot */
    uint64_t *slot;     /* (slots)(room) how many numbers the list has, these, its answers */
};

/* For lists of at most so many numbers and answers. False when there is no memory. */
bool recall_open(struct recall *recall, size_t slots, size_t numbers, size_t answers);
void recall_close(struct recall *recall);

/* The answers for a list; `known`: they are there, else they are the caller's to fill. */
uint64_t *recall_find(struct recall *recall, const uint64_t *list, size_t count, bool *known);

#endif
