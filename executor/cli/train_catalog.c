#include "cli/train_catalog.h"

#include "catalog/catalog.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool train_catalog_has(const char *name)
{
    struct stat about;
    return stat(name, &about) != 0 && catalog_has(CATALOG_MODELS, name);
}

static enum rk_status open_table(struct document *table, struct rk_error *error)
{
    static const char name[] = "/model-arithmetic.json";
    char path[FOLDER_PATH + sizeof name];
    enum rk_status status = catalog_folder(path, FOLDER_PATH, error);
    if (status == RK_OK) status = document_load(strcat(path, name), table, error);
    return status;
}

static bool is_of(const json_t *row, const char *id)
{
    size_t i;
    const json_t *each;
    json_array_foreach(json_object_get(row, "of"), i, each)
    {
        const char *text = json_string_value(each);
        if (text && strcmp(text, id) == 0) return true;
    }
    return false;
}

static const json_t *row_of(const json_t *root, const char *id)
{
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(root, "models"), i, row) if (is_of(row, id)) return row;
    return NULL;
}

enum rk_status train_catalog_open(const char *id, struct document *said, struct rk_error *error)
{
    struct document table = {.root = NULL};
    enum rk_status status = open_table(&table, error);
    const json_t *row = status == RK_OK ? row_of(table.root, id) : NULL;
    const char *lacks = json_string_value(json_object_get(row, "lacks"));
    json_t *found = json_object_get(row, "said");
    if (status == RK_OK && !json_is_object(found))
        status = rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0, "%s: %s", id,
                         lacks ? lacks
                               : "data/model-arithmetic.json does not say what its arithmetic is "
                                 "beyond its shape: add a row, or give the config.json of its "
                                 "checkpoint");
    if (status == RK_OK) {
        *said = (struct document){.root = json_incref(found)};
        snprintf(said->path, sizeof said->path, "%s", id);
    }
    document_release(&table);
    return status;
}

void train_catalog_numbers(const struct rk_model *model, struct rk_train *train)
{
    if (model->rotary_base > 0) train->rotary_base = model->rotary_base;
    if (model->norm_epsilon > 0) train->norm_eps = model->norm_epsilon;
    if (model->router_scaling > 0) train->route_scale = model->router_scaling;
    struct rk_rotary_stretch *stretch = &train->rotary_stretch;
    if (model->rope_factor > 0 && stretch->low > 0 && !stretch->yarn)
        stretch->factor = model->rope_factor; /* of what was said */
    else if (model->rope_factor > 0) /* the other numbers are those of Llama 3.1 [dubey2024] */
        *stretch = (struct rk_rotary_stretch){
            .factor = model->rope_factor, .context = 8192, .low = 1, .high = 4};
}
