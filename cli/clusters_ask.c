#include "cli/clusters_ask.h"

#include "base/units.h"
#include "cli/model_input.h"
#include "cli/plan_input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LAYERS = 4096
}; /* a search over more takes minutes: its time grows with their square */

#define AT(member) .offset = offsetof(struct clusters_source, member)
/* clang-format off */
const struct option clusters_source_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, AT(model), .argument = "MODEL", .complete = "models",
     .help = "what is trained: an id of `reckon models` or a file"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, AT(system), .argument = "SYSTEM", .complete = "systems",
     .help = "clusters with + between them and link=RATE@LATENCY, or a file of them; reckon-system(5). With lists, as x{16,32}, each machine has a row"},
    {.letter = 'b', .name = "batch", .type = OPTION_NUMBER, AT(batch), .argument = "N", .min = 1, .max = 1 << 20,
     .help = "samples of a step"},
    {.letter = 'p', .name = "plan", .type = OPTION_TEXT, .argument = "FILE", AT(plan), .complete = "file",
     .help = "predict this plan instead of searching: a file of --save-plan, or by hand, as PLAN FILES says"},
    {.name = NULL},
};
#undef AT
#define AT(member) .offset = offsetof(struct clusters_basics, member)
const struct operand clusters_words[] = {
    {.name = "PLAN", .help = "words of a plan that all stages keep", AT(source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
const struct option clusters_output_options[] = {
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};
/* clang-format on */
#undef AT

/* ---- the question ---- */

static enum rk_status usage_fail(struct rk_error *error, const char *text)
{
    return rk_fail(error, RK_USAGE, NULL, 0, 0, "%s", text);
}

/* Degrees that the search chooses, and what it does not cover. */
static enum rk_status check_words(const struct plan_draft *draft, bool given,
                                  struct rk_error *error)
{
    static const char *const chosen[] = {"pipeline", "gpus",       "data",         "split",
                                         "stages",   "microbatch", "first_layers", "last_layers"};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (plan_given(draft, chosen[i]))
            return rk_fail(error, RK_USAGE, NULL, 0, 0,
                           "%s is chosen for each stage here: leave it out", chosen[i]);
    if (plan_given(draft, "chunks"))
        return usage_fail(error, "chunks: a stage of the search has one run of layers; a plan file "
                                 "gives it several, \"layers\": [10, 8]");
    if (draft->plan.schedule == RK_DUALPIPE)
        return usage_fail(error, "schedule: dualpipe needs each stage twice, at both ends: 1f1b, "
                                 "gpipe, zero-bubble and zero-bubble-2p run over clusters");
    if (draft->plan.pipeline_blocking && !given)
        return usage_fail(error,
                          "pipeline-blocking: the search has messages beside the stage behind; "
                          "a plan file is predicted with it");
    if (plan_given(draft, "recompute") && draft->plan.recompute != RK_SELECTIVE &&
        draft->plan.recompute_parts)
        return usage_fail(error, "recompute-parts: only recompute=selective has parts");
    if (draft->plan.framework == RK_CALCULON)
        return usage_fail(error, "framework: the published model knows one cluster alone");
    return RK_OK;
}

/* A tensor group stays in a node of some cluster, and shares the model's heads. */
static enum rk_status check_tensor(const struct rk_plan *plan, const struct rk_machine *machine,
                                   struct rk_error *error)
{
    uint64_t nearest = 1;
    for (int i = 0; i < machine->clusters; i++) {
        const uint64_t node = rk_cluster_node(&machine->cluster[i]);
        if (node % plan->tensor == 0) return RK_OK;
        for (uint64_t t = 1; t <= node && t < plan->tensor; t++)
            if (node % t == 0 && t > nearest) nearest = t;
    }
    return rk_fail(error, RK_USAGE, NULL, 0, 0,
                   "tp%" PRIu64 " divides the node of no cluster: tp%" PRIu64
                   " is the nearest below that does",
                   plan->tensor, nearest);
}

/* What the nearest divisor of `of` is to a degree that does not divide it. */
static enum rk_status check_divides(const char *word, uint64_t degree, uint64_t of,
                                    const char *what, struct rk_error *error)
{
    uint64_t nearest = 1;
    if (degree && of % degree == 0) return RK_OK;
    for (uint64_t d = 1; d <= of && d <= 2 * degree; d++) {
        const uint64_t away = d < degree ? degree - d : d - degree;
        const uint64_t least = nearest < degree ? degree - nearest : nearest - degree;
        if (of % d == 0 && away < least) nearest = d;
    }
    return rk_fail(error, RK_USAGE, NULL, 0, 0,
                   "%s%" PRIu64 " does not divide %s, %" PRIu64 ": %s%" PRIu64 " does", word,
                   degree, what, of, word, nearest);
}

/* Degrees that hold for all stages, against the model and the largest cluster. */
static enum rk_status check_model(const struct plan_draft *draft, const struct rk_model *model,
                                  const struct rk_machine *machine, struct rk_error *error)
{
    const struct rk_plan *plan = &draft->plan;
    uint64_t largest = 0;
    for (int i = 0; i < machine->clusters; i++)
        if (machine->cluster[i].system.devices > largest)
            largest = machine->cluster[i].system.devices;
    if (plan->tensor * plan->context > largest)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "tp%" PRIu64 " cp%" PRIu64 " of a stage need %" PRIu64
                       " accelerators, the largest cluster has %" PRIu64 ": %s%" PRIu64 " does",
                       plan->tensor, plan->context, plan->tensor * plan->context, largest,
                       plan->context > 1 ? "cp" : "tp",
                       plan->context > 1 ? largest / plan->tensor : largest);
    const uint64_t tokens = plan->sequence ? plan->sequence : model->sequence;
    enum rk_status status = RK_OK;
    if (plan_given(draft, "context"))
        status = check_divides("cp", plan->context, tokens, "the tokens of a sample", error);
    if (status != RK_OK || !plan_given(draft, "expert") || plan->expert == 1) return status;
    if (model->experts)
        return check_divides("ep", plan->expert, model->experts, "the experts of the model", error);
    return rk_fail(error, RK_USAGE, NULL, 0, 0,
                   "ep%" PRIu64 ": %s has no experts: leave it out, or say ep1", plan->expert,
                   model->id);
}

static enum rk_status settle(const struct clusters_source *source, struct plan_draft *draft,
                             struct rk_machine *machine, struct rk_error *error)
{
    struct rk_plan *plan = &draft->plan;
    const enum rk_status status = check_words(draft, source->plan != NULL, error);
    if (status != RK_OK) return status;
    if (source->batch && draft->words[plan_row("batch")] && plan->batch != source->batch)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--batch %" PRIu64 " and gbs%" PRIu64 ": leave one of them out",
                       source->batch, plan->batch);
    if (source->batch) plan->batch = source->batch;
    if (!source->batch && !plan_given(draft, "batch"))
        return usage_fail(error, "how many samples has a step? add --batch 256");
    if (!plan_given(draft, "zero")) plan->zero = 1;
    if (!plan_given(draft, "gradient_overlap")) plan->gradient_overlap = true;
    if (!plan_given(draft, "weight_overlap")) plan->weight_overlap = true;
    if (!plan_given(draft, "sequence_parallel")) plan->sequence_parallel = true;
    if (!plan_given(draft, "messages_sharded")) plan->messages_sharded = true;
    if (!plan_given(draft, "precision"))
        plan->precision = rk_usual_precision(&machine->cluster[0].system);
    plan_settle_attention(draft);
    if (machine->clusters == 1 && !machine->cluster[0].system.devices)
        return usage_fail(error, "how many accelerators has the cluster? add x256 to the system");
    return check_tensor(plan, machine, error);
}

/* ---- reading ---- */

/* Words of the file, which those of the line outdo; then what is usual. */
static enum rk_status read_plan(struct clusters_input *input, const struct clusters_source *source,
                                struct rk_error *error)
{
    struct plan_draft *draft = &input->draft;
    enum rk_status status = RK_OK;
    *draft = plan_draft();
    if (source->plan) status = clusters_file_open(source->plan, &input->file, error);
    if (status == RK_OK && source->plan) status = clusters_file_words(&input->file, draft, error);
    memset(draft->words, 0, sizeof draft->words); /* from here on those of the line */
    if (status == RK_OK) status = plan_read_texts(&source->words, draft, error);
    if (status == RK_OK && input->file.batch && !plan_given(draft, "batch")) {
        draft->plan.batch = input->file.batch;
        draft->given[plan_row("batch")] = true;
    }
    if (status == RK_OK) status = settle(source, draft, &input->machine, error);
    if (status == RK_OK && !source->plan)
        status = check_model(draft, &input->model, &input->machine, error);
    if (status != RK_OK || !source->plan) return status;
    input->given = calloc(1, sizeof *input->given);
    if (!input->given) return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the plan");
    return clusters_file_stages(&input->file, &input->model, &input->machine, draft, input->given,
                                error);
}

enum rk_status clusters_input_open(struct clusters_input *input,
                                   const struct clusters_source *source, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    *input = (struct clusters_input){.machine = {.clusters = 0}};
    if (!source->model)
        status = usage_fail(error, "give --model: an id of `reckon models` or a file");
    else if (!source->system)
        status = usage_fail(error, "give --system: \"h100-sxm5-80g x64 + a100-sxm4-80g x64 "
                                   "link=100Gb/s@50us\"");
    if (status == RK_OK) status = model_open(source->model, &input->model, error);
    if (status == RK_OK && !source->plan && input->model.layers > MOST_LAYERS)
        status = rk_fail(error, RK_USAGE, NULL, 0, 0,
                         "%s has %" PRIu64 " layers: at most %d are dealt to clusters by a search",
                         input->model.id, input->model.layers, MOST_LAYERS);
    if (status == RK_OK) status = rk_machine_load(source->system, &input->machine, error);
    if (status == RK_OK) status = read_plan(input, source, error);
    input->question = (struct clusters_question){
        .model = &input->model,
        .machine = &input->machine,
        .words = input->draft.plan,
        .tensor = plan_given(&input->draft, "tensor"),
        .context = plan_given(&input->draft, "context"),
        .expert = plan_given(&input->draft, "expert"),
        .recompute = plan_given(&input->draft, "recompute"),
        .offload = plan_given(&input->draft, "activation_offload") ||
                   plan_given(&input->draft, "optimizer_offload") ||
                   input->draft.plan.recompute_rest,
    };
    return status;
}

void clusters_input_release(struct clusters_input *input)
{
    clusters_file_release(&input->file);
    free(input->given);
    free(input->answer);
    rk_machine_release(&input->machine);
}

/* ---- answering ---- */

/* A cluster on which nothing fits is a mistake rather than an idle one. */
static enum rk_status check_usable(const struct clusters_input *a, struct rk_error *error)
{
    const struct rk_machine *machine = &a->machine;
    for (int i = 0; i < machine->clusters; i++) {
        const struct rk_cluster *c = &machine->cluster[i];
        const struct rk_reason *reason = &a->answer->refused[i];
        if (a->answer->usable[i]) continue;
        if (!a->answer->runs[i] && reason->what)
            return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                           "cluster %s, %s, can be used by no stage: %s: %s (asked for %.12g, there "
                           "is %.12g); leave it out, or change the words",
                           c->name, c->system.id, rk_verdict_name(reason->verdict), reason->what,
                           reason->need, reason->have);
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                       "cluster %s, %s, can be used by no stage: not even one layer fits; leave "
                       "it out, or give words such as zero3 or recompute=full",
                       c->name, c->system.id);
    }
    return RK_OK;
}

