#include "cli/launch_input.h"

#include "base/memory.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/hosts.h"
#include "catalog/plan_fields.h"
#include "cli/model_input.h"
#include "keys/asks.h"
#include "keys/detect.h"
#include "megatron/run_script.h"
#include "shell/shell.h"
#include "text/output.h"
#include "text/text_file.h"
#include "trainers/by_words.h"

#include <reckon/catalog.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void launch_name_model(const char *path, struct rk_model *model)
{
    char id[sizeof model->id];
    model_name_of(path, id, sizeof id);
    static const char *const endings[] = {".yaml", ".yml", ".json", ".toml", ".py"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (text_ends_in(id, endings[i])) id[strlen(id) - strlen(endings[i])] = '\0';
    snprintf(model->id, sizeof model->id, "%s", *id && strcmp(id, "-") != 0 ? id : "imported");
}

/* What a file calls its model: an id of the hub under one of these keys. */
static const char *const model_keys[] = {
#define ROW(key) key,
#include "tables/model-keys.h"
#undef ROW
};

/* Of a file that does not say it, or names none of the catalog's. */
static enum rk_status without_model(const struct setting *said, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   said ? "--model is missing: %s %.100s is not a checkpoint of the catalog: give "
                          "its config.json, or an id of reckon models"
                        : "--model is missing: give a config.json, or an id of reckon models",
                   said ? said->key : "", said ? said->text : "");
}

/* Letters and digits alone, in lower case: "Llama3.1-8B" and "llama3_1_8b" are alike. */
static void squeeze(const char *text, char *to, size_t size)
{
    size_t used = 0;
    for (; *text && used + 1 < size; text++)
        if (isalnum((unsigned char)*text)) to[used++] = (char)tolower((unsigned char)*text);
    to[used] = '\0';
}

/* The catalog's id that is spelled like this; false: there is none. */
static bool id_like(const char *text, char *id, size_t size)
{
    struct catalog_list list;
    struct rk_error ignored;
    char wanted[128], there[128];
    bool found = false;
    squeeze(text, wanted, sizeof wanted);
    if (catalog_list(CATALOG_MODELS, &list, &ignored) != RK_OK) return false;
    for (size_t i = 0; i < list.count && !found; i++) {
        squeeze(list.id[i], there, sizeof there);
        found = strcmp(there, wanted) == 0;
        if (found) snprintf(id, size, "%s", list.id[i]);
    }
    catalog_list_release(&list);
    return found;
}

/* torchtune's builders: "torchtune.models.llama3_1.lora_llama3_1_8b". */
static void name_of_builder(const char *builder, char *name, size_t size)
{
    static const char *const ends[] = {"_base", "_instruct"};
    /* whose shapes the catalog has by another name */
    static const char *const same[][2] = {{"llama3_8b", "llama3.1-8b"},
                                          {"llama3_70b", "llama3.1-70b"},
                                          {"gemma_2b", "gemma-2b"},
                                          {"gemma_7b", "gemma-7b"},
                                          {"llama4_scout_17b_16e", "llama4-scout"},
                                          {"llama4_maverick_17b_128e", "llama4-maverick"},
                                          {"qwen2_0_5b", "qwen2.5-0.5b"},
                                          {"qwen2_1_5b", "qwen2.5-1.5b"},
                                          {"qwen2_7b", "qwen2.5-7b"},
                                          {"phi4_14b", "phi-4"}};
    const char *dot = strrchr(builder, '.');
    if (dot) builder = dot + 1;
    if (strncmp(builder, "q", 1) == 0 && strncmp(builder + 1, "lora_", 5) == 0) builder++;
    if (strncmp(builder, "lora_", 5) == 0) builder += 5;
    snprintf(name, size, "%s", builder);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (text_ends_in(name, ends[i])) name[strlen(name) - strlen(ends[i])] = '\0';
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(name, same[i][0]) == 0) snprintf(name, size, "%s", same[i][1]);
}

