/* model_named.h - a model by name, also from the config.json of Hugging Face. */
#ifndef RECKON_HUGGINGFACE_MODEL_NAMED_H
#define RECKON_HUGGINGFACE_MODEL_NAMED_H

#include "huggingface/hf.h"

/* "llama" from "x/llama.json"; "Llama-3.1-8B" from "Llama-3.1-8B/config.json". */
void model_name_of(const char *path, char *id, size_t size);

/* The config.json of a folder of Hugging Face, unless an id of the catalog has the name. */
bool model_in_folder(const char *name, char *path, size_t size);

/* As rk_model_load; a folder is its config.json, a file with the key "model_type" or
 * "architectures" is read as Hugging Face's, with notes. Of others `type` is NULL. */
enum rk_status model_named(const char *name, struct hf_import *import, struct rk_error *error);

/* What the model of that name computes beyond its shape, as its file keeps it in `config`: the
 * config.json that it is read from, or what data/model-arithmetic.json says of it. NULL: nobody
 * says more. The caller frees it. */
enum rk_status model_config(const char *name, json_t **config, struct rk_error *error);

/* The model alone: a model_reader. */
enum rk_status model_by_name(const char *name, struct rk_model *model, struct rk_error *error);

#endif
