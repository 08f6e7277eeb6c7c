/* reckon import megatron: the launch script of Megatron-LM, as a model and a plan. */
#include "base/memory.h"
#include "base/text.h"
#include "cli/import_answer.h"
#include "cli/launch_input.h"
#include "cli/model_input.h"
#include "megatron/megatron.h"
#include "shell/shell.h"
#include "text/output.h"
#include "text/text_file.h"

#include <stdlib.h>
#include <string.h>

struct megatron_args_given {
    const char *script, *version;
    const char *deepspeed;
    uint64_t gpus, vocabulary, variant;
    struct option_texts sets, ignored;
    struct import_args answer;
};

#define AT(member) .offset = offsetof(struct megatron_args_given, member)

/* clang-format off */
static const struct operand megatron_operands[] = {
    {.name = "SCRIPT", .offset = offsetof(struct megatron_args_given, script), .optional = true, .complete = "file"},
    {.name = NULL},
};

static const struct option megatron_rows[] = {
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, AT(gpus), .min = 1, .max = 1 << 24},
    {.name = "set", .type = OPTION_TEXTS, .argument = "NAME=VALUE", AT(sets)},
    {.name = "vocabulary", .type = OPTION_NUMBER, AT(vocabulary), .min = 1, .max = 1 << 28},
    {.name = "variant", .type = OPTION_NUMBER, AT(variant), .min = 1, .max = 64},
    {.name = "ignore", .type = OPTION_TEXTS, .argument = "NAME", AT(ignored)},
    {.name = "deepspeed", .type = OPTION_TEXT, .argument = "FILE", AT(deepspeed), .complete = "file"},
    {.name = "version", .type = OPTION_TEXT, .argument = "VERSION", AT(version)},
    {.name = NULL},
};

const struct usage import_megatron_usage = {
#include "help/import-megatron.h"
    .operands = megatron_operands,
    .groups = {
        {"Import", megatron_rows, 0},
        {"Answer", import_answer_options, offsetof(struct megatron_args_given, answer)},
        {"Form", show_options, offsetof(struct megatron_args_given, answer.show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

static void name_model(const char *path, struct rk_model *model)
{
    char id[sizeof model->id];
    model_name_of(strcmp(path, "-") == 0 || !*path ? "megatron" : path, id, sizeof id);
    static const char *const endings[] = {".sh", ".slurm", ".sbatch", ".txt", ".bash"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (text_ends_in(id, endings[i])) id[strlen(id) - strlen(endings[i])] = '\0';
    snprintf(model->id, sizeof model->id, "%s", *id ? id : "megatron");
}

enum { CONFIG_BYTES = 1 << 20 };

static enum rk_status read_script(const struct megatron_args_given *given,
                                  const struct megatron_options *options,
                                  struct megatron_import *import, struct rk_error *error)
{
    char *text;
    size_t size;
    enum rk_status status = text_file_load(given->script, SHELL_MAX_BYTES, &text, &size, error);
    if (status != RK_OK) return status;
    status = megatron_read(text_file_name(given->script), text, size, options, import, error);
    free(text);
    return status;
}

static enum rk_status read_options(const struct megatron_args_given *given,
                                   struct megatron_options *options, struct rk_error *error)
{
    *options = (struct megatron_options){.sets = given->sets.text,
                                         .set_count = (size_t)given->sets.count,
                                         .gpus = given->gpus,
                                         .machine = launch_machine(given->answer.system),
                                         .vocabulary = given->vocabulary,
                                         .variant = (int)given->variant,
                                         .ignored = given->ignored.text,
                                         .ignored_count = (size_t)given->ignored.count};
    if (!given->version) return RK_OK;
    options->version = megatron_version(given->version);
    if (options->version) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--version: \"%.40s\" is not known: give core_v0.9 to core_v0.19",
                   given->version);
}

static int answer(struct megatron_import *import, const struct megatron_args_given *given)
{
    char remark[96];
    const char *path = given->script ? text_file_name(given->script) : "";
    const char *to = given->answer.model_output;
    name_model(to && strcmp(to, "-") != 0 ? to : path, &import->model);
    const bool core = strcmp(import->tool, "Megatron-LM") == 0;
    snprintf(remark, sizeof remark, "The arguments are those of Megatron Core 0.%d to 0.%d",
             import->since, import->until);
    const struct import_answer answer = {.tool = import->tool,
                                         .path = path,
                                         .model = &import->model,
                                         .own_model = true,
                                         .plan = &import->plan,
                                         .notes = &import->notes,
                                         .remark = core ? remark : NULL};
    return import_answer(&answer, &given->answer);
}

int import_megatron(int argc, char **argv)
{
    struct megatron_args_given given = {.script = NULL};
    struct megatron_options options;
    struct rk_error error;
    int own = 1; /* arguments before "--" are ours */
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    const int done = options_read(&import_megatron_usage, own, argv, &given);
    if (done >= 0) return done;
    const size_t words = own < argc ? (size_t)(argc - own - 1) : 0;
    if ((given.script != NULL) == (words > 0)) {
        rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "import megatron: give a script, or arguments after --, and not both");
        return options_fail(&error);
    }
    struct megatron_import *import = malloc(sizeof *import);
    if (!import) {
        no_memory(&error);
        return options_fail(&error);
    }
    *import = (struct megatron_import){.since = 0};
    char *config = NULL;
    size_t size;
    enum rk_status status = read_options(&given, &options, &error);
    if (status == RK_OK && given.deepspeed)
        status = text_file_load(given.deepspeed, CONFIG_BYTES, &config, &size, &error);
    options.deepspeed = config;
    if (status == RK_OK)
        status = given.script ? read_script(&given, &options, import, &error)
                              : megatron_read_words((const char *const *)argv + own + 1, words,
                                                    &options, import, &error);
    int code;
    if (status == RK_OK) {
        code = answer(import, &given);
    } else {
        code = options_fail(&error);
        import_warn(&import->notes, given.script ? text_file_name(given.script) : "");
    }
    free(config);
    free(import);
    return code;
}
