/* Every figure of every operation, as `calculon llm -l` writes them. */
#include "golden/golden.h"

#include "calculon/calculon_write.h"

#include <stdlib.h>

/* What the writer makes of the run, read back. */
static json_t *written_layers(const struct calculon_run *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    calculon_write_stats(to, CALCULON_LINE, run, true);
    cr_assert_eq(fclose(to), 0);
    json_t *stats = json_loads(text, 0, NULL);
    cr_assert(stats);
    json_t *layers = json_incref(json_object_get(stats, "layers"));
    json_decref(stats);
    free(text);
    return layers;
}

static void compare_layer(int id, const json_t *actual, const json_t *expected, const json_t *keys,
                          double tolerance)
{
    const char *name = json_string_value(json_object_get(actual, "name"));
    const json_t *key;
    size_t i;
    cr_assert_eq(json_object_size(actual), json_array_size(keys));
    json_array_foreach(keys, i, key)
    {
        const json_t *a = json_object_get(actual, json_string_value(key));
        const json_t *e = json_array_get(expected, i);
        cr_assert(a, "%s is missing", json_string_value(key));
        if (json_is_string(e))
            cr_assert_str_eq(json_string_value(a), json_string_value(e));
        else
            cr_assert(golden_near(json_number_value(a), json_number_value(e), tolerance),
                      "case %d: %s of %s is %.15g, expected %.15g", id, json_string_value(key),
                      name, json_number_value(a), json_number_value(e));
    }
}

static void compare_case(const json_t *json, const json_t *keys, double tolerance)
{
    const json_t *expected = json_object_get(json, "layers");
    struct calculon_execution execution;
    struct rk_estimate estimate;
    struct rk_model model;
    struct rk_system system;
    const struct calculon_run run = {&model, &system, &execution, &estimate};
    golden_execution(&execution, json_object_get(json, "execution"));
    golden_model(&model, GOLDEN_FOLDER, json_string_value(json_object_get(json, "model")));
    golden_system(&system, GOLDEN_FOLDER, json_string_value(json_object_get(json, "system")));
    model.attention = execution.attention;
    cr_assert_eq(rk_estimate(&model, &system, &execution.strategy, &estimate), RK_FITS);
    json_t *layers = written_layers(&run);
    cr_assert_eq(json_array_size(layers), json_array_size(expected));
    for (size_t i = 0; i < json_array_size(layers); i++)
        compare_layer((int)json_integer_value(json_object_get(json, "id")),
                      json_array_get(layers, i), json_array_get(expected, i), keys, tolerance);
    json_decref(layers);
    rk_system_release(&system);
}

Test(golden_layers, every_figure)
{
    json_t *root = golden_load(GOLDEN_FOLDER "/layers.json"), *json;
    const double tolerance = json_number_value(json_object_get(root, "tolerance"));
    size_t i;
    json_array_foreach(json_object_get(root, "cases"), i, json)
        compare_case(json, json_object_get(root, "keys"), tolerance);
    cr_assert_eq(i, 6);
    json_decref(root);
}
