/* accelerate.h - a plan as Hugging Face accelerate's configuration (YAML) and the line that starts
 * it. The file says ranks, sharding (FSDP2, DeepSpeed or neither), precision and degrees; batch,
 * sequence and kernels are arguments of the training code, after the launcher's.
 *
 * Keys: accelerate's commands/config/config_args.py, commands/launch.py, parallelism_config.py.
 * FSDP2 and its degrees need accelerate 1.10. accelerate_read of reader.h reads such files. */
#ifndef RECKON_TRAINERS_ACCELERATE_H
#define RECKON_TRAINERS_ACCELERATE_H

#include "keys/reader.h"
#include <stdio.h>

#define ACCELERATE_FILE "accelerate.yaml"

/* Words after `accelerate launch` and its options of nodes: "--config_file accelerate.yaml train.py
 * --per_device_train_batch_size 2 ...", in the names of TrainingArguments. */
enum { ACCELERATE_COMMAND = 400 };
const char *accelerate_command(const struct rk_model *model, const struct rk_plan *plan,
                               char text[static ACCELERATE_COMMAND]);

#endif
