/* reckon import deepspeed, torchtitan: configuration files as plans. */
#include "cli/import_answer.h"
#include "cli/model_input.h"
#include "interop/deepspeed.h"
#include "interop/text_file.h"
#include "interop/toml.h"
#include "interop/torchtitan.h"

#include <stdlib.h>

struct file_args {
    const char *file, *model;
    uint64_t gpus;
    struct import_args answer;
};

#define AT(member) .offset = offsetof(struct file_args, member)

/* clang-format off */
static const struct operand deepspeed_operands[] = {
    {"CONFIG", "a ds_config.json, or - (standard input)", offsetof(struct file_args, file), false, "file"},
    {.name = NULL},
};
static const struct operand torchtitan_operands[] = {
    {"JOB", "a job file (TOML) of torchtitan up to v0.2.2, or - (standard input)", offsetof(struct file_args, file), false, "file"},
    {.name = NULL},
};

static const struct option file_rows[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models",
     .help = "what is trained, which the file does not say: an id of `reckon models`, or a file"},
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, AT(gpus), .min = 1, .max = 1 << 24,
     .help = "how many GPUs the run has (as the file tells)"},
    {.name = NULL},
};

const struct usage import_deepspeed_usage = {
    .name = "import deepspeed",
    .summary = "a ds_config.json of DeepSpeed as a plan, and its prediction",
    .synopsis = "CONFIG --model MODEL [--gpus N] [--system SYSTEM] [-o PLAN] [options]",
    .description =
        "Reads stage, offload, batch, precision and parallel degrees. What the training code decides "
        "(recomputation, kernels, experts, pipeline) is taken as none, and said.",
    .operands = deepspeed_operands,
    .groups = {
        {"Import", file_rows, 0},
        {"Answer", import_answer_options, offsetof(struct file_args, answer)},
        {"Form", show_options, offsetof(struct file_args, answer.show)},
        {"General", options_help_rows, 0},
    },
    .examples = {{"reckon import deepspeed ds_config.json --model llama3.1-8b --gpus 16 --system h100-sxm5-80g",
                  "What a configuration makes of a model:"}},
    .see_also = "reckon-export(1), reckon-plan(5)",
};

const struct usage import_torchtitan_usage = {
    .name = "import torchtitan",
    .summary = "a job file of torchtitan as a plan, and its prediction",
    .synopsis = "JOB --model MODEL [--gpus N] [--system SYSTEM] [-o PLAN] [options]",
    .description =
        "Reads degrees, schedule, batch, activation checkpointing and float8 of a job file of "
        "torchtitan up to v0.2.2.",
    .operands = torchtitan_operands,
    .groups = {
        {"Import", file_rows, 0},
        {"Answer", import_answer_options, offsetof(struct file_args, answer)},
        {"Form", show_options, offsetof(struct file_args, answer.show)},
        {"General", options_help_rows, 0},
    },
    .examples = {{"reckon import torchtitan llama3_70b.toml --model llama3.1-70b --gpus 256 --system h100-sxm5-80g",
                  "What a job file makes of a model:"}},
    .see_also = "reckon-export(1), reckon-plan(5)",
};
/* clang-format on */

static enum rk_status read_deepspeed(const struct file_args *args, const struct rk_model *model,
                                     struct rk_plan *plan, struct notes *notes,
                                     struct rk_error *error)
{
    struct document document = {.root = NULL};
    enum rk_status status = document_load(args->file, &document, error);
    if (status == RK_OK) status = deepspeed_read(&document, model, args->gpus, plan, notes, error);
    document_release(&document);
    return status;
}

static enum rk_status read_torchtitan(const struct file_args *args, const struct rk_model *model,
                                      struct rk_plan *plan, struct notes *notes,
                                      struct rk_error *error)
{
    char *text;
    size_t size;
    enum rk_status status = text_file_load(args->file, TOML_MAX_BYTES, &text, &size, error);
    if (status != RK_OK) return status;
    status =
        torchtitan_read(text_file_name(args->file), text, model, args->gpus, plan, notes, error);
    free(text);
    return status;
}

typedef enum rk_status reader(const struct file_args *args, const struct rk_model *model,
                              struct rk_plan *plan, struct notes *notes, struct rk_error *error);

static int run(const struct usage *usage, const char *tool, reader *read, int argc, char **argv)
{
    struct file_args args = {.file = NULL};
    struct rk_model model;
    struct rk_plan plan;
    struct rk_error error;
    const int done = options_read(usage, argc, argv, &args);
    if (done >= 0) return done;
    struct notes *notes = calloc(1, sizeof *notes);
    enum rk_status status = notes ? RK_OK : rk_fail(&error, RK_IO, NULL, 0, 0, "out of memory");
    if (status == RK_OK && !args.model)
        status = rk_fail(&error, RK_USAGE, NULL, 0, 0,
                         "--model is missing: reckon models lists what there is");
    if (status == RK_OK) status = model_open(args.model, &model, &error);
    if (status == RK_OK) status = read(&args, &model, &plan, notes, &error);
    int code;
    if (status == RK_OK) {
        const struct import_answer answer = {.tool = tool,
                                             .path = text_file_name(args.file),
                                             .model = &model,
                                             .plan = &plan,
                                             .notes = notes};
        code = import_answer(&answer, &args.answer);
    } else {
        code = options_fail(&error);
    }
    free(notes);
    return code;
}

int import_deepspeed(int argc, char **argv)
{
    return run(&import_deepspeed_usage, "DeepSpeed", read_deepspeed, argc, argv);
}

int import_torchtitan(int argc, char **argv)
{
    return run(&import_torchtitan_usage, "torchtitan", read_torchtitan, argc, argv);
}
