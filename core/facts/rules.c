#include "facts/rules.h"
#include "base/memory.h"
#include "base/regex.h"
#include "catalog/catalog.h"
#include "text/document.h"
#include "text/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONDITIONS = 8, MOST_SETTINGS = 64, GROUPS = 10, VALUE = 1024 };

/* What a pattern made of the last value it was asked for: rows of a source follow each other, and
 * most of their cells are alike. */
struct answer {
    char *value; /* NULL: none yet */
    bool found;
    regmatch_t match[GROUPS];
};

struct condition {
    char *column;
    bool absent;
    regex_t pattern;
    struct answer last;
};

struct texts {
    int count;
    char **text; /* (count) */
};

struct setting {
    char *column, *value;
    bool replaces;
};

struct rule {
    int conditions, settings;
    struct condition condition[MOST_CONDITIONS];
    struct setting *setting; /* (settings) */
    struct texts from;
    char *why;
};

struct fitted {
    char *constant, *why;
    regex_t system;
    struct texts from;
};

/* ---- loading ---- */

static enum rk_status fail_memory(const struct place *place, struct rk_error *error)
{
    return rk_fail(error, RK_NO_MEMORY, place->document->path, 0, 0, "no memory for the rules");
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

static enum rk_status load_text(const struct place *object, const char *key, const char *advice,
                                char **text, struct rk_error *error)
{
    struct place member;
    if (!place_member(object, key, &member))
        return place_fail(object, error, "missing key \"%s\": %s", key, advice);
    const enum rk_status status = need_text(&member, error);
    if (status != RK_OK) return status;
    *text = strdup(json_string_value(member.value));
    return *text ? RK_OK : fail_memory(&member, error);
}

/* "from": the sources whose figures something was found from. */
static enum rk_status load_from(const struct place *object, struct texts *from,
                                struct rk_error *error)
{
    struct place list;
    if (!place_member(object, "from", &list)) return RK_OK;
    enum rk_status status = place_need_array(&list, 1, 10000, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(list.value); i++) {
        const struct place element = place_element(&list, i);
        status = need_text(&element, error);
        if (status == RK_OK && !ARRAY_ROOM(from->text, from->count))
            status = fail_memory(&element, error);
        if (status != RK_OK) break;
        from->text[from->count] = strdup(json_string_value(element.value));
        if (!from->text[from->count++]) status = fail_memory(&element, error);
    }
    return status;
}

static enum rk_status load_rule(const struct place *object, struct rule *rule,
                                struct rk_error *error)
{
    static const char *const keys[] = {"when", "set", "replace", "from", "why", NULL};
    enum rk_status status = place_need_object(object, error);
    if (status == RK_OK) status = place_need_keys(object, keys, error);
    if (status == RK_OK) status = load_part(object, "when", rule, error);
    if (status == RK_OK) status = load_part(object, "set", rule, error);
    if (status == RK_OK) status = load_part(object, "replace", rule, error);
    if (status == RK_OK) status = load_from(object, &rule->from, error);
    if (status == RK_OK)
        status = load_text(object, "why", "give the reason or the source", &rule->why, error);
    return status;
}

static enum rk_status load_fitted(const struct place *object, struct fitted *fitted,
                                  struct rk_error *error)
{
    static const char *const keys[] = {"constant", "system", "from", "why", NULL};
    char *pattern = NULL;
    enum rk_status status = place_need_object(object, error);
    if (status == RK_OK) status = place_need_keys(object, keys, error);
    if (status == RK_OK)
        status = load_text(object, "constant", "of which constant?", &fitted->constant, error);
    if (status == RK_OK)
        status = load_text(object, "why", "what was fitted to what?", &fitted->why, error);
    if (status == RK_OK) status = load_from(object, &fitted->from, error);
    if (status == RK_OK)
        status = load_text(object, "system", "a pattern of systems", &pattern, error);
    if (status == RK_OK && regex_compile(&fitted->system, pattern, 0))
        status = place_fail(object, error, "system: not a regular expression");
    free(pattern);
    return status;
}

static enum rk_status load_constants(const struct place *root, struct rules *rules,
                                     struct rk_error *error)
{
    struct place list;
    if (!place_member(root, "fitted", &list)) return RK_OK;
    enum rk_status status = place_need_array(&list, 0, 1000, error);
    if (status != RK_OK) return status;
    const size_t count = json_array_size(list.value);
    rules->fitted = calloc(count + 1, sizeof *rules->fitted);
    if (!rules->fitted) return fail_memory(root, error);
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        const struct place element = place_element(&list, i);
        rules->fits = i + 1;
        status = load_fitted(&element, &rules->fitted[i], error);
    }
    return status;
}

