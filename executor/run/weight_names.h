/* weight_names.h - what checkpoints call the tensors of a model: GPT-2's names, Llama's, or those
 * of weight-names.csv. */
#ifndef RECKON_RUN_WEIGHT_NAMES_H
#define RECKON_RUN_WEIGHT_NAMES_H

#include "run/weights.h"

struct weight_names {
    enum rk_naming naming;
    bool gpt2; /* nobody has said a naming, and the model has GPT-2's shape */
    bool four; /* blocks of four norms */
};

struct weight_names weight_names_of(const struct rk_model *model, enum rk_naming naming);

/* With ".weight" or ".bias"; in `text` if it is of weight-names.csv. Of a block's tensors without
 * what stands in front of the block's number: */
const char *weight_name(const struct weight_names *names, enum weight_role role,
                        char text[static 64]);
const char *weight_prefix(const struct weight_names *names);

/* As their usual names say: norms and biases are no matrices. */
bool weight_is_matrix(enum weight_role role);
bool weight_is_norm(enum weight_role role);

#endif
