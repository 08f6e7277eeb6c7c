#include "cli/launch_input.h"

#include "base/memory.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/model_input.h"
#include "keys/detect.h"
#include "megatron/run_script.h"
#include "shell/shell.h"
#include "text/output.h"
#include "text/text_file.h"

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
static const char *const model_keys[] = {"base_model", "model_name_or_path", "model_id",
                                         "model.model_name_or_path", "model.model_id"};

/* Of a file that does not say it, or names none of the catalog's. */
static enum rk_status without_model(const struct setting *said, struct rk_error *error)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   said
                       ? "--model is missing: %s %.100s is not a checkpoint of the catalog; reckon "
                         "models lists what there is"
                       : "--model is missing: reckon models lists what there is",
                   said ? said->key : "", said ? said->text : "");
}

enum rk_status launch_model(const char *name, const struct config_source *source,
                            struct rk_model *model, struct notes *notes, struct rk_error *error)
{
    struct settings settings;
    struct rk_error ignored;
    const struct setting *said = NULL;
    if (name) return model_open(name, model, error);
    if (run_script_is(source->path, source->text) ||
        settings_read(&settings, source->path, source->text, source->sets, source->set_count,
                      &ignored) != RK_OK)
        return without_model(NULL, error);
    for (size_t i = 0; !said && i < sizeof model_keys / sizeof *model_keys; i++)
        said = settings_find(&settings, model_keys[i]);
    enum rk_status status = without_model(said, error);
    if (said && catalog_has(CATALOG_MODELS, said->text)) {
        status = model_open(said->text, model, error);
        if (status == RK_OK)
            notes_add(notes, NOTE_ASSUMED, said->line, said->column, said->key, said->text,
                      "the catalog's %s", model->id);
    }
    settings_release(&settings);
    return status;
}

bool launch_is(const char *name)
{
    struct stat about;
    return name && stat(name, &about) == 0 && S_ISREG(about.st_mode) &&
           !text_ends_in(name, ".json.gz");
}

bool launch_is_config(const char *path)
{
    char *text = NULL;
    size_t size;
    struct rk_error ignored;
    if (!launch_is(path) || text_file_load(path, SHELL_MAX_BYTES, &text, &size, &ignored) != RK_OK)
        return false;
    const struct tool_sign *sign = detect_tool(text);
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
        .vocabulary = source->vocabulary,
    };
}

/* ---- whose it is ---- */

/* NULL: arguments of Megatron-LM. */
static enum rk_status find_format(const struct launch_source *source, const char *text,
                                  const struct plan_format **format, struct rk_error *error)
{
    const struct tool_sign *sign = detect_tool(text);
    const bool toml = text_ends_in(source->path, ".toml");
    const char *name = toml ? "torchtitan" : sign ? sign->format : NULL;
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
        detect_fail(sign, source->path, error);
    else
        rk_fail(error, RK_BAD_INPUT, source->path, 0, 0,
                "this is a %s of %s, which has no plan: give a launch script or a configuration of "
                "a run",
                sign->what, sign->tool);
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
    enum rk_status status = RK_OK;
    launch->tool = format->tool;
    launch->script = run_script_is(config.path, launch->text);
    if (!format->own_model)
        status = launch_model(source->model, &config, &launch->model, &launch->notes, error);
    if (status != RK_OK) return status;
    status = launch->script
                 ? run_script_read(format, &config, launch->size, &launch->model, &launch->plan,
                                   &launch->notes, error)
                 : format->read(&config, &launch->model, &launch->plan, &launch->notes, error);
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

void launch_release(struct launch *launch)
{
    free(launch->text);
    launch->text = NULL;
}
