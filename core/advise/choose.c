/* choose.c - the best plan that counts, and what to take where there is none: always a plan of the
 * space that `reckon search` goes through. */
#include "advise/aim.h"

#include <math.h>

const struct rk_plans_problem *aim_at(struct aimed *to, const struct rk_plans_problem *problem,
                                      const struct rk_aim *aim)
{
    const struct rk_machine *several = problem->system->machine;
    if (several && aim->room > 0 && aim->room < 1) {
        to->problem = *problem;
        for (int i = 0; i < several->clusters; i++)
            to->problem.usable_bytes[i] =
                aim->room * several->cluster[i].system.memory[0].capacity_bytes;
        return &to->problem;
    }
    const struct rk_system *roomy = system_with_room(&to->machine, problem->system, aim->room);
    if (several || roomy == problem->system) return problem;
    to->problem = *problem;
    to->problem.system = roomy;
    return &to->problem;
}

double aim_memory(const struct rk_aim *aim, double bytes)
{
    const double room = aim->room > 0 ? aim->room : 1;
    double need = bytes / room;
    while (isfinite(need) && need * room < bytes)
        need = nextafter(need, INFINITY);
    return need;
}

/* The best plan that counts, and how many there are in all. */
static bool find(const struct rk_plans_problem *asked, const struct rk_aim *aim,
                 struct rk_found *found, uint64_t *plans)
{
    enum { TIES = 8 };
    struct aimed roomy;
    const struct rk_plans_problem *problem = aim_at(&roomy, asked, aim);
    const struct rk_query query = {.where = aim->where,
                                   .least_samples_per_s = aim->samples_per_s,
                                   .best_only = true,
                                   .sort = aim->sort,
                                   .top = aim->sort ? 1 : TIES,
                                   .threads = aim->threads,
                                   .progress = aim->progress,
                                   .context = aim->context};
    struct rk_answer answer = {.found = 0};
    struct rk_prediction prediction;
    struct rk_error error;
    struct rk_space *space = rk_plans_open(problem, &error);
    bool any = space && rk_ask(space, &query, &answer, &error) == RK_OK && answer.complete &&
               answer.found > 0;
    if (any && !aim->sort) rk_answer_settle(&answer);
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

bool rk_offer(const struct rk_plans_problem *problem, const struct rk_aim *aim,
              struct rk_offer *offer)
{
    struct rk_plans_problem full = *problem;
    struct rk_aim edge = *aim;
    bool leaves = aim->room > 0;
    edge.room = 0;
    offer->leaves_room = rk_find(problem, aim, &offer->found);
    for (int i = 0; i < RK_MAX_CLUSTERS; i++) {
        leaves |= full.usable_bytes[i] > 0;
        full.usable_bytes[i] = 0;
    }
    return offer->leaves_room || (leaves && rk_find(&full, &edge, &offer->found));
}

bool rk_choose(const struct rk_plans_problem *problem, const struct rk_aim *aim,
               struct rk_choice *choice)
{
    struct rk_aim edge = *aim;
    struct rk_found found;
    struct rk_miss missed[RK_MISSES];
    edge.room = 0;
    choice->leaves_room = choice->fits = find(problem, aim, &found, &choice->plans);
    if (!choice->fits && aim->room > 0) choice->fits = rk_find(problem, &edge, &found);
    if (choice->fits)
        choice->plan = found.plan;
    else if (rk_misses(problem, &edge, RK_LIMIT_MEMORY, 0, missed) > 0)
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
