/* minhash.h - how alike two texts are: the Jaccard similarity of their sets of five words in a row
 * [broder1997], and keys that alike texts share.
 *
 * A signature has MINHASH_BANDS keys, each of MINHASH_ROWS least hashes of the set. Two texts of
 * similarity s share one with probability 1 - (1 - s^6)^20: 0.998 at 0.8, 0.27 at 0.5. What shares
 * a key is compared exactly, so that a wrong candidate costs time, not documents.
 */
#ifndef RECKON_CORPUS_MINHASH_H
#define RECKON_CORPUS_MINHASH_H

#include "corpus/terms.h"

enum { MINHASH_WORDS = 5, MINHASH_ROWS = 6, MINHASH_BANDS = 20 };

/* The set, each hash once, ascending (uint64_t), in `out`, which is replaced. A text of fewer than
 * five words is one element, one without words none. False: no memory. */
bool minhash_set(const struct terms *terms, struct bytes *out);

void minhash_keys(const uint64_t *set, size_t count, uint64_t key[MINHASH_BANDS]);

/* Of two sets as minhash_set makes them; 0 of two empty ones, which say nothing. */
double minhash_jaccard(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count);

#endif
