/* reasons.h - why a document is not in the corpus, one row a reason: the order is that in which
 * they are looked for, and a document counts under the first one only. */
#ifndef RECKON_CORPUS_REASONS_H
#define RECKON_CORPUS_REASONS_H

/* clang-format off */
/*    NAME           word              what is wrong with the document                                      */
#define REASONS(X) \
    X(NONE,          "kept",           "")                                                                  \
    X(NOT_JSON,      "not_json",       "a line that is not a JSON object with a text")                      \
    X(TOO_LONG,      "too_long",       "longer than `most_bytes`")                                         \
    X(EMPTY,         "empty",          "nothing but white space")                                           \
    X(LANGUAGE,      "language",       "not in one of `languages`")                                         \
    X(BROKEN,        "broken",         "too many bytes that are not UTF-8, or control characters")          \
    X(FEW_WORDS,     "few_words",      "too few words")                                                     \
    X(MANY_WORDS,    "many_words",     "too many words")                                                    \
    X(SHORT_WORDS,   "short_words",    "words too short on average")                                        \
    X(LONG_WORDS,    "long_words",     "words too long on average")                                         \
    X(SYMBOLS,       "symbols",        "too many # and ellipses for its words")                             \
    X(NO_LETTERS,    "no_letters",     "too few words with a letter in them")                               \
    X(BULLETS,       "bullets",        "too many lines that begin with a bullet")                           \
    X(ELLIPSES,      "ellipses",       "too many lines that end with an ellipsis")                          \
    X(SAME_LINES,    "same_lines",     "too many lines that it has already")                                \
    X(SAME_LINE_TEXT, "same_line_text", "too much of its text in lines that it has already")                \
    X(TOP_PHRASE,    "top_phrase",     "too much of its text in one phrase of three words")                 \
    X(SAME_PHRASES,  "same_phrases",   "too much of its text in phrases of eight words that it has already") \
    X(REPETITIVE,    "repetitive",     "zlib makes less of it than `compression` allows")                   \
    X(NOISE,         "noise",          "zlib leaves more of it than `compression` allows")                  \
    X(EXACT,         "exact",          "the same text as an earlier document")                              \
    X(NEAR,          "near",           "nearly the text of an earlier document")                            \
    X(EVALUATION,    "evaluation",     "nothing left outside passages of an evaluation set")
/* clang-format on */

enum reason {
#define ENTRY(name, word, text) REASON_##name,
    REASONS(ENTRY)
#undef ENTRY
        REASON_COUNT
};

struct reason_facts {
    const char *word, *text;
};
extern const struct reason_facts reason_facts[REASON_COUNT];

#endif
