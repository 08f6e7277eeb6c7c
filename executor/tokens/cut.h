/* cut.h - pre-tokenisers: a text cut into the pieces that no token reaches across.
 *
 * gpt2, llama3 and qwen are the regular expressions of these models' tokenizer.json, as Hugging
 * Face's tokenizers run them, written out by hand over the classes of unicode.h; the five others
 * are mGPT's ways to cut multilingual text [shliazhko2022]:
 *
 *     default      as GPT-2
 *     case         a capital becomes the token <case> and its small letter, then as GPT-2
 *     arithmetic   each digit and each sign of arithmetic stands alone, then as GPT-2
 *     combined     case and arithmetic
 *     character    each character stands alone
 *
 * The paper gives a sentence for each. Where it leaves details open, these hold: <case> is a
 * special token, so that no piece reaches across it; capitals whose small letter does not lead back
 * to them stay; digits are \p{N}; the signs are + - * / = < > ^ % and those of U+00D7, U+00F7,
 * U+2212.
 *
 * Everything is pure. Any bytes can be cut: a byte that is not UTF-8 is a character that is not a
 * letter, number or space.
 */
#ifndef RECKON_TOKENS_CUT_H
#define RECKON_TOKENS_CUT_H

#include "base/bytes.h"

enum cut {
    CUT_DEFAULT, /* also GPT-2's */
    CUT_CASE,
    CUT_ARITHMETIC,
    CUT_COMBINED,
    CUT_CHARACTER,
    CUT_LLAMA3,
    CUT_QWEN,
    CUTS
};

/* How a cut is written in a tokenizer.json; see there for what each member means. */
struct cut_facts {
    const char *name;
    const char *split; /* regular expression of a Split, isolated; NULL: none */
    bool byte_level;   /* ... and then ByteLevel's own, GPT-2's */
    bool marks;        /* capitals become <case> and a small letter before all that */
};
extern const struct cut_facts cut_facts[CUTS];

/* The names of those that a tokenizer can be trained with, ended by NULL, in the enum's order. */
extern const char *const cut_names[];

/* A piece of a text, or (text NULL) the token <case>. */
struct piece {
    const char *text;
    size_t size;
};

struct cutter {
    enum cut cut;
    const char *text;
    size_t size, at;
    size_t until;       /* where the part ends that pieces are cut from */
    const size_t *mark; /* (marks) where <case> stands before the text, ascending; else NULL */
    size_t marks;
};

/* `mark` as cut_small_letters makes it; NULL for cuts without. */
struct cutter cutter_begin(enum cut cut, const char *text, size_t size, const size_t *mark,
                           size_t marks);

/* False at the end. */
bool cutter_next(struct cutter *cutter, struct piece *piece);

/* Appends the text with small letters for capitals, and to `marks` the place (size_t) of each in
 * what was appended. False: no memory. */
bool cut_small_letters(const char *text, size_t size, struct bytes *out, struct bytes *marks);

/* The last place in the text, not 0 and before `before` <= size, where it can be cut in two so that
 * the pieces of both are those of the whole, by any cut; 0 when there is none. This place is
 * between a letter or number and a blank, or after a line feed without adjacent white space. */
size_t cut_safe_end(const char *text, size_t size, size_t before);

/* Appends to `ends` (size_t) where parts of about `part` bytes end, each at such a place; the last
 * is `size`. False: no memory. */
bool cut_parts(const char *text, size_t size, size_t part, struct bytes *ends);

#endif
