#include "study/over_clusters.h"

#include "advise/clusters_input.h"
#include "advise/clusters_run.h"
#include "base/memory.h"
#include "catalog/clusters_words.h"
#include "clusters/price.h"
#include "facts/headroom.h"
#include "study/run_load.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t over_clusters_gpus(const struct rk_machine *machine)
{
    uint64_t gpus = 0;
    for (int i = 0; i < machine->clusters; i++)
        gpus += machine->cluster[i].system.devices;
    return gpus;
}

/* ---- the question ---- */

/* Axes that hold for all stages of a plan over clusters, and the words that say them. */
static const struct {
    enum rk_plan_axis axis;
    const char *key;
} pinned[] = {
    {RK_PLAN_TENSOR, "tensor"},
    {RK_PLAN_CONTEXT, "context"},
    {RK_PLAN_EXPERT, "expert"},
    {RK_PLAN_RECOMPUTE, "recompute"},
    {RK_PLAN_SCHEDULE, "schedule"},
    {RK_PLAN_ZERO, "zero"},
    {RK_PLAN_SEQUENCE_PARALLEL, "sequence_parallel"},
    {RK_PLAN_GRADIENT_OVERLAP, "gradient_overlap"},
    {RK_PLAN_WEIGHT_OVERLAP, "weight_overlap"},
};

static const char *key_of(enum rk_plan_axis axis)
{
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++)
        if (pinned[i].axis == axis) return pinned[i].key;
    return NULL;
}

static enum rk_status pin(const struct study_axes *axes, struct plan_draft *draft,
                          struct rk_error *error)
{
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        const enum rk_plan_axis axis = (enum rk_plan_axis)i;
        const struct study_ranges *ranges = &axes->axis[i];
        if (!ranges->count) continue;
        const char *key = key_of(axis), *name = rk_plan_axis_info(axis)->name;
        if (!key)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "%s: a search over several clusters does not take it: leave it out, or "
                           "put these systems into a figure of their own",
                           name);
        if (ranges->count > 1 || ranges->range[0].low != ranges->range[0].high)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "%s: all stages over several clusters have one value: give one, or a "
                           "figure for each",
                           name);
        rk_plan_axis_set(&draft->plan, axis, ranges->range[0].low);
        draft->given[plan_row(key)] = true;
    }
    return RK_OK;
}

static void say(struct plan_draft *draft, const char *key)
{
    draft->given[plan_row(key)] = true;
}

/* Release in every case. */
static enum rk_status open_question(struct clusters_input *input, const struct study *study,
                                    const struct study_point *point, struct rk_error *error)
{
    struct plan_draft *draft = &input->draft;
    *input = (struct clusters_input){.model = study->model[point->model].model};
    enum rk_status status =
        clusters_input_begin(input, study->system[point->system].line, NULL, error);
    if (status != RK_OK) return status;
    draft->plan.framework = point->framework;
    draft->plan.precision = point->precision;
    draft->plan.sequence = point->sequence;
    say(draft, "framework");
    say(draft, "precision");
    if (point->sequence) say(draft, "sequence");
    status = pin(&study->axes[point->axes], draft, error);
    if (status == RK_OK) status = clusters_input_settle(input, point->max_batch, error);
    for (int i = 0; isfinite(point->usable_bytes) && i < input->machine.clusters; i++)
        headroom_usable(NULL, &input->model, &input->machine.cluster[i].system,
                        &input->question.words, &input->question.usable_bytes[i], error);
    return status;
}

enum rk_status over_clusters_check(const struct place *place, const struct study *study,
                                   const struct study_point *point, struct rk_error *error)
{
    struct clusters_input *input = malloc(sizeof *input);
    struct rk_error inner;
    if (!input) return no_memory(error);
    const enum rk_status status = open_question(input, study, point, &inner);
    clusters_input_release(input);
    free(input);
    return status == RK_OK ? status : place_fail(place, error, "%.480s", inner.text);
}

/* ---- the answer in numbers ---- */

/* One of the plans that were found, as any plan. */
struct told {
    struct rk_system system; /* borrowed from the question's machine */
    struct rk_plan plan;
    struct given_plan given;
    struct clusters_judged judged; /* its replicas with their samples */
    struct rk_prediction prediction;
};

