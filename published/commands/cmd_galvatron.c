/* reckon galvatron: the published search of layer-wise strategies [wang2024], with its profiles and
 * its strategy files. */
#include "base/memory.h"
#include "commands/galvatron.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the commands share ---- */

/* clang-format off */
#define QUESTION(member) offsetof(struct question_args, member)
const struct option galvatron_question_options[] = {
    {.name = "profiles", .type = OPTION_TEXT, .argument = "FILE", .offset = QUESTION(profiles), .complete = "file",
     .help = "Profiles of models and machines: {\"models\": {...}, \"hardware\": {...}}"},
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "NAME", .offset = QUESTION(model),
     .help = "Model of FILE (default: the only one)"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "NAME", .offset = QUESTION(system),
     .help = "Machine of FILE (default: the only one)"},
    {.name = NULL},
};
const struct option_word galvatron_question_words[] = {
    {"layers=N,N",           "Number of layers of each kind", true},
    {"sequence=N,N",         "Tokens per sample, for each kind", true},
    {"memory_GB=N",          "Memory of a rank; above 20 a fifth is reserved for the allocator", true},
    {"batch=N",              "Samples per step; or min_bsz, max_bsz and bsz_scale: every batch of a range (default: 8, 8, 8)", true},
    {"chunks=N",             "Number of microbatches (default: every divisor of the batch)", true},
    {"fine_grained=0|1",     "1: choose a strategy for each layer, 0: one for all layers (default: 1)", true},
    {"default_dp_type=TYPE", "Data parallelism other than ZeRO-3: ddp or zero2 (default: ddp)", true},
    {"pipeline_type=TYPE",   "Schedule: gpipe, or pipedream_flush for 1F1B (default: gpipe)", true},
    {"async_grad_reduce=B",  "true: reduce the gradients of each chunk at once (default: true)", true},
    {"precision=TYPE",       "Precision: bf16, fp16 or fp32 (default: bf16)", true},
    {"max_pp_deg=N",         "Largest degrees: of pipeline, max_tp_deg of tensor, max_sp_deg of Ulysses (default: 8)", true},
    {"disable_X=1",          "Leave out X: pp, tp, sp, dp, fsdp (ZeRO-3), ckpt (recomputation), embedding_lmhead_tp, embedding_lmhead_sp", true},
    {"transition_scale=X",   "Scale of layout-change costs: 1e-7 as published, 1e-9 by their units (default: 1e-7)", true},
    {.spelling = NULL},
};
/* clang-format on */

enum rk_status galvatron_no_memory(struct rk_error *error)
{
    return no_memory(error);
}

/* A value as JSON has it: a list where there is a comma, or the key is one of lists. */
static json_t *value_of(const char *key, const char *text)
{
    const bool list = strcmp(key, "layers") == 0 || strcmp(key, "sequence") == 0;
    char *buffer = NULL;
    json_t *value = NULL;
    if (asprintf(&buffer, list ? "[%s]" : "%s", text) >= 0)
        value = json_loads(buffer, JSON_DECODE_ANY, NULL);
    free(buffer);
    return value ? value : json_string(text);
}

/* The only name in a group of profiles, where none was given. */
static enum rk_status only_name(const struct document *profiles, const char *group,
                                const char **name, struct rk_error *error)
{
    const struct place root = place_root(profiles);
    struct place member;
    if (*name) return RK_OK;
    if (place_member(&root, group, &member) && json_object_size(member.value) == 1) {
        *name = json_object_iter_key(json_object_iter(member.value));
        return RK_OK;
    }
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "%s has several, or none, under \"%s\": name one with %s", profiles->path, group,
                   group[0] == 'm' ? "--model" : "--system");
}

/* The words KEY=VALUE as a document, so that they are read and refused as a file of cases is. */
enum rk_status galvatron_read_words(struct question_args *args, const struct document *profiles,
                                    struct galvatron_question *question, struct rk_error *error)
{
    struct document words = {.text = NULL};
    json_t *input = json_object();
    char *text = NULL;
    enum rk_status status = only_name(profiles, "models", &args->model, error);
    if (status == RK_OK) status = only_name(profiles, "hardware", &args->system, error);
    if (status == RK_OK) {
        json_object_set_new(input, "model", json_string(args->model));
        json_object_set_new(input, "hardware", json_string(args->system));
    }
    for (int i = 0; status == RK_OK && i < args->keys.count; i++) {
        const char *word = args->keys.text[i], *equals = strchr(word, '=');
        char key[64];
        if (!equals || equals - word >= (int)sizeof key) {
            status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                             "\"%.80s\" is not a word KEY=VALUE", word);
            break;
        }
        snprintf(key, sizeof key, "%.*s", (int)(equals - word), word);
        json_object_set_new(input, key, value_of(key, equals + 1));
    }
    if (status == RK_OK && !(text = json_dumps(input, JSON_COMPACT)))
        status = galvatron_no_memory(error);
    if (status == RK_OK) status = document_parse("the words", text, strlen(text), &words, error);
    if (status == RK_OK) {
        const struct place root = place_root(&words);
        status = galvatron_read_question(&root, question, error);
        if (status == RK_BAD_INPUT) { /* a line of words has no line and column */
            error->line = error->column = 0;
            error->status = status = RK_BAD_ARGUMENT;
        }
    }
    document_release(&words);
    json_decref(input);
    free(text);
    return status;
}

