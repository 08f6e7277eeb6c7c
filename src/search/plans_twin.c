#include "search/plans_run.h"

#include <math.h>
#include <stdlib.h>

enum { PROGRESS_EVERY = 1024 };

static void count(struct rk_plans_result *r, const struct rk_prediction *p)
{
    r->counts.verdict[p->verdict][0]++;
    if (p->verdict == RK_FITS)
        r->explain.timed++;
    else if (p->verdict == RK_MEMORY_EXCEEDED)
        r->explain.refused_by_memory++;
    else
        r->explain.refused++;
}

enum rk_status plans_twin(const struct rk_plans *plans, const struct rk_plans_options *options,
                          struct rk_plans_result *r, struct rk_error *error)
{
    const struct rk_plans_problem *problem = &plans->problem;
    struct rk_prediction *p = malloc(sizeof *p);
    struct topk best = {.heap = NULL};
    if (!p || !topk_init(&best, options->top)) {
        free(p);
        return rk_fail(error, RK_IO, NULL, 0, 0, "not enough memory for the search");
    }
    double least_s = INFINITY;
    for (uint64_t i = 0; i < plans->count && r->complete; i++) {
        struct rk_plan plan;
        if (options->progress && i % PROGRESS_EVERY == 0)
            r->complete = options->progress(options->context, i, plans->count, least_s);
        if (!rk_plans_plan(plans, i, &plan)) {
            r->counts.repeated++;
            r->explain.refused++;
            continue;
        }
        if (rk_predict(problem->model, problem->system, &plan, p) == RK_FITS) {
            topk_offer(&best, (struct rk_candidate){p->samples_per_s, p->step_s, i});
            least_s = fmin(least_s, p->step_s);
        }
        count(r, p);
    }
    free(p);
    topk_sort(&best);
    r->found = best.count;
    r->best = best.heap;
    return RK_OK;
}
