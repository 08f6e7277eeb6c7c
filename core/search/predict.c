/* predict.c - the predictor that a framework asks for: the one place outside published/calculon
 * that knows of it. */
#include "clusters/predict.h"
#include "estimate/plan_check.h"
#include "estimate/predict.h"
#include "search/calculon.h"
#include "search/clusters_space.h"
#include "search/plans_space.h"
#include "search/plans_split.h"

static enum rk_verdict refuse(struct rk_prediction *prediction, const struct rk_reason *reason)
{
    prediction->outcome = (struct rk_outcome){.verdict = reason->verdict, .reasons = 1};
    prediction->reason[0] = *reason;
    prediction->stages = 0;
    return reason->verdict;
}

/* A kernel that the device has not, or what comes before that. */
static bool lacks_kernels(const struct rk_model *model, const struct rk_system *system,
                          const struct rk_plan *plan, struct rk_reason *reason)
{
    struct rk_reason before;
    const unsigned kernels = 1u << CHECK_KERNELS;
    if (plan_check_parts(model, system, plan, kernels, reason) == PLAN_CHECKS) return false;
    plan_check(model, system, plan, &before);
    if (before.verdict != RK_FITS) *reason = before;
    return true;
}

static enum rk_verdict predict_detailed(const struct rk_model *model,
                                        const struct rk_system *system, const struct rk_plan *plan,
                                        struct rk_prediction *prediction)
{
    struct rk_reason reason;
    if (lacks_kernels(model, system, plan, &reason)) return refuse(prediction, &reason);
    return predict_layers(model, system, plan, prediction);
}

static const struct answering {
    enum rk_verdict (*predict)(const struct rk_model *, const struct rk_system *,
                               const struct rk_plan *, struct rk_prediction *);
    double (*tier)(const struct rk_prediction *, const struct rk_plan *, int tier,
                   double holds[RK_HOLDING_COUNT]);
    int (*operations)(const struct rk_model *, const struct rk_system *, const struct rk_plan *,
                      struct rk_operation *, int most);
    struct rk_space *(*open)(const struct rk_plans_problem *, struct rk_error *);
} answering[] = {
    [RK_BY_RECKON] = {predict_detailed, layers_tier, layers_operations, plans_open},
    [RK_BY_CALCULON] = {predict_published, published_tier, published_operations,
                        published_plans_open},
};

static const struct answering *answering_of(enum rk_framework framework)
{
    return &answering[rk_answerer(framework)->by];
}

enum rk_verdict rk_predict(const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan, struct rk_prediction *prediction)
{
    if (plan_has_parts(system, plan))
        return predict_clusters(model, system, plan, prediction, NULL);
    return answering_of(plan->framework)->predict(model, system, plan, prediction);
}

enum rk_verdict rk_plans_predict(const struct rk_plans_problem *problem, const struct rk_plan *plan,
                                 struct rk_prediction *prediction)
{
    struct rk_reason reason;
    const bool refused = rk_answerer(plan->framework)->runs &&
                         !plan_has_parts(problem->system, plan) &&
                         plans_refuse(problem, plan, &reason);
    if (!refused) return rk_predict(problem->model, problem->system, plan, prediction);
    return refuse(prediction, &reason);
}

double rk_predict_tier(const struct rk_prediction *prediction, const struct rk_plan *plan, int tier,
                       double holds[RK_HOLDING_COUNT])
{
    return answering_of(plan->framework)->tier(prediction, plan, tier, holds);
}

int rk_predict_operations(const struct rk_model *model, const struct rk_system *system,
                          const struct rk_plan *plan, struct rk_operation *operations, int most)
{
    if (plan_has_parts(system, plan)) return 0; /* each cluster has its own */
    return answering_of(plan->framework)->operations(model, system, plan, operations, most);
}

void outcome_of(const struct rk_outcome *predicted, struct outcome *outcome)
{
    const struct rk_figure *figures = rk_figures();
    const bool named = predicted->reasons && predicted->reason[0].tier > 0;
    outcome->verdict = predicted->verdict;
    outcome->tier = named ? predicted->reason[0].tier : 0;
    for (int i = 0; figures[i].name && i < MAX_FIGURES; i++)
        outcome->figure[i] = rk_figure_value(predicted, &figures[i]);
}

struct rk_space *rk_plans_open(const struct rk_plans_problem *problem, struct rk_error *error)
{
    if (problem->system->machine) return clusters_space_open(problem, error);
    return answering_of(problem->base.framework)->open(problem, error);
}

bool rk_plans_plan(const struct rk_space *space, uint64_t index, struct rk_plan *plan)
{
    return space->predictor->plan_at(space, index, plan);
}
