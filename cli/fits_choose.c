/* fits_choose.c - a sensible plan where the user gave none: the best that a search finds. */
#include "cli/fits.h"

#include "cli/headroom.h"
#include "cli/plan_axes.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

/* What says how a model is split, sharded and recomputed: where one of these is given, nothing is
 * chosen. */
static const char *const deciding[] = {"tensor",
                                       "pipeline",
                                       "chunks",
                                       "context",
                                       "data",
                                       "expert",
                                       "expert_tensor",
                                       "zero",
                                       "shard_ranks",
                                       "recompute",
                                       "recompute_parts",
                                       "recompute_layers",
                                       "recompute_every",
                                       "recompute_stride",
                                       "split",
                                       "stages",
                                       "first_layers",
                                       "last_layers",
                                       "embedding_counts",
                                       "head_counts",
                                       NULL};

/* The search offloads all of a class or nothing. */
static bool is_whole(const struct rk_plan *plan)
{
    for (int share = 0; share < RK_SHARES; share++)
        for (int tier = 0; tier < RK_SHARE_TIERS; tier++)
            if (plan->share[share][tier] > 0 && plan->share[share][tier] < 1) return false;
    return true;
}

bool fits_is_open(const struct plan_draft *draft)
{
    for (const char *const *key = deciding; *key; key++)
        if (plan_given(draft, *key)) return false;
    return is_whole(&draft->plan);
}

static void ask(const struct plan_input *input, struct rk_plans_problem *problem)
{
    const struct plan_draft *draft = &input->draft;
    const struct rk_plan *plan = &draft->plan;
    struct rk_error none; /* nothing is restricted before */
    rk_plans_problem_init(problem, &input->model, &input->system, plan->framework, plan->ranks,
                          plan->batch, plan->sequence);
    problem->base = *plan;
    if (!plan_given(draft, "batch")) problem->base.batch = 4 * plan->ranks * plan->microbatch;
    plan_axes_take(draft, problem, &none);
}

static void note(struct plan_input *input, const struct rk_choice *choice, double free_bytes,
                 bool batch)
{
    char plans[REPORT_DIGITS], which[64];
    if (free_bytes > 0)
        snprintf(which, sizeof which, "the fastest that leaves %.1f GiB", free_bytes / 0x1p30);
    else
        snprintf(which, sizeof which, "%s",
                 choice->fits ? "the fastest that fits"
                              : "none fits, this is the one that needs least");
    plan_assume(input, "degrees, sharding, overlap and recomputation (of %s plans %s)",
                report_digits(choice->plans, plans), which);
    if (!batch)
        plan_assume(input, "batch %" PRIu64 " (%" PRIu64 " for each GPU)", choice->plan.batch,
                    choice->plan.batch / choice->plan.ranks);
}

/* The best that leaves enough; else the best that fits, or needs least. */
static bool choose(const struct rk_plans_problem *problem, double usable_bytes,
                   struct rk_choice *choice, double *free_bytes)
{
    const double capacity = problem->system->memory[0].capacity_bytes;
    char where[HEADROOM_WHERE];
    const struct rk_aim roomy = {.where = headroom_where(usable_bytes, where)};
    *free_bytes = usable_bytes < capacity ? capacity - usable_bytes : 0;
    if (*free_bytes > 0 && rk_choose(problem, &roomy, choice) && choice->fits) return true;
    *free_bytes = 0;
    return rk_choose(problem, &(struct rk_aim){.where = NULL}, choice);
}

void fits_choose(struct plan_input *input, void *context)
{
    struct plan_draft *draft = &input->draft;
    struct fits_question *question = context;
    struct rk_plans_problem *problem = &question->problem;
    struct rk_choice choice;
    double left;
    ask(input, problem);
    if (!choose(problem, question->usable_bytes, &choice, &left)) return;
    note(input, &choice, left, plan_given(draft, "batch"));
    draft->plan = choice.plan;
    draft->given[plan_row("batch")] = draft->given[plan_row("microbatch")] = true;
}
