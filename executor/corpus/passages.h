/* passages.h - removes what a model will be evaluated on from what it is trained on.
 *
 * Thirteen words in a row that stand in an evaluation set and in a document, without regard to case
 * and punctuation, are cut out of the document with 200 characters on both sides. Of what is left,
 * pieces of fewer than 200 characters are dropped; a document cut in more than ten places is
 * dropped whole [brown2020, appendix C; smith2022]. Evaluation texts of fewer than thirteen words
 * cannot be found so: they are counted.
 */
#ifndef RECKON_CORPUS_PASSAGES_H
#define RECKON_CORPUS_PASSAGES_H

#include "corpus/terms.h"

enum { PASSAGE_WORDS = 13, PASSAGE_MARGIN = 200, PASSAGE_LEAST = 200, PASSAGE_MOST_CUTS = 10 };

/* Zeroed is empty. */
struct passages {
    uint64_t *hash; /* (mask + 1) a table; 0: empty */
    size_t mask, count;
    uint64_t texts, too_short;
};

/* False: no memory. */
bool passages_add(struct passages *passages, const struct terms *terms);
void passages_release(struct passages *passages);

struct passage_piece {
    uint32_t from, size; /* bytes in the text */
};

/* Appends what remains of the text to `pieces` (struct passage_piece), and returns in how many
 * places it was cut; 0: the text stays as it is, and nothing was appended. Negative: no memory. */
long passages_cut(const struct passages *passages, const char *text, size_t size,
                  const struct terms *terms, struct bytes *pieces);

#endif
