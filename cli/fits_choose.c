/* fits_choose.c - a sensible plan where the user gave none: the best that a search finds. */
#include "cli/fits.h"

#include "catalog/hosts.h"
#include "cli/plan_axes.h"
#include "cli/search_context.h"
#include "report/report.h"

#include <inttypes.h>

/* What says how a model is split, sharded and recomputed: where one of these is given, nothing is
 * chosen. */
static const char *const deciding[] = {
#define ROW(key) key,
#include "tables/fits-words.h"
#undef ROW
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

void fits_ask(const struct plan_input *input, const struct plan_draft *draft,
              struct rk_plans_problem *problem)
{
    const struct rk_plan *plan = &draft->plan;
    struct rk_error none; /* nothing is restricted before */
    rk_plans_problem_init(problem, &input->model, &input->system, plan->framework, plan->ranks,
                          plan->batch, plan->sequence);
    problem->base = *plan;
    if (!plan_given(draft, "batch")) problem->base.batch = 4 * plan->ranks * plan->microbatch;
    plan_axes_take(draft, problem, &none);
}

static void note(struct plan_input *input, const struct rk_choice *choice, double room, bool data,
                 bool batch)
{
    const double capacity = input->system.memory[0].capacity_bytes;
    const double left_GiB = (1 - room) * capacity / 0x1p30;
    char plans[REPORT_DIGITS], which[96];
    snprintf(which, sizeof which, "%s",
             choice->fits ? "the fastest that fits"
             : data       ? "that split data alone none fits, this one of them needs least memory"
                          : "none fits, this one of them needs least memory");
    if (choice->leaves_room && room < 1)
        snprintf(which, sizeof which, "the fastest that leaves %.1f GiB", left_GiB);
    else if (choice->fits && room < 1)
        snprintf(which, sizeof which, "none leaves %.1f GiB, this is the fastest that fits",
                 left_GiB);
    plan_assume(input, "degrees, sharding, overlap and recomputation (of %s plans %s)",
                report_digits(choice->plans, plans), which);
    if (!batch)
        plan_assume(input, "batch %" PRIu64 " (%" PRIu64 " per GPU)", choice->plan.batch,
                    choice->plan.batch / choice->plan.ranks);
}

/* As `reckon search` does: on the system with the memory of its nodes, which joins the input where
 * the plan offloads. */
static bool choose(struct plan_input *input, const struct fits_question *question,
                   struct rk_choice *choice)
{
    const struct rk_aim aim = {.room = question->room};
    struct rk_plans_problem problem = question->problem;
    struct rk_system hosted = {.id = ""};
    struct host host;
    struct rk_error none;
    char note[HOST_WORD];
    const uint64_t ranks = problem.base.ranks;
    if (question->line) host_join(question->line, &input->system, ranks, &hosted, &none);
    if (*hosted.id) problem.system = &hosted;
    const bool found = rk_choose(&problem, &aim, choice);
    if (*hosted.id && found && host_wanted(&choice->plan)) {
        const struct rk_system alone = input->system;
        if (host_of(&alone, ranks, &host)) plan_assume(input, "%s", host_note(&host, note));
        input->system = hosted;
        hosted = alone;
    }
    if (*hosted.id) rk_system_release(&hosted);
    return found;
}

void fits_choose(struct plan_input *input, void *context)
{
    struct plan_draft *draft = &input->draft;
    struct fits_question *question = context;
    struct rk_plans_problem *problem = &question->problem;
    struct rk_choice choice;
    fits_ask(input, draft, problem);
    if (!choose(input, question, &choice)) {
        plan_assume(input, "data parallelism alone (the search has no plan with these words)");
        return;
    }
    note(input, &choice, question->room, search_is_of_data(problem), plan_given(draft, "batch"));
    draft->plan = choice.plan;
    draft->given[plan_row("batch")] = draft->given[plan_row("microbatch")] = true;
}
