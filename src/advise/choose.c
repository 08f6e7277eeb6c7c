/* choose.c - the best plan that counts, and what to take where there is none: always a plan of the
 * space that `reckon search` goes through. */
#include "advise/aim.h"

/* The best plan that counts, and how many there are in all. */
static bool find(const struct rk_plans_problem *problem, const struct rk_aim *aim,
                 struct rk_found *found, uint64_t *plans)
{
    const struct rk_query query = {.where = aim->where,
                                   .least_samples_per_s = aim->samples_per_s,
                                   .best_only = true,
                                   .top = 1,
                                   .threads = aim->threads};
    struct rk_answer answer = {.found = 0};
    struct rk_prediction prediction;
    struct rk_error error;
    struct rk_space *space = rk_plans_open(problem, &error);
    bool any = space && rk_ask(space, &query, &answer, &error) == RK_OK && answer.found > 0;
    *plans = space ? rk_space_count(space) : 0;
    if (any) {
        rk_plans_plan(space, answer.best[0].index, &found->plan);
        rk_predict(problem->model, problem->system, &found->plan, &prediction);
        found->outcome = prediction.outcome;
        any = found->outcome.samples_per_s > aim->samples_per_s;
    }
    rk_answer_release(&answer);
    rk_space_close(space);
    return any;
}

bool rk_find(const struct rk_plans_problem *problem, const struct rk_aim *aim,
             struct rk_found *found)
{
    uint64_t plans;
    return find(problem, aim, found, &plans);
}

bool rk_choose(const struct rk_plans_problem *problem, const struct rk_aim *aim,
               struct rk_choice *choice)
{
    struct rk_found found;
    struct rk_miss missed[RK_MISSES];
    choice->fits = find(problem, aim, &found, &choice->plans);
    if (choice->fits)
        choice->plan = found.plan;
    else if (rk_misses(problem, aim, RK_LIMIT_MEMORY, 0, missed) > 0)
        choice->plan = missed[0].found.plan;
    else
        return false;
    return true;
}

bool rk_choose_ranks(const struct rk_plans_problem *problem, const struct rk_aim *aim, bool grows,
                     struct rk_found *found)
{
    enum { DOUBLINGS = 10 };
    struct rk_plans_problem larger = *problem;
    for (int i = 0; i < DOUBLINGS && !aim_stopped(aim); i++) {
        larger.base.ranks *= 2;
        if (grows) larger.base.batch *= 2;
        if (rk_find(&larger, aim, found)) return true;
    }
    return false;
}
