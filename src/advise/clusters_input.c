#include "advise/clusters_input.h"

#include "base/limits.h"
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <reckon/plans.h>
#include <stdlib.h>
#include <string.h>

/* ---- what words say ---- */

static enum rk_status usage_fail(struct rk_error *error, const char *text)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", text);
}

/* Degrees that the search chooses, and what it does not cover. */
static enum rk_status check_words(const struct plan_draft *draft, bool given,
                                  struct rk_error *error)
{
    static const char *const chosen[] = {"pipeline", "gpus",       "data",         "split",
                                         "stages",   "microbatch", "first_layers", "last_layers"};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (plan_given(draft, chosen[i]))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "%s is chosen for each stage here: leave it out", chosen[i]);
    if (rk_schedule_folds(draft->plan.schedule))
        return usage_fail(error, "schedule: v-zero, v-half and v-min are not known over clusters: "
                                 "1f1b, gpipe, zero-bubble and zero-bubble-2p are");
    if (plan_given(draft, "chunks"))
        return usage_fail(error, "chunks: the search tries interleaved stages itself; a plan file "
                                 "gives each its runs of layers, \"layers\": [10, 8]");
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
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
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
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
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
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
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
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "ep%" PRIu64 ": %s has no experts: leave it out, or say ep1", plan->expert,
                   model->id);
}

/* The system that says which kernels there are, where all clusters have the same ones. */
static const struct rk_system *system_of_kernels(const struct rk_machine *machine)
{
    const struct rk_system *first = &machine->cluster[0].system;
    for (int i = 1; i < machine->clusters; i++) {
        const struct rk_kernels *other = &machine->cluster[i].system.kernels;
        if (other->attention_kernels != first->kernels.attention_kernels) return NULL;
    }
    return first;
}

/* What is said has to be there on every cluster. */
static enum rk_status check_kernels(const struct plan_draft *draft,
                                    const struct rk_machine *machine, struct rk_error *error)
{
    struct plan_lack lack;
    for (int i = 0; i < machine->clusters; i++)
        if (plan_lacks(&draft->plan, &machine->cluster[i].system, &lack) &&
            plan_given(draft, lack.key))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: %s %s: %s", lack.key, lack.name,
                           lack.why, lack.fix);
    return RK_OK;
}

static enum rk_status settle(struct clusters_input *input, bool given, uint64_t batch,
                             struct rk_error *error)
{
    struct plan_draft *draft = &input->draft;
    struct rk_machine *machine = &input->machine;
    struct rk_plan *plan = &draft->plan;
    const enum rk_status status = check_words(draft, given, error);
    if (status != RK_OK) return status;
    if (batch && draft->words[plan_row("batch")] && plan->batch != batch)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "`batch` %" PRIu64 " and gbs%" PRIu64 ": leave one of them out", batch,
                       plan->batch);
    if (batch) plan->batch = batch;
    if (!batch && !plan_given(draft, "batch"))
        return usage_fail(error, "how many samples has a step? add `batch` 256, or the word "
                                 "gbs256");
    if (!plan_given(draft, "zero")) plan->zero = 1;
    if (!plan_given(draft, "gradient_overlap")) plan->gradient_overlap = true;
    if (!plan_given(draft, "weight_overlap")) plan->weight_overlap = true;
    if (!plan_given(draft, "sequence_parallel")) plan->sequence_parallel = true;
    if (!plan_given(draft, "messages_sharded")) plan->messages_sharded = true;
    if (!plan_given(draft, "precision"))
        plan->precision = rk_usual_precision(&machine->cluster[0].system);
    draft->system = system_of_kernels(machine);
    plan_settle_attention(draft);
    if (check_kernels(draft, machine, error) != RK_OK) return error->status;
    if (machine->clusters == 1 && !machine->cluster[0].system.devices)
        return usage_fail(error, "how many accelerators has the cluster? add x256 to the system");
    return check_tensor(plan, machine, error);
}

