#include "estimate/plan_check.h"
#include "search/clusters_space.h"

/* Memory, if any plan passed all checks before; else what most plans fail at. */
static enum rk_verdict main_verdict(const struct rk_search_counts *counts)
{
    int most = RK_MEMORY_EXCEEDED;
    if (counts->verdict[most][0] > 0) return RK_MEMORY_EXCEEDED;
    for (int i = RK_FITS + 1; i < RK_VERDICTS; i++)
        if (counts->verdict[i][0] > counts->verdict[most][0]) most = i;
    return (enum rk_verdict)most;
}

static enum rk_status nothing(const struct rk_space *space, const struct rk_plans_problem *problem,
                              const struct rk_search_counts *counts, struct rk_error *error)
{
    char empty[RK_PLANS_EMPTY_TEXT] = "ranks, batch and restrictions leave no plan";
    char why[CLUSTERS_WHY];
    if (clusters_space_of(space)) {
        clusters_space_why(clusters_space_of(space), why);
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0, "%s", why);
    }
    if (counts->total == 0) {
        rk_plans_empty(problem, empty);
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0, "%s on %s: %s", problem->model->id,
                       problem->system->id, empty);
    }
    const struct rule_case c = rule_case_of(problem->model, problem->system, &problem->base);
    if (!rule_holds(RULE_DEVICES, &c))
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0, "%s", rule_words(RULE_DEVICES, &c).need);
    const enum rk_verdict most = main_verdict(counts);
    return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0, "%s on %s: no plan can run (%s)%s",
                   problem->model->id, problem->system->id, rk_verdict_name(most),
                   most == RK_MEMORY_EXCEEDED
                       ? ": use more GPUs or shorter samples, or offload to a lower memory"
                       : "");
}

enum rk_status rk_plans_best(const struct rk_plans_problem *problem, struct rk_plan *plan,
                             struct rk_prediction *prediction, struct rk_error *error)
{
    const struct rk_query query = {.top = 1};
    struct rk_answer answer;
    struct rk_plan best;
    struct rk_space *space = rk_plans_open(problem, error);
    if (!space) return error ? error->status : RK_NO_MEMORY;
    enum rk_status status = rk_ask(space, &query, &answer, error);
    if (status == RK_OK && answer.found == 0)
        status = nothing(space, problem, &answer.counts, error);
    if (status == RK_OK) {
        rk_plans_plan(space, answer.best[0].index, &best);
        if (plan) *plan = best;
        if (prediction) rk_predict(problem->model, problem->system, &best, prediction);
    }
    rk_answer_release(&answer);
    rk_space_close(space);
    return status;
}
