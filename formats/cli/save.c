#include "cli/save.h"

#include "base/memory.h"
#include "cli/export_plan.h"
#include "cli/import_answer.h"
#include "cli/launch_run.h"
#include "keys/launch_file.h"

#include <stdlib.h>

#define AT(member) .offset = offsetof(struct save_args, member)

/* clang-format off */
const struct option save_options[] = {
    {.name = "save-plan", .type = OPTION_OUTPUT, .argument = "FILE", AT(plan), .complete = "file"},
    {.name = "save-script", .common = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(script), .complete = "file"},
    LAUNCHER_ROW(AT(launcher), launcher_names + 1, "; with --tokens also steps, time limit and the best interval of checkpoints (default: torchrun)"),
    GPUS_PER_NODE_ROW(AT(gpus_per_node)),
    {.name = NULL},
};
/* clang-format on */

enum rk_status save_check(const struct save_args *args, enum rk_framework framework,
                          struct rk_error *error)
{
    if (!args->script && (args->launcher || args->gpus_per_node))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--%s is of the script that --save-script FILE writes: give that, too",
                       args->launcher ? "launcher" : "gpus-per-node");
    if (args->script && framework == RK_MEGATRON && args->launcher + 1 == LAUNCHER_KUBERNETES)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", launch_not_kubernetes);
    if (!args->script || rk_answerer(framework)->runs) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--save-script: calculon is a model of training, nothing that runs: choose "
                   "framework megatron, fsdp or deepspeed");
}

static enum rk_status save_script(const struct save_args *args, const struct save_answer *answer,
                                  const struct rk_plan *plan, struct rk_error *error)
{
    const struct launch_tool *tool = launch_tool(plan);
    struct export_how how = {.launcher = args->launcher + 1, .gpus_per_node = args->gpus_per_node};
    const struct export_plan both = {*answer->model, *plan};
    struct rk_plan run;
    enum rk_status status =
        launch_run_of(answer->run, answer->model, answer->system, answer->plan, &how.run, error);
    if (status != RK_OK) return status;
    if (!launch_has_file(answer->system))
        return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0, LAUNCH_NO_FILE, answer->system->id,
                       rk_framework_name(plan->framework));
    if (!export_starts(tool->to, plan))
        return rk_fail(
            error, RK_UNSUPPORTED, NULL, 0, 0,
            "--save-script: no command runs what says this plan: reckon export %s writes "
            "it for your program",
            tool->format);
    struct notes *notes = calloc(1, sizeof *notes);
    if (!notes) return no_memory(error);
    status = export_write(args->script, tool->to, &how, &both, &run, notes, error);
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

enum rk_status save_files(const struct save_args *args, const struct save_answer *answer,
                          struct rk_error *error)
{
    struct rk_plan launched;
    enum rk_status status = save_check(args, answer->plan->framework, error);
    if (status == RK_OK && args->script) status = take_launched(answer->plan, &launched, error);
    if (status == RK_OK && args->plan) status = rk_plan_save(args->plan, answer->plan, error);
    if (status == RK_OK && args->script) status = save_script(args, answer, &launched, error);
    return status;
}
