/* mcp_tools.c - the tools as a table, their schemas, and the words that a call becomes. */
#include "base/memory.h"
#include "base/text.h"
#include "cli/mcp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define MODEL(needed) {"model", "--model", MCP_STRING, needed, "Model to train: an id of list_models (llama3.1-70b), or the path of a config.json of Hugging Face", NULL}
#define SYSTEM {"system", "--system", MCP_STRING, true, "Machine: an id of list_systems (h100-sxm5-80g), a path, or one line such as \"h100-sxm5-80g x512\"", NULL}
#define GPUS(needed) {"gpus", "--gpus", MCP_INTEGER, needed, "Number of GPUs in use", NULL}
#define PLAN {"plan", NULL, MCP_STRING, false, "Words of a plan, reckon-plan(5): \"tp8 pp4 sp zero1 gbs512 recompute=selective\"", NULL}
#define HEADROOM {"headroom", "--headroom", MCP_STRING, false, "GPU memory to keep free: 8GiB, 10%, learned or none", NULL}
#define FILE_OF(needed) {"file", NULL, MCP_STRING, needed, "Path of a launch script or configuration of Megatron-LM, torchtitan, DeepSpeed, NeMo, axolotl, LLaMA-Factory or another tool that import_launch_file reads", NULL}

const struct mcp_tool mcp_tools[] = {
    {"does_it_fit", "fits", "Does a model fit?",
     "Memory of every pipeline stage by category, what is left of the GPU, and the single changes of the plan that save memory. Without words of a plan, the best plan found is judged.",
     {MODEL(true), SYSTEM, GPUS(false), PLAN, HEADROOM}, false},
    {"predict_step", "predict", "Predict a training step",
     "Step time, memory, throughput and MFU of one plan, with 50 % and 90 % prediction intervals and the measured runs most like it.",
     {MODEL(true), SYSTEM, GPUS(false), PLAN}, false},
    {"find_best_plan", "search", "Find the fastest plans",
     "Searches all splits over tensor, context, pipeline, expert and data parallelism, microbatches, schedules, ZeRO, recomputation and offload. Returns the fastest plans that fit, and counts of plans by outcome.",
     {MODEL(true), SYSTEM, GPUS(true),
      {"batch", "--batch", MCP_INTEGER, true, "Samples per step over all GPUs", NULL},
      {"sequence", "--sequence", MCP_INTEGER, false, "Tokens per sample (default: the model's)", NULL},
      {"framework", "--framework", MCP_STRING, false, "Framework whose defaults apply: megatron, fsdp or deepspeed", NULL},
      {"top", "--top", MCP_INTEGER, false, "Number of plans to return (default: 10)", NULL},
      {"where", "--where", MCP_STRING, false, "Condition on plans, as \"tensor <= 8 and hbm_bytes < 70e9\"", NULL},
      PLAN, HEADROOM}, false},
    {"what_does_money_train", "budget", "Largest model for days and money",
     "The largest dense model, or the most tokens of a given model, that days and US dollars train on a machine, failures and checkpoints included.",
     {SYSTEM, GPUS(true), MODEL(false),
      {"days", "--days", MCP_NUMBER, false, "Most days of training", NULL},
      {"cost", "--cost", MCP_NUMBER, false, "Most US dollars to spend", NULL},
      {"law", "--law", MCP_STRING, false, "Scaling law for tokens: chinchilla or llama3", NULL}, HEADROOM}, false},
    {"longest_sequence", "longest", "Longest sequence",
     "The longest sequence that can be trained, over context, tensor and pipeline parallelism, ZeRO, recomputation and offload.",
     {MODEL(true), SYSTEM, GPUS(false), PLAN, HEADROOM}, false},
    {"predict_inference", "serve", "Predict inference",
     "Time of prompts and tokens, throughput and memory of the key-value cache of a served model.",
     {MODEL(true), SYSTEM, GPUS(false),
      {"batch", "--batch", MCP_INTEGER, false, "Sequences at a time over all GPUs", NULL},
      {"prompt", "--prompt", MCP_INTEGER, false, "Tokens per prompt (default: 2048)", NULL},
      {"generate", "--generate", MCP_INTEGER, false, "Tokens generated per prompt (default: 128)", NULL},
      {"search", "--search", MCP_BOOLEAN, false, "Search layouts for the most tokens per second per GPU", NULL}, PLAN}, false},
    {"compare_plans", "diff", "Compare two plans",
     "Time and memory of two plans, the keys in which they differ, and what each difference is worth. Without b, the best plan found is compared.",
     {{"a", NULL, MCP_STRING, true, "First plan: words, a plan file (.json), or the path of a launch file", NULL},
      {"b", NULL, MCP_STRING, false, "Second plan, or changes of the first, \"+tp4 vpp5\"", NULL},
      SYSTEM, MODEL(false), GPUS(false), HEADROOM}, false},
    {"check_launch", "check", "Check a plan or launch file",
     "Faults and waste of a plan or a launch file before launch: each finding with its rule, severity, line and fix.",
     {{"what", NULL, MCP_STRING, true, "Words of a plan, or the path of a launch file", NULL},
      SYSTEM, MODEL(false), GPUS(false)}, false},
    {"is_my_number_good", "doctor", "Is a measured number good?",
     "Where a measured step time, TFLOP/s, tokens per second or MFU lies in the prediction interval, what most likely explains it, and which single changes bring most. Give the path of a launch file or of a log as file, or words of a plan.",
     {FILE_OF(false), MODEL(false), SYSTEM, GPUS(false),
      {"step", "--step", MCP_NUMBER, false, "Measured seconds per step", NULL},
      {"tflops", "--tflops", MCP_NUMBER, false, "Measured model TFLOP/s per GPU", NULL},
      {"tokens_per_second", "--tokens-per-second", MCP_NUMBER, false, "Measured tokens per second of all GPUs", NULL},
      {"mfu", "--mfu", MCP_NUMBER, false, "Measured model FLOP/s utilization in percent", NULL}, PLAN}, false},
    {"how_well_is_it_covered", "support", "Measured runs that support a prediction",
     "How many measured runs cover this model, GPU, framework and class of plan, and how far blind predictions of them were off.",
     {MODEL(true), SYSTEM, GPUS(false), PLAN}, false},
    {"import_launch_file", "import", "Read another tool's file",
     "Model and plan in a launch script or configuration of Megatron-LM, DeepSpeed, torchtitan, NeMo, axolotl, LLaMA-Factory, MaxText and others, with what was assumed.",
     {{"file", "", MCP_STRING, true, "Path of the file", NULL}, MODEL(false),
      {"system", "--system", MCP_STRING, false, "Machine to predict the plan on: an id of list_systems", NULL}, GPUS(false)}, false},
    {"write_launch_file", "export", "Write a launch file",
     "The launch script or configuration of another tool for a plan, as text.",
     {{"format", "", MCP_STRING, true, "Target of the plan", "megatron|deepspeed|torchtitan|accelerate|nanotron|bridge"},
      MODEL(true), PLAN}, true},
    {"list_models", "models", "List models", "Models of the catalog, or one of them with its shape.",
     {{"id", NULL, MCP_STRING, false, "Id of a model to show (default: list all)", NULL}}, false},
    {"list_systems", "systems", "List systems", "Machines of the catalog, or one of them with its rates.",
     {{"id", NULL, MCP_STRING, false, "Id of a system to show (default: list all)", NULL}}, false},
    {.name = NULL},
};

