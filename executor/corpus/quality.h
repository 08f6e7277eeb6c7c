/* quality.h - rules that tell prose from lists, menus and noise: those of Gopher [rae2021, appendix
 * A.1], one row of a table each. */
#ifndef RECKON_CORPUS_QUALITY_H
#define RECKON_CORPUS_QUALITY_H

#include "corpus/reasons.h"
#include "corpus/terms.h"

/* What the rules look at; most are shares, from 0 to 1. */
enum quality_measure {
    QUALITY_BROKEN,         /* U+FFFD of all characters */
    QUALITY_WORDS,          /* words */
    QUALITY_WORD_LENGTH,    /* characters of a word on average */
    QUALITY_SYMBOLS,        /* # and ellipses for each word */
    QUALITY_LETTERS,        /* words with a letter */
    QUALITY_BULLETS,        /* lines that begin with a bullet */
    QUALITY_ELLIPSES,       /* lines that end with an ellipsis */
    QUALITY_SAME_LINES,     /* lines that were there before */
    QUALITY_SAME_LINE_TEXT, /* ... and the bytes in them */
    QUALITY_TOP_PHRASE,     /* bytes in the most frequent three words in a row */
    QUALITY_SAME_PHRASES,   /* bytes in eight words in a row that were there before */
    QUALITY_MEASURES
};

struct quality_rule {
    enum reason reason;
    enum quality_measure measure;
    bool at_least; /* else at most */
    double limit;
    bool spaced; /* not for texts of scripts without blanks between words */
};
extern const struct quality_rule quality_rules[]; /* ended by REASON_NONE */

/* What is needed again and again; zeroed is empty. */
struct quality_scratch {
    struct bytes seen;
};
void quality_scratch_release(struct quality_scratch *scratch);

/* False: no memory. */
bool quality_measure(const char *text, size_t size, const struct terms *terms,
                     struct quality_scratch *scratch, double measure[QUALITY_MEASURES]);

/* The first rule that the measures break; REASON_NONE. `unspaced`: most words are single letters.
 */
enum reason quality_judge(const double measure[QUALITY_MEASURES], bool unspaced);

/* Is it mostly in a script without blanks between words? */
bool quality_unspaced(const struct terms *terms);

#endif
