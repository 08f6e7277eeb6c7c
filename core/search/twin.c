#include "search/twin.h"

#include "base/memory.h"

#include <math.h>

static void count(const struct outcome *o, struct rk_answer *answer)
{
    answer->counts.verdict[o->verdict][o->tier]++;
    if (o->verdict == RK_FITS)
        answer->explain.timed++;
    else if (o->verdict == RK_MEMORY_EXCEEDED)
        answer->explain.refused_by_memory++;
    else
        answer->explain.refused++;
}

/* Plan `index`; whether it fits. */
static bool look(struct finds *finds, uint64_t index, struct rk_answer *answer)
{
    const struct rk_space *space = finds->question->space;
    struct rk_plan plan;
    if (!space->predictor->plan_at(space, index, &plan)) {
        answer->counts.repeated++;
        answer->explain.refused++;
        return false;
    }
    space->predictor->predict(space, &plan, &finds->outcome);
    count(&finds->outcome, answer);
    if (finds->outcome.verdict != RK_FITS) return false;
    finds_take(finds, index, &plan);
    return true;
}

enum { PROGRESS_EVERY = 1024 };

enum rk_status ask_twin(const struct question *question, const struct rk_query *query,
                        struct rk_answer *answer, struct rk_error *error)
{
    const uint64_t total = question->space->count;
    const uint64_t top = query->top < total ? query->top : total;
    const int step = question->place[QUICK_STEP];
    struct finds finds;
    double least_s = INFINITY;
    answer->complete = true;
    answer->counts.total = total;
    bool ok = finds_open(&finds, question, top ? top : 1);
    for (uint64_t i = 0; ok && i < total && answer->complete; i++) {
        if (look(&finds, i, answer)) least_s = fmin(least_s, finds.outcome.figure[step]);
        if (query->progress && i % PROGRESS_EVERY == 0)
            answer->complete = query->progress(query->context, i, total,
                                               question->plain ? least_s : (double)INFINITY);
    }
    ok = ok && finds_finish(&finds, answer);
    finds_close(&finds);
    return ok ? RK_OK : no_memory(error);
}
