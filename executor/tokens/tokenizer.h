/* tokenizer.h - from text to token ids and back.
 *
 * Text is looked through for added tokens (<|endoftext|>), normalised where the tokenizer says so,
 * cut into pieces (cut.h), and each piece becomes tokens (bpe.h). Any bytes can be encoded, and
 * decoding gives them back, but for what Normalization Form C changes. What a tokenizer.json adds
 * around a text (its post_processor) is not added.
 */
#ifndef RECKON_TOKENS_TOKENIZER_H
#define RECKON_TOKENS_TOKENIZER_H

#include "tokens/bpe.h"
#include "tokens/cut.h"

#include <reckon/status.h>
#include <stdio.h>

struct added_token {
    char *text;
    size_t size;
    uint32_t id;
    bool special;
};

/* Read-only once it is made: threads share it. */
struct tokenizer {
    struct bpe bpe;
    enum cut cut;
    bool nfc;
    uint32_t ids;              /* one more than the largest id */
    uint32_t case_id;          /* <case>, where the cut marks capitals */
    uint32_t end_id;           /* what ends a document; BPE_NONE: nothing */
    struct added_token *added; /* (addeds), longest first */
    size_t addeds;
    bool begins_added[256]; /* does an added token begin with this byte? */
    bool added_has_space;   /* ... or hold white space */
};

/* A token a byte: id = byte, and 256 ends a document. */
enum { BYTES_END = 256 };
enum rk_status tokenizer_bytes(struct tokenizer *tokenizer, struct rk_error *error);

/* "bytes", or a tokenizer.json of Hugging Face's tokenizers: byte-level BPE, cut as GPT-2, Llama 3
 * or Qwen do or as tokenizer_write writes it. What is not understood is refused, with its place. */
enum rk_status tokenizer_load(const char *path, struct tokenizer *tokenizer,
                              struct rk_error *error);

/* The same from memory; `path` is for messages. */
struct document;
enum rk_status tokenizer_read(const struct document *document, struct tokenizer *tokenizer,
                              struct rk_error *error);

/* As a tokenizer.json. Cuts that mark capitals have a normalizer that only Reckon knows. */
enum rk_status tokenizer_write(FILE *file, const struct tokenizer *tokenizer,
                               struct rk_error *error);

void tokenizer_release(struct tokenizer *tokenizer); /* a zeroed one is fine */

/* ---- for those who make one ---- */

/* The end-of-document token of GPT-2, and mGPT's mark of a capital. */
#define TOKEN_END  "<|endoftext|>"
#define TOKEN_CASE "<case>"

/* The type of the normalizer that marks capitals, in a tokenizer.json. */
#define NORMALIZER_CASE "Reckon.Case"

/* Takes `text` over. False: no memory. */
bool tokenizer_add(struct tokenizer *tokenizer, char *text, size_t size, uint32_t id, bool special);

/* When all is in: orders the added tokens and fills what is derived. */
void tokenizer_finish(struct tokenizer *tokenizer);

/* GPT-2's printable stand-in for a byte, and back (-1: not one) [radford2019]. */
uint32_t byte_letter(unsigned char byte);
int letter_byte(uint32_t code);

/* ---- using it ---- */

/* What one thread keeps; zeroed is empty. */
struct tokenizer_scratch {
    struct bpe_scratch bpe;
    struct bytes normal, small, marks;
};
void tokenizer_scratch_release(struct tokenizer_scratch *scratch);

/* The pieces of a part of the text without added tokens, as they are encoded: calls
 * `visit(context, piece)` for each until it returns false. False: no memory, or visit said so. */
typedef bool (*piece_visitor)(void *context, const struct piece *piece);
bool tokenizer_pieces(const struct tokenizer *tokenizer, struct tokenizer_scratch *scratch,
                      const char *text, size_t size, piece_visitor visit, void *context);

/* Appends the ids of a text. False: no memory. */
bool tokenizer_encode(const struct tokenizer *tokenizer, struct tokenizer_scratch *scratch,
                      const char *text, size_t size, struct token_list *out);

/* Appends the text of ids, all of which are below tokenizer->ids; ids that are no token give
 * nothing. False: no memory. */
bool tokenizer_decode(const struct tokenizer *tokenizer, const uint32_t *id, size_t count,
                      struct bytes *out);

#endif
