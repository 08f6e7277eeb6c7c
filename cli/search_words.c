/* search_words.c - words of a plan as what all plans of a search have: an axis is restricted to its
 * word, everything else is so in every plan. */
#include "catalog/plan_fields.h"
#include "cli/plan_input.h"
#include "cli/search_job.h"

/* Said elsewhere, or found by the search. */
static const struct {
    const char *key, *instead;
} elsewhere[] = {
    {"gpus", "--gpus"},
    {"batch", "--batch"},
    {"sequence", "--sequence"},
    {"split", "--split"},
    {"stages", "--split, or the whole plan to reckon predict"},
    {"first_layers", "--split"},
    {"last_layers", "--split"},
    {"embedding_counts", "--split ends"},
    {"head_counts", "--split ends"},
};

static enum rk_status check_words(const struct plan_draft *draft, struct rk_error *error)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (plan_given(draft, elsewhere[i].key))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "\"%s\" is not a word of a search: give %s",
                           plan_fields[plan_row(elsewhere[i].key)].word, elsewhere[i].instead);
    return RK_OK;
}

/* Of a file, whose size the search has of its own. */
static enum rk_status read_plan(const char *name, struct plan_draft *draft, struct rk_error *error)
{
    static const char *const sizes[] = {"gpus", "batch", "sequence", "data"};
    const enum rk_status status = plan_named(name, draft, error);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && *draft->path; i++)
        draft->given[plan_row(sizes[i])] = false;
    return status;
}

enum rk_status search_take_words(const struct search_args *args, struct rk_plans_problem *problem,
                                 struct rk_error *error)
{
    const struct option_texts *words = &args->words;
    struct plan_draft draft = plan_draft();
    if (!args->plan && words->count == 0) return RK_OK;
    enum rk_status status = args->plan ? read_plan(args->plan, &draft, error) : RK_OK;
    if (status == RK_OK) status = plan_read_texts(words, &draft, error);
    if (status == RK_OK) status = check_words(&draft, error);
    if (status == RK_OK && args->framework >= 0 && plan_given(&draft, "framework"))
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--framework and a word of the plan say the same: give one of them");
    if (status != RK_OK) return status;
    if (args->framework < 0 && !plan_given(&draft, "framework") && rk_plan_is_torchs(&draft.plan)) {
        draft.plan.framework = rk_usual_framework_of(problem->system, &draft.plan);
        draft.given[plan_row("framework")] = true;
    }
    return plan_problem_take(&draft, problem, error);
}
