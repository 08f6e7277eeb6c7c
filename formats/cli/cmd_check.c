/* reckon check: what is wrong with a plan, a launch file or the logs of a run. */
#include "base/memory.h"
#include "base/text.h"
#include "catalog/clusters_plan.h"
#include "catalog/hosts.h"
#include "check/sources.h"
#include "cli/check.h"
#include "cli/check_waste.h"
#include "cli/commands.h"
#include "cli/launch_input.h"
#include "cli/launchable.h"
#include "cli/model_input.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/show.h"
#include "keys/detect.h"
#include "keys/reader.h"
#include "megatron/megatron.h"
#include "megatron/run_script.h"
#include "text/text_file.h"

#include <stdlib.h>
#include <string.h>

struct check_args {
    const char *model, *system, *output, *version, *format_of, *cases, *measured, *checkpoint;
    uint64_t gpus, domain, vocabulary, variant, eager;
    int format, transport;
    double waste;
    bool rules, exact_memory;
    struct option_texts words, sets, ignored, environment, logs, nccl, flight;
};

#define AT(member) .offset = offsetof(struct check_args, member)

static const char *const formats[] = {"text", "json", "sarif", "csv", NULL};
static const char *const transports[] = {"nccl", "mpi", NULL};

/* clang-format off */
static const struct operand check_operands[] = {
    KNOWN_OPERANDS(AT(model), AT(system)),
    {.name = "PLAN", AT(words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};

static const struct option check_rows[] = {
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models"},
    {.letter = 's', .name = "system", .common = true, .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems"},
    {.letter = 'p', .name = "plan", .common = true, .type = OPTION_TEXTS, .argument = "FILE|WORDS", AT(words), .complete = "file"},
    {.letter = 'g', .name = "gpus", .common = true, .type = OPTION_NUMBER, AT(gpus), .min = 1, .max = 1 << 24},
    {.name = "domain", .type = OPTION_NUMBER, .argument = "N", AT(domain), .min = 1, .max = 1 << 20},
    {.name = "as", .type = OPTION_TEXT, .argument = "FORMAT", AT(format_of)},
    {.name = "set", .type = OPTION_TEXTS, .argument = "NAME=VALUE", AT(sets)},
    {.name = "ignore", .type = OPTION_TEXTS, .argument = "NAME", AT(ignored)},
    {.name = "version", .type = OPTION_TEXT, .argument = "VERSION", AT(version)},
    {.name = "vocabulary", .type = OPTION_NUMBER, AT(vocabulary), .min = 1, .max = 1 << 28},
    {.name = "variant", .type = OPTION_NUMBER, AT(variant), .min = 1, .max = 64},
    {.name = "exact-memory", .type = OPTION_FLAG, AT(exact_memory)},
    {.name = "waste", .type = OPTION_COUNT, .argument = "PERCENT", AT(waste)},
    {.name = "env", .type = OPTION_TEXTS, .argument = "NAME=VALUE", AT(environment)},
    {.name = "checkpoint", .type = OPTION_TEXT, .argument = "WORDS", AT(checkpoint)},
    {.name = NULL},
};

static const struct option log_rows[] = {
    {.name = "logs", .common = true, .type = OPTION_TEXTS, .argument = "PATH", AT(logs), .complete = "file"},
    {.name = "nccl", .common = true, .type = OPTION_TEXTS, .argument = "PATH", AT(nccl), .complete = "file"},
    {.name = "flight", .common = true, .type = OPTION_TEXTS, .argument = "PATH", AT(flight), .complete = "file"},
    {.name = "transport", .type = OPTION_CHOICE, AT(transport), .choices = transports},
    {.name = "eager", .type = OPTION_NUMBER, .argument = "BYTES", AT(eager)},
    {.name = NULL},
};

static const struct option batch_rows[] = {
    {.name = "cases", .type = OPTION_TEXT, .argument = "FILE", AT(cases), .complete = "file"},
    {.name = "measured", .type = OPTION_TEXT, .argument = "FILE", AT(measured), .complete = "file"},
    {.name = "rules", .common = true, .type = OPTION_FLAG, AT(rules)},
    {.name = NULL},
};

static const struct option form_rows[] = {
    {.name = "format", .type = OPTION_CHOICE, AT(format), .choices = formats},
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage check_usage = {
#include "help/check.h"
    .operands = check_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Launch", check_rows, 0},
        {"Logs", log_rows, 0},
        {"Many cases", batch_rows, 0},
        {"Form", form_rows, 0},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* ---- inputs other than the plan ---- */

enum { MOST_VARIABLES = OPTION_MAX_VALUES };

struct beside {
    struct rk_variable variable[MOST_VARIABLES + 1];
    char text[MOST_VARIABLES][256];
    struct rk_checkpoint checkpoint;
};

static enum rk_status read_environment(const struct option_texts *texts, struct beside *b,
                                       struct rk_launch *launch, struct rk_error *error)
{
    for (int i = 0; i < texts->count; i++) {
        snprintf(b->text[i], sizeof b->text[i], "%s", texts->text[i]);
        char *equals = strchr(b->text[i], '=');
        if (!equals)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--env: \"%.80s\" is not NAME=VALUE",
                           texts->text[i]);
        *equals = '\0';
        b->variable[i] = (struct rk_variable){b->text[i], equals + 1};
    }
    b->variable[texts->count] = (struct rk_variable){NULL, NULL};
    if (texts->count) launch->environment = b->variable;
    return RK_OK;
}

/* clang-format off */
static const struct { const char *word; size_t offset; } checkpoint_words[] = {
    {"tensor",   offsetof(struct rk_checkpoint, tensor)},   {"pipeline", offsetof(struct rk_checkpoint, pipeline)},
    {"chunks",   offsetof(struct rk_checkpoint, chunks)},   {"expert",   offsetof(struct rk_checkpoint, expert)},
    {"data",     offsetof(struct rk_checkpoint, data)},     {"layers",   offsetof(struct rk_checkpoint, layers)},
    {"hidden",   offsetof(struct rk_checkpoint, hidden)},   {"heads",    offsetof(struct rk_checkpoint, heads)},
    {"kv_heads", offsetof(struct rk_checkpoint, kv_heads)}, {"experts",  offsetof(struct rk_checkpoint, experts)},
    {"vocabulary", offsetof(struct rk_checkpoint, vocabulary)},
    {"feedforward", offsetof(struct rk_checkpoint, feedforward)},
    {"expert_tensor", offsetof(struct rk_checkpoint, expert_tensor)},
    {"parameters", offsetof(struct rk_checkpoint, parameters)},
};
/* clang-format on */

static enum rk_status read_checkpoint(const char *text, struct beside *b, struct rk_launch *launch,
                                      struct rk_error *error)
{
    char word[64];
    for (const char *at = text; at && *(at += strspn(at, " ,"));) {
        const size_t n = strcspn(at, " ,");
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), at);
        at += n;
        char *equals = strchr(word, '=');
        size_t i = 0;
        if (!equals) {
            snprintf(b->checkpoint.format, sizeof b->checkpoint.format, "%.23s", word);
            continue;
        }
        *equals = '\0';
        const size_t words = sizeof checkpoint_words / sizeof *checkpoint_words;
        while (i < words && strcmp(checkpoint_words[i].word, word) != 0)
            i++;
        uint64_t value = 0;
        const enum rk_status status =
            option_number("--checkpoint", equals + 1, 1, UINT64_C(1) << 40, &value, error);
        if (status != RK_OK) return status;
        if (i == words)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--checkpoint: %s is not known",
                           word);
        memcpy((char *)&b->checkpoint + checkpoint_words[i].offset, &value, sizeof value);
    }
    if (text) launch->checkpoint = &b->checkpoint;
    return RK_OK;
}

/* ---- the file ---- */

static bool is_plan_word(const char *word)
{
    struct plan_draft draft = plan_draft();
    struct rk_error ignored;
    return plan_read_words(word, &draft, &ignored) == RK_OK;
}

static bool is_file(const char *word)
{
    if (plan_is_line(word)) return false; /* "stages=5/recompute=full" has a slash, too */
    return strcmp(word, "-") == 0 || strchr(word, '/') || launch_is_absent(word) ||
           (launch_is(word) && (strchr(word, '.') || !is_plan_word(word)));
}

static const char *guess_format(const char *path, const char *text)
{
    static const char *const endings[][2] = {{".toml", "torchtitan"}, {".txt", "megatron"}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (text_ends_in(path, endings[i][0])) return endings[i][1];
    const char *slash = strrchr(path, '/');
    const bool keys = !strchr(slash ? slash : path, '.') || text_ends_in(path, ".yaml") ||
                      text_ends_in(path, ".yml") || text_ends_in(path, ".py") ||
                      run_script_is(path, text);
    const struct tool_sign *sign = keys ? detect_file(path, text) : NULL;
    for (const struct plan_format *f = plan_formats; sign && sign->format && f->name; f++)
        if (strcmp(f->name, sign->format) == 0) return f->name;
    if (text[strspn(text, " \t\r\n")] != '{') return "megatron";
    if (strstr(text, "\"tp_sizes_enc\"") || strstr(text, "\"pp_deg\"")) return "galvatron";
    if (strstr(text, "\"zero_optimization\"") || strstr(text, "_batch_size") ||
        strstr(text, "\"bf16\""))
        return "deepspeed";
    return "plan";
}

struct loaded {
    struct rk_model model;
    struct rk_system system;
    struct rk_findings findings;
    struct beside beside;
    char words[PLAN_LINE], title[640], sequence_why[MODEL_WHY];
    char *text;
    struct rk_error no_model; /* why the script names none; its status RK_OK: it was not asked */
};

/* Of words and plan files, with the memory of the nodes for what is offloaded; what is wrong with
 * them is found later. */
static enum rk_status look_ahead(const struct check_args *args, struct loaded *l,
                                 struct rk_check_input *input, struct rk_error *error)
{
    struct plan_draft draft;
    char note[HOST_WORD];
    if (!input->model || !check_draft(input, &draft)) return RK_OK;
    if (strcmp(input->format, "words") == 0)
        model_warn_sequence(args->model, &l->model, l->sequence_why, draft.plan.sequence);
    draft.plan.ranks = plan_gpus(&draft, args->gpus, &l->system);
    return host_add(&draft.plan, args->system, &l->system, note, error);
}

/* The one that the command of a script names, or the file that the command names. */
static void take_model_of_script(const struct check_args *args, struct loaded *l,
                                 struct rk_check_input *input)
{
    struct launch *launch = calloc(1, sizeof *launch);
    const struct launch_source source = {.path = args->words.text[0],
                                         .gpus = args->gpus,
                                         .machine = host_gpus(&l->system),
                                         .sets = args->sets.text,
                                         .set_count = (size_t)args->sets.count,
                                         .ignored = args->ignored.text,
                                         .ignored_count = (size_t)args->ignored.count,
                                         .variant = args->variant};
    if (launch && launch_open(&source, launch, &l->no_model) == RK_OK) l->no_model.status = RK_OK;
    if (launch && l->no_model.status == RK_OK && launch->format) {
        l->model = launch->model;
        input->model = &l->model;
    }
    if (launch) launch_release(launch);
    free(launch);
}

/* A script or a configuration of a tool that is not read, by its name. */
static enum rk_status judge_tool(const struct rk_check_input *input, struct rk_error *error)
{
    static const char *const configs[] = {".yaml", ".yml", ".toml", NULL};
    const bool file =
        run_script_is(input->path, input->text) || text_ends_in_any(input->path, configs);
    const struct tool_sign *sign = file ? detect_tool(input->text) : NULL;
    static const char *const sections[] = {"[parallelism]", "[training]", "[model]", "[job]", NULL};
    bool titan = !text_ends_in(input->path, ".toml");
    for (int i = 0; sections[i]; i++)
        titan |= strstr(input->text, sections[i]) != NULL;
    if ((!sign && titan) || (sign && sign->format)) return RK_OK;
    detect_fail(sign, input->path, sign ? NULL : input->text, error);
    return RK_BAD_INPUT;
}

/* The catalog's model that a configuration without a model of its own names. */
static void take_named_model(const struct check_args *args, struct loaded *l,
                             struct rk_check_input *input)
{
    struct rk_error ignored;
    if (run_script_is(input->path, input->text)) {
        take_model_of_script(args, l, input);
        return;
    }
    struct notes *notes = calloc(1, sizeof *notes);
    const struct config_source source = {
        .path = input->path,
        .text = l->text,
        .sets = args->sets.text,
        .set_count = (size_t)args->sets.count,
        .keys = {args->ignored.text, (size_t)args->ignored.count, NULL, 0}};
    for (const struct plan_format *f = plan_formats; notes && f->name; f++)
        if (strcmp(f->name, input->format) == 0 && !f->own_model &&
            launch_model(NULL, &source, &l->model, notes, &ignored) == RK_OK)
            input->model = &l->model;
    free(notes);
}

static enum rk_status gather(const struct check_args *args, struct loaded *l,
                             struct rk_check_input *input, struct rk_error *error)
{
    size_t used = 0;
    enum rk_status status = RK_OK;
    if (!args->system)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "check: give --system, and for a plan --model; or --logs, --cases");
    for (int i = 0; i < args->sets.count; i++)
        if (!strchr(args->sets.text[i], '='))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--set: \"%.40s\" is not NAME=VALUE",
                           args->sets.text[i]);
    for (int i = 0; args->words.count > 1 && i < args->words.count; i++)
        if (is_file(args->words.text[i]) && !strchr(args->words.text[i], '='))
            return rk_fail(
                error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "\"%.255s\" looks like a file, and there is more: give one file, or words "
                "of a plan",
                args->words.text[i]);
    if (args->model) status = model_open_why(args->model, &l->model, l->sequence_why, error);
    if (status == RK_OK) status = rk_system_load(args->system, &l->system, error);
    if (status == RK_OK)
        status = read_environment(&args->environment, &l->beside, &input->launch, error);
    if (status == RK_OK)
        status = read_checkpoint(args->checkpoint, &l->beside, &input->launch, error);
    if (status != RK_OK) return status;
    input->model = args->model ? &l->model : NULL;
    input->named = args->model;
    input->system = &l->system;
    if (args->version && !(input->version = megatron_version(args->version)))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--version: \"%.40s\" is not known: give core_v0.9 to core_v0.19",
                       args->version);
    if (args->words.count == 1 && is_file(args->words.text[0])) {
        size_t size = 0;
        status = text_file_load(args->words.text[0], 64 << 20, &l->text, &size, error);
        input->path = text_file_name(args->words.text[0]);
        input->text = l->text;
        input->size = size;
        if (status == RK_OK)
            input->format =
                args->format_of ? args->format_of : guess_format(args->words.text[0], l->text);
        if (status == RK_OK && !args->format_of) status = judge_tool(input, error);
        if (status == RK_OK && !args->model) take_named_model(args, l, input);
        return status == RK_OK ? look_ahead(args, l, input, error) : status;
    }
    for (int i = 0; i < args->words.count; i++) {
        if (used + strlen(args->words.text[i]) + 2 > sizeof l->words)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "the plan is too long: give a file");
        used += (size_t)sprintf(l->words + used, "%s%s", i ? " " : "", args->words.text[i]);
    }
    input->path = "";
    input->text = l->words;
    input->size = used;
    input->format = args->format_of ? args->format_of : "words";
    return look_ahead(args, l, input, error);
}

