/* manifest.h - the tensors of a model that has no checkpoint at hand: names as Hugging Face's
 * llama, mixtral and deepseek have them, shapes from the model. Their elements sum up to
 * rk_model_parameters.
 */
#ifndef RECKON_SHARD_MANIFEST_H
#define RECKON_SHARD_MANIFEST_H

#include "shard/layout.h"

#include <reckon/model.h>

/* RK_BAD_INPUT where a part of the model has no usual names: recurrences but Mamba-2. */
enum rk_status manifest_of(const struct rk_model *model, enum tensor_type type,
                           struct layout *layout, struct rk_error *error);

#endif
