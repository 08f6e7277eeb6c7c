/* reckon import: models and plans in the files of other tools. */
#include "base/memory.h"
#include "catalog/model_fields.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/entry.h"
#include "cli/import_answer.h"
#include "cli/import_mlperf.h"
#include "cli/import_node.h"
#include "cli/import_slurm.h"
#include "cli/model_input.h"
#include "cli/show.h"
#include "huggingface/hf.h"
#include "keys/detect.h"
#include "text/output.h"
#include "text/text_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- hf ---- */

struct hf_args {
    const char *config, *output;
    int type;
    uint64_t sequence;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct hf_args, member)

enum { MOST_SEQUENCE = 1 << 28, FILE_BYTES = 4 << 20 };

/* clang-format off */
static const struct operand hf_operands[] = {
    {.name = "CONFIG", .help = "Config.json of a model, or - (standard input)", .offset = offsetof(struct hf_args, config), .optional = false, .complete = "file"},
    {.name = NULL},
};

static const struct option hf_rows[] = {
    {.letter = 'o', .name = "output", .data = true, .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file",
     .help = "Write the model to FILE, as in reckon-model(5); - prints it instead of the report"},
    {.name = "as", .type = OPTION_CHOICE, .argument = "TYPE", AT(type), .choices = hf_type_names,
     .help = "Read the file as one of this model_type, whatever it says"},
    {.name = "sequence", .type = OPTION_NUMBER, AT(sequence), .min = 1, .max = MOST_SEQUENCE,
     .help = "Tokens per sample (default: the context of pre-training, if the file states it)"},
    {.name = NULL},
};

