/* plan_stages.c - virtual stages with runs of layers, or replicas on clusters, of their own: what
 * plan files and lines of words share, and the files' reader. */
#include "catalog/plan_stages.h"

#include <inttypes.h>
#include <string.h>

bool plan_is_local(const struct field *field)
{
    return field->word && field->type != FIELD_OTHER && field->offset < sizeof(struct rk_local);
}

bool plan_has_stages(const struct rk_plan *plan)
{
    return rk_plan_layout(plan)->segments > 0 || rk_plan_layout(plan)->parts > 0;
}

/* ---- adding ---- */

void plan_stages_begin(struct plan_stages *stages, struct rk_plan *plan)
{
    plan->layout = NULL;
    *stages = (struct plan_stages){.plan = plan};
}

/* The number by which segments name it; -1: there is no room for one more. */
static int number_of(struct rk_layout *layout, const struct rk_plan *plan,
                     const struct rk_local *local)
{
    if (!local || memcmp(local, &plan->local, sizeof *local) == 0) return 0;
    struct rk_local own = *local;
    if (own.recompute != RK_SELECTIVE) own.recompute_parts = 0;
    if (own.recompute == RK_SELECTIVE && !own.recompute_parts)
        own.recompute_parts = 1u << RK_PART_CORE_ATTENTION; /* as plan_complete() */
    for (int i = 0; i < layout->others; i++)
        if (memcmp(&own, &layout->other[i], sizeof own) == 0) return i + 1;
    if (layout->others == RK_MAX_LOCALS) return -1;
    layout->other[layout->others++] = own;
    return layout->others;
}

bool plan_stages_run(struct plan_stages *stages, uint64_t layers, const struct rk_local *local)
{
    struct rk_layout *layout = &stages->layout;
    const int number = number_of(layout, stages->plan, local);
    struct rk_segment *last = layout->segments ? &layout->segment[layout->segments - 1] : NULL;
    stages->fault[0] = '\0';
    if (number < 0)
        snprintf(stages->fault, sizeof stages->fault, "more than %d kinds of layers",
                 RK_MAX_LOCALS);
    else if (stages->layers + layers > UINT16_MAX)
        snprintf(stages->fault, sizeof stages->fault, "more than %d layers", UINT16_MAX);
    else if (layers == 0)
        ; /* a stage without blocks */
    else if (last && last->local == number)
        last->layers = (uint16_t)(last->layers + layers);
    else if (layout->segments == RK_MAX_SEGMENTS)
        snprintf(stages->fault, sizeof stages->fault, "more than %d runs of layers",
                 RK_MAX_SEGMENTS);
    else
        layout->segment[layout->segments++] =
            (struct rk_segment){.layers = (uint16_t)layers, .local = (uint16_t)number};
    stages->layers += layers;
    stages->of_stage += layers;
    stages->said = true;
    return !stages->fault[0];
}

static bool stage_is_full(const struct plan_stages *stages)
{
    const struct rk_layout *layout = &stages->layout;
    const int before = layout->parts - RK_MAX_STAGE_PARTS;
    return before >= 0 && layout->part[before].stage == stages->count;
}

bool plan_stages_part(struct plan_stages *stages, const struct rk_stage_part *part,
                      const struct rk_local *local)
{
    struct rk_layout *layout = &stages->layout;
    const int number = number_of(layout, stages->plan, local);
    stages->fault[0] = '\0';
    if (number < 0)
        snprintf(stages->fault, sizeof stages->fault, "more than %d kinds of layers",
                 RK_MAX_LOCALS);
    else if (!layout->round)
        snprintf(stages->fault, sizeof stages->fault,
                 "a cluster or replicas (dp) of a stage need the samples that all replicas take at "
                 "a time in front: stages=16:20/dp4,12@1/dp8");
    else if (stage_is_full(stages))
        snprintf(stages->fault, sizeof stages->fault, "more than %d kinds of replicas of a stage",
                 RK_MAX_STAGE_PARTS);
    else if (layout->parts == RK_MAX_PARTS)
        snprintf(stages->fault, sizeof stages->fault, "more than %d kinds of replicas",
                 RK_MAX_PARTS);
    if (stages->fault[0]) return false;
    layout->part[layout->parts] = *part;
    layout->part[layout->parts].stage = (uint16_t)stages->count;
    layout->part[layout->parts++].local = (uint16_t)number;
    return true;
}

