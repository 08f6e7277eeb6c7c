#include "search/clusters_space.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/memory.h"
#include "clusters/predict.h"
#include "estimate/plan_check.h"
#include "plan/habits.h"
#include "search/clusters_where.h"
#include "search/fingerprint.h"
#include "search/plans_space.h"
#include "workload/layers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what all stages have ---- */

/* Chosen for each stage, or by the search: no word of a question. */
static const struct {
    enum rk_plan_axis axis;
    const char *why;
} chosen[] = {
    {RK_PLAN_PIPELINE, "the stages are chosen"},
    {RK_PLAN_CHUNKS, "the search tries interleaved stages itself; in a plan file each stage "
                     "lists its layers, \"layers\": [10, 8]"},
    {RK_PLAN_SPLIT, "layers are dealt to each stage by the search"},
    {RK_PLAN_TENSOR_COMM, "only the Calculon model has it"},
};

static enum rk_status refuse(struct rk_error *error, enum rk_plan_axis axis, const char *why)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s: over several clusters %s: leave it out",
                   rk_plan_axis_info(axis)->name, why);
}

static enum rk_status take_axis(struct clusters_question *q, const struct rk_plans_problem *p,
                                enum rk_plan_axis axis, struct rk_error *error)
{
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (chosen[i].axis == axis) return refuse(error, axis, chosen[i].why);
    const bool one = clusters_pins_one(p, axis), of_stages = clusters_axis_is_of_stages(axis);
    if (!one && !of_stages)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s: all stages over several clusters have one value: give one",
                       rk_plan_axis_info(axis)->name);
    if (!one || axis == RK_PLAN_DATA || axis == RK_PLAN_MICROBATCH) return RK_OK; /* a filter */
    rk_plan_axis_set(&q->words, axis, p->pinned[axis].value[0]);
    q->tensor |= axis == RK_PLAN_TENSOR;
    q->context |= axis == RK_PLAN_CONTEXT;
    q->expert |= axis == RK_PLAN_EXPERT;
    q->recompute |= axis == RK_PLAN_RECOMPUTE;
    q->zero |= axis == RK_PLAN_ZERO;
    q->expert_overlap |= axis == RK_PLAN_EXPERT_OVERLAP;
    q->offload |= axis == RK_PLAN_ACTIVATION_OFFLOAD || axis == RK_PLAN_OPTIMIZER_OFFLOAD;
    return RK_OK;
}

const struct clusters_default clusters_defaults[CLUSTERS_DEFAULTS] = {
    {RK_PLAN_ZERO, "zero", 1},
    {RK_PLAN_GRADIENT_OVERLAP, "gradient_overlap", 1},
    {RK_PLAN_WEIGHT_OVERLAP, "weight_overlap", 1},
    {RK_PLAN_SEQUENCE_PARALLEL, "sequence_parallel", 1},
    {RK_PLAN_TENSOR_OVERLAP, "tensor_overlap", RK_OVERLAP_RING}, /* where the framework has it */
};

/* A tensor group stays in a node, so that its ranks are in each other's reach. */
uint64_t clusters_default_of(const struct clusters_default *what, const struct rk_plan *words)
{
    const bool overlaps = habits_of(words)->overlaps_sequence && words->sequence_parallel;
    return what->axis == RK_PLAN_TENSOR_OVERLAP && !overlaps ? RK_OVERLAP_NONE : what->value;
}

const struct rk_system *clusters_kernels(const struct rk_machine *machine)
{
    const struct rk_system *first = &machine->cluster[0].system;
    for (int i = 1; i < machine->clusters; i++)
        if (machine->cluster[i].system.kernels.attention_kernels !=
            first->kernels.attention_kernels)
            return NULL;
    return first;
}

static enum rk_attention_kernel usual_attention(enum rk_framework framework,
                                                const struct rk_machine *machine)
{
    const struct rk_system *common = clusters_kernels(machine);
    return rk_usual_attention(framework, common ? common->kernels.attention_kernels : 0);
}

/* What a question means that does not say it. */
static void take_defaults(struct clusters_question *q, const struct rk_plans_problem *p)
{
    struct rk_plan *words = &q->words;
    for (int i = 0; i < CLUSTERS_DEFAULTS; i++) {
        const struct clusters_default *d = &clusters_defaults[i];
        if (!p->pinned[d->axis].count)
            rk_plan_axis_set(words, d->axis, clusters_default_of(d, words));
    }
    if (!p->pinned[RK_PLAN_ATTENTION].count)
        words->attention = usual_attention(words->framework, q->machine);
    q->offload |= words->recompute_rest;
}