/* What is of launch files alone. */
static const char *of_launch_files(const struct check_args *args)
{
    return args->format_of       ? "--as"
           : args->sets.count    ? "--set"
           : args->ignored.count ? "--ignore"
           : args->version       ? "--version"
           : args->vocabulary    ? "--vocabulary"
           : args->variant       ? "--variant"
                                 : NULL;
}

/* What says nothing of a plan over several clusters. */
static const char *beside_clusters(const struct check_args *args)
{
    return args->gpus ? "--gpus" : of_launch_files(args);
}

/* Where a stage stands in the file of a plan; nothing where that has no list of stages. */
static void find_places(const char *path, struct rk_findings *findings)
{
    struct clusters_file file = {.batch = 0};
    struct rk_error at;
    const bool read = path && clusters_file_open(path, &file, &at) == RK_OK;
    for (int i = 0; read && i < findings->count; i++) {
        struct rk_finding *f = &findings->finding[i];
        if (!f->stage) continue;
        clusters_file_fail(&file, f->stage - 1, "", &at);
        f->line = at.line;
        f->column = at.column;
    }
    clusters_file_release(&file);
}

/* A launch file says stages, and not which cluster has them; its hosts do. */
static enum rk_status refuse_script(const char *path, struct rk_error *error)
{
    char *text = NULL;
    size_t size;
    enum rk_status status = text_file_load(path, 64 << 20, &text, &size, error);
    if (status == RK_OK && strcmp(guess_format(path, text), "plan") != 0)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "%.255s does not say which cluster has which stage: check the plan that "
                         "reckon search --save-plan wrote with it, or give one cluster",
                         path);
    free(text);
    return status;
}

