/* model_input.h - a model by name, also from the config.json of Hugging Face, or from a folder of
 * weights, whose headers then have the last word on its shape. */
#ifndef RECKON_CLI_MODEL_INPUT_H
#define RECKON_CLI_MODEL_INPUT_H

#include "cli/options.h"
#include "huggingface/model_named.h"

#include <reckon/system.h>

/* Says on standard error what the file says and is not followed. */
void model_warn(const struct hf_import *import, const char *path);

/* model_named(), with those warnings. */
enum rk_status model_open(const char *name, struct rk_model *model, struct rk_error *error);

/* Where the tokens of a sample come from, in `why`: "usual in pre-training; the file ...", or "the
 * model's" where the model says it. */
enum { MODEL_WHY = 192 };
enum rk_status model_open_why(const char *name, struct rk_model *model, char why[MODEL_WHY],
                              struct rk_error *error);
void model_sequence_why(const struct hf_import *import, char why[MODEL_WHY]);

/* Without the option that sets another, which not every command has. */
int model_why_length(const char *why);

/* Says on standard error that the tokens of a sample are assumed, unless a plan gives them or the
 * model does. */
void model_warn_sequence(const char *name, const struct rk_model *model, const char *why,
                         uint64_t given);

/* RK_BAD_ARGUMENT: no model, no system, or a system that does not state its number of GPUs. */
enum rk_status model_missing(struct rk_error *error);
enum rk_status system_missing(struct rk_error *error);
enum rk_status gpus_missing(const struct rk_system *system, struct rk_error *error);

#endif
