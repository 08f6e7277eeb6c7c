/* absent.c - in the place of published/calculon, where that is not built: framework calculon is
 * known by name, and refused. */
#include "search/calculon.h"
#include "search/plans_axes.h"
#include "timeline/timeline.h"

#include <stddef.h>
#include <string.h>

#define ABSENT "framework calculon is not built in (RECKON_PUBLISHED)"

/* Conditions are read by its axes; no space of it opens. */
const struct predictor calculon_predictor = {
    .name = "calculon",
    .by = RK_BY_CALCULON,
    .axes = RK_PLAN_AXES,
    .axis_name = plan_axis_name,
    .axis_words = plan_axis_words,
    .axis_parse = plan_axis_parse,
    .axis_get = plan_axis_get,
    .batch = plan_batch,
};

struct rk_space *published_plans_open(const struct rk_plans_problem *problem,
                                      struct rk_error *error)
{
    (void)problem;
    rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0, "%s", ABSENT);
    return NULL;
}

enum rk_verdict predict_published(const struct rk_model *model, const struct rk_system *system,
                                  const struct rk_plan *plan, struct rk_prediction *prediction)
{
    (void)model;
    (void)system;
    (void)plan;
    memset(prediction, 0, offsetof(struct rk_prediction, stage));
    prediction->outcome = (struct rk_outcome){.verdict = RK_BAD_OPTION, .reasons = 1};
    prediction->reason[0] = (struct rk_reason){.verdict = RK_BAD_OPTION, .what = ABSENT};
    return RK_BAD_OPTION;
}

double published_tier(const struct rk_prediction *prediction, const struct rk_plan *plan, int tier,
                      double holds[RK_HOLDING_COUNT])
{
    (void)prediction;
    (void)plan;
    (void)tier;
    memset(holds, 0, RK_HOLDING_COUNT * sizeof *holds);
    return 0;
}

int published_operations(const struct rk_model *model, const struct rk_system *system,
                         const struct rk_plan *plan, struct rk_operation *operations, int most)
{
    (void)model;
    (void)system;
    (void)plan;
    (void)operations;
    (void)most;
    return 0;
}

enum rk_status timeline_plan_of_published(struct timeline_plan *plan, const struct rk_model *model,
                                          const struct rk_system *system,
                                          const struct rk_plan *training,
                                          const struct rk_prediction *prediction, int messages,
                                          struct rk_error *error)
{
    (void)plan;
    (void)model;
    (void)system;
    (void)training;
    (void)prediction;
    (void)messages;
    return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0, "%s", ABSENT);
}
