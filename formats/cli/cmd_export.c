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
    {.letter = 't', .name = "target", .type = OPTION_TEXT, .argument = "VERSION", AT(how.version),
     .help = "Version of Megatron Core that runs it: core_v0.9 to core_v0.19 (default: the newest)"},
    {.name = "mock-data", .type = OPTION_FLAG, AT(how.mock_data),
     .help = "Train on made-up data for a few steps, to check the prediction"},
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
    .name = "export megatron",
    .summary = "write a launch script of Megatron-LM",
    .synopsis = "[--model] MODEL [--plan FILE] [--target VERSION] [options] [PLAN]...",
    .description =
        "Writes a launch script with the arguments of model, parallelism, training and data as bash "
        "arrays. It uses no arguments that are newer than the target's version of Megatron Core. " LOSSES " The head of the script lists these keys, too. A plan that Megatron-LM would refuse at its start is refused here, with all reasons.",
    EXPORT_USAGE({"Megatron-LM", megatron_rows, 0},),
    .examples = {
        {"reckon export megatron --model llama3.1-70b --plan plan.json --target core_v0.14 -o run.sh",
         "Write a plan as a launch script:"},
        {"reckon export megatron -m llama3.1-8b --mock-data gpus8 tp2 sp zero1 grad-overlap weight-overlap gbs64",
         "Run a few steps to check a prediction:"},
    },
    .see_also = "reckon-import(1), reckon-diff(1), reckon-predict(1), reckon-plan(5)",
};

static const struct usage export_deepspeed_usage = {
    .name = "export deepspeed",
    .summary = "write a ds_config.json of DeepSpeed",
    .synopsis = "[--model] MODEL [--plan FILE] [options] [PLAN]...",
    .description =
        "Writes what DeepSpeed's configuration decides: batch, precision, ZeRO stage, offload, AutoTP "
        "and Ulysses degrees. Recomputation, kernels and experts belong to the training code and are "
        "named. Plans with a pipeline are refused, because a configuration cannot express one. " LOSSES,
    EXPORT_USAGE(LAUNCH),
    .examples = {
        {"reckon export deepspeed -m llama3.1-8b -o ds_config.json framework=deepspeed gpus16 zero3 mbs2 gbs128",
         "ZeRO-3 on 16 GPUs:"},
    },
    .see_also = "reckon-import(1), reckon-plan(5)",
};

static const struct usage export_torchtitan_usage = {
    .name = "export torchtitan",
    .summary = "write a job file (TOML) of torchtitan",
    .synopsis = "[--model] MODEL [--plan FILE] [options] [PLAN]...",
    .description =
        "Writes a job file for torchtitan up to v0.2.2: degrees, schedule, batch, activation "
        "checkpointing, float8. " LOSSES,
    EXPORT_USAGE(LAUNCH),
    .examples = {
        {"reckon export torchtitan -m llama3.1-70b -o job.toml framework=fsdp gpus256 tp8 sp zero3 grad-overlap weight-overlap gbs512",
         "70B on 256 GPUs:"},
    },
    .see_also = "reckon-import(1), reckon-plan(5)",
};

static const struct usage export_accelerate_usage = {
    .name = "export accelerate",
    .summary = "write a configuration (YAML) of accelerate",
    .synopsis = "[--model] MODEL [--plan FILE] [options] [PLAN]...",
    .description =
        "Writes a configuration for accelerate 1.10 and later and the line that starts it: FSDP2 where "
        "weights are sharded, the DeepSpeed plugin with framework deepspeed, else data parallelism "
        "alone. Batch, sequence and kernels are arguments of the training code, after the launcher's "
        "arguments. Plans with a pipeline are refused. " LOSSES,
    EXPORT_USAGE(LAUNCH),
    .examples = {
        {"reckon export accelerate -m llama3.1-8b -o accelerate.yaml framework=fsdp gpus16 zero3 grad-overlap weight-overlap mbs2 gbs128",
         "FSDP2 on 16 GPUs:"},
    },
    .see_also = "reckon-import(1), reckon-plan(5)",
};

