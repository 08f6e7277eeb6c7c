/* duplicates.h - which documents of a store say again what an earlier one says.
 *
 * Exactly: texts of equal hash, compared byte by byte. Nearly: documents that share a key of their
 * signatures are compared by their exact Jaccard similarity, each with the first one and the four
 * before it that have the key; pairs at or above the threshold are joined, and of each connected
 * component the first document stays [smith2022]. The outcome does not depend on the number of
 * threads. Memory: 16 bytes for a document, and 24 for each of those that share a key at a time.
 */
#ifndef RECKON_CORPUS_DUPLICATES_H
#define RECKON_CORPUS_DUPLICATES_H

#include "corpus/reasons.h"
#include "corpus/store.h"

struct duplicates_options {
    double threshold; /* above 1: exact ones only */
    int threads;      /* 0: one per processor */
};

struct duplicates {
    uint32_t *first;   /* (documents) the document that stays instead; itself: it stays */
    uint8_t *reason;   /* (documents) enum reason: NONE, EXACT or NEAR */
    uint64_t compared; /* pairs */
};

/* RK_BAD_INPUT for 2^32 documents and more. */
enum rk_status duplicates_find(const struct store *store, const struct duplicates_options *options,
                               struct duplicates *found, struct rk_error *error);
void duplicates_release(struct duplicates *found);

#endif
