/* bridge.h - a plan and its model as overrides of Megatron-Bridge's recipe
 * vanilla_gpt_pretrain_config, which begins with the presets of Megatron-LM: a line
 * "model.num_layers: 32" each. This is YAML and, with '=' for ": ", what run_recipe.py takes after
 * its own arguments.
 *
 * Keys: Megatron-Bridge's training/config.py, models/gpt_provider.py, and Megatron Core's
 * configuration classes below them. nemo_read of reader.h reads such files. */
#ifndef RECKON_MEGATRON_BRIDGE_H
#define RECKON_MEGATRON_BRIDGE_H

#include "keys/reader.h"
#include <stdio.h>

/* The rows that say a model, with a plan of one GPU. */
void bridge_write_model(FILE *file, const struct rk_model *model);

#define BRIDGE_FILE "bridge.yaml"
#define BRIDGE_COMMAND                                                                             \
    "scripts/training/run_recipe.py --recipe vanilla_gpt_pretrain_config --mode pretrain "         \
    "--dataset mock $(sed -n 's/^\\([a-z_]*[.a-z_0-9]*\\): /\\1=/p' " BRIDGE_FILE ")"

#endif