static enum rk_status gather_several(const struct check_args *args, struct plan_source *source,
                                     struct plan_input *input, struct rk_error *error)
{
    const char *other = beside_clusters(args);
    const char *first = args->words.count ? args->words.text[0] : NULL;
    bool said = first && is_file(first);
    *source = (struct plan_source){.model = args->model, .system = args->system, .several = true};
    if (said) source->file = first;
    for (int i = said ? 1 : 0; i < args->words.count; i++)
        source->words.text[source->words.count++] = args->words.text[i];
    for (int i = 0; i < source->words.count; i++)
        said |= strstr(source->words.text[i], "stages=") != NULL;
    if (other)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s does not go with several clusters",
                       other);
    if (!said)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "over several clusters a plan is a file, as reckon search --save-plan "
                       "writes it, or words that say its stages, stages=16:20/dp4,12@1/dp8");
    enum rk_status status = source->file ? refuse_script(first, error) : RK_OK;
    if (status == RK_OK) status = plan_gather(source, input, error);
    return status == RK_OK ? plan_settle(source, input, NULL, NULL, error) : status;
}

/* Does a file launch the plan of words, or of a file of plans? */
static void find_file(const struct rk_check_input *input, struct rk_findings *findings)
{
    struct plan_draft draft;
    struct plan_fault fault;
    if (input->model && check_draft(input, &draft) && plan_complete(&draft, &fault))
        launch_find(input->model, input->system, &draft.plan, findings);
}

