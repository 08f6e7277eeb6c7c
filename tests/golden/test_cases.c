/* Every figure of plans that the published tool accepted, and the reason of those it refused.
 * `./dev update golden` (RECKON_GOLDEN_UPDATE=1) writes today's figures into the manifest. */
#include "golden/golden.h"

#include <stdlib.h>
#include <zlib.h>

#define MANIFEST GOLDEN_FOLDER "/cases.json"

/* The names in the manifest are those of the tables, in their order. */
static void check_names(const json_t *root)
{
    const json_t *fields = json_object_get(root, "fields");
    const json_t *figures = json_object_get(root, "figures");
    cr_assert_eq(json_array_size(fields), CALCULON_FIELDS);
    cr_assert_eq(json_array_size(figures), CALCULON_STATISTICS);
    for (size_t i = 0; i < CALCULON_FIELDS; i++)
        cr_assert_str_eq(json_string_value(json_array_get(fields, i)), calculon_fields[i].name);
    for (size_t i = 0; i < CALCULON_STATISTICS; i++)
        cr_assert_str_eq(json_string_value(json_array_get(figures, i)),
                         calculon_statistics[i].name);
}

/* What still agrees stays as it is, so that the diff shows what does not. */
static json_t *updated_figure(json_t *old, double value, double tolerance)
{
    char text[32];
    if (old && golden_near(value, json_number_value(old), tolerance)) return json_incref(old);
    snprintf(text, sizeof text, "%.12g", value);
    return json_real(strtod(text, NULL));
}

static void update_case(json_t *json, const struct rk_estimate *estimate,
                        const struct calculon_refusal *refusal, double tolerance)
{
    json_t *old = json_object_get(json, "stats"), *stats = json_array();
    for (size_t i = 0; i < CALCULON_STATISTICS; i++)
        json_array_append_new(
            stats,
            updated_figure(json_array_get(old, i),
                           calculon_statistic_value(estimate, &calculon_statistics[i]), tolerance));
    json_object_del(json, "stats");
    if (estimate->verdict == RK_FITS) {
        json_object_del(json, "error");
        json_object_set_new(json, "stats", stats);
        return;
    }
    json_decref(stats);
    const char *error = json_string_value(json_object_get(json, "error"));
    if (!error || !golden_same_refusal(refusal->text, error))
        json_object_set_new(json, "error", json_string(refusal->text));
}

/* One case a line, so that a diff shows cases. */
static void write_manifest(const json_t *root)
{
    const char *key;
    json_t *value;
    size_t i;
    FILE *file = fopen(MANIFEST, "w");
    cr_assert(file, "cannot write " MANIFEST);
    fputs("{\n", file);
    json_object_foreach((json_t *)root, key, value)
    {
        if (strcmp(key, "cases") == 0) continue;
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
        fprintf(file, "\"%s\": %s,\n", key, text);
        free(text);
    }
    fputs("\"cases\": [\n", file);
    json_array_foreach(json_object_get(root, "cases"), i, value)
    {
        char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(12));
        fprintf(file, "%s%s", i ? ",\n" : "", text);
        free(text);
    }
    fputs("\n]\n}\n", file);
    cr_assert_eq(fclose(file), 0);
}

Test(golden_cases, subset)
{
    const bool update = getenv("RECKON_GOLDEN_UPDATE") != NULL;
    json_t *root = golden_load(MANIFEST), *json;
    const double tolerance = json_number_value(json_object_get(root, "tolerance"));
    int differing = 0, accepted = 0, refused = 0;
    size_t i;

    check_names(root);
    json_array_foreach(json_object_get(root, "cases"), i, json)
    {
        struct golden_case golden;
        struct rk_estimate estimate;
        struct calculon_refusal refusal = {.text = "accepted"};
        golden_parse(&golden, json);
        golden_estimate(&golden, GOLDEN_FOLDER, &estimate, &refusal);
        if (update)
            update_case(json, &estimate, &refusal, tolerance);
        else
            differing += golden_compare(&golden, &estimate, &refusal, tolerance) != 0;
        golden.error ? refused++ : accepted++;
    }
    if (update) write_manifest(root);
    json_decref(root);
    cr_assert_eq(differing, 0, "%d cases differ: ./dev update golden takes them over", differing);
    cr_assert_eq(accepted, 145);
    cr_assert_eq(refused, 60);
}

Test(golden_cases, complete)
{
    char line[65536];
    int differing = 0, accepted = 0, refused = 0;
    gzFile file = gzopen(GOLDEN_COMPLETE "/cases.jsonl.gz", "rb");
    if (!file) cr_skip_test("the complete set is not here");

    while (gzgets(file, line, sizeof line)) {
        json_t *json = json_loads(line, 0, NULL);
        struct golden_case golden;
        struct rk_estimate estimate;
        struct calculon_refusal refusal = {.text = "accepted"};
        cr_assert(json);
        golden_parse(&golden, json);
        golden_estimate(&golden, GOLDEN_COMPLETE, &estimate, &refusal);
        differing += golden_compare(&golden, &estimate, &refusal, 1e-9) != 0;
        golden.error ? refused++ : accepted++;
        json_decref(json);
    }
    gzclose(file);
    cr_assert_eq(differing, 0, "%d cases differ", differing);
    cr_assert_eq(accepted, 1200);
    cr_assert_eq(refused, 300);
}
