/* reckon check --cases: a line of JSON for each line of JSON. */
#include "check/cases.h"
#include "cli/check.h"
#include "text/text_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *ids_of(const struct rk_findings *findings, enum rk_severity severity)
{
    json_t *list = json_array();
    const char *last = "";
    for (int i = 0; i < findings->count; i++) {
        const struct rk_finding *f = &findings->finding[i];
        if (f->severity != severity || strcmp(f->rule, last) == 0) continue;
        json_array_append_new(list, json_string(f->rule));
        last = f->rule;
    }
    return list;
}

static void print_case(const char *id, const struct rk_findings *findings, const char *failure)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_string(id));
    if (failure) {
        json_object_set_new(object, "unreadable", json_string(failure));
    } else {
        json_object_set_new(object, "errors", ids_of(findings, RK_ERROR));
        json_object_set_new(object, "warnings", ids_of(findings, RK_WARNING));
    }
    char *text = json_dumps(object, 0);
    if (text) puts(text);
    free(text);
    json_decref(object);
}

enum { CASES_BYTES = 1 << 30 };

int check_cases(const char *path)
{
    static struct case_cache cache;
    struct rk_findings *findings = malloc(sizeof *findings);
    struct rk_error error;
    char *text = NULL, id[CASE_ID];
    size_t size = 0;
    int line = 0, code = RK_OK;
    if (!findings || text_file_load(path, CASES_BYTES, &text, &size, &error) != RK_OK) {
        free(findings);
        return options_fail(&error);
    }
    for (const char *at = text, *end = text + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t n = (size_t)((stop ? stop : end) - at);
        line++;
        findings->count = findings->dropped = 0;
        if (n > strspn(at, " \t\r")) {
            const enum rk_status status =
                check_case(text_file_name(path), line, at, n, &cache, id, findings, &error);
            print_case(id, findings, status == RK_OK ? NULL : error.text);
            if (status != RK_OK)
                code = RK_BAD_INPUT;
            else if (rk_findings_errors(findings) && code == RK_OK)
                code = RK_CHECK_FAILED;
        }
        at += n + 1;
    }
    case_cache_release(&cache);
    free(findings);
    free(text);
    return code;
}