static int check_clusters_plan(const struct check_args *args)
{
    struct beside *beside = calloc(1, sizeof *beside);
    struct rk_findings *findings = calloc(1, sizeof *findings);
    struct rk_launch launch = {.domain = args->domain, .exact_memory = args->exact_memory};
    struct plan_input input = {.assumed = ""};
    struct plan_source source;
    struct rk_error error;
    char title[640];
    enum rk_status status = beside && findings ? RK_OK : no_memory(&error);
    if (status == RK_OK) status = gather_several(args, &source, &input, &error);
    if (status == RK_OK) status = read_environment(&args->environment, beside, &launch, &error);
    if (status == RK_OK) status = read_checkpoint(args->checkpoint, beside, &launch, &error);
    int code;
    if (status == RK_OK) {
        rk_check_plan(&input.model, &input.system, &input.draft.plan, &launch, findings);
        find_places(source.file, findings);
        snprintf(title, sizeof title, "%.255s over %d clusters", input.model.id,
                 input.system.machine->clusters);
        const struct checked checked = {.title = title, .path = source.file ? source.file : ""};
        code = check_write(findings, &checked, (enum check_format)args->format, args->output);
    } else {
        code = options_fail(&error);
    }
    plan_input_release(&input);
    free(findings);
    free(beside);
    return code;
}

