/* mcp_answer.c - what a command printed as the result of a tool: the answer itself, the units of
 * its keys, the prediction intervals in it, what was assumed. */
#include "cli/mcp.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of answers end in their unit (report.h); what ends in none of these is a count, a share, or
 * a name. The longest ending that fits holds. */
/* clang-format off */
static const struct { const char *ending, *unit; } units[] = {
    {"tokens_per_s_per_gpu", "tokens/s per GPU"}, {"tokens_per_s", "tokens/s"}, {"samples_per_s", "samples/s"},
    {"_FLOPps", "FLOP/s"}, {"_flops", "FLOP/s"}, {"_flop", "FLOP"}, {"_Bps", "B/s"}, {"_bytes", "B"},
    {"_GiB", "GiB"}, {"_percent", "%"}, {"_tflops", "TFLOP/s per GPU"}, {"_days", "days"}, {"_usd", "US dollars"},
    {"_kWh", "kWh"}, {"_W", "W"}, {"_us", "us"}, {"_ms", "ms"}, {"_s", "s"},
};
/* clang-format on */

static const char *unit_of(const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t n = strlen(units[i].ending);
        if (length >= n && strcmp(key + length - n, units[i].ending) == 0) return units[i].unit;
    }
    return NULL;
}

struct found {
    json_t *units, *ranges, *assumptions;
};

/* "batch 256 (4 for each GPU, ...), precision bf16": commas in brackets are not ends. */
static void add_assumptions(json_t *list, const char *text)
{
    int open = 0;
    for (const char *from = text, *at = text; *from; at++) {
        open += (*at == '(') - (*at == ')');
        if (*at && (*at != ',' || open > 0)) continue;
        if (at > from) json_array_append_new(list, json_stringn(from, (size_t)(at - from)));
        from = at + (*at == ',');
        from += strspn(from, " ");
        at = from - (*from != '\0');
        if (!*from) break;
    }
}

/* An interval has the shares of measured runs that lie below: error_bar, memory_error_bar, ... */
static void add_range(json_t *list, const char *key, const json_t *range)
{
    json_t *copy = json_copy((json_t *)range);
    json_object_set_new(copy, "of", json_string(key));
    json_object_set_new(copy, "quantity",
                        json_string(strncmp(key, "memory", 6) == 0 ? "peak memory" : "step time"));
    json_object_set_new(copy, "unit", json_string(strncmp(key, "memory", 6) == 0 ? "B" : "s"));
    json_array_append_new(list, copy);
}

static void look_at(const char *key, json_t *value, const struct found *found);

static void look_into(json_t *value, const struct found *found)
{
    const char *key;
    json_t *member;
    size_t i;
    json_object_foreach(value, key, member) look_at(key, member, found);
    json_array_foreach(value, i, member) look_at("", member, found);
}

static void look_at(const char *key, json_t *value, const struct found *found)
{
    const char *unit = json_is_number(value) ? unit_of(key) : NULL;
    const char *text = json_string_value(value);
    if (unit) json_object_set_new(found->units, key, json_string(unit));
    if (text && strcmp(key, "assumed") == 0) add_assumptions(found->assumptions, text);
    if (json_object_get(value, "p5") && json_object_get(value, "p95"))
        add_range(found->ranges, key, value);
    look_into(value, found);
}

/* Lines of standard error, without the program's name. */
static json_t *remarks_of(const char *text)
{
    json_t *list = json_array();
    for (const char *at = text; at && *at; at += strspn(at, "\n")) {
        const size_t whole = strcspn(at, "\n");
        const size_t name = strncmp(at, "reckon: ", 8) == 0 ? 8 : 0;
        json_t *line = json_stringn(at + name, whole - name); /* NULL: no UTF-8 */
        if (line) json_array_append_new(list, line);
        at += whole;
    }
    return list;
}

static json_t *with_text(json_t *structured, const char *text, bool failed)
{
    json_t *result = json_pack("{s:[{s:s, s:s}], s:b}", "content", "type", "text", "text", text,
                               "isError", failed);
    if (result && structured) json_object_set(result, "structuredContent", structured);
    return result;
}

json_t *mcp_failure(const char *text)
{
    return with_text(NULL, text, true);
}

/* Failures say what the command said, or what stopped it. */
static json_t *failure(const struct mcp_output *output)
{
    json_t *remarks = remarks_of(output->remarks);
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", output->why), i;
    json_t *line;
    json_array_foreach(remarks, i, line)
    {
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? "\n" : "",
                                     json_string_value(line));
    }
    json_decref(remarks);
    return mcp_failure(*text ? text : "the command failed without a message");
}

json_t *mcp_result(const struct mcp_tool *tool, const struct mcp_output *output)
{
    const char *text = output->text ? output->text : "";
    json_t *answer = NULL;
    if (output->code >= 0 && output->code <= 2)
        answer = tool->as_text
                     ? (*text ? json_pack("{s:s}", "text", text) : NULL)
                     : json_loadb(text, output->bytes, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (!answer) return failure(output); /* a wrong word has no answer either */
    const struct found found = {json_object(), json_array(), json_array()};
    look_into(answer, &found);
    json_t *structured =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:i}", "answer", answer, "units", found.units,
                  "ranges", found.ranges, "assumptions", found.assumptions, "remarks",
                  remarks_of(output->remarks), "exit_status", output->code);
    char *dumped = structured ? json_dumps(structured, JSON_COMPACT) : NULL;
    json_t *result = dumped ? with_text(structured, dumped, false) : NULL;
    free(dumped);
    json_decref(structured);
    return result;
}