static enum rk_status search_plan(struct clusters_input *a, struct rk_error *error)
{
    if (!clusters_search(&a->question, a->answer))
        return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the search");
    if (!isinf(a->answer->best.value_s)) return check_usable(a, error);
    for (int i = 0; i < a->machine.clusters; i++)
        if (!a->answer->runs[i]) return check_usable(a, error);
    return rk_fail(
        error, RK_NOTHING_FITS, NULL, 0, 0,
        "no plan fits: each stage holds at least one layer, with everything computed again; "
        "add nodes, or words such as zero3, ep8, cp2");
}

static enum rk_status judge_plan(struct clusters_input *a, bool tight, struct rk_error *error)
{
    char need[QUANTITY_TEXT], have[QUANTITY_TEXT];
    const struct rk_machine *machine = &a->machine;
    if (!given_judge(&a->question, a->given, &a->answer->best, &a->fault))
        return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the prediction");
    const struct rk_reason *reason = &a->fault.reason;
    if (reason->verdict == RK_FITS) return RK_OK;
    const bool memory = reason->verdict == RK_MEMORY_EXCEEDED;
    if (memory && tight) return RK_OK;
    if (memory) {
        quantity_format(need, QUANTITY_BYTES, reason->need);
        quantity_format(have, QUANTITY_BYTES, reason->have);
    } else {
        snprintf(need, sizeof need, "%.12g", reason->need);
        snprintf(have, sizeof have, "%.12g", reason->have);
    }
    char text[256];
    const struct given_part *part = &a->given->stage[a->fault.stage].part[a->fault.part];
    snprintf(text, sizeof text, "on cluster %s: %s: %s (asked for %s, there is %s)",
             machine->cluster[part->cluster].name, rk_verdict_name(reason->verdict), reason->what,
             need, have);
    clusters_file_fail(&a->file, a->fault.stage, text, error);
    return error->status = RK_NOTHING_FITS;
}

