/* save.h - --save-plan and --save-script: the plan of an answer, to go on with. */
#ifndef RECKON_CLI_SAVE_H
#define RECKON_CLI_SAVE_H

#include "cli/options.h"
#include <reckon/reckon.h>

struct save_args {
    const char *plan, *script; /* files; NULL: not asked for */
};

extern const struct option save_options[];

/* Can plans of the framework be saved so? */
enum rk_status save_check(const struct save_args *args, enum rk_framework framework,
                          struct rk_error *error);

/* Writes what was asked for. A script is the whole launch file of the plan's framework:
 * Megatron-LM's, or torchrun with DeepSpeed's or torchtitan's configuration; calculon has none.
 * RK_BAD_ARGUMENT, and nothing is written, where no one job runs a plan over clusters. */
enum rk_status save_files(const struct save_args *args, const struct rk_model *model,
                          const struct rk_plan *plan, struct rk_error *error);

#endif
