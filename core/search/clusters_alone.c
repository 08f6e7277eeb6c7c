#include "search/clusters_alone.h"

#include "clusters/predict.h"
#include "machine/part.h"
#include "search/clusters_where.h"

#include <math.h>
#include <reckon/predict.h>
#include <reckon/search.h>
#include <stdlib.h>
#include <string.h>

/* Chosen by a search of one cluster as well; each cluster has its own kernel of attention. */
static bool is_free(const struct clusters_question *q, enum rk_plan_axis axis)
{
    if (axis == RK_PLAN_ZERO) return !q->zero;
    if (axis == RK_PLAN_EXPERT_OVERLAP) return !q->expert_overlap;
    return clusters_axis_is_of_stages(axis) || axis == RK_PLAN_PIPELINE || axis == RK_PLAN_CHUNKS ||
           axis == RK_PLAN_SPLIT || axis == RK_PLAN_ATTENTION;
}

static void pin(struct rk_plans_problem *p, enum rk_plan_axis axis, uint64_t value)
{
    p->pinned[axis].count = 1;
    p->pinned[axis].value[0] = p->pinned[axis].to[0] = value;
}

/* The problem of one cluster, without the memory that plans leave free. */
static void problem_of(const struct clusters_space *space, int index, struct roomy_system *roomy,
                       struct rk_plans_problem *p)
{
    const struct clusters_question *q = &space->question;
    const struct rk_cluster *c = &q->machine->cluster[index];
    *p = space->problem;
    p->system = system_with_room(roomy, &c->system,
                                 q->usable_bytes[index] / c->system.memory[0].capacity_bytes);
    p->base.ranks = c->system.devices;
    if (!p->pinned[RK_PLAN_ATTENTION].count)
        p->base.attention =
            rk_usual_attention(q->words.framework, c->system.kernels.attention_kernels);
}

/* What all stages have in common is pinned. */
static void pin_words(struct rk_plans_problem *p, const struct clusters_question *q)
{
    const uint64_t ranks = p->base.ranks;
    const enum rk_attention_kernel attention = p->base.attention;
    p->base = q->words;
    p->base.ranks = ranks;
    if (!p->pinned[RK_PLAN_ATTENTION].count) p->base.attention = attention;
    for (int i = 0; i < RK_PLAN_AXES; i++) {
        const enum rk_plan_axis axis = (enum rk_plan_axis)i;
        if (!is_free(q, axis) && rk_plan_axis_info(axis)->by & RK_BY_RECKON)
            pin(p, axis, rk_plan_axis_get(&q->words, axis));
    }
}

double clusters_alone_best(const struct clusters_space *space, int index, struct rk_plan *plan)
{
    struct roomy_system roomy;
    struct rk_plans_problem problem;
    struct rk_prediction prediction;
    struct rk_error error;
    problem_of(space, index, &roomy, &problem);
    const enum rk_status status = rk_plans_best(&problem, plan, &prediction, &error);
    if (status == RK_OK) clusters_fit_width(plan);
    return status == RK_OK ? prediction.step_s : (double)INFINITY;
}

/* Its stages, one after the other on the cluster; what all stages have stays the question's. False:
 * a virtual stage has no layers, which no plan over clusters has. */
static bool stages_of(const struct clusters_question *q, int index, const struct rk_plan *plan,
                      struct given_plan *given)
{
    struct rk_plan own =
        clusters_stage_words(&q->words, plan->tensor, plan->context, plan->expert, plan->recompute);
    if (plan->zero > own.zero) own.zero = plan->zero; /* one of no use is said as none */
    own.expert_overlap = plan->expert_overlap;
    memset(given, 0, sizeof *given);
    given->stages = (int)plan->pipeline;
    given->chunks = (int)plan->chunks;
    given->round = rk_plan_data(plan) * plan->microbatch;
    for (int i = 0; i < given->stages; i++) {
        given->stage[i].parts = 1;
        given->stage[i].part[0] =
            (struct given_part){.cluster = index, .data = rk_plan_data(plan), .plan = own};
    }
    for (int k = 0; k < given->stages * given->chunks; k++) {
        const uint64_t layers = rk_plan_split(plan, q->model, (uint64_t)k);
        if (!layers) return false;
        given->split[k] = (uint16_t)layers;
        given->stage[k % given->stages].layers += (int)layers;
    }
    return true;
}

/* Its best plan, and that in stages. Where the fastest has a virtual stage of the embedding or the
 * head alone, the best that is split evenly. */
static bool find_stages(struct rk_plans_problem *problem, const struct clusters_question *q,
                        int index, struct given_plan *given)
{
    struct rk_plan plan;
    struct rk_error error;
    if (rk_plans_best(problem, &plan, NULL, &error) != RK_OK) return false;
    if (stages_of(q, index, &plan, given)) return true;
    pin(problem, RK_PLAN_SPLIT, RK_SPLIT_EVEN);
    return rk_plans_best(problem, &plan, NULL, &error) == RK_OK &&
           stages_of(q, index, &plan, given);
}

bool clusters_alone(const struct clusters_space *space, const struct clusters_question *question,
                    int index, struct clusters_plan *plan)
{
    struct roomy_system roomy;
    struct rk_plans_problem problem;
    struct given_fault fault;
    struct given_plan *given = malloc(sizeof *given);
    problem_of(space, index, &roomy, &problem);
    pin_words(&problem, &space->question);
    const bool good = given && find_stages(&problem, question, index, given) &&
                      given_judge(question, given, plan, &fault) &&
                      fault.reason.verdict == RK_FITS && clusters_counts(question, plan);
    free(given);
    return good;
}