bool plan_stages_end_stage(struct plan_stages *stages)
{
    struct rk_layout *layout = &stages->layout;
    const uint64_t i = (uint64_t)stages->count;
    const bool first = i < stages->plan->pipeline;
    const bool parts = layout->parts && layout->part[layout->parts - 1].stage == i;
    stages->fault[0] = '\0';
    if (i == RK_MAX_CHUNKS || (first && i == RK_MAX_STAGES))
        snprintf(stages->fault, sizeof stages->fault, "more than %d stages",
                 first ? RK_MAX_STAGES : RK_MAX_CHUNKS);
    else if (!first && parts)
        snprintf(stages->fault, sizeof stages->fault,
                 "stage %" PRIu64 " is on the ranks of stage %" PRIu64 ": give its layers alone", i,
                 i % stages->plan->pipeline);
    else if (i > 0 && stages->said != (layout->splits > 0))
        snprintf(stages->fault, sizeof stages->fault, "all stages say their layers, or none does");
    else if (layout->round && first && !parts)
        snprintf(stages->fault, sizeof stages->fault, "every stage has replicas: 20/dp4");
    else if (layout->round && !stages->said)
        snprintf(stages->fault, sizeof stages->fault, "every stage says its layers: 20/dp4");
    if (stages->fault[0]) return false;
    if (stages->said) layout->split[layout->splits++] = (uint16_t)stages->of_stage;
    stages->of_stage = 0;
    stages->said = false;
    stages->count++;
    return true;
}

/* What follows of a plan whose stages have replicas of their own. */
static void settle_parts(struct rk_plan *plan, struct rk_layout *layout)
{
    uint64_t first = 0;
    plan->ranks = 0;
    for (int i = 0; i < layout->parts; i++) {
        const struct rk_stage_part *part = &layout->part[i];
        const struct rk_local *own = part->local ? &layout->other[part->local - 1] : &plan->local;
        plan->ranks += own->tensor * own->context * part->data;
        if (!part->stage) first += part->data;
    }
    plan->microbatch = layout->round % first ? 1 : layout->round / first;
    for (int i = 0; i < layout->others; i++)
        layout->other[i].microbatch = plan->microbatch;
}

bool plan_stages_end(struct plan_stages *stages)
{
    struct rk_plan *plan = stages->plan;
    if (!stages->layout.others || stages->layout.parts)
        stages->layout.segments = 0; /* all layers are alike, or as their stage's replicas */
    if (stages->layout.parts) settle_parts(plan, &stages->layout);
    plan->layout = rk_layout_keep(&stages->layout);
    const uint64_t all = plan->pipeline * plan->chunks;
    if ((uint64_t)stages->count == all) return true;
    snprintf(stages->fault, sizeof stages->fault,
             "%d entries, pipeline %" PRIu64 " * chunks %" PRIu64
             " needs one for each virtual stage",
             stages->count, plan->pipeline, plan->chunks);
    return false;
}

void plan_follow(struct rk_plan *plan, const struct rk_plan *before, const struct field *field)
{
    if (!plan_is_local(field) || !rk_plan_layout(plan)->others) return;
    struct rk_layout layout = *plan->layout;
    for (int i = 0; i < layout.others; i++) {
        char *own = (char *)&layout.other[i] + field->offset;
        if (memcmp(own, (const char *)before + field->offset, field_size(field)) == 0)
            memcpy(own, (const char *)plan + field->offset, field_size(field));
    }
    plan->layout = rk_layout_keep(&layout);
}

/* ---- going through ---- */

uint64_t plan_stage_layers(const struct rk_plan *plan, int stage)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    struct rk_model model = {.layers = 0};
    for (int i = 0; i < layout->segments; i++)
        model.layers += layout->segment[i].layers;
    return layout->splits ? layout->split[stage] : rk_plan_split(plan, &model, (uint64_t)stage);
}

