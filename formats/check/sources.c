/* sources.c - from the text of a plan, or of another tool's file, to findings. */
#include "check/sources.h"
#include "base/memory.h"
#include "base/text.h"
#include "catalog/hosts.h"
#include "catalog/plan_fields.h"
#include "check/findings.h"
#include "check/launch.h"
#include "check/memory.h"
#include "check/variables.h"
#include "keys/reader.h"
#include "keys/settings_check.h"
#include "megatron/megatron.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what they share ---- */

static void take_some(const struct notes *notes, int from, int to, struct rk_findings *findings)
{
    for (int i = from; i < to; i++) {
        const struct rk_finding *note = &notes->note[i];
        const bool bad = note->severity == NOTE_REFUSED || note->severity == NOTE_UNKNOWN;
        const bool known = *note->rule && rk_rules()[rule_index(note->rule)].id;
        const bool told = note->severity == NOTE_WARNING; /* as reckon import prints it */
        const bool warns = told && !known; /* one with a rule of its own is a fault here */
        const char *rule = warns ? "12.effect" : note->rule;
        if (!(bad || told) || !(known || warns)) continue;
        struct rk_finding *finding = findings_add(findings, rule);
        *finding = *note;
        snprintf(finding->rule, sizeof finding->rule, "%s", rule);
        finding->severity = warns ? RK_IGNORED : RK_ERROR;
    }
}

void check_take_notes(const struct notes *notes, int from, struct rk_findings *findings)
{
    take_some(notes, from, notes->count, findings);
    if (!from) findings->dropped += notes->dropped;
}

void judge_plan(const struct rk_check_input *input, const struct rk_model *model,
                const struct rk_plan *plan, const struct rk_launch *launch, place_finding *place,
                const void *context, struct rk_findings *findings)
{
    struct rk_findings *more = calloc(1, sizeof *more);
    if (!more) return;
    rk_check_plan(model, input->system, plan, launch, more);
    for (int i = 0; place && i < more->count; i++)
        place(context, &more->finding[i]);
    findings_merge(findings, more->finding, more->count);
    findings->dropped += more->dropped;
    findings_settle(findings);
    free(more);
}

struct rk_system with_host(const struct rk_system *system, struct rk_memory memories[2])
{
    struct rk_system with = *system;
    if (system->memories > 1) return with;
    memories[0] = memories[1] = system->memory[0];
    memories[1].capacity_bytes = CHECK_HOST_BYTES;
    with.memory = memories;
    with.memories = 2;
    return with;
}

bool check_offloads(const struct rk_plan *plan)
{
    for (int i = 0; i < RK_SHARES; i++)
        if (rk_plan_offloaded(plan, (enum rk_share)i) > 0) return true;
    return false;
}

/* The file's ranks are those that are launched. */
static void compare_ranks(const struct rk_check_input *input, const char *what, uint64_t ranks,
                          struct rk_findings *findings)
{
    if (!input->gpus || input->gpus == ranks) return;
    struct rk_finding *f = findings_add(findings, "2.product");
    snprintf(f->what, sizeof f->what, "%s", what);
    snprintf(f->have, sizeof f->have, "%" PRIu64, ranks);
    snprintf(f->need, sizeof f->need, "%" PRIu64 " ranks are launched", input->gpus);
    snprintf(f->fix, sizeof f->fix, "make them agree");
}

/* ---- words and files of plans ---- */

static void place_key(const void *context, struct rk_finding *finding)
{
    const struct plan_draft *draft = context;
    for (int row = 0; plan_fields[row].key; row++) {
        if (!plan_fields[row].word || strcmp(plan_fields[row].key, finding->what) != 0) continue;
        finding->line = draft->at[row].line;
        finding->column = draft->at[row].column;
        if (!*draft->path)
            snprintf(finding->what, sizeof finding->what, "%s", plan_fields[row].word);
        return;
    }
}

/* What was not said is as `reckon predict` takes it. */
static void settle_draft(const struct rk_check_input *input, struct plan_draft *draft)
{
    if (!plan_given(draft, "gpus") && !draft->data && input->gpus) {
        draft->plan.ranks = input->gpus;
        draft->given[plan_row("gpus")] = true;
    }
    if (input->system) plan_take_system(draft, input->system);
    plan_take_checkpoint(draft, input->named);
    plan_imply(draft);
}

