/* save.h - --save-plan and --save-script: the plan of an answer, to continue with. */
#ifndef RECKON_CLI_SAVE_H
#define RECKON_CLI_SAVE_H

#include "cli/options.h"
#include "cli/run_args.h"
#include <reckon/reckon.h>

struct save_args {
    const char *plan, *script; /* files; NULL: not asked for */
    int launcher;              /* of the script: enum launcher without its first */
    uint64_t gpus_per_node;
};

/* What is saved, and what it was predicted for. */
struct save_answer {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan;
    const struct run_args *run;
};

extern const struct option save_options[];

/* Can plans of the framework be saved so? RK_BAD_ARGUMENT also where a launcher starts nothing. */
enum rk_status save_check(const struct save_args *args, enum rk_framework framework,
                          struct rk_error *error);

/* Writes what was asked for. A script is the whole launch file of launch_tool(): Megatron-LM's, or
 * torchrun with the tool's configuration; calculon has none, and a tool that would train something
 * else is RK_UNSUPPORTED. RK_BAD_ARGUMENT, and nothing is written, where no one job runs a plan
 * over clusters. */
enum rk_status save_files(const struct save_args *args, const struct save_answer *answer,
                          struct rk_error *error);

#endif
