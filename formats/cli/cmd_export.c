/* reckon export: a plan as what other tools are launched with. */
#include "base/memory.h"
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/export_plan.h"
#include "cli/import_answer.h"
#include "cli/launch_run.h"
#include "cli/plan_operands.h"
#include "cli/prediction.h"
#include "cli/verdict.h"
#include "keys/launch_file.h"

#include <reckon/machine.h>
#include <stdlib.h>
#include <string.h>

struct export_args {
    struct plan_source source;
    struct export_how how;
    struct run_args run;
    const char *output;
};

#define AT(member) .offset = offsetof(struct export_args, member)

/* clang-format off */
static const struct operand export_operands[] = {
    PLAN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", .help = "Words that describe the plan, as in reckon-plan(5), in addition to --plan or instead of it",
     .offset = offsetof(struct export_args, source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};

static const struct option output_rows[] = {
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

#define LAUNCH_ROWS \
    LAUNCHER_ROW(AT(how.launcher), launcher_names, "; none writes only what the tool reads (default for megatron: torchrun)"), \
    GPUS_PER_NODE_ROW(AT(how.gpus_per_node)), \
    {.name = "tokens", .type = OPTION_TEXT, .argument = "COUNT|usual", AT(run.tokens), \
     .help = "Number of training tokens, which give the steps of the run; with --system also its time limit"}

static const struct option megatron_rows[] = {
    {.letter = 't', .name = "target", .type = OPTION_TEXT, .argument = "VERSION", AT(how.version)},
    {.name = "mock-data", .type = OPTION_FLAG, AT(how.mock_data)},
    LAUNCH_ROWS,
    {.name = NULL},
};

static const struct option launch_rows[] = {
    LAUNCH_ROWS,
    {.name = NULL},
};

#define LOSSES "Standard error names each key that the target cannot express. Before that, reckon reads the " \
    "written file back as reckon import does."

#define LAUNCH {"Launch", launch_rows, 0},
#define EXPORT_USAGE(...) /* what all have; the groups of options between input and output */ \
    .operands = export_operands, .words_title = "Words of a plan", .words = plan_words, .groups = { \
        {"Input", export_source_options, offsetof(struct export_args, source)}, \
        __VA_ARGS__ \
        {"Output", output_rows, 0}, \
        {"General", options_help_rows, 0}, \
        {NULL, plan_options, offsetof(struct export_args, source)}, \
    }

static const struct usage export_megatron_usage = {
#include "help/export-megatron.h"
    EXPORT_USAGE({"Megatron-LM", megatron_rows, 0},),
};

static const struct usage export_deepspeed_usage = {
#include "help/export-deepspeed.h"
    EXPORT_USAGE(LAUNCH),
};

static const struct usage export_torchtitan_usage = {
#include "help/export-torchtitan.h"
    EXPORT_USAGE(LAUNCH),
};

static const struct usage export_accelerate_usage = {
#include "help/export-accelerate.h"
    EXPORT_USAGE(LAUNCH),
};

static const struct usage export_nanotron_usage = {
#include "help/export-nanotron.h"
    EXPORT_USAGE(LAUNCH),
};

static const struct usage export_bridge_usage = {
#include "help/export-bridge.h"
    EXPORT_USAGE(LAUNCH),
};

#define EXPORT_TUNING(id, target, tool, versions, tuning) \
static const struct usage export_##id##_usage = { \
    .name = "export " target, \
    .summary = "write a training configuration (YAML) of " tool, \
    .synopsis = "[--model] MODEL [--plan FILE] [options] [PLAN]...", \
    .description = "Writes a configuration of " versions ": batch, sequence, adapters, base, optimizer, recomputation and sharding. " \
        "Checkpoint and data are placeholders. " LOSSES, \
    EXPORT_USAGE(), \
    .examples = { \
        {"reckon export " target " -m llama3.1-8b framework=fsdp gpus2 zero3 mbs2 gbs16 seq2048 recompute=full " tuning, "Fine-tune on two GPUs:"}, \
    }, \
    .see_also = "reckon-fits(1), reckon-import(1), reckon-plan(5)", \
}
EXPORT_TUNING(axolotl, "axolotl", "axolotl", "axolotl 0.12 and later", "lora16 lora-bytes=4 base=nf4-dq");
EXPORT_TUNING(llama_factory, "llama-factory", "LLaMA-Factory", "LLaMA-Factory 0.9", "lora16 lora-bytes=4 base=nf4-dq");
EXPORT_TUNING(trl, "trl", "trl", "trl 0.21 and later", "lora16 lora-bytes=4 base=nf4-dq");
EXPORT_TUNING(torchtune, "torchtune", "torchtune", "torchtune 0.6", "lora16 lora-bytes=2");

static const struct usage export_galvatron_usage = {
#include "help/export-galvatron.h"
    EXPORT_USAGE(),
};

static const struct usage export_fsdp_usage = {
#include "help/export-fsdp.h"
    EXPORT_USAGE(),
};
/* clang-format on */

/* On standard error, next to what is written. */
static void say_fit(const struct rk_model *model, const struct rk_plan *plan,
                    const struct rk_system *system, const char *what)
{
    struct rk_prediction p;
    rk_predict(model, system, plan, &p);
    if (p.timed)
        fprintf(stderr, "reckon: %son %s: %.4g s per step, %.2f of %.2f GiB", what, system->id,
                p.step_s, p.hbm_bytes / 0x1p30, system->memory[0].capacity_bytes / 0x1p30);
    else
        fprintf(stderr, "reckon: %son %s: %s", what, system->id, rk_verdict_name(p.verdict));
    struct report report = {.first = NULL};
    const struct forecast f = {model, system, plan, &p, "", NULL};
    fprintf(stderr, "%s\n", p.timed ? verdict_behind(&report, &f) : "");
    report_release(&report);
}

/* What is written, where its layers run otherwise than the plan's. */
static void say_nearest(const struct export_plan *plan, const struct rk_plan *run,
                        const struct rk_system *system)
{
    if (system)
        say_fit(&plan->model, run, system, "the nearest plan ");
    else
        fputs("reckon: the nearest plan is written: --system SYSTEM shows its time and whether it "
              "fits\n",
              stderr);
}

static int run(enum export_target to, const struct usage *usage, int argc, char **argv)
{
    struct export_args args = {.run = RUN_ARGS_INIT};
    struct export_plan plan;
    struct rk_plan run;
    struct rk_system system = {.id = ""};
    struct rk_error error;
    const int done = options_read(usage, argc, argv, &args);
    if (done >= 0) return done;
    struct notes *notes = calloc(1, sizeof *notes);
    const bool over = args.source.system && rk_machine_is_several(args.source.system);
    const bool on = args.source.system && !over;
    enum rk_status status = notes ? RK_OK : no_memory(&error);
    if (status == RK_OK && args.source.system)
        status = rk_system_load_several(args.source.system, &system, &error);
    if (status == RK_OK)
        status = over ? export_gather_over(&args.source, to == EXPORT_GALVATRON, &plan, &error)
                      : export_gather(&args.source, on ? &system : NULL, &plan, &error);
    if (status == RK_OK && on) say_fit(&plan.model, &plan.plan, &system, "");
    if (status == RK_OK)
        status = launch_run_of(&args.run, &plan.model, args.source.system ? &system : NULL,
                               &plan.plan, &args.how.run, &error);
    if (status == RK_OK)
        status = export_write(args.output, to, &args.how, &plan, &run, notes, &error);
    const int code = status == RK_OK ? (int)RK_OK : options_fail(&error);
    if (notes) import_warn(notes, "");
    if (status == RK_OK && rk_plan_layout(&plan.plan)->segments &&
        notes_count(notes, NOTE_WARNING) && memcmp(&plan.plan, &run, sizeof run) != 0)
        say_nearest(&plan, &run, on ? &system : NULL);
    if (status == RK_OK) check_remark("the plan", &plan.model, on ? &system : NULL, &plan.plan);
    rk_system_release(&system);
    free(notes);
    return code;
}

/* ---- the command ---- */

/* clang-format off */
#define TARGETS(X) \
    X(megatron,   MEGATRON,   "write a launch script of Megatron-LM") \
    X(deepspeed,  DEEPSPEED,  "write a ds_config.json of DeepSpeed") \
    X(torchtitan, TORCHTITAN, "write a job file of torchtitan") \
    X(accelerate, ACCELERATE, "write a configuration of accelerate") \
    X(nanotron,   NANOTRON,   "write a configuration of nanotron") \
    X(bridge,     BRIDGE,     "write overrides of a recipe of Megatron-Bridge") \
    X(axolotl,    AXOLOTL,    "write a training configuration of axolotl") \
    X(trl,        TRL,        "write a training configuration of trl") \
    X(torchtune,  TORCHTUNE,  "write a recipe's configuration of torchtune") \
    X(galvatron,  GALVATRON,  "write a strategy file of Galvatron") \
    X(fsdp,       FSDP,       "write units of FSDP2 as Python")
#define RUN(name, TARGET, help) \
    static int run_##name(int argc, char **argv) { return run(EXPORT_##TARGET, &export_##name##_usage, argc, argv); }
#define ROW(name, TARGET, help) {#name, run_##name, help, &export_##name##_usage},
TARGETS(RUN)
RUN(llama_factory, LLAMA_FACTORY, "")
static const struct command export_commands[] = {
    TARGETS(ROW)
    {"llama-factory", run_llama_factory, "write a training configuration of LLaMA-Factory", &export_llama_factory_usage},
    {"ranks", export_ranks, "write the place of each rank of a plan over clusters", &export_ranks_usage},
    {.name = NULL},
};
/* clang-format on */

const struct usage export_usage = {
    .name = "export",
    .summary = "write launch files for other tools",
    .synopsis = "megatron|deepspeed|torchtitan|accelerate|nanotron|bridge|axolotl|trl|torchtune|"
                "llama-factory|galvatron|fsdp|ranks "
                "[--model] MODEL [--plan FILE] "
                "[options] [PLAN]...",
#include "help/export.h"
    .groups = {{"General", options_help_rows, 0}},
    .commands = export_commands,
};

int cmd_export(int argc, char **argv)
{
    return options_run_command(&export_usage, argc, argv);
}