static enum rk_status judge_draft(const struct rk_check_input *input, struct plan_draft *draft,
                                  struct rk_findings *findings, struct rk_error *error)
{
    struct plan_fault fault;
    struct rk_launch launch = input->launch;
    settle_draft(input, draft);
    if (!plan_derive(draft, &fault)) {
        struct rk_finding *f = findings_add(findings, "1.value");
        snprintf(f->what, sizeof f->what, "%s", plan_fields[fault.row].key);
        snprintf(f->need, sizeof f->need, "%.200s", fault.text);
        return RK_OK;
    }
    const struct rk_plan *p = &draft->plan;
    compare_ranks(input, "gpus", p->ranks, findings);
    if (draft->data && draft->data * p->tensor * p->context * p->pipeline != p->ranks) {
        struct rk_finding *f = findings_add(findings, "2.product");
        snprintf(f->what, sizeof f->what, "data");
        snprintf(f->have, sizeof f->have, "%" PRIu64, draft->data);
        snprintf(f->need, sizeof f->need,
                 "tensor %" PRIu64 " * context %" PRIu64 " * pipeline %" PRIu64
                 " * data are not %" PRIu64 " ranks",
                 p->tensor, p->context, p->pipeline, p->ranks);
        snprintf(f->fix, sizeof f->fix, "leave data out, or gpus");
    }
    if (rk_plan_layout(p)->splits && (p->first_layers || p->last_layers)) {
        struct rk_finding *f = findings_add(findings, "12.excludes");
        snprintf(f->what, sizeof f->what, "split");
        snprintf(f->need, sizeof f->need, "says what first_layers and last_layers say");
        snprintf(f->fix, sizeof f->fix, "leave one out");
    }
    if (p->recompute_parts && p->recompute != RK_SELECTIVE) {
        struct rk_finding *f = findings_add(findings, "12.needs");
        snprintf(f->what, sizeof f->what, "recompute_parts");
        snprintf(f->need, sizeof f->need, "need selective recomputation");
        snprintf(f->fix, sizeof f->fix, "give recompute=selective");
    }
    if (!input->model)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "a plan needs a model: give --model");
    launch.pads = launch.lone_ends = true; /* as the frameworks' own files have it */
    judge_plan(input, input->model, p, &launch, place_key, draft, findings);
    return RK_OK;
}

static enum rk_status read_file(const struct rk_check_input *input, struct document *document,
                                struct plan_draft *draft, struct rk_error *error)
{
    const enum rk_status status =
        document_parse(input->path, input->text, input->size, document, error);
    return status == RK_OK ? plan_read(document, draft, error) : status;
}

bool check_draft(const struct rk_check_input *input, struct plan_draft *draft)
{
    struct document document = {.root = NULL};
    struct rk_error ignored;
    const bool words = strcmp(input->format, "words") == 0;
    if (!words && strcmp(input->format, "plan") != 0) return false;
    *draft = plan_draft();
    const enum rk_status status = words ? plan_read_words(input->text, draft, &ignored)
                                        : read_file(input, &document, draft, &ignored);
    document_release(&document);
    if (status == RK_OK) settle_draft(input, draft);
    return status == RK_OK;
}

static void blame_word(struct rk_findings *findings, const char *rule, int column, const char *word,
                       size_t length, const char *text)
{
    struct rk_finding *f = findings_add(findings, rule);
    f->line = 1;
    f->column = column;
    snprintf(f->what, sizeof f->what, "%.*s", (int)(length < 60 ? length : 60), word);
    snprintf(f->need, sizeof f->need, "%.200s", text);
}

/* Each word alone, so that all that are wrong are found. */
static void judge_words(const char *text, struct rk_findings *findings)
{
    bool given[PLAN_MAX_FIELDS] = {false};
    struct plan_draft *alone = malloc(sizeof *alone);
    char *word = malloc(strlen(text) + 1);
    for (const char *at = text; alone && word;) {
        struct rk_error error;
        at += strspn(at, " \t\r\n");
        const size_t n = strcspn(at, " \t\r\n");
        if (!n) break;
        memcpy(word, at, n);
        word[n] = '\0';
        *alone = plan_draft();
        const int column = text_column(text, at);
        if (plan_read_words(word, alone, &error) == RK_OK) {
            for (int row = 0; plan_fields[row].key; row++) {
                if (alone->words[row] && given[row])
                    blame_word(findings, "1.twice", column, at, n, "is given twice: leave one out");
                given[row] |= alone->words[row];
            }
        } else {
            const bool known = plan_is_word(word, n);
            const bool of_all = known && strstr(error.text, "one for each virtual stage");
            if (of_all) { /* right with other words, perhaps */
                at += n;
                continue;
            }
            blame_word(findings, known ? "1.value" : "1.unknown", column, at, n, error.text);
        }
        at += n;
    }
    free(word);
    free(alone);
}

