/* train_exact.h - may the executor run the model of a config.json? Only if every key of the file is
 * one that it follows, or one that is known to leave the arithmetic as it is. */
#ifndef RECKON_CLI_TRAIN_EXACT_H
#define RECKON_CLI_TRAIN_EXACT_H

#include "text/document.h"

#include <reckon/train.h>

/* What every model of a type has, and no key of its files says. */
enum exact_fact {
    GEMMA = 1, /* norms multiply by 1 + weights, and tokens by the root of the width */
    NORMS_AFTER = 2,
    WIDE_NORMS = 4,
    NEIGHBOURS = 8,
    EXACT_GELU = 16,
    SECOND_ROW = 32,                      /* positions begin with the third row of their table */
    TURNS_LOCAL = 64,                     /* RoPE turns heads of local layers alone */
    ROUTERS_ADD = 128,                    /* biases of routers are of their scores */
    TURNS_LOCAL_IF_ANY = 256,             /* ... where there are local layers; else of all */
    NORMS_ADD_ONE = 512,                  /* norms multiply by 1 + weights */
    STRETCHES_WHOLE = 1024,               /* RoPE of local layers is not stretched */
    ARITHMETIC = 2 * STRETCHES_WHOLE - 1, /* all of those above */
    UNNORMALISED = 2048,                  /* norm_topk_prob is false where a file does not say it */
    STRETCHES_SCORES = 4096,              /* mscale_all_dim of yarn scales scores as well */
    TURNS_PARTS = 8192,     /* of each head; others that say a part mean something else */
    SAVED = 16384,          /* tensors are called as executor/run/weights.c writes them */
    NAMED_OTHERWISE = 32768 /* ... are written under other names than the type's */
};

struct exact_type {
    const char *name;
    double eps, base;
    enum rk_naming naming;
    unsigned facts;   /* enum exact_fact */
    const char *said; /* defaults of keys that the file does not have; "" */
};

/* data/formats/exact-types.csv. Ended by a row without a name. */
extern const struct exact_type train_exact_types[];

/* NULL: the executor has not its arithmetic. */
const struct exact_type *train_exact_type(const char *name);

/* What a file says, and what its type says where it does not; the caller frees it. */
json_t *train_exact_said(const json_t *root);

/* Sets what a file of this type leaves to transformers: the epsilon of norms and the base of RoPE.
 * RK_UNSUPPORTED names the type, or all keys, whose arithmetic the executor has not. */
enum rk_status train_exact(const struct document *document, struct rk_train *train,
                           struct rk_error *error);

#endif
