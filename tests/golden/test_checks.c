/* Cases of the rules: what each has to find, and nothing else. */
#include "check/cases.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER RECKON_TEST_SOURCE "/tests/golden/checks/"

static bool listed(const json_t *list, const char *id)
{
    size_t i;
    json_t *entry;
    json_array_foreach((json_t *)(uintptr_t)list, i,
                       entry) if (strcmp(json_string_value(entry), id) == 0) return true;
    return false;
}

static bool found(const struct rk_findings *findings, enum rk_severity severity, const char *id)
{
    for (int i = 0; i < findings->count; i++)
        if (findings->finding[i].severity == severity && strcmp(findings->finding[i].rule, id) == 0)
            return true;
    return false;
}

/* "does not fit": a verdict of the predictor, which may change, not a fault of the file. */
static bool is_predicted(const struct rk_finding *f)
{
    return f->severity == RK_WARNING && strcmp(f->rule, "5.stage") == 0;
}

/* All of `key` fire, and beside them only what may. Of right ones warnings do not count. */
static int judge(const json_t *expected, const struct rk_findings *findings, const char *id)
{
    static const struct {
        const char *key;
        enum rk_severity severity;
    } kinds[] = {{"errors", RK_ERROR}, {"warnings", RK_WARNING}};
    const json_t *allowed = json_object_get(expected, "also_allowed");
    const bool right = strncmp(id, "right", 5) == 0;
    int failures = 0;
    for (int k = 0; k < (right ? 1 : 2); k++) {
        const json_t *list = json_object_get(expected, kinds[k].key);
        size_t i;
        json_t *rule;
        json_array_foreach((json_t *)(uintptr_t)list, i,
                           rule) if (!found(findings, kinds[k].severity, json_string_value(rule)))
        {
            fprintf(stderr, "%s: %s does not fire\n", id, json_string_value(rule));
            failures++;
        }
        for (int f = 0; f < findings->count; f++) {
            const struct rk_finding *finding = &findings->finding[f];
            if (finding->severity != kinds[k].severity || listed(list, finding->rule) ||
                listed(allowed, finding->rule) || is_predicted(finding))
                continue;
            fprintf(stderr, "%s: %s fires: %s %s: %s\n", id, finding->rule, finding->what,
                    finding->have, finding->need);
            failures++;
        }
    }
    return failures;
}

static void judge_file(const char *path, int cases)
{
    static struct case_cache cache;
    static struct rk_findings findings;
    char id[CASE_ID];
    char *line = NULL;
    size_t room = 0;
    int failures = 0, count = 0;
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    for (ssize_t n; (n = getline(&line, &room, file)) > 0; count++) {
        struct rk_error error;
        json_t *expected = json_loadb(line, (size_t)n, 0, NULL);
        findings.count = findings.dropped = 0;
        const enum rk_status status =
            check_case(path, count + 1, line, (size_t)n, &cache, id, &findings, &error);
        cr_expect_eq(status, RK_OK, "%s: %s", id, error.text);
        failures += judge(expected, &findings, id);
        json_decref(expected);
    }
    case_cache_release(&cache);
    free(line);
    fclose(file);
    cr_expect_eq(failures, 0);
    cr_expect_eq(count, cases);
}

Test(checks, plans_and_launch_files)
{
    judge_file(FOLDER "plan_faults.jsonl", 199);
    judge_file(FOLDER "more_plans.jsonl", 309);
    judge_file(FOLDER "launch_plans.jsonl", 234);
}

Test(checks, logs)
{
    judge_file(FOLDER "plan_logs.jsonl", 27);
    judge_file(FOLDER "more_logs.jsonl", 22);
}
