/* by_words.h - a model by the sizes in the configuration of a trainer. */
#ifndef RECKON_TRAINERS_BY_WORDS_H
#define RECKON_TRAINERS_BY_WORDS_H

#include "keys/reader.h"

/* Fills the model in where the settings have sizes of a model of lingua's or llm-foundry's; what is
 * missing is an error. *found: they have. */
enum rk_status model_by_sizes(const struct settings *settings, struct rk_model *model, bool *found,
                              struct rk_error *error);

#endif
