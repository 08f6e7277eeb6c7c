/* nearest.h - the known word that a mistyped one most likely meant. */
#ifndef RECKON_CLI_NEAREST_H
#define RECKON_CLI_NEAREST_H

#include <stddef.h>

/* Keeps the nearest of the words that it is shown. Start with {.word = typed}. */
struct nearest {
    const char *word;
    const char *best; /* NULL: none was near enough */
    size_t distance;
};

/* Edits (insert, delete, replace, swap neighbours) from `word` to `known`; up to half of the
 * longer word counts as near. */
void nearest_offer(struct nearest *nearest, const char *known);

#endif
