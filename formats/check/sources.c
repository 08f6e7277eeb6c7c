/* sources.c - from the text of a plan, or of another tool's file, to findings. */
#include "check/sources.h"
#include "base/memory.h"
#include "base/text.h"
#include "catalog/plan_fields.h"
#include "check/findings.h"
#include "check/launch.h"
#include "check/variables.h"
#include "keys/reader.h"
#include "keys/settings_check.h"
#include "megatron/megatron.h"
#include "trainers/deepspeed.h"

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
        if (!bad || !*note->rule || rk_rules()[rule_index(note->rule)].id == NULL) continue;
        struct rk_finding *finding = findings_add(findings, note->rule);
        *finding = *note;
        finding->severity = RK_ERROR;
    }
}

void take_notes(const struct notes *notes, struct rk_findings *findings)
{
    take_some(notes, 0, notes->count, findings);
    findings->dropped += notes->dropped;
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
    memories[1].capacity_bytes = 0x1p50;
    with.memory = memories;
    with.memories = 2;
    return with;
}

static bool offloads(const struct rk_plan *plan)
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
    plan_settle_attention(draft);
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

static int columns(const char *text, const char *at)
{
    int column = 1;
    for (; text < at; text++)
        column += ((unsigned char)*text & 0xc0) != 0x80;
    return column;
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
        const int column = columns(text, at);
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
    if (offloads(&import->plan)) {
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
        .gpus = input->gpus,
        .vocabulary = input->vocabulary,
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

/* ---- DeepSpeed, and the other formats with a table of keys ---- */

static void complain(struct rk_findings *findings, const char *rule, const char *what,
                     const char *need, const char *fix)
{
    struct rk_finding *f = findings_add(findings, rule);
    snprintf(f->what, sizeof f->what, "%s", what);
    snprintf(f->need, sizeof f->need, "%s", need);
    snprintf(f->fix, sizeof f->fix, "%s", fix);
}

/* B = b * accumulation * d, as far as the file says them. */
static bool judge_batch(const struct deepspeed_choices *c, uint64_t gpus,
                        struct rk_findings *findings)
{
    const uint64_t inner = c->autotp * c->sequence;
    char need[200], fix[96];
    if (!inner || !gpus || gpus % inner) return true;
    const uint64_t d = gpus / inner, b = c->microbatch, a = c->accumulation;
    const uint64_t unit = (b ? b : 1) * (a ? a : 1) * d;
    if (!c->batch || (b && a ? c->batch == unit : c->batch % unit == 0)) return true;
    snprintf(need, sizeof need,
             "%" PRIu64 " is not microbatch %" PRIu64 " * accumulation %" PRIu64 " * %" PRIu64
             " copies",
             c->batch, b ? b : 1, a ? a : 1, d);
    if (b && c->batch % (b * d) == 0)
        snprintf(fix, sizeof fix, "use gradient_accumulation_steps %" PRIu64, c->batch / (b * d));
    else
        snprintf(fix, sizeof fix, "use %" PRIu64 " or %" PRIu64, c->batch / unit * unit,
                 (c->batch / unit + 1) * unit);
    complain(findings, "3.divide", "train_batch_size", need, fix);
    return false;
}

static void judge_choices(const struct deepspeed_choices *c, struct rk_findings *findings)
{
    if (c->fp16 && c->bf16)
        complain(findings, "12.excludes", "fp16.enabled", "cannot be on with bf16.enabled",
                 "turn one of them off");
    if (c->param_device && c->stage != 3)
        complain(findings, "12.needs", "zero_optimization.offload_param",
                 "parameters can be offloaded with stage 3 only", "use stage 3");
    if (c->optimizer_device && !c->stage)
        complain(findings, "12.needs", "zero_optimization.offload_optimizer",
                 "the optimizer can be offloaded from stage 1 on", "use stage 1");
    if (!c->batch && !c->microbatch && !c->auto_batch)
        complain(findings, "1.missing", "train_batch_size",
                 "is missing, and train_micro_batch_size_per_gpu is: one of them is needed",
                 "give train_micro_batch_size_per_gpu");
    if (c->stages > 1 && c->stage >= 2)
        complain(findings, "12.excludes", "pipeline.stages",
                 "cannot run with stages 2 and 3 of zero_optimization", "use stage 1");
    if (c->fp16 && !c->bf16 && c->loss_scale == 1)
        complain(findings, "12.datatype", "fp16.loss_scale",
                 "gradients in fp16 vanish without a scale", "use 0, which follows them");
}

static bool leaves_precision(const struct deepspeed_choices *c)
{
    return c->auto_precision && !c->bf16 && !c->fp16;
}

/* What the trainer's arguments decide, and this file alone does not. */
static void note_undecided(const struct deepspeed_choices *c, struct rk_findings *findings)
{
    const bool batch = c->auto_batch && !c->batch && !c->microbatch;
    struct rk_finding *f = findings_add(findings, "1.value");
    f->severity = RK_IGNORED;
    snprintf(f->what, sizeof f->what, "%s",
             batch ? "train_micro_batch_size_per_gpu" : "bf16.enabled");
    snprintf(f->have, sizeof f->have, "auto");
    snprintf(f->need, sizeof f->need,
             "is filled in by the trainer: batch, precision and memory are not judged");
    snprintf(f->fix, sizeof f->fix, "%s",
             !leaves_precision(c) ? "give --set train_micro_batch_size_per_gpu=N"
             : batch ? "give --set train_micro_batch_size_per_gpu=N --set bf16.enabled=true"
                     : "give --set bf16.enabled=true");
}

static enum rk_status judge_deepspeed(const struct rk_check_input *input,
                                      const struct config_source *source, struct notes *notes,
                                      struct rk_findings *findings, struct rk_error *error)
{
    struct deepspeed_choices c;
    struct rk_memory memories[2];
    struct rk_plan plan;
    struct rk_model model = *input->model;
    enum rk_status status = deepspeed_choices(source, &c, notes, error);
    if (status == RK_OK || notes_count(notes, NOTE_REFUSED))
        settings_check("deepspeed", source, notes);
    take_notes(notes, findings);
    if (status != RK_OK) return status;
    judge_choices(&c, findings);
    if (!judge_batch(&c, input->gpus, findings) || findings_have(findings, "1.*")) return RK_OK;
    const bool undecided = (c.auto_batch && !c.batch && !c.microbatch) || leaves_precision(&c);
    if (undecided) {
        note_undecided(&c, findings);
        return RK_OK;
    }
    struct config_source known = *source; /* what is judged does not depend on copies */
    if (!known.gpus && !deepspeed_gpus(&c)) known.gpus = c.autotp * c.sequence;
    status = deepspeed_read(&known, &model, &plan, notes, error);
    if (status != RK_OK) return status;
    if (c.optimizer_device) plan.share[RK_SHARE_OPTIMIZER][0] = c.ratio;
    if (c.param_device) plan.share[RK_SHARE_WEIGHTS][0] = 1;
    struct rk_launch launch = input->launch;
    const struct rk_system host = with_host(input->system, memories);
    struct rk_check_input with = *input;
    with.system = &host;
    launch.pads = true;
    launch.states_only = true; /* the training code decides what is kept */
    if (input->system) plan_attend_on(&plan, input->system);
    judge_plan(&with, &model, &plan, &launch, NULL, NULL, findings);
    return RK_OK;
}

enum rk_status check_deepspeed(const struct rk_check_input *input, struct rk_findings *findings,
                               struct rk_error *error)
{
    struct notes *notes = calloc(1, sizeof *notes);
    const struct config_source source = {.path = input->path,
                                         .text = input->text,
                                         .sets = input->sets,
                                         .set_count = input->set_count,
                                         .gpus = input->gpus};
    if (!notes) return no_memory(error);
    enum rk_status status = input->model ? judge_deepspeed(input, &source, notes, findings, error)
                                         : rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                                                   "DeepSpeed's file has no model: give --model");
    if (rk_findings_errors(findings)) status = RK_OK;
    free(notes);
    return status;
}

static enum rk_status check_other(const struct plan_format *format,
                                  const struct rk_check_input *input, struct rk_findings *findings,
                                  struct rk_error *error)
{
    struct notes *notes = calloc(1, sizeof *notes);
    struct rk_model *model = calloc(1, sizeof *model);
    const bool toml = strcmp(format->name, "torchtitan") == 0; /* told apart by the name */
    const struct config_source source = {.path = toml && !*input->path ? "job.toml" : input->path,
                                         .text = input->text,
                                         .sets = input->sets,
                                         .set_count = input->set_count,
                                         .gpus = input->gpus,
                                         .vocabulary = input->vocabulary};
    struct rk_plan plan;
    struct rk_launch launch = input->launch;
    enum rk_status status = notes && model ? RK_OK : no_memory(error);
    if (status == RK_OK && !input->model && !format->own_model)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s's file has no model: give --model",
                         format->tool);
    if (status == RK_OK && input->model) *model = *input->model;
    if (status == RK_OK) {
        status = format->read(&source, model, &plan, notes, error);
        settings_check(format->name, &source, notes);
    }
    if (notes) take_notes(notes, findings);
    launch.pads = true;
    launch.fills_stages = toml;
    if (status == RK_OK && input->system) plan_attend_on(&plan, input->system);
    struct rk_memory memories[2];
    struct rk_system host;
    struct rk_check_input with = *input;
    if (status == RK_OK && offloads(&plan)) {
        host = with_host(input->system, memories);
        with.system = &host;
    }
    if (status == RK_OK) judge_plan(&with, model, &plan, &launch, NULL, NULL, findings);
    if (rk_findings_errors(findings)) status = RK_OK;
    free(model);
    free(notes);
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
