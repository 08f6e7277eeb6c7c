#include "check/cases.h"

#include "base/limits.h"
#include "base/memory.h"

#include <inttypes.h>
#include <jansson.h>
#include <reckon/catalog.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const char *path;
    int line;
    struct rk_error *error;
};

RK_PRINTF(2, 3)
static enum rk_status fail(const struct reading *r, const char *format, ...)
{
    char text[300];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return rk_fail(r->error, RK_BAD_INPUT, r->path, r->line, 0, "%s", text);
}

/* A text member; "" where there is none. */
static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static uint64_t count_of(const json_t *object, const char *key)
{
    const json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

/* ---- inputs other than the text ---- */

static void read_environment(const json_t *object, struct rk_variable *variables,
                             struct rk_launch *launch)
{
    const char *name;
    json_t *value;
    int n = 0;
    if (!json_is_object(object)) return;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        if (!json_is_string(value)) continue;
        variables[n++] = (struct rk_variable){name, json_string_value(value)};
    }
    variables[n] = (struct rk_variable){NULL, NULL};
    launch->environment = variables;
}

/* clang-format off */
static const struct { const char *key; size_t offset; } checkpoint_counts[] = {
    {"tensor",        offsetof(struct rk_checkpoint, tensor)},
    {"pipeline",      offsetof(struct rk_checkpoint, pipeline)},
    {"chunks",        offsetof(struct rk_checkpoint, chunks)},
    {"expert",        offsetof(struct rk_checkpoint, expert)},
    {"expert_tensor", offsetof(struct rk_checkpoint, expert_tensor)},
    {"data",          offsetof(struct rk_checkpoint, data)},
    {"layers",        offsetof(struct rk_checkpoint, layers)},
    {"hidden",        offsetof(struct rk_checkpoint, hidden)},
    {"feedforward",   offsetof(struct rk_checkpoint, feedforward)},
    {"heads",         offsetof(struct rk_checkpoint, heads)},
    {"kv_heads",      offsetof(struct rk_checkpoint, kv_heads)},
    {"vocabulary",    offsetof(struct rk_checkpoint, vocabulary)},
    {"experts",       offsetof(struct rk_checkpoint, experts)},
    {"parameters",    offsetof(struct rk_checkpoint, parameters)},
};
/* clang-format on */

static void read_checkpoint(const json_t *object, struct rk_checkpoint *c, struct rk_launch *launch)
{
    if (!json_is_object(object)) return;
    *c = (struct rk_checkpoint){.tensor = 0};
    snprintf(c->format, sizeof c->format, "%s", text_of(object, "format"));
    for (size_t i = 0; i < sizeof checkpoint_counts / sizeof *checkpoint_counts; i++) {
        const uint64_t value = count_of(object, checkpoint_counts[i].key);
        memcpy((char *)c + checkpoint_counts[i].offset, &value, sizeof value);
    }
    launch->checkpoint = c;
}

void case_cache_release(struct case_cache *cache)
{
    rk_system_release(&cache->system);
    *cache = (struct case_cache){.model_name = ""};
}

static enum rk_status load(const struct reading *r, const json_t *object, struct case_cache *cache)
{
    const char *model = text_of(object, "model"), *system = text_of(object, "system");
    enum rk_status status = RK_OK;
    if (strlen(model) >= sizeof cache->model_name || strlen(system) >= sizeof cache->system_name)
        return fail(r, "model or system: the name is too long");
    if (!*system) return fail(r, "system: is missing");
    if (strcmp(model, cache->model_name) != 0) {
        cache->model_name[0] = '\0';
        status = *model ? rk_model_load(model, &cache->model, r->error) : RK_OK;
        if (status == RK_OK) memcpy(cache->model_name, model, strlen(model) + 1);
    }
    if (status == RK_OK && strcmp(system, cache->system_name) != 0) {
        rk_system_release(&cache->system);
        cache->system_name[0] = '\0';
        status = rk_system_load(system, &cache->system, r->error);
        if (status == RK_OK) memcpy(cache->system_name, system, strlen(system) + 1);
    }
    return status;
}

/* "plan" in a case is a line of words, or a file where it begins with a brace. */
static const char *format_of(const json_t *object, const char *text)
{
    const char *input = text_of(object, "input");
    if (strcmp(input, "plan") != 0) return input;
    return text[strspn(text, " \t\r\n")] == '{' ? "plan" : "words";
}

