/* model_input.h - a model by name, also from the config.json of Hugging Face. */
#ifndef RECKON_CLI_MODEL_INPUT_H
#define RECKON_CLI_MODEL_INPUT_H

#include "interop/hf.h"

/* "llama" from "x/llama.json"; "Llama-3.1-8B" from "Llama-3.1-8B/config.json". */
void model_name_of(const char *path, char *id, size_t size);

/* Says on standard error what the file says and is not followed. */
void model_warn(const struct hf_import *import, const char *path);

/* As rk_model_load; a file with the key "model_type" or "architectures" is read as Hugging Face's.
 */
enum rk_status model_open(const char *name, struct rk_model *model, struct rk_error *error);

#endif
