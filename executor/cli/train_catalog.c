#include "cli/train_catalog.h"

#include "catalog/arithmetic.h"
#include "catalog/catalog.h"

#include <stdio.h>
#include <sys/stat.h>

bool train_catalog_has(const char *name)
{
    struct stat about;
    return stat(name, &about) != 0 && catalog_has(CATALOG_MODELS, name);
}

enum rk_status train_catalog_open(const char *id, struct document *said, struct rk_error *error)
{
    json_t *row = NULL;
    enum rk_status status = arithmetic_row(id, &row, error);
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
    json_decref(row);
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
