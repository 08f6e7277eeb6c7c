#include "facts/rules.h"
#include "base/memory.h"
#include "base/regex.h"
#include "catalog/catalog.h"
#include "catalog/document.h"
#include "catalog/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONDITIONS = 8, MOST_SETTINGS = 64, GROUPS = 10, VALUE = 1024 };

struct condition {
    char *column;
    bool absent;
    regex_t pattern;
};

struct setting {
    char *column, *value;
    bool replaces;
};

struct rule {
    int conditions, settings;
    struct condition condition[MOST_CONDITIONS];
    struct setting *setting; /* (settings) */
    bool inferred;
    char *why;
};

/* ---- loading ---- */

static enum rk_status fail_memory(const struct place *place, struct rk_error *error)
{
    return rk_fail(error, RK_IO, place->document->path, 0, 0, "no memory for the rules");
}

static enum rk_status need_text(const struct place *place, struct rk_error *error)
{
    char said[PLACE_TEXT];
    if (json_is_string(place->value)) return RK_OK;
    return place_fail(place, error, "must be a text, got %s", place_describe(said, place));
}

static enum rk_status load_condition(const struct place *place, struct rule *rule,
                                     struct rk_error *error)
{
    enum rk_status status = need_text(place, error);
    if (status != RK_OK) return status;
    if (rule->conditions == MOST_CONDITIONS)
        return place_fail(place, error, "more than %d conditions: make it two rules",
                          MOST_CONDITIONS);
    struct condition *c = &rule->condition[rule->conditions];
    const char *text = json_string_value(place->value);
    c->absent = text[0] == '!';
    text += c->absent;
    const bool any_case = strncmp(text, "(?i)", 4) == 0;
    const int code =
        regex_compile(&c->pattern, text + (any_case ? 4 : 0), any_case ? REG_ICASE : 0);
    if (code) {
        char said[128];
        regerror(code, &c->pattern, said, sizeof said);
        return place_fail(place, error, "not a regular expression: %s", said);
    }
    rule->conditions++;
    c->column = strdup(place->key);
    return c->column ? RK_OK : fail_memory(place, error);
}

static enum rk_status load_setting(const struct place *place, struct rule *rule, bool replaces,
                                   struct rk_error *error)
{
    const enum rk_status status = need_text(place, error);
    if (status != RK_OK) return status;
    if (rule->settings == MOST_SETTINGS)
        return place_fail(place, error, "more than %d settings: make it two rules", MOST_SETTINGS);
    if (!ARRAY_ROOM(rule->setting, rule->settings)) return fail_memory(place, error);
    struct setting *s = &rule->setting[rule->settings++];
    *s = (struct setting){strdup(place->key), strdup(json_string_value(place->value)), replaces};
    return s->column && s->value ? RK_OK : fail_memory(place, error);
}

