#include "search/plans_run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_s(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum rk_status rk_plans_search(const struct rk_plans *plans, const struct rk_plans_options *options,
                               struct rk_plans_result *result, struct rk_error *error)
{
    const double start_s = now_s();
    struct rk_plans_options bounded = *options;
    memset(result, 0, sizeof *result);
    result->complete = true;
    result->counts.total = plans->count;
    if (bounded.top > plans->count) bounded.top = plans->count;
    if (bounded.top < 1) bounded.top = 1;
    const enum rk_status status = options->mode == RK_SEARCH_TWIN
                                      ? plans_twin(plans, &bounded, result, error)
                                      : plans_compose(plans, &bounded, result, error);
    result->seconds = now_s() - start_s;
    return status;
}

void rk_plans_result_release(struct rk_plans_result *result)
{
    free(result->best);
    memset(result, 0, sizeof *result);
}

/* ---- the best ---- */

/* Memory, if any plan passed all checks before; else what most plans fail at. */
static enum rk_verdict main_verdict(const struct rk_search_counts *counts)
{
    int most = RK_MEMORY_EXCEEDED;
    if (counts->verdict[most][0] > 0) return RK_MEMORY_EXCEEDED;
    for (int i = RK_FITS + 1; i < RK_VERDICTS; i++)
        if (counts->verdict[i][0] > counts->verdict[most][0]) most = i;
    return (enum rk_verdict)most;
}

static enum rk_status nothing(const struct rk_plans_problem *problem,
                              const struct rk_search_counts *counts, struct rk_error *error)
{
    if (counts->total == 0)
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                       "%s on %s: ranks, batch and restrictions leave no plan", problem->model->id,
                       problem->system->id);
    return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0, "%s on %s: no plan can run (%s)",
                   problem->model->id, problem->system->id, rk_verdict_name(main_verdict(counts)));
}

enum rk_status rk_plans_best(const struct rk_plans_problem *problem, struct rk_plan *plan,
                             struct rk_prediction *prediction, struct rk_error *error)
{
    const struct rk_plans_options options = {.top = 1};
    struct rk_plans_result result;
    struct rk_plan best;
    struct rk_plans *plans = rk_plans_open(problem, error);
    if (!plans) return RK_IO;
    enum rk_status status = rk_plans_search(plans, &options, &result, error);
    if (status == RK_OK && result.found == 0) status = nothing(problem, &result.counts, error);
    if (status == RK_OK) {
        rk_plans_plan(plans, result.best[0].index, &best);
        if (plan) *plan = best;
        if (prediction) rk_predict(problem->model, problem->system, &best, prediction);
    }
    rk_plans_result_release(&result);
    rk_plans_close(plans);
    return status;
}
