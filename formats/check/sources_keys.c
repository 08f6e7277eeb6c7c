/* sources_keys.c - DeepSpeed, and the other formats with a table of keys. */
#include "base/memory.h"
#include "catalog/hosts.h"
#include "catalog/plan_fields.h"
#include "check/findings.h"
#include "check/launch.h"
#include "check/memory.h"
#include "check/sources.h"
#include "keys/reader.h"
#include "keys/settings_check.h"
#include "megatron/megatron.h"
#include "megatron/run_script.h"
#include "trainers/deepspeed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void complain(struct rk_findings *findings, const char *rule, const char *what,
                     const char *need, const char *fix)
{
    struct rk_finding *f = findings_add(findings, rule);
    snprintf(f->what, sizeof f->what, "%s", what);
    snprintf(f->need, sizeof f->need, "%s", need);
    snprintf(f->fix, sizeof f->fix, "%s", fix);
}

static uint64_t machine_of(const struct rk_check_input *input)
{
    return input->system ? host_gpus(input->system) : 0;
}

/* B = b * accumulation * d, as far as the file says them. */
static bool judge_batch(const struct deepspeed_choices *c, uint64_t gpus,
                        struct rk_findings *findings)
{
    const uint64_t inner = c->autotp * c->sequence;
    char need[200], fix[208];
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

/* What it holds at its peak as the file alone has it, as import says it: the training code may
 * recompute more, so this forbids nothing. */
static void judge_peak(const struct rk_model *model, const struct rk_system *system,
                       const struct rk_plan *plan, const struct rk_launch *launch,
                       struct rk_findings *findings)
{
    struct rk_launch whole = *launch;
    const int before = findings->count;
    whole.states_only = false;
    check_memory(model, system, plan, &whole, findings);
    for (int i = before; i < findings->count; i++) {
        struct rk_finding *f = &findings->finding[i];
        if (f->severity != RK_ERROR) continue;
        f->severity = RK_WARNING;
        const size_t used = strlen(f->need);
        snprintf(f->need + used, sizeof f->need - used, "%s", "; the program may recompute more");
    }
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
    const int chosen = notes->count;
    if (status == RK_OK || notes_count(notes, NOTE_REFUSED))
        settings_check("deepspeed", source, notes);
    check_take_notes(notes, 0, findings);
    if (status != RK_OK) return status;
    judge_choices(&c, findings);
    if (!judge_batch(&c, input->gpus, findings) || findings_have(findings, "1.*")) return RK_OK;
    const bool undecided = (c.auto_batch && !c.batch && !c.microbatch) || leaves_precision(&c);
    if (undecided) {
        note_undecided(&c, findings);
        return RK_OK;
    }
    struct config_source known = *source; /* what is judged does not depend on copies */
    if (!known.gpus && !known.machine && !deepspeed_gpus(&c)) known.gpus = c.autotp * c.sequence;
    const int told = notes->count;
    status = deepspeed_read(&known, &model, &plan, notes, error);
    check_take_notes(notes, told + chosen, findings); /* the choices are told */
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
    if (input->system && !rk_findings_errors(findings))
        judge_peak(&model, &host, &plan, &launch, findings);
    return RK_OK;
}

enum rk_status check_deepspeed(const struct rk_check_input *input, struct rk_findings *findings,
                               struct rk_error *error)
{
    struct notes *notes = calloc(1, sizeof *notes);
    const struct config_source source = {
        .path = input->path,
        .text = input->text,
        .sets = input->sets,
        .set_count = input->set_count,
        .keys = {.ignored = input->ignored, .ignored_count = input->ignored_count},
        .gpus = input->gpus,
        .machine = machine_of(input)};
    if (!notes) return no_memory(error);
    enum rk_status status = input->model ? judge_deepspeed(input, &source, notes, findings, error)
                                         : rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                                                   "DeepSpeed's file has no model: give --model");
    if (rk_findings_errors(findings)) status = RK_OK;
    free(notes);
    return status;
}