static const char *const type_names[] = {"string", "integer", "number", "boolean"};
/* clang-format on */

const struct mcp_tool *mcp_tool_find(const char *name)
{
    for (const struct mcp_tool *t = mcp_tools; t->name; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

/* ---- schemas ---- */

static json_t *choices_of(const char *choices)
{
    json_t *list = json_array();
    for (const char *at = choices; at && *at; at += strspn(at, "|")) {
        const size_t n = strcspn(at, "|");
        json_array_append_new(list, json_stringn(at, n));
        at += n;
    }
    return list;
}

static json_t *describe_argument(const struct mcp_argument *a)
{
    json_t *schema = json_pack("{s:s, s:s}", "type", type_names[a->type], "description", a->help);
    if (a->type == MCP_INTEGER) json_object_set_new(schema, "minimum", json_integer(1));
    if (a->type == MCP_NUMBER) json_object_set_new(schema, "exclusiveMinimum", json_integer(0));
    if (a->choices) json_object_set_new(schema, "enum", choices_of(a->choices));
    return schema;
}

static json_t *input_schema(const struct mcp_tool *tool)
{
    json_t *properties = json_object(), *required = json_array();
    for (const struct mcp_argument *a = tool->argument; a->name; a++) {
        json_object_set_new(properties, a->name, describe_argument(a));
        if (a->required) json_array_append_new(required, json_string(a->name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required",
                     required, "additionalProperties", 0);
}

/* What every answer has (mcp_answer.c). */
static json_t *output_schema(void)
{
    static const char text[] =
        "{\"type\": \"object\", \"properties\": {"
        "\"answer\": {\"description\": \"What the command says, in SI units\"},"
        "\"units\": {\"type\": \"object\", \"description\": \"Unit of each key of the answer that "
        "has one\"},"
        "\"ranges\": {\"type\": \"array\", \"items\": {\"type\": \"object\"}, \"description\": "
        "\"Prediction intervals: p5 to p95 hold 90 % of measured runs of the class, p25 to p75 "
        "half\"},"
        "\"assumptions\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},"
        "\"remarks\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}},"
        "\"exit_status\": {\"type\": \"integer\", \"description\": \"0: yes; 1: no plan, or it "
        "does "
        "not fit; 2: not sure\"}},"
        "\"required\": [\"answer\", \"units\", \"ranges\", \"assumptions\", \"remarks\", "
        "\"exit_status\"]}";
    return json_loads(text, 0, NULL);
}

json_t *mcp_tool_describe(const struct mcp_tool *tool)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:{s:b, s:b}}", "name", tool->name, "title",
                     tool->title, "description", tool->help, "inputSchema", input_schema(tool),
                     "outputSchema", output_schema(), "annotations", "readOnlyHint", 1,
                     "openWorldHint", 0);
}

/* ---- a call as words ---- */

static enum rk_status add_word(struct mcp_words *words, const char *name, const char *value,
                               struct rk_error *error)
{
    const size_t size = strlen(name) + strlen(value) + 2;
    char *word = malloc(size);
    if (!word) return no_memory(error);
    snprintf(word, size, "%s%s%s", name, *name ? "=" : "", value);
    words->word[words->count++] = word;
    return RK_OK;
}

static enum rk_status add_file(struct mcp_words *words, const char *name, struct rk_error *error)
{
    char path[1024];
    snprintf(path, sizeof path, "./%s", name);
    return add_word(words, "", path, error);
}

static enum rk_status wrong_type(const struct mcp_argument *a, struct rk_error *error)
{
    static const char *const needs[] = {"a text that is not empty", "a whole number of at least 1",
                                        "a number above 0", "true or false"};
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "argument %s: must be %s", a->name,
                   needs[a->type]);
}

