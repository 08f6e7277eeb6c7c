#include "study/over_clusters.h"

#include "advise/clusters_run.h"
#include "base/memory.h"
#include "catalog/clusters_words.h"
#include "clusters/predict.h"
#include "study/run_load.h"

#include <math.h>
#include <reckon/sure.h>
#include <stdlib.h>

enum rk_status over_clusters_check(const struct place *place, const struct study *study,
                                   const struct study_point *point, struct rk_error *error)
{
    struct rk_plans_problem problem;
    struct rk_error inner;
    study_problem(study, point, &problem);
    struct rk_space *space = rk_plans_open(&problem, &inner);
    if (!space) return place_fail(place, error, "%.480s", inner.text);
    rk_space_close(space);
    return RK_OK;
}

enum rk_status over_clusters_leave(const struct study_point *point,
                                   struct rk_plans_problem *problem, struct rk_error *error)
{
    return isfinite(point->usable_bytes) ? rk_headroom_of_clusters(NULL, problem, error) : RK_OK;
}

/* ---- the answer in numbers ---- */

/* The first stage's plan, and where others differ. */
static void tell_axes(const struct rk_plan *whole, const struct given_plan *given,
                      struct rk_plan *plan, struct study_over *over)
{
    *plan = plan_like_part(whole, given, 0, 0);
    plan->batch = whole->batch;
    for (int i = 0; i < given->stages; i++)
        for (int k = 0; k < given->stage[i].parts; k++) {
            const struct rk_plan other = plan_like_part(whole, given, i, k);
            for (int a = 0; a < RK_PLAN_AXES; a++)
                over->differs[a] |= rk_plan_axis_get(&other, (enum rk_plan_axis)a) !=
                                    rk_plan_axis_get(plan, (enum rk_plan_axis)a);
        }
    over->differs[RK_PLAN_SPLIT] = true; /* each stage has its own layers */
}

/* The whole run with that step. */
static enum rk_status tell_run(const struct study *study, const struct study_point *point,
                               const struct rk_plans_problem *p, const struct rk_plan *plan,
                               struct study_over_run *told, struct rk_error *error)
{
    struct clusters_run run;
    struct rk_campaign_outcome o;
    if (!study->has_run) return RK_OK;
    const enum rk_status status = clusters_run_of(study->facts, &study->run, p->model, p->system,
                                                  plan, point->run.tokens, &run, NULL, 0, error);
    if (status != RK_OK) return status;
    rk_campaign_expect(&run.campaign, &o);
    *told = (struct study_over_run){.days = o.total_s / 86400,
                                    .gpu_hours = o.gpu_hours,
                                    .cost = o.cost,
                                    .energy_kWh =
                                        o.gpu_hours * run_kW(&run.campaign) * run.campaign.power_W};
    return RK_OK;
}

static enum rk_status tell(const struct study *study, const struct study_point *point,
                           const struct rk_plans_problem *p, struct study_best *best,
                           struct study_over *over, struct clusters_judged *judged,
                           struct rk_error *error)
{
    const struct rk_plan whole = best->plan;
    const struct clusters_question question = clusters_question_of(p->model, p->system, &whole);
    struct rk_prediction prediction;
    predict_clusters(p->model, p->system, &whole, &prediction, judged);
    over->step_usd = clusters_price(p->system->machine, &judged->plan);
    clusters_words_of(&question, &judged->given, over->words, sizeof over->words);
    clusters_order_of(p->system->machine, &judged->given, over->clusters, sizeof over->clusters);
    tell_axes(&whole, &judged->given, &best->plan, over);
    return tell_run(study, point, p, &whole, &over->run, error);
}

enum rk_status over_clusters_tell(const struct study *study, const struct study_point *point,
                                  const struct rk_plans_problem *problem, struct study_row *row,
                                  struct rk_error *error)
{
    struct clusters_judged *judged = malloc(sizeof *judged);
    enum rk_status status = RK_OK;
    row->over = calloc(row->found ? row->found : 1, sizeof *row->over);
    if (!row->over || !judged) status = no_memory(error);
    for (uint64_t i = 0; i < row->found && status == RK_OK; i++)
        status = tell(study, point, problem, &row->best[i], &row->over[i], judged, error);
    free(judged);
    return status;
}
