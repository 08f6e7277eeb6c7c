#include "clusters/predict.h"

#include "base/limits.h"
#include "base/memory.h"
#include "clusters/simulate.h"
#include "plan/layers.h"

#include <stdlib.h>
#include <string.h>

/* ---- plans and their stages ---- */

static void take_part(const struct rk_plan *plan, const struct rk_stage_part *from,
                      struct given_plan *given)
{
    struct given_stage *stage = &given->stage[from->stage];
    struct rk_plan own = *plan;
    if (from->local) own.local = plan->layout->other[from->local - 1];
    own.layout = NULL;
    own.messages_sharded &= own.tensor > 1;
    stage->equal |= from->equal;
    stage->part[stage->parts++] =
        (struct given_part){.cluster = from->cluster, .data = from->data, .plan = own};
}

void given_of_plan(const struct rk_plan *plan, struct given_plan *given)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    memset(given, 0, sizeof *given);
    given->round = layout->round;
    given->stages = (int)plan->pipeline;
    given->chunks = (int)plan->chunks;
    memcpy(given->split, layout->split, sizeof given->split);
    for (int i = 0; i < layout->splits; i++)
        given->stage[i % given->stages].layers += layout->split[i];
    for (int i = 0; i < layout->parts; i++)
        take_part(plan, &layout->part[i], given);
}

/* The number by which parts name the choices of a layer; -1: there is no room for one more. */
static int number_of(struct rk_layout *layout, const struct rk_plan *plan, struct rk_local local)
{
    local.microbatch = plan->microbatch; /* samples follow from the round */
    if (memcmp(&local, &plan->local, sizeof local) == 0) return 0;
    for (int i = 0; i < layout->others; i++)
        if (memcmp(&local, &layout->other[i], sizeof local) == 0) return i + 1;
    if (layout->others == RK_MAX_LOCALS) return -1;
    layout->other[layout->others++] = local;
    return layout->others;
}

static bool add_stage(struct rk_layout *layout, struct rk_plan *plan,
                      const struct given_stage *stage, int index)
{
    for (int k = 0; k < stage->parts; k++) {
        const struct given_part *from = &stage->part[k];
        const int local = number_of(layout, plan, from->plan.local);
        if (local < 0 || layout->parts == RK_MAX_PARTS) return false;
        layout->part[layout->parts++] = (struct rk_stage_part){.stage = (uint16_t)index,
                                                               .cluster = (uint16_t)from->cluster,
                                                               .local = (uint16_t)local,
                                                               .equal = stage->equal,
                                                               .data = (uint32_t)from->data};
        plan->ranks += from->plan.tensor * from->plan.context * from->data;
    }
    return true;
}

bool plan_of_given(const struct rk_plan *words, const struct given_plan *given,
                   struct rk_plan *plan)
{
    struct rk_layout layout = {.splits = given->stages * given->chunks, .round = given->round};
    const struct given_stage *first = &given->stage[0];
    uint64_t replicas = 0;
    for (int k = 0; k < first->parts; k++)
        replicas += first->part[k].data;
    *plan = *words;
    plan->local = first->part[0].plan.local;
    plan->microbatch = given->round % replicas ? 1 : given->round / replicas;
    plan->pipeline = (uint64_t)given->stages;
    plan->chunks = (uint64_t)given->chunks;
    plan->ranks = 0;
    memcpy(layout.split, given->split, (size_t)layout.splits * sizeof *layout.split);
    for (int i = 0; i < given->stages; i++)
        if (!add_stage(&layout, plan, &given->stage[i], i)) return false;
    plan->layout = rk_layout_keep(&layout);
    return true;
}

struct rk_plan plan_like_part(const struct rk_plan *plan, const struct given_plan *given, int stage,
                              int part)
{
    const struct given_part *p = &given->stage[stage].part[part];
    struct rk_plan own = p->plan;
    own.pipeline = (uint64_t)given->stages;
    own.chunks = (uint64_t)given->chunks;
    plan_set_split(&own, given->split, given->stages * given->chunks);
    own.schedule = plan->schedule;
    own.microbatch = p->most ? p->most : 1;
    own.ranks = own.tensor * own.context * p->data * own.pipeline;
    own.batch = plan->batch / given->round * p->data * own.microbatch;
    return own;
}

bool plan_plain(const struct rk_plan *plan, struct rk_plan *plain)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    bool alike = (uint64_t)layout->parts == plan->pipeline;
    for (int i = 0; alike && i < layout->parts; i++)
        alike = layout->part[i].local == 0 && layout->part[i].data == layout->part[0].data;
    if (!alike) return false;
    *plain = *plan;
    plain->messages_sharded &= plan->tensor > 1 && !plan->sequence_parallel; /* is split anyway */
    plain->layout = NULL;
    plan_set_split(plain, layout->split, layout->splits);
    return true;
}

void given_of(const struct clusters_question *question, const struct clusters_plan *plan,
              struct given_plan *given)
{
    *given =
        (struct given_plan){.round = plan->round, .stages = plan->stages, .chunks = plan->chunks};
    for (int i = 0; i < plan->stages * plan->chunks; i++)
        given->split[i] = (uint16_t)plan->chunk[i].layers;
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *from = &plan->stage[i];
        struct rk_plan own = clusters_stage_words(&question->words, from->tensor, from->context,
                                                  from->expert, from->recompute);
        own.zero = from->zero;
        own.expert_overlap = from->expert_overlap;
        if (!question->offload) plan_offload(&own, from->activations_away, from->optimizer_away);
        struct given_stage *stage = &given->stage[i];
        *stage = (struct given_stage){
            .layers = (int)from->layers,
            .parts = from->homes ? from->homes : 1,
            .part = {{.cluster = from->cluster, .data = from->data, .plan = own}}};
        for (int k = 0; k < from->homes; k++)
            stage->part[k] =
                (struct given_part){.cluster = from->home[k].cluster,
                                    .data = from->home[k].gpus / from->tensor / from->context,
                                    .plan = own};
    }
}