/* Which of a script's commands, where it has several, is asked for with it. */
static enum rk_status ask_model(const struct plan_format *format,
                                const struct config_source *source, size_t size,
                                struct notes *notes, struct rk_error *error)
{
    if (run_script_is(source->path, source->text) &&
        run_script_read(format, source, size, NULL, NULL, notes, error) != RK_OK) {
        const size_t used = strlen(error->text);
        snprintf(error->text + used, sizeof error->text - used, "; and give --model");
        return error->status;
    }
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s's file has no model: give --model",
                   format->tool);
}

enum { FIXED_BYTES = 16 };

/* Of a file of accelerate, which a training's own only stands next to. */
static bool is_beside(const struct plan_format *format, const char *key)
{
    return strncmp(key, "parallelism_config.", 19) == 0 && strcmp(format->name, "accelerate") != 0;
}

/* Which of the words "tp", "cp" and "pp" no key of a tool says: nothing is proposed with them. */
static const char *degrees_without_key(const struct plan_format *format, char fixed[FIXED_BYTES])
{
    const struct key_table *keys = format->keys;
    static const struct {
        const char *word, *parts[3];
    } degrees[] = {{"tp", {"tensor_parallel", "tp_size"}},
                   {"cp", {"context_parallel", "sequence_parallel", "cp_size"}},
                   {"pp", {"pipeline", "pp_size"}}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        bool said = false;
        for (const struct key *row = keys->row; row < keys->row + keys->count; row++)
            for (int k = 0; row->use < KEY_NONE && k < 3 && degrees[i].parts[k]; k++)
                said |= strstr(row->path, degrees[i].parts[k]) && !is_beside(format, row->path);
        if (!said)
            used += (size_t)snprintf(fixed + used, FIXED_BYTES - used, "%s%s", used ? "|" : "",
                                     degrees[i].word);
    }
    return used ? fixed : NULL;
}

enum rk_status check_other(const struct plan_format *format, const struct rk_check_input *input,
                           struct rk_findings *findings, struct rk_error *error)
{
    struct notes *notes = calloc(1, sizeof *notes);
    struct rk_model *model = calloc(1, sizeof *model);
    const bool toml = strcmp(format->name, "torchtitan") == 0; /* told apart by the name */
    const struct config_source source = {
        .path = toml && !*input->path ? "job.toml" : input->path,
        .text = input->text,
        .sets = input->sets,
        .set_count = input->set_count,
        .keys = {.ignored = input->ignored, .ignored_count = input->ignored_count},
        .gpus = input->gpus,
        .machine = machine_of(input),
        .vocabulary = input->vocabulary,
        .variant = input->variant};
    struct rk_plan plan;
    char fixed[FIXED_BYTES];
    struct rk_launch launch = input->launch;
    enum rk_status status = notes && model ? RK_OK : no_memory(error);
    if (status == RK_OK && !input->model && !format->own_model)
        status = ask_model(format, &source, input->size, notes, error);
    if (status == RK_OK && input->model) *model = *input->model;
    if (status == RK_OK) {
        const bool script = run_script_is(source.path, source.text);
        status = script ? run_script_read(format, &source, input->size, model, &plan, notes, error)
                        : format->read(&source, model, &plan, notes, error);
        if (!script) settings_check(format->name, &source, notes);
    }
    if (notes) check_take_notes(notes, 0, findings);
    launch.pads = true;
    launch.fills_stages = toml;
    if (!format->own_model) launch.fixed = degrees_without_key(format, fixed);
    if (status == RK_OK && input->system) plan_attend_on(&plan, input->system);
    struct rk_memory memories[2];
    struct rk_system host;
    struct rk_check_input with = *input;
    if (status == RK_OK && check_offloads(&plan)) {
        host = with_host(input->system, memories);
        with.system = &host;
    }
    if (status == RK_OK) judge_plan(&with, model, &plan, &launch, NULL, NULL, findings);
    if (rk_findings_errors(findings)) status = RK_OK;
    free(model);
    free(notes);
    return status;
}