static const struct usage export_nanotron_usage = {
    .name = "export nanotron",
    .summary = "write a training configuration (YAML) of nanotron",
    .synopsis = "[--model] MODEL [--plan FILE] [options] [PLAN]...",
    .description =
        "Writes a configuration for nanotron 0.4 with model, degrees, batch, optimizer and made-up "
        "data for 20 steps. Models that its Qwen2 and Llama code does not build are refused. " LOSSES,
    EXPORT_USAGE(LAUNCH),
    .examples = {
        {"reckon export nanotron -m llama3.1-8b -o nanotron.yaml tp4 pp2 dp4 sp zero1 gbs128 attention=flash no-transformer-engine",
         "8B on 32 GPUs:"},
    },
    .see_also = "reckon-import(1), reckon-plan(5)",
};

static const struct usage export_bridge_usage = {
    .name = "export bridge",
    .summary = "write overrides of a recipe of Megatron-Bridge (NeMo)",
    .synopsis = "[--model] MODEL [--plan FILE] [options] [PLAN]...",
    .description =
        "Writes model, degrees, batch, precision and recomputation as keys of Megatron-Bridge's "
        "ConfigContainer, one per line, which run_recipe.py takes after its recipe "
        "vanilla_gpt_pretrain_config. Models that this recipe's keys do not build are refused. " LOSSES,
    .operands = export_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", export_source_options, offsetof(struct export_args, source)},
        {"Launch", launch_rows, 0},
        {"Output", output_rows, 0},
        {"General", options_help_rows, 0},
        {NULL, plan_options, offsetof(struct export_args, source)},
    },
    .examples = {
        {"reckon export bridge -m llama3.1-70b --launcher slurm -o run.sbatch gpus256 tp4 pp4 vpp5 cp2 gbs512 sp zero1 grad-overlap",
         "70B on 256 GPUs:"},
    },
    .see_also = "reckon-import(1), reckon-plan(5)",
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
    .name = "export galvatron",
    .summary = "write a strategy file of Galvatron, layer by layer",
    .synopsis = "[--model] MODEL [--plan FILE] [options] [PLAN]...",
    .description =
        "Writes the JSON file that Galvatron's runtime is launched with: how each layer is split "
        "(tensor or Ulysses), sharded and recomputed, and the layers of each stage. Standard error "
        "names what the file cannot express, for each run of equal layers; layers split by tensor and "
        "context parallelism at once, interleaving, other schedules and degrees that are not powers of "
        "two are refused. reckon galvatron plan reads the file back.",
    EXPORT_USAGE(),
    .examples = {
        {"reckon export galvatron -m llama2-7b -o strategy.json gpus8 tp4 gbs64 mbs4 stages=22/zero3/recompute=full~10/zero3 zero2",
         "Recompute 22 of 32 layers:"},
    },
    .see_also = "reckon-galvatron(1), reckon-search(1), reckon-plan(5)",
};

static const struct usage export_fsdp_usage = {
    .name = "export fsdp",
    .summary = "write the FSDP2 units of a plan as Python",
    .synopsis = "[--model] MODEL [--plan FILE] [options] [PLAN]...",
    .description =
        "Writes a Python module that shards a model layer by layer: which layers free their gathered "
        "weights after forward (ZeRO-3), which keep them (ZeRO-2), and what is recomputed. Neither a "
        "job file of torchtitan nor a ds_config.json expresses that per layer. Degrees belong to the "
        "training code; standard error names what units cannot express.",
    EXPORT_USAGE(),
    .examples = {
        {"reckon export fsdp -m llama3.1-8b -o fsdp_units.py framework=fsdp gpus8 gbs64 stages=12/zero3/recompute=full~20/zero2 zero2",
         "Shard and recompute 12 of 32 layers:"},
    },
    .see_also = "reckon-export(1), reckon-search(1), reckon-plan(5)",
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
    .description = "Writes a plan as a script, a configuration or a plan file of another tool, and "
                   "names what the target cannot express.",
    .groups = {{"General", options_help_rows, 0}},
    .examples = {{"reckon export megatron --model llama3.1-70b --plan plan.json -o run.sh",
                  "Write a plan as a launch script of Megatron-LM:"}},
    .see_also = "reckon-import(1), reckon-diff(1), reckon-plan(5)",
    .commands = export_commands,
};

int cmd_export(int argc, char **argv)
{
    return options_run_command(&export_usage, argc, argv);
}