enum rk_status galvatron_want(const char *value, const char *name, const char *what,
                              struct rk_error *error)
{
    if (value) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "give --%s FILE: %s", name, what);
}

/* ---- an answer ---- */

static const struct report_column answer_columns[] = {
    {.name = "samples_per_s", .digits = 7},
    {.name = "step_s", .unit = "s", .digits = 4},
    {.name = "batch"},
    {.name = "chunks", .help = "microbatches"},
    {.name = "pipeline", .help = "stages"},
    {.name = "embedding", .help = "pipeline-split-data of embedding and head"},
};
static const struct report_column stage_columns[] = {
    {.name = "stage"},   {.name = "first_layer"}, {.name = "layers"},
    {.name = "used_MB"}, {.name = "left_MB"},
};
static const struct report_column layer_columns[] = {
    {.name = "layers"},  {.name = "strategy"}, {.name = "pipeline"}, {.name = "tensor"},
    {.name = "ulysses"}, {.name = "data"},     {.name = "zero3"},    {.name = "recompute"},
};
void galvatron_report(struct report *report, const struct galvatron_answer *answer)
{
    char name[GALVATRON_NAME];
    struct report_table *whole =
        REPORT_ONE(report, NULL, NULL, REPORT_IN_TEXT | REPORT_IN_JSON, answer_columns);
    REPORT_ROW(report, whole, answer->step_s > 0 ? cell_number(answer->samples_per_s) : cell_none(),
               answer->step_s > 0 ? cell_number(answer->step_s) : cell_none(),
               cell_count((uint64_t)answer->batch), cell_count((uint64_t)answer->chunks),
               cell_count((uint64_t)answer->stages),
               cell_text(report_text(report, "%s", galvatron_name(name, &answer->embedding))));
    struct report_table *layers =
        REPORT_LIST(report, "layers", "Layers", REPORT_IN_ALL, layer_columns);
    for (int i = 0, next; i < answer->layers; i = next) {
        const struct galvatron_strategy *one = &answer->layer[i];
        for (next = i + 1; next < answer->layers; next++)
            if (!galvatron_same(one, &answer->layer[next])) break;
        REPORT_ROW(report, layers, cell_count((uint64_t)(next - i)),
                   cell_text(report_text(report, "%s", galvatron_name(name, one))),
                   cell_count((uint64_t)one->pipeline), cell_count((uint64_t)one->tensor),
                   cell_count((uint64_t)one->ulysses), cell_count((uint64_t)one->data),
                   cell_flag(one->zero == GALVATRON_ZERO3), cell_flag(one->recompute));
    }
    struct report_table *stages =
        REPORT_LIST(report, "stages", "Stages", REPORT_IN_TEXT | REPORT_IN_JSON, stage_columns);
    for (int i = 0, first = 0; i < answer->stages; first += answer->division[i], i++)
        REPORT_ROW(report, stages, cell_count((uint64_t)i), cell_count((uint64_t)first),
                   cell_count((uint64_t)answer->division[i]),
                   answer->used_MB ? cell_count((uint64_t)answer->used_MB[i]) : cell_none(),
                   answer->left_MB ? cell_number(answer->left_MB[i]) : cell_none());
}

/* ---- the command ---- */

static const struct command galvatron_commands[] = {
    {"search", run_galvatron_search, "run the published search of a strategy for each layer",
     &galvatron_search_usage},
    {"check", run_galvatron_check, "read a strategy file and time it by Galvatron's cost model",
     &galvatron_check_usage},
    {"plan", run_galvatron_plan, "convert a strategy file to a plan", &galvatron_plan_usage},
    {"collect", run_galvatron_collect, "merge Galvatron's profile files into one",
     &galvatron_collect_usage},
    {"strategies", run_galvatron_list, "list the ways to run a layer that the search considers",
     &galvatron_list_usage},
    {"profile", run_galvatron_profile, "write predicted profiles in Galvatron's format",
     &galvatron_profile_usage},
    {.name = NULL},
};

const struct usage galvatron_usage = {
#include "help/galvatron.h"
    .groups = {{"General", options_help_rows, 0}},
    .commands = galvatron_commands,
};

int cmd_galvatron(int argc, char **argv)
{
    return options_run_command(&galvatron_usage, argc, argv);
}
