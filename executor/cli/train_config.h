/* train_config.h - the config.json of Hugging Face that belongs to the weights of a run.
 *
 * What is written is read back, as any config.json is: it counts only if it brings the same shape
 * and the same arithmetic.
 */
#ifndef RECKON_CLI_TRAIN_CONFIG_H
#define RECKON_CLI_TRAIN_CONFIG_H

#include <reckon/train.h>

/* The file at `source` (NULL: there is none) with the datatype of the weights as they are saved,
 * or one made of the model and the run. NULL: no type of transformers whose tensors have the names
 * that checkpoints give them has this shape. The caller frees it. */
char *train_config_text(const char *source, const struct rk_model *model,
                        const struct rk_train *train);

#endif
