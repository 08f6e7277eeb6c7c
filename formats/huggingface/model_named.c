#include "huggingface/model_named.h"
#include "base/text.h"
#include "catalog/arithmetic.h"
#include "catalog/catalog.h"
#include "catalog/names.h"
#include "catalog/readers.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void model_name_of(const char *path, char *id, size_t size)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", path);
    char *base = strrchr(copy, '/');
    if (base && strcmp(base, "/config.json") == 0) { /* the folder's name says which model it is */
        *base = '\0';
        char *folder = strrchr(copy, '/');
        const char *name = folder ? folder + 1 : copy;
        if (*name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            base = folder;
        else
            *base = '/';
    }
    snprintf(id, size, "%.*s", (int)size - 1, base ? base + 1 : copy);
    static const char *const endings[] = {".gz", ".json"};
    for (int i = 0; i < 2; i++)
        if (text_ends_in(id, endings[i])) id[strlen(id) - strlen(endings[i])] = '\0';
    text_make_name(id);
}

static bool is_hugging_face(const struct document *document)
{
    const struct place root = place_root(document);
    struct place member;
    return place_member(&root, "model_type", &member) ||
           place_member(&root, "architectures", &member);
}

static enum rk_status read_hugging_face(const struct document *document, const char *name,
                                        struct hf_import *import, struct rk_error *error)
{
    const struct hf_options options = {.type = -1};
    char id[sizeof import->model.id];
    model_name_of(name, id, sizeof id);
    const enum rk_status status = hf_read(document, id, &options, import, error);
    if (status == RK_OK && strcmp(id, "-") == 0)
        snprintf(import->model.id, sizeof import->model.id, "%s", import->type);
    return status;
}

/* "meta-llama/Llama-3.1-8B": a name of the hub, where nothing of that name is. */
static bool is_of_hub(const char *name)
{
    const char *slash = strchr(name, '/');
    const size_t length = strlen(name);
    return slash && slash != name && slash[1] && *name != '.' && !strchr(slash + 1, '/') &&
           !(length > 5 && strcmp(name + length - 5, ".json") == 0) && access(name, F_OK) != 0;
}

/* Nothing is downloaded; the catalog may have what is near. */
static void fail_hub(const char *name, enum rk_status status, struct rk_error *error)
{
    struct catalog_list list;
    const bool there = catalog_list(CATALOG_MODELS, &list, error) == RK_OK;
    const char *nearest = there ? names_nearest(CATALOG_MODELS, name, &list) : NULL;
    rk_fail(
        error, status, name, 0, 0,
        "there is no such file, and the catalog has no checkpoint of that name%s%s%s: nothing is "
        "downloaded, give the model's config.json",
        nearest ? " (the nearest is \"" : "", nearest ? nearest : "", nearest ? "\")" : "");
    if (there) catalog_list_release(&list);
}

bool model_in_folder(const char *name, char *path, size_t size)
{
    struct stat there;
    if (stat(name, &there) != 0 || !S_ISDIR(there.st_mode)) return false;
    if (!strchr(name, '/') && catalog_has(CATALOG_MODELS, name)) return false;
    const size_t length = strlen(name);
    const int written =
        snprintf(path, size, "%s%sconfig.json", name, length && name[length - 1] == '/' ? "" : "/");
    return written > 0 && (size_t)written < size && access(path, F_OK) == 0;
}

static enum rk_status open_named(const char *name, struct document *document, char *id, size_t size,
                                 struct rk_error *error)
{
    char path[4096];
    if (model_in_folder(name, path, sizeof path)) name = path;
    enum rk_status status = catalog_open(CATALOG_MODELS, name, document, id, size, error);
    if (status == RK_BAD_INPUT && strcmp(name, "-") != 0) {
        struct rk_error second; /* numbers as Python writes them */
        if (hf_document_load(name, document, &second) == RK_OK && is_hugging_face(document))
            status = RK_OK;
    }
    if (status != RK_OK && is_of_hub(name)) fail_hub(name, status, error);
    return status;
}

enum rk_status model_named(const char *name, struct hf_import *import, struct rk_error *error)
{
    struct document document = {.root = NULL};
    char id[sizeof import->model.id];
    enum rk_status status = open_named(name, &document, id, sizeof id, error);
    import->notes = 0;
    import->type = NULL;
    if (status == RK_OK)
        status = is_hugging_face(&document) ? read_hugging_face(&document, name, import, error)
                                            : model_read(&document, id, &import->model, error);
    document_release(&document);
    return status;
}

/* Of the catalog's: what the checkpoint computes, or why that is not known. */
static enum rk_status row_config(const char *id, json_t **config, struct rk_error *error)
{
    json_t *row = NULL;
    const enum rk_status status = arithmetic_row(id, &row, error);
    json_t *said = json_object_get(row, "said"), *lacks = json_object_get(row, "lacks");
    if (json_object_size(said))
        *config = json_incref(said);
    else if (lacks)
        *config = json_pack("{sO}", "lacks", lacks);
    json_decref(row);
    return status;
}

enum rk_status model_config(const char *name, json_t **config, struct rk_error *error)
{
    struct document document = {.root = NULL};
    struct stat there;
    char id[sizeof((struct rk_model *)0)->id];
    *config = NULL;
    enum rk_status status = open_named(name, &document, id, sizeof id, error);
    if (status == RK_OK && is_hugging_face(&document))
        *config = json_incref(document.root);
    else if (status == RK_OK && json_object_get(document.root, "config"))
        *config = json_incref(json_object_get(document.root, "config"));
    else if (status == RK_OK && stat(name, &there) != 0 && catalog_has(CATALOG_MODELS, name))
        status = row_config(id, config, error);
    document_release(&document);
    return status;
}

enum rk_status model_by_name(const char *name, struct rk_model *model, struct rk_error *error)
{
    struct hf_import import;
    const enum rk_status status = model_named(name, &import, error);
    if (status == RK_OK) *model = import.model;
    return status;
}