/* torchtitan's model.name and model.flavor: its "llama3" has the sizes of Llama 3.1. */
static void name_of_flavor(const struct setting *family, const struct setting *flavor, char *name,
                           size_t size)
{
    /* whose names the catalog has otherwise */
    static const char *const same[][2] = {{"deepseek_v3-16B", "deepseek-v2-lite"},
                                          {"deepseek_v3-236B", "deepseek-v2"},
                                          {"deepseek_v3-671B", "deepseek-v3"},
                                          {"llama4-17bx16e", "llama4-scout"},
                                          {"llama4-17bx128e", "llama4-maverick"}};
    const bool llama = strcmp(family->text, "llama3") == 0;
    snprintf(name, size, "%.60s-%.60s", llama ? "llama3.1" : family->text, flavor->text);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(name, same[i][0]) == 0) snprintf(name, size, "%s", same[i][1]);
}

/* "meta-llama/Llama-3.1-8B" of "checkpoints/meta-llama/Llama-3.1-8B". */
static const char *hub_part(const char *path)
{
    const char *last = strrchr(path, '/'), *at = last;
    while (at && at > path && at[-1] != '/')
        at--;
    return at && at != last ? at : path;
}

/* The setting that names the model, and the catalog's id for it; *id is "": it has none. */
static const struct setting *named_model(const struct settings *settings, char *id, size_t size)
{
    const struct setting *said = NULL, *family = settings_find(settings, "model.name");
    char name[128] = "";
    *id = '\0';
    for (size_t i = 0; !said && i < sizeof model_keys / sizeof *model_keys; i++)
        said = settings_find(settings, model_keys[i]);
    if (said) {
        char path[160]; /* a folder's, "Meta-Llama-3-8B-Instruct/", is that of its last part */
        snprintf(path, sizeof path, "./%.150s", said->text);
        size_t n = strlen(path);
        while (n > 3 && path[n - 1] == '/')
            path[--n] = '\0';
        const char *hub = hub_part(path), *slash = strrchr(hub, '/');
        if (catalog_has(CATALOG_MODELS, path + 2))
            snprintf(id, size, "%.150s", path + 2);
        else if (catalog_has(CATALOG_MODELS, hub))
            snprintf(id, size, "%s", hub);
        else
            id_like(slash ? slash + 1 : hub, id, size);
        return said;
    }
    if ((said = settings_find(settings, "model._component_")))
        name_of_builder(said->text, name, sizeof name);
    else if (family && (said = settings_find(settings, "model.flavor")))
        name_of_flavor(family, said, name, sizeof name);
    if (said) {
        id_like(name, id, size);
    } else if ((said = settings_find(settings, "config"))) { /* "llama3_8b" of a module */
        name_of_builder(said->text, name, sizeof name);
        if (!id_like(name, id, size)) said = NULL;
    }
    return said;
}

static enum rk_status find_named_model(const struct config_source *source, struct rk_model *model,
                                       struct notes *notes, struct rk_error *error)
{
    struct settings settings;
    struct rk_error broken;
    char id[160];
    if (source_settings(source, &settings, &broken) != RK_OK) {
        if (text_ends_in(source->path, ".yaml") || text_ends_in(source->path, ".yml"))
            *error = broken;
        else
            without_model(NULL, error);
        settings_release(&settings);
        return error->status;
    }
    const struct setting *said = named_model(&settings, id, sizeof id);
    enum rk_status status = without_model(said, error);
    bool sized = false;
    if (!said) {
        struct rk_error missing;
        const enum rk_status by = model_by_sizes(&settings, model, &sized, &missing);
        if (sized && by != RK_OK) *error = missing;
        if (sized) status = by;
    }
    if (sized) {
        launch_name_model(source->path, model);
        settings_release(&settings);
        return status;
    }
    if (*id) status = model_open(id, model, error);
    if (status == RK_OK)
        notes_add(notes, NOTE_ASSUMED, said->line, said->column, said->key, said->text,
                  "the catalog's %s", model->id);
    settings_release(&settings);
    return status;
}

enum rk_status launch_model(const char *name, const struct config_source *source,
                            struct rk_model *model, struct notes *notes, struct rk_error *error)
{
    if (name) return model_open(name, model, error);
    return run_script_is(source->path, source->text)
               ? without_model(NULL, error)
               : find_named_model(source, model, notes, error);
}

