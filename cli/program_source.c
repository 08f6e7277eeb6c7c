#include "cli/program_source.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The stages of a plan over clusters, on copies of the machine's clusters. */
struct program_stages {
    struct rk_system machine; /* a copy, whose networks are as large as programs ask */
    struct clusters_judged judged;
    struct rk_program_stage stage[RK_MAX_STAGES];
    struct rk_program_kind *kind;  /* (stages, KINDS) */
    struct stage_machine *systems; /* (stages, KINDS) */
};
enum { KINDS = 2 * GIVEN_PARTS };

static void release_stages(struct program_stages *stages)
{
    if (!stages) return;
    rk_system_release(&stages->machine);
    free(stages->kind);
    free(stages->systems);
    free(stages);
}

void program_source_release(struct program_source *asked)
{
    plan_input_release(&asked->plan);
    release_stages(asked->stages);
}

enum rk_status program_lower(struct rk_program *program, const struct program_source *asked,
                             uint64_t rank, struct rk_error *error)
{
    const struct plan_input *input = &asked->plan;
    if (asked->stages)
        return rk_program_of_uneven(program, &input->model, asked->stages->stage, rank, error);
    return rk_program_of(program, &input->model, &input->system, &input->draft.plan, rank, error);
}

uint64_t program_ranks(const struct program_source *asked)
{
    return asked->plan.draft.plan.ranks;
}

size_t program_classes(const struct program_source *asked, struct rk_program_class *classes,
                       size_t most)
{
    const struct plan_input *input = &asked->plan;
    return asked->stages
               ? rk_program_classes_uneven(&input->model, asked->stages->stage, classes, most)
               : rk_program_classes(&input->model, &input->draft.plan, classes, most);
}

const struct rk_program_stage *program_stage(const struct program_source *asked, int stage)
{
    return asked->stages ? &asked->stages->stage[stage] : NULL;
}

const struct given_plan *program_replicas(const struct program_source *asked)
{
    return asked->stages ? &asked->stages->judged.given : NULL;
}

/* ---- stages of different numbers of GPUs ---- */

/* A cluster as large as programs ask, with what replicas on so many GPUs have of it. */
static const struct rk_system *system_of(struct program_stages *s, int cluster,
                                         const struct rk_plan *plan, uint64_t gpus,
                                         struct stage_machine *own)
{
    struct rk_system *system = &s->machine.machine->cluster[cluster].system;
    struct rk_network *last = &system->network[system->networks - 1];
    if (last->size < plan->ranks) last->size = plan->ranks;
    system->devices = 0; /* as if all stages were there */
    return clusters_machine(s->machine.machine, cluster, gpus, own);
}

static uint64_t gpus_of(const struct given_part *part)
{
    return part->plan.tensor * part->plan.context * part->data;
}

/* Of a part's replicas the first have one sample more, where shares are not even. */
static void add_kinds(struct program_stages *s, const struct rk_plan *whole, int i)
{
    const struct given_plan *given = &s->judged.given;
    const struct given_stage *from = &given->stage[i];
    struct rk_program_stage *stage = &s->stage[i];
    struct rk_program_kind *kind = s->kind + (size_t)i * KINDS;
    const uint64_t rounds = whole->batch / given->round;
    uint64_t replicas = 0;
    for (int k = 0; k < from->parts; k++)
        replicas += from->part[k].data;
    for (int k = 0; k < from->parts; k++) {
        const struct given_part *part = &from->part[k];
        const uint64_t more = part->samples - part->least * part->data;
        const uint64_t samples[2] = {part->least + 1, part->least};
        const uint64_t count[2] = {more, part->data - more};
        for (int h = 0; h < 2; h++) {
            if (!count[h]) continue;
            struct rk_plan plan = plan_like_part(whole, given, i, k);
            plan.microbatch = samples[h];
            plan.ranks = plan.tensor * plan.context * replicas * plan.pipeline;
            plan.batch = rounds * replicas * samples[h];
            const struct rk_system *system =
                system_of(s, part->cluster, &plan, gpus_of(part),
                          s->systems + (size_t)i * KINDS + stage->kinds);
            kind[stage->kinds++] = (struct rk_program_kind){system, plan, count[h]};
        }
    }
    stage->kind = kind;
    stage->plan = kind[0].plan;
    stage->system = kind[0].system;
}

static void fill_stages(struct program_stages *s, const struct rk_plan *plan)
{
    struct given_plan *given = &s->judged.given;
    for (int i = 0; i < given->stages; i++) {
        struct given_stage *stage = &given->stage[i];
        if (stage->parts > 1) {
            add_kinds(s, plan, i);
            continue;
        }
        s->stage[i].plan = plan_like_part(plan, given, i, 0);
        s->stage[i].system = system_of(s, stage->part[0].cluster, &s->stage[i].plan,
                                       gpus_of(&stage->part[0]), s->systems + (size_t)i * KINDS);
    }
}

static enum rk_status open_stages(struct program_source *asked, struct rk_error *error)
{
    const struct plan_input *input = &asked->plan;
    const struct rk_plan *plan = &input->draft.plan;
    struct program_stages *s = asked->stages = calloc(1, sizeof *s);
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    const size_t count = (size_t)plan->pipeline * KINDS;
    enum rk_status status = s && prediction ? RK_OK : no_memory(error);
    if (s) s->kind = calloc(count, sizeof *s->kind);
    if (s) s->systems = calloc(count, sizeof *s->systems);
    if (s && (!s->kind || !s->systems)) status = no_memory(error);
    if (status == RK_OK) status = rk_system_copy(&s->machine, &input->system, error);
    if (status == RK_OK)
        predict_clusters(&input->model, &input->system, plan, prediction, &s->judged);
    if (status == RK_OK && !prediction->timed)
        status = rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                         "the plan cannot run: reckon predict says why");
    if (status == RK_OK) fill_stages(s, plan);
    free(prediction);
    return status;
}

/* Stages that are alike but for their clusters and layers: a program asks of its machine only
 * whether it could run at all, and what fits is judged stage by stage before. */
static enum rk_status take_plain(struct program_source *asked, const struct rk_plan *plain,
                                 struct rk_error *error)
{
    struct plan_input *input = &asked->plan;
    struct rk_system first;
    const int clusters = input->system.machine->clusters;
    const enum rk_status status = rk_system_copy(&first, rk_system_of(&input->system, 0), error);
    if (status != RK_OK) return status;
    rk_system_release(&input->system);
    input->system = first;
    input->draft.plan = *plain;
    struct rk_network *last = &input->system.network[input->system.networks - 1];
    if (last->size < plain->ranks) last->size = plain->ranks;
    input->system.devices = 0;
    plan_assume(input, "stages over %d clusters, alike but for their layers", clusters);
    return RK_OK;
}

enum rk_status program_source_open(struct program_source *asked, const struct plan_source *source,
                                   struct rk_error *error)
{
    struct plan_source any = *source;
    struct rk_plan plain;
    any.several = true;
    enum rk_status status = plan_gather(&any, &asked->plan, error);
    if (status == RK_OK) status = plan_settle(&any, &asked->plan, NULL, NULL, error);
    if (status != RK_OK || !asked->plan.system.machine) return status;
    return plan_plain(&asked->plan.draft.plan, &plain) ? take_plain(asked, &plain, error)
                                                       : open_stages(asked, error);
}