static bool is_choice(const struct mcp_argument *a, const char *text)
{
    const size_t length = strlen(text);
    for (const char *at = a->choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, text, length) == 0 && (at[length] == '|' || !at[length])) return true;
    return !a->choices;
}

/* A whole number may be written 8.0: JSON has one kind of number. */
static bool whole(const json_t *value, long long *n)
{
    const double x = json_number_value(value);
    if (!json_is_number(value) || !(x >= 1) || x > 0x1p53 || x != floor(x)) return false;
    *n = (long long)x;
    return true;
}

static enum rk_status add_argument(const struct mcp_argument *a, const json_t *value,
                                   struct mcp_words *words, struct rk_error *error)
{
    char number[48];
    const char *text = json_string_value(value), *name = a->word ? a->word : "";
    const double x = json_number_value(value);
    long long n;
    switch (a->type) {
    case MCP_STRING:
        if (!text || !*text || strlen(text) != json_string_length(value))
            return wrong_type(a, error);
        if (!is_choice(a, text))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "argument %s: must be one of %s",
                           a->name, a->choices);
        if (a->word && !*a->word && !a->choices && !strchr(text, '/')) /* no option, no format */
            return add_file(words, text, error);
        return add_word(words, name, text, error);
    case MCP_INTEGER:
        if (!whole(value, &n)) return wrong_type(a, error);
        snprintf(number, sizeof number, "%lld", n);
        return add_word(words, name, number, error);
    case MCP_NUMBER:
        if (!json_is_number(value) || !(x > 0) || !isfinite(x)) return wrong_type(a, error);
        snprintf(number, sizeof number, "%.15g", x);
        return add_word(words, name, number, error);
    case MCP_BOOLEAN:
    default:
        if (!json_is_boolean(value)) return wrong_type(a, error);
        return json_is_true(value) ? add_word(words, "", name, error) : RK_OK;
    }
}

