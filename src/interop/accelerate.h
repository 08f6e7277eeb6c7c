/* accelerate.h - a plan as Hugging Face accelerate's configuration (YAML) and the line that starts
 * it. The file says ranks, sharding (FSDP2, DeepSpeed or neither), precision and degrees; batch,
 * sequence and kernels are arguments of the training code, behind the launcher's.
 *
 * Keys: accelerate's commands/config/config_args.py, commands/launch.py, parallelism_config.py.
 * FSDP2 and its degrees need accelerate 1.10. accelerate_read of reader.h reads such files. */
#ifndef RECKON_INTEROP_ACCELERATE_H
#define RECKON_INTEROP_ACCELERATE_H

#include "interop/reader.h"
#include <stdio.h>

#define ACCELERATE_FILE "accelerate.yaml"

/* What neither file nor line can say is in `notes` (NOTE_WARNING); RK_NOTHING_FITS with
 * NOTE_REFUSED when accelerate would not start it. `gpus_per_node` 0: 8. */
enum rk_status accelerate_write(FILE *file, const struct rk_model *model,
                                const struct rk_plan *plan, uint64_t gpus_per_node,
                                struct notes *notes, struct rk_error *error);

/* What stands behind `accelerate launch` and its options of nodes: "--config_file accelerate.yaml
 * train.py --per_device_train_batch_size 2 ...", in the names of TrainingArguments. */
enum { ACCELERATE_COMMAND = 400 };
const char *accelerate_command(const struct rk_model *model, const struct rk_plan *plan,
                               char text[static ACCELERATE_COMMAND]);

#endif