static int check_plan(const struct check_args *args)
{
    if (args->system && rk_machine_is_several(args->system)) return check_clusters_plan(args);
    struct loaded *l = calloc(1, sizeof *l);
    struct rk_error error;
    struct rk_check_input input = {
        .gpus = args->gpus,
        .vocabulary = args->vocabulary,
        .variant = args->variant,
        .sets = args->sets.text,
        .set_count = (size_t)args->sets.count,
        .ignored = args->ignored.text,
        .ignored_count = (size_t)args->ignored.count,
        .launch = {.domain = args->domain, .exact_memory = args->exact_memory}};
    enum rk_status status = l ? gather(args, l, &input, &error) : no_memory(&error);
    if (status == RK_OK) status = rk_check_text(&input, &l->findings, &error);
    if (status == RK_BAD_ARGUMENT && !input.model && l->no_model.status != RK_OK)
        error = l->no_model;
    if (status == RK_OK && !rk_findings_errors(&l->findings)) {
        const struct waste_case waste = {&input, input.model ? args->model : NULL,
                                         args->waste > 0 ? args->waste : WASTE_PERCENT};
        waste_find(&waste, &l->findings);
        find_file(&input, &l->findings);
    }
    int code;
    if (status == RK_OK) {
        const char *what = input.model ? l->model.id : input.path;
        snprintf(l->title, sizeof l->title, "%.255s on %.255s", what, l->system.id);
        const struct checked checked = {.title = l->title, .path = input.path};
        code = check_write(&l->findings, &checked, (enum check_format)args->format, args->output);
    } else {
        code = options_fail(&error);
    }
    if (l) rk_system_release(&l->system);
    if (l) free(l->text);
    free(l);
    return code;
}