/* A list of rules under a key. */
static enum rk_status load_rules(const struct place *root, const char *key, struct rule **rule,
                                 size_t *loaded, struct rk_error *error)
{
    struct place list;
    if (!place_member(root, key, &list)) return RK_OK;
    enum rk_status status = place_need_array(&list, 0, 100000, error);
    if (status != RK_OK) return status;
    const size_t count = json_array_size(list.value);
    *rule = calloc(count + 1, sizeof **rule);
    if (!*rule) return fail_memory(root, error);
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        const struct place element = place_element(&list, i);
        *loaded = i + 1;
        status = load_rule(&element, &(*rule)[i], error);
    }
    return status;
}

static enum rk_status load_all(const struct document *document, struct rules *rules,
                               struct rk_error *error)
{
    static const char *const keys[] = {"description", "about", "fitted", "rules", NULL};
    const struct place root = place_root(document);
    struct place list;
    enum rk_status status = place_need_object(&root, error);
    if (status == RK_OK) status = place_need_keys(&root, keys, error);
    if (status != RK_OK) return status;
    status = load_constants(&root, rules, error);
    if (status != RK_OK) return status;
    if (!place_member(&root, "rules", &list))
        return place_fail(&root, error, "missing key \"rules\": a list of rules");
    status = load_rules(&root, "about", &rules->about, &rules->abouts, error);
    if (status == RK_OK) status = load_rules(&root, "rules", &rules->rule, &rules->count, error);
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

static void texts_release(struct texts *texts)
{
    for (int i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
}

static void fitted_release(struct fitted *fitted)
{
    free(fitted->constant);
    free(fitted->why);
    regfree(&fitted->system);
    texts_release(&fitted->from);
}

static void rule_release(struct rule *rule)
{
    for (int k = 0; k < rule->conditions; k++) {
        free(rule->condition[k].column);
        free(rule->condition[k].last.value);
        regfree(&rule->condition[k].pattern);
    }
    for (int k = 0; k < rule->settings; k++) {
        free(rule->setting[k].column);
        free(rule->setting[k].value);
    }
    free(rule->setting);
    texts_release(&rule->from);
    free(rule->why);
}

static void list_release(struct rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rule_release(&rules[i]);
    free(rules);
}

void rules_release(struct rules *rules)
{
    for (size_t i = 0; i < rules->fits; i++)
        fitted_release(&rules->fitted[i]);
    free(rules->fitted);
    list_release(rules->rule, rules->count);
    list_release(rules->about, rules->abouts);
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

/* Columns that say who measured a row. */
static bool is_name(const char *column)
{
    return strcmp(column, "source") == 0 || strcmp(column, "id") == 0 ||
           strcmp(column, "source_group") == 0;
}

/* A value that cannot be kept is asked for again. */
static const struct answer *ask(struct condition *c, const char *value)
{
    struct answer *last = &c->last;
    if (last->value && strcmp(last->value, value) == 0) return last;
    free(last->value);
    last->value = strdup(value);
    last->found = regexec(&c->pattern, value, GROUPS, last->match, 0) == 0;
    return last;
}

/* What a rule that holds found in the row's notes. */
static void mark_notes(const struct rule *rule, struct row_reading *reading)
{
    for (int i = 0; i < rule->conditions; i++) {
        const struct condition *c = &rule->condition[i];
        if (!c->last.found || strcmp(c->column, "notes") != 0) continue;
        for (int at = (int)c->last.match[0].rm_so; at < c->last.match[0].rm_eo; at++)
            if (at < ROW_NOTES) reading->notes[at] = true;
    }
}

static bool matches(struct rule *rule, const struct row *row, enum rules_use use,
                    struct groups *groups)
{
    for (int i = 0; i < rule->conditions; i++) {
        struct condition *c = &rule->condition[i];
        const char *value = use == RULES_BLIND && is_name(c->column) ? "" : row_get(row, c->column);
        const struct answer *answer = ask(c, value);
        if (answer->found == c->absent) return false;
        if (answer->found) keep_groups(c, value, answer->match, groups);
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

static bool names(const struct texts *from, const char *source)
{
    for (int i = 0; i < from->count; i++)
        if (strcmp(from->text[i], source) == 0) return true;
    return false;
}

/* Is the rule left out, by whose figures it was found from? */
static bool is_left_out(const struct rule *rule, const struct row *row, enum rules_use use)
{
    char source[ROW_SOURCE];
    if (rule->from.count == 0 || use == RULES_ALL) return false;
    const bool own = names(&rule->from, row_source(row, source));
    return use == RULES_BLIND ? own : !own || rule->from.count > 1;
}

static enum rk_status fail_room(const struct row *row, struct rk_error *error)
{
    return rk_fail(error, RK_IO, row->path, row->line, 0, "no room for the row's cells");
}

static enum rk_status apply(const struct rule *rule, struct row *row, const struct groups *groups,
                            struct rk_error *error)
{
    for (int k = 0; k < rule->settings; k++) {
        const struct setting *s = &rule->setting[k];
        char value[VALUE];
        if (!s->replaces && row_get(row, s->column)[0]) continue;
        expand(s->value, row, groups, value);
        if (!row_set(row, s->column, value, rule->why)) return fail_room(row, error);
    }
    return RK_OK;
}

/* The cell "fitted": which constants of the row's system were fitted to its source. */
static enum rk_status name_fitted(const struct rules *rules, struct row *row,
                                  struct rk_error *error)
{
    char source[ROW_SOURCE], list[VALUE] = "";
    struct text text = {list, sizeof list};
    const char *system = row_get(row, "system");
    row_source(row, source);
    for (size_t i = 0; i < rules->fits; i++) {
        const struct fitted *f = &rules->fitted[i];
        if (!names(&f->from, source) || regexec(&f->system, system, 0, NULL, 0) != 0) continue;
        if (list[0]) put(&text, " ", 1);
        put(&text, f->constant, strlen(f->constant));
    }
    return row_set(row, "fitted", list, "the list \"fitted\"") ? RK_OK : fail_room(row, error);
}

/* What is known of the row's source. */
static enum rk_status apply_abouts(const struct rules *rules, struct row *row,
                                   struct rk_error *error)
{
    static const struct groups none;
    char source[ROW_SOURCE];
    enum rk_status status = RK_OK;
    row_source(row, source);
    for (size_t i = 0; i < rules->abouts && status == RK_OK; i++)
        if (names(&rules->about[i].from, source))
            status = apply(&rules->about[i], row, &none, error);
    return status;
}

enum rk_status rules_apply(const struct rules *rules, struct row *row, struct rk_error *error)
{
    enum rk_status status = apply_abouts(rules, row, error);
    for (size_t i = 0; i < rules->count && status == RK_OK; i++) {
        struct rule *rule = &rules->rule[i];
        struct groups groups;
        for (int g = 0; g < GROUPS; g++)
            groups.text[g][0] = '\0';
        if (!matches(rule, row, rules->use, &groups) || is_left_out(rule, row, rules->use))
            continue;
        if (row->reading) mark_notes(rule, row->reading);
        status = apply(rule, row, &groups, error);
    }
    return status == RK_OK ? name_fitted(rules, row, error) : status;
}
