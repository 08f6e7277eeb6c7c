/* reckon mcp: the questions as tools of the Model Context Protocol, on standard input and output.
 *
 * A message is a line of JSON-RPC 2.0 [mcp]. Requests are answered in their order; a message that
 * is wrong is answered with an error and never ends the server, which the end of the input does. */
#include "base/limits.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/mcp.h"

#include <stdlib.h>
#include <string.h>

struct mcp_args {
    double limit_s;
};

#define AT(member) .offset = offsetof(struct mcp_args, member)

/* clang-format off */
static const struct option mcp_rows[] = {
    {.name = "limit", .type = OPTION_COUNT, .argument = "SECONDS", AT(limit_s)},
    {.name = NULL},
};

const struct usage mcp_usage = {
#include "help/mcp.h"
    .groups = {
        {"Calls", mcp_rows, 0},
        {"General", options_help_rows, 0},
    },
};

/* Newest first: what a client asks for, if it is here, else the newest. */
static const char *const versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL};
/* clang-format on */

enum { PARSE_ERROR = -32700, BAD_REQUEST = -32600, NO_METHOD = -32601, BAD_PARAMS = -32602 };
enum { INTERNAL = -32603 };

/* ---- messages ---- */

static void send_message(json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    if (text) puts(text);
    fflush(stdout);
    free(text);
    json_decref(message);
}

static json_t *error_message(json_t *id, int code, const char *text)
{
    return json_pack("{s:s, s:O, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id, "error", "code", code,
                     "message", text);
}

/* Takes the result over. */
static json_t *result_message(json_t *id, json_t *result)
{
    return result ? json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result)
                  : error_message(id, INTERNAL, "out of memory");
}

/* ---- methods ---- */

static json_t *initialize(const json_t *params)
{
    const char *asked = json_string_value(json_object_get(params, "protocolVersion"));
    const char *version = versions[0];
    for (const char *const *v = versions; asked && *v; v++)
        if (strcmp(*v, asked) == 0) version = *v;
    return json_pack("{s:s, s:{s:{s:b}}, s:{s:s, s:s, s:s}, s:s}", "protocolVersion", version,
                     "capabilities", "tools", "listChanged", 0, "serverInfo", "name", "reckon",
                     "title", "Reckon", "version", RECKON_VERSION, "instructions",
                     "Predicts time, memory and cost of training large language models. Values are "
                     "in SI units; report the ranges and the assumptions with them.");
}

static json_t *list_tools(void)
{
    json_t *list = json_array();
    for (const struct mcp_tool *t = mcp_tools; t->name; t++)
        json_array_append_new(list, mcp_tool_describe(t));
    return json_pack("{s:o}", "tools", list);
}

static json_t *run_tool(const struct mcp_tool *tool, const json_t *arguments, double limit_s)
{
    struct mcp_words words;
    struct mcp_output output = {.code = -1};
    struct rk_error error;
    enum rk_status status = mcp_words_of(tool, arguments, &words, &error);
    if (status == RK_OK) status = mcp_run(&words, limit_s, &output, &error);
    json_t *result = status == RK_OK ? mcp_result(tool, &output) : mcp_failure(error.text);
    mcp_output_release(&output);
    mcp_words_release(&words);
    return result;
}

static json_t *call_tool(json_t *id, const json_t *params, double limit_s)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    const struct mcp_tool *tool = name ? mcp_tool_find(name) : NULL;
    if (!name) return error_message(id, BAD_PARAMS, "params.name: a tool's name is needed");
    if (!tool) return error_message(id, BAD_PARAMS, "params.name: no such tool: see tools/list");
    return result_message(id, run_tool(tool, json_object_get(params, "arguments"), limit_s));
}

static json_t *answer_method(json_t *id, const char *method, const json_t *params, double limit_s)
{
    if (strcmp(method, "initialize") == 0) return result_message(id, initialize(params));
    if (strcmp(method, "ping") == 0) return result_message(id, json_object());
    if (strcmp(method, "tools/list") == 0) return result_message(id, list_tools());
    if (strcmp(method, "tools/call") == 0) return call_tool(id, params, limit_s);
    return error_message(id, NO_METHOD,
                         "no such method: initialize, ping, tools/list and tools/call are served");
}

/* A message that has no id wants no answer; NULL: none. */
static json_t *answer(const json_t *message, double limit_s)
{
    json_t *id = json_object_get(message, "id"), *nobody = json_null();
    const char *version = json_string_value(json_object_get(message, "jsonrpc"));
    const char *method = json_string_value(json_object_get(message, "method"));
    const bool named = json_is_string(id) || json_is_number(id);
    const json_t *params = json_object_get(message, "params");
    const bool reply = json_object_get(message, "result") || json_object_get(message, "error");
    if (reply && !method) return NULL;
    if (!json_is_object(message) || !version || strcmp(version, "2.0") != 0 || !method ||
        (id && !named))
        return error_message(named ? id : nobody, BAD_REQUEST,
                             "not a request of JSON-RPC 2.0: \"jsonrpc\": \"2.0\", a method and an "
                             "id (a text or a number) are needed");
    if (!id) return NULL;
    if (params && !json_is_object(params))
        return error_message(id, BAD_PARAMS, "params: must be an object");
    return answer_method(id, method, params, limit_s);
}

/* Several messages in one line, as the protocol of 2025-03-26 has them. */
static json_t *answer_all(const json_t *messages, double limit_s)
{
    json_t *answers = json_array(), *message;
    size_t i;
    json_array_foreach(messages, i, message)
    {
        json_t *one = answer(message, limit_s);
        if (one) json_array_append_new(answers, one);
    }
    if (json_array_size(answers)) return answers;
    json_decref(answers);
    return NULL;
}

static void take_line(const char *line, size_t length, double limit_s)
{
    json_error_t wrong;
    char text[sizeof wrong.text + 64];
    json_t *message = json_loadb(line, length, JSON_ALLOW_NUL, &wrong);
    if (!message) {
        snprintf(text, sizeof text, "not JSON: %s", wrong.text);
        send_message(error_message(json_null(), PARSE_ERROR, text));
        return;
    }
    const bool several = json_is_array(message) && json_array_size(message);
    json_t *reply = several ? answer_all(message, limit_s) : answer(message, limit_s);
    if (reply) send_message(reply);
    json_decref(message);
}

/* ---- lines ---- */

/* The next line without its end; a line that is too long is read to its end and NULL with
 * `*length` above MOST_MESSAGE_BYTES. False: the input ended. */
static bool next_line(char **line, size_t *room, size_t *length)
{
    int c = EOF;
    for (*length = 0; (c = getchar()) != EOF && c != '\n'; ++*length) {
        if (*length > MOST_MESSAGE_BYTES) continue;
        if (!ARRAY_RESERVE(*line, *room, *length + 1)) return false;
        (*line)[*length] = (char)c;
    }
    return c != EOF || *length > 0;
}

static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r", line[i]) || !line[i]) return false;
    return true;
}

int cmd_mcp(int argc, char **argv)
{
    struct mcp_args args = {.limit_s = 120};
    char *line = NULL;
    size_t room = 0, length;
    const int done = options_read(&mcp_usage, argc, argv, &args);
    if (done >= 0) return done;
    while (!ferror(stdout) && next_line(&line, &room, &length)) {
        if (length > MOST_MESSAGE_BYTES)
            send_message(
                error_message(json_null(), BAD_REQUEST, "the message is longer than 8 MiB"));
        else if (!is_blank(line, length))
            take_line(line, length, args.limit_s);
    }
    free(line);
    return RK_OK;
}
