#include "cli/save.h"

#include "base/memory.h"
#include "cli/export_plan.h"
#include "cli/import_answer.h"
#include "keys/launch_file.h"

#include <stdlib.h>

#define AT(member) .offset = offsetof(struct save_args, member)

/* clang-format off */
const struct option save_options[] = {
    {.name = "save-plan", .type = OPTION_OUTPUT, .argument = "FILE", AT(plan), .complete = "file",
     .help = "Write the complete plan as a plan file for --plan; - is standard output"},
    {.name = "save-script", .common = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(script), .complete = "file",
     .help = "Write the script that launches the plan, as `reckon export` with a launcher does; - is standard output"},
    {.name = NULL},
};
/* clang-format on */

enum rk_status save_check(const struct save_args *args, enum rk_framework framework,
                          struct rk_error *error)
{
    if (!args->script || framework != RK_CALCULON) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--save-script: calculon is a model of training, nothing that runs: choose "
                   "framework megatron, fsdp or deepspeed");
}

static enum rk_status save_script(const char *path, const struct rk_model *model,
                                  const struct rk_plan *plan, struct rk_error *error)
{
    static const enum export_target target[] = {[RK_MEGATRON] = EXPORT_MEGATRON,
                                                [RK_FSDP] = EXPORT_TORCHTITAN,
                                                [RK_DEEPSPEED] = EXPORT_DEEPSPEED};
    if (save_check(&(struct save_args){.script = path}, plan->framework, error) != RK_OK)
        return error->status;
    const struct export_how how = {.launcher = LAUNCHER_TORCHRUN};
    const struct export_plan both = {*model, *plan};
    struct notes *notes = calloc(1, sizeof *notes);
    struct rk_plan run;
    if (!notes) return no_memory(error);
    const enum rk_status status =
        export_write(path, target[plan->framework], &how, &both, &run, notes, error);
    import_warn(notes, "");
    free(notes);
    return status;
}

/* The plan that a script runs: of one over clusters, the one that says the same to all ranks. */
static enum rk_status take_launched(const struct rk_plan *plan, struct rk_plan *launched,
                                    struct rk_error *error)
{
    const bool over = rk_plan_layout(plan)->parts > 0;
    const char *why = over ? clusters_unlaunchable(plan, launched) : NULL;
    if (!over) *launched = *plan;
    if (!why) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--save-script: Megatron-LM does not run it as one job: %s; reckon search "
                   "--launchable finds the best that it does",
                   why);
}

enum rk_status save_files(const struct save_args *args, const struct rk_model *model,
                          const struct rk_plan *plan, struct rk_error *error)
{
    struct rk_plan launched;
    enum rk_status status = args->script ? take_launched(plan, &launched, error) : RK_OK;
    if (status == RK_OK && args->plan) status = rk_plan_save(args->plan, plan, error);
    if (status == RK_OK && args->script)
        status = save_script(args->script, model, &launched, error);
    return status;
}