struct rk_system clusters_system(const struct rk_machine *machine)
{
    struct rk_system system = machine->cluster[0].system;
    system.machine = (struct rk_machine *)machine;
    system.devices = 0;
    for (int i = 0; i < machine->clusters; i++)
        system.devices += machine->cluster[i].system.devices;
    return system;
}

struct clusters_question clusters_question_of(const struct rk_model *model,
                                              const struct rk_system *system,
                                              const struct rk_plan *plan)
{
    struct clusters_question question = {
        .model = model, .machine = system->machine, .words = *plan};
    question.words.layout = NULL;
    return question;
}

/* ---- the prediction ---- */

static enum rk_verdict refuse(struct rk_prediction *p, const struct rk_reason *reason)
{
    memset(p, 0, sizeof *p);
    p->verdict = reason->verdict;
    p->reasons = 1;
    p->reason[0] = *reason;
    return p->verdict;
}

/* Has each stage as many kinds of replicas as there is room for, and stands each in its order? */
static bool in_order(const struct rk_layout *layout, uint64_t stages)
{
    const struct rk_stage_part *part = layout->part;
    for (int i = 0; i < layout->parts; i++)
        if (part[i].stage >= stages || (i && part[i].stage < part[i - 1].stage) ||
            (i >= RK_MAX_STAGE_PARTS && part[i].stage == part[i - RK_MAX_STAGE_PARTS].stage))
            return false;
    return stages <= RK_MAX_STAGES;
}

/* What a layout says that machine or model have not; RK_FITS: nothing. */
static struct rk_reason fault_of(const struct rk_model *model, const struct rk_system *system,
                                 const struct rk_plan *plan)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    const int clusters = system->machine ? system->machine->clusters : 1;
    uint64_t layers = 0;
    for (int i = 0; i < layout->splits; i++)
        layers += layout->split[i];
    if (!layout->parts)
        return (struct rk_reason){.verdict = RK_BAD_DEGREES,
                                  .what =
                                      "a plan without stages= for a machine of several clusters"};
    if (!rk_answerer(plan->framework)->layers)
        return (struct rk_reason){.verdict = RK_BAD_DEGREES,
                                  .what = "framework calculon, which covers only one cluster"};
    if (!in_order(layout, plan->pipeline))
        return (struct rk_reason){
            .verdict = RK_BAD_PIPELINE,
            .need = (double)plan->pipeline,
            .have = RK_MAX_STAGES,
            .what = "stages in order, none of more than RK_MAX_STAGE_PARTS kinds of replicas"};
    if (layers != model->layers)
        return (struct rk_reason){.verdict = RK_BAD_PIPELINE,
                                  .need = (double)layers,
                                  .have = (double)model->layers,
                                  .what = "blocks of all stages"};
    for (int i = 0; i < layout->parts; i++)
        if (layout->part[i].cluster >= clusters || !system->machine)
            return (struct rk_reason){.verdict = RK_BAD_DEGREES,
                                      .need = layout->part[i].cluster,
                                      .have = clusters - 1,
                                      .what = "the number of a cluster"};
    return (struct rk_reason){.verdict = RK_FITS};
}

enum rk_verdict predict_clusters(const struct rk_model *model, const struct rk_system *system,
                                 const struct rk_plan *plan, struct rk_prediction *prediction,
                                 struct clusters_judged *judged)
{
    const struct clusters_question question = clusters_question_of(model, system, plan);
    const struct rk_reason fault = fault_of(model, system, plan);
    struct given_fault first;
    if (fault.verdict != RK_FITS) return refuse(prediction, &fault);
    struct clusters_judged *own = judged ? judged : malloc(sizeof *own);
    RK_REQUIRE(own); /* a megabyte */
    memset(&own->plan, 0, sizeof own->plan);
    given_of_plan(plan, &own->given);
    const bool good = given_predict(&question, &own->given, &own->plan, prediction, &first);
    RK_REQUIRE(good); /* memory for folds of layers */
    if (!judged) free(own);
    return prediction->verdict;
}

/* ---- the timeline ---- */

static enum rk_status judge_again(const struct rk_model *model, const struct rk_system *system,
                                  const struct rk_plan *plan, struct timeline_plan *timeline,
                                  struct rk_error *error)
{
    struct clusters_judged *judged = malloc(sizeof *judged);
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    enum rk_status status = judged && prediction ? RK_OK : no_memory(error);
    if (status == RK_OK) predict_clusters(model, system, plan, prediction, judged);
    if (status == RK_OK) status = clusters_timeline(&judged->plan, timeline, error);
    free(prediction);
    free(judged);
    return status;
}

enum rk_status step_timeline(struct timeline_plan *timeline, const struct rk_model *model,
                             const struct rk_system *system, const struct rk_plan *plan,
                             const struct rk_prediction *prediction,
                             const struct clusters_judged *judged, int messages,
                             struct rk_error *error)
{
    if (!plan_has_parts(system, plan))
        return timeline_plan_of_plan(timeline, model, system, plan, prediction, messages, error);
    const enum rk_status status = judged ? clusters_timeline(&judged->plan, timeline, error)
                                         : judge_again(model, system, plan, timeline, error);
    if (status != RK_OK) return status;
    timeline->estimate_s = prediction->step_s;
    timeline->estimate_bubble_s = prediction->bubble_s;
    timeline->tier[0].estimate_bytes = prediction->stage[prediction->tightest].total_bytes;
    if (messages >= 0) timeline->messages = (enum timeline_messages)messages;
    return RK_OK;
}
