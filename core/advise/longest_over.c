/* longest_over.c - the longest sequence over several clusters: at each length the search over
 * clusters deals the layers to stages, for each way to treat them.
 */
#include "advise/longest.h"
#include "base/memory.h"

#include <reckon/offload_plans.h>

#include <stdio.h>
#include <stdlib.h>

static void pin(struct rk_plans_problem *problem, enum rk_plan_axis axis, uint64_t value)
{
    problem->pinned[axis].count = 1;
    problem->pinned[axis].value[0] = problem->pinned[axis].to[0] = value;
}

static struct rk_plans_problem problem_of(const struct rk_longest *p,
                                          const struct rk_longest_candidate *c, uint64_t tokens)
{
    struct rk_plans_problem problem = *p->over;
    problem.base.sequence = tokens;
    problem.base.context_kind = c->context_kind;
    problem.base.loss_in_chunks = problem.base.recompute_rest = c->kind == RK_LONGEST_SWAPPED;
    pin(&problem, RK_PLAN_ZERO, (uint64_t)c->zero);
    if (c->kind == RK_LONGEST_SWAPPED) pin(&problem, RK_PLAN_RECOMPUTE, RK_KEEP);
    return problem;
}

/* The largest share that every stage may have on its own cluster; none where it would not fit. */
static void take_share(struct rk_longest *p, const struct rk_system *system, struct rk_plan *plan)
{
    struct rk_offload_job job = {.model = p->model, .system = system, .plan = *plan};
    struct rk_prediction *with = malloc(sizeof *with);
    double shares[RK_SHARE_TIERS] = {0};
    struct rk_error error;
    const bool open = with && rk_offload_open(&job, &error) == RK_OK;
    if (open) shares[0] = rk_offload_share(&job, true) * (1 - 1e-12);
    rk_offload_release(&job);
    if (open && shares[0] > 0) {
        struct rk_plan shared = *plan;
        rk_offload_set_shares(&shared, shares);
        if (rk_predict(p->model, system, &shared, with) == RK_FITS) {
            *plan = shared;
            p->prediction = *with;
        }
    }
    free(with);
}

static bool search(struct rk_longest *p, const struct rk_longest_candidate *c, uint64_t tokens,
                   struct rk_plan *plan)
{
    const struct rk_plans_problem problem = problem_of(p, c, tokens);
    struct rk_error error;
    p->prediction.outcome = (struct rk_outcome){.verdict = RK_MEMORY_EXCEEDED};
    if (rk_plans_best(&problem, plan, &p->prediction, &error) != RK_OK) return false;
    if (c->kind == RK_LONGEST_SWAPPED) take_share(p, problem.system, plan);
    return p->prediction.verdict == RK_FITS;
}

bool longest_fits_over(struct rk_longest *p, const struct rk_longest_candidate *c, uint64_t tokens,
                       struct rk_plan *plan)
{
    const size_t candidate = (size_t)(c - p->candidate);
    for (size_t i = 0; i < p->tries; i++) {
        const struct rk_longest_tried *tried = &p->tried[i];
        if (tried->candidate != candidate || tried->tokens != tokens) continue;
        *plan = tried->plan;
        p->prediction.outcome = tried->outcome;
        return tried->fits;
    }
    const bool fits = search(p, c, tokens, plan);
    if (ARRAY_ROOM(p->tried, p->tries))
        p->tried[p->tries++] =
            (struct rk_longest_tried){candidate, tokens, fits, *plan, p->prediction.outcome};
    return fits;
}

/* Of what a stage may fill of its memory. */
static double filled(const struct rk_longest *p, int stage)
{
    const struct rk_stage *of = &p->prediction.stage[stage];
    const double usable_bytes = p->over->usable_bytes[of->cluster];
    const double all_bytes = rk_system_of(p->over->system, of->cluster)->memory[0].capacity_bytes;
    return of->total_bytes / (usable_bytes > 0 ? usable_bytes : all_bytes);
}

const char *longest_limit_over(struct rk_longest *p, uint64_t tokens, enum rk_longest_kind kind)
{
    const struct rk_machine *machine = p->over->system->machine;
    struct rk_plan plan;
    struct rk_outcome outcome;
    int fullest = 0;
    if (!tokens || !rk_longest_fastest(p, tokens, kind, &plan, &outcome)) return "no plan fits";
    plan.sequence = tokens + p->step;
    rk_predict(p->model, p->over->system, &plan, &p->prediction);
    if (!p->prediction.timed) return "no plan splits it";
    for (int i = 1; i < p->prediction.stages; i++)
        if (filled(p, i) > filled(p, fullest)) fullest = i;
    const int tier = p->prediction.verdict == RK_FITS ? 0 : p->prediction.reason[0].tier;
    for (int i = 0; tier && i < p->prediction.stages; i++)
        if (p->prediction.stage[i].away_bytes[tier - 1] == p->prediction.reason[0].need)
            fullest = i;
    const int cluster = p->prediction.stage[fullest].cluster;
    snprintf(p->limit, sizeof p->limit, "%s: %.48s", machine->cluster[cluster].name,
             rk_system_of(p->over->system, cluster)->memory[tier].name);
    return p->limit;
}
