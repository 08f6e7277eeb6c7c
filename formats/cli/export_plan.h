/* export_plan.h - a model and a plan from the command line, without a system. */
#ifndef RECKON_CLI_EXPORT_PLAN_H
#define RECKON_CLI_EXPORT_PLAN_H

#include "cli/options.h"
#include "cli/plan_input.h"
#include "keys/launch_file.h"
#include "keys/notes.h"
#include <reckon/reckon.h>

/* --model, --plan, --gpus */
extern const struct option export_source_options[];

struct export_plan {
    struct rk_model model;
    struct rk_plan plan;
};

enum export_target {
    EXPORT_MEGATRON,
    EXPORT_DEEPSPEED,
    EXPORT_TORCHTITAN,
    EXPORT_ACCELERATE,
    EXPORT_NANOTRON,
    EXPORT_BRIDGE,
    EXPORT_AXOLOTL,
    EXPORT_LLAMA_FACTORY,
    EXPORT_TRL,
    EXPORT_TORCHTUNE,
    EXPORT_GALVATRON,
    EXPORT_FSDP
};

/* Is there a tool on the system whose file is written? The `reckon export` that writes it; NULL:
 * none. */
bool launch_has_file(const struct rk_system *system);
const char *launch_format(const struct rk_system *system, const struct rk_plan *plan);
#define LAUNCH_NO_FILE                                                                             \
    "no launch file is written for %s: framework=%s stands for its maker's programs there; give "  \
    "yours the degrees of the plan"

/* The tool whose file says most of a plan: trainers around Hugging Face's for adapters, bases in
 * few bits, preferences and the like (trl's, whose file says neither the objective nor offloaded
 * activations, else axolotl's), units of FSDP for the first layers that are recomputed. `file` is
 * NULL for Megatron-LM and for units. */
struct target;
struct launch_tool {
    const char *format; /* of `reckon export` */
    enum export_target to;
    const struct target *file;
};
const struct launch_tool *launch_tool(const struct rk_plan *plan);

/* Words override the file; the defaults are those of reckon-plan(5), with a system (else NULL)
 * those of reckon predict, which may offload to its nodes' memory. */
enum rk_status export_gather(const struct plan_source *source, struct rk_system *system,
                             struct export_plan *plan, struct rk_error *error);

/* The same with source->system of several clusters: the plan of the file, or the best one with the
 * words. RK_BAD_ARGUMENT where the target cannot say it: one plan for all ranks, or with `layered`
 * one for each layer. */
enum rk_status export_gather_over(const struct plan_source *source, bool layered,
                                  struct export_plan *plan, struct rk_error *error);

/* ---- writing ---- */

struct export_how {
    const char *version; /* of Megatron Core; NULL: the newest */
    bool mock_data;
    int launcher; /* enum launcher */
    uint64_t gpus_per_node;
    struct launch_run run; /* zeroed: nothing is known */
};

/* clang-format off */
/* What starts a run: of an export, and of the script that --save-script writes. `names` is
 * launcher_names, from "none" or "torchrun" on; `more` says what holds there alone. */
#define LAUNCHER_ROW(at, names, more) \
    {.name = "launcher", .common = true, .type = OPTION_CHOICE, .argument = "LAUNCHER", at, .choices = names, \
     .help = "Write what starts the run: torchrun, slurm (sbatch), mpirun or kubernetes (a PyTorchJob), with its environment" more}
#define GPUS_PER_NODE_ROW(at) \
    {.name = "gpus-per-node", .type = OPTION_NUMBER, at, .min = 1, .max = 4096, \
     .help = "Number of ranks that the launcher starts per node (default: the system's GPUs of a node, 8 where it does not say)"}
/* clang-format on */

extern const char launch_not_kubernetes[]; /* what refuses it of Megatron-LM */

/* The strategy file of Galvatron, a strategy for each layer, with the key that the runtime reads;
 * of *run and `notes` as below. */
enum rk_status export_galvatron(FILE *file, const struct export_plan *plan, struct rk_plan *run,
                                struct notes *notes, struct rk_error *error);

/* Writes to `path`, NULL for standard output; `notes` gets what the target cannot express. *run is
 * the plan that the target runs: another one where it runs all layers alike and the plan does not.
 */
enum rk_status export_write(const char *path, enum export_target to, const struct export_how *how,
                            const struct export_plan *plan, struct rk_plan *run,
                            struct notes *notes, struct rk_error *error);

/* Is there a command that runs what is written, for a launcher to start? */
bool export_starts(enum export_target to, const struct rk_plan *plan);

/* What the file would not say of the plan, as warnings; nothing is written. */
enum rk_status export_lost(enum export_target to, const struct export_plan *plan,
                           struct notes *notes, struct rk_error *error);

/* reckon export ranks; export_ranks.c */
extern const struct usage export_ranks_usage;
int export_ranks(int argc, char **argv);

/* Why Megatron-LM does not launch a plan as one job; NULL: it does, and `plain` is what it runs,
 * which is left alone otherwise. */
const char *clusters_unlaunchable(const struct rk_plan *plan, struct rk_plan *plain);

#endif