static void pin(struct rk_plans_problem *p, enum rk_plan_axis axis, const struct rk_plan *plan)
{
    p->pinned[axis].count = 1;
    p->pinned[axis].value[0] = p->pinned[axis].to[0] = rk_plan_axis_get(plan, axis);
}

void clusters_pin_words(struct rk_plans_problem *p, const struct rk_plan *plan)
{
    p->base = *plan;
    p->base.layout = NULL;
    for (int i = 0; i < CLUSTERS_DEFAULTS; i++)
        pin(p, clusters_defaults[i].axis, plan);
    /* the usual kernel is each cluster's own nearest, where a word has to be there on all */
    if (plan->attention == usual_attention(plan->framework, p->system->machine))
        p->pinned[RK_PLAN_ATTENTION].count = 0;
    else
        pin(p, RK_PLAN_ATTENTION, plan);
}

/* ---- what is wrong with it ---- */

static enum rk_status fail(struct rk_error *error, const char *text)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", text);
}

enum rk_status clusters_check_words(const struct rk_plan *words, struct rk_error *error)
{
    if (!rk_answerer(words->framework)->layers)
        return fail(error, "framework: the Calculon model covers only one cluster");
    if (rk_schedule_folds(words->schedule))
        return fail(error, "schedule: v-zero, v-half and v-min are not known over clusters: 1f1b, "
                           "gpipe, zero-bubble and zero-bubble-2p are");
    if (words->schedule == RK_DUALPIPE)
        return fail(error, "schedule: dualpipe needs each stage twice, at both ends: 1f1b, gpipe, "
                           "zero-bubble and zero-bubble-2p run over clusters");
    return RK_OK;
}

static enum rk_status check_choices(const struct clusters_question *q, struct rk_error *error)
{
    const struct rk_plan *words = &q->words;
    if (clusters_check_words(words, error) != RK_OK) return error->status;
    if (words->pipeline_blocking)
        return fail(error,
                    "pipeline-blocking: in this search messages overlap with the next stage; a "
                    "plan file is predicted with it");
    if (q->recompute && words->recompute != RK_SELECTIVE && words->recompute_parts)
        return fail(error, "recompute-parts: only recompute=selective has parts");
    if (words->batch > MOST_BATCH)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "batch %" PRIu64 ": at most %d samples over several clusters", words->batch,
                       MOST_BATCH);
    return RK_OK;
}

/* A tensor group stays in a node of some cluster. */
static enum rk_status check_tensor(const struct clusters_question *q, struct rk_error *error)
{
    const uint64_t tensor = q->words.tensor;
    uint64_t nearest = 1, largest = 0;
    bool divides = false;
    for (int i = 0; i < q->machine->clusters; i++) {
        const struct rk_cluster *c = &q->machine->cluster[i];
        const uint64_t node = rk_cluster_node(c);
        if (c->system.devices > largest) largest = c->system.devices;
        divides |= node % tensor == 0;
        for (uint64_t t = 1; t <= node && t < tensor; t++)
            if (node % t == 0 && t > nearest) nearest = t;
    }
    if (!divides)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "tp%" PRIu64 " divides the node of no cluster: tp%" PRIu64
                       " is the nearest below that does",
                       tensor, nearest);
    if (tensor * q->words.context <= largest) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "tp%" PRIu64 " cp%" PRIu64 " of a stage need %" PRIu64
                   " accelerators, the largest cluster has %" PRIu64 ": cp%" PRIu64 " does",
                   tensor, q->words.context, tensor * q->words.context, largest, largest / tensor);
}

/* Names the nearest divisor of `of` where a degree does not divide it. */
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

static enum rk_status check_model(const struct clusters_question *q, struct rk_error *error)
{
    const struct rk_model *model = q->model;
    const uint64_t tokens = q->words.sequence ? q->words.sequence : model->sequence;
    if (model->layers > MOST_LAYERS)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "%s has %" PRIu64 " layers: at most %d are dealt to clusters by a search",
                       model->id, model->layers, MOST_LAYERS);
    enum rk_status status = RK_OK;
    if (q->context)
        status = check_divides("cp", q->words.context, tokens, "the tokens of a sample", error);
    if (status != RK_OK || !q->expert || q->words.expert == 1) return status;
    if (model->experts)
        return check_divides("ep", q->words.expert, model->experts, "the experts of the model",
                             error);
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "ep%" PRIu64 ": %s has no experts: leave it out, or say ep1", q->words.expert,
                   model->id);
}