/* Those of one kind: the second word of a command, its options, its operands. */
enum kind { SECOND_WORD, OPTIONS, OPERANDS };

static enum kind kind_of(const struct mcp_argument *a)
{
    return !a->word ? OPERANDS : *a->word ? OPTIONS : SECOND_WORD;
}

static enum rk_status add_kind(const struct mcp_tool *tool, const json_t *arguments, enum kind kind,
                               struct mcp_words *words, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (const struct mcp_argument *a = tool->argument; status == RK_OK && a->name; a++) {
        const json_t *value = json_object_get(arguments, a->name);
        const bool given = value && !json_is_null(value);
        if (kind_of(a) != kind) continue;
        if (given)
            status = add_argument(a, value, words, error);
        else if (a->required)
            status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "argument %s is missing: %s",
                             a->name, a->help);
    }
    return status;
}

static enum rk_status only_known(const struct mcp_tool *tool, const json_t *arguments,
                                 struct rk_error *error)
{
    const char *names[MCP_ARGUMENTS + 1] = {NULL}, *key;
    char quoted[TEXT_QUOTE];
    json_t *value;
    int count = 0;
    for (const struct mcp_argument *a = tool->argument; a->name; a++)
        names[count++] = a->name;
    json_object_foreach((json_t *)arguments, key, value)
    {
        int i = 0;
        while (i < count && strcmp(names[i], key) != 0)
            i++;
        if (i < count) continue;
        const char *near = text_nearest(key, names);
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "argument %s is not known%s%s%s",
                       text_quote(quoted, key, strlen(key)), near ? ": did you mean " : "",
                       near ? near : "", near ? "?" : ": see the tool's inputSchema");
    }
    return RK_OK;
}

enum rk_status mcp_words_of(const struct mcp_tool *tool, const json_t *arguments,
                            struct mcp_words *words, struct rk_error *error)
{
    *words = (struct mcp_words){.count = 0};
    if (arguments && !json_is_object(arguments))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "arguments: must be an object");
    enum rk_status status = only_known(tool, arguments, error);
    if (status == RK_OK) status = add_word(words, "", tool->command, error);
    if (status == RK_OK) status = add_kind(tool, arguments, SECOND_WORD, words, error);
    if (status == RK_OK) status = add_kind(tool, arguments, OPTIONS, words, error);
    if (status == RK_OK && !tool->as_text) status = add_word(words, "--format", "json", error);
    if (status == RK_OK) status = add_word(words, "", "--", error);
    if (status == RK_OK) status = add_kind(tool, arguments, OPERANDS, words, error);
    return status;
}

void mcp_words_release(struct mcp_words *words)
{
    while (words->count)
        free(words->word[--words->count]);
}
