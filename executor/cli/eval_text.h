/* eval_text.h - how well a model predicts the texts of a file. */
#ifndef RECKON_CLI_EVAL_TEXT_H
#define RECKON_CLI_EVAL_TEXT_H

#include "cli/eval_set.h"

/* Of a file, or of several together. Bytes and characters are those of the tokens that are scored;
 * both 0 where they are not known. */
struct eval_text {
    uint64_t documents, left_out, tokens, bytes, characters;
    double loss; /* sum over tokens, natural logarithm */
    uint64_t likeliest;
};

/* `path`: a shard of tokens (reckon tokenize --as bin), or texts as reckon tokenize reads them
 * (plain, JSON lines with "text", WARC; packed or not), each after the tokenizer's end token.
 * `stride` as in eval_windows. RK_BAD_INPUT: nothing to score, ids of another tokenizer. */
enum rk_status eval_text(const char *path, uint64_t stride, const struct eval_model *model,
                         struct eval_text *result, struct rk_error *error);

#endif
