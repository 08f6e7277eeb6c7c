/* over.c - plans over several clusters, as programs are lowered from them: each stage, and each
 * kind of its replicas, on what it has of its cluster. Stages that are alike but for their clusters
 * and layers are a plan like any other.
 */
#include "base/memory.h"
#include "clusters/predict.h"
#include "program/uneven.h"

#include <stdlib.h>

/* Of a part's replicas some may take one sample more than the others. */
enum { KINDS = 2 * GIVEN_PARTS };

struct parts {
    struct clusters_judged judged;
    const struct rk_machine *machine;
    struct uneven_stage stage[RK_MAX_STAGES];
    struct uneven_kind *kind;     /* (stages, KINDS) */
    struct part_machine *systems; /* (stages, KINDS) */
};

static void parts_close(struct parts *s)
{
    if (!s) return;
    free(s->kind);
    free(s->systems);
    free(s);
}

/* What replicas on so many GPUs have of a cluster. */
static const struct rk_system *system_of(const struct parts *s, const struct given_part *part,
                                         const struct rk_plan *plan, struct part_machine *own)
{
    return part_system(s->machine, part->cluster,
                       part->plan.tensor * part->plan.context * part->data, plan->ranks, own);
}

static uint64_t replicas_of(const struct given_stage *stage)
{
    uint64_t replicas = 0;
    for (int k = 0; k < stage->parts; k++)
        replicas += stage->part[k].data;
    return replicas;
}

/* Of a part's replicas the first have one sample more, where shares are not even. */
static void add_kinds(struct parts *s, const struct rk_plan *whole, int i, int k)
{
    const struct given_plan *given = &s->judged.given;
    const struct given_part *part = &given->stage[i].part[k];
    struct uneven_stage *stage = &s->stage[i];
    const uint64_t replicas = replicas_of(&given->stage[i]);
    const uint64_t more = part->samples - part->least * part->data;
    const uint64_t samples[2] = {part->least + 1, part->least};
    const uint64_t count[2] = {more, part->data - more};
    for (int h = 0; h < 2; h++) {
        if (!count[h]) continue;
        const size_t at = (size_t)i * KINDS + (size_t)stage->kinds;
        struct rk_plan plan = plan_like_part(whole, given, i, k);
        plan.microbatch = samples[h];
        plan.ranks = plan.tensor * plan.context * replicas * plan.pipeline;
        plan.batch = whole->batch / given->round * replicas * samples[h];
        s->kind[at] =
            (struct uneven_kind){system_of(s, part, &plan, &s->systems[at]), plan, count[h]};
        stage->kinds++;
    }
}

static void fill_stage(struct parts *s, const struct rk_plan *plan, int i)
{
    const struct given_stage *from = &s->judged.given.stage[i];
    struct uneven_stage *stage = &s->stage[i];
    const size_t at = (size_t)i * KINDS;
    if (from->parts == 1) {
        stage->plan = plan_like_part(plan, &s->judged.given, i, 0);
        stage->system = system_of(s, &from->part[0], &stage->plan, &s->systems[at]);
        return;
    }
    for (int k = 0; k < from->parts; k++)
        add_kinds(s, plan, i, k);
    stage->kind = &s->kind[at];
    stage->plan = stage->kind[0].plan;
    stage->system = stage->kind[0].system;
}

static enum rk_status cannot_run(struct rk_error *error, const struct rk_reason *reason)
{
    return rk_fail_numbers(error, RK_NOTHING_FITS, reason->have, reason->need,
                           "the plan cannot run: %s: %s: %g, needs %g",
                           rk_verdict_name(reason->verdict), reason->what, reason->have,
                           reason->need);
}

/* NULL: the error says why. */
static struct parts *parts_open(const struct rk_model *model, const struct rk_system *system,
                                const struct rk_plan *plan, struct rk_error *error)
{
    struct parts *s = calloc(1, sizeof *s);
    struct rk_prediction *prediction = malloc(sizeof *prediction);
    enum rk_status status = s && prediction ? RK_OK : no_memory(error);
    if (status == RK_OK) predict_clusters(model, system, plan, prediction, &s->judged);
    if (status == RK_OK && !prediction->timed) status = cannot_run(error, &prediction->reason[0]);
    free(prediction);
    if (status == RK_OK) {
        s->kind = calloc((size_t)plan->pipeline * KINDS, sizeof *s->kind);
        s->systems = calloc((size_t)plan->pipeline * KINDS, sizeof *s->systems);
        if (!s->kind || !s->systems) status = no_memory(error);
    }
    if (status != RK_OK) return parts_close(s), NULL;
    s->machine = system->machine;
    for (int i = 0; i < s->judged.given.stages; i++)
        fill_stage(s, plan, i);
    return s;
}

static bool is_plain(const struct rk_system *system, const struct rk_plan *plan,
                     struct rk_plan *plain)
{
    return system->machine && plan_plain(plan, plain);
}

/* A program asks of its machine only whether it could run at all: what fits is judged stage by
 * stage before. */
static enum rk_status of_plain(struct rk_program *program, const struct rk_model *model,
                               const struct rk_system *system, const struct rk_plan *plain,
                               uint64_t rank, struct rk_error *error)
{
    struct part_machine own;
    return program_of_plan(program, model,
                           part_system(system->machine, 0, plain->ranks, plain->ranks, &own), plain,
                           rank, error);
}

enum rk_status program_of_parts(struct rk_program *program, const struct rk_model *model,
                                const struct rk_system *system, const struct rk_plan *plan,
                                uint64_t rank, struct rk_error *error)
{
    struct rk_plan plain;
    *program = (struct rk_program){.rank = 0};
    if (is_plain(system, plan, &plain))
        return of_plain(program, model, system, &plain, rank, error);
    struct parts *s = parts_open(model, system, plan, error);
    if (!s) return error->status;
    const enum rk_status status = program_of_uneven(program, model, s->stage, rank, error);
    parts_close(s);
    return status;
}

size_t program_classes_of_parts(const struct rk_model *model, const struct rk_system *system,
                                const struct rk_plan *plan, struct rk_program_class *classes,
                                size_t most)
{
    struct rk_plan plain;
    struct rk_error error;
    if (is_plain(system, plan, &plain))
        return program_classes_of_plan(model, &plain, classes, most);
    struct parts *s = parts_open(model, system, plan, &error);
    const size_t count = s ? program_classes_uneven(model, s->stage, classes, most) : 0;
    parts_close(s);
    return count;
}
