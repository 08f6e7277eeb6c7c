/* train_arithmetic.h - what a config.json of Hugging Face says of struct rk_arithmetic. */
#ifndef RECKON_CLI_TRAIN_ARITHMETIC_H
#define RECKON_CLI_TRAIN_ARITHMETIC_H

#include "text/document.h"

#include <reckon/model.h>
#include <reckon/train.h>

/* `document`: with what its type says (train_exact_said()); `model` was read from it. Sets the base
 * of RoPE, too, where the type has a key of its own for it. */
enum rk_status train_arithmetic(const struct document *document, const struct rk_model *model,
                                struct rk_train *train, struct rk_error *error);

#endif
