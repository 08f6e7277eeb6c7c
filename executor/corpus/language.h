/* language.h - which language a text is in: naive Bayes over one, two and three letters in a row.
 *
 * The table it learns from is a text in each language, data/corpus/declaration; a language that is
 * not there is taken for one that is. docs/corpus.md says how often the answer is right.
 */
#ifndef RECKON_CORPUS_LANGUAGE_H
#define RECKON_CORPUS_LANGUAGE_H

#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>

enum { LANGUAGES_MOST = 32, LANGUAGE_CODE = 16, LANGUAGE_UNKNOWN = -1 };

struct languages;

struct languages *languages_new(void); /* NULL: no memory */
void languages_free(struct languages *languages);

/* Learns a text; a language may be given in several. Before languages_finish. Requires fewer than
 * LANGUAGES_MOST languages. */
void languages_learn(struct languages *languages, const char *code, const char *text, size_t size);
void languages_finish(struct languages *languages);

/* Learns every CODE.txt of a folder. */
enum rk_status languages_load(const char *folder, struct languages **languages,
                              struct rk_error *error);

const char *languages_code(const struct languages *languages, int language);
int languages_find(const struct languages *languages, const char *code); /* or UNKNOWN */

/* The most likely one, by the first LANGUAGE_LOOK bytes; UNKNOWN when there are fewer than
 * LANGUAGE_LETTERS letters. Thread-safe. */
enum { LANGUAGE_LOOK = 1024, LANGUAGE_LETTERS = 10 };
int languages_guess(const struct languages *languages, const char *text, size_t size);

#endif
