/* train.h - a byte-level BPE vocabulary from texts [sennrich2016].
 *
 * All pieces of the texts (cut.h) are counted; then, as long as there is room, the pair of tokens
 * that stands side by side most often in them becomes a token; of equally frequent pairs that of
 * the smaller ids. Ids: the special tokens, the 256 bytes in the order of GPT-2's letters, the
 * merges. This is what Hugging Face's BpeTrainer makes of the same texts, id by id. The outcome
 * does not depend on the number of threads.
 */
#ifndef RECKON_TOKENS_TRAIN_H
#define RECKON_TOKENS_TRAIN_H

#include "tokens/tokenizer.h"

struct train_options {
    enum cut cut;        /* one of cut_names */
    uint32_t vocabulary; /* ids wanted, special tokens and bytes included */
    uint64_t least;      /* how often a pair must stand there to become a token, at least 1 */
    int threads;         /* 0: one per processor */
};

/* The fewest ids a vocabulary can have: bytes, and the special tokens of the cut. */
uint32_t train_least_vocabulary(enum cut cut);

struct trainer;

/* NULL: no memory. */
struct trainer *trainer_open(const struct train_options *options);

/* Counts the pieces of one more text. Memory: what the different pieces need. */
enum rk_status trainer_add(struct trainer *trainer, const char *text, size_t size,
                           struct rk_error *error);

/* Fewer ids than asked for when the texts have no more pairs. */
enum rk_status trainer_finish(struct trainer *trainer, struct tokenizer *tokenizer,
                              struct rk_error *error);

void trainer_close(struct trainer *trainer); /* NULL is fine */

#endif