struct plan_run plan_next_run(const struct rk_plan *plan, struct plan_run run, uint64_t left)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    const struct rk_segment *at = &layout->segment[run.segment];
    if (layout->segments && run.end == at->layers) {
        run.segment++;
        run.end = 0;
        at++;
    }
    const bool own = run.segment < layout->segments;
    const uint64_t here = own ? at->layers - run.end : left;
    run.layers = here < left ? here : left;
    run.end += run.layers;
    run.local = own && at->local ? &layout->other[at->local - 1] : NULL;
    return run;
}

/* ---- files ---- */

static enum rk_status fail(const struct place *place, const struct plan_stages *stages,
                           struct rk_error *error)
{
    return place_fail(place, error, "%s", stages->fault);
}

static enum rk_status load_count(const struct place *object, const char *key, uint64_t least,
                                 uint64_t *count, struct rk_error *error)
{
    const struct field field = {
        .key = key, .type = FIELD_COUNT, .min = (double)least, .max = UINT16_MAX};
    struct place member;
    if (!place_member(object, key, &member)) return RK_OK;
    return field_load(&member, &field, count, error);
}

/* "layers", and choices of a plan that a layer sees. */
static enum rk_status load_local(const struct place *segment, struct plan_draft *draft,
                                 struct rk_error *error)
{
    const char *keys[PLAN_MAX_FIELDS + 2] = {"layers"};
    size_t count = 1;
    for (const struct field *field = plan_fields; field->key; field++)
        if (plan_is_local(field)) keys[count++] = field->key;
    enum rk_status status = place_need_object(segment, error);
    if (status == RK_OK) status = place_need_keys(segment, keys, error);
    for (const struct field *field = plan_fields; field->key && status == RK_OK; field++) {
        struct place member;
        if (!plan_is_local(field) || !place_member(segment, field->key, &member)) continue;
        status = field_load(&member, field, draft, error);
    }
    return status;
}

static enum rk_status load_segment(const struct place *segment, struct plan_stages *stages,
                                   struct rk_error *error)
{
    struct plan_draft draft = {.plan.local = stages->plan->local};
    uint64_t layers = 0;
    enum rk_status status = load_local(segment, &draft, error);
    if (status == RK_OK) status = load_count(segment, "layers", 1, &layers, error);
    if (status == RK_OK && layers == 0)
        return place_fail(segment, error, "layers are missing: how many in a row");
    if (status == RK_OK && !plan_stages_run(stages, layers, &draft.plan.local))
        return fail(segment, stages, error);
    return status;
}

static enum rk_status load_stage(const struct place *stage, struct plan_stages *stages,
                                 struct rk_error *error)
{
    static const char *const keys[] = {"layers", "segments", NULL};
    struct place segments;
    uint64_t layers = UINT64_MAX;
    enum rk_status status = place_need_object(stage, error);
    if (status == RK_OK) status = place_need_keys(stage, keys, error);
    if (status == RK_OK) status = load_count(stage, "layers", 0, &layers, error);
    if (status != RK_OK) return status;
    if (place_member(stage, "segments", &segments)) {
        status = place_need_array(&segments, 1, RK_MAX_SEGMENTS, error);
        for (size_t i = 0; status == RK_OK && i < json_array_size(segments.value); i++) {
            const struct place segment = place_element(&segments, i);
            status = load_segment(&segment, stages, error);
        }
        if (status == RK_OK && layers != UINT64_MAX && layers != stages->of_stage)
            return place_fail(stage, error,
                              "layers are %" PRIu64 ", but its segments have %" PRIu64
                              ": change one of them",
                              layers, stages->of_stage);
    } else if (layers != UINT64_MAX && !plan_stages_run(stages, layers, NULL)) {
        return fail(stage, stages, error);
    }
    if (status == RK_OK && !plan_stages_end_stage(stages)) return fail(stage, stages, error);
    return status;
}

enum rk_status plan_stages_read(const struct place *place, struct rk_plan *plan,
                                struct rk_error *error)
{
    struct plan_stages stages;
    plan_stages_begin(&stages, plan);
    enum rk_status status = place_need_array(place, 1, RK_MAX_CHUNKS, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(place->value); i++) {
        const struct place stage = place_element(place, i);
        status = load_stage(&stage, &stages, error);
    }
    if (status == RK_OK && !plan_stages_end(&stages)) return fail(place, &stages, error);
    return status;
}
