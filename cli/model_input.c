#include "cli/model_input.h"

#include "base/text.h"
#include "catalog/catalog.h"

#include <reckon/catalog.h>
#include <reckon/shard.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void model_warn(const struct hf_import *import, const char *path)
{
    for (int i = 0; i < import->notes; i++) {
        const struct hf_note *note = &import->note[i];
        if (note->kind != HF_IGNORED) continue;
        fprintf(stderr, "reckon: warning: %s: %s%s%s: %s\n", path, note->what,
                *note->value ? " " : "", note->value, note->why);
    }
}

/* A folder of weights, or a file of them; an id of the catalog comes first, and a config.json where
 * there are no weights. */
static bool is_checkpoint(const char *name)
{
    char config[4096];
    struct stat info;
    struct rk_model model;
    if (model_in_folder(name, config, sizeof config) && !rk_shard_has_weights(name)) return false;
    if (text_ends_in(name, ".safetensors")) return true;
    if (stat(name, &info) != 0 || !S_ISDIR(info.st_mode)) return false;
    return strchr(name, '/') || rk_model_load(name, &model, NULL) != RK_OK;
}

static enum rk_status open_checkpoint(const char *name, struct rk_model *model,
                                      struct rk_error *error)
{
    struct rk_shard_notes notes;
    char path[4096];
    snprintf(path, sizeof path, "%s", name);
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
        path[n - 1] = '\0';
    const enum rk_status status = rk_shard_model(path, model, &notes, error);
    if (status != RK_OK) return status;
    for (int i = 0; i < notes.count; i++)
        fprintf(stderr, "reckon: warning: %s: %s\n", path, notes.text[i]);
    model_name_of(path, model->id, sizeof model->id);
    return RK_OK;
}

void model_sequence_why(const struct hf_import *import, char why[MODEL_WHY])
{
    snprintf(why, MODEL_WHY, "the model's");
    for (int i = 0; i < import->notes; i++)
        if (import->note[i].kind == HF_ASSUMED && strcmp(import->note[i].what, "sequence") == 0)
            snprintf(why, MODEL_WHY, "%s", import->note[i].why);
}

int model_why_length(const char *why)
{
    const char *remedy = strstr(why, "; --sequence");
    return (int)(remedy ? (size_t)(remedy - why) : strlen(why));
}

void model_warn_sequence(const char *name, const struct rk_model *model, const char *why,
                         uint64_t given)
{
    if (given || strcmp(why, "the model's") == 0) return;
    fprintf(stderr, "reckon: warning: %s: sequence %" PRIu64 " is assumed (%.*s): give seqN\n",
            strcmp(name, "-") == 0 ? "standard input" : name, model->sequence,
            model_why_length(why), why);
}

enum rk_status model_open_why(const char *name, struct rk_model *model, char why[MODEL_WHY],
                              struct rk_error *error)
{
    struct hf_import import;
    snprintf(why, MODEL_WHY, "the model's");
    if (is_checkpoint(name)) return open_checkpoint(name, model, error);
    const enum rk_status status = model_named(name, &import, error);
    if (status != RK_OK) return status;
    model_warn(&import, name);
    model_sequence_why(&import, why);
    *model = import.model;
    return RK_OK;
}

enum rk_status model_open(const char *name, struct rk_model *model, struct rk_error *error)
{
    char why[MODEL_WHY];
    return model_open_why(name, model, why, error);
}

enum rk_status model_missing(struct rk_error *error)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--model is missing: give an id, such as llama3.1-70b (`reckon models` lists "
                   "them), or a config.json");
}

enum rk_status system_missing(struct rk_error *error)
{
    return rk_fail(
        error, RK_BAD_ARGUMENT, NULL, 0, 0,
        "--system is missing: give an id, such as h100 or \"h100 x64\" (`reckon systems` "
        "lists them), or a file");
}

enum rk_status gpus_missing(const struct rk_system *system, struct rk_error *error)
{
    return rk_fail(
        error, RK_BAD_ARGUMENT, NULL, 0, 0,
        "--gpus is missing: %s does not state a number: give --gpus 64, or --system \"%s "
        "x64\"",
        system->id, system->id);
}
