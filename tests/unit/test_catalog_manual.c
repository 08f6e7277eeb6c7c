/* The manuals of section 5 name every key, and their examples load. */
#include "catalog/kernels.h"
#include "catalog/model_fields.h"
#include "catalog/plan_fields.h"
#include "catalog/readers.h"
#include "catalog_cases.h"

#include <reckon/catalog.h>
#include <reckon/machine.h>
#include <stdio.h>

static char *manual(const char *name)
{
    char path[512];
    const char *build = getenv("RECKON_BUILD"); /* the keys of plans are put in there */
    const bool made = strcmp(name, "plan") == 0 && build;
    snprintf(path, sizeof path, "%s/man/reckon-%s.5", made ? build : RECKON_TEST_SOURCE, name);
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    char *text = calloc(1, 1 << 17);
    cr_assert_lt(fread(text, 1, (1 << 17) - 1, file), (1 << 17) - 1);
    fclose(file);
    return text;
}

/* Reads `text` as the kind of file that the manual `name` is about. */
static enum rk_status read_text(const char *name, const char *text, size_t size,
                                struct rk_error *error)
{
    struct document document;
    struct rk_model model;
    struct rk_plan plan;
    struct rk_system system = {.id = ""};
    enum rk_status status = document_parse("example.json", text, size, &document, error);
    if (status != RK_OK) return status;
    if (strcmp(name, "model") == 0) status = model_read(&document, "x", &model, error);
    if (strcmp(name, "plan") == 0) status = plan_read_file(&document, &plan, error);
    if (strcmp(name, "system") == 0) status = system_read(&document, "x", 0, &system, error);
    rk_system_release(&system);
    document_release(&document);
    return status;
}

/* The loaders themselves say which keys there are: for a key that nobody knows. */
static void check_keys(const char *name, const char *bad)
{
    char *text = manual(name);
    struct rk_error error;
    cr_assert_eq(read_text(name, bad, strlen(bad), &error), RK_BAD_INPUT);
    char *keys = strstr(error.text, "known here: ");
    cr_assert(keys, "%s", error.text);
    keys += strlen("known here: ");
    int found = 0;
    for (char *key = strtok(keys, ", "); key; key = strtok(NULL, ", ")) {
        char spaced[80];
        if (strcmp(key, "...") == 0) break; /* there are too many for a message */
        snprintf(spaced, sizeof spaced, " %s", key);
        cr_expect(strstr(text, spaced), "man/reckon-%s.5 lacks the key %s", name, key);
        found++;
    }
    cr_expect_geq(found, 2);
    free(text);
}

Test(catalog_manual, every_key_is_described)
{
    check_keys("model", "{\"qqqq\": 1}");
    check_keys("system", "{\"qqqq\": 1}");
    check_keys("system", "{\"synthetic\": \"x\", \"qqqq\": 1}");
    check_keys("system",
               "{\"matrix\": {\"qqqq\": 1}, \"vector\": 1, \"memory\": 1, \"network\": 1}");
    check_keys("system", "{\"matrix\": {\"float8\": {\"qqqq\": 1}}, \"vector\": 1, \"memory\": 1, "
                         "\"network\": 1}");
    const char *engines = "\"matrix\": {\"float8\": {\"peak_TFLOPps\": 1}, "
                          "\"efficiency_from_GFLOP\": [[0, 1]]}, \"vector\": {\"float8\": "
                          "{\"peak_TFLOPps\": 1}, \"efficiency_from_GFLOP\": [[0, 1]]}";
    const char *memory = "\"memory\": [{\"capacity_GiB\": 1, \"bandwidth_GBps\": 1, "
                         "\"efficiency_from_MB\": [[0, 1]]}]";
    char text[1024];
    snprintf(text, sizeof text, "{%s, \"memory\": [{\"qqqq\": 1}], \"network\": 1}", engines);
    check_keys("system", text);
    snprintf(text, sizeof text, "{%s, %s, \"network\": [{\"qqqq\": 1}]}", engines, memory);
    check_keys("system", text);
    snprintf(text, sizeof text,
             "{%s, %s, \"network\": [{\"bandwidth_GBps\": 1, \"efficiency\": 1, "
             "\"latency_us\": 1, \"size\": 1, \"collectives\": {\"qqqq\": 1}}]}",
             engines, memory);
    check_keys("system", text);
    snprintf(text, sizeof text,
             "{%s, %s, \"network\": [{\"bandwidth_GBps\": 1, \"efficiency\": 1, "
             "\"latency_us\": 1, \"size\": 1, \"collectives\": {\"all_reduce\": "
             "{\"qqqq\": 1}}}]}",
             engines, memory);
    check_keys("system", text);
}