/* ---- reading ---- */

/* Words of the file, which those of the line outdo. */
enum rk_status clusters_input_begin(struct clusters_input *input, const char *machine,
                                    const char *plan, struct rk_error *error)
{
    struct plan_draft *draft = &input->draft;
    *draft = plan_draft();
    if (!plan && input->model.layers > MOST_LAYERS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s has %" PRIu64 " layers: at most %d are dealt to clusters by a search",
                       input->model.id, input->model.layers, MOST_LAYERS);
    enum rk_status status = rk_machine_load(machine, &input->machine, error);
    if (status == RK_OK && plan) status = clusters_file_open(plan, &input->file, error);
    if (status == RK_OK && plan) status = clusters_file_words(&input->file, draft, error);
    memset(draft->words, 0, sizeof draft->words); /* from here on those of the line */
    return status;
}

static enum rk_status read_stages(struct clusters_input *input, struct rk_error *error)
{
    input->given = calloc(1, sizeof *input->given);
    if (!input->given) return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the plan");
    return clusters_file_stages(&input->file, &input->model, &input->machine, &input->draft,
                                input->given, error);
}

enum rk_status clusters_input_settle(struct clusters_input *input, uint64_t batch,
                                     struct rk_error *error)
{
    struct plan_draft *draft = &input->draft;
    const bool given = input->file.document.root;
    if (input->file.batch && !plan_given(draft, "batch")) {
        draft->plan.batch = input->file.batch;
        draft->given[plan_row("batch")] = true;
    }
    enum rk_status status = settle(input, given, batch, error);
    if (status == RK_OK && !given)
        status = check_model(draft, &input->model, &input->machine, error);
    if (status == RK_OK && given) status = read_stages(input, error);
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
    free(input->kept.plan);
    rk_machine_release(&input->machine);
}

/* ---- answering ---- */

static bool leaves_room(const struct clusters_input *a)
{
    bool leaves = false;
    for (int i = 0; i < a->machine.clusters; i++)
        leaves |=
            a->question.usable_bytes[i] > 0 &&
            a->question.usable_bytes[i] < a->machine.cluster[i].system.memory[0].capacity_bytes;
    return leaves;
}

/* Why no way to run a stage there is one, memory apart; RK_OK: there are some, or none was asked
 * for. */
static enum rk_status check_runs(const struct clusters_input *a, int cluster,
                                 struct rk_error *error)
{
    const struct rk_cluster *c = &a->machine.cluster[cluster];
    const struct rk_reason *reason = &a->answer->refused[cluster];
    if (a->answer->runs[cluster] || !reason->what) return RK_OK;
    return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                   "cluster %s, %s, can be used by no stage: %s: %s (asked for %.12g, there "
                   "is %.12g); leave it out, or change the words",
                   c->name, c->system.id, rk_verdict_name(reason->verdict), reason->what,
                   reason->need, reason->have);
}

/* A cluster on which nothing fits is a mistake rather than an idle one. */
static enum rk_status check_usable(const struct clusters_input *a, struct rk_error *error)
{
    const struct rk_machine *machine = &a->machine;
    for (int i = 0; i < machine->clusters && !a->question.filter; i++) {
        const struct rk_cluster *c = &machine->cluster[i];
        if (a->answer->usable[i]) continue;
        if (check_runs(a, i, error) != RK_OK) return error->status;
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                       "cluster %s, %s, can be used by no stage: not even one layer fits%s; leave "
                       "it out, or give words such as zero3 or recompute=full",
                       c->name, c->system.id, leaves_room(a) ? " and leaves so much memory" : "");
    }
    return RK_OK;
}

/* The plan that was found has replicas on several clusters: with their samples, as one that is
 * given. */
static enum rk_status keep_mixed(struct clusters_input *a, struct rk_error *error)
{
    a->given = calloc(1, sizeof *a->given);
    if (!a->given) return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the plan");
    given_of(&a->question, &a->answer->best, a->given);
    if (!given_judge(&a->question, a->given, &a->answer->best, &a->fault))
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the prediction");
    return RK_OK;
}

