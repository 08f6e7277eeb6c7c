#include "search/twin.h"

#include "search/space.h"
#include "search/topk.h"

#include <math.h>

/* Those that a network or the number of blocks refuses were not asked about memory. */
static void count(const struct rk_estimate *e, struct rk_search_result *r)
{
    const int tier = e->reasons && e->reason[0].tier >= 0 ? e->reason[0].tier : 0;
    r->counts.verdict[e->verdict][tier]++;
    if (e->verdict == RK_FITS)
        r->explain.timed++;
    else if (e->verdict == RK_MEMORY_EXCEEDED)
        r->explain.refused_by_memory++;
    else
        r->explain.refused++;
}

enum { PROGRESS_EVERY = 4096 };

enum rk_status search_twin(const struct rk_space *space, const struct rk_search_options *options,
                           struct rk_search_result *result, struct rk_error *error)
{
    const struct rk_problem *problem = &space->problem;
    const uint64_t total = rk_space_count(space);
    const uint64_t top = options->top < total ? options->top : total;
    struct topk best;
    if (!topk_init(&best, top ? top : 1))
        return rk_fail(error, RK_IO, NULL, 0, 0, "not enough memory for the search");
    result->complete = true;
    result->counts.total = total;
    double least_s = INFINITY;
    for (uint64_t i = 0; i < total && result->complete; i++) {
        struct rk_strategy strategy;
        struct rk_estimate estimate;
        rk_space_strategy(space, i, &strategy);
        const enum rk_verdict verdict =
            rk_estimate(problem->model, problem->system, &strategy, &estimate);
        count(&estimate, result);
        if (verdict == RK_FITS) {
            topk_offer(&best, (struct rk_candidate){estimate.samples_per_s, estimate.step_s, i});
            least_s = fmin(least_s, estimate.step_s);
        }
        if (options->progress && i % PROGRESS_EVERY == 0)
            result->complete = options->progress(options->context, i, total, least_s);
    }
    topk_sort(&best);
    result->found = best.count;
    result->best = best.heap;
    return RK_OK;
}
