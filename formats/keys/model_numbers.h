/* model_numbers.h - what several readers of models share. */
#ifndef RECKON_KEYS_MODEL_NUMBERS_H
#define RECKON_KEYS_MODEL_NUMBERS_H

#include <reckon/model.h>

/* Gives the model `groups` of experts of which a token's lie in `active`, where that limits them.
 */
void model_limit_groups(struct rk_model *model, uint64_t groups, uint64_t active);

/* Is it a model that a model file can say, with all its numbers in their ranges? Else RK_BAD_INPUT
 * with the key of the model file. */
enum rk_status model_numbers_check(const struct rk_model *model, const char *path,
                                   struct rk_error *error);

#endif