enum rk_status check_words(const struct rk_check_input *input, struct rk_findings *findings,
                           struct rk_error *error)
{
    struct plan_draft *draft = malloc(sizeof *draft);
    if (!draft) return no_memory(error);
    judge_words(input->text, findings);
    enum rk_status status = RK_OK;
    if (!rk_findings_errors(findings)) {
        *draft = plan_draft();
        if (plan_read_words(input->text, draft, error) == RK_OK)
            status = judge_draft(input, draft, findings, error);
        else /* words that are right alone */
            blame_word(findings, strstr(error->text, "entries") ? "2.lists" : "1.value",
                       error->column, "plan", 4, error->text);
    }
    free(draft);
    return status;
}

static int row_of(const char *key)
{
    int row = 0;
    while (plan_fields[row].key && strcmp(plan_fields[row].key, key) != 0)
        row++;
    return row;
}

static const char *nearest_key(const char *key)
{
    const char *names[PLAN_MAX_FIELDS + 1];
    int count = 0;
    for (; plan_fields[count].key; count++)
        names[count] = plan_fields[count].key;
    names[count] = NULL;
    return text_nearest(key, names);
}

static void judge_key(const struct place *root, const char *key, struct plan_draft *spare,
                      struct rk_findings *findings)
{
    const struct field *field = &plan_fields[row_of(key)];
    struct place member;
    struct rk_error error;
    char prefix[80];
    place_member(root, key, &member);
    if (field->key && field_load(&member, field, spare, &error) == RK_OK) return;
    if (!field->key) place_fail_key(&member, &error, "is not known");
    const size_t n = (size_t)snprintf(prefix, sizeof prefix, "%.60s: ", key);
    struct rk_finding *f = findings_add(findings, field->key ? "1.value" : "1.unknown");
    const char *nearest = field->key ? NULL : nearest_key(key);
    f->line = error.line;
    f->column = error.column;
    snprintf(f->what, sizeof f->what, "%.60s", key);
    snprintf(f->need, sizeof f->need, "%.200s",
             strncmp(error.text, prefix, n) == 0 ? error.text + n : error.text);
    if (nearest) snprintf(f->fix, sizeof f->fix, "did you mean %s?", nearest);
}

/* Each key alone, so that all that are wrong are found. */
static void judge_keys(const struct document *document, struct rk_findings *findings)
{
    const struct place root = place_root(document);
    const char *key;
    json_t *value;
    struct plan_draft *spare = malloc(sizeof *spare);
    if (spare) *spare = plan_draft();
    if (spare && json_is_object(root.value))
        json_object_foreach(root.value, key, value) judge_key(&root, key, spare, findings);
    free(spare);
}

enum rk_status check_plan_file(const struct rk_check_input *input, struct rk_findings *findings,
                               struct rk_error *error)
{
    struct document document = {.root = NULL};
    struct plan_draft *draft = malloc(sizeof *draft);
    if (!draft) return no_memory(error);
    enum rk_status status = read_file(input, &document, draft, error);
    if (status == RK_OK)
        status = judge_draft(input, draft, findings, error);
    else if (document.root)
        judge_keys(&document, findings);
    if (rk_findings_errors(findings)) status = RK_OK;
    document_release(&document);
    free(draft);
    return status;
}

/* ---- Megatron-LM ---- */

static void place_flag(const void *context, struct rk_finding *finding)
{
    const struct megatron_import *import = context;
    megatron_place(import, finding);
}

/* What the script leaves to the environment of the job. */
static void note_queues(const struct rk_check_input *input, const struct megatron_import *import,
                        struct rk_findings *findings)
{
    static const struct rk_variable none[] = {{NULL, NULL}};
    const struct rk_launch launch = {.environment = none, .sharded_torch = import->fsdp};
    const int before = findings->count;
    check_environment(input->system, &import->plan, &launch, findings);
    for (int i = before; i < findings->count; i++)
        findings->finding[i].severity = RK_ASSUMED;
}

