/* train_exact.h - may the executor run the model of a config.json? Only if every key of the file is
 * one that it follows, or one that is known to leave the arithmetic as it is. */
#ifndef RECKON_CLI_TRAIN_EXACT_H
#define RECKON_CLI_TRAIN_EXACT_H

#include "text/document.h"

#include <reckon/train.h>

/* Sets what a file of this type leaves to transformers: the epsilon of norms and the base of RoPE.
 * RK_UNSUPPORTED names the type, or all keys, whose arithmetic the executor has not. */
enum rk_status train_exact(const struct document *document, struct rk_train *train,
                           struct rk_error *error);

#endif
