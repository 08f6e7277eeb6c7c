/* nanotron.h - a plan and its model as the training configuration (YAML) of nanotron 0.4.
 *
 * Keys: nanotron's config/config.py, parallelism_config.py, models_config.py (Qwen2Config, which
 * also describes Llama). nanotron_read of reader.h reads such files. */
#ifndef RECKON_TRAINERS_NANOTRON_H
#define RECKON_TRAINERS_NANOTRON_H

#include "keys/reader.h"
#include <stdio.h>

#define NANOTRON_FILE "nanotron.yaml"

#endif