/* What is said has to be there on every cluster. */
static enum rk_status check_kernels(const struct clusters_question *q,
                                    const struct rk_plans_problem *p, struct rk_error *error)
{
    for (int i = 0; i < q->machine->clusters; i++) {
        const struct rk_cluster *c = &q->machine->cluster[i];
        struct rk_reason reason;
        if (plan_check_parts(q->model, &c->system, &q->words, 1u << CHECK_KERNELS, &reason) ==
            PLAN_CHECKS)
            continue;
        const bool datatype = reason.verdict == RK_BAD_DATATYPE;
        if (p->pinned[datatype ? RK_PLAN_PRECISION : RK_PLAN_ATTENTION].count)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "cluster %s, %s: %s", c->name,
                           c->system.id, reason.what);
    }
    return RK_OK;
}

static enum rk_status settle(struct clusters_question *q, const struct rk_plans_problem *p,
                             struct rk_error *error)
{
    enum rk_status status = RK_OK;
    *q = (struct clusters_question){
        .model = p->model, .machine = p->system->machine, .words = p->base};
    q->words.layout = NULL;
    memcpy(q->usable_bytes, p->usable_bytes, sizeof q->usable_bytes);
    for (int axis = 0; axis < RK_PLAN_AXES && status == RK_OK; axis++)
        if (p->pinned[axis].count) status = take_axis(q, p, (enum rk_plan_axis)axis, error);
    take_defaults(q, p);
    if (status == RK_OK) status = check_choices(q, error);
    if (status == RK_OK) status = check_tensor(q, error);
    if (status == RK_OK) status = check_model(q, error);
    if (status == RK_OK) status = check_kernels(q, p, error);
    return status;
}

enum rk_status clusters_words(const struct rk_plans_problem *problem, struct rk_plan *words,
                              struct rk_error *error)
{
    struct clusters_question question;
    const enum rk_status status = settle(&question, problem, error);
    *words = question.words;
    return status;
}

/* ---- the space ---- */

static struct clusters_space *own(const struct rk_space *space)
{
    return (struct clusters_space *)space;
}

const struct clusters_space *clusters_space_of(const struct rk_space *space)
{
    return space->predictor == &clusters_predictor ? own(space) : NULL;
}

bool clusters_space_plan(const struct clusters_space *space, const struct clusters_plan *found,
                         struct rk_plan *plan)
{
    struct given_plan *given = malloc(sizeof *given);
    if (!given) return false;
    given_of(&space->question, found, given);
    const bool said = plan_of_given(&space->question.words, given, plan);
    free(given);
    return said;
}

static bool plan_at(const struct rk_space *space, uint64_t index, struct rk_plan *plan)
{
    return clusters_space_plan(own(space), own(space)->kept.plan[index], plan);
}

static void predict(const struct rk_space *space, const struct rk_plan *plan, struct outcome *to)
{
    struct rk_prediction prediction;
    rk_predict(space->model, space->system, plan, &prediction);
    outcome_of(&prediction.outcome, to);
}

static void close(struct rk_space *space)
{
    struct clusters_space *s = own(space);
    clusters_kept_release(&s->kept);
    free(s->answer);
    free(s);
}

static void mix_machine(uint64_t *hash, const struct rk_machine *machine)
{
    mix_number(hash, (uint64_t)machine->clusters);
    for (int i = 0; i < machine->clusters; i++) {
        fingerprint_system(hash, &machine->cluster[i].system);
        mix_number(hash, machine->cluster[i].system.devices);
        mix_real(hash, machine->cluster[i].price_USDph);
        for (int k = 0; k < i; k++) {
            const struct rk_cluster_link *link = &machine->link[i][k];
            mix_real(hash, link->bandwidth_Bps);
            mix_real(hash, link->latency_s);
            mix_real(hash, link->cap_Bps);
        }
    }
}

/* What is predicted on each cluster: a program of which another time comes out has other states. */
static void mix_predictions(uint64_t *hash, const struct clusters_question *q)
{
    struct rk_prediction prediction;
    for (int i = 0; i < q->machine->clusters; i++) {
        struct rk_plan plan = q->words;
        plan.tensor = plan.context = plan.pipeline = plan.expert = plan.ranks = 1;
        plan.batch = plan.microbatch = 1;
        rk_predict(q->model, &q->machine->cluster[i].system, &plan, &prediction);
        mix_real(hash, prediction.step_s);
    }
}