/* The first stage's plan, and where others differ. */
static void tell_axes(const struct told *told, struct rk_plan *plan, struct study_over *over)
{
    const struct given_plan *given = &told->judged.given;
    *plan = plan_like_part(&told->plan, given, 0, 0);
    plan->batch = told->plan.batch;
    for (int i = 0; i < given->stages; i++)
        for (int k = 0; k < given->stage[i].parts; k++) {
            const struct rk_plan other = plan_like_part(&told->plan, given, i, k);
            for (int a = 0; a < RK_PLAN_AXES; a++)
                over->differs[a] |= rk_plan_axis_get(&other, (enum rk_plan_axis)a) !=
                                    rk_plan_axis_get(plan, (enum rk_plan_axis)a);
        }
    over->differs[RK_PLAN_SPLIT] = true; /* each stage has its own layers */
}

/* The whole run with that step. */
static enum rk_status tell_run(const struct study *study, const struct study_point *point,
                               const struct clusters_input *input, const struct told *plan,
                               struct study_over_run *told, struct rk_error *error)
{
    struct clusters_run run;
    struct rk_campaign_outcome o;
    if (!study->has_run) return RK_OK;
    const enum rk_status status =
        clusters_run_of(study->facts, &study->run, &input->model, &plan->system, &plan->plan,
                        point->run.tokens, &run, NULL, 0, error);
    if (status != RK_OK) return status;
    rk_campaign_expect(&run.campaign, &o);
    *told = (struct study_over_run){.days = o.total_s / 86400,
                                    .gpu_hours = o.gpu_hours,
                                    .cost = o.cost,
                                    .energy_kWh =
                                        o.gpu_hours * run_kW(&run.campaign) * run.campaign.power_W};
    return RK_OK;
}

/* A plan that was found, as one more of the row. */
static enum rk_status add_best(const struct study *study, const struct study_point *point,
                               const struct clusters_input *input,
                               const struct clusters_plan *found, struct study_row *row,
                               struct rk_error *error)
{
    struct study_best *best = &row->best[row->found];
    struct study_over *over = &row->over[row->found];
    struct told *told = malloc(sizeof *told);
    if (!told) return no_memory(error);
    given_of(&input->question, found, &told->given);
    told->system = clusters_system(&input->machine);
    enum rk_status status = RK_OK;
    if (!plan_of_given(&input->question.words, &told->given, &told->plan))
        status =
            rk_fail(error, RK_LIMIT, NULL, 0, 0, "more than %d kinds of layers", RK_MAX_LOCALS);
    if (status == RK_OK) {
        predict_clusters(&input->model, &told->system, &told->plan, &told->prediction,
                         &told->judged);
        best->position = row->found;
        best->outcome = told->prediction.outcome;
        over->step_usd = clusters_price(&input->machine, &told->judged.plan);
        clusters_words_of(&input->question, &told->judged.given, over->words, sizeof over->words);
        clusters_order_of(&input->machine, &told->judged.given, over->clusters,
                          sizeof over->clusters);
        tell_axes(told, &best->plan, over);
        status = tell_run(study, point, input, told, &over->run, error);
        row->found++;
    }
    free(told);
    return status;
}

/* The best so many; of those that were simulated. */
static enum rk_status keep(const struct study *study, const struct study_point *point,
                           const struct clusters_input *input, struct study_row *row,
                           struct rk_error *error)
{
    const int count = input->kept.count;
    enum rk_status status = RK_OK;
    row->best = calloc((size_t)count, sizeof *row->best);
    row->over = calloc((size_t)count, sizeof *row->over);
    if (!row->best || !row->over) return no_memory(error);
    row->counts.verdict[RK_FITS][0] = (uint64_t)count;
    for (int i = 0; i < count && status == RK_OK; i++)
        status = add_best(study, point, input, &input->kept.plan[i], row, error);
    return status;
}

enum rk_status over_clusters_search(const struct study *study, const struct study_point *point,
                                    bool (*stopped)(void *context), void *context,
                                    struct study_row *row, struct rk_error *error)
{
    struct clusters_input *input = malloc(sizeof *input);
    if (!input) return no_memory(error);
    enum rk_status status = open_question(input, study, point, error);
    input->question.stopped = stopped;
    input->question.stopper = context;
    input->kept.most = (int)point->top;
    bool full;
    if (status == RK_OK) status = clusters_input_roomy(input, false, &full, error);
    if (status == RK_OK || status == RK_NOTHING_FITS) row->counts.total = input->answer->labels;
    if (status == RK_OK)
        status = keep(study, point, input, row, error);
    else if (status == RK_NOTHING_FITS)
        status = RK_OK;
    clusters_input_release(input);
    free(input);
    return status;
}
