/* reckon import deepspeed, axolotl, nanotron, ...: the configurations of other tools, as plans. */
#include "base/memory.h"
#include "cli/import_answer.h"
#include "cli/launch_input.h"
#include "keys/detect.h"
#include "megatron/run_script.h"
#include "text/output.h"
#include "text/text_file.h"

#include <stdlib.h>
#include <string.h>

struct file_args {
    const char *file, *model;
    uint64_t gpus, vocabulary, variant;
    struct option_texts sets, ignored;
    struct import_args answer;
};

#define AT(member) .offset = offsetof(struct file_args, member)

/* clang-format off */
static const struct operand file_operands[] = {
    {.name = "FILE", .help = "Configuration, or - (standard input)", .offset = offsetof(struct file_args, file), .optional = false, .complete = "file"},
    {.name = NULL},
};

#define FILE_ROWS \
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, AT(gpus), .min = 1, .max = 1 << 24, \
     .help = "Number of GPUs of the run (default: as the file says, else all of the system)"}, \
    {.name = "set", .type = OPTION_TEXTS, .argument = "KEY=VALUE", AT(sets), \
     .help = "Set a key that the file lacks, has as auto, or has with another value; may be repeated"}, \
    {.name = "ignore", .type = OPTION_TEXTS, .argument = "KEY", AT(ignored), \
     .help = "Accept an unknown or unsupported key, and all keys below it, on which nothing depends here; may be repeated"}, \
    {.name = "variant", .type = OPTION_NUMBER, AT(variant), .min = 1, .max = 64, \
     .help = "Choose the Nth training command of a script"}, \
    {.name = NULL}

static const struct option rows_false[] = { /* the model is not in the file */
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models",
     .help = "Model, which the file does not name: an id of `reckon models`, or a file"},
    FILE_ROWS,
};

static const struct option rows_true[] = {
    {.name = "vocabulary", .type = OPTION_NUMBER, AT(vocabulary), .min = 1, .max = 1 << 28,
     .help = "Number of entries of the embedding table before padding, if the file does not state it"},
    FILE_ROWS,
};

#define SYNOPSIS_false "FILE --model MODEL [--gpus N] [--system SYSTEM] [-o PLAN] [options]"
#define SYNOPSIS_true  "FILE [--gpus N] [--system SYSTEM] [-o PLAN] [--model-output MODEL] [options]"
#define GIVES_false    "a plan"
#define GIVES_true     "a model and a plan"

#define FORMAT_USAGE(id, name_, tool, own, what, versions, example) \
const struct usage import_##id##_usage = { \
    .name = "import " name_, \
    .summary = "read " what " of " tool " as " GIVES_##own ", and predict it", \
    .synopsis = SYNOPSIS_##own, \
    .description = \
        "Reads the keys that decide time and memory of a step in " what " of " tool " (" versions "). Each key is " \
        "read, known to be irrelevant, warned of, or refused with line and column; an unknown key is " \
        "refused until --ignore names it. --set gives keys that the file leaves open, or that are filled " \
        "in when the run starts (auto). FILE may be the shell script, with or without #SBATCH lines, " \
        "that starts the tool: reckon follows it as bash would, without running it, to the " \
        "configuration and the arguments of its command.", \
    .operands = file_operands, \
    .groups = { \
        {"Import", rows_##own, 0}, \
        {"Answer", import_answer_options, offsetof(struct file_args, answer)}, \
        {"Form", show_options, offsetof(struct file_args, answer.show)}, \
        {"General", options_help_rows, 0}, \
    }, \
    .examples = {{"reckon import " name_ " " example " --system h100-sxm5-80g", "Predict a model under a configuration:"}}, \
    .see_also = "reckon-export(1), reckon-plan(5)", \
};
PLAN_FORMATS(FORMAT_USAGE)
#undef FORMAT_USAGE
/* clang-format on */

enum { FILE_BYTES = 4 << 20 };

/* What a reader fills in: too large for the stack of a thread. */
struct import_state {
    struct rk_model model;
    struct rk_plan plan;
    struct notes notes;
};

/* A file that the format's reader does not understand, and that is plainly of another tool. */
static void tell_tool(const struct plan_format *format, const char *path, const char *why)
{
    char *text = NULL;
    size_t size;
    struct rk_error error;
    if (strcmp(path, "-") == 0 || text_file_load(path, FILE_BYTES, &text, &size, &error) != RK_OK)
        return;
    const struct tool_sign *sign = run_script_is(path, text) ? NULL : detect_tool(text);
    const bool strange = strstr(why, "is not known") || strstr(why, "are expected");
    free(text);
    if (!sign || !strange || (sign->format && strcmp(sign->format, format->name) == 0)) return;
    if (!sign->format) {
        detect_fail(sign, path, NULL, &error);
        options_fail(&error);
    } else
        fprintf(stderr, "reckon: %s: this looks like a %s of %s: reckon import %s\n", path,
                sign->what, sign->tool, sign->format);
}

static enum rk_status read(const struct plan_format *format, const struct file_args *args,
                           struct import_state *s, struct rk_error *error)
{
    char *text = NULL;
    size_t size;
    enum rk_status status = RK_OK;
    if (args->file) status = text_file_load(args->file, FILE_BYTES, &text, &size, error);
    const struct config_source source = {
        .path = text_file_name(args->file),
        .text = text,
        .sets = args->sets.text,
        .set_count = (size_t)args->sets.count,
        .keys = {args->ignored.text, (size_t)args->ignored.count},
        .gpus = args->gpus,
        .machine = launch_machine(args->answer.system),
        .vocabulary = args->vocabulary,
        .variant = args->variant,
    };
    struct launch_answer to = {&s->model, &s->plan, &s->notes};
    if (status == RK_OK) status = launch_read(format, &source, args->model, &to, error);
    free(text);
    if (status == RK_OK && format->own_model) launch_name_model(args->file, &s->model);
    return status;
}

static int run(const struct usage *usage, const struct plan_format *format, int argc, char **argv)
{
    struct file_args args = {.file = NULL};
    struct rk_error error;
    const int done = options_read(usage, argc, argv, &args);
    if (done >= 0) return done;
    struct import_state *s = calloc(1, sizeof *s);
    enum rk_status status = s ? RK_OK : no_memory(&error);
    if (status == RK_OK) status = read(format, &args, s, &error);
    int code;
    if (status == RK_OK) {
        const struct import_answer answer = {.tool = format->tool,
                                             .path = text_file_name(args.file),
                                             .model = &s->model,
                                             .own_model = format->own_model,
                                             .plan = &s->plan,
                                             .notes = &s->notes};
        code = import_answer(&answer, &args.answer);
    } else {
        code = options_fail(&error);
        if (s) import_warn(&s->notes, text_file_name(args.file));
        if (error.status == RK_BAD_INPUT || error.status == RK_BAD_ARGUMENT)
            tell_tool(format, args.file, error.text);
    }
    free(s);
    return code;
}

enum format_index {
#define FORMAT_INDEX(id, name, tool, own, what, versions, example) FORMAT_##id,
    PLAN_FORMATS(FORMAT_INDEX)
#undef FORMAT_INDEX
};

#define FORMAT_RUN(id, name, tool, own, what, versions, example)                                   \
    int import_##id(int argc, char **argv)                                                         \
    {                                                                                              \
        return run(&import_##id##_usage, &plan_formats[FORMAT_##id], argc, argv);                  \
    }
PLAN_FORMATS(FORMAT_RUN)