static void check_items(const char *name, const struct field *fields)
{
    char *text = manual(name);
    for (; fields->key; fields++) {
        char spaced[80];
        snprintf(spaced, sizeof spaced, " %s", fields->key);
        cr_expect(strstr(text, spaced), "man/reckon-%s.5 lacks the key %s", name, fields->key);
    }
    free(text);
}

Test(catalog_manual, every_key_of_kernels_and_links_is_described)
{
    check_items("system", kernels_fields);
    check_items("system", link_fields);
}

/* ... and those that the message has no room for */
Test(catalog_manual, every_model_key_is_described)
{
    char *text = manual("model");
    for (const struct field *field = model_fields; field->key; field++) {
        char item[80];
        snprintf(item, sizeof item, ".It Ic %s\n", field->key);
        cr_expect(strstr(text, item), "man/reckon-model.5 lacks the key %s", field->key);
    }
    free(text);
}

/* Keys of plans with their words, and every choice. */
Test(catalog_manual, every_plan_key_is_described)
{
    char *text = manual("plan");
    for (const struct field *field = plan_fields; field->key; field++) {
        if (!field->word && field->load) continue; /* of before */
        const bool two = field->word && strcmp(field->word, field->key) != 0;
        char item[120];
        snprintf(item, sizeof item, ".It Ic %s%s%s\n", field->key, two ? " , " : "",
                 two ? field->word : "");
        char *found = strstr(text, item);
        cr_expect(found, "man/reckon-plan.5 lacks the key %s", item);
        char *end = found ? strstr(found + 1, "\n.It ") : NULL;
        for (int i = 0; found && field->choices && field->choices[i]; i++) {
            snprintf(item, sizeof item, " %s", field->choices[i]);
            const char *choice = strstr(found, item);
            cr_expect(choice && (!end || choice < end), "man/reckon-plan.5: %s lacks %s",
                      field->key, item);
        }
    }
    free(text);
}

Test(catalog_manual, examples_load)
{
    static const char *const names[] = {"model", "system", "plan"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text = manual(names[i]);
        const char *start = strstr(text, ".Bd -literal\n{\n");
        cr_assert(start, "man/reckon-%s.5 has no example", names[i]);
        start += strlen(".Bd -literal\n");
        const char *end = strstr(start, ".Ed");
        struct rk_error error;
        cr_expect_eq(read_text(names[i], start, (size_t)(end - start), &error), RK_OK, "%s: %s",
                     names[i], formatted(&error));
        free(text);
    }
}

static enum rk_status read_clusters(const char *line, struct rk_error *error)
{
    struct rk_machine machine = {.clusters = 0};
    const enum rk_status status = rk_machine_load(line, &machine, error);
    rk_machine_release(&machine);
    return status;
}

static enum rk_status read_line(const char *name, const char *line, struct rk_error *error)
{
    struct rk_system system = {.id = ""};
    struct rk_plan plan;
    if (strcmp(name, "plan") == 0) return rk_plan_parse(line, &plan, error);
    if (strstr(line, " + ")) return read_clusters(line, error);
    const enum rk_status status = synthetic_read(line, 0, &system, error);
    rk_system_release(&system);
    return status;
}

/* The indented lines of a manual's examples. */
static void check_lines(const char *name, int wanted)
{
    char *text = manual(name);
    int found = 0;
    char *at = strstr(text, ".Sh EXAMPLES");
    while ((at = strstr(at, "\n.Dl "))) {
        struct rk_error error;
        at += strlen("\n.Dl ");
        char *line = strndup(at, strcspn(at, "\n"));
        cr_expect_eq(read_line(name, line, &error), RK_OK, "%s", formatted(&error));
        free(line);
        found++;
    }
    cr_expect_eq(found, wanted);
    free(text);
}

Test(catalog_manual, one_line_examples_load)
{
    use_source_catalog();
    check_lines("system", 8);
    check_lines("plan", 3);
}