static enum rk_status check_launch(const struct reading *r, const json_t *object,
                                   struct case_cache *cache, struct rk_findings *findings)
{
    struct rk_variable variables[MOST_CASE_VARIABLES + 1];
    struct rk_checkpoint checkpoint;
    const char *text = text_of(object, "text");
    enum rk_status status = load(r, object, cache);
    if (status != RK_OK) return status;
    const json_t *environment = json_object_get(object, "environment");
    if (json_object_size(environment) > MOST_CASE_VARIABLES)
        return fail(r, "environment: more than %d variables", MOST_CASE_VARIABLES);
    const bool has_model = *cache->model_name;
    struct rk_check_input input = {
        .format = format_of(object, text),
        .path = "",
        .text = text,
        .size = strlen(text),
        .model = has_model ? &cache->model : NULL,
        .system = &cache->system,
        .gpus = count_of(object, "gpus"),
        .core_only = true,
        .launch = {.domain = count_of(object, "gpus_per_domain")},
    };
    read_environment(environment, variables, &input.launch);
    read_checkpoint(json_object_get(object, "checkpoint"), &checkpoint, &input.launch);
    return rk_check_text(&input, findings, r->error);
}

/* ---- logs ---- */

static enum rk_status read_log(const struct reading *r, struct rk_logs *logs, uint32_t rank,
                               const json_t *lines)
{
    size_t i;
    json_t *line;
    char path[48];
    enum rk_status status = RK_OK;
    snprintf(path, sizeof path, "rank %" PRIu32, rank);
    if (json_is_string(lines))
        return rk_logs_read(logs, rank, path, json_string_value(lines), json_string_length(lines),
                            r->error);
    if (!json_is_array(lines)) return fail(r, "logs: each is a list of lines, or a text");
    /* one text, so that lines have numbers */
    size_t size = 0, used = 0;
    json_array_foreach(lines, i, line)
    {
        if (!json_is_string(line)) return fail(r, "logs: each line is a text");
        size += json_string_length(line) + 1;
    }
    char *text = malloc(size + 1);
    if (!text) return no_memory(r->error);
    json_array_foreach(lines, i, line)
    {
        memcpy(text + used, json_string_value(line), json_string_length(line));
        used += json_string_length(line);
        text[used++] = '\n';
    }
    status = rk_logs_read(logs, rank, path, text, used, r->error);
    free(text);
    return status;
}

static enum rk_status check_logs(const struct reading *r, const json_t *object,
                                 struct rk_findings *findings)
{
    const json_t *texts = json_object_get(object, "logs");
    const struct rk_logs_options options = {.tags =
                                                strcmp(text_of(object, "transport"), "mpi") == 0,
                                            .eager_bytes = count_of(object, "eager")};
    uint64_t ranks = count_of(object, "ranks");
    struct rk_logs *logs = NULL;
    const char *key;
    json_t *lines;
    if (!json_is_object(texts)) return fail(r, "logs: must be an object of ranks");
    if (!ranks) ranks = json_object_size(texts);
    if (ranks > MOST_LOG_RANKS) return fail(r, "ranks: more than %d", MOST_LOG_RANKS);
    enum rk_status status = rk_logs_new((uint32_t)ranks, &logs, r->error);
    json_object_foreach((json_t *)(uintptr_t)texts, key, lines)
    {
        char *end;
        const unsigned long rank = strtoul(key, &end, 10);
        if (status != RK_OK) break;
        if (*key < '0' || *key > '9' || *end || rank >= ranks)
            status = fail(r, "logs: \"%.40s\" is not a rank", key);
        else
            status = read_log(r, logs, (uint32_t)rank, lines);
    }
    if (status == RK_OK) status = rk_logs_check(logs, &options, findings, r->error);
    rk_logs_release(logs);
    return status;
}

enum rk_status check_case(const char *path, int line, const char *text, size_t size,
                          struct case_cache *cache, char id[static CASE_ID],
                          struct rk_findings *findings, struct rk_error *error)
{
    const struct reading r = {path, line, error};
    json_error_t json_error;
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &json_error);
    enum rk_status status = RK_OK;
    id[0] = '\0';
    if (!json_is_object(object))
        status = fail(&r, "is not a JSON object: %.200s", object ? "" : json_error.text);
    if (status == RK_OK) {
        snprintf(id, CASE_ID, "%s", text_of(object, "id"));
        status = json_object_get(object, "logs") ? check_logs(&r, object, findings)
                                                 : check_launch(&r, object, cache, findings);
    }
    json_decref(object);
    return status;
}
