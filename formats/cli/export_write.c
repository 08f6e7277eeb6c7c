/* export_write.c - a plan as what other tools are launched with. */
#include "base/memory.h"
#include "cli/export_plan.h"
#include "keys/flat.h"
#include "keys/launch_file.h"
#include "keys/target.h"
#include "megatron/bridge.h"
#include "megatron/megatron.h"
#include "megatron/megatron_flags.h"
#include "text/output.h"
#include "trainers/accelerate.h"
#include "trainers/fsdp_units.h"
#include "trainers/nanotron.h"

#include <inttypes.h>
#include <stdlib.h>

const char launch_not_kubernetes[] =
    "--launcher: of kubernetes there are manifests for torchtitan and nanotron; Megatron-LM is "
    "started by torchrun, slurm or mpirun";

static enum rk_status write_megatron(FILE *file, const struct export_how *how,
                                     const struct export_plan *plan, struct notes *notes,
                                     struct rk_error *error)
{
    const int version = how->version ? megatron_version(how->version) : MEGATRON_NEWEST;
    const struct megatron_target target = {.version = version,
                                           .launcher = (enum launcher)how->launcher,
                                           .run = how->run,
                                           .mock_data = how->mock_data,
                                           .gpus_per_node = how->gpus_per_node};
    if (!version)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--target: \"%.40s\" is not known: give core_v0.9 to core_v0.19",
                       how->version);
    return megatron_write(file, &plan->model, &plan->plan, &target, notes, error);
}

static const struct target *const targets[] = {[EXPORT_DEEPSPEED] = &deepspeed_target,
                                               [EXPORT_TORCHTITAN] = &torchtitan_target,
                                               [EXPORT_ACCELERATE] = &accelerate_target,
                                               [EXPORT_NANOTRON] = &nanotron_target,
                                               [EXPORT_BRIDGE] = &bridge_target,
                                               [EXPORT_AXOLOTL] = &axolotl_target,
                                               [EXPORT_LLAMA_FACTORY] = &llama_factory_target,
                                               [EXPORT_TRL] = &trl_target,
                                               [EXPORT_TORCHTUNE] = &torchtune_target};

/* What the tool reads, or a launch file around it. */
static enum rk_status write_plain(FILE *file, enum export_target to, const struct export_how *how,
                                  const struct export_plan *plan, struct notes *notes,
                                  struct rk_error *error)
{
    if (to == EXPORT_MEGATRON) return write_megatron(file, how, plan, notes, error);
    return target_write(targets[to], file, &plan->model, &plan->plan, how->gpus_per_node, notes,
                        error);
}

/* What starts a target; steps and checkpoints are options of it, which override the file. */
struct start {
    const char *file, *command;
    const char *every, *steps; /* NULL: it has no such options */
};

enum { COMMAND = 256 };

static const char *run_command(const struct start *start, const struct export_how *how,
                               char text[COMMAND])
{
    int used = snprintf(text, COMMAND, "%s", start->command);
    if (start->every && how->run.save_every)
        used += snprintf(text + used, COMMAND - (size_t)used, " %s %" PRIu64, start->every,
                         how->run.save_every);
    if (start->steps && how->run.steps)
        snprintf(text + used, COMMAND - (size_t)used, " %s %" PRIu64, start->steps, how->run.steps);
    return text;
}

/* The commands of trl are modules of that name (trl/scripts/sft.py, dpo.py, kto.py). */
static const struct start *start_of(enum export_target to, const struct rk_plan *plan)
{
    /* clang-format off */
    static const struct start starts[EXPORT_FSDP + 1] = {
        [EXPORT_DEEPSPEED]  = {"ds_config.json", "train.py --deepspeed ds_config.json", NULL, NULL},
        [EXPORT_TORCHTITAN] = {"job.toml", "-m torchtitan.train --job.config_file job.toml --checkpoint.enable", "--checkpoint.interval", "--training.steps"},
        [EXPORT_ACCELERATE] = {ACCELERATE_FILE, NULL, NULL, NULL},
        [EXPORT_NANOTRON]   = {NANOTRON_FILE, "run_train.py --config-file " NANOTRON_FILE, NULL, NULL},
        [EXPORT_BRIDGE]     = {BRIDGE_FILE, BRIDGE_COMMAND, NULL, NULL},
        [EXPORT_AXOLOTL]    = {"axolotl.yaml", "-m axolotl.cli.train axolotl.yaml", "--save_steps", "--max_steps"},
        [EXPORT_TRL]        = {"trl.yaml", "-m trl.scripts.sft --config trl.yaml", "--save_steps", "--max_steps"},
    }, dpo = {"trl.yaml", "-m trl.scripts.dpo --config trl.yaml", "--save_steps", "--max_steps"},
       kto = {"trl.yaml", "-m trl.scripts.kto --config trl.yaml", "--save_steps", "--max_steps"};
    /* clang-format on */
    if (to != EXPORT_TRL) return &starts[to];
    return plan->objective == RK_DPO ? &dpo : plan->objective == RK_KTO ? &kto : &starts[to];
}