enum rk_status clusters_input_take(struct clusters_input *a, const struct clusters_plan *plan,
                                   struct rk_error *error)
{
    free(a->given);
    a->given = NULL;
    a->answer->best = *plan;
    return plan->stage[0].homes ? keep_mixed(a, error) : RK_OK;
}

static enum rk_status search_plan(struct clusters_input *a, struct rk_error *error)
{
    if (a->kept.most) a->kept.plan = calloc((size_t)a->kept.most, sizeof *a->kept.plan);
    if ((a->kept.most && !a->kept.plan) ||
        !clusters_search_top(&a->question, a->answer, a->kept.most ? &a->kept : NULL))
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the search");
    if (a->answer->stopped) return rk_fail(error, RK_INTERRUPTED, NULL, 0, 0, "interrupted");
    if (!isinf(a->answer->best.value_s)) {
        const enum rk_status status = check_usable(a, error);
        return status == RK_OK && a->answer->best.stage[0].homes ? keep_mixed(a, error) : status;
    }
    for (int i = 0; a->question.filter && !a->answer->simulated && i < a->machine.clusters; i++)
        if (check_runs(a, i, error) != RK_OK) return error->status;
    if (a->question.filter)
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                       "no plan fits that satisfies the condition: %" PRIu64
                       " were simulated; leave a part of it out",
                       a->answer->simulated);
    for (int i = 0; i < a->machine.clusters; i++)
        if (!a->answer->runs[i]) return check_usable(a, error);
    return rk_fail(
        error, RK_NOTHING_FITS, NULL, 0, 0,
        "no plan fits%s: each stage holds at least one layer, with everything computed again; "
        "add nodes, or words such as zero3, ep8, cp2",
        leaves_room(a) ? " and leaves so much memory" : "");
}

static enum rk_status judge_plan(struct clusters_input *a, bool tight, struct rk_error *error)
{
    char need[QUANTITY_TEXT], have[QUANTITY_TEXT];
    const struct rk_machine *machine = &a->machine;
    if (!given_judge(&a->question, a->given, &a->answer->best, &a->fault))
        return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the prediction");
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
    const struct rk_cluster *cluster = &machine->cluster[part->cluster];
    char tier[64] = "";
    if (memory && reason->tier)
        snprintf(tier, sizeof tier, ", tier %d, %.40s", reason->tier,
                 cluster->system.memory[reason->tier].name);
    snprintf(text, sizeof text, "on cluster %s: %s: %s%s (asked for %s, there is %s)",
             cluster->name, rk_verdict_name(reason->verdict), reason->what, tier, need, have);
    clusters_file_fail(&a->file, a->fault.stage, text, error);
    return error->status = RK_NOTHING_FITS;
}

enum rk_status clusters_input_answer(struct clusters_input *input, bool tight,
                                     struct rk_error *error)
{
    input->answer = calloc(1, sizeof *input->answer);
    if (!input->answer) return rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for the search");
    return input->given ? judge_plan(input, tight, error) : search_plan(input, error);
}

enum rk_status clusters_input_roomy(struct clusters_input *input, bool tight, bool *full,
                                    struct rk_error *error)
{
    struct clusters_question *q = &input->question;
    const bool leaves = leaves_room(input);
    *full = false;
    enum rk_status status = clusters_input_answer(input, tight, error);
    q->keep = NULL; /* what is searched again begins anew */
    q->progress = NULL;
    if (status != RK_NOTHING_FITS || !leaves || input->given) return status;
    memset(q->usable_bytes, 0, sizeof q->usable_bytes);
    free(input->answer);
    free(input->kept.plan);
    input->kept = (struct clusters_kept){.most = input->kept.most};
    status = clusters_input_answer(input, tight, error);
    *full = status == RK_OK;
    return status;
}