static void fingerprint(const struct rk_space *space, uint64_t *hash)
{
    const struct clusters_space *s = own(space);
    plans_mix_problem(hash, &s->problem);
    mix_machine(hash, s->question.machine);
    mix(hash, s->problem.usable_bytes, sizeof s->problem.usable_bytes);
    mix_number(hash, s->problem.launchable);
    mix_number(hash, sizeof(struct clusters_answer));
    mix_predictions(hash, &s->question);
}

const struct predictor clusters_predictor = {
    .name = "clusters",
    .by = RK_BY_RECKON | RK_BY_CLUSTERS,
    .axes = RK_PLAN_TENSOR_COMM,
    .axis_name = plan_axis_name,
    .axis_words = plan_axis_words,
    .axis_parse = plan_axis_parse,
    .axis_get = plan_axis_get,
    .batch = plan_batch,
    .predict = predict,
    .close = close,
    .plan_at = plan_at,
    .fingerprint = fingerprint,
    .ask = clusters_ask,
};

struct rk_space *clusters_space_open(const struct rk_plans_problem *problem, struct rk_error *error)
{
    struct clusters_space *s = calloc(1, sizeof *s);
    if (!s) return no_memory(error), NULL;
    s->problem = *problem;
    s->space =
        (struct rk_space){.predictor = &clusters_predictor,
                          .model = problem->model,
                          .system = problem->system,
                          .sequence = (uint64_t)rk_tokens_trained(problem->model, &problem->base)};
    if (settle(&s->question, &s->problem, error) == RK_OK) return &s->space;
    free(s);
    return NULL;
}

/* ---- why there is none ---- */

static bool leaves_room(const struct clusters_question *q)
{
    bool leaves = false;
    for (int i = 0; i < q->machine->clusters; i++)
        leaves |= q->usable_bytes[i] > 0 &&
                  q->usable_bytes[i] < q->machine->cluster[i].system.memory[0].capacity_bytes;
    return leaves;
}

/* A cluster on which nothing fits is a mistake rather than an idle one; -1: there is none. */
int clusters_space_useless(const struct clusters_space *s)
{
    for (int i = 0; i < s->question.machine->clusters; i++)
        if (!s->answer->usable[i] && (!s->filtered || !s->answer->runs[i])) return i;
    return -1;
}

/* Why its stages can be run in no way, memory apart. */
static void say_refused(const struct clusters_space *s, int cluster, char *why)
{
    const struct rk_cluster *c = &s->question.machine->cluster[cluster];
    const struct rk_reason *reason = &s->answer->refused[cluster];
    snprintf(why, CLUSTERS_WHY,
             "cluster %s, %s, can be used by no stage: %s: %s (asked for %.12g, there is %.12g); "
             "leave it out, or change the words",
             c->name, c->system.id, rk_verdict_name(reason->verdict), reason->what, reason->need,
             reason->have);
}

static bool is_refused(const struct clusters_space *s, int cluster)
{
    return !s->answer->runs[cluster] && s->answer->refused[cluster].what;
}

void clusters_space_why(const struct clusters_space *s, char why[static CLUSTERS_WHY])
{
    const struct rk_machine *machine = s->question.machine;
    const char *room = leaves_room(&s->question) ? " and leaves that much memory" : "";
    const int useless = clusters_space_useless(s);
    for (int i = 0; i < machine->clusters; i++)
        if (is_refused(s, i) && !(s->filtered && s->answer->simulated)) {
            say_refused(s, i, why);
            return;
        }
    if (s->filtered)
        snprintf(why, CLUSTERS_WHY,
                 "no plan fits that keeps to all that is asked of its stages: %" PRIu64
                 " were simulated; leave a condition or a value out",
                 s->answer->simulated);
    else if (useless >= 0 && rk_cluster_node(&machine->cluster[useless]) % s->question.words.tensor)
        snprintf(why, CLUSTERS_WHY,
                 "cluster %s, %s, can be used by no stage: tp%" PRIu64
                 " does not divide its nodes of %" PRIu64 "; leave it out, or give another tp",
                 machine->cluster[useless].name, machine->cluster[useless].system.id,
                 s->question.words.tensor, rk_cluster_node(&machine->cluster[useless]));
    else if (useless >= 0 && isfinite(s->answer->best.value_s))
        snprintf(why, CLUSTERS_WHY,
                 "cluster %s, %s, can be used by no stage: not even one layer fits%s; leave it "
                 "out, or give words such as zero3 or recompute=full",
                 machine->cluster[useless].name, machine->cluster[useless].system.id, room);
    else
        snprintf(why, CLUSTERS_WHY,
                 "no plan fits%s: each stage holds at least one layer, with everything computed "
                 "again; add nodes, or words such as zero3, ep8, cp2",
                 room);
}