static void judge_import(const struct rk_check_input *input, const struct megatron_import *import,
                         struct rk_findings *findings)
{
    struct rk_check_input with = *input;
    struct rk_launch launch = input->launch;
    struct rk_memory memories[2];
    struct rk_system host;
    const struct rk_variable connections[] = {{"CUDA_DEVICE_MAX_CONNECTIONS", import->connections},
                                              {NULL, NULL}};
    if (!launch.environment && *import->connections) launch.environment = connections;
    launch.sharded_torch = import->fsdp;
    launch.group = import->group;
    launch.lone_ends = true;
    launch.pads = import->plan.vocabulary_multiple > 0;
    if (check_offloads(&import->plan)) {
        host = with_host(input->system, memories);
        with.system = &host;
    }
    struct rk_plan plan = import->plan;
    if (input->system) plan_attend_on(&plan, input->system);
    judge_plan(&with, &import->model, &plan, &launch, place_flag, import, findings);
    if (!launch.environment) note_queues(input, import, findings);
}

enum rk_status check_megatron(const struct rk_check_input *input, struct rk_findings *findings,
                              struct rk_error *error)
{
    struct megatron_import *import = malloc(sizeof *import);
    if (!import) return no_memory(error);
    struct megatron_options options = {
        .sets = input->sets,
        .set_count = input->set_count,
        .ignored = input->ignored,
        .ignored_count = input->ignored_count,
        .gpus = input->gpus,
        .machine = input->system ? host_gpus(input->system) : 0,
        .vocabulary = input->vocabulary,
        .variant = (int)input->variant,
        .version = input->version,
        .collect = true,
        .core = input->core_only,
    };
    enum rk_status status =
        megatron_read(input->path, input->text, input->size, &options, import, error);
    if (status != RK_OK && !import->complete && !notes_count(&import->notes, NOTE_REFUSED) &&
        input->model && !options.vocabulary) { /* the tokenizer's files may say it */
        options.vocabulary = input->model->vocabulary;
        status = megatron_read(input->path, input->text, input->size, &options, import, error);
    }
    const struct notes *notes = &import->notes; /* those of the plan stand for its own findings */
    const int of_plan = import->complete ? import->plan_notes : notes->count;
    take_some(notes, 0, of_plan, findings);
    if (import->complete) judge_import(input, import, findings);
    take_some(notes, of_plan, notes->count, findings);
    findings->dropped += notes->dropped;
    check_variables_of_text(input->text, input->size, findings);
    if (rk_findings_errors(findings)) status = RK_OK;
    free(import);
    return status;
}

/* ---- all ---- */

/* A key that stands twice is found by whoever reads the text as such. */
static bool take_twice(struct rk_findings *findings, const struct rk_error *error)
{
    if (!strstr(error->text, "given twice")) return false;
    struct rk_finding *f = findings_add(findings, "1.twice");
    f->line = error->line;
    f->column = error->column;
    snprintf(f->need, sizeof f->need, "%.200s", error->text);
    return true;
}

enum rk_status rk_check_text(const struct rk_check_input *input, struct rk_findings *findings,
                             struct rk_error *error)
{
    static const struct {
        const char *name;
        check_source *check;
    } sources[] = {
        {"words", check_words},         {"plan", check_plan_file},
        {"megatron", check_megatron},   {"deepspeed", check_deepspeed},
        {"galvatron", check_galvatron},
    };
    if (input->text && strcmp(input->format, "words") != 0)
        check_placeholders(input->text, input->size, findings);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strcmp(sources[i].name, input->format) == 0) {
            const enum rk_status status = sources[i].check(input, findings, error);
            findings_settle(findings);
            return status == RK_BAD_INPUT && take_twice(findings, error) ? RK_OK : status;
        }
    for (const struct plan_format *format = plan_formats; format->name; format++)
        if (strcmp(format->name, input->format) == 0)
            return check_other(format, input, findings, error);
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "no format is called \"%.40s\": give words, plan, megatron, deepspeed, "
                   "galvatron, or one of reckon import",
                   input->format);
}
