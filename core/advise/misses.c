/* misses.c - the plans that one limit alone keeps out: those of the system without the limit. */
#include <reckon/advise.h>

#include "advise/aim.h"
#include "machine/part.h"

#include <math.h>
#include <stdio.h>

/* ---- what a plan takes of a limit, as an expression ---- */

static void memory_need(const struct rk_plans_problem *p, int tier, char text[AIM_TEXT])
{
    if (tier == 0)
        snprintf(text, AIM_TEXT, "hbm_bytes");
    else if (p->system->memories == 2 || rk_answerer(p->base.framework)->layers)
        snprintf(text, AIM_TEXT, "offload_bytes"); /* only calculon knows a third tier */
    else                                           /* as rk_tier_bytes() */
        snprintf(text, AIM_TEXT,
                 "((weight_offload == %d) * weight_bytes"
                 " + (activation_offload == %d and checkpoint_bytes == 0) * activation_bytes"
                 " + (activation_offload == %d) * checkpoint_bytes"
                 " + (optimizer_offload == %d) * (weight_grad_reduced_bytes + optimizer_bytes))",
                 tier, tier, tier, tier);
}

/* With calculon the ranks of all parallelisms on a tier, their product; else all ranks there are.
 */
static void network_need(const struct rk_plans_problem *p, int tier, char text[AIM_TEXT])
{
    if (rk_answerer(p->base.framework)->layers)
        snprintf(text, AIM_TEXT, "step_s");
    else
        snprintf(text, AIM_TEXT,
                 "((tensor_network == %d) * (tensor - 1) + 1)"
                 " * ((pipeline_network == %d) * (pipeline - 1) + 1)"
                 " * ((data_network == %d) * (data - 1) + 1)",
                 tier, tier, tier);
}

/* ---- the same system without one limit ---- */

static void lift(struct rk_system *system, uint64_t ranks, enum rk_limit limit, int tier)
{
    if (limit == RK_LIMIT_MEMORY) {
        system->memory[tier].capacity_bytes = INFINITY;
        return;
    }
    struct rk_network *network = &system->network[tier];
    if (network->size < ranks) network->size = ranks;
    network->must_be_filled = false;
}

const char *aim_condition(const struct rk_aim *aim, char text[AIM_TEXT])
{
    size_t used = 0;
    if (aim->samples_per_s <= 0) return aim->where;
    if (aim->where) used += (size_t)snprintf(text, AIM_TEXT, "(%.900s) and ", aim->where);
    snprintf(text + used, AIM_TEXT - used, "samples_per_s > %.17g", aim->samples_per_s);
    return text;
}

/* What the system as it is says: true when this limit refuses the plan. */
static bool refused(const struct rk_plans_problem *p, const struct rk_plan *plan,
                    enum rk_limit limit, int tier, struct rk_miss *miss)
{
    struct rk_prediction now;
    rk_predict(p->model, p->system, plan, &now);
    for (int i = 0; i < now.reasons && i < RK_MAX_REASONS; i++) {
        const struct rk_reason *reason = &now.reason[i];
        const bool network =
            reason->verdict == RK_NETWORK_TOO_SMALL || reason->verdict == RK_NETWORK_NOT_FILLED;
        const bool memory = reason->verdict == RK_MEMORY_EXCEEDED;
        if (limit == RK_LIMIT_MEMORY ? !memory : !network) continue;
        if (reason->tier != tier && reason->tier >= 0) continue;
        miss->need = reason->need;
        miss->have = limit == RK_LIMIT_MEMORY
                         ? memory_part_bytes(&p->system->memory[tier], plan->ranks)
                         : (double)p->system->network[tier].size;
        return true;
    }
    return false;
}

/* Of plans that need the same, the fastest. */
static int take_misses(const struct rk_plans_problem *p, const struct rk_system *lifted,
                       const struct rk_space *space, const struct rk_answer *answer,
                       enum rk_limit limit, int tier, struct rk_miss missed[RK_MISSES])
{
    int count = 0;
    for (uint64_t i = 0; i < answer->found; i++) {
        struct rk_prediction prediction;
        struct rk_miss miss = {.free = 0};
        rk_plans_plan(space, answer->best[i].index, &miss.found.plan);
        if (!refused(p, &miss.found.plan, limit, tier, &miss)) continue;
        rk_predict(p->model, lifted, &miss.found.plan, &prediction);
        miss.found.outcome = prediction.outcome;
        struct rk_miss *last = &missed[count ? count - 1 : 0];
        if (count == 0 || miss.need != last->need) {
            if (count == RK_MISSES) break;
            missed[count++] = miss;
        } else if (prediction.samples_per_s > last->found.outcome.samples_per_s) {
            *last = miss;
        }
    }
    return count;
}

int rk_misses(const struct rk_plans_problem *asked, const struct rk_aim *aim, enum rk_limit limit,
              int tier, struct rk_miss missed[RK_MISSES])
{
    struct aimed roomy;
    const struct rk_plans_problem *problem = aim_at(&roomy, asked, aim);
    enum { LOOKED_AT = 1024 };
    char need[AIM_TEXT], where[AIM_TEXT];
    struct rk_system lifted = {0};
    struct rk_answer answer = {.found = 0};
    struct rk_error error;
    int count = 0;
    if (problem->system->machine) return 0;
    if (rk_system_copy(&lifted, problem->system, &error) != RK_OK) return 0;
    (limit == RK_LIMIT_MEMORY ? memory_need : network_need)(problem, tier, need);
    lift(&lifted, problem->base.ranks, limit, tier);
    struct rk_plans_problem without = *problem;
    without.system = &lifted;
    const struct rk_query query = {.where = aim_condition(aim, where),
                                   .least_samples_per_s = aim->samples_per_s,
                                   .sort = need,
                                   .top = LOOKED_AT,
                                   .threads = aim->threads};
    struct rk_space *space = rk_plans_open(&without, &error);
    if (space && rk_ask(space, &query, &answer, &error) == RK_OK)
        count = take_misses(problem, &lifted, space, &answer, limit, tier, missed);
    for (int i = 0; i < count && limit == RK_LIMIT_MEMORY && tier == 0; i++) {
        missed[i].have = asked->system->memory[0].capacity_bytes;
        missed[i].free = missed[i].have - problem->system->memory[0].capacity_bytes;
    }
    rk_answer_release(&answer);
    rk_space_close(space);
    rk_system_release(&lifted);
    return count;
}
