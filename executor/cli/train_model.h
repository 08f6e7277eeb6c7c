/* train_model.h - a model to run: its shape, and of a config.json of Hugging Face what its
 * arithmetic needs besides. */
#ifndef RECKON_CLI_TRAIN_MODEL_H
#define RECKON_CLI_TRAIN_MODEL_H

#include "cli/plan_input.h"
#include "text/document.h"

#include <reckon/train.h>

/* `name`: as model_open takes it, or a folder that holds a config.json. From such a file come the
 * base of RoPE and how it is stretched, the epsilon of norms, which GELU it is, how experts are
 * weighed, and struct rk_arithmetic; what would change the arithmetic otherwise (RoPE that is
 * stretched in another way) is refused by its key. */
enum rk_status train_model_open(const char *name, struct rk_model *model, struct rk_train *train,
                                struct rk_error *error);

/* What a config.json says of the arithmetic of `model`, which was read from it, into `train`. */
enum rk_status train_model_details(const struct document *document, const struct rk_model *model,
                                   struct rk_train *train, struct rk_error *error);

/* The plan to run, from a file (or words in quotes; NULL: none) and words that override it.
 * Defaults: 32 bits, and the batch and the sequence of the run that is resumed (NULL: none).
 * `ranks` (0: not given): as threads; processes of MPI count themselves. */
enum rk_status train_plan_read(const char *plan, const struct option_texts *words, uint64_t ranks,
                               const struct rk_train_about *goes_on, struct plan_draft *draft,
                               struct rk_error *error);

#endif