/* What says nothing of logs. */
static const char *beside_logs(const struct check_args *args)
{
    const char *of_files = of_launch_files(args);
    return args->domain              ? "--domain"
           : of_files                ? of_files
           : args->exact_memory      ? "--exact-memory"
           : args->environment.count ? "--env"
           : args->checkpoint        ? "--checkpoint"
                                     : NULL;
}

static enum rk_status check_log_flags(const struct check_args *args, bool operations,
                                      struct rk_error *error)
{
    const char *other = beside_logs(args);
    if (other)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s has no meaning for logs: leave it out", other);
    if (args->words.count && !(operations && args->model))
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "a plan is compared with logs of operations (--logs): give them, --model and "
            "--system, or leave the plan out");
    return RK_OK;
}

/* Logs of a plan, words or a file: what they sum up is compared with its programs. Words of one
 * over several clusters are searched for. */
static int check_with_plan(const struct check_args *args, const struct check_logs *logs)
{
    struct plan_input asked = {.assumed = ""};
    struct plan_source source = {
        .model = args->model, .system = args->system, .gpus = args->gpus, .several = true};
    struct check_logs with = *logs;
    struct rk_error error;
    const bool file = args->words.count && is_file(args->words.text[0]);
    if (file) source.file = args->words.text[0];
    for (int i = file; i < args->words.count; i++)
        source.words.text[source.words.count++] = args->words.text[i];
    enum rk_status status = plan_gather(&source, &asked, &error);
    if (status == RK_OK) status = plan_settle(&source, &asked, NULL, NULL, &error);
    with.plan = &asked;
    const int code = status == RK_OK ? check_log_files(&with) : options_fail(&error);
    plan_input_release(&asked);
    return code;
}

static int check_logs(const struct check_args *args)
{
    const struct check_logs logs = {
        .kind = args->flight.count ? CHECK_FLIGHT
                : args->nccl.count ? CHECK_NCCL
                                   : CHECK_OPERATIONS,
        .paths = args->flight.count ? &args->flight
                 : args->nccl.count ? &args->nccl
                                    : &args->logs,
        .options = {.tags = args->transport == 1, .eager_bytes = args->eager},
        .format = (enum check_format)args->format,
        .output = args->output};
    struct rk_error error;
    const bool operations = logs.kind == CHECK_OPERATIONS;
    if (check_log_flags(args, operations, &error) != RK_OK) return options_fail(&error);
    return args->model && operations ? check_with_plan(args, &logs) : check_log_files(&logs);
}

static int print_rules(void)
{
    static const struct report_column columns[] = {
        {.name = "rule"}, {.name = "severity"}, {.name = "asks"}};
    static const struct show_args show = {.format = REPORT_AS_TEXT};
    struct report report = {.first = NULL};
    struct report_table *table = REPORT_LIST(&report, "rules", NULL, REPORT_IN_ALL, columns);
    for (const struct rk_rule *rule = rk_rules(); rule->id; rule++)
        REPORT_ROW(&report, table, cell_text(rule->id), cell_text(check_level(rule->severity)),
                   cell_text(rule->asks));
    return show_end(&report, &show, NULL, RK_OK, RK_OK, NULL);
}

int cmd_check(int argc, char **argv)
{
    struct check_args args = {.cases = NULL};
    plan_words_prepare();
    const int done = options_read(&check_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (args.rules) return print_rules();
    if (args.cases) return check_cases(args.cases);
    if (args.measured) return check_measured(args.measured);
    if (args.logs.count + args.nccl.count + args.flight.count) return check_logs(&args);
    return check_plan(&args);
}