enum rk_status clusters_input_answer(struct clusters_input *input, bool tight,
                                     struct rk_error *error)
{
    input->answer = calloc(1, sizeof *input->answer);
    if (!input->answer) return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the search");
    return input->given ? judge_plan(input, tight, error) : search_plan(input, error);
}

bool clusters_mixed(const struct given_plan *given)
{
    for (int i = 0; given && i < given->stages; i++)
        if (given->stage[i].parts > 1) return true;
    return false;
}

bool clusters_plain_plan(const struct clusters_input *a, struct rk_plan *plain)
{
    const struct clusters_plan *plan = &a->answer->best;
    const struct clusters_stage *first = &plan->stage[0];
    if (clusters_mixed(a->given)) return false;
    *plain = a->given ? a->given->stage[0].part[0].plan : a->question.words;
    plain->tensor = first->tensor;
    plain->context = first->context;
    plain->expert = first->expert;
    plain->pipeline = (uint64_t)plan->stages;
    plain->ranks = first->gpus * plain->pipeline;
    plain->microbatch = first->microbatch;
    plain->recompute = first->recompute;
    plain->recompute_parts = clusters_parts(plain, plain->recompute);
    if (!a->given && !a->question.offload)
        plan_offload(plain, first->activations_away, first->optimizer_away);
    plain->sequence_parallel &= plain->tensor > 1;
    plain->messages_sharded &= plain->tensor > 1;
    plain->chunks = (uint64_t)plan->chunks;
    plain->splits = plan->stages * plan->chunks;
    for (int i = 0; i < plain->splits; i++)
        plain->split[i] = (uint16_t)plan->chunk[i].layers;
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        if (s->tensor != first->tensor || s->context != first->context ||
            s->expert != first->expert || s->data != first->data ||
            s->recompute != first->recompute || s->activations_away != first->activations_away ||
            s->optimizer_away != first->optimizer_away ||
            (a->given && memcmp(&a->given->stage[i].part[0].plan, &a->given->stage[0].part[0].plan,
                                sizeof *plain) != 0))
            return false;
    }
    return true;
}