static enum rk_status read_once(const struct plan_format *format,
                                const struct config_source *source, const char *model,
                                const struct launch_answer *to, struct rk_error *error)
{
    struct config_source config = *source;
    const bool script = run_script_is(source->path, source->text);
    enum rk_status status = RK_OK;
    if (!model && (script || format->own_model)) config.find_model = find_named_model;
    if (!format->own_model && !config.find_model)
        status = launch_model(model, source, to->model, to->notes, error);
    if (status != RK_OK) return status;
    return script ? run_script_read(format, &config, strlen(source->text), to->model, to->plan,
                                    to->notes, error)
                  : format->read(&config, to->model, to->plan, to->notes, error);
}

/* A file that is read again, with what it asks for. */
struct again {
    const struct plan_format *format;
    const struct config_source *source;
    struct launch_answer to;
};

static enum rk_status read_again(void *of, const struct asks *with, struct rk_error *error)
{
    const struct again *again = of;
    struct config_source config = *again->source;
    config.sets = with->sets;
    config.set_count = with->set_count;
    config.keys = (struct key_options){with->ignored, with->ignored_count, NULL, 0};
    config.gpus = with->gpus;
    config.vocabulary = with->vocabulary;
    config.variant = (uint64_t)with->variant;
    *again->to.notes = (struct notes){.count = 0};
    return read_once(again->format, &config, with->model, &again->to, error);
}

static void tell_all(const struct plan_format *format, const struct config_source *source,
                     const char *model, struct rk_error *error)
{
    struct import {
        struct rk_model model;
        struct rk_plan plan;
        struct notes notes;
    } *import = calloc(1, sizeof *import);
    if (!import) return;
    struct again again = {format, source, {&import->model, &import->plan, &import->notes}};
    struct asks asks = asks_of(source->path, source->sets, source->set_count, source->keys.ignored,
                               source->keys.ignored_count);
    asks.gpus = source->gpus;
    asks.vocabulary = source->vocabulary;
    asks.variant = (int)source->variant;
    asks.model = model;
    asks_tell_all(read_again, &again, &asks, error);
    free(import);
}

enum rk_status launch_read(const struct plan_format *format, const struct config_source *source,
                           const char *model, struct launch_answer *to, struct rk_error *error)
{
    const enum rk_status status = read_once(format, source, model, to, error);
    if (status == RK_BAD_INPUT || status == RK_BAD_ARGUMENT) tell_all(format, source, model, error);
    return status;
}

bool launch_is(const char *name)
{
    struct stat about;
    return name && stat(name, &about) == 0 && S_ISREG(about.st_mode) &&
           !text_ends_in(name, ".json.gz");
}

bool launch_is_absent(const char *name)
{
    static const char *const endings[] = {".sh",  ".slurm", ".sbatch", ".bash", ".toml", ".yaml",
                                          ".yml", ".json",  ".py",     ".log",  ".txt",  ".out"};
    struct stat about;
    for (size_t i = 0; name && i < sizeof endings / sizeof *endings; i++)
        if (text_ends_in(name, endings[i])) return !plan_is_line(name) && stat(name, &about) != 0;
    return false;
}

bool launch_is_config(const char *path)
{
    char *text = NULL;
    size_t size;
    struct rk_error ignored;
    if (!launch_is(path) || text_file_load(path, SHELL_MAX_BYTES, &text, &size, &ignored) != RK_OK)
        return false;
    const struct tool_sign *sign = detect_file(path, text);
    bool is = false;
    for (const struct plan_format *f = plan_formats; sign && sign->format && f->name; f++)
        is |= strcmp(f->name, sign->format) == 0;
    free(text);
    return is;
}

struct config_source launch_config(const struct launch_source *source, const struct launch *launch)
{
    return (struct config_source){
        .path = text_file_name(source->path),
        .text = launch->text,
        .sets = source->sets,
        .set_count = source->set_count,
        .keys = {.ignored = source->ignored, .ignored_count = source->ignored_count},
        .gpus = source->gpus,
        .machine = source->machine,
        .vocabulary = source->vocabulary,
        .variant = source->variant,
    };
}

/* ---- whose it is ---- */

