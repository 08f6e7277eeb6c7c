/* store.h - documents kept so far, on disk: their texts, and a row of fixed size for each.
 *
 * Both files of the folder are only appended to. store_open drops everything after `documents`,
 * which is how an interrupted run resumes.
 */
#ifndef RECKON_CORPUS_STORE_H
#define RECKON_CORPUS_STORE_H

#include "corpus/minhash.h"

#include <reckon/status.h>

struct store_row {
    uint64_t from;    /* of the text, in the file of texts */
    uint64_t hash;    /* of the text */
    uint64_t record;  /* in its source, from 1 */
    uint32_t size;    /* of the text */
    uint16_t source;  /* index of the input file */
    int16_t language; /* as languages_guess has it */
    uint64_t key[MINHASH_BANDS];
};

struct store {
    char folder[3840];
    int texts, rows; /* descriptors */
    uint64_t documents, bytes;
};

/* Continues with the first `documents`, of which there must be so many. */
enum rk_status store_open(struct store *store, const char *folder, uint64_t documents,
                          struct rk_error *error);
void store_close(struct store *store);

/* Appends `count` documents whose texts, one after the other, are `text`; sets their `from`. */
enum rk_status store_add(struct store *store, struct store_row *row, size_t count, const char *text,
                         size_t size, struct rk_error *error);

/* `count` rows from the first on; thread-safe. */
enum rk_status store_rows(const struct store *store, uint64_t first, size_t count,
                          struct store_row *row, struct rk_error *error);

/* Replaces `out` by texts that stand one after the other; thread-safe. */
enum rk_status store_text(const struct store *store, uint64_t from, size_t size, struct bytes *out,
                          struct rk_error *error);

#endif
