/* eval_set.h - texts as sequences of tokens that a model scores: windows over long texts, and the
 * answers of tasks after their questions. */
#ifndef RECKON_CLI_EVAL_SET_H
#define RECKON_CLI_EVAL_SET_H

#include "tokens/tokenizer.h"

#include <reckon/train.h>

struct eval_set {
    struct token_list ids;
    struct rk_sequence *sequence; /* (count); `token` is NULL until eval_score */
    size_t *at;                   /* (count): of a sequence's first token in ids */
    size_t count;
    uint64_t scored; /* tokens, of all sequences */
};

/* What scores them. */
struct eval_model {
    struct rk_model model;
    struct rk_plan plan;
    struct rk_train train;
    struct rk_system system;
    const char *load, *tokenizer_path; /* NULL: bytes, by default */
    struct tokenizer tokenizer;
    uint32_t end_id;   /* what stands before a text; BPE_NONE: nothing */
    uint64_t sequence; /* tokens that it sees */
};

/* Can the tokenizer be the model's? An embedding may have more rows than there are ids, for even
 * shards, but neither fewer nor twice as many; bytes may lack their end token. */
enum rk_status eval_check_tokenizer(const struct eval_model *model, struct rk_error *error);

/* A sequence of ids from `at` on, scored from its token `first` on. False: no memory. */
bool eval_add(struct eval_set *set, size_t at, size_t tokens, size_t first);

/* A long text, ids from `at` to `end`, in windows of `sequence` tokens. Each next window begins
 * `stride` tokens later, and only its `stride` last tokens are scored. So each token but the first
 * is scored once, and every window but the first scores tokens with at least sequence - stride + 1
 * tokens of context. 1 <= stride <= sequence. */
bool eval_windows(struct eval_set *set, size_t at, size_t end, uint64_t sequence, uint64_t stride);

/* Scores all: set->scored tokens, sequence by sequence; the caller frees them. */
enum rk_status eval_score(struct eval_set *set, const struct eval_model *model,
                          struct rk_token_score **scores, struct rk_error *error);

void eval_set_release(struct eval_set *set); /* a zeroed one is fine */

#endif
