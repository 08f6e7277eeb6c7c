/* golden.h - the golden numbers: reading them, and comparing an estimate with them.
 *
 * The manifest cases.json holds executions and figures as lists, in the order of its "fields" and
 * "figures"; the complete set (cases.jsonl.gz, one object a line) holds them as objects. Both
 * become a struct golden_case.
 */
#ifndef RECKON_TESTS_GOLDEN_H
#define RECKON_TESTS_GOLDEN_H

#include "calculon/calculon.h"
#include "calculon/calculon_read.h"
#include "calculon/calculon_refusal.h"
#include "calculon/estimate.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define GOLDEN_FOLDER   RECKON_TEST_SOURCE "/tests/golden"
#define GOLDEN_COMPLETE RECKON_TEST_SOURCE "/../shared/golden"

struct golden_case {
    int id;
    const char *model, *system; /* names; owned by the JSON */
    struct calculon_execution execution;
    const char *error; /* NULL: accepted */
    double figure[CALCULON_STATISTICS];
};

static inline json_t *golden_load(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    cr_assert(root, "%s:%d: %s", path, error.line, error.text);
    return root;
}

static inline void golden_field(struct calculon_execution *execution,
                                const struct calculon_field *field, const json_t *value)
{
    uint64_t number = json_is_true(value) ? 1 : (uint64_t)json_integer_value(value);
    if (field->type == CALCULON_CHOICE)
        while (field->choices[number] &&
               strcmp(field->choices[number], json_string_value(value)) != 0)
            number++;
    calculon_field_set(execution, field, number);
}

/* From a list in the order of calculon_fields, or from an object. */
static inline void golden_execution(struct calculon_execution *execution, const json_t *values)
{
    *execution = (struct calculon_execution){.attention = RK_ATTENTION_MULTIHEAD};
    for (size_t i = 0; i < CALCULON_FIELDS; i++) {
        const json_t *value = json_is_array(values)
                                  ? json_array_get(values, i)
                                  : json_object_get(values, calculon_fields[i].name);
        cr_assert(value, "%s is missing", calculon_fields[i].name);
        golden_field(execution, &calculon_fields[i], value);
    }
}

static inline void golden_parse(struct golden_case *golden, const json_t *json)
{
    const json_t *stats = json_object_get(json, "stats");
    golden->id = (int)json_integer_value(json_object_get(json, "id"));
    golden->model = json_string_value(json_object_get(json, "model"));
    golden->system = json_string_value(json_object_get(json, "system"));
    golden->error = json_string_value(json_object_get(json, "error"));
    golden_execution(&golden->execution, json_object_get(json, "execution"));
    cr_assert_eq(golden->error == NULL, stats != NULL);
    for (size_t i = 0; stats && i < CALCULON_STATISTICS; i++) {
        const json_t *value = json_is_array(stats)
                                  ? json_array_get(stats, i)
                                  : json_object_get(stats, calculon_statistics[i].name);
        cr_assert(json_is_number(value), "%s is missing", calculon_statistics[i].name);
        golden->figure[i] = json_number_value(value);
    }
}

/* ---- inputs ---- */

static inline void golden_model(struct rk_model *model, const char *folder, const char *name)
{
    char path[4096];
    struct rk_error error;
    snprintf(path, sizeof path, "%s/models/%s.json", folder, name);
    cr_assert_eq(calculon_read_model(path, model, &error), RK_OK, "%s", error.text);
}

static inline void golden_system(struct rk_system *system, const char *folder, const char *name)
{
    char path[4096];
    struct rk_error error;
    snprintf(path, sizeof path, "%s/systems/%s.json", folder, name);
    cr_assert_eq(calculon_read_system(path, system, &error), RK_OK, "%s", error.text);
}

/* The verdict of one case, its inputs read from `folder`; `refusal` is filled unless it fits. */
static inline enum rk_verdict golden_estimate(const struct golden_case *golden, const char *folder,
                                              struct rk_estimate *estimate,
                                              struct calculon_refusal *refusal)
{
    const struct rk_strategy *strategy = &golden->execution.strategy;
    struct rk_model model;
    struct rk_system system;
    golden_model(&model, folder, golden->model);
    golden_system(&system, folder, golden->system);
    model.attention = golden->execution.attention;
    const enum rk_verdict verdict = rk_estimate(&model, &system, strategy, estimate);
    if (verdict != RK_FITS) calculon_refuse(&model, &system, strategy, estimate, refusal);
    rk_system_release(&system);
    return verdict;
}

/* ---- comparing ---- */

static inline bool golden_near(double actual, double expected, double tolerance)
{
    return fabs(actual - expected) <= tolerance * fmax(fabs(actual), fabs(expected));
}

/* Same reason, same tier; sizes within the rounding of the text. */
static inline bool golden_same_refusal(const char *actual, const char *expected)
{
    int tier[2];
    double need[2], have[2];
    char need_unit[2][8], have_unit[2][8];
    const char *texts[2] = {actual, expected};
    if (strncmp(expected, "Mem ", 4) != 0) return strcmp(actual, expected) == 0;
    for (int i = 0; i < 2; i++)
        if (sscanf(texts[i], "Mem tier%d needs %lf %7s but only has %lf %7s", &tier[i], &need[i],
                   need_unit[i], &have[i], have_unit[i]) != 5)
            return false;
    return tier[0] == tier[1] && fabs(need[0] - need[1]) < 0.0011 &&
           fabs(have[0] - have[1]) < 0.0011 && strcmp(need_unit[0], need_unit[1]) == 0 &&
           strcmp(have_unit[0], have_unit[1]) == 0;
}

/* Returns the number of figures that differ, each reported. */
static inline int golden_compare_figures(const struct golden_case *golden,
                                         const struct rk_estimate *estimate, double tolerance)
{
    int differing = 0;
    for (int i = 0; i < CALCULON_STATISTICS; i++) {
        const double actual = calculon_statistic_value(estimate, &calculon_statistics[i]);
        if (golden_near(actual, golden->figure[i], tolerance)) continue;
        cr_log_error("case %d (%s on %s): %s is %.15g, expected %.15g", golden->id, golden->model,
                     golden->system, calculon_statistics[i].name, actual, golden->figure[i]);
        differing++;
    }
    return differing;
}

/* The verdict that belongs to a text of that tool. */
static inline enum rk_verdict golden_verdict(const char *error)
{
    if (!error) return RK_FITS;
    if (strncmp(error, "Mem ", 4) == 0) return RK_MEMORY_EXCEEDED;
    if (strstr(error, "big enough")) return RK_NETWORK_TOO_SMALL;
    return strstr(error, "fully used") ? RK_NETWORK_NOT_FILLED : RK_TOO_FEW_BLOCKS;
}

/* Returns 0 when the estimate agrees with the case. */
static inline int golden_compare(const struct golden_case *golden,
                                 const struct rk_estimate *estimate,
                                 const struct calculon_refusal *refusal, double tolerance)
{
    const bool same = estimate->verdict == golden_verdict(golden->error);
    if (same && !golden->error) return golden_compare_figures(golden, estimate, tolerance);
    if (same && refusal->infeasible && golden_same_refusal(refusal->text, golden->error)) return 0;
    cr_log_error("case %d (%s on %s): %s, \"%s\", expected \"%s\"", golden->id, golden->model,
                 golden->system, rk_verdict_name(estimate->verdict), refusal->text,
                 golden->error ? golden->error : "accepted");
    return 1;
}

#endif