/* NULL: arguments of Megatron-LM. */
static enum rk_status find_format(const struct launch_source *source, const char *text,
                                  const struct plan_format **format, struct rk_error *error)
{
    const struct tool_sign *sign = detect_file(source->path, text);
    const bool toml = text_ends_in(source->path, ".toml");
    const char *name = toml && (!sign || sign->format) ? "torchtitan" : sign ? sign->format : NULL;
    *format = NULL;
    if (name && strcmp(name, "megatron") == 0) return RK_OK;
    for (const struct plan_format *f = plan_formats; name && f->name; f++)
        if (strcmp(f->name, name) == 0) {
            *format = f;
            return RK_OK;
        }
    static const char *const configs[] = {".yaml", ".yml", ".json", ".toml", ".py"};
    bool config = false;
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++)
        config |= text_ends_in(source->path, configs[i]);
    if (!sign && !config) return RK_OK;
    if (!sign || !name)
        detect_fail(sign, source->path, text, error);
    else
        rk_fail(
            error, RK_BAD_INPUT, source->path, 0, 0,
            "this is %s %s of %s, which has no plan: give a launch script or a configuration of "
            "a run",
            detect_article(sign->what), sign->what, sign->tool);
    return RK_BAD_INPUT;
}

static bool is_core(const char *tool)
{
    return strcmp(tool, "Megatron-LM") == 0 || strcmp(tool, "MindSpeed") == 0 ||
           strcmp(tool, "Pai-Megatron-Patch") == 0;
}

static enum rk_status read_megatron(const struct launch_source *source, struct launch *launch,
                                    struct rk_error *error)
{
    const struct megatron_options options = {.sets = source->sets,
                                             .set_count = source->set_count,
                                             .gpus = source->gpus,
                                             .machine = source->machine,
                                             .vocabulary = source->vocabulary,
                                             .variant = (int)source->variant,
                                             .ignored = source->ignored,
                                             .ignored_count = source->ignored_count};
    struct megatron_import *import = calloc(1, sizeof *import);
    if (!import) return no_memory(error);
    const enum rk_status status = megatron_read(text_file_name(source->path), launch->text,
                                                launch->size, &options, import, error);
    launch->notes = import->notes;
    if (status == RK_OK) {
        launch->model = import->model;
        launch->plan = import->plan;
        launch->tool = import->tool;
        launch->version = import->until;
        launch->core = is_core(import->tool);
        model_name_of(source->path, launch->model.id, sizeof launch->model.id);
    }
    free(import);
    return status;
}

static enum rk_status read_config(const struct launch_source *source, struct launch *launch,
                                  struct rk_error *error)
{
    const struct plan_format *format = launch->format;
    const struct config_source config = launch_config(source, launch);
    struct launch_answer to = {&launch->model, &launch->plan, &launch->notes};
    launch->tool = format->tool;
    launch->script = run_script_is(config.path, launch->text);
    const enum rk_status status = launch_read(format, &config, source->model, &to, error);
    if (status == RK_OK && format->own_model) launch_name_model(source->path, &launch->model);
    return status;
}

enum rk_status launch_open(const struct launch_source *source, struct launch *launch,
                           struct rk_error *error)
{
    *launch = (struct launch){.tool = ""};
    enum rk_status status =
        text_file_load(source->path, SHELL_MAX_BYTES, &launch->text, &launch->size, error);
    if (status == RK_OK) status = find_format(source, launch->text, &launch->format, error);
    if (status == RK_OK)
        status = launch->format ? read_config(source, launch, error)
                                : read_megatron(source, launch, error);
    /* a file with a model of its own, and another one given */
    if (status == RK_OK && source->model && (!launch->format || launch->format->own_model))
        status = model_open(source->model, &launch->model, error);
    return status;
}

uint64_t launch_machine(const char *name)
{
    struct rk_system system = {.memories = 0};
    struct rk_error ignored;
    if (!name || rk_system_load(name, &system, &ignored) != RK_OK) return 0;
    const uint64_t gpus = host_gpus(&system);
    rk_system_release(&system);
    return gpus;
}

void launch_release(struct launch *launch)
{
    free(launch->text);
    launch->text = NULL;
}
