/* bpe.h - byte-level byte-pair encoding [sennrich2016; radford2019]: a vocabulary of byte strings
 * and the pairs of tokens that merge, by rank.
 *
 * A piece of text begins as one token a byte; of all neighbours the pair of lowest rank merges, the
 * leftmost of equals first, until none is left. That is what Hugging Face's tokenizers do; a test
 * compares with their numbers.
 */
#ifndef RECKON_TOKENS_BPE_H
#define RECKON_TOKENS_BPE_H

#include "base/bytes.h"

#include <stdint.h>

enum { BPE_NONE = 0xffffffff };

struct bpe_merge {
    uint32_t left, right, result;
};

/* Zeroed is empty. */
struct bpe {
    uint32_t count;     /* of ids; not every one need be there */
    struct bytes text;  /* of all tokens, one after the other */
    uint64_t *from;     /* (count) offset in text */
    uint32_t *length;   /* (count) 0: no such token */
    uint32_t byte[256]; /* the token of each byte */
    uint32_t merges;
    struct bpe_merge *merge; /* (merges) by rank */
    bool whole_pieces;       /* a piece that is a token is that token, whatever the merges say */

    /* for finding them */
    uint32_t *pair;  /* hash table (left, right) -> rank */
    uint32_t *token; /* hash table bytes -> id */
    uint32_t pair_mask, token_mask;
};

/* Room for tokens up to `count` and for so many merges. False: no memory. */
bool bpe_reserve(struct bpe *bpe, uint32_t count, uint32_t merges);

/* Requires id < count; each id once. */
bool bpe_set_token(struct bpe *bpe, uint32_t id, const char *bytes, size_t size);

/* When all tokens stand: makes it possible to find them by their bytes. */
void bpe_index_tokens(struct bpe *bpe);

/* The same for one more. */
void bpe_index_token(struct bpe *bpe, uint32_t id);

/* Adds a merge, of the next rank. BPE_NONE; or the rank of the earlier one of the same pair, and
 * nothing was added. */
uint32_t bpe_add_merge(struct bpe *bpe, struct bpe_merge merge);

void bpe_release(struct bpe *bpe);

/* BPE_NONE when no token has these bytes. */
uint32_t bpe_token(const struct bpe *bpe, const char *bytes, size_t size);

/* ---- encoding ---- */

struct token_list {
    uint32_t *id;
    size_t count;
};

bool token_list_add(struct token_list *list, uint32_t id);
void token_list_release(struct token_list *list);

/* What one thread keeps between pieces; zeroed is empty. */
struct bpe_scratch {
    struct bpe_symbol *symbol;
    struct bpe_candidate *heap;
    size_t room;
    struct bpe_cached *cache; /* pieces seen lately */
};
void bpe_scratch_release(struct bpe_scratch *scratch);

/* Appends the tokens of a piece. False: no memory. */
bool bpe_encode(const struct bpe *bpe, struct bpe_scratch *scratch, const char *piece, size_t size,
                struct token_list *out);

#endif