bool export_starts(enum export_target to, const struct rk_plan *plan)
{
    return to == EXPORT_MEGATRON || start_of(to, plan)->file;
}

static enum rk_status write_target(FILE *file, enum export_target to, const struct export_how *how,
                                   const struct export_plan *plan, struct notes *notes,
                                   struct rk_error *error)
{
    const struct start *start = start_of(to, &plan->plan);
    const bool whole = to == EXPORT_MEGATRON && how->launcher != LAUNCHER_KUBERNETES;
    char *text = NULL, command[ACCELERATE_COMMAND], whole_run[COMMAND];
    size_t size = 0;
    if (how->launcher == LAUNCHER_NONE || whole)
        return write_plain(file, to, how, plan, notes, error);
    if (to == EXPORT_MEGATRON)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", launch_not_kubernetes);
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return no_memory(error);
    enum rk_status status = write_plain(memory, to, how, plan, notes, error);
    if (fclose(memory) != 0 && status == RK_OK) status = no_memory(error);
    struct launch_file launch = {.launcher = (enum launcher)how->launcher,
                                 .run = &how->run,
                                 .resumes = to == EXPORT_TORCHTITAN,
                                 .ranks = plan->plan.ranks,
                                 .gpus_per_node = how->gpus_per_node,
                                 .tensor = plan->plan.tensor,
                                 .name = "reckon",
                                 .file = start->file,
                                 .text = text,
                                 .command = start->command,
                                 .accelerate = to == EXPORT_ACCELERATE,
                                 .one_queue = plan->plan.zero < 2 && plan->plan.tensor > 1};
    if (start->steps) launch.command = run_command(start, how, whole_run);
    if (status == RK_OK && launch.accelerate)
        launch.command = accelerate_command(&plan->model, &plan->plan, command);
    if (status == RK_OK) launch_file_write(file, &launch);
    free(text);
    return status;
}

/* Targets that run all layers alike get the nearest plan that does; what it loses is named. */
static enum rk_status write_flat(FILE *file, enum export_target to, const struct export_how *how,
                                 const struct export_plan *plan, struct rk_plan *run,
                                 struct notes *notes, struct rk_error *error)
{
    static const char *const tools[] = {[EXPORT_MEGATRON] = "Megatron-LM",
                                        [EXPORT_DEEPSPEED] = "DeepSpeed",
                                        [EXPORT_TORCHTITAN] = "torchtitan",
                                        [EXPORT_ACCELERATE] = "accelerate",
                                        [EXPORT_NANOTRON] = "nanotron",
                                        [EXPORT_BRIDGE] = "Megatron-Bridge",
                                        [EXPORT_AXOLOTL] = "axolotl",
                                        [EXPORT_LLAMA_FACTORY] = "LLaMA-Factory",
                                        [EXPORT_TRL] = "trl",
                                        [EXPORT_TORCHTUNE] = "torchtune"};
    if (to == EXPORT_GALVATRON) return export_galvatron(file, plan, run, notes, error);
    *run = plan->plan;
    if (to == EXPORT_FSDP) return fsdp_units_write(file, &plan->model, &plan->plan, notes, error);
    const struct export_plan flat = {plan->model, flat_plan(&plan->model, &plan->plan)};
    *run = flat.plan;
    if (rk_plan_layout(&plan->plan)->segments) /* first: the head of the file has it */
        layers_compare(&plan->model, &plan->plan, &flat.plan, tools[to], notes);
    return write_target(file, to, how, &flat, notes, error);
}

enum rk_status export_lost(enum export_target to, const struct export_plan *plan,
                           struct notes *notes, struct rk_error *error)
{
    const struct export_how how = {.launcher = LAUNCHER_NONE};
    struct rk_plan run;
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return no_memory(error);
    const enum rk_status status = write_flat(memory, to, &how, plan, &run, notes, error);
    fclose(memory);
    free(text);
    return status;
}

/* The whole text first: on failure no file appears. */
enum rk_status export_write(const char *path, enum export_target to, const struct export_how *how,
                            const struct export_plan *plan, struct rk_plan *run,
                            struct notes *notes, struct rk_error *error)
{
    struct output output = {.file = NULL};
    struct export_how on = *how;
    char *text = NULL;
    size_t size = 0;
    if (!on.gpus_per_node) on.gpus_per_node = how->run.node;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return no_memory(error);
    enum rk_status status = write_flat(memory, to, &on, plan, run, notes, error);
    if (fclose(memory) != 0 && status == RK_OK) status = no_memory(error);
    if (status == RK_OK) status = output_open(&output, path ? path : "-", error);
    if (status == RK_OK) {
        fputs(text, output.file);
        status = output_commit(&output, error);
    }
    free(text);
    return status;
}