/* The members of "when", "set" or "replace". */
static enum rk_status load_part(const struct place *object, const char *part, struct rule *rule,
                                struct rk_error *error)
{
    struct place group;
    if (!place_member(object, part, &group)) return RK_OK;
    enum rk_status status = place_need_object(&group, error);
    const char *key;
    json_t *value;
    if (status != RK_OK) return status;
    json_object_foreach(group.value, key, value)
    {
        struct place member;
        place_member(&group, key, &member);
        status = strcmp(part, "when") == 0
                     ? load_condition(&member, rule, error)
                     : load_setting(&member, rule, strcmp(part, "replace") == 0, error);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

static enum rk_status load_rule(const struct place *object, struct rule *rule,
                                struct rk_error *error)
{
    static const char *const keys[] = {"when", "set", "replace", "inferred", "why", NULL};
    struct place why, inferred;
    enum rk_status status = place_need_object(object, error);
    if (status == RK_OK) status = place_need_keys(object, keys, error);
    if (status == RK_OK) status = load_part(object, "when", rule, error);
    if (status == RK_OK) status = load_part(object, "set", rule, error);
    if (status == RK_OK) status = load_part(object, "replace", rule, error);
    if (status != RK_OK) return status;
    if (place_member(object, "inferred", &inferred)) {
        if (!json_is_boolean(inferred.value))
            return place_fail(&inferred, error, "must be true or false");
        rule->inferred = json_is_true(inferred.value);
    }
    if (!place_member(object, "why", &why))
        return place_fail(object, error, "missing key \"why\": give the reason or the source");
    status = need_text(&why, error);
    if (status != RK_OK) return status;
    rule->why = strdup(json_string_value(why.value));
    return rule->why ? RK_OK : fail_memory(object, error);
}

static enum rk_status load_all(const struct document *document, struct rules *rules,
                               struct rk_error *error)
{
    static const char *const keys[] = {"description", "rules", NULL};
    const struct place root = place_root(document);
    struct place list;
    enum rk_status status = place_need_object(&root, error);
    if (status == RK_OK) status = place_need_keys(&root, keys, error);
    if (status != RK_OK) return status;
    if (!place_member(&root, "rules", &list))
        return place_fail(&root, error, "missing key \"rules\": a list of rules");
    status = place_need_array(&list, 0, 100000, error);
    if (status != RK_OK) return status;
    const size_t count = json_array_size(list.value);
    rules->rule = calloc(count + 1, sizeof *rules->rule);
    if (!rules->rule) return fail_memory(&root, error);
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        const struct place element = place_element(&list, i);
        rules->count = i + 1;
        status = load_rule(&element, &rules->rule[i], error);
    }
    return status;
}

enum rk_status rules_load(const char *path, struct rules *rules, struct rk_error *error)
{
    struct document document = {0};
    *rules = (struct rules){0};
    enum rk_status status = document_load(path, &document, error);
    if (status == RK_OK) status = load_all(&document, rules, error);
    document_release(&document);
    if (status != RK_OK) rules_release(rules);
    return status;
}

enum rk_status rules_load_or_own(const char *path, struct rules *rules, struct rk_error *error)
{
    char folder[3072], own[4096];
    if (path) return rules_load(path, rules, error);
    const enum rk_status status = catalog_folder(folder, sizeof folder, error);
    if (status != RK_OK) return status;
    snprintf(own, sizeof own, "%s/measured/rules.json", folder);
    return rules_load(own, rules, error);
}

void rules_release(struct rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        struct rule *rule = &rules->rule[i];
        for (int k = 0; k < rule->conditions; k++) {
            free(rule->condition[k].column);
            regfree(&rule->condition[k].pattern);
        }
        for (int k = 0; k < rule->settings; k++) {
            free(rule->setting[k].column);
            free(rule->setting[k].value);
        }
        free(rule->setting);
        free(rule->why);
    }
    free(rules->rule);
    *rules = (struct rules){0};
}

/* ---- applying ---- */

struct groups {
    char text[GROUPS][VALUE];
};

static void keep_groups(const struct condition *c, const char *value, const regmatch_t *match,
                        struct groups *groups)
{
    if (c->pattern.re_nsub == 0) return;
    for (int g = 0; g < GROUPS; g++) {
        const int length = match[g].rm_so < 0 ? 0 : (int)(match[g].rm_eo - match[g].rm_so);
        snprintf(groups->text[g], VALUE, "%.*s", length, length ? value + match[g].rm_so : "");
    }
}

static bool matches(const struct rule *rule, const struct row *row, struct groups *groups)
{
    for (int i = 0; i < rule->conditions; i++) {
        const struct condition *c = &rule->condition[i];
        const char *value = row_get(row, c->column);
        regmatch_t match[GROUPS];
        const bool found = regexec(&c->pattern, value, GROUPS, match, 0) == 0;
        if (found == c->absent) return false;
        if (found) keep_groups(c, value, match, groups);
    }
    return true;
}

struct text {
    char *at;
    size_t room;
};

static void put(struct text *text, const char *value, size_t length)
{
    if (length >= text->room) length = text->room - 1;
    memcpy(text->at, value, length);
    text->at += length;
    text->room -= length;
    *text->at = '\0';
}

/* $1 and ${column} */
static void expand(const char *value, const struct row *row, const struct groups *groups,
                   char buffer[static VALUE])
{
    struct text text = {buffer, VALUE};
    buffer[0] = '\0';
    while (*value) {
        char name[64];
        int length = 0;
        if (value[0] == '$' && value[1] >= '1' && value[1] <= '9') {
            const char *group = groups->text[value[1] - '0'];
            put(&text, group, strlen(group));
            value += 2;
        } else if (sscanf(value, "${%63[^}]}%n", name, &length) == 1 && length) {
            put(&text, row_get(row, name), strlen(row_get(row, name)));
            value += length;
        } else {
            put(&text, value++, 1);
        }
    }
}

enum rk_status rules_apply(const struct rules *rules, struct row *row, struct rk_error *error)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule *rule = &rules->rule[i];
        struct groups groups = {{{0}}};
        if (rule->inferred && rules->stated_only) continue;
        if (!matches(rule, row, &groups)) continue;
        for (int k = 0; k < rule->settings; k++) {
            const struct setting *s = &rule->setting[k];
            char value[VALUE];
            if (!s->replaces && row_get(row, s->column)[0]) continue;
            expand(s->value, row, &groups, value);
            if (!row_set(row, s->column, value, rule->why))
                return rk_fail(error, RK_IO, row->path, row->line, 0,
                               "no room for the row's cells");
        }
    }
    return RK_OK;
}