static const struct usage hf_usage = {
    .name = "import hf",
    .summary = "read a model from a config.json of Hugging Face",
    .synopsis = "CONFIG [-o FILE] [--as TYPE] [--sequence N]",
    .description =
        "Prints the shape, the exact number of parameters and each default that was assumed because "
        "the file lacks it. Statements of the file that an estimate ignores are warnings; an unknown "
        "key that may change shape or cost is an error. Layers for multi-token prediction are read, "
        "but not counted as parameters. Spellings of transformers 4 and 5 are read. Known types:"
#define ROW(name, class, keys, facts) " " name
#include "tables/hf-types.h"
#undef ROW
        ".",
    .operands = hf_operands,
    .groups = {
        {"Import", hf_rows, 0},
        {"Form", show_options, offsetof(struct hf_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon import hf Llama-3.1-8B/config.json -o llama.json && reckon search -m ./llama.json -s h100-80g-nvl8 -g 256 -b 512",
         "Import a model, and search for its best plan:"},
    },
};
/* clang-format on */

static const struct report_column assumed_columns[] = {
    {.name = "what"}, {.name = "value"}, {.name = "why"}};

static void add_notes(struct report *report, const struct hf_import *import, enum hf_note_kind kind,
                      const char *name, const char *title, unsigned formats)
{
    struct report_table *table = REPORT_LIST(report, name, title, formats, assumed_columns);
    for (int i = 0; i < import->notes; i++) {
        const struct hf_note *note = &import->note[i];
        if (note->kind == kind)
            REPORT_ROW(report, table, cell_text(report_text(report, "%s", note->what)),
                       cell_text(*note->value ? report_text(report, "%s", note->value) : NULL),
                       cell_text(report_text(report, "%s", note->why)));
    }
}

static bool to_stdout(const struct hf_args *args)
{
    return args->output && strcmp(args->output, "-") == 0;
}

/* The notes stand in the file, as its sources, and what was read, which says more than a shape. */
static enum rk_status write_model(const struct hf_import *import, const json_t *config,
                                  const char *path, struct rk_error *error)
{
    char lines[HF_MAX_NOTES + 1][320];
    const char *sources[HF_MAX_NOTES + 1];
    struct output output = {.file = NULL};
    snprintf(lines[0], sizeof lines[0], "config.json of Hugging Face transformers, model_type %s",
             import->type);
    for (int i = 0; i <= import->notes; i++) {
        const struct hf_note *note = i ? &import->note[i - 1] : NULL;
        sources[i] = lines[i];
        if (note)
            snprintf(lines[i], sizeof lines[i], "%s: %s%s%s: %s",
                     note->kind == HF_ASSUMED ? "assumed" : "ignored", note->what,
                     *note->value ? " " : "", note->value, note->why);
    }
    char *text = model_text_config(&import->model, import->model.id, NULL, config, sources,
                                   (size_t)import->notes + 1);
    if (!text) return rk_fail(error, RK_NO_MEMORY, path, 0, 0, "cannot write: out of memory");
    enum rk_status status = output_open(&output, path, error);
    if (status == RK_OK) {
        fprintf(output.file, "%s\n", text);
        status = output_commit(&output, error);
    }
    free(text);
    return status;
}

static void add_count(struct report *report, const struct rk_model *model)
{
    char total[REPORT_DIGITS], active[REPORT_DIGITS];
    report_digits(rk_model_parameters(model), total);
    report_digits(rk_model_active_parameters(model), active);
    report_note(report, model->experts ? report_text(report, "%s parameters, of which %s active",
                                                     total, active)
                                       : report_text(report, "%s parameters", total));
}

static int print_import(const struct hf_import *import, const struct hf_args *args)
{
    struct report report = {.first = NULL};
    report_note(&report, report_text(&report, "%s: a %s model%s%s", import->model.id, import->type,
                                     *import->datatype ? ", stored as " : "", import->datatype));
    add_count(&report, &import->model);
    describe_model(&report, &import->model, REPORT_IN_ALL);
    entry_shape(&report, &import->model);
    add_notes(&report, import, HF_ASSUMED, "assumed", "Assumed because the file does not state it",
              REPORT_IN_TEXT | REPORT_IN_JSON);
    add_notes(&report, import, HF_IGNORED, "ignored", NULL, REPORT_IN_JSON);
    return show_end(&report, &args->show, NULL, RK_OK, RK_OK, NULL);
}

static int run_hf(int argc, char **argv)
{
    struct hf_args args = {.type = -1};
    struct hf_import import;
    struct document document = {.root = NULL};
    struct rk_error error;
    char id[sizeof import.model.id];
    const int done = options_read(&hf_usage, argc, argv, &args);
    if (done >= 0) return done;
    model_name_of(args.output && !to_stdout(&args) ? args.output : args.config, id, sizeof id);
    const struct hf_options options = {.type = args.type, .sequence = args.sequence};
    enum rk_status status = hf_document_load(args.config, &document, &error);
    if (status == RK_OK) status = hf_read(&document, id, &options, &import, &error);
    if (status == RK_OK && strcmp(id, "-") == 0)
        snprintf(import.model.id, sizeof import.model.id, "%s", import.type);
    if (status == RK_OK) model_warn(&import, document.path);
    if (status == RK_OK && import.dropped)
        fprintf(stderr, "reckon: warning: %d more remarks found no room\n", import.dropped);
    if (status == RK_OK && args.output)
        status = write_model(&import, document.root, args.output, &error);
    document_release(&document);
    if (status != RK_OK) return options_fail(&error);
    return to_stdout(&args) ? RK_OK : print_import(&import, &args);
}

/* ---- the command ---- */

static const struct command import_commands[] = {
    {"hf", run_hf, "read a model from a config.json of Hugging Face", &hf_usage},
    {"megatron", import_megatron, "read a launch script of Megatron-LM as model and plan",
     &import_megatron_usage},
    {"hwloc", import_hwloc, "read a machine from lstopo's XML of a node", &import_hwloc_usage},
    {"nvidia-smi", import_nvidia_smi, "read a machine from `nvidia-smi topo -m` of a node",
     &import_nvidia_smi_usage},
    {"slurm", import_slurm, "read a machine from Slurm's switches", &import_slurm_usage},
    {"mlperf", import_mlperf, "read submissions of MLPerf Training as measured runs",
     &import_mlperf_usage},
#define FORMAT_COMMAND(id, name, tool, own, what, versions, example)                               \
    {name, import_##id, "read " FORMAT_GIVES_##own " from " tool ": " what, &import_##id##_usage},
#define FORMAT_GIVES_false "a plan"
#define FORMAT_GIVES_true  "a model and a plan"
    PLAN_FORMATS(FORMAT_COMMAND)
#undef FORMAT_COMMAND
    /* names of reckon export for tools whose files others' readers read */
    {"trl", import_trainer, NULL, NULL},
    {"bridge", import_nemo, NULL, NULL},
    {.name = NULL},
};

const struct usage import_usage = {
    .name = "import",
    .summary = "read models and plans of other tools",
    .synopsis = "[FORMAT] FILE [options]",
#include "help/import.h"
    .groups = {{"General", options_help_rows, 0}},
    .commands = import_commands,
};

/* `reckon import FILE`: the format by what stands in the file. */
static int import_detected(int argc, char **argv)
{
    char *text = NULL;
    size_t size;
    struct rk_error error;
    if (detect_document(argv[1], &error) != RK_OK ||
        text_file_load(argv[1], FILE_BYTES, &text, &size, &error) != RK_OK)
        return options_fail(&error);
    const struct tool_sign *sign = detect_file(argv[1], text);
    const bool read = sign && sign->format;
    if (!read) detect_fail(sign, argv[1], text, &error);
    free(text);
    if (!read) return options_fail(&error);
    fprintf(stderr, "reckon: note: %s is read as %s %s of %s: reckon import %s\n", argv[1],
            detect_article(sign->what), sign->what, sign->tool, sign->format);
    char **words = calloc((size_t)argc + 2, sizeof *words);
    if (!words) {
        no_memory(&error);
        return options_fail(&error);
    }
    words[0] = (char *)import_usage.name;
    words[1] = (char *)sign->format;
    for (int i = 1; i < argc; i++)
        words[i + 1] = argv[i];
    const int code = options_run_command(&import_usage, argc + 1, words);
    free(words);
    return code;
}

static bool is_format(const char *name)
{
    for (const struct command *c = import_commands; c->name; c++)
        if (strcmp(c->name, name) == 0) return true;
    return false;
}

int cmd_import(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] != '-' && !is_format(argv[1]) &&
        (strpbrk(argv[1], "./") || access(argv[1], R_OK) == 0))
        return import_detected(argc, argv);
    return options_run_command(&import_usage, argc, argv);
}
